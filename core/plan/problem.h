// SPDX-License-Identifier: Apache-2.0
// Every rule a plan can break, as data: a code, the place in the document, the amounts. core/narration makes the
// sentence; remedies are edits of the plan that mend it.
#pragma once

#include "core/plan/plan.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stratoplan::plan {

enum class Severity { Error, Warning, Note };
[[nodiscard]] std::string_view key(Severity severity); // "error", "warning", "note"

enum class ProblemCode {
    NotPositive, ///< found: value
    RanksExceedCluster, ///< found: t c p d, limit: accelerators
    RanksLeaveIdle, ///< found: t c p d, limit: accelerators
    HeadsNotDivisible, ///< found: heads, limit: t
    KvHeadsNotDivisible, ///< found: KV heads, limit: t (replicated when t is a multiple)
    FfnNotDivisible, ///< found: f, limit: t
    LayersNotDivisible, ///< a warning: the split is uneven; found: L, limit: p v
    TooManyStages, ///< found: p v, limit: L (L + 2 with chunks: embedding and output may stand alone)
    BatchNotDivisible, ///< found: B, limit: d b
    SequenceNotDivisible, ///< found: s, limit: 2c or t
    ExpertsNotDivisible, ///< found: experts, limit: e
    ExpertGroupNotDivisible, ///< found: t c d / expert TP, limit: e; at /strategy/etp: found: t, limit: expert TP
    ExpertParallelWithoutExperts,
    InterleavingNeedsMultiple, ///< found: m, limit: p
    InterleavingNeedsPipeline,
    SequenceParallelNeedsTp,
    TensorParallelLeavesNode, ///< found: t, limit: accelerators of what it leaves
    PrecisionUnsupported, ///< the accelerator has no rate for it; detail: accelerator, other: precision
    SoftwareUnsupported, ///< the accelerator does not run it; detail: accelerator, other: software
    StageLayersMismatch, ///< found: sum, limit: L
    OutOfMemory, ///< found: bytes needed, limit: capacity; stage
    OutOfHostMemory, ///< found: bytes offloaded per accelerator, limit: its share of host memory
    MemoryPressure, ///< above 90 % of the capacity
    ZeroWithPipeline, ///< ZeRO-2/3 beside a pipeline
    PipelineTooLong, ///< its step is a lower bound: too many passes that do not settle; found: m, limit: p
    NotEstimable, ///< valid, but outside the model; the cause says why
    EmptyCluster,
    Disconnected, ///< cables leave a group of the cluster (detail) apart, by the cause; without one no cable ends there
    OutOfRange, ///< found: value, limit: the most it may be
    RankOrderIncomplete, ///< found: different axes named, limit: 5
    DuplicateElement, ///< two elements of the cluster have one id; detail: the id
    UnknownElement, ///< a cable ends at an id that no element has; detail: the id
    PortsExceeded, ///< found: cables, limit: ports; detail: name of the switches, or of the nodes by its cause
    BlocksNotDivisible, ///< found: switches, limit: blocks; detail: name of the switches
    TorusMismatch, ///< found: accelerators of the torus, limit: of the scale-up domain; detail: name of the nodes
    SequenceTooLong, ///< found: s, limit: rows of the learned position table
    ShardsNotDivisible, ///< found: d c, limit: ranks that share out ZeRO's states
    RecomputeSavesNothing, ///< selective recomputation with flash attention, which keeps no scores
    ScheduleWithoutChunks, ///< the schedule runs a number of chunks of its own; found: v, limit: that number, detail:
                           ///< schedule
    ScheduleNeedsMicroBatches, ///< found: m, limit: the fewest, detail: schedule
    ScheduleNeedsEven, ///< found: an odd number, detail: schedule, then of what
    StageListMismatch, ///< a list of one value per stage; where: its field; found: its length, limit: p
    RecomputedLayersMismatch, ///< found: layers recomputed in full on `stage`, limit: its layers, or 0 where it
                              ///< recomputes nothing
    UnlikeStagesUnsupported, ///< stages cannot have a TP of their own, by its cause; found, limit: the numbers at odds
    VocabularyNotScheduled, ///< the schedule has no room for the passes of a divided vocabulary; detail: placement,
                            ///< other: schedule
    MambaNotDivisible, ///< groups of a Mamba-2 mixer over TP, or by its cause heads over TP times CP; found, limit
    SparseAttentionUnsupported, ///< what it does not go with, by its cause
    NarrowAttention, ///< attention in FP8 does nothing, or is not priced, by its cause; detail: accelerator
    StandIn, ///< layers (found) of a kind (detail) that is not modelled; limit: the share of the model's FLOPs by which
             ///< what is priced in their place is off
    MeanLayers, ///< stages of a hybrid, whose layers each count as the mean of all
    ReplicaBatchesMismatch, ///< micro-batches of the replicas; found: sequences in all, limit: B, or by its cause a
                            ///< number of replicas, limit: d
    UnevenReplicasUnsupported, ///< replicas cannot run unlike numbers of micro-batches, by its cause
    ImpossibleLink, ///< a link between what it cannot join, by its cause; detail: its name, other: of the accelerator,
                    ///< or of the network ports
    UnlikeNodes, ///< ranks of stages (found, of limit) wait for others on slower nodes, or by its cause replicas or
                 ///< stages do; detail: names of the nodes; told by estimate() alone
};
[[nodiscard]] std::string_view key(ProblemCode code); // "heads_not_divisible", …, "not_estimable", "out_of_memory"

