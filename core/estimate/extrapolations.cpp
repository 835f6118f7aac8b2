// SPDX-License-Identifier: Apache-2.0
#include "core/estimate/range.h"
#include "core/plan/software_fields.h"
#include "core/plan/stage_nodes.h"

#include <algorithm>

namespace stratoplan::estimate {
namespace {

/// Of which no case had more than 1 before some case had: a first use, rather than more of it.
constexpr Extent kUsed[] = {Extent::Tp, Extent::Pp, Extent::Cp, Extent::Ep, Extent::Vpp};
constexpr Extent kTold[] = {Extent::Layers, Extent::Hidden, Extent::Experts, Extent::Sequence, Extent::Accelerators,
    Extent::MicroBatch, Extent::Tp, Extent::Pp, Extent::Cp, Extent::Ep, Extent::Vpp};

const std::string& nameOf(const plan::SoftwareProfile& software)
{
    return software.name.empty() ? software.id : software.name;
}

/// Whether a constant is not that of the catalogue's profile of its id, or of its base. One of 0 switches something
/// off, as a source may say of its runs.
bool hasEditedConstants(const plan::SoftwareProfile& software)
{
    const plan::SoftwareProfile* shipped = catalog::shippedCatalog().softwareProfile(software.id);
    if (!shipped)
        shipped = catalog::shippedCatalog().softwareProfile(software.base);
    return shipped != nullptr && !software.calibratedOn && software != *shipped // the quick answer of most
        && std::ranges::any_of(plan::softwareFields(), [&](const plan::SoftwareField& field) {
               return field.prior && number(software, field) != 0 && number(software, field) != number(*shipped, field);
           });
}

/// Whether stages run on nodes that differ in more than what only offload looks at.
bool runOnUnlikeNodes(const plan::Plan& plan)
{
    if (stageNodes(plan).empty() || plan.strategy.offload != parallel::Offload::None)
        return !stageNodes(plan).empty();
    plan::Plan seen = plan;
    for (cluster::NodeGroup& nodes : seen.cluster.nodes) {
        nodes.hostMemory = Bytes{};
        nodes.hostMemoryBandwidth = nodes.hostLink = BytesPerSecond{};
    }
    return !stageNodes(seen).empty();
}

/// What no case has, whatever its software.
struct Unmeasured {
    ExtrapolationCode code{};
    bool (*has)(const plan::Plan&) = nullptr;
};
constexpr Unmeasured kUnmeasured[] = {
    {ExtrapolationCode::Offload, [](const plan::Plan& p) { return p.strategy.offload != parallel::Offload::None; }},
    {ExtrapolationCode::UnlikeTp, [](const plan::Plan& p) { return !p.strategy.stageTp.empty(); }},
    {ExtrapolationCode::UnlikeNodes, runOnUnlikeNodes},
    {ExtrapolationCode::UnlikeRecompute, [](const plan::Plan& p) { return mixesRecompute(p.strategy); }},
    {ExtrapolationCode::SparseAttention, [](const plan::Plan& p) { return p.model.dsa.has_value(); }},
    {ExtrapolationCode::StateSpace, [](const plan::Plan& p) { return p.model.mamba2.has_value(); }},
    {ExtrapolationCode::StandIn, [](const plan::Plan& p) { return p.model.standIn.has_value(); }},
    {ExtrapolationCode::NarrowAttention, [](const plan::Plan& p) { return hasNarrowAttention(p.training); }},
    {ExtrapolationCode::SpatialTemporal,
        [](const plan::Plan& p) { return p.strategy.tensorPartition == parallel::TensorPartition::SpatialTemporal; }},
    {ExtrapolationCode::MultiTokenPrediction,
        [](const plan::Plan& p) { return p.model.multiTokenPredictionDepth > 0; }},
    {ExtrapolationCode::Optimizer, [](const plan::Plan& p) { return p.training.optimizer != plan::Optimizer::Adam; }},
    {ExtrapolationCode::ExpertImbalance, [](const plan::Plan& p) { return p.model.moe && p.model.moe->imbalance > 1; }},
    {ExtrapolationCode::EditedConstants, [](const plan::Plan& p) { return hasEditedConstants(p.training.software); }},
};

/// Gathers what is found of a plan.
class Extrapolations {
public:
    explicit Extrapolations(const plan::Plan& plan)
        : m_plan(plan)
        , m_common{.accelerator = firstAccelerator(plan).name,
              .vendor = firstAccelerator(plan).vendor,
              .optimizer = plan.training.optimizer,
              .imbalance = plan.model.moe ? plan.model.moe->imbalance : 1,
              .traits = traitsOf(plan)}
    {
    }

