// SPDX-License-Identifier: Apache-2.0
#include "core/calibration/own_kernels.h"

#include "core/calibration/least_squares.h"
#include "core/calibration/solver.h"
#include "core/cluster/cluster_edits.h"
#include "core/cluster/collectives.h"
#include "core/cost/compute.h"
#include "core/narration/profiles.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

namespace stratoplan::calibration {

using namespace detail;

namespace {

constexpr double kPriceNoise = 0.08; ///< kernels scatter more about their prices than whole steps do
constexpr int kFolds = 10;
constexpr double kSameHardware =
    0.1; ///< memory and units of one accelerator differ by less between what drivers and data sheets say

/// "NVIDIA H100 80GB" -> "nvidia", "h100", "80gb".
std::vector<std::string> wordsOf(std::string_view name)
{
    std::vector<std::string> words(1);
    for (const char c : name) {
        if (std::isalnum(static_cast<unsigned char>(c)))
            words.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        else if (!words.back().empty())
            words.emplace_back();
    }
    return words;
}

MeasuredHardware hardwareOf(const exchange::KernelProfile& kernels)
{
    return {kernels.gpu, kernels.memory, kernels.computeUnits};
}

/// A constant of the software, and what must have been measured to speak of it: a rate that only shows at the edge of
/// other kernels would take up their faults.
struct SoftwareConstant {
    std::string_view key;
    bool (*shownBy)(const exchange::MeasuredKernel&);
};
constexpr std::array kSoftwareConstants{
    SoftwareConstant{"matmul_factor",
        [](const exchange::MeasuredKernel& k) { return k.kind == exchange::KernelKind::Matmul && !k.work.narrow; }},
    SoftwareConstant{
        "memory_factor", [](const exchange::MeasuredKernel& k) { return k.kind == exchange::KernelKind::Memory; }},
    SoftwareConstant{"flash_forward",
        [](const exchange::MeasuredKernel& k) { return k.kind == exchange::KernelKind::AttentionForward; }},
    SoftwareConstant{"flash_backward",
        [](const exchange::MeasuredKernel& k) { return k.kind == exchange::KernelKind::AttentionBackward; }},
    SoftwareConstant{"fp8_factor",
        [](const exchange::MeasuredKernel& k) { return k.kind == exchange::KernelKind::Matmul && k.work.narrow; }},
    SoftwareConstant{"kernel_launch_us",
        [](const exchange::MeasuredKernel& k) { return k.kind != exchange::KernelKind::Collective; }},
};

/// All that a kernel's price depends on: the software on this accelerator, and the links.
struct Rates {
    plan::SoftwareProfile software;
    cluster::NodeGroup node;
};

struct Constant {
    std::string key;
    double spread = 0.3;
    double maximum = 1e300;
    double unit = 1;
    bool share = false;
    std::function<double(const Rates&)> get;
    std::function<void(Rates&, double)> set;
};

std::vector<Constant> constantsFor(
    const exchange::KernelProfile& profile, const cluster::Accelerator& accelerator, bool collectives, bool network)
{
    std::vector<Constant> result;
    for (const CalibrationParameter& p : calibrationParameters()) {
        const auto known = std::find_if(kSoftwareConstants.begin(), kSoftwareConstants.end(),
            [&](const SoftwareConstant& c) { return c.key == p.key; });
        if (known == kSoftwareConstants.end()
            || std::none_of(profile.kernels.begin(), profile.kernels.end(), known->shownBy))
            continue;
        // Single kernels come closer to the peak than whole steps, but never past it.
        const double most = p.key == "matmul_factor" ? 1 / accelerator.matmulSustained
            : p.key == "memory_factor"               ? 1 / accelerator.memorySustained
                                                     : p.maximum;
        result.push_back(
            {std::string(p.key), p.spread, most, p.unit, p.share, [&p](const Rates& r) { return p.get(r.software); },
                [&p](Rates& r, double value) { p.set(r.software, value); }});
    }
    const auto addLink = [&](const std::string& name, cluster::Link cluster::NodeGroup::*link) {
        result.push_back({name + "_gb_s", 0.5, 1e300, 1e9, false,
            [link](const Rates& r) { return (r.node.*link).bandwidth.value() * (r.node.*link).sustained; },
            [link](Rates& r, double value) {
                (r.node.*link).bandwidth = BytesPerSecond(value / (r.node.*link).sustained);
            }});
        result.push_back({name + "_latency_us", 0.7, 1e300, 1e-6, false,
            [link](const Rates& r) { return (r.node.*link).latency.value(); },
            [link](Rates& r, double value) { (r.node.*link).latency = Seconds(value); }});
    };
    if (collectives)
        addLink("scale_up", &cluster::NodeGroup::scaleUp);
    if (network)
        addLink("nic", &cluster::NodeGroup::nic);
    return result;
}

double secondsOf(const exchange::MeasuredKernel& kernel, const Rates& rates, const cost::Machine& machine)
{
    if (kernel.kind != exchange::KernelKind::Collective) {
        const bool streams =
            kernel.work.kind == workload::OperatorKind::Streaming; // whose price has no launch of its own
        return (seconds(kernel.work, machine, rates.software) + (streams ? rates.software.kernelLaunch : Seconds{}))
            .value();
    }
    cluster::Span span{kernel.ranks, kernel.inside};
    if (const cluster::TopologyLevel& domain = machine.topology.levels.at(0); domain.torus)
        span.box = boxOf(slice(*domain.torus, domain.size), {kernel.inside, 1});
    if (kernel.operation == "all_reduce")
        return allReduce(machine.topology, span, kernel.bytes).value();
    if (kernel.operation == "all_gather")
        return allGather(machine.topology, span, kernel.bytes).value();
    if (kernel.operation == "reduce_scatter")
        return reduceScatter(machine.topology, span, kernel.bytes).value();
    if (kernel.operation == "all_to_all")
        return allToAll(machine.topology, span, kernel.bytes).value();
    return pointToPoint(machine.topology, span, kernel.bytes).value();
}

cost::Machine machineOf(const Rates& rates)
{
    plan::Plan plan;
    plan.cluster.nodes = {rates.node};
    plan.training.software = rates.software;
    plan.training.precision = model::Precision::Fp8; // wide products are BF16 in it, narrow ones FP8
    return cost::machine(plan, catalog::shippedCatalog());
}

class OwnKernelFit {
public:
    OwnKernelFit(std::vector<const exchange::MeasuredKernel*> kernels, Rates start,
        std::vector<const Constant*> constants, std::stop_token stop)
        : m_kernels(std::move(kernels))
        , m_start(std::move(start))
        , m_constants(std::move(constants))
    {
        m_problem.observations = m_kernels.size();
        m_problem.noise = kPriceNoise;
        for (const Constant* c : m_constants)
            m_problem.constants.push_back({c->get(m_start), c->spread, c->maximum, c->share});
        m_problem.errors = [this, stop](std::span<const double> values, std::span<double> errors) {
            const Rates rates = with(values);
            const cost::Machine machine = machineOf(rates);
            for (std::size_t i = 0; i < m_kernels.size() && !stop.stop_requested(); ++i)
                errors[i] = std::log(secondsOf(*m_kernels[i], rates, machine) / m_kernels[i]->seconds);
        };
    }
    OwnKernelFit(const OwnKernelFit&) = delete;
    OwnKernelFit& operator=(const OwnKernelFit&) = delete;

