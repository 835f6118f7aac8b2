// SPDX-License-Identifier: Apache-2.0
#include "core/split/fold_space.h"

#include "core/parallel/route.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace stratoplan::split {

/// Options of a place, of which each recomputes more than those before it.
class FoldOptions {
public:
    /// `shortest`: of those that fit, the one with least work is looked for.
    FoldOptions(double limit, double longest, bool shortest)
        : m_limit(limit)
        , m_longest(longest)
        , m_shortest(shortest)
    {
    }
    void add(const FoldOption& option)
    {
        if (m_shortest && option.bytes <= m_limit)
            m_longest = std::min(m_longest, option.terms.work);
        m_all.push_back(option);
    }
    /// Every layer more that is recomputed adds to the work: with as many as fit, or with more work than that, there is
    /// no use in more than the last one has.
    [[nodiscard]] bool moreIsUseless() const { return m_all.back().bytes <= m_limit || lastTakesTooLong(); }
    [[nodiscard]] bool lastTakesTooLong() const { return m_all.back().terms.work > m_longest; }
    [[nodiscard]] std::vector<FoldOption> all() && { return std::move(m_all); }

private:
    double m_limit, m_longest;
    bool m_shortest;
    std::vector<FoldOption> m_all;
};

FoldSplit::FoldSplit(const plan::Plan& plan, const StageSplitOptions& options, const parallel::ReplicaKind& replicas)
    : m_plan(plan)
    , m_options(options)
    , m_fleet(plan, *options.catalog)
    , m_stretch(pricing::stretch(plan, m_fleet.whole(plan.strategy).machine))
    , m_microBatches(microBatches(plan))
    , m_sends(std::size_t(plan.strategy.pp))
{
    placeStages(replicas);
    pipeline::PipelineWork work;
    work.schedule = plan.strategy.schedule;
    work.microBatches = m_microBatches;
    work.stages.resize(std::size_t(plan.strategy.pp));
    m_rules = foldedRules(work);
}

void FoldSplit::placeStages(const parallel::ReplicaKind& replicas)
{
    const int stages = m_plan.strategy.pp;
    for (int stage = 0; stage < stages; ++stage) {
        const cost::StageMachine& runsOn = m_fleet.machineOf(m_plan.strategy, stage, replicas);
        m_limits.push_back(runsOn.memory.value() * (1 - m_options.headroom));
        m_layoutOf.push_back(&m_layouts.try_emplace(&runsOn, m_plan, m_plan.strategy.tp, runsOn.machine).first->second);
    }
    m_limit = *std::ranges::max_element(m_limits);
    if (m_layouts.size() == 1)
        return;
    m_sends = sendsBetween(m_plan, m_layoutOf);
    for (auto& [runsOn, layout] : m_layouts)
        layout.deployment.sends = &m_sends;
}

ChainAnswer FoldSplit::best(const std::stop_token& stop) const
{
    return best(m_rules, stop);
}

ChainAnswer FoldSplit::best(const pipeline::FoldedRules& rules, const std::stop_token& stop) const
{
    const FoldAnswer found = bestFold(space(rules), stop);
    ChainAnswer answer{{}, found.seconds, found.proven, found.labels};
    if (found.places) {
        answer.stages.emplace(std::size_t(m_plan.strategy.pp));
        for (int place = 0; place < m_rules.places; ++place)
            put(*answer.stages, place, (*found.places)[std::size_t(place)]);
    }
    return answer;
}

std::vector<std::optional<std::vector<ChainStage>>> FoldSplit::starts(
    const ChainAnswer& best, const std::stop_token& stop) const
{
    std::vector<ChainStage> ofPlan = planSplit();
    pipeline::FoldedRules longer = m_rules;
    longer.microBatches *= kLonger;
    std::vector<std::optional<std::vector<ChainStage>>> starts{best.stages, this->best(longer, stop).stages};
    if (settle(ofPlan))
        starts.emplace_back(std::move(ofPlan));
    return starts;
}

PolishSpace FoldSplit::moves() const
{
    PolishSpace space;
    space.settle = [this](std::vector<ChainStage>& chain, std::size_t, std::size_t) { return settle(chain); };
    space.options = [](int, int, int, int) { return std::vector<StageOption>(); }; // settled with the layers
    return space;
}

