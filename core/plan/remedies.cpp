// SPDX-License-Identifier: Apache-2.0
#include "core/cluster/cluster_edits.h"
#include "core/cluster/joined_parts.h"
#include "core/cluster/torus_nodes.h"
#include "core/plan/dimensions.h"
#include "core/plan/rules.h"
#include "core/units/text.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace stratoplan::plan {

namespace {

int switchCount(const cluster::Cluster& cluster)
{
    int count = 0;
    for (const cluster::SwitchGroup& group : cluster.switches)
        count += group.count;
    return count;
}

/// Proposals for one problem, best first; not yet known to mend it.
class Proposals {
public:
    explicit Proposals(const Plan& plan)
        : m_plan(plan)
    {
    }

    void add(EditKind edit, const parallel::Strategy& strategy, Dimension field = {})
    {
        if (strategy != m_plan.strategy)
            m_remedies.push_back({edit, field, strategy});
    }

    void add(EditKind edit, cluster::Cluster edited, std::string value)
    {
        m_remedies.push_back(
            {.edit = edit, .strategy = m_plan.strategy, .cluster = std::move(edited), .value = std::move(value)});
    }

    void add(cluster::JoinedParts joined)
    {
        const auto titleOf = [&joined](const std::string& id) {
            const auto& group = *std::ranges::find(joined.cluster.switches, id, &cluster::SwitchGroup::id);
            return group.name.empty() ? id : group.name;
        };
        Remedy remedy{.edit = joined.isByNew ? EditKind::JoinedParts : EditKind::LinkedParts,
            .strategy = m_plan.strategy,
            .value = titleOf(joined.far),
            .other = titleOf(joined.near),
            .newSwitches = joined.isByNew ? 0 : switchCount(joined.cluster) - switchCount(m_plan.cluster)};
        remedy.cluster = std::move(joined.cluster);
        m_remedies.push_back(std::move(remedy));
    }

    /// Batches next to the plan's own that so many replicas divide, and interleaved stages again; none where they do
    /// that. `most`: by what share of the plan's own they are others.
    void addBatches(EditKind edit, int replicas, double most)
    {
        constexpr double kMostSequences = 1e8; // as resources/schema/plan.schema.json has it
        const parallel::Strategy s =
            replicas == m_plan.strategy.dp ? m_plan.strategy : withValue(m_plan, Dimension::Dp, replicas);
        const double batch = m_plan.training.globalBatch, whole = double(s.dp) * s.microBatch * microBatchUnit(s);
        for (const double sequences : {std::floor(batch / whole) * whole, std::ceil(batch / whole) * whole})
            if (sequences > 0 && sequences != batch && sequences <= kMostSequences
                && std::abs(sequences - batch) <= most * batch)
                addBatch(edit, s, int(sequences));
    }

    void addBatch(EditKind edit, const parallel::Strategy& strategy, int sequences)
    {
        m_remedies.push_back(
            {.edit = edit, .strategy = strategy, .globalBatch = sequences, .value = groupedDigits(sequences)});
    }

    void set(Dimension field, int newValue)
    {
        const parallel::Strategy strategy = withValue(m_plan, field, newValue);
        const bool follow = field != Dimension::Dp && strategy.dp != m_plan.strategy.dp;
        add(follow ? EditKind::ValueAndReplicas : EditKind::Value, strategy, field);
    }

    /// Depths of the pipeline, each with the virtual stages and without: few depths divide layers and batch into
    /// chunks.
    void depths(int most = 1 << 30)
    {
        const std::size_t before = m_remedies.size();
        nearest(Dimension::Pp, most);
        if (m_plan.strategy.vpp <= 1)
            return;
        std::vector<Remedy> both;
        for (auto edit = m_remedies.begin() + std::ptrdiff_t(before); edit != m_remedies.end(); ++edit) {
            Plan deeper = m_plan;
            deeper.strategy = edit->strategy;
            both.push_back(*edit);
            both.push_back({EditKind::OneChunkAndReplicas, Dimension::Pp, withValue(deeper, Dimension::Vpp, 1)});
        }
        m_remedies.resize(before);
        std::ranges::move(both, std::back_inserter(m_remedies));
    }

