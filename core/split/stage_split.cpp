// SPDX-License-Identifier: Apache-2.0
#include "core/split/stage_split.h"

#include "core/cost/fleet.h"
#include "core/cost/resharding.h"
#include "core/parallel/route.h"
#include "core/pricing/limits.h"
#include "core/pricing/priced_stages.h"
#include "core/pricing/pricing_context.h"
#include "core/split/fold_space.h"
#include "core/split/split_chain.h"
#include "core/split/split_layout.h"
#include "core/split/split_polish.h"

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <utility>

namespace stratoplan::split {
namespace {

/// The chain whose slowest stage is fastest: the least step of a pipeline so long that nothing else counts, but among
/// equals.
std::optional<std::vector<ChainStage>> balanced(ChainSpace chain, const std::stop_token& stop)
{
    chain.rules.microBatches *= kLonger;
    chain.rules.weightsBefore *= kLonger;
    return bestChain(chain, stop).stages;
}

/// What there is to choose from, priced as an estimate prices it.
class ChainSplit {
public:
    /// `replicas`: those of one kind; by default each stage waits for the slowest of all its ranks.
    ChainSplit(const plan::Plan& plan, const StageSplitOptions& options, const parallel::ReplicaKind& replicas = {})
        : m_plan(plan)
        , m_options(options)
        , m_fleet(plan, *options.catalog)
        , m_ofAllRanks(m_fleet.whole(plan.strategy))
        , m_stretch(pricing::stretch(plan, m_ofAllRanks.machine))
        , m_microBatches(microBatches(plan))
        , m_sends(std::size_t(plan.strategy.pp))
    {
        for (int stage = 0; stage < plan.strategy.pp; ++stage)
            m_machines.push_back(&m_fleet.machineOf(plan.strategy, stage, replicas));
        std::map<int, const cost::StageMachine*> machines; // by number
        for (const cost::StageMachine* runsOn : m_machines)
            machines.emplace(runsOn->number, runsOn);
        for (const int tp : degrees())
            for (const auto& [number, runsOn] : machines)
                m_layouts.push_back(std::make_unique<SplitLayout>(plan, tp, runsOn->machine));
        findSends();
        for (int upper = 0; upper + 1 < plan.strategy.pp; ++upper)
            for (const auto& above : m_layouts)
                for (const auto& below : m_layouts)
                    m_boundaries.push_back(boundary(upper, *above, *below));
    }

    [[nodiscard]] ChainSpace chain() const
    {
        const parallel::Strategy& s = m_plan.strategy;
        ChainSpace space;
        space.rules = chainRules(shell());
        space.stages = s.pp;
        space.layers = m_plan.model.layers;
        space.layouts = int(m_layouts.size());
        for (const cost::StageMachine* runsOn : m_machines)
            space.limits.push_back(runsOn->memory.value() * (1 - m_options.headroom));
        space.options = [this](int stage, int first, int count, int layout) {
            return options(stage, first, count, layout);
        };
        space.boundary = [this](int upper, int above, int below) {
            return m_boundaries[(std::size_t(upper) * m_layouts.size() + std::size_t(above)) * m_layouts.size()
                + std::size_t(below)];
        };
        space.alikeLayers = layerCounts(m_plan.model).dense == 0 || layerCounts(m_plan.model).moe == 0;
        space.lastOf = lastOf();
        return space;
    }

    /// The plan's own split; nothing where a stage has no place for it.
    [[nodiscard]] std::optional<std::vector<ChainStage>> planSplit(const ChainSpace& space) const
    {
        std::vector<ChainStage> chain;
        int first = 0;
        const std::vector<int> layers = stageLayers(m_plan.strategy, m_plan.model.layers);
        for (int stage = 0; stage < m_plan.strategy.pp; first += layers[std::size_t(stage)], ++stage) {
            const int count = layers[std::size_t(stage)];
            const auto layout = std::find_if(m_layouts.begin(), m_layouts.end(), [&](const auto& candidate) {
                return runs(stage, *candidate)
                    && candidate->plan.strategy.tp == stageStrategy(m_plan.strategy, stage).tp;
            });
            parallel::StageRecompute recompute = stageRecompute(m_plan.strategy, stage);
            if (m_options.recomputation && recompute.others == parallel::Recompute::Full)
                recompute = {parallel::Recompute::None, count};
            const StageOption asStated = option(**layout, stage, first, count, recompute);
            if (asStated.bytes > space.limitOf(stage))
                return std::nullopt;
            chain.push_back({count, int(layout - m_layouts.begin()), asStated});
        }
        return chain;
    }