StageSplit FoldSplit::split(const std::vector<ChainStage>& chain) const
{
    StageSplit split;
    parallel::Strategy s = m_plan.strategy;
    makeStagesAlike(s);
    for (std::size_t i = 0; i < chain.size(); ++i) {
        const ChainStage& stage = chain[i];
        const parallel::StageRecompute recompute = recomputeOf(stage.option.id);
        double passes = stage.option.terms.forward;
        if (m_rules.twoWay) // a micro-batch runs through one of the two chunks
            passes = (passes + chain[chain.size() - 1 - i].option.terms.forward) / 2;
        split.stages.push_back({stage.layers, {}, recompute.others, recompute.full, s.tp, s.dp, s.microBatch,
            Seconds(passes), Bytes(stage.option.bytes)});
        s.stageLayers.push_back(stage.layers);
    }
    tellRecompute(m_plan, split.stages, s);
    split.strategy = std::move(s);
    return split;
}

FoldSpace FoldSplit::space(const pipeline::FoldedRules& rules) const
{
    FoldSpace space;
    space.rules = rules;
    space.layers = m_plan.model.layers;
    space.evenly = !m_rules.twoWay;
    space.limit = m_limit;
    space.kind = [this](int first, int count) { return kind(first, count); };
    space.options = [this, &rules](
                        const FoldChunks& fold, double longest) { return options(rules, fold, longest, false); };
    std::vector<ChainStage> ofPlan = planSplit();
    space.known = settle(ofPlan) ? boundOf(rules, ofPlan) : std::numeric_limits<double>::infinity();
    return space;
}

int FoldSplit::kind(int first, int count) const
{
    std::string layers;
    for (int i = 0; i < count; ++i)
        layers += isMoeLayer(m_plan.model, first + i) ? 'e' : 'd';
    return m_kinds.try_emplace(std::move(layers), int(m_kinds.size())).first->second;
}

/// What a stage of a V recomputes, by chunk.
std::array<parallel::StageRecompute, 2> FoldSplit::sharedOut(
    const FoldChunks& fold, const parallel::StageRecompute& whole) const
{
    parallel::Strategy scratch = m_plan.strategy;
    scratch.stageRecompute.assign(std::size_t(fold.place) + 1, whole.others);
    scratch.recomputedLayers.assign(std::size_t(fold.place) + 1, whole.full);
    const std::vector<parallel::StageRecompute> chunks = chunkRecompute(scratch, fold.place, {fold.outer, fold.inner});
    return {chunks[0], chunks[1]};
}

std::vector<FoldOption> FoldSplit::options(
    const pipeline::FoldedRules& rules, const FoldChunks& fold, double longest, bool shortest) const
{
    FoldOptions found(m_limit, longest, shortest);
    if (m_options.recomputation && leastBytes(fold) > m_limit)
        found.add(option(rules, fold, {}));
    else if (m_rules.twoWay)
        addTwoWay(rules, fold, found);
    else
        addV(rules, fold, found);
    return std::move(found).all();
}

void FoldSplit::addV(const pipeline::FoldedRules& rules, const FoldChunks& fold, FoldOptions& found) const
{
    std::optional<parallel::Recompute> decided; // all that follow with these others
    for (const parallel::StageRecompute& whole :
        recomputeChoices(m_plan, m_options.recomputation, fold.place, fold.outer + fold.inner)) {
        if (decided == whole.others)
            continue;
        found.add(option(rules, fold, sharedOut(fold, whole), {idOf(whole), idOf(whole)}));
        if (found.moreIsUseless())
            decided = whole.others;
    }
}