/// In which of the ways the code has.
enum class ProblemCause {
    None, ///< in the only one, or the usual one
    // Disconnected
    NodesWithoutCable, ///< found: nodes with a cable, limit: nodes
    SwitchesApart, ///< from one another; found: cables upwards, limit: the fewest that join them
    CablesWithinTier, ///< or between nodes, which are not priced; detail, other: ids of both
    PartApart, ///< from the groups of nodes before it
    NodesApart, ///< from one another; found: the most nodes that their cables join, limit: nodes
    PortsOfNodes, ///< PortsExceeded: cables carry no more than these do
    BlocksApart, ///< BlocksNotDivisible: of switches that cables join, found blocks here and limit blocks above; other:
                 ///< name of those above
    NodesOfTorus, ///< TorusMismatch: they do not fill it; found: nodes, limit: the next number that does, other: the
                  ///< next lower one, or nothing
    DomainsOfNode, ///< BlocksNotDivisible: found: accelerators of a node, limit: of a domain; detail: name of the nodes
    // TensorParallelLeavesNode; without a cause it leaves a scale-up domain for the network
    LeavesDomain, ///< for a link that joins the domains of a node; detail: its name
    LeavesNode, ///< of several domains
    Stages, ///< StageLayersMismatch: of another number of stages, rather than of layers
    ChunksOfItsOwn, ///< ScheduleWithoutChunks: it cuts its stages itself
    NothingRecomputed, ///< RecomputedLayersMismatch: layers of a stage that recomputes nothing
    EveryMicroBatch, ///< ZeroWithPipeline: the stack shares out after each; without a cause it keeps gradients and
                     ///< weights whole, and the plan has the memory and traffic of ZeRO-1
    InterleavedBatch, ///< BatchNotDivisible: limit times PP, as interleaving asks of micro-batches
    // UnlikeStagesUnsupported; without a cause the ends share the table of a tied embedding
    Devices,
    MicroBatch,
    OrderOfRanks,
    TwoWaySchedule,
    DividedVocabulary, ///< of NotEstimable too: a split has no bound
    Vendors, ///< SoftwareUnsupported: nothing joins accelerators of unlike vendors; detail, other: two of these
    Replicas, ///< ReplicaBatchesMismatch: a list of another length
    Experts, ///< UnevenReplicasUnsupported: they exchange tokens in every micro-batch; EveryMicroBatch: ZeRO does;
             ///< without a cause stages have a TP of their own
    // ImpossibleLink
    LinkOfVendor, ///< it joins accelerators of another vendor
    LinkBetweenNodes, ///< and nothing within them
    LinkWithoutTorus, ///< it joins each accelerator of a domain to each
    LinkWithinNodes, ///< and is no link of a network
    CablesUnlikePorts, ///< cables of another kind than the network ports they end at
    CablesUnlikeOthers, ///< that end at the same switches
    LinkOfOthers, ///< no node of the catalogue has it with these accelerators; told by estimate() alone
    DomainOfOthers, ///< the same of so many (found) in a domain; limit: the most; told by estimate() alone
    AsManyMicroBatches, ///< UnlikeNodes: replicas on unlike nodes run as many micro-batches each
    OneStage, ///< UnlikeNodes: there is no pipeline
    SlowLinks, ///< UnlikeNodes: all ranks, for those of some nodes; limit: what the step would take less with those of
               ///< others (other)
    EveryReplica, ///< UnlikeNodes: each has another stage on the slowest nodes, for which its others wait
    AsManyLayers, ///< UnlikeNodes: stages on unlike nodes have as many layers each
    MambaHeads, ///< MambaNotDivisible: the heads, over TP times CP
    MambaGroups, ///< the heads, over the groups
    MambaContext, ///< the groups of a rank, over CP
    // SparseAttentionUnsupported
    SparseWithoutLatent,
    SparseWithWindow,
    SparseUnfused,
    SparseContextMethod,
    // NarrowAttention; without a cause the recipe has no FP8
    NarrowAttentionAccelerator, ///< how fast it runs there is not known
    NarrowAttentionHeads, ///< found: of so many channels
    NarrowAttentionLatent,
    NarrowAttentionWindow,
    NarrowAttentionDocuments,
    // NotEstimable, of partitions in space and time
    PartitionGroup, ///< found: TP, limit: the most
    PartitionLatentAttention,
    PartitionUnlikeLayers,
    PartitionUnlikeRecompute,
    PartitionUnlikeStages,
    PartitionOneRank, ///< TP 1
    PartitionUnused, ///< operators have partitions, and the tensor partition is Megatron's
    PartitionNone, ///< sequences of so many tokens (found) cannot be cut into TP, or TP times 2 CP, pieces (limit)
    PartitionOperatorMissing, ///< detail: the operator that has none
    PartitionOperatorTwice, ///< detail: the operator that has two
    PartitionOperatorUnknown, ///< detail: what no operator of the layer is called
    // By a part (other) that does not divide an operator (detail) of that kind:
    PartitionPartOfProduct,
    PartitionPartOfHeads, ///< attention and softmax
    PartitionPartOfKeys, ///< scores and context, whose keys are an axis, too
    PartitionPartOfExperts,
    PartitionPartOfStream, ///< norms, activations and residuals
    PartitionRanks, ///< detail: the operator, other: its partition, found: ranks that it takes, limit: TP
    PartitionUneven, ///< detail: the operator, other: the axis, found: its length, limit: parts
    PartitionUnevenBatch, ///< the same, of the sequences of a micro-batch
    PartitionOperator, ///< detail: the operator, other: its partition, found: TP
    // NotEstimable otherwise
    HostNotStated, ///< detail: the group of nodes, other: the field that offload needs
    NotFinite, ///< a step time that is no number
    TimelineTooLong, ///< found: slices, limit: the most
    DividedLayers, ///< in space and time, which a split does not price
    OpenLimit, ///< detail: a schedule whose limit a split decides
    UnlikeLayers, ///< in stages of several chunks
    Chunks, ///< a TP per stage with several chunks
};

