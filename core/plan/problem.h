// SPDX-License-Identifier: Apache-2.0
// Every rule a plan can break, as data: a code, the place in the document, the amounts. describe() makes the
// sentence; remedies are edits of the strategy that mend it.
#pragma once

#include "core/plan/plan.h"

#include <string>
#include <string_view>
#include <vector>

namespace stratoplan {

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
    TensorParallelLeavesNode, ///< found: t, limit: scale-up domain
    PrecisionUnsupported, ///< the accelerator has no rate for it; detail: "accelerator / precision"
    StageLayersMismatch, ///< found: sum, limit: L
    OutOfMemory, ///< found: bytes needed, limit: capacity; stage
    OutOfHostMemory, ///< found: bytes offloaded per accelerator, limit: its share of host memory
    MemoryPressure, ///< above 90 % of the capacity
    ZeroWithPipeline, ///< ZeRO-2/3 re-communicates per micro-batch with a pipeline
    PipelineTooLong, ///< its step is a lower bound: too many passes that do not settle; found: m, limit: p
    NotEstimable, ///< valid, but outside the model; detail says why
    EmptyCluster,
    Disconnected, ///< an element of the cluster has no link; detail: its name
    OutOfRange, ///< found: value, limit: the most it may be
    RankOrderIncomplete, ///< found: different axes named, limit: 5
    DuplicateElement, ///< two elements of the cluster have one id; detail: the id
    UnknownElement, ///< a cable ends at an id that no element has; detail: the id
    PortsExceeded, ///< found: cables, limit: ports; detail: name of the switches
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
    UnlikeStagesUnsupported, ///< stages cannot have a TP of their own; detail: why, see describe(); found, limit: the
                             ///< numbers at odds
    VocabularyNotScheduled, ///< the schedule has no room for the passes of a divided vocabulary; detail: "placement /
                            ///< schedule"
};
[[nodiscard]] std::string_view key(ProblemCode code); // "heads_not_divisible", …, "not_estimable", "out_of_memory"

/// One edit that mends a problem, e.g. { "Use selective recomputation", <strategy> }.
struct Remedy {
    std::string label;
    Strategy strategy;
    bool operator==(const Remedy&) const = default;
};

struct Problem {
    ProblemCode code{};
    Severity severity = Severity::Error;
    std::string where; ///< JSON pointer into the plan: "/strategy/tp"
    double found = 0;
    double limit = 0;
    int stage = -1;
    std::string detail; ///< name of the thing, or the reason of NotEstimable
    std::vector<Remedy> remedies;
    bool operator==(const Problem&) const = default;
};

struct CheckOptions {
    bool remedies = true; ///< look for them: every proposal is checked in turn, which a search has no use for
};

/// Every broken rule, errors first. Empty = the plan can be priced. Memory is judged by estimate(), not here.
[[nodiscard]] std::vector<Problem> check(const Plan& plan, const CheckOptions& options = {});
[[nodiscard]] bool hasErrors(const std::vector<Problem>& problems);

/// One English sentence with the object and the amounts: "96 heads cannot be divided over TP 5: use 1, 2, 3, 4 or 6."
[[nodiscard]] std::string describe(const Problem& problem);

} // namespace stratoplan
