// SPDX-License-Identifier: Apache-2.0
// How a training step is divided over ranks. Symbols: t TP, c CP, e EP, p PP, d DP, v virtual stages.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stratoplan::parallel {

enum class Recompute { None, Selective, Full };
enum class Schedule {
    GPipe,
    OneFOneB,
    Interleaved,
    EagerOneFOneB,
    BreadthFirst,
    ZbH1,
    ZbH2,
    ZbAuto,
    ZbV,
    VHalf,
    VMin,
    DualPipe,
    DualPipeV
};
enum class TensorPartition { Megatron, SpatialTemporal };
enum class Offload { None, Activations, Optimizer };
/// How context-parallel ranks see all keys: blocks travel round a ring behind attention (2310.01889); keys and values
/// are gathered before it (Llama 3, 2407.21783); tokens are exchanged for heads and back (Ulysses, 2309.14509).
enum class ContextMethod { Ring, AllGather, Ulysses };
/// Where the embedding and the output projection are: on the first and the last stage, or divided by vocabulary over
/// all stages. All stages then work out the loss of a micro-batch together, behind their other passes with two
/// synchronisations or with one (algorithms 1 and 2 of Yeung et al., 2411.05288), or all at the same moment, as tensor
/// parallelism does (the interlaced pipeline of nnScaler, OSDI 2024).
enum class VocabularyPlacement { Ends, Vocab1, Vocab2, Interlaced };
enum class Axis { Tp, Cp, Ep, Dp, Pp };

[[nodiscard]] std::string_view key(Recompute value); // "none", "selective", "full"
[[nodiscard]] std::string_view key(Schedule value); // "gpipe", "1f1b", "interleaved", "zb-h1", …
[[nodiscard]] std::string_view key(TensorPartition value); // "megatron", "spatial-temporal"
[[nodiscard]] std::string_view key(Offload value); // "none", "activations", "optimizer"
[[nodiscard]] std::string_view key(ContextMethod value); // "ring", "all-gather", "ulysses"
[[nodiscard]] std::string_view key(VocabularyPlacement value); // "ends", "vocab-1", "vocab-2", "interlaced"
[[nodiscard]] std::string_view key(Axis value); // "tp", "cp", "ep", "dp", "pp"
[[nodiscard]] std::optional<Recompute> recomputeFromKey(std::string_view key);
[[nodiscard]] std::optional<Schedule> scheduleFromKey(std::string_view key);
[[nodiscard]] std::optional<Axis> axisFromKey(std::string_view key);

/// How the tensor-parallel group divides one operator of a layer in space and time (core/partition).
struct OperatorPartition {
    std::string op; ///< its name
    std::string sequence; ///< "K,P2x2"; of others than products the axis of each bit
    // Inputs that are handed over again for the backward pass instead of being kept:
    bool againFromBefore = false; ///< those of the operator before it
    bool againFromSkip = false; ///< those of an earlier one
    bool operator==(const OperatorPartition&) const = default;
};

struct Strategy {
    int tp = 1;
    int pp = 1;
    int dp = 1;
    int cp = 1;
    ContextMethod contextMethod = ContextMethod::Ring; ///< matters where cp > 1
    int ep = 1; ///< expert parallel degree, inside dp x cp
    int etp = 1; ///< tensor parallel degree of the experts
    int vpp = 1; ///< model chunks per pipeline stage
    int microBatch = 1; ///< sequences per micro-batch of one data-parallel rank
    int zeroStage = 0; ///< 0–3; 3 = FSDP
    int zeroShards = 0; ///< replicas that share out what ZeRO shards, the innermost ones (HSDP); 0 = all of them
    bool sequenceParallel = false;
    Recompute recompute = Recompute::None;
    Schedule schedule = Schedule::OneFOneB;
    int inFlightLimit = 0; ///< of ZB-auto: micro-batches whose activations a stage may hold; 0 = as many as its memory
                           ///< has room for, at most 2 pp
    bool timingPass = false;
    TensorPartition tensorPartition = TensorPartition::Megatron;
    std::vector<OperatorPartition> operatorPartitions; ///< of a spatial-temporal partition; empty = the best
    Offload offload = Offload::None;
    VocabularyPlacement vocabularyPlacement = VocabularyPlacement::Ends; ///< matters where pp > 1
    std::vector<int> stageLayers; ///< layers per stage; empty = even
    std::vector<Recompute> stageRecompute; ///< per stage, in place of `recompute`; empty = the same for all
    /// Layers per stage that are recomputed in full, from its first one on: of a stage with full recomputation the
    /// others keep everything (Megatron-LM's --recompute-method block), of one with selective recomputation they are
    /// recomputed selectively. Empty = none of them is told apart.
    std::vector<int> recomputedLayers;
    /// TP per stage: it keeps its devices, so that DP changes inversely and the micro-batch of one of its replicas with
    /// TP; empty = tp.
    std::vector<int> stageTp;
    /// Micro-batches of a step that each replica runs, along DP; empty = as many each. Those of replicas on slow nodes
    /// may be fewer.
    std::vector<int> replicaMicroBatches;
    std::vector<Axis> rankOrder{Axis::Tp, Axis::Cp, Axis::Ep, Axis::Dp, Axis::Pp}; ///< innermost first
    bool operator==(const Strategy&) const = default;
};