    [[nodiscard]] StageSplit split(const std::vector<ChainStage>& chain) const
    {
        StageSplit split;
        parallel::Strategy s = m_plan.strategy;
        makeStagesAlike(s);
        for (const ChainStage& stage : chain) {
            const parallel::StageRecompute recompute = recomputeOf(stage.option.id);
            const parallel::Strategy& strategy = m_layouts[std::size_t(stage.layout)]->plan.strategy;
            split.stages.push_back(
                {stage.layers, {}, recompute.others, recompute.full, strategy.tp, strategy.dp, strategy.microBatch,
                    Seconds(stage.option.terms.forward + stage.option.terms.backward), Bytes(stage.option.bytes)});
            s.stageLayers.push_back(stage.layers);
            s.stageTp.push_back(strategy.tp);
        }
        tellRecompute(m_plan, split.stages, s);
        if (std::all_of(s.stageTp.begin(), s.stageTp.end(), [&](int tp) { return tp == s.tp; }))
            s.stageTp.clear();
        split.strategy = std::move(s);
        return split;
    }

    [[nodiscard]] ChainAnswer best(const std::stop_token& stop) const { return bestChain(chain(), stop); }
    /// Chains to polish: the least bound, the plan's own split, and the one whose slowest stage is fastest.
    [[nodiscard]] std::vector<std::optional<std::vector<ChainStage>>> starts(
        const ChainAnswer& best, const std::stop_token& stop) const
    {
        const ChainSpace space = chain();
        return {best.stages, planSplit(space), balanced(space, stop)};
    }
    [[nodiscard]] PolishSpace moves() const
    {
        PolishSpace space;
        space.options = [chain = chain()](int stage, int first, int count, int layout) {
            return worthwhile(chain.options(stage, first, count, layout), chain.limitOf(stage));
        };
        space.settle = [options = space.options](std::vector<ChainStage>& chain, std::size_t from, std::size_t to) {
            int first = 0;
            for (std::size_t i = 0; i <= to; first += chain[i].layers, ++i)
                if (i >= from && !takeFastest(chain[i], options(int(i), first, chain[i].layers, chain[i].layout)))
                    return false;
            return true;
        };
        space.layouts = int(m_layouts.size());
        space.lastOf = lastOf();
        return space;
    }

private:
    /// Where stages may have one layout or another, what a boundary costs is added when both sides are known.
    void findSends()
    {
        m_choosesLayouts = m_options.tensorParallel || !m_plan.strategy.stageTp.empty();
        if (m_layouts.size() == 1)
            return;
        if (!m_choosesLayouts) {
            std::vector<const SplitLayout*> ofStage;
            for (int stage = 0; stage < m_plan.strategy.pp; ++stage)
                ofStage.push_back(
                    std::ranges::find_if(m_layouts, [&](const auto& layout) { return runs(stage, *layout); })->get());
            m_sends = sendsBetween(m_plan, ofStage);
        }
        for (const auto& layout : m_layouts)
            layout->deployment.sends = &m_sends;
    }

    /// The pipeline without its stages' work: what sets its rules.
    [[nodiscard]] pipeline::PipelineWork shell() const
    {
        const parallel::Strategy& s = m_plan.strategy;
        pipeline::PipelineWork work;
        work.schedule = s.schedule;
        work.microBatches = m_microBatches;
        work.chunks = s.vpp;
        work.limit = s.inFlightLimit;
        work.timing = pricing::communicationTiming(
            m_plan, parallel::span(s, parallel::RankGroup::Pipeline, m_ofAllRanks.machine.topology));
        work.stages.resize(std::size_t(s.pp));
        return work;
    }