    /// Every value of the slider, those nearest to the present one (by ratio) first.
    void nearest(Dimension field, int most = 1 << 30, int least = 1)
    {
        const double present = std::max(1, number(field, m_plan.strategy));
        std::vector<int> values = offeredValues(m_plan, field);
        std::erase_if(values, [&](int v) { return v < least || v > most; });
        const auto distance = [&](int v) { return std::abs(std::log(v / present)); };
        std::stable_sort(values.begin(), values.end(), [&](int a, int b) { return distance(a) < distance(b); });
        for (const int v : values)
            if (v != number(field, m_plan.strategy)) // whose replicas alone would follow
                set(field, v);
    }

    [[nodiscard]] const Plan& plan() const { return m_plan; }
    [[nodiscard]] const std::vector<Remedy>& remedies() const { return m_remedies; }

private:
    const Plan& m_plan;
    std::vector<Remedy> m_remedies;
};

/// With the plan's batch, and with those that they divide.
void proposeReplicas(Proposals& proposals, int replicas)
{
    constexpr double kNearBatch = 0.1; // another is another training
    proposals.set(Dimension::Dp, replicas);
    proposals.addBatches(EditKind::ReplicasAndBatch, replicas, kNearBatch);
}

void proposeFewerRanks(Proposals& proposals)
{
    const parallel::Strategy& s = proposals.plan().strategy;
    const int accelerators = acceleratorCount(proposals.plan().cluster);
    const long long perReplica = static_cast<long long>(s.tp) * s.cp * s.pp;
    if (perReplica <= accelerators)
        proposeReplicas(proposals, static_cast<int>(accelerators / perReplica));
    proposals.nearest(Dimension::Dp, s.dp);
    proposals.depths(s.pp);
    proposals.nearest(Dimension::Cp, s.cp);
    proposals.nearest(Dimension::Tp, s.tp);
}

void proposeMoreRanks(Proposals& proposals)
{
    const parallel::Strategy& s = proposals.plan().strategy;
    const int accelerators = acceleratorCount(proposals.plan().cluster);
    const long long perReplica = static_cast<long long>(s.tp) * s.cp * s.pp;
    proposeReplicas(proposals, static_cast<int>(accelerators / perReplica));
    proposals.depths();
    proposals.nearest(Dimension::Tp);
}

void proposeOneChunk(Proposals& proposals)
{
    parallel::Strategy s = withValue(proposals.plan(), Dimension::Vpp, 1);
    proposals.add(EditKind::NoVirtualStages, s);
}

void proposePositive(Proposals& proposals, const std::string& where)
{
    for (const Dimension field : kDraggedDimensions) {
        if (field != Dimension::ZeroStage && where == "/strategy/" + std::string(key(field))) {
            parallel::Strategy s = proposals.plan().strategy;
            // Set directly: the other degrees may be unusable as well.
            switch (field) {
            case Dimension::Tp:
                s.tp = 1;
                break;
            case Dimension::Pp:
                s.pp = 1;
                break;
            case Dimension::Cp:
                s.cp = 1;
                break;
            default:
                s = withValue(proposals.plan(), field, 1);
            }
            proposals.add(EditKind::Value, s, field);
        }
    }
}

void proposeLegalSize(Proposals& proposals, const Problem& problem)
{
    if (problem.code == ProblemCode::NotPositive)
        proposePositive(proposals, problem.where);
    else if (problem.where == "/strategy/zero_stage")
        proposals.set(Dimension::ZeroStage, std::clamp(proposals.plan().strategy.zeroStage, 0, 3));
}

void proposeSequence(Proposals& proposals, const Problem& problem)
{
    if (problem.where == "/strategy/cp") {
        proposals.nearest(Dimension::Cp);
        proposals.set(Dimension::Cp, 1);
        return;
    }
    parallel::Strategy s = proposals.plan().strategy;
    s.sequenceParallel = false;
    proposals.nearest(Dimension::Tp);
    proposals.add(EditKind::SequenceParallelOff, s);
}

void proposeOtherDegree(Proposals& proposals, const Problem& problem)
{
    if (problem.code == ProblemCode::ExpertsNotDivisible || problem.code == ProblemCode::ExpertGroupNotDivisible)
        return proposals.nearest(Dimension::Ep);
    if (problem.cause == ProblemCause::MambaGroups) // which no strategy mends
        return;
    if (problem.cause == ProblemCause::MambaHeads || problem.cause == ProblemCause::MambaContext)
        return proposals.nearest(Dimension::Cp);
    if (problem.code == ProblemCode::TensorParallelLeavesNode)
        return proposals.nearest(Dimension::Tp, static_cast<int>(problem.limit));
    if (problem.code != ProblemCode::FfnNotDivisible || problem.where == "/strategy/tp")
        return proposals.nearest(Dimension::Tp);
    parallel::Strategy s = proposals.plan().strategy;
    s.etp = 1;
    proposals.add(EditKind::Value, s, Dimension::Etp);
}

void proposeVocabulary(Proposals& proposals)
{
    parallel::Strategy s = proposals.plan().strategy;
    s.vpp = 1;
    s.schedule = parallel::Schedule::OneFOneB;
    proposals.add(EditKind::OneFOneB, s);
    s = proposals.plan().strategy;
    s.vocabularyPlacement = parallel::VocabularyPlacement::Vocab1;
    proposals.add(EditKind::Vocab1, s);
    s.vocabularyPlacement = parallel::VocabularyPlacement::Ends;
    proposals.add(EditKind::VocabularyAtEnds, s);
}

void proposeSchedule(Proposals& proposals, const Problem& problem)
{
    parallel::Strategy s = proposals.plan().strategy;
    switch (problem.code) {
    case ProblemCode::InterleavingNeedsMultiple:
        proposals.nearest(Dimension::MicroBatch);
        proposeOneChunk(proposals);
        proposals.nearest(Dimension::Pp);
        break;
    case ProblemCode::InterleavingNeedsPipeline:
        proposeOneChunk(proposals);
        proposals.set(Dimension::Pp, 2);
        break;
    case ProblemCode::ScheduleWithoutChunks:
        if (problem.limit == 1) {
            s.schedule = parallel::Schedule::Interleaved;
            proposals.add(EditKind::Interleaved, s);
        }
        proposeOneChunk(proposals);
        break;
    case ProblemCode::ScheduleNeedsMicroBatches:
    case ProblemCode::ScheduleNeedsEven:
        proposals.nearest(Dimension::MicroBatch);
        proposals.nearest(Dimension::Pp);
        s.schedule = parallel::Schedule::ZbV;
        proposals.add(EditKind::ZbV, s);
        break;
    case ProblemCode::VocabularyNotScheduled:
        return proposeVocabulary(proposals);
    default:
        break;
    }
}

void proposeStages(Proposals& proposals, const Problem& problem)
{
    const parallel::Strategy& s = proposals.plan().strategy;
    const bool fewer = problem.code == ProblemCode::TooManyStages;
    if (s.vpp > 1)
        proposals.nearest(Dimension::Vpp, fewer ? s.vpp : 1 << 30);
    if (fewer && s.vpp > 1)
        proposeOneChunk(proposals);
    proposals.nearest(Dimension::Pp, fewer ? s.pp : 1 << 30);
}

void proposeBatch(Proposals& proposals)
{
    const parallel::Strategy& s = proposals.plan().strategy;
    proposals.nearest(Dimension::MicroBatch, s.microBatch); // a smaller one surely fits where this one did
    proposals.nearest(Dimension::MicroBatch);
    proposals.addBatches(EditKind::GlobalBatch, s.dp, INFINITY);
    proposals.nearest(Dimension::Pp);
    proposals.nearest(Dimension::Dp, 1 << 30, std::max(1, s.dp / 2)); // fewer would leave most of the cluster idle
}

/// Stages or replicas alike, or another schedule.
void proposeAlike(Proposals& proposals, const Problem& problem)
{
    parallel::Strategy s = proposals.plan().strategy;
    switch (problem.code) {
    case ProblemCode::StageLayersMismatch:
        s.stageLayers.clear();
        return proposals.add(EditKind::EvenLayers, s);
    case ProblemCode::ReplicaBatchesMismatch:
    case ProblemCode::UnevenReplicasUnsupported:
        s.replicaMicroBatches.clear();
        return proposals.add(EditKind::EvenBatch, s);
    case ProblemCode::StageListMismatch:
    case ProblemCode::RecomputedLayersMismatch:
        recomputeAll(s, s.recompute);
        s.stageTp.clear();
        return proposals.add(EditKind::StagesAlike, s);
    case ProblemCode::UnlikeStagesUnsupported:
        s.stageTp.clear();
        return proposals.add(EditKind::SameTp, s);
    default:
        return proposeSchedule(proposals, problem);
    }
}

/// Takes back the one choice that breaks the rule, or takes another schedule.
void proposeWithout(Proposals& proposals, const Problem& problem)
{
    parallel::Strategy s = proposals.plan().strategy;
    switch (problem.code) {
    case ProblemCode::RankOrderIncomplete:
        s.rankOrder = parallel::Strategy{}.rankOrder;
        return proposals.add(EditKind::UsualRankOrder, s);
    case ProblemCode::SequenceParallelNeedsTp:
        s.sequenceParallel = false;
        return proposals.add(EditKind::SequenceParallelOff, s);
    case ProblemCode::ExpertParallelWithoutExperts:
        return proposals.set(Dimension::Ep, 1);
    case ProblemCode::ZeroWithPipeline:
        return proposals.set(Dimension::ZeroStage, 1);
    case ProblemCode::ShardsNotDivisible:
        s.zeroShards = 0;
        return proposals.add(EditKind::AllReplicas, s);
    case ProblemCode::RecomputeSavesNothing:
        recomputeAll(s, parallel::Recompute::None);
        return proposals.add(EditKind::NoRecomputation, s);
    case ProblemCode::SparseAttentionUnsupported:
        s.contextMethod = parallel::ContextMethod::AllGather;
        return proposals.add(EditKind::Value, s, Dimension::ContextMethod);
    default:
        return proposeAlike(proposals, problem);
    }
}

void proposeSize(Proposals& proposals, const Problem& problem)
{
    if (problem.code == ProblemCode::RanksExceedCluster)
        return proposeFewerRanks(proposals);
    if (problem.code == ProblemCode::RanksLeaveIdle)
        return proposeMoreRanks(proposals);
    proposeLegalSize(proposals, problem);
}

void proposeBatchOrSequence(Proposals& proposals, const Problem& problem)
{
    if (problem.code == ProblemCode::BatchNotDivisible)
        return proposeBatch(proposals);
    proposeSequence(proposals, problem);
}

/// Of layers over stages, or of batch and sequence over ranks.
void proposeDivision(Proposals& proposals, const Problem& problem)
{
    if (problem.code == ProblemCode::LayersNotDivisible || problem.code == ProblemCode::TooManyStages)
        return proposeStages(proposals, problem);
    proposeBatchOrSequence(proposals, problem);
}

/// Sizes, and how they divide layers, batch, sequence and nodes.
void proposeNumbers(Proposals& proposals, const Problem& problem)
{
    switch (problem.code) {
    case ProblemCode::NotPositive:
    case ProblemCode::OutOfRange:
    case ProblemCode::RanksExceedCluster:
    case ProblemCode::RanksLeaveIdle:
        return proposeSize(proposals, problem);
    default:
        return proposeDivision(proposals, problem);
    }
}

/// A shape that all of its nodes fill, or nodes that fill its shape; of another size than its domain neither.
void proposeTorus(Proposals& proposals, const Problem& problem)
{
    constexpr long long kMostNodes = 1'000'000; // as resources/schema/plan.schema.json has it
    const cluster::Cluster& cluster = proposals.plan().cluster;
    for (std::size_t i = 0; i < cluster.nodes.size(); ++i) {
        if (problem.where != placeOfTorus(i))
            continue;
        const auto unfilled = unfilledTorus(cluster.nodes[i]);
        if (!unfilled)
            return;
        cluster::Cluster edited = cluster;
        if (!unfilled->axes.empty()) {
            setTorusAxes(edited.nodes[i], unfilled->axes);
            proposals.add(EditKind::TorusAxes, std::move(edited), cluster::axesText(unfilled->axes));
        }
        for (const long long nodes : {unfilled->fewer, unfilled->nodes}) {
            if (nodes == 0 || nodes > kMostNodes)
                continue;
            edited = cluster;
            setNodeCount(edited, i, int(nodes));
            proposals.add(EditKind::Nodes, std::move(edited), groupedDigits(nodes));
        }
    }
}

/// Cables between parts of the network; of what else is apart no edit is sure to be meant.
void proposeJoined(Proposals& proposals, const Problem& problem)
{
    const cluster::Cluster& cluster = proposals.plan().cluster;
    for (std::size_t i = 0; problem.cause == ProblemCause::PartApart && i < cluster.nodes.size(); ++i)
        if (problem.where == "/cluster/nodes/" + std::to_string(i))
            if (auto joined = cluster::joinedParts(cluster, cluster.nodes[i].id))
                proposals.add(*std::move(joined));
}

/// Of the kind of the network ports that they end at; between switches, of the first nodes.
void proposeCables(Proposals& proposals, const Problem& problem)
{
    const cluster::Cluster& cluster = proposals.plan().cluster;
    const auto hasNetwork = [](const cluster::NodeGroup& group) {
        return takesPart(group) && isNetwork(group.nic.kind);
    };
    const auto usual = std::ranges::find_if(cluster.nodes, hasNetwork);
    for (std::size_t i = 0; usual != cluster.nodes.end() && i < cluster.connections.size(); ++i) {
        if (problem.where != "/cluster/connections/" + std::to_string(i) + "/link")
            continue;
        cluster::Cluster edited = cluster;
        const cluster::Link drawn = cluster.connections[i].link;
        for (cluster::Connection& c : edited.connections) {
            const auto nodes = std::ranges::find_if(cluster.nodes, [&](const cluster::NodeGroup& group) {
                return hasNetwork(group) && (group.id == c.from || group.id == c.to);
            });
            if (c.link == drawn)
                c.link = nodes == cluster.nodes.end() ? usual->nic : nodes->nic;
        }
        std::string name = edited.connections[i].link.name;
        return proposals.add(EditKind::Cables, std::move(edited), std::move(name));
    }
}

// In one piece: it names every code, so that the compiler finds one that nobody has thought of.
void propose(Proposals& proposals, const Problem& problem)
{
    switch (problem.code) {
    case ProblemCode::NotPositive:
    case ProblemCode::OutOfRange:
    case ProblemCode::RanksExceedCluster:
    case ProblemCode::RanksLeaveIdle:
    case ProblemCode::LayersNotDivisible:
    case ProblemCode::TooManyStages:
    case ProblemCode::BatchNotDivisible:
    case ProblemCode::SequenceNotDivisible:
        return proposeNumbers(proposals, problem);
    case ProblemCode::HeadsNotDivisible:
    case ProblemCode::KvHeadsNotDivisible:
    case ProblemCode::FfnNotDivisible:
    case ProblemCode::TensorParallelLeavesNode:
    case ProblemCode::MambaNotDivisible:
    case ProblemCode::ExpertsNotDivisible:
    case ProblemCode::ExpertGroupNotDivisible:
        return proposeOtherDegree(proposals, problem);
    case ProblemCode::InterleavingNeedsMultiple:
    case ProblemCode::InterleavingNeedsPipeline:
    case ProblemCode::ScheduleWithoutChunks:
    case ProblemCode::ScheduleNeedsMicroBatches:
    case ProblemCode::ScheduleNeedsEven:
    case ProblemCode::VocabularyNotScheduled:
    case ProblemCode::RankOrderIncomplete:
    case ProblemCode::ExpertParallelWithoutExperts:
    case ProblemCode::SequenceParallelNeedsTp:
    case ProblemCode::StageLayersMismatch:
    case ProblemCode::StageListMismatch:
    case ProblemCode::RecomputedLayersMismatch:
    case ProblemCode::UnlikeStagesUnsupported:
    case ProblemCode::ReplicaBatchesMismatch:
    case ProblemCode::UnevenReplicasUnsupported:
    case ProblemCode::ZeroWithPipeline:
    case ProblemCode::ShardsNotDivisible:
    case ProblemCode::RecomputeSavesNothing:
    case ProblemCode::SparseAttentionUnsupported:
        return proposeWithout(proposals, problem);
    case ProblemCode::TorusMismatch:
        return proposeTorus(proposals, problem);
    case ProblemCode::Disconnected:
        return proposeJoined(proposals, problem);
    case ProblemCode::ImpossibleLink:
        return proposeCables(proposals, problem);
    case ProblemCode::DuplicateElement:
    case ProblemCode::UnknownElement:
    case ProblemCode::PortsExceeded:
    case ProblemCode::BlocksNotDivisible:
    case ProblemCode::SequenceTooLong:
    case ProblemCode::PrecisionUnsupported:
    case ProblemCode::SoftwareUnsupported:
    case ProblemCode::OutOfMemory:
    case ProblemCode::OutOfHostMemory:
    case ProblemCode::MemoryPressure:
    case ProblemCode::PipelineTooLong:
    case ProblemCode::NotEstimable:
    case ProblemCode::EmptyCluster:
    case ProblemCode::NarrowAttention:
    case ProblemCode::StandIn:
    case ProblemCode::MeanLayers:
    case ProblemCode::UnlikeNodes:
        return; // no edit of the strategy mends these, or estimate() proposes it
    }
}

/// The same, no less severe: what is warned of idle nodes is an error once ranks lie on them. Of ranks that leave
/// accelerators idle, more are another thing.
bool holds(const std::vector<Problem>& problems, const Problem& problem, Severity least)
{
    return std::ranges::any_of(problems, [&](const Problem& p) {
        const bool isLess = p.code == ProblemCode::RanksLeaveIdle && p.found > problem.found;
        return p.code == problem.code && p.where == problem.where && p.severity <= least && !isLess;
    });
}

} // namespace

