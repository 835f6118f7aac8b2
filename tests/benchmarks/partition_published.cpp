// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/benchmarks/partition_published.h"

#include "core/estimate/estimate.h"
#include "core/exchange/document.h"
#include "core/parallel/placement.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>

namespace stratoplan::published {
namespace {

using partition::Division;

constexpr int kSizes = 4; // 4, 8, 16, 32 GPUs
constexpr int kSixteen = 2;
constexpr int kPerNode = 4;
constexpr int kBatch = 8;

/// By number of GPUs.
using BySize = std::array<double, kSizes>;

struct Model {
    const char* id;
    BySize speed, memory; // over the best Megatron (tables of section 6)
    double collectives = 0; // share of Megatron's time over 16 GPUs; 0: not published
    double pipelined = 0; // speed over the best Megatron, pipelines of 32 GPUs on both sides; 0: not published
};
const std::array<Model, 6> kModels{{{"opt-6.7b", {1.16, 1.18, 1.16, 1.20}, {.89, .90, .93, .93}, 0.415, 0},
    {"opt-175b", {1.11, 1.35, 1.38, 1.39}, {.92, .80, .80, .79}, 0, 1.46},
    {"llama2-7b", {1.16, 1.19, 1.20, 1.21}, {.90, .91, .93, .92}, 0, 0},
    {"llama2-70b", {1.15, 1.21, 1.24, 1.26}, {.91, .88, .91, .89}, 0.384, 1.27},
    {"bloom-7b1", {1.15, 1.18, 1.18, 1.19}, {.89, .90, .93, .92}, 0, 0},
    {"bloom-176b", {1.11, 1.43, 1.68, 1.60}, {.92, .78, .69, .68}, 0.646, 1.40}}};

/// 604 MB for each of four GPUs in 24 and in 41 ms inside a node, and in 364 ms between two (figure 9). The catalogue's
/// links are faster.
void setLinks(cluster::NodeGroup& node)
{
    node.scaleUp.bandwidth = BytesPerSecond(2 * 604e6 / (0.024 + 0.041));
    node.scaleUp.kernels.clear();
    node.nic.bandwidth = BytesPerSecond(4 * 604e6 / 0.364);
    node.scaleUp.sustained = node.nic.sustained = 1;
}

plan::Plan withFreeLinks(plan::Plan plan)
{
    for (cluster::Link* const link : {&plan.cluster.nodes.front().scaleUp, &plan.cluster.nodes.front().nic})
        link->bandwidth = BytesPerSecond(1e30);
    return plan;
}

/// What both sides make of a model over so many GPUs.
struct Cell {
    Division best;
    std::vector<MegatronDivision> megatron;
};
using Cells = std::array<std::array<Cell, kSizes>, kModels.size()>;

Cells cells()
{
    Cells all;
    for (std::size_t model = 0; model < kModels.size(); ++model)
        for (int size = 0; size < kSizes; ++size) {
            DividedLayer layer(layerPlan(kModels[model].id, 2 + size, kBatch), 2 + size);
            all[model][size] = {layer.programme().solve({}).best.front(), layer.megatron()};
        }
    return all;
}

/// What Megatron may be in a comparison.
enum class Comparator { AnyReplicas, TensorInNode };

const char* inWords(Comparator comparator)
{
    return comparator == Comparator::AnyReplicas ? "any replicas x TP" : "TP of 4 or less, inside a node";
}

bool allows(Comparator comparator, const MegatronDivision& megatron, int size)
{
    return comparator == Comparator::AnyReplicas || (kPerNode << size) <= kPerNode * megatron.replicas;
}

/// The fastest.
const MegatronDivision& bestMegatron(const Cell& cell, Comparator comparator, int size)
{
    const MegatronDivision* best = nullptr;
    for (const MegatronDivision& megatron : cell.megatron)
        if (allows(comparator, megatron, size)
            && (best == nullptr || megatron.division.seconds < best->division.seconds))
            best = &megatron;
    return *best;
}

double bytes(const Division& division)
{
    return 8 * division.parameters + division.kept; // weights and their gradients; no states of the optimizer
}

/// Of two models that were published apart, how many come out in that order; and all models by what comes out.
void tellOrder(const std::array<BySize, kModels.size()>& speed)
{
    for (int size = 0; size < kSizes; ++size) {
        std::array<std::size_t, kModels.size()> order{};
        int pairs = 0, alike = 0;
        for (std::size_t a = 0; a < kModels.size(); ++a) {
            order[a] = a;
            for (std::size_t b = 0; b < a; ++b) {
                const double published = kModels[a].speed[size] - kModels[b].speed[size];
                pairs += published != 0;
                alike += published * (speed[a][size] - speed[b][size]) > 0;
            }
        }
        std::ranges::sort(order, std::greater(), [&](std::size_t model) { return speed[model][size]; });
        std::printf("order at %2d GPUs, %2d of %2d pairs as published:", kPerNode << size, alike, pairs);
        for (const std::size_t model : order)
            std::printf(" %s", kModels[model].id);
        std::printf("\n");
    }
}

void tellComparison(const Cells& cells, Comparator comparator)
{
    std::printf("\nthroughput of a layer over that of the best Megatron, %s; published in brackets; replicas x TP of "
                "this Megatron\n",
        inWords(comparator));
    std::array<BySize, kModels.size()> speeds{};
    BySize logs{}, publishedLogs{};
    double off = 0;
    for (std::size_t model = 0; model < kModels.size(); ++model) {
        std::printf("%-12s", kModels[model].id);
        for (int size = 0; size < kSizes; ++size) {
            const Cell& cell = cells[model][size];
            const MegatronDivision& megatron = bestMegatron(cell, comparator, size);
            const double speed = speeds[model][size] = megatron.division.seconds / cell.best.seconds;
            const double published = kModels[model].speed[size];
            logs[size] += std::log(speed) / kModels.size();
            publishedLogs[size] += std::log(published) / kModels.size();
            off += std::abs(speed / published - 1) / (kModels.size() * kSizes);
            std::printf("  %4.2f (%4.2f) %d x %-2d", speed, published, megatron.replicas,
                (kPerNode << size) / megatron.replicas);
        }
        std::printf("\n");
    }
    std::printf("geo-mean    ");
    for (int size = 0; size < kSizes; ++size)
        std::printf("  %4.2f (%4.2f)       ", std::exp(logs[size]), std::exp(publishedLogs[size]));
    std::printf("\nmean deviation %.1f %%, aim 10 %s\n", 100 * off, off <= 0.1 ? "kept" : "MISSED");
    tellOrder(speeds);
}

void tellMemory(const Cells& cells, Comparator comparator)
{
    std::printf("\npeak memory of a layer in %% of that of the best Megatron, %s; published in brackets\n",
        inWords(comparator));
    double off = 0;
    for (std::size_t model = 0; model < kModels.size(); ++model) {
        std::printf("%-12s", kModels[model].id);
        for (int size = 0; size < kSizes; ++size) {
            const Cell& cell = cells[model][size];
            const double share = bytes(cell.best) / bytes(bestMegatron(cell, comparator, size).division);
            const double published = kModels[model].memory[size];
            off += std::abs(share / published - 1) / (kModels.size() * kSizes);
            std::printf("  %3.0f (%3.0f)", 100 * share, 100 * published);
        }
        std::printf("\n");
    }
    std::printf("mean deviation %.1f %%\n", 100 * off);
}

/// What links of infinite bandwidth would save of the time of the best Megatron over 16 GPUs.
void tellCollectives(const Model& model, int batch, Comparator comparator)
{
    constexpr int kBits = 2 + kSixteen;
    const plan::Plan plan = layerPlan(model.id, kBits, batch);
    const Cell cell{{}, DividedLayer(plan, kBits).megatron()};
    const MegatronDivision& megatron = bestMegatron(cell, comparator, kSixteen);
    const std::vector<MegatronDivision> free = DividedLayer(withFreeLinks(plan), kBits).megatron();
    const auto same = std::ranges::find(free, megatron.replicas, &MegatronDivision::replicas);
    std::printf("  %4.1f (%2d x %-2d)", 100 * (1 - same->division.seconds / megatron.division.seconds),
        megatron.replicas, (kPerNode << kSixteen) / megatron.replicas);
}

void tellCollectives()
{
    for (const Comparator comparator : {Comparator::AnyReplicas, Comparator::TensorInNode}) {
        std::printf(
            "\ncollectives of the best Megatron over 16 GPUs, %s, %% of its time, batch 8, 16, 32, 64; published\n",
            inWords(comparator));
        for (const Model& model : kModels) {
            if (model.collectives == 0)
                continue;
            std::printf("%-12s", model.id);
            for (const int batch : {8, 16, 32, 64})
                tellCollectives(model, batch, comparator);
            std::printf("  %4.1f\n", 100 * model.collectives);
        }
    }
}

/// Pipeline, data and tensor parallelism of 32 GPUs, as published.
struct Degrees {
    int pp, dp, tp;
};
constexpr std::array kDegrees{
    Degrees{2, 1, 16}, Degrees{2, 2, 8}, Degrees{2, 4, 4}, Degrees{4, 1, 8}, Degrees{4, 2, 4}, Degrees{8, 1, 4}};

struct Step {
    double seconds = std::numeric_limits<double>::infinity();
    double bytes = 0; // of the fullest GPU
    Degrees degrees{};
    int microBatch = 0;
};
using Steps = std::array<Step, kDegrees.size()>;

/// States of the optimizer and 175B parameters have no room in FP32: memory is no limit, to either side.
plan::Plan pipelinePlan(const char* model, int batch)
{
    plan::Plan plan = layerPlan(model, 0, batch);
    plan.cluster.nodes.front().accelerator.memory = Bytes(1e15);
    plan.strategy.schedule = parallel::Schedule::OneFOneB;
    return plan;
}

/// With the fastest of these micro-batches.
Step stepWith(plan::Plan plan, const Degrees& degrees, const std::vector<int>& microBatches)
{
    parallel::Strategy& s = plan.strategy;
    s.pp = degrees.pp;
    s.dp = degrees.dp;
    s.tp = degrees.tp;
    Step best;
    for (const int microBatch : microBatches) {
        s.microBatch = microBatch;
        if (plan::microBatches(plan) == 0)
            continue;
        const auto estimate = estimate::estimate(plan, {.remedies = false, .range = false});
        if (!estimate)
            std::printf("no estimate: %s\n", estimate.error().front().where.c_str());
        else if (estimate->step.value() < best.seconds)
            best = {estimate->step.value(), estimate->memory.peak.value(), degrees, microBatch};
    }
    return best;
}

Steps stepsWith(plan::Plan plan, parallel::TensorPartition partition, const std::vector<int>& microBatches)
{
    plan.strategy.tensorPartition = partition;
    Steps steps;
    std::ranges::transform(
        kDegrees, steps.begin(), [&](const Degrees& degrees) { return stepWith(plan, degrees, microBatches); });
    return steps;
}

const Step& fastest(const Steps& steps)
{
    return *std::ranges::min_element(steps, {}, &Step::seconds);
}

/// Of both sides.
struct Pipelines {
    Pipelines(const Model& model, int batch, const std::vector<int>& microBatches)
        : megatron(stepsWith(pipelinePlan(model.id, batch), parallel::TensorPartition::Megatron, microBatches))
        , best(stepsWith(pipelinePlan(model.id, batch), parallel::TensorPartition::SpatialTemporal, microBatches))
    {
    }
    [[nodiscard]] double bestOverBest() const { return fastest(megatron).seconds / fastest(best).seconds; }
    Steps megatron, best;
};

void tellSteps(const char* side, const Steps& steps)
{
    std::printf("  %-16s", side);
    for (const Step& step : steps)
        std::printf(" %7.2f", step.seconds);
    const Step& best = fastest(steps);
    const Degrees& d = best.degrees;
    std::printf("   (%d,%d,%d), micro-batch %d, %.0f GB\n", d.pp, d.dp, d.tp, best.microBatch, best.bytes / 1e9);
}

void tellPipelines(int batch)
{
    std::printf("\nsteps of %d sequences over 32 GPUs, s, 1F1B, fastest micro-batch of 1, 2 and 4; (p,d,m):", batch);
    for (const Degrees& d : kDegrees)
        std::printf(" (%d,%d,%d)", d.pp, d.dp, d.tp);
    std::printf("; of the best its micro-batch and memory\n");
    for (const Model& model : kModels) {
        const Pipelines sides(model, batch, {1, 2, 4});
        std::printf("%s: best over best %.2f", model.id, sides.bestOverBest());
        if (model.pipelined > 0)
            std::printf(" (%.2f)", model.pipelined);
        std::printf("\n");
        tellSteps("Megatron", sides.megatron);
        tellSteps("space and time", sides.best);
        std::printf("  %-16s", "ratio");
        for (std::size_t i = 0; i < kDegrees.size(); ++i)
            std::printf(" %7.2f", sides.megatron[i].seconds / sides.best[i].seconds);
        std::printf("\n");
    }
}

/// What is not published decides much.
void tellOtherBatches(int batch)
{
    std::printf(
        "\nbest over best with batches of %d and micro-batches of 1, 4, 8; (p,d,m) of the best Megatron, of the "
        "best in space and time\n",
        batch);
    for (const Model& model : kModels) {
        std::printf("%-12s", model.id);
        for (const int microBatch : {1, 4, 8}) {
            const Pipelines sides(model, batch, {microBatch});
            const Degrees &a = fastest(sides.megatron).degrees, &b = fastest(sides.best).degrees;
            std::printf("  %.2f (%d,%d,%2d) (%d,%d,%2d)", sides.bestOverBest(), a.pp, a.dp, a.tp, b.pp, b.dp, b.tp);
        }
        std::printf("\n");
    }
}

} // namespace

plan::Plan layerPlan(const char* model, int bits, int batch)
{
    const catalog::Catalog& catalog = catalog::shippedCatalog();
    plan::Plan plan =
        exchange::parseDocument(exchange::findExample("opt-175b-spatial-temporal")->text, catalog, "")->project.plan;
    plan.model = catalog.model(model)->model;
    plan.training.globalBatch = batch;
    plan.strategy = {};
    plan.strategy.tp = 1 << bits;
    plan.strategy.microBatch = batch;
    setLinks(plan.cluster.nodes.front());
    return plan;
}

DividedLayer::DividedLayer(const plan::Plan& plan, int bits)
    : m_plan(plan)
    , m_bits(bits)
    , m_machine(cost::machine(plan, catalog::shippedCatalog()))
    , m_block(partition::block(plan, false, plan.strategy.recompute))
    , m_layouts(
          {m_machine.topology, parallel::GroupSpans(plan.strategy, m_machine.topology)[parallel::RankGroup::Tensor]},
          mostDigits(m_block))
    , m_sequences(bits, m_layouts)
    , m_pricing{m_machine, m_plan.training.software, m_layouts, bits}
    , m_programme(m_block, m_sequences, m_pricing)
{
}

std::vector<MegatronDivision> DividedLayer::megatron()
{
    std::vector<MegatronDivision> all;
    for (int replicaBits = 0; replicaBits <= m_bits; ++replicaBits) {
        partition::ChosenStates chosen{};
        bool possible = true;
        for (std::size_t op = 0; op < m_block.operators.size(); ++op) {
            const std::string wanted = ofMegatron(m_block.operators[op], replicaBits);
            const std::vector<partition::State>& states = m_programme.states()[op];
            const auto found = std::find_if(states.begin(), states.end(), [&](const partition::State& state) {
                return describe(m_block.operators[op], state.way, m_sequences, m_bits) == wanted;
            });
            possible &= found != states.end();
            chosen[op] = std::int16_t(found - states.begin());
        }
        if (possible)
            all.push_back({1 << replicaBits, m_programme.price(chosen, 0)});
    }
    return all;
}

std::string DividedLayer::ofMegatron(const partition::BlockOperator& op, int replicaBits) const
{
    using partition::OperatorKind;
    const bool row = op.name == "attention output" || op.name == "FFN down";
    const bool stream = op.kind == OperatorKind::Residual || op.kind == OperatorKind::Norm;
    const char tensor = op.kind == OperatorKind::Linear ? (row ? 'N' : 'K')
        : stream                                        ? '-'
        : op.kind == OperatorKind::Activation           ? 'K'
                                                        : 'H';
    std::string text;
    for (int bit = 0; bit < m_bits; ++bit)
        text += std::string(text.empty() ? "" : ",") + (bit < replicaBits ? 'B' : tensor);
    return text;
}

void tell()
{
    const Cells all = cells();
    for (const Comparator comparator : {Comparator::AnyReplicas, Comparator::TensorInNode}) {
        tellComparison(all, comparator);
        tellMemory(all, comparator);
    }
    tellCollectives();
    tellPipelines(32);
    for (const int batch : {8, 32, 128})
        tellOtherBatches(batch);
}

} // namespace stratoplan::published