    /// TP of the stages: the plan's, or all that its rules allow inside a scale-up domain.
    [[nodiscard]] std::vector<int> degrees() const
    {
        const parallel::Strategy& s = m_plan.strategy;
        std::set<int> degrees(s.stageTp.begin(), s.stageTp.end());
        if (degrees.empty())
            degrees.insert(s.tp);
        int most = s.tp;
        for (const cost::StageMachine* runsOn : m_machines)
            most = std::max(most, runsOn->machine.domain);
        plan::Plan scratch = m_plan;
        for (int tp = 1; m_options.tensorParallel && tp <= most; ++tp) {
            scratch.strategy.stageTp.assign(std::size_t(s.pp), tp);
            if (!hasErrors(check(scratch, {.remedies = false})))
                degrees.insert(tp);
        }
        return {degrees.begin(), degrees.end()};
    }

    [[nodiscard]] bool runs(int stage, const SplitLayout& layout) const
    {
        return &layout.deployment.machine == &m_machines[std::size_t(stage)]->machine;
    }
    /// Where TP is not chosen a stage has its own.
    [[nodiscard]] bool allows(int stage, const SplitLayout& layout) const
    {
        if (!runs(stage, layout))
            return false;
        return m_options.tensorParallel || layout.plan.strategy.tp == stageStrategy(m_plan.strategy, stage).tp;
    }

    /// Stages that share embeddings share them out alike: their TP is one, whatever nodes they run on.
    [[nodiscard]] std::vector<int> lastOf() const
    {
        std::vector<int> last;
        if (!m_plan.model.tiedEmbeddings || m_plan.strategy.pp == 1 || !m_choosesLayouts)
            return last;
        for (const auto& first : m_layouts) {
            const auto isOfTp = [&](const auto& layout) {
                return runs(m_plan.strategy.pp - 1, *layout) && layout->plan.strategy.tp == first->plan.strategy.tp;
            };
            last.push_back(int(std::ranges::find_if(m_layouts, isOfTp) - m_layouts.begin()));
        }
        return last;
    }

    [[nodiscard]] std::vector<StageOption> options(int stage, int first, int count, int layout) const
    {
        const SplitLayout& splitLayout = *m_layouts[std::size_t(layout)];
        std::vector<StageOption> result;
        if (!allows(stage, splitLayout))
            return result;
        for (const parallel::StageRecompute& recompute :
            recomputeChoices(m_plan, m_options.recomputation, stage, count))
            result.push_back(option(splitLayout, stage, first, count, recompute));
        return result;
    }

    [[nodiscard]] StageOption option(const SplitLayout& splitLayout, int stage, int first, int count,
        const parallel::StageRecompute& recompute) const
    {
        const workload::StageLayout layout =
            splitLayout.place(first, count, recompute, stage == 0, stage == m_plan.strategy.pp - 1);
        const std::vector<pricing::StagePasses> ofChunks = chunkPasses(splitLayout, stage, first, count, recompute);
        const pricing::StagePasses passes = joinChunks(m_plan.strategy.schedule, ofChunks);
        const pipeline::StageWork work =
            stageWork(passes, endOfStep(splitLayout.deployment, layout, passes, m_microBatches), m_stretch);
        const pipeline::ChunkWork firstChunk = chunkWork(ofChunks.front()) * m_stretch;
        pipeline::ChunkWork quickest = firstChunk;
        for (const pricing::StagePasses& chunk : ofChunks)
            quicken(quickest, chunkWork(chunk) * m_stretch);
        const bool beside =
            pricing::communicationTiming(m_plan, splitLayout.deployment.groups[parallel::RankGroup::Pipeline]).sync
            == parallel::SyncTime::Asynchronous;
        const double chunks = beside ? effectiveChunks(m_plan.strategy.schedule, m_plan.strategy.vpp) : 1;
        StageOption result;
        result.terms = {work.forward.value(), work.backward.value(), work.weightGradient.value(),
            work.gradientSync.value() / chunks, (work.optimizer + work.parameterGather).value()};
        countChunks(int(ofChunks.size()), firstChunk, quickest, result.terms);
        result.bytes =
            splitLayout.bytes(layout, cost::inFlight(splitLayout.plan.strategy, m_microBatches, stage), m_microBatches);
        result.id = idOf(recompute);
        return result;
    }