void FoldSplit::addTwoWay(const pipeline::FoldedRules& rules, const FoldChunks& fold, FoldOptions& found) const
{
    const bool chosen = m_options.recomputation;
    std::optional<parallel::Recompute> decided; // all that follow with these others
    for (const parallel::StageRecompute& second :
        recomputeChoices(m_plan, chosen, m_plan.strategy.pp - 1 - fold.place, fold.inner)) {
        if (decided == second.others)
            continue;
        std::optional<parallel::Recompute> decidedFirst;
        for (const parallel::StageRecompute& first : recomputeChoices(m_plan, chosen, fold.place, fold.outer)) {
            if (decidedFirst == first.others)
                continue;
            found.add(option(rules, fold, {first, second}, {idOf(first), idOf(second)}));
            if (!found.moreIsUseless())
                continue;
            decidedFirst = first.others;
            // Not even the least of the first chunk's leaves time for this one.
            if (first == parallel::StageRecompute{} && found.lastTakesTooLong())
                decided = second.others;
        }
    }
}

std::array<workload::StageLayout, 2> FoldSplit::placed(
    const FoldChunks& fold, const std::array<parallel::StageRecompute, 2>& recompute) const
{
    const bool ends = fold.place == 0;
    const SplitLayout& any = layout(fold.place); // what is placed depends on no machine
    return {any.place(fold.front, fold.outer, recompute[0], ends, false),
        any.place(fold.back - fold.inner, fold.inner, recompute[1], false, ends, ends && !m_rules.twoWay)};
}

/// With the least that any recomputation keeps, whatever it needs while passes run, as if it had the most room.
double FoldSplit::leastBytes(const FoldChunks& fold) const
{
    const std::array<workload::StageLayout, 2> chunks = placed(fold,
        {parallel::StageRecompute{parallel::Recompute::Full, fold.outer},
            parallel::StageRecompute{parallel::Recompute::Full, fold.inner}});
    workload::StageLayout whole = chunks[0];
    whole += chunks[1];
    const SplitLayout& any = layout(fold.place);
    countParameters(any.plan, any.work, whole);
    const auto kept = [&](int stage, const std::vector<workload::StageLayout>& layouts) {
        const double share = cost::firstChunkShare(any.plan, any.work, layouts);
        return inMostRoom(stage, any.keptBytes(whole, cost::inFlight(any.plan.strategy, m_microBatches, stage, share)));
    };
    const double first = kept(fold.place, {chunks[0], chunks[1]});
    return m_rules.twoWay ? std::max(first, kept(m_plan.strategy.pp - 1 - fold.place, {chunks[1], chunks[0]})) : first;
}

FoldOption FoldSplit::option(const pipeline::FoldedRules& rules, const FoldChunks& fold,
    const std::array<parallel::StageRecompute, 2>& recompute, const std::array<std::int64_t, 2>& ids) const
{
    const int place = fold.place;
    const std::array<workload::StageLayout, 2> chunks = placed(fold, recompute);
    FoldOption result;
    std::vector<pipeline::FoldedStage> stages{stageOf(place, false, chunks, result)};
    if (m_rules.twoWay)
        stages.push_back(stageOf(m_plan.strategy.pp - 1 - place, true, chunks, result));
    result.terms = foldedTerms(rules, place, stages);
    result.ids = ids;
    return result;
}

pipeline::FoldedStage FoldSplit::stageOf(
    int stage, bool mirrored, const std::array<workload::StageLayout, 2>& chunks, FoldOption& option) const
{
    const parallel::Schedule schedule = m_plan.strategy.schedule;
    const std::vector<workload::StageLayout> layouts =
        mirrored ? std::vector{chunks[1], chunks[0]} : std::vector{chunks[0], chunks[1]};
    const SplitLayout& priced = layout(stage);
    const std::vector<pricing::StagePasses> passes =
        chunkCosts(priced.deployment, priced.cost, priced.work, layouts, stage);
    workload::StageLayout whole = chunks[0];
    whole += chunks[1];
    countParameters(priced.plan, priced.work, whole);
    const pricing::StagePasses joined = joinChunks(schedule, passes);
    const pipeline::StageWork work =
        stageWork(joined, endOfStep(priced.deployment, whole, joined, m_microBatches), m_stretch);
    const bool beside =
        pricing::communicationTiming(m_plan, priced.deployment.groups[parallel::RankGroup::Pipeline]).sync
        == parallel::SyncTime::Asynchronous;
    pipeline::FoldedStage result{stage, chunkWork(passes[mirrored ? 1 : 0]) * m_stretch,
        chunkWork(passes[mirrored ? 0 : 1]) * m_stretch,
        work.gradientSync / (beside ? effectiveChunks(schedule, m_plan.strategy.vpp) : 1) + work.optimizer
            + work.parameterGather};
    const double share = cost::firstChunkShare(priced.plan, priced.work, layouts);
    const double inFlight = cost::inFlight(priced.plan.strategy, m_microBatches, stage, share);
    const double held = priced.bytes(whole, inFlight, m_microBatches);
    option.held[mirrored ? 1 : 0] = held;
    option.bytes = std::max(option.bytes, inMostRoom(stage, held));
    option.passes = {
        (result.outer.forward + result.outer.backward).value(), (result.inner.forward + result.inner.backward).value()};
    return result;
}

