// SPDX-License-Identifier: Apache-2.0
#include "core/search/stage_split.h"

#include "core/cost/host_memory.h"
#include "core/cost/resharding.h"
#include "core/estimate/limits.h"
#include "core/estimate/priced_stages.h"
#include "core/estimate/strategy_pricer.h"
#include "core/parallel/route.h"
#include "core/search/split_polish.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <set>
#include <utility>

namespace stratoplan {
namespace {

/// All stages with one TP, and every kind of recomputation priced.
struct Layout {
    Layout(const Plan& itsPlan, int tp, const Machine& machine)
        : plan(withTp(itsPlan, tp))
        , work(lowerMicroBatch(plan))
        , deployment(plan, machine)
    {
        Plan kind = plan;
        for (const Recompute recompute : kAllRecompute) {
            recomputeAll(kind.strategy, recompute);
            const Deployment ofKind(kind, machine, deployment.groups);
            MicroBatchCost own = microBatchCost(ofKind, work);
            addShardTraffic(ofKind, work, own);
            own.mixed = std::move(cost.mixed);
            own.mixed.insert(own.mixed.end(), {own.dense, own.moe});
            cost = std::move(own);
        }
    }

    static Plan withTp(const Plan& plan, int tp)
    {
        Plan own = plan;
        own.strategy.stageTp.assign(std::size_t(plan.strategy.pp), tp);
        own.strategy = stageStrategy(own.strategy, 0);
        own.strategy.stageLayers.clear();
        return own;
    }

    Plan plan;
    MicroBatchWork work;
    Deployment deployment; ///< refers to the plan
    MicroBatchCost cost;   ///< shard traffic included
};

/// What there is to choose from, priced as an estimate prices it.
class SplitSpace {
public:
    SplitSpace(const Plan& plan, const StageSplitOptions& options)
        : m_plan(plan)
        , m_options(options)
        , m_machine(machine(plan))
        , m_stretch(stretch(plan, m_machine))
        , m_microBatches(microBatches(plan))
        , m_noSends{std::vector<Seconds>(std::size_t(plan.strategy.pp)), std::vector<Seconds>(std::size_t(plan.strategy.pp))}
    {
        for (const int tp : degrees())
            m_layouts.push_back(std::make_unique<Layout>(plan, tp, m_machine));
        // Where stages may differ, what a boundary costs is added when both sides are known.
        for (const auto& layout : m_layouts)
            layout->deployment.sends = m_layouts.size() > 1 ? &m_noSends : nullptr;
        for (int upper = 0; upper + 1 < plan.strategy.pp; ++upper)
            for (const auto& above : m_layouts)
                for (const auto& below : m_layouts)
                    m_boundaries.push_back(boundary(upper, *above, *below));
    }

    [[nodiscard]] ChainSpace chain() const
    {
        const Strategy& s = m_plan.strategy;
        ChainSpace space;
        space.rules.microBatches = m_microBatches;
        space.rules.firstChunk = 1.0 / effectiveChunks(s.schedule, s.vpp);
        space.rules.splits = splitsBackward(s.schedule);
        space.rules.staggers = staggersSteps(s.schedule);
        if (space.rules.splits)
            space.rules.weightsBefore = m_microBatches - zeroBubbleLimit(s.schedule, s.pp, m_microBatches, 0, s.inFlightLimit);
        space.stages = s.pp;
        space.layers = m_plan.model.layers;
        space.layouts = int(m_layouts.size());
        space.limit = smallestMemory(m_plan.cluster).value() * (1 - m_options.headroom);
        space.options = [this](int stage, int first, int count, int layout) { return options(stage, first, count, layout); };
        space.boundary = [this](int upper, int above, int below) {
            return m_boundaries[(std::size_t(upper) * m_layouts.size() + std::size_t(above)) * m_layouts.size() + std::size_t(below)];
        };
        space.alikeLayers = layerCounts(m_plan.model).dense == 0 || layerCounts(m_plan.model).moe == 0;
        space.sameEnds = m_plan.model.tiedEmbeddings && s.pp > 1;
        return space;
    }

