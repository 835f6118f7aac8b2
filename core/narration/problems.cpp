// SPDX-License-Identifier: Apache-2.0
#include "core/narration/problems.h"

#include "core/plan/dimensions.h"
#include "core/units/format.h"
#include "core/units/sentence.h"
#include "core/units/text.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace stratoplan::narration {
namespace {

/// The first row of a code that is of no cause and no place, or of those of the problem, has its sentence.
struct ProblemWords {
    plan::ProblemCode code{};
    std::string_view pattern;
    plan::ProblemCause cause = plan::ProblemCause::None;
    std::string_view where{};
};

constexpr auto kProblems = [] {
    using enum plan::ProblemCode;
    return std::array{
        // Sizes
        ProblemWords{NotPositive, "{where} is {found}: it must be greater than zero."},
        ProblemWords{OutOfRange, "{where} is {found}: use at most {limit}, and no less than zero."},
        ProblemWords{RankOrderIncomplete,
            "The rank order names {found} different axes: name each of tp, cp, ep, dp and pp once."},
        ProblemWords{RanksExceedCluster,
            "TP x CP x PP x DP asks for {found accelerator|accelerators}, but the cluster has {limit}."},
        ProblemWords{
            RanksLeaveIdle, "TP x CP x PP x DP uses {found} of {limit accelerator|accelerators}: {left is|are} idle."},
        ProblemWords{EmptyCluster, "The cluster has no accelerators: add at least one node."},
        ProblemWords{Disconnected,
            "{found} of {limit node|nodes} of “{detail}” have a cable: draw at least one for each.",
            plan::ProblemCause::NodesWithoutCable},
        ProblemWords{Disconnected,
            "The cables of “{detail}” join {found} of its {limit node|nodes} to one another: link all of them to one "
            "group of switches, or join those that they are linked to.",
            plan::ProblemCause::NodesApart},
        ProblemWords{Disconnected,
            "{found cable|cables} upwards cannot join the switches of “{detail}” to one another: draw at least "
            "{limit}, use one switch, or state blocks of rails.",
            plan::ProblemCause::SwitchesApart},
        ProblemWords{Disconnected,
            "No path of cables leads from “{detail}” to the nodes before it: join their switches.",
            plan::ProblemCause::PartApart},
        ProblemWords{Disconnected,
            "Cables between “{detail}” and “{other}” cannot be priced: remove them, and link nodes to switches, and "
            "switches to a tier above.",
            plan::ProblemCause::CablesWithinTier},
        ProblemWords{Disconnected, "No cable ends at “{detail}”: it carries nothing."},
        ProblemWords{
            DuplicateElement, "Two elements of the cluster are called “{detail}”: give each an id of its own."},
        ProblemWords{UnknownElement,
            "A connection ends at “{detail}”, which is no element of the cluster: name a node or switch group."},
        ProblemWords{PortsExceeded,
            "{found cable ends|cables end} at the {limit port|ports} of “{detail}”: they carry no more than these "
            "do.",
            plan::ProblemCause::PortsOfNodes},
        ProblemWords{BlocksNotDivisible,
            "{found block|blocks} of “{detail}” and {limit block|blocks} of “{other}” above do not lie side by side: "
            "let one number be a multiple of the other.",
            plan::ProblemCause::BlocksApart},
        ProblemWords{BlocksNotDivisible,
            "{found accelerator|accelerators} of a node of “{detail}” do not make scale-up domains of {limit} that "
            "its links join: use a divisor.",
            plan::ProblemCause::DomainsOfNode},
        ProblemWords{BlocksNotDivisible,
            "{found switch|switches} of “{detail}” do not make {limit block|blocks} of equal size: use a divisor."},
        ProblemWords{PortsExceeded,
            "{found cable ends|cables end} at the {limit port|ports} of “{detail}”: use more switches or fewer "
            "cables."},
        ProblemWords{TorusMismatch,
            "In “{detail}”, {found node does not fill its torus|nodes do not fill their torus}, as {filling} would.",
            plan::ProblemCause::NodesOfTorus},
        ProblemWords{TorusMismatch,
            "The torus of “{detail}” links {found accelerator|accelerators}, but its scale-up domain has {limit}: let "
            "the product of its axes be that number."},
        ProblemWords{SequenceTooLong,
            "A sequence of {found token|tokens} is longer than the model's {limit} learned positions."},
        ProblemWords{RecomputeSavesNothing,
            "Selective recomputation repeats the attention core, of which flash attention keeps nothing: it costs time "
            "and "
            "saves no memory."},
        ProblemWords{SparseAttentionUnsupported,
            "Sparse attention picks keys for latent attention (mla), which this model does not have: state it, or no "
            "dsa.",
            plan::ProblemCause::SparseWithoutLatent},
        ProblemWords{SparseAttentionUnsupported,
            "Sparse attention picks its keys from the whole sequence: it does not go with a sliding window.",
            plan::ProblemCause::SparseWithWindow},
        ProblemWords{SparseAttentionUnsupported,
            "Sparse attention without a fused kernel is not modelled: use flash attention.",
            plan::ProblemCause::SparseUnfused},
        ProblemWords{SparseAttentionUnsupported,
            "Sparse attention picks its keys from the whole sequence, which context parallelism has to gather: use the "
            "context method \"all-gather\"."},
        ProblemWords{NarrowAttention,
            "How fast {detail} runs attention in FP8 is not known: use flash attention, or state exponentials_t_s and "
            "an FP8 rate of the accelerator.",
            plan::ProblemCause::NarrowAttentionAccelerator},
        ProblemWords{NarrowAttention,
            "Attention in FP8 trains head dimensions of 128, and on Blackwell smaller multiples of 16, not {found}: "
            "use flash attention.",
            plan::ProblemCause::NarrowAttentionHeads},
        ProblemWords{NarrowAttention, "Attention in FP8 is not priced for latent attention: use flash attention.",
            plan::ProblemCause::NarrowAttentionLatent},
        ProblemWords{NarrowAttention, "Attention in FP8 is not priced over a sliding window: use flash attention.",
            plan::ProblemCause::NarrowAttentionWindow},
        ProblemWords{NarrowAttention,
            "Attention in FP8 has no kernel for packed documents: use flash attention, or no document_length.",
            plan::ProblemCause::NarrowAttentionDocuments},
        ProblemWords{NarrowAttention,
            "Attention in FP8 needs the precision fp8, mxfp8 or nvfp4: here it is priced as flash attention."},
        ProblemWords{MambaNotDivisible,
            "{found head|heads} of a Mamba-2 mixer cannot be divided over TP times CP, {limit}: use {divisors}.",
            plan::ProblemCause::MambaHeads},
        ProblemWords{MambaNotDivisible,
            "{found head|heads} of a Mamba-2 mixer cannot be divided into {limit} groups: use {divisors}.",
            plan::ProblemCause::MambaGroups},
        ProblemWords{MambaNotDivisible,
            "{found group|groups} of a Mamba-2 mixer on each rank can neither be divided nor repeated over CP {limit}: "
            "use {divisors}, or a multiple.",
            plan::ProblemCause::MambaContext},
        ProblemWords{MambaNotDivisible,
            "{found group|groups} of a Mamba-2 mixer cannot be divided over TP {limit}: use {divisors}."},
        ProblemWords{StandIn,
            "{found layer is|layers are} of a kind that is not modelled ({detail}), and priced as attention over a "
            "sliding window. By published formulas that is off by {share} of the model's FLOPs; ranges are wider by "
            "all that these layers mix."},
        ProblemWords{UnlikeNodes,
            "Stages on unlike nodes ({detail}) have as many layers each, and the faster ones wait: "
            "layers by speed may take less (stratoplan-cli split).",
            plan::ProblemCause::AsManyLayers},
        ProblemWords{UnlikeNodes,
            "Replicas on unlike nodes ({detail}) run as many micro-batches each, and the faster ones wait: "
            "a batch by speed may take less.",
            plan::ProblemCause::AsManyMicroBatches},
        ProblemWords{UnlikeNodes,
            "Each replica waits for a stage on the slowest of unlike nodes ({detail}): the faster ones shorten no "
            "step.",
            plan::ProblemCause::EveryReplica},
        ProblemWords{UnlikeNodes,
            "All ranks wait for the links of {detail}: with those of {other} a step takes {share} less.",
            plan::ProblemCause::SlowLinks},
        ProblemWords{UnlikeNodes,
            "All ranks wait for the slowest of unlike nodes ({detail}): "
            "stages that each lie on nodes of one kind would not.",
            plan::ProblemCause::OneStage},
        ProblemWords{UnlikeNodes,
            "Ranks of {found} of {limit stage|stages} lie on unlike nodes ({detail}) and wait for the slowest: "
            "let stages end where the nodes of a kind do, with PP last in the order of ranks."},
        ProblemWords{MeanLayers,
            "Each layer of a hybrid counts as the mean of all: a stage that holds more layers of attention, or more of "
            "its experts, than others is slower and fuller than told."},
        // Tensor parallelism
        ProblemWords{HeadsNotDivisible,
            "{found head|heads} cannot be divided over TP times CP, {limit}, as Ulysses does: use {divisors}.",
            plan::ProblemCause::None, "/strategy/cp"},
        ProblemWords{HeadsNotDivisible, "{found head|heads} cannot be divided over TP {limit}: use {divisors}."},
        ProblemWords{KvHeadsNotDivisible,
            "{found KV head|KV heads} can neither be divided nor repeated over TP {limit}: use {divisors}, or a "
            "multiple of "
            "{found}."},
        ProblemWords{FfnNotDivisible,
            "An FFN width of {found} cannot be divided over expert TP {limit}: use {divisors}.",
            plan::ProblemCause::None, "/strategy/etp"},
        ProblemWords{FfnNotDivisible, "An FFN width of {found} cannot be divided over TP {limit}: use {divisors}."},
        ProblemWords{TensorParallelLeavesNode,
            "TP {found} leaves the scale-up domain of {limit accelerator|accelerators}: its collectives run over "
            "{detail}, which joins the domains of a node.",
            plan::ProblemCause::LeavesDomain},
        ProblemWords{TensorParallelLeavesNode,
            "TP {found} leaves the node of {limit accelerator|accelerators}: its collectives run over the network.",
            plan::ProblemCause::LeavesNode},
        ProblemWords{TensorParallelLeavesNode,
            "TP {found} leaves the scale-up domain of {limit accelerator|accelerators}: its collectives run over the "
            "network."},
        ProblemWords{SequenceParallelNeedsTp, "Sequence parallelism has no effect with TP 1."},
        ProblemWords{SequenceNotDivisible,
            "A sequence of {found token|tokens} cannot be cut into {limit} equal parts: context parallelism gives "
            "each rank two, an early and a late one.",
            plan::ProblemCause::None, "/strategy/cp"},
        ProblemWords{SequenceNotDivisible,
            "A sequence of {found token|tokens} cannot be cut into {limit} equal parts, as sequence parallelism "
            "needs."},
        // Pipeline
        ProblemWords{LayersNotDivisible,
            "{found layer|layers} cannot be divided evenly over {limit pipeline chunk|pipeline chunks}: the fullest "
            "stage "
            "sets the pace."},
        ProblemWords{TooManyStages,
            "{found pipeline chunk|pipeline chunks} (PP x virtual stages) for at most {limit}: use fewer."},
        ProblemWords{InterleavingNeedsMultiple,
            "{found micro-batch|micro-batches} cannot be interleaved over PP {limit}: their number must be a multiple "
            "of "
            "{limit}."},
        ProblemWords{InterleavingNeedsPipeline,
            "{found virtual stage|virtual stages} need a pipeline: use PP 2 or more, or one virtual stage."},
        ProblemWords{ScheduleWithoutChunks,
            "The schedule {detail} cuts each stage into {limit} chunks itself, not {found}: use one virtual stage.",
            plan::ProblemCause::ChunksOfItsOwn},
        ProblemWords{ScheduleWithoutChunks,
            "The schedule {detail} runs one chunk per stage, not {found}: use the interleaved schedule."},
        ProblemWords{ScheduleNeedsMicroBatches,
            "The schedule {detail} needs at least {limit micro-batch|micro-batches}, twice as many as stages, not "
            "{found}."},
        ProblemWords{ScheduleNeedsEven,
            "The schedule {detail} runs half of its micro-batches each way and needs an even number of them and of "
            "stages: "
            "{found} is odd."},
        ProblemWords{VocabularyNotScheduled,
            "The schedule {other} cannot run the passes of a vocabulary divided over all stages ({detail}): use 1F1B, "
            "or "
            "leave the vocabulary at the ends."},
        ProblemWords{StageLayersMismatch, "The split of layers is for {found stage|stages}, but PP is {limit}.",
            plan::ProblemCause::Stages},
        ProblemWords{StageLayersMismatch, "The split of layers adds up to {found}, but the model has {limit}."},
        ProblemWords{ZeroWithPipeline,
            "ZeRO-{found} with a pipeline communicates once per micro-batch: ZeRO-1 does so once per step.",
            plan::ProblemCause::EveryMicroBatch},
        ProblemWords{ZeroWithPipeline,
            "With a pipeline this stack keeps gradients and gathered weights whole until the last micro-batch: "
            "ZeRO-{found} takes the time and memory of ZeRO-1."},
        // Lists of one value per stage
        ProblemWords{StageListMismatch,
            "{where} is for {found stage|stages}, but PP is {limit}: give one value per stage, or none."},
        ProblemWords{RecomputedLayersMismatch,
            "Stage {stage} has no recomputation, but {found layer|layers} to recompute in full: choose full or "
            "selective "
            "recomputation.",
            plan::ProblemCause::NothingRecomputed},
        ProblemWords{RecomputedLayersMismatch,
            "Stage {stage} recomputes {found layer|layers} in full, but has {limit}: use 0 to {limit}."},
        ProblemWords{UnlikeStagesUnsupported,
            "Stage {stage} has {found accelerator|accelerators} (TP x DP), which TP {limit} does not divide: use "
            "{divisors}.",
            plan::ProblemCause::Devices},
        ProblemWords{UnlikeStagesUnsupported,
            "Stage {stage} with TP {limit} would work on a part of a sequence: its micro-batch, {figure}, must be "
            "whole. "
            "Raise the micro-batch, or its TP.",
            plan::ProblemCause::MicroBatch},
        ProblemWords{UnlikeStagesUnsupported,
            "Stages with a TP of their own keep consecutive ranks: PP must stand last in the rank order.",
            plan::ProblemCause::OrderOfRanks},
        ProblemWords{UnlikeStagesUnsupported,
            "Stages cannot have a TP of their own in a two-way schedule: a stage and its mirror image hold the same "
            "layers.",
            plan::ProblemCause::TwoWaySchedule},
        ProblemWords{UnlikeStagesUnsupported,
            "Stages cannot have a TP of their own where all share the vocabulary: leave it at the ends.",
            plan::ProblemCause::DividedVocabulary},
        ProblemWords{UnlikeStagesUnsupported,
            "The first stage has TP {found}, the last one TP {limit}: both hold the tied embedding, and need the "
            "same."},
        // Batch and experts
        ProblemWords{ReplicaBatchesMismatch,
            "{found replica has|replicas have} micro-batches of their own, but DP is {limit}: give one number per "
            "replica, or none.",
            plan::ProblemCause::Replicas},
        ProblemWords{ReplicaBatchesMismatch,
            "The micro-batches of all replicas hold {found sequence|sequences}, but the global batch has {limit}."},
        ProblemWords{UnevenReplicasUnsupported,
            "Replicas cannot run unlike numbers of micro-batches where they exchange tokens of experts in each: use EP "
            "1, or as many for all.",
            plan::ProblemCause::Experts},
        ProblemWords{UnevenReplicasUnsupported,
            "Replicas cannot run unlike numbers of micro-batches where they share out gradients or parameters in each: "
            "use ZeRO-1, or as many for all.",
            plan::ProblemCause::EveryMicroBatch},
        ProblemWords{UnevenReplicasUnsupported,
            "Replicas cannot run unlike numbers of micro-batches where stages have a TP of their own: use one TP, or "
            "as many for all."},
        ProblemWords{BatchNotDivisible,
            "A global batch of {found sequence|sequences} cannot be divided over DP x micro-batch, and that again over "
            "PP to be interleaved, {limit} in all: use a batch of {multiples}, or degrees that divide it.",
            plan::ProblemCause::InterleavedBatch},
        ProblemWords{BatchNotDivisible,
            "A global batch of {found sequence|sequences} cannot be divided over DP x micro-batch = {limit}: "
            "use a batch of {multiples}, or a DP x micro-batch that divides it."},
        ProblemWords{ExpertsNotDivisible, "{found expert|experts} cannot be divided over EP {limit}: use {divisors}."},
        ProblemWords{ExpertGroupNotDivisible, "Expert TP {limit} does not divide TP {found}: use {divisors}.",
            plan::ProblemCause::None, "/strategy/etp"},
        ProblemWords{
            ExpertGroupNotDivisible, "EP {limit} does not divide DP x CP x TP / expert TP = {found}: use {divisors}."},
        ProblemWords{
            ShardsNotDivisible, "{found} replicas cannot be divided into ZeRO groups of {limit}: use {divisors}."},
        ProblemWords{ExpertParallelWithoutExperts, "EP {found} needs a mixture-of-experts model: use EP 1."},
        // Accelerators
        ProblemWords{PrecisionUnsupported, "{detail} has no matrix rate for {other}: choose another precision."},
        ProblemWords{SoftwareUnsupported,
            "{detail} and {other} are of unlike vendors, and no library of collectives joins them: plan each by "
            "itself.",
            plan::ProblemCause::Vendors},
        ProblemWords{SoftwareUnsupported, "{other} does not run on {detail}: choose another software profile."},
        ProblemWords{ImpossibleLink,
            "{detail} joins accelerators of another vendor than {other}'s, which cannot have it.",
            plan::ProblemCause::LinkOfVendor},
        ProblemWords{ImpossibleLink, "{detail} is no link within a node: {other} has no ports for it there.",
            plan::ProblemCause::LinkBetweenNodes},
        ProblemWords{ImpossibleLink, "{detail} joins each {other} of a domain to each, in no torus.",
            plan::ProblemCause::LinkWithoutTorus},
        ProblemWords{ImpossibleLink,
            "No node of the catalogue joins {found} of {other} by {detail}: {limit} are the most.",
            plan::ProblemCause::DomainOfOthers},
        ProblemWords{ImpossibleLink, "{detail} joins accelerators within nodes, and is no link of a network.",
            plan::ProblemCause::LinkWithinNodes},
        ProblemWords{ImpossibleLink, "Network ports of {other} take no cables of {detail}.",
            plan::ProblemCause::CablesUnlikePorts},
        ProblemWords{ImpossibleLink, "No switch takes cables of {other} and of {detail}, which end at the same ones.",
            plan::ProblemCause::CablesUnlikeOthers},
        ProblemWords{ImpossibleLink,
            "No node of the catalogue has {other} with {detail}: it may be the link of another accelerator."},
        ProblemWords{OutOfMemory, "{Stage} needs {bytes} per accelerator of {limitBytes}: {overBytes} too much."},
        ProblemWords{OutOfHostMemory,
            "Each accelerator offloads {bytes} and has {limitBytes} of its host's memory: divide it over more ranks "
            "(TP, or "
            "PP and ZeRO for the optimizer), recompute more, or offload less."},
        ProblemWords{MemoryPressure,
            "{Stage} needs {bytes} per accelerator of {limitBytes}: little is left for fragmentation and peaks."},
        ProblemWords{PipelineTooLong,
            "The step takes at least this long: {found} micro-batches through {limit} stages are too many to simulate, "
            "and "
            "they come to no steady state."},
        // Valid, but outside the model
        ProblemWords{NotEstimable,
            "For a spatial-temporal partition the tensor-parallel group must be a power of two, of at most {limit} "
            "ranks, and TP is {found}.",
            plan::ProblemCause::PartitionGroup},
        ProblemWords{NotEstimable,
            "Spatial-temporal partitions of latent attention are not modelled yet, only the \"megatron\" partition.",
            plan::ProblemCause::PartitionLatentAttention},
        ProblemWords{NotEstimable,
            "Spatial-temporal partitions divide all layers alike, and this model has unlike ones: only the "
            "\"megatron\" "
            "partition is modelled of it.",
            plan::ProblemCause::PartitionUnlikeLayers},
        ProblemWords{NotEstimable,
            "This plan cannot be estimated yet: spatial-temporal partitions divide all layers alike, and these are "
            "recomputed unlike; recompute all of them in one way, or use the \"megatron\" partition.",
            plan::ProblemCause::PartitionUnlikeRecompute},
        ProblemWords{NotEstimable,
            "This plan cannot be estimated yet: spatial-temporal partitions of stages that differ in TP "
            "are not modelled yet; use one TP, or the \"megatron\" partition.",
            plan::ProblemCause::PartitionUnlikeStages},
        ProblemWords{NotEstimable,
            "The plan names partitions of operators, which Megatron's partition does not use: set the tensor partition "
            "to \"spatial-temporal\", or name none.",
            plan::ProblemCause::PartitionUnused},
        ProblemWords{NotEstimable,
            "TP 1 has nothing to divide: choose TP 2, 4, 8, ... to have its layers divided in space and time.",
            plan::ProblemCause::PartitionOneRank},
        ProblemWords{NotEstimable,
            "This plan cannot be estimated: its sequences of {found token|tokens} cannot be cut into {limit} even "
            "pieces "
            "(TP, with context parallelism times 2 CP), as a spatial-temporal partition may have to; use {multiples} "
            "tokens, a TP that divides them, or the \"megatron\" partition.",
            plan::ProblemCause::PartitionNone},
        ProblemWords{NotEstimable,
            "This plan cannot be estimated: it does not say how \"{detail}\" is divided; give every operator of the "
            "layer a partition, or none to have the best found.",
            plan::ProblemCause::PartitionOperatorMissing},
        ProblemWords{NotEstimable,
            "This plan cannot be estimated: it says twice how \"{detail}\" is divided; give every operator one "
            "partition.",
            plan::ProblemCause::PartitionOperatorTwice},
        ProblemWords{NotEstimable,
            "This plan cannot be estimated: its layers have no operator \"{detail}\"; name none to have the best "
            "partition found, with the operators that they have.",
            plan::ProblemCause::PartitionOperatorUnknown},
        ProblemWords{NotEstimable,
            "This plan cannot be estimated: \"{detail}\" cannot be divided by \"{other}\": products are divided along "
            "B, M, N and K, and by P2x2, P4x4, P8x8 and P16x16.",
            plan::ProblemCause::PartitionPartOfProduct},
        ProblemWords{NotEstimable,
            "This plan cannot be estimated: \"{detail}\" cannot be divided by \"{other}\": attention is divided along "
            "B (sequences), M (queries) and H (heads).",
            plan::ProblemCause::PartitionPartOfHeads},
        ProblemWords{NotEstimable,
            "This plan cannot be estimated: \"{detail}\" cannot be divided by \"{other}\": scores and context are "
            "divided along B (sequences), M (queries), H (heads) and J (keys).",
            plan::ProblemCause::PartitionPartOfKeys},
        ProblemWords{NotEstimable,
            "This plan cannot be estimated: \"{detail}\" cannot be divided by \"{other}\": experts are divided along M "
            "(tokens).",
            plan::ProblemCause::PartitionPartOfExperts},
        ProblemWords{NotEstimable,
            "This plan cannot be estimated: \"{detail}\" cannot be divided by \"{other}\": norms, activations and "
            "residuals are divided along B, M and K, or hold copies (-) behind B; primitives are of products.",
            plan::ProblemCause::PartitionPartOfStream},
        ProblemWords{NotEstimable,
            "This plan cannot be estimated: \"{other}\" divides \"{detail}\" over {found rank|ranks}, and TP is "
            "{limit}; "
            "name parts that take all of its ranks: a letter takes 2, P2x2 takes 4, P4x4 takes 16.",
            plan::ProblemCause::PartitionRanks},
        ProblemWords{NotEstimable,
            "This plan cannot be estimated: \"{detail}\" cannot be divided into {limit} equal parts along {other}, "
            "where "
            "it has {found}; name an axis that can be divided so often.",
            plan::ProblemCause::PartitionUneven},
        ProblemWords{NotEstimable,
            "This plan cannot be estimated: \"{detail}\" cannot be divided into {limit} equal parts along B: the "
            "micro-batch has {found sequence|sequences}; raise it, or name another axis.",
            plan::ProblemCause::PartitionUnevenBatch},
        ProblemWords{NotEstimable,
            "This plan cannot be estimated: \"{detail}\" cannot be divided by \"{other}\" over TP {found}; name a "
            "partition that takes all of its ranks and divides it evenly, or none to have the best found.",
            plan::ProblemCause::PartitionOperator},
        ProblemWords{NotEstimable,
            "This plan cannot be estimated yet: node group \"{detail}\" does not state {other}, which offload needs; "
            "state "
            "it, or use offload \"none\".",
            plan::ProblemCause::HostNotStated},
        ProblemWords{NotEstimable,
            "This plan cannot be estimated yet: the step time is no finite number; rates, links and constants of the "
            "plan "
            "are too small or too large.",
            plan::ProblemCause::NotFinite},
        ProblemWords{NotEstimable,
            "This plan cannot be estimated yet: its timeline has up to {found} slices, and {limit} are the most; use "
            "fewer "
            "micro-batches: larger ones, a smaller global batch or more data parallelism.",
            plan::ProblemCause::TimelineTooLong},
        ProblemWords{NotEstimable,
            "This plan cannot be estimated yet: a vocabulary divided over the stages leaves no bound to minimise; use "
            "\"ends\".",
            plan::ProblemCause::DividedVocabulary},
        ProblemWords{NotEstimable,
            "The layers of this plan cannot be split yet: they are divided in space and time, and a split is found for "
            "the \"megatron\" partition only; use that one, or give each stage its layers yourself.",
            plan::ProblemCause::DividedLayers},
        ProblemWords{NotEstimable,
            "This plan cannot be estimated yet: the memory of a split decides how many micro-batches {detail} holds; "
            "give "
            "it a limit.",
            plan::ProblemCause::OpenLimit},
        ProblemWords{NotEstimable,
            "This plan cannot be estimated yet: stages of several chunks have layers from all over the model, and "
            "these "
            "are unlike; use one virtual stage.",
            plan::ProblemCause::UnlikeLayers},
        ProblemWords{NotEstimable,
            "This plan cannot be estimated yet: a TP per stage is chosen where stages have one chunk only.",
            plan::ProblemCause::Chunks},
        ProblemWords{NotEstimable, "This plan cannot be estimated yet."},
    };
}();

/// Divisors of `number` around `near`: up to four at or below, two above.
std::string divisorsNear(double number, double near)
{
    const auto n = static_cast<long long>(number);
    std::vector<long long> divisors;
    for (long long d = 1; d * d <= n; ++d) {
        if (n % d != 0)
            continue;
        divisors.push_back(d);
        if (d != n / d)
            divisors.push_back(n / d);
    }
    std::sort(divisors.begin(), divisors.end());
    const auto above = std::upper_bound(divisors.begin(), divisors.end(), static_cast<long long>(near));
    const auto first = above - std::min<std::ptrdiff_t>(4, above - divisors.begin());
    const auto last = above + std::min<std::ptrdiff_t>(2, divisors.end() - above);
    std::vector<std::string> texts;
    std::transform(first, last, std::back_inserter(texts), [](long long d) { return numberWord(double(d)).text; });
    return alternatives(texts);
}

/// The multiples of `factor` right below and above `number`.
std::string multiplesNear(double number, double factor)
{
    const double below = std::floor(number / factor) * factor;
    std::vector<std::string> texts{numberWord(below + factor).text};
    if (below > 0)
        texts.insert(texts.begin(), numberWord(below).text);
    return alternatives(texts);
}

/// A torus: those that are offered; all that would, where none are.
std::string nodesThatFill(const plan::Problem& p)
{
    std::vector<std::string> texts;
    for (const plan::Remedy& remedy : p.remedies)
        if (remedy.edit == plan::EditKind::Nodes)
            texts.push_back(remedy.value);
    if (!texts.empty())
        return alternatives(texts);
    const std::string more = numberWord(p.limit).text;
    return p.other.empty() ? more : alternatives({p.other, more});
}

Word wordOf(const plan::Problem& p, std::string_view name)
{
    const auto bytes = [](double value) { return Word{format(Bytes(value))}; };
    if (name == "found")
        return numberWord(p.found);
    if (name == "limit")
        return numberWord(p.limit);
    if (name == "left")
        return numberWord(p.limit - p.found);
    if (name == "share")
        return {formatShare(p.limit)};
    if (name == "figure")
        return {formatNumber(p.found)};
    if (name == "bytes")
        return bytes(p.found);
    if (name == "limitBytes")
        return bytes(p.limit);
    if (name == "overBytes")
        return bytes(p.found - p.limit);
    if (name == "divisors")
        return {divisorsNear(p.found, p.limit)};
    if (name == "multiples")
        return {multiplesNear(p.found, p.limit)};
    if (name == "filling")
        return {nodesThatFill(p)};
    if (name == "stage")
        return {std::to_string(p.stage)};
    if (name == "Stage")
        return {p.stage >= 0 ? "Stage " + std::to_string(p.stage) : std::string("A stage")};
    if (name == "where")
        return {p.where};
    return {name == "other" ? p.other : p.detail};
}

struct EditWords {
    plan::EditKind kind{};
    std::string_view pattern;
};

constexpr std::array kEdits{
    EditWords{plan::EditKind::Value, "Use {value}"},
    EditWords{plan::EditKind::ValueAndReplicas, "Use {value}, DP {dp}"},
    EditWords{plan::EditKind::NoVirtualStages, "Use no virtual stages"},
    EditWords{plan::EditKind::SequenceParallelOff, "Turn sequence parallelism off"},
    EditWords{plan::EditKind::SequenceParallelOn, "Turn sequence parallelism on"},
    EditWords{plan::EditKind::Interleaved, "Use the interleaved schedule"},
    EditWords{plan::EditKind::ZbV, "Use ZB-V"},
    EditWords{plan::EditKind::OneFOneB, "Use the 1F1B schedule"},
    EditWords{plan::EditKind::Vocab1, "Divide the vocabulary as Vocab-1 does"},
    EditWords{plan::EditKind::VocabularyAtEnds, "Leave the vocabulary at the ends"},
    EditWords{plan::EditKind::UsualRankOrder, "Use the usual rank order"},
    EditWords{plan::EditKind::EvenLayers, "Split the layers evenly"},
    EditWords{plan::EditKind::EvenBatch, "Give all replicas as many micro-batches"},
    EditWords{plan::EditKind::LayersBySpeed, "Give stages layers by their speed"},
    EditWords{plan::EditKind::BatchBySpeed, "Give replicas micro-batches by their speed"},
    EditWords{plan::EditKind::StagesAlike, "Make the stages alike"},
    EditWords{plan::EditKind::SameTp, "Give all stages the same TP"},
    EditWords{plan::EditKind::AllReplicas, "Shard over all replicas"},
    EditWords{plan::EditKind::NoRecomputation, "Use no recomputation"},
    EditWords{plan::EditKind::SelectiveRecomputation, "Use selective recomputation"},
    EditWords{plan::EditKind::FullRecomputation, "Use full recomputation"},
    EditWords{plan::EditKind::OffloadActivations, "Offload activations"},
    EditWords{plan::EditKind::OffloadOptimizer, "Offload the optimizer"},
    EditWords{plan::EditKind::LowerMicroBatch, "Lower the micro-batch to {number}"},
    EditWords{plan::EditKind::GlobalBatch, "Use a batch of {edited}"},
    EditWords{plan::EditKind::ReplicasAndBatch, "Use DP {dp}, a batch of {edited}"},
    EditWords{plan::EditKind::OneChunkAndReplicas, "Use {value}, DP {dp}, no virtual stages"},
    EditWords{plan::EditKind::RaiseTp, "Raise TP to {number}"},
    EditWords{plan::EditKind::RaisePp, "Raise PP to {number}"},
    EditWords{plan::EditKind::RaiseEp, "Raise EP to {number}"},
    EditWords{plan::EditKind::MegatronPartition, "Use the megatron partition"},
    EditWords{plan::EditKind::NoPartitionsNamed, "Name no partitions"},
    EditWords{plan::EditKind::Software, "Use {edited}"},
    EditWords{plan::EditKind::TorusAxes, "Use a torus of {edited}"},
    EditWords{plan::EditKind::Nodes, "Use {edited} nodes"},
    EditWords{plan::EditKind::LinkedParts, "Link “{edited}” to “{other}”"},
    EditWords{plan::EditKind::JoinedParts, "Join “{edited}” and “{other}” by new switches"},
    EditWords{plan::EditKind::Link, "Use {edited}"},
    EditWords{plan::EditKind::Cables, "Use cables of {edited}"},
};

/// "TP 8"
std::string valueOf(const plan::Remedy& remedy)
{
    return remedy.dimension == plan::Dimension::Etp ? "expert TP " + std::to_string(remedy.strategy.etp)
                                                    : phraseOf(remedy.dimension, remedy.strategy);
}

std::string signedShareOfStep(double change)
{
    return (change < 0 ? "−" : "+") + fixedDecimals(100 * std::abs(change), 1) + " %";
}

} // namespace