void FoldSplit::put(std::vector<ChainStage>& chain, int place, const FoldPlace& choice) const
{
    const FoldOption& option = choice.option;
    const auto stage = [&](int layers, double passes, double bytes, std::int64_t id) {
        ChainStage result{layers, 0, {}};
        result.option.terms.forward = passes;
        result.option.bytes = bytes;
        result.option.id = id;
        return result;
    };
    ChainStage& outer = chain[std::size_t(place)];
    if (!m_rules.twoWay) {
        outer = stage(choice.outer + choice.inner, option.passes[0] + option.passes[1], option.held[0], option.ids[0]);
        return;
    }
    outer = stage(choice.outer, option.passes[0], option.held[0], option.ids[0]);
    chain[chain.size() - 1 - std::size_t(place)] = stage(choice.inner, option.passes[1], option.held[1], option.ids[1]);
}

std::vector<ChainStage> FoldSplit::planSplit() const
{
    std::vector<ChainStage> stages;
    for (const int layers : stageLayers(m_plan.strategy, m_plan.model.layers))
        stages.push_back({layers, 0, {}});
    return stages;
}

std::vector<FoldChunks> FoldSplit::chunksOf(const std::vector<ChainStage>& chain) const
{
    std::vector<FoldChunks> chunks;
    int front = 0;
    int back = m_plan.model.layers;
    for (int place = 0; place < m_rules.places; ++place) {
        const int layers = chain[std::size_t(place)].layers;
        const int outer = m_rules.twoWay ? layers : layers - layers / 2;
        const int inner = m_rules.twoWay ? chain[chain.size() - 1 - std::size_t(place)].layers : layers / 2;
        chunks.push_back({place, front, outer, back, inner});
        front += outer;
        back -= inner;
    }
    return chunks;
}

bool FoldSplit::settle(std::vector<ChainStage>& chain) const
{
    for (const FoldChunks& fold : chunksOf(chain)) {
        const auto [known, isNew] = m_shortest.try_emplace(
            {fold.place, kind(fold.front, fold.outer), kind(fold.back - fold.inner, fold.inner)});
        if (isNew) {
            const std::vector<FoldOption> fitting =
                worthwhile(options(m_rules, fold, std::numeric_limits<double>::infinity(), true), m_limit);
            const auto shorter = [](const FoldOption& a, const FoldOption& b) { return a.terms.work < b.terms.work; };
            if (!fitting.empty())
                known->second = *std::min_element(fitting.begin(), fitting.end(), shorter);
        }
        if (!known->second)
            return false;
        put(chain, fold.place, {fold.outer, fold.inner, *known->second});
    }
    return true;
}

double FoldSplit::boundOf(const pipeline::FoldedRules& rules, const std::vector<ChainStage>& chain) const
{
    pipeline::FoldedPrefix prefix;
    for (const FoldChunks& fold : chunksOf(chain)) {
        const parallel::StageRecompute first = recomputeOf(chain[std::size_t(fold.place)].option.id);
        const parallel::StageRecompute second =
            recomputeOf(chain[chain.size() - 1 - std::size_t(fold.place)].option.id);
        const auto recompute = m_rules.twoWay ? std::array{first, second} : sharedOut(fold, first);
        prefix = extended(rules, fold.place, prefix, option(rules, fold, recompute).terms);
    }
    return prefix.longest;
}

} // namespace stratoplan::split