    /// The plan's own split; nothing where a stage has no place for it.
    [[nodiscard]] std::optional<std::vector<ChainStage>> own(double limit) const
    {
        std::vector<ChainStage> chain;
        int first = 0;
        const std::vector<int> layers = stageLayers(m_plan.strategy, m_plan.model.layers);
        for (int stage = 0; stage < m_plan.strategy.pp; first += layers[std::size_t(stage)], ++stage) {
            const int count = layers[std::size_t(stage)];
            const auto layout = std::find_if(m_layouts.begin(), m_layouts.end(), [&](const auto& candidate) {
                return candidate->plan.strategy.tp == stageStrategy(m_plan.strategy, stage).tp;
            });
            StageRecompute recompute = stageRecompute(m_plan.strategy, stage);
            if (m_options.recomputation && recompute.others == Recompute::Full)
                recompute = {Recompute::None, count};
            const StageOption asTold = option(**layout, stage, first, count, recompute);
            if (asTold.bytes > limit)
                return std::nullopt;
            chain.push_back({count, int(layout - m_layouts.begin()), asTold});
        }
        return chain;
    }

    [[nodiscard]] StageSplit told(const std::vector<ChainStage>& chain) const
    {
        StageSplit split;
        Strategy s = m_plan.strategy;
        makeStagesAlike(s);
        for (const ChainStage& stage : chain) {
            const StageRecompute recompute = recomputeOf(stage.option.id);
            const Strategy& own = m_layouts[std::size_t(stage.layout)]->plan.strategy;
            split.stages.push_back({stage.layers, recompute.others, recompute.full, own.tp, own.dp, own.microBatch,
                Seconds(stage.option.terms.forward + stage.option.terms.backward), Bytes(stage.option.bytes)});
            s.stageLayers.push_back(stage.layers);
            s.stageTp.push_back(own.tp);
        }
        tellRecompute(split.stages, s);
        if (std::all_of(s.stageTp.begin(), s.stageTp.end(), [&](int tp) { return tp == s.tp; }))
            s.stageTp.clear();
        split.strategy = std::move(s);
        return split;
    }

private:
    /// TP of the stages: the plan's, or all that its rules allow inside a scale-up domain.
    [[nodiscard]] std::vector<int> degrees() const
    {
        const Strategy& s = m_plan.strategy;
        std::set<int> degrees(s.stageTp.begin(), s.stageTp.end());
        if (degrees.empty())
            degrees.insert(s.tp);
        const int most = std::max(s.tp, m_machine.domain);
        Plan scratch = m_plan;
        for (int tp = 1; m_options.tensorParallel && tp <= most; ++tp) {
            scratch.strategy.stageTp.assign(std::size_t(s.pp), tp);
            if (!hasErrors(check(scratch, {.remedies = false})))
                degrees.insert(tp);
        }
        return {degrees.begin(), degrees.end()};
    }

    /// Where TP is not chosen a stage has its own.
    [[nodiscard]] bool allows(int stage, const Layout& layout) const
    {
        return m_options.tensorParallel || layout.plan.strategy.tp == stageStrategy(m_plan.strategy, stage).tp;
    }

    static std::int64_t idOf(const StageRecompute& recompute) { return std::int64_t{recompute.full} * 4 + int(recompute.others); }
    static StageRecompute recomputeOf(std::int64_t id) { return {static_cast<Recompute>(id % 4), int(id / 4)}; }

    [[nodiscard]] std::vector<StageOption> options(int stage, int first, int count, int layout) const
    {
        const Layout& own = *m_layouts[std::size_t(layout)];
        std::vector<StageOption> result;
        if (!allows(stage, own))
            return result;
        if (!m_options.recomputation) {
            StageRecompute asTold = stageRecompute(m_plan.strategy, stage);
            asTold.full = std::min(asTold.full, count);
            result.push_back(option(own, stage, first, count, asTold));
            return result;
        }
        // Of flash attention there is no core to keep.
        const Training& training = m_plan.training;
        const bool selects
            = training.attention != AttentionKernel::Flash || training.software.selectiveRecompute != SelectiveRecompute::AttentionCore;
        for (const Recompute others : {Recompute::None, Recompute::Selective})
            for (int full = 0; full <= count && (selects || others == Recompute::None); ++full)
                result.push_back(option(own, stage, first, count, {others, full}));
        return result;
    }

    [[nodiscard]] StageLayout layoutOf(int stage, int first, int count, const StageRecompute& recompute) const
    {
        StageLayout layout;
        layout.recomputed.emplace();
        const auto place = [&](int layer, Recompute kind) {
            const bool moe = isMoeLayer(m_plan.model, layer);
            ++(moe ? layout.moeLayers : layout.denseLayers);
            ++(moe ? layout.recomputed->moe : layout.recomputed->dense)[std::size_t(kind)];
        };
        for (int i = 0; i < count; ++i)
            place(first + i, i < recompute.full ? Recompute::Full : recompute.others);
        layout.embedding = stage == 0;
        layout.head = stage == m_plan.strategy.pp - 1;
        layout.predictionModules = layout.head ? m_plan.model.multiTokenPredictionDepth : 0;
        for (int i = 0; i < layout.predictionModules; ++i)
            place(m_plan.model.layers + i, recompute.others);
        return layout;
    }