    /// A micro-batch through each chunk of the stage. Several chunks have layers from all over the model, which are all
    /// of one kind.
    [[nodiscard]] std::vector<pricing::StagePasses> chunkPasses(const SplitLayout& splitLayout, int stage, int first,
        int count, const parallel::StageRecompute& recompute) const
    {
        const parallel::Strategy& s = splitLayout.plan.strategy;
        std::vector<int> perStage(std::size_t(s.pp));
        perStage[std::size_t(stage)] = count;
        const std::vector<int> layers = chunkLayers(s, perStage, stage);
        const std::vector<parallel::StageRecompute> recomputed = shareRecompute(recompute, layers);
        std::vector<workload::StageLayout> layouts;
        for (std::size_t c = 0; c < layers.size(); ++c)
            layouts.push_back(splitLayout.place(first, layers[c], recomputed[c], stage == 0 && c == 0,
                stage == s.pp - 1 && c + 1 == layers.size(), s.pp == 1));
        return chunkCosts(splitLayout.deployment, splitLayout.cost, splitLayout.work, layouts, stage);
    }

    [[nodiscard]] BoundaryTerms boundary(int upper, const SplitLayout& above, const SplitLayout& below) const
    {
        const cost::BoundaryEnd upperEnd{above.deployment, above.work.boundary};
        const cost::BoundaryEnd lowerEnd{below.deployment, below.work.boundary};
        const parallel::ReshardMethod method = m_plan.training.software.resharding;
        const cost::BoundaryTransfer transferDown = boundaryTransfer(upperEnd, lowerEnd, upper, method);
        const cost::BoundaryTransfer transferUp = boundaryTransfer(lowerEnd, upperEnd, upper, method);
        const double down = transferDown.transfer.value() * m_stretch;
        const double up = transferUp.transfer.value() * m_stretch;
        const double blocking = pricing::blockingShare(m_plan);
        const bool apart = m_layouts.size() > 1 && m_choosesLayouts; // else the options have it
        return {apart ? down * blocking : 0, apart ? up * blocking : 0, down * (1 - blocking), up * (1 - blocking),
            transferDown.gather.value() * m_stretch, transferUp.gather.value() * m_stretch};
    }