/// What a remedy does to the strategy, or to what else it names.
enum class EditKind {
    Value, ///< of the dimension
    ValueAndReplicas, ///< and the replicas follow
    NoVirtualStages,
    SequenceParallelOff,
    SequenceParallelOn,
    Interleaved,
    ZbV,
    OneFOneB,
    Vocab1,
    VocabularyAtEnds,
    UsualRankOrder,
    EvenLayers,
    EvenBatch,
    LayersBySpeed,
    BatchBySpeed,
    StagesAlike,
    SameTp,
    AllReplicas,
    NoRecomputation,
    SelectiveRecomputation,
    FullRecomputation,
    OffloadActivations,
    OffloadOptimizer,
    LowerMicroBatch,
    GlobalBatch, ///< value: "1,528"
    ReplicasAndBatch, ///< value: "1,528"
    OneChunkAndReplicas, ///< a value, and no virtual stages
    RaiseTp,
    RaisePp,
    RaiseEp,
    MegatronPartition,
    NoPartitionsNamed,
    Software, ///< value: name of the profile
    TorusAxes, ///< of a group of nodes; value: "4×4×4"
    Nodes, ///< of a group; value: their number
    LinkedParts, ///< of the network; value: switches that got cables to those of `other`, or these to them
    JoinedParts, ///< the same by new switches above both
    Link, ///< within nodes, or their network ports; value: its name
    Cables, ///< value: name of their link
};

enum class Dimension; // core/plan/search_space.h

/// What a remedy brings and costs.
struct RemedyGain {
    std::optional<Bytes> saved{}; ///< of the peak, where that is what it is for
    double slower = 0; ///< share of the step; below 0: faster
    std::optional<double> perToken{}; ///< the same of its time per token, where the batch is another
    bool operator==(const RemedyGain&) const = default;
};

/// One edit that mends a problem.
struct Remedy {
    EditKind edit{};
    Dimension dimension{}; ///< that it gives another value
    parallel::Strategy strategy; ///< edited
    std::optional<RemedyGain> gain{}; ///< where it saves memory or time
    bool lacksMemory = false; ///< known to need more of it than there is
    std::optional<SoftwareProfile> software{}; ///< where it takes another one
    std::optional<cluster::Cluster> cluster{}; ///< edited, where it edits the cluster
    std::optional<int> globalBatch{}; ///< sequences, where it takes another batch
    std::string value{}; ///< that those get
    std::string other{}; ///< what it is joined to
    int newSwitches = 0; ///< that it adds beside, as the others have no ports left
    bool operator==(const Remedy&) const = default;
};

/// A plan with the edit made.
[[nodiscard]] Plan mended(Plan plan, const Remedy& remedy);

struct Problem {
    ProblemCode code{};
    Severity severity = Severity::Error;
    std::string where; ///< JSON pointer into the plan: "/strategy/tp"
    double found = 0;
    double limit = 0;
    int stage = -1;
    std::string detail; ///< name of the thing
    std::string other; ///< name of another thing
    ProblemCause cause = ProblemCause::None;
    std::vector<Remedy> remedies;
    bool operator==(const Problem&) const = default;
};

struct CheckOptions {
    bool remedies = true; ///< look for them: every proposal is checked in turn, which a search has no use for
};

/// Every broken rule, errors first. Empty = the plan can be priced. Memory is judged by estimate(), not here.
[[nodiscard]] std::vector<Problem> check(const Plan& plan, const CheckOptions& options = {});
[[nodiscard]] bool hasErrors(const std::vector<Problem>& problems);
/// Before what is less severe.
void addBySeverity(std::vector<Problem>& problems, Problem problem);

} // namespace stratoplan::plan