    [[nodiscard]] StageOption option(const Layout& own, int stage, int first, int count, const StageRecompute& recompute) const
    {
        StageLayout layout = layoutOf(stage, first, count, recompute);
        countParameters(own.plan, own.work, layout);
        const StagePasses passes = stagePasses(own.deployment, own.cost, layout, own.work.boundary, stage);
        const StageWork work = stageWork(passes, endOfStep(own.deployment, layout, passes, m_microBatches), m_stretch);
        const bool beside = communicationTiming(m_plan, own.deployment.groups[RankGroup::Pipeline]).sync == SyncTime::Asynchronous;
        const double chunks = beside ? effectiveChunks(m_plan.strategy.schedule, m_plan.strategy.vpp) : 1;
        StageOption result;
        result.terms = {work.forward.value(), work.backward.value(), work.weightGradient.value(),
            work.gradientSync.value() / chunks + work.optimizer.value(), 0, 0};
        LifetimeBytes bytes = passBytes(own.plan, own.work, layout);
        bytes += parameterBytes(own.plan, own.work, layout);
        const Strategy& s = own.plan.strategy;
        const double held = inFlight(s, m_microBatches, stage);
        const Peak most = peak(bytes, held, lossesInFlight(s.schedule, m_microBatches));
        result.bytes = (bytes.step + most.activations + most.above).value();
        if (const HostBytes host = hostBytes(own.plan, own.work, layout); host.step + host.microBatch * held > m_machine.hostCapacity)
            result.bytes = std::numeric_limits<double>::infinity(); // no accelerator memory makes up for the host's
        result.id = idOf(recompute);
        return result;
    }

    [[nodiscard]] BoundaryTerms boundary(int upper, const Layout& above, const Layout& below) const
    {
        const BoundaryEnd upperEnd{above.deployment, above.work.boundary};
        const BoundaryEnd lowerEnd{below.deployment, below.work.boundary};
        const ReshardMethod method = m_plan.training.software.resharding;
        const double down = boundaryTransfer(upperEnd, lowerEnd, upper, method).total().value() * m_stretch;
        const double up = boundaryTransfer(lowerEnd, upperEnd, upper, method).total().value() * m_stretch;
        const double blocking = blockingShare(m_plan);
        const bool apart = m_layouts.size() > 1; // else the options have it
        return {apart ? down * blocking : 0, apart ? up * blocking : 0, down * (1 - blocking), up * (1 - blocking)};
    }

    /// As few words as say it: one kind for all where that does.
    void tellRecompute(const std::vector<SplitStage>& stages, Strategy& s) const
    {
        const auto whole = [](const SplitStage& stage) { return stage.others == Recompute::None && stage.recomputedLayers == stage.layers; };
        if (m_plan.model.multiTokenPredictionDepth == 0 && std::all_of(stages.begin(), stages.end(), whole)) {
            s.recompute = Recompute::Full;
            return;
        }
        const bool part = std::any_of(stages.begin(), stages.end(), [](const SplitStage& stage) { return stage.recomputedLayers > 0; });
        const auto kindOf = [&](const SplitStage& stage) { return stage.others == Recompute::None && part ? Recompute::Full : stage.others; };
        const auto likeTheFirst = [&](const SplitStage& stage) { return kindOf(stage) == kindOf(stages.front()); };
        const bool alike = std::all_of(stages.begin(), stages.end(), likeTheFirst);
        s.recompute = kindOf(stages.front());
        for (const SplitStage& stage : stages) {
            if (!alike)
                s.stageRecompute.push_back(kindOf(stage));
            if (part)
                s.recomputedLayers.push_back(stage.recomputedLayers);
        }
    }