    [[nodiscard]] Rates with(std::span<const double> values) const
    {
        Rates rates = m_start;
        for (std::size_t i = 0; i < m_constants.size(); ++i)
            m_constants[i]->set(rates, values[i]);
        return rates;
    }
    [[nodiscard]] const LeastSquares& problem() const { return m_problem; }

private:
    std::vector<const exchange::MeasuredKernel*> m_kernels;
    Rates m_start;
    std::vector<const Constant*> m_constants;
    LeastSquares m_problem;
};

using Kernels = std::vector<const exchange::MeasuredKernel*>;

/// Of one kind, signed.
struct KernelError {
    const exchange::MeasuredKernel* kernel;
    double error;
};
void addErrors(const Kernels& kernels, const Rates& rates, std::vector<KernelError>& errors)
{
    const cost::Machine machine = machineOf(rates);
    for (const exchange::MeasuredKernel* kernel : kernels)
        errors.push_back({kernel, secondsOf(*kernel, rates, machine) / kernel->seconds - 1});
}

FitErrors summaryOf(const std::vector<KernelError>& errors, exchange::KernelKind kind)
{
    FitErrors result;
    for (const KernelError& e : errors) {
        if (e.kernel->kind != kind)
            continue;
        ++result.n;
        result.meanAbs += std::abs(e.error);
        result.bias += e.error;
        if (result.worstId.empty() || std::abs(e.error) > std::abs(result.worst)) {
            result.worst = e.error;
            result.worstId = e.kernel->id;
        }
    }
    result.meanAbs /= std::max(1, result.n);
    result.bias /= std::max(1, result.n);
    return result;
}

std::vector<KernelError> leftOutErrors(const Kernels& kernels, const Rates& start,
    const std::vector<const Constant*>& constants, const std::vector<double>& from, const std::stop_token& stop)
{
    std::vector<std::string> labels;
    for (const exchange::MeasuredKernel* kernel : kernels)
        labels.push_back(kernel->shape);
    const std::vector<int> fold = folds(labels, kFolds);
    const int count = fold.empty() ? 0 : *std::max_element(fold.begin(), fold.end()) + 1;
    std::vector<KernelError> errors;
    for (int left = 0; left < count && count > 1 && !stop.stop_requested(); ++left) {
        Kernels kept, held;
        for (std::size_t i = 0; i < kernels.size(); ++i)
            (fold[i] == left ? held : kept).push_back(kernels[i]);
        const OwnKernelFit fit(kept, start, constants, stop);
        addErrors(held, fit.with(solve(fit.problem(), from, stop).constants), errors);
    }
    return errors;
}

/// An accelerator of which nothing is known: its peak is what kernels reached on it.
cluster::Accelerator reached(const exchange::KernelProfile& kernels)
{
    cluster::Accelerator a;
    a.id = a.name = kernels.gpu;
    a.memory = kernels.memory;
    a.computeUnits = kernels.computeUnits;
    double best = 1e12, stream = 5e11;
    for (const exchange::MeasuredKernel& kernel : kernels.kernels) {
        const workload::Operator& op = kernel.work;
        if (kernel.kind == exchange::KernelKind::Matmul && !op.narrow) {
            best = std::max(best, 2 * op.m * op.n * op.k / kernel.seconds);
            stream = std::max(stream, 2 * (op.m * op.k + op.n * op.k + op.m * op.n) / kernel.seconds);
        }
        if (kernel.kind == exchange::KernelKind::Memory)
            stream = std::max(stream, kernel.work.traffic.value() / kernel.seconds);
    }
    a.peak[model::Precision::Bf16] = a.peak[model::Precision::Fp16] = FlopsPerSecond(best);
    a.memoryBandwidth = BytesPerSecond(stream);
    a.matmulSustained = a.memorySustained = 0.85;
    return a;
}

/// The accelerator, in a node of its own kind where the catalogue has one.
Rates startOf(const exchange::KernelProfile& kernels, const plan::SoftwareProfile& start,
    const catalog::Catalog& catalog, KernelCalibration& result)
{
    Rates rates;
    rates.software = start;
    const cluster::Accelerator* known = acceleratorNamed(kernels.gpu, kernels.memory, kernels.computeUnits, catalog);
    result.known = known != nullptr;
    const auto preset = std::find_if(catalog.nodes.begin(), catalog.nodes.end(),
        [&](const catalog::NodePreset& p) { return known && p.node.accelerator.id == known->id; });
    rates.node = preset != catalog.nodes.end() ? preset->node : catalog.nodes.front().node;
    cluster::Accelerator& a = rates.node.accelerator;
    if (known) {
        a = *known;
    } else {
        a = reached(kernels);
        rates.software.matmulFactor = rates.software.memoryFactor = 1;
    }
    if (!known)
        rates.node.scaleUp.kernels.clear(); // measured on another one
    rates.node.acceleratorsPerNode = std::max(1, kernels.gpusPerNode);
    setScaleUpDomain(rates.node, std::max(rates.node.acceleratorsPerNode, 2));
    rates.node.count =
        std::max(1, (kernels.gpus + rates.node.acceleratorsPerNode - 1) / rates.node.acceleratorsPerNode);
    return rates;
}

void describeResult(const exchange::KernelProfile& kernels, const plan::SoftwareProfile& start, const Rates& rates,
    bool collectives, bool network, KernelCalibration& result)
{
    result.profile = rates.software;
    result.profile.id = start.id + "-measured";
    if (!start.calibratedOn || start.base.empty()) // else what it was based on then
        result.profile.base = start.id;
    result.profile.name = narration::measuredName(start);
    result.profile.source = narration::measuredWith(start, kernels.kernels.size(), kernels.gpu, kernels.provenance);
    result.accelerator = rates.node.accelerator;
    result.accelerator.matmulSustained =
        std::min(1.0, result.accelerator.matmulSustained * rates.software.matmulFactor);
    result.accelerator.memorySustained =
        std::min(1.0, result.accelerator.memorySustained * rates.software.memoryFactor);
    if (collectives)
        result.scaleUp = rates.node.scaleUp;
    if (network)
        result.nic = rates.node.nic;
    if (!result.known)
        result.warnings.emplace_back(UnknownAccelerator{hardwareOf(kernels)});
    if (!kernels.skipped.empty())
        result.warnings.emplace_back(KernelsSkipped{kernels.skipped.size(), kernels.skipped.front()});
}

} // namespace

std::optional<MeasuredHardware> measuredSlice(const exchange::KernelProfile& kernels)
{
    const std::vector<std::string> words = wordsOf(kernels.gpu);
    if (std::find(words.begin(), words.end(), "mig") == words.end())
        return std::nullopt;
    return hardwareOf(kernels);
}

const cluster::Accelerator* acceleratorNamed(
    std::string_view gpu, Bytes memory, int computeUnits, const catalog::Catalog& catalog)
{
    const std::vector<std::string> words = wordsOf(gpu);
    const auto says = [&](std::string_view word) { return std::find(words.begin(), words.end(), word) != words.end(); };
    const auto alike = [](double measured, double known) {
        return measured <= 0 || known <= 0 || std::abs(measured / known - 1) <= kSameHardware;
    };
    const cluster::Accelerator* best = nullptr;
    double bestDistance = INFINITY;
    for (const cluster::Accelerator& a : catalog.accelerators) {
        const std::string family = a.id.substr(0, a.id.find('-'));
        if (!says(family) || !alike(memory.value(), a.memory.value()) || !alike(computeUnits, a.computeUnits))
            continue;
        const bool pcie = a.id.find("pcie") != std::string::npos;
        const double distance = (memory.value() > 0 ? std::abs(a.memory.value() - memory.value()) / kGiB : 0)
            + (pcie != says("pcie") ? 1000 : 0);
        if (distance < bestDistance) {
            bestDistance = distance;
            best = &a;
        }
    }
    return best;
}

// In one piece: which constants the kernels tell apart decides what is fitted, held, left out and told.
KernelCalibration calibrateKernels(const exchange::KernelProfile& profile, const plan::SoftwareProfile& start,
    const catalog::Catalog& catalog, std::stop_token stop)
{
    KernelCalibration result;
    Kernels kernels;
    for (const exchange::MeasuredKernel& kernel : profile.kernels)
        kernels.push_back(&kernel);
    const auto any = [&](auto&& test) { return std::any_of(kernels.begin(), kernels.end(), test); };
    const bool collectives = any(
        [](const exchange::MeasuredKernel* k) { return k->kind == exchange::KernelKind::Collective && k->inside > 1; });
    const bool network = any([](const exchange::MeasuredKernel* k) {
        return k->kind == exchange::KernelKind::Collective && k->ranks > k->inside;
    });
    const Rates rates = startOf(profile, start, catalog, result);
    const std::vector<Constant> all = constantsFor(profile, rates.node.accelerator, collectives, network);
    std::vector<const Constant*> free;
    for (const Constant& c : all)
        if (const double value = c.get(rates); value > 0 && (!c.share || value < 1))
            free.push_back(&c);
    std::vector<const Constant*> held = free;
    const OwnKernelFit whole(kernels, rates, free, stop);
    std::vector<const Constant*> known;
    for (const std::size_t i : identifiedAt(whole.problem(), {}, stop))
        known.push_back(free[i]);
    std::erase_if(held, [&](const Constant* c) { return std::find(known.begin(), known.end(), c) != known.end(); });

    const OwnKernelFit fit(kernels, rates, known, stop);
    const LeastSquaresSolution solution = solve(fit.problem(), {}, stop);
    const Rates fitted = fit.with(solution.constants);
    const std::vector<double> spreads = spreadsAt(fit.problem(), solution.x, stop);
    for (std::size_t i = 0; i < known.size(); ++i)
        result.constants.push_back({known[i]->key, known[i]->get(rates), known[i]->get(fitted), known[i]->unit,
            known[i]->share, known[i]->spread, spreads[i], true});
    for (const Constant* c : held)
        result.constants.push_back(
            {c->key, c->get(rates), c->get(rates), c->unit, c->share, c->spread, c->spread, false});

    std::vector<KernelError> before, after;
    addErrors(kernels, rates, before);
    addErrors(kernels, fitted, after);
    const std::vector<KernelError> leftOut = leftOutErrors(kernels, rates, known, solution.x, stop);
    for (const exchange::KernelKind kind :
        {exchange::KernelKind::Matmul, exchange::KernelKind::AttentionForward, exchange::KernelKind::AttentionBackward,
            exchange::KernelKind::Memory, exchange::KernelKind::Launch, exchange::KernelKind::Collective})
        if (const FitErrors errors = summaryOf(before, kind); errors.n > 0)
            result.errors.push_back({kind, errors, summaryOf(after, kind), summaryOf(leftOut, kind)});
    describeResult(profile, start, fitted, collectives, network, result);
    result.stopped = stop.stop_requested();
    result.converged = solution.converged && !result.stopped;
    return result;
}

} // namespace stratoplan::calibration