    const plan::Plan& m_plan;
    const StageSplitOptions& m_options;
    cost::Fleet m_fleet;
    const cost::StageMachine& m_ofAllRanks;
    double m_stretch;
    int m_microBatches;
    cost::StageSends m_sends; ///< of stages that are unlike; none where they may still be chosen
    bool m_choosesLayouts = false;
    std::vector<const cost::StageMachine*> m_machines; ///< by stage
    std::vector<std::unique_ptr<SplitLayout>> m_layouts;
    std::vector<BoundaryTerms> m_boundaries; ///< by upper stage, its layout, and the lower one's
};

std::optional<plan::Problem> outside(const plan::Plan& plan, const StageSplitOptions& options)
{
    const parallel::Strategy& s = plan.strategy;
    plan::Problem problem;
    problem.code = plan::ProblemCode::NotEstimable;
    const auto because = [&](const char* where, plan::ProblemCause cause) {
        problem.where = where;
        problem.cause = cause;
        return problem;
    };
    if (pricing::dividesLayers(s))
        return because("/strategy/tensor_partition", plan::ProblemCause::DividedLayers);
    if (vocabularyStages(s) > 1)
        return because("/strategy/vocabulary_placement", plan::ProblemCause::DividedVocabulary);
    if (s.schedule == parallel::Schedule::ZbAuto && s.inFlightLimit == 0) {
        problem.detail = key(s.schedule);
        return because("/strategy/in_flight_limit", plan::ProblemCause::OpenLimit);
    }
    const model::LayerCounts counts = layerCounts(plan.model);
    if (s.vpp > 1 && counts.dense > 0 && counts.moe > 0)
        return because("/strategy/vpp", plan::ProblemCause::UnlikeLayers);
    if (effectiveChunks(s.schedule, s.vpp) > 1 && (options.tensorParallel || !s.stageTp.empty()))
        return because(s.vpp > 1 ? "/strategy/vpp" : "/strategy/schedule", plan::ProblemCause::Chunks);
    return std::nullopt;
}

/// The best of what several chains lead to.
template <class Price>
std::vector<ChainStage> polishedFrom(const std::vector<std::optional<std::vector<ChainStage>>>& starts,
    PolishSpace moves, Price price, const std::stop_token& stop)
{
    moves.seconds = [&](const std::vector<ChainStage>& stages, double known) {
        // No simulation undercuts its bound.
        const bool slower = price(stages, pricing::PipelineTime::Bound) > known;
        return slower ? std::numeric_limits<double>::infinity() : price(stages, pricing::PipelineTime::Simulated);
    };
    std::vector<ChainStage> best;
    double least = std::numeric_limits<double>::infinity();
    for (const auto& start : starts) {
        if (!start)
            continue;
        std::vector<ChainStage> other = polished(*start, moves, stop);
        const double seconds = price(other, pricing::PipelineTime::Simulated);
        if (best.empty() || seconds < least) {
            best = std::move(other);
            least = seconds;
        }
    }
    return best;
}

/// Where replicas run alike, there is one kind, which is all of them.
std::vector<parallel::ReplicaKind> replicaKinds(const plan::Plan& plan, const StageSplitOptions& options)
{
    return cost::Fleet(plan, *options.catalog).replicaKinds(plan.strategy, plan.training.software);
}

/// The least bound that every kind of replica has alone: what all of them share has none below the greatest of those.
/// Of no stages: some kind has no split that fits.
template <class Space>
ChainAnswer bound(const plan::Plan& plan, const StageSplitOptions& options,
    const std::vector<parallel::ReplicaKind>& kinds, const std::stop_token& stop)
{
    ChainAnswer greatest;
    greatest.proven = true;
    greatest.stages.emplace();
    for (const parallel::ReplicaKind& kind : kinds) {
        plan::Plan ofKind = plan;
        ofKind.strategy = ofReplicas(plan.strategy, kind);
        const ChainAnswer answer = Space(ofKind, options, kind).best(stop);
        greatest.seconds = std::max(greatest.seconds, answer.seconds);
        greatest.proven = greatest.proven && answer.proven;
        if (!answer.stages)
            greatest.stages.reset();
        greatest.labels += answer.labels;
    }
    return greatest;
}

template <class Space>
StageSplit solve(const plan::Plan& plan, const StageSplitOptions& options, const std::stop_token& stop)
{
    const Space space(plan, options);
    ChainAnswer answer = space.best(stop);
    StageSplit split;
    if (answer.stages) {
        pricing::PricingContext pricing(plan, *options.catalog);
        const auto seconds = [&](const std::vector<ChainStage>& stages, pricing::PipelineTime time) {
            const auto priced = price(pricing, *space.split(stages).strategy, time);
            return priced ? priced->step.value() : std::numeric_limits<double>::infinity();
        };
        const std::vector<ChainStage> best =
            options.polish ? polishedFrom(space.starts(answer, stop), space.moves(), seconds, stop) : *answer.stages;
        split = space.split(best);
        split.step = Seconds(seconds(best, pricing::PipelineTime::Simulated));
        const int chunks = effectiveChunks(plan.strategy.schedule, plan.strategy.vpp);
        for (std::size_t i = 0; chunks > 1 && i < split.stages.size(); ++i)
            split.stages[i].chunks = chunkLayers(*split.strategy, plan.model.layers, int(i));
    }
    if (const auto kinds = replicaKinds(plan, options); kinds.size() > 1) {
        // A split that fits each kind was not looked for: the one looked for fits as if all were one.
        const bool wasFound = answer.stages.has_value();
        answer = bound<Space>(plan, options, kinds, stop);
        answer.proven = answer.proven && (wasFound || !answer.stages);
    }
    split.proven = answer.proven;
    split.labels = answer.labels;
    split.bound = Seconds(answer.seconds);
    return split;
}

} // namespace

tl::expected<StageSplit, std::vector<plan::Problem>> splitStages(
    const plan::Plan& plan, const StageSplitOptions& options, const std::stop_token& stop)
{
    std::vector<plan::Problem> problems = check(plan, {.remedies = false});
    if (hasErrors(problems))
        return tl::unexpected(std::move(problems));
    if (std::vector<plan::Problem> reasons = pricing::notEstimable(plan); !reasons.empty())
        return tl::unexpected(std::move(reasons));
    if (const auto problem = outside(plan, options))
        return tl::unexpected(std::vector{*problem});
    return shape(plan.strategy.schedule) == parallel::PipelineShape::Loop ? solve<ChainSplit>(plan, options, stop)
                                                                          : solve<FoldSplit>(plan, options, stop);
}

} // namespace stratoplan::split
