// SPDX-License-Identifier: Apache-2.0
// The leaf of a search, and the bounds above it: prices many strategies of one plan. A micro-batch of a layer is priced
// once for all strategies that agree in the few degrees it depends on, and the stages of a pipeline once for all that
// agree in their split; what is left for each strategy is the end of its step, its states, and its pipeline. A bound is
// made of the same prices with what is still open left out, so that it lies below every strategy it stands for.
#pragma once

#include "core/cluster/collectives.h"
#include "core/parallel/placement.h"
#include "core/pipeline/pipeline.h"
#include "core/pricing/held_bytes.h"
#include "core/pricing/stage_shares.h"

#include <memory>
#include <optional>
#include <span>

namespace stratoplan {

/// How the passes of a step are placed in time.
enum class PipelineTime {
    ClosedForm, ///< pipelineSeconds(): never above the simulation
    Bound, ///< stepBound(): the same, nearer to it, and dearer
    Simulated, ///< makespan(): what estimate() says
};

[[nodiscard]] Seconds stepSeconds(const PipelineWork& work, PipelineTime time, SharedPrograms* shared = nullptr);

struct StrategyPeak {
    Bytes bytes{}; ///< of the fullest stage
    int stage = 0;
    Bytes host{}; ///< offloaded of the stage that offloads most, per accelerator
    bool operator==(const StrategyPeak&) const = default;
};

struct StrategyPrice {
    Seconds step{};
    Bytes peak{}; ///< of the fullest stage
    int peakStage = 0;
    bool fits = false;
    bool operator==(const StrategyPrice&) const = default;
};

/// Gives what estimate() gives: Simulated the same step time to the last bit, and the same peak but for the order in
/// which bytes are summed. Remembers what it priced, in bounded memory; one object serves one thread.
class StrategyPricer {
public:
    /// The strategy of `plan` plays no part.
    explicit StrategyPricer(const Plan& plan);
    ~StrategyPricer();
    StrategyPricer(const StrategyPricer&) = delete;
    StrategyPricer& operator=(const StrategyPricer&) = delete;

    /// Nothing where the step time is no finite number. Precondition: check() and notEstimable() find no error in the
    /// plan with this strategy.
    [[nodiscard]] std::optional<StrategyPrice> price(const Strategy& strategy, PipelineTime time);

    // The same piece by piece, for a search that settles one dimension after the other.

    [[nodiscard]] const Topology& topology() const;
    [[nodiscard]] Bytes capacity() const; ///< of the smallest accelerator
    [[nodiscard]] Bytes hostCapacity() const; ///< of one accelerator; 0 = not stated

    /// The strategy that the calls below are about. `groups`, which must stay, are GroupSpans of it on topology();
    /// where only bytes or the bounds of a division are asked for, any.
    void choose(const Strategy& strategy, const GroupSpans& groups);
    [[nodiscard]] Seconds step(PipelineTime time); ///< not finite where price() has no answer
    [[nodiscard]] StrategyPeak peak(); ///< where groups lie plays no part

    // Bounds. Each is at most the step, or the peak, of every strategy that agrees with the chosen one in what it
    // names, whatever the rest. They hold to 1e-12 of their value, the rounding of sums in another order.

    /// Nothing: the products of one sequence at the peak rate. Divided by TP and CP, as every rank has at least its
    /// share of each.
    [[nodiscard]] Seconds productSeconds();
    /// TP, CP, its method, micro-batch: one sequence on the whole model, but for the division of the experts.
    /// `leastRanks`, here and below: no strategy that is asked about uses fewer; the same number every time.
    /// `anyVocabulary`: wherever the vocabulary is placed, and not at the ends alone.
    [[nodiscard]] Seconds sequenceSeconds(int leastRanks, bool anyVocabulary = false);
    /// PP, DP and the ranks in all: the step, where a sequence takes that long.
    [[nodiscard]] Seconds stepOfSequences(Seconds each) const;
    // What makes up a bound of peaks (held_bytes.h).
    [[nodiscard]] SequenceBytes sequenceBytes();
    [[nodiscard]] LayerStates layerStates();
    [[nodiscard]] std::vector<HeldLayers> heldLayers();
    /// Of a loop of stages that hold so much or more, in order.
    [[nodiscard]] std::vector<HeldLayers> heldLayers(std::span<const StageShare> stages);
    [[nodiscard]] Bytes leastPeak(std::span<const SequenceBytes> ways, std::span<const LayerStates> states,
        std::span<const HeldLayers> stages, int sequences) const;
    /// TP, CP, its method, EP, expert TP, micro-batch, sequence parallelism: pieces of a micro-batch with nothing
    /// repeated, every group at its best place. Found without lowering the experts.
    [[nodiscard]] PieceSeconds expertPieces(int leastRanks);
    /// The same, recomputation, and how the vocabulary is placed: the pieces, every group at its best place.
    [[nodiscard]] PieceSeconds leastPieces(int leastRanks);
    /// The same with the groups where they are.
    [[nodiscard]] PieceSeconds placedPieces();
    /// Micro-batch, DP and the ranks in all: the step, where some stage takes that long for a micro-batch.
    [[nodiscard]] Seconds stepOfStage(Seconds microBatch) const;
    /// What the stages of the strategy do (stage_shares.h).
    [[nodiscard]] std::vector<StageShare> stageShares();
    /// Degrees, micro-batch, sequence parallelism, recomputation, groups: the mean over the stages, with the groups
    /// where they are. Of all schedules together; `paired`: DualPipe among them, which hides expert traffic.
    [[nodiscard]] Seconds microBatchStep(bool paired);
    /// All but ZeRO. Without gradient synchronisation or shard traffic, the optimizer shared by all replicas: the
    /// closed form, or a bound of what is simulated.
    [[nodiscard]] Seconds pipelineStep(PipelineTime time);
    /// The same, and of a loop of stages whose chunks each do so much or more, in order. The list must stay as it is,
    /// and where it is.
    [[nodiscard]] Seconds leastPipelineStep(const std::vector<ChunkShares>& stages);
    /// The closed form of what either was asked of last, run by another schedule. Both run as a loop in as many chunks,
    /// and passes cost the same: activations are not offloaded.
    [[nodiscard]] Seconds pipelineStepAs(Schedule schedule);

private:
    class Pricing;
    std::unique_ptr<Pricing> m_pricing;
};

} // namespace stratoplan