/// The strategy whose tensor-parallel ranks divide each operator so in space and time, or in the best way, where none
/// is named.
[[nodiscard]] Strategy spatialTemporal(Strategy strategy, std::vector<OperatorPartition> operators = {});
/// The same strategy with Megatron's partition.
[[nodiscard]] Strategy asMegatron(Strategy strategy);

/// Ranks the strategy uses: t c p d.
[[nodiscard]] inline int rankCount(const Strategy& s)
{
    return s.tp * s.cp * s.pp * s.dp;
}

/// The split is even, and every stage is like the others.
void makeStagesAlike(Strategy& strategy);
/// One kind of recomputation for all layers of all stages.
void recomputeAll(Strategy& strategy, Recompute recompute);

/// How the layers of a stage, or of a chunk, are recomputed.
struct StageRecompute {
    Recompute others = Recompute::None; ///< all but
    int full = 0; ///< so many from the first one on, which are recomputed in full
    bool operator==(const StageRecompute&) const = default;
};
[[nodiscard]] StageRecompute stageRecompute(const Strategy& strategy, int stage);
/// Of each chunk of a stage, which have so many layers. They share out what the stage recomputes in full as evenly as
/// they can; in a two-way schedule the second chunk is recomputed as the stage is whose layers it holds.
[[nodiscard]] std::vector<StageRecompute> chunkRecompute(
    const Strategy& strategy, int stage, const std::vector<int>& layers);
/// Of the chunks of a stage that is recomputed so, but for a two-way schedule.
[[nodiscard]] std::vector<StageRecompute> shareRecompute(const StageRecompute& stage, const std::vector<int>& layers);
/// Whether stages or their layers are recomputed unlike.
[[nodiscard]] inline bool mixesRecompute(const Strategy& s)
{
    return !s.stageRecompute.empty() || !s.recomputedLayers.empty();
}
/// The kinds of recomputation in use: a bit for each, 1 << int(kind).
[[nodiscard]] unsigned recomputeKinds(const Strategy& strategy);
inline constexpr std::array kAllRecompute{Recompute::None, Recompute::Selective, Recompute::Full};
inline constexpr std::size_t kRecomputeKinds = kAllRecompute.size();

/// The strategy that a stage has: with its own TP, and the DP and micro-batch that follow. All stages have the same
/// where stageTp is empty.
[[nodiscard]] Strategy stageStrategy(const Strategy& strategy, int stage);

/// Stages that share out each vocabulary table: all of them, or one.
[[nodiscard]] inline int vocabularyStages(const Strategy& s)
{
    return s.vocabularyPlacement == VocabularyPlacement::Ends ? 1 : s.pp;
}
/// Micro-batches that every stage runs forward beyond its schedule's own while the loss is worked out: one for each
/// synchronisation of all stages (2411.05288, section 5), p / 2 of the interlaced pipeline.
[[nodiscard]] int vocabularyLookahead(const Strategy& strategy);

/// Layers of each stage that make the slowest stage as fast as can be, then the second slowest, …. `beside` is what
/// each stage does beside its layers, in layers. Of stages that are alike the later ones get the spare layers: they
/// hold fewer micro-batches.
[[nodiscard]] std::vector<int> balancedStageLayers(int layers, const std::vector<double>& beside);

/// Layers of each stage (all its chunks together). An uneven model gives the spare layers to the middle
/// stages, whose ranks carry neither embedding nor output projection; in a V the first stage, which carries both, gets
/// fewest.
[[nodiscard]] std::vector<int> stageLayers(const Strategy& strategy, int layers);

/// Layers of each model chunk of a stage (0-based), in the order the data passes them. The chunk with the embedding and
/// the one with the output projection come last when layers do not divide; they may hold none. In a two-way schedule
/// the second chunk is that of the stage at the same distance from the other end, and stageLayers() are those of one
/// way.
[[nodiscard]] std::vector<int> chunkLayers(const Strategy& strategy, int layers, int stage);
/// The same, of stages with so many layers.
[[nodiscard]] std::vector<int> chunkLayers(const Strategy& strategy, const std::vector<int>& perStage, int stage);

} // namespace stratoplan::parallel