    const Plan& m_plan;
    const StageSplitOptions& m_options;
    Machine m_machine;
    double m_stretch;
    int m_microBatches;
    StageSends m_noSends;
    std::vector<std::unique_ptr<Layout>> m_layouts;
    std::vector<BoundaryTerms> m_boundaries; ///< by upper stage, its layout, and the lower one's
};

std::optional<Problem> outside(const Plan& plan, const StageSplitOptions& options)
{
    const Strategy& s = plan.strategy;
    Problem problem;
    problem.code = ProblemCode::NotEstimable;
    const auto because = [&](const char* where, std::string detail) {
        problem.where = where;
        problem.detail = std::move(detail);
        return problem;
    };
    if (shape(s.schedule) != PipelineShape::Loop)
        return because("/strategy/schedule",
            "the split of " + std::string(key(s.schedule)) + " has no closed form to minimise; use a schedule in one direction");
    if (vocabularyStages(s) > 1)
        return because("/strategy/vocabulary_placement",
            "a vocabulary divided over the stages leaves no closed form to minimise; use \"ends\"");
    if (s.schedule == Schedule::ZbAuto && s.inFlightLimit == 0)
        return because("/strategy/in_flight_limit",
            "the memory of a split decides how many micro-batches " + std::string(key(s.schedule)) + " holds; give it a limit");
    const LayerCounts counts = layerCounts(plan.model);
    if (s.vpp > 1 && counts.dense > 0 && counts.moe > 0)
        return because("/strategy/vpp",
            "stages of several chunks have layers from all over the model, and these are unlike; use one virtual stage");
    if (s.vpp > 1 && (options.tensorParallel || !s.stageTp.empty()))
        return because("/strategy/vpp", "a TP per stage is chosen with one virtual stage only");
    return std::nullopt;
}

/// The chain whose slowest stage is fastest: the least closed form of a pipeline so long that nothing else counts, but among equals.
std::optional<std::vector<ChainStage>> balanced(ChainSpace chain, const std::stop_token& stop)
{
    constexpr double kLonger = 1000;
    chain.rules.microBatches *= kLonger;
    chain.rules.weightsBefore *= kLonger;
    return bestChain(chain, stop).stages;
}

/// The best of what several chains lead to.
template <class Price>
std::vector<ChainStage> polishedFrom(
    const std::vector<std::optional<std::vector<ChainStage>>>& starts, const ChainSpace& chain, Price price, const std::stop_token& stop)
{
    PolishSpace space;
    space.options = [&](int stage, int first, int count, int layout) {
        return worthwhile(chain.options(stage, first, count, layout), chain.limit);
    };
    space.layouts = chain.layouts;
    space.sameEnds = chain.sameEnds;
    space.seconds = [&](const std::vector<ChainStage>& stages, double known) {
        // No simulation undercuts its closed form.
        const bool slower = price(stages, PipelineTime::ClosedForm) > known;
        return slower ? std::numeric_limits<double>::infinity() : price(stages, PipelineTime::Simulated);
    };
    std::vector<ChainStage> best;
    double least = std::numeric_limits<double>::infinity();
    for (const auto& start : starts) {
        if (!start)
            continue;
        std::vector<ChainStage> other = polished(*start, space, stop);
        const double seconds = price(other, PipelineTime::Simulated);
        if (best.empty() || seconds < least) {
            best = std::move(other);
            least = seconds;
        }
    }
    return best;
}

} // namespace

tl::expected<StageSplit, std::vector<Problem>> splitStages(const Plan& plan, const StageSplitOptions& options, const std::stop_token& stop)
{
    std::vector<Problem> problems = check(plan, {.remedies = false});
    if (hasErrors(problems))
        return tl::unexpected(std::move(problems));
    if (std::vector<Problem> reasons = notEstimable(plan); !reasons.empty())
        return tl::unexpected(std::move(reasons));
    if (const auto problem = outside(plan, options))
        return tl::unexpected(std::vector{*problem});
    const SplitSpace space(plan, options);
    const ChainSpace chain = space.chain();
    const ChainAnswer answer = bestChain(chain, stop);
    StageSplit split;
    if (answer.stages) {
        StrategyPricer pricer(plan);
        const auto price = [&](const std::vector<ChainStage>& stages, PipelineTime time) {
            const auto priced = pricer.price(*space.told(stages).strategy, time);
            return priced ? priced->step.value() : std::numeric_limits<double>::infinity();
        };
        std::vector<ChainStage> best = *answer.stages;
        if (options.polish)
            best = polishedFrom({best, space.own(chain.limit), balanced(chain, stop)}, chain, price, stop);
        split = space.told(best);
        split.step = Seconds(price(best, PipelineTime::Simulated));
    }
    split.proven = answer.proven;
    split.labels = answer.labels;
    split.closedForm = Seconds(answer.seconds);
    return split;
}

} // namespace stratoplan