std::string describe(const plan::Problem& problem)
{
    const auto row = std::find_if(kProblems.begin(), kProblems.end(), [&](const ProblemWords& words) {
        return words.code == problem.code && (words.cause == plan::ProblemCause::None || words.cause == problem.cause)
            && (words.where.empty() || words.where == problem.where);
    });
    if (row == kProblems.end())
        return {};
    return filled(row->pattern, [&](std::string_view name) { return wordOf(problem, name); });
}

std::string describe(const plan::Remedy& remedy)
{
    const auto row =
        std::find_if(kEdits.begin(), kEdits.end(), [&](const EditWords& words) { return words.kind == remedy.edit; });
    const std::string edit = filled(row->pattern, [&](std::string_view name) {
        return Word{name == "value" ? valueOf(remedy)
                : name == "edited"  ? remedy.value
                : name == "other"   ? remedy.other
                : name == "dp"      ? std::to_string(remedy.strategy.dp)
                                    : std::to_string(number(remedy.dimension, remedy.strategy))};
    });
    if (remedy.lacksMemory)
        return filled("{edit} (does not fit)", {{"edit", {edit}}});
    if (remedy.newSwitches > 0)
        return filled("{edit}, with {count more switch|more switches}",
            {{"edit", {edit}}, {"count", numberWord(remedy.newSwitches)}});
    if (!remedy.gain)
        return edit;
    return filled(remedy.gain->saved ? "{edit}: −{saved}, step {slower}"
            : remedy.globalBatch     ? "{edit}: time per token {slower}"
                                     : "{edit}: step {slower}",
        {{"edit", {edit}}, {"saved", {format(remedy.gain->saved.value_or(Bytes{}))}},
            {"slower", {signedShareOfStep(remedy.gain->perToken.value_or(remedy.gain->slower))}}});
}

} // namespace stratoplan::narration