void eachToMend(std::vector<Problem>& problems, const std::function<void(Problem&)>& findEdits)
{
    constexpr int kMostJoined = 3, kMostTried = 16;
    int joined = 0, tried = 0;
    for (Problem& problem : problems) {
        const bool isPart = problem.cause == ProblemCause::PartApart;
        if (isPart && (joined >= kMostJoined || tried++ >= kMostTried))
            continue;
        findEdits(problem);
        joined += isPart && !problem.remedies.empty();
    }
}

bool mends(
    const Plan& plan, const Remedy& remedy, const Problem& problem, const std::vector<Problem>& all, KnownGaps& known)
{
    KnownGaps ofEdited;
    const std::vector<Problem> left = brokenRules(mended(plan, remedy), remedy.cluster ? ofEdited : known);
    // Sizes are judged before anything else can be: mending one may bring the other rules to light.
    const bool sizes = problem.code == ProblemCode::NotPositive || problem.code == ProblemCode::OutOfRange;
    const auto isNew = [&](const Problem& p) {
        return p.severity == Severity::Error && !holds(all, p, Severity::Error);
    };
    return !holds(left, problem, Severity::Note) && (sizes || std::ranges::none_of(left, isNew));
}

void eachRemedy(const Plan& plan, const Problem& problem, const std::vector<Problem>& all, KnownGaps& known,
    const std::function<bool(Remedy)>& take, const std::stop_token& stop)
{
    Proposals proposals(plan);
    propose(proposals, problem);
    const std::vector<Remedy>& edits = proposals.remedies();
    for (auto edit = edits.begin(); edit != edits.end() && !stop.stop_requested(); ++edit) {
        const auto isSame = [&](const Remedy& r) {
            return r.strategy == edit->strategy && r.cluster == edit->cluster && r.globalBatch == edit->globalBatch;
        };
        if (std::none_of(edits.begin(), edit, isSame) && mends(plan, *edit, problem, all, known) && !take(*edit))
            return;
    }
}

std::vector<Remedy> remediesFor(
    const Plan& plan, const Problem& problem, const std::vector<Problem>& all, KnownGaps& known)
{
    std::vector<Remedy> result;
    eachRemedy(plan, problem, all, known, [&](Remedy remedy) {
        result.push_back(std::move(remedy));
        return result.size() < kMostRemedies;
    });
    return result;
}

} // namespace stratoplan::plan