    void nameSoftware(const plan::SoftwareProfile& software) { m_common.software = nameOf(software); }
    void add(ExtrapolationCode code, bool is = true)
    {
        if (!is)
            return;
        m_found.push_back(m_common);
        m_found.back().code = code;
    }
    void addExtent(Extent extent, int largest)
    {
        const int value = m_common.traits.extent(extent);
        if (value <= largest || (extent == Extent::Experts && largest <= 1)) // none at all: said of the accelerator
            return;
        const bool isFirst = largest <= 1 && std::find(std::begin(kUsed), std::end(kUsed), extent) != std::end(kUsed);
        add(isFirst ? ExtrapolationCode::FirstOfExtent : ExtrapolationCode::AboveCases);
        m_found.back().extent = extent;
        m_found.back().bound = largest;
        m_found.back().value = value;
    }
    void addRuns(const plan::CalibratedOn& runs) { addOutside(runs, m_plan, m_found); }
    void addUnmeasured()
    {
        for (const Unmeasured& unmeasured : kUnmeasured)
            add(unmeasured.code, unmeasured.has(m_plan));
    }
    [[nodiscard]] const RunTraits& traits() const { return m_common.traits; }
    [[nodiscard]] std::vector<Extrapolation> found() && { return std::move(m_found); }

private:
    const plan::Plan& m_plan;
    Extrapolation m_common;
    std::vector<Extrapolation> m_found;
};

bool isSixteenBit(model::Precision precision)
{
    return precision == model::Precision::Fp16 || precision == model::Precision::Bf16;
}

bool isAlike(model::Precision a, model::Precision b)
{
    return a == b || (isSixteenBit(a) && isSixteenBit(b));
}

/// What was measured on the accelerator of the plan, and on it with its software.
template <class Tables, class Stack>
void addAccelerator(const plan::Plan& plan, const Tables& tables, const Stack& stack, const plan::CalibratedOn* runs,
    Extrapolations& all)
{
    const RunTraits& traits = all.traits();
    const auto kind = tables.kindOf(acceleratorOf(plan), traits);
    const bool inRuns = runs
        && std::find(runs->accelerators.begin(), runs->accelerators.end(), acceleratorOf(plan))
            != runs->accelerators.end();
    const bool known = kind.accelerator < static_cast<int>(tables.accelerators.size());
    const bool inStack = std::any_of(
        stack.kinds.begin(), stack.kinds.end(), [&](const auto& seen) { return seen.accelerator == kind.accelerator; });
    all.add(ExtrapolationCode::Vendor, !known && !inRuns && !tables.hasVendor(firstAccelerator(plan).vendor));
    all.add(ExtrapolationCode::Accelerator, !known && !inRuns);
    all.add(ExtrapolationCode::AcceleratorInStack, known && !inRuns && !inStack && !stack.kinds.empty());
    using Measured = std::decay_t<decltype(tables.accelerators.front())>;
    const Measured measured = known ? tables.accelerators[static_cast<std::size_t>(kind.accelerator)] : Measured{};
    all.add(ExtrapolationCode::Experts, plan.model.moe && !measured.experts);
    all.add(ExtrapolationCode::LatentAttention, traits.latentAttention && !measured.latentAttention);
    all.add(ExtrapolationCode::SlidingWindow, traits.slidingWindow && !measured.slidingWindow);
}

/// What no case of the software is like.
template <class Stack>
void addKinds(const Stack& stack, Extrapolations& all)
{
    const RunTraits& traits = all.traits();
    const auto unseen = [&](auto same) {
        return std::none_of(
            stack.kinds.begin(), stack.kinds.end(), [&](const auto& seen) { return same(seen.traits); });
    };
    all.add(ExtrapolationCode::Precision,
        unseen([&](const RunTraits& t) { return isAlike(t.precision, traits.precision); }));
    all.add(ExtrapolationCode::Recompute, unseen([&](const RunTraits& t) { return t.recompute == traits.recompute; }));
    all.add(ExtrapolationCode::Schedule, unseen([&](const RunTraits& t) { return t.schedule == traits.schedule; }));
    const bool sharded = traits.zeroStage == 3;
    all.add(sharded ? ExtrapolationCode::Sharded : ExtrapolationCode::NotSharded,
        unseen([&](const RunTraits& t) { return (t.zeroStage == 3) == sharded; }));
    all.add(traits.flash ? ExtrapolationCode::FlashAttention : ExtrapolationCode::UnfusedAttention,
        unseen([&](const RunTraits& t) { return t.flash == traits.flash; }));
}

} // namespace

int unmeasuredKinds(const plan::Plan& plan)
{
    return int(std::ranges::count_if(kUnmeasured, [&](const Unmeasured& kind) { return kind.has(plan); }));
}

std::vector<Extrapolation> Evidence::extrapolations(const plan::Plan& plan, const catalog::Catalog& catalog) const
{
    const plan::SoftwareProfile& software = plan.training.software;
    Extrapolations all(plan);
    const plan::CalibratedOn* const runs = software.calibratedOn ? &*software.calibratedOn : nullptr;
    if (runs)
        all.addRuns(*runs);
    all.nameSoftware(software);
    const auto found = m_tables->stacks.find(stackOf(software));
    if (found == m_tables->stacks.end()) {
        all.add(ExtrapolationCode::Stack);
        addAccelerator(plan, *m_tables, Stack(), runs, all);
        all.addUnmeasured();
        return std::move(all).found();
    }
    if (const auto* base = found->first == software.id ? nullptr : catalog.softwareProfile(found->first))
        all.nameSoftware(*base);
    addAccelerator(plan, *m_tables, found->second, runs, all);
    all.addUnmeasured();
    addKinds(found->second, all);
    const plan::RunExtents most = runs ? runs->most : plan::RunExtents();
    for (const Extent extent : kTold)
        all.addExtent(
            extent, std::max(found->second.largest[static_cast<std::size_t>(extent)], detail::extentOf(most, extent)));
    return std::move(all).found();
}

} // namespace stratoplan::estimate
