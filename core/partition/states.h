// SPDX-License-Identifier: Apache-2.0
// The ways in which a group can divide one operator of a layer, and what each costs.
#pragma once

#include "core/partition/block.h"
#include "core/partition/hand_over.h"
#include "core/partition/linear_cost.h"
#include "core/partition/pass_price.h"

#include <optional>
#include <stop_token>
#include <string>

namespace stratoplan::partition {

/// One way. Inputs are numbered as the block's edges say.
struct State {
    int way = 0; ///< its number among those of its kind (describe())
    std::array<int, 2> wants{}; ///< layouts in which it takes its inputs
    std::array<Sums, 2> gives{}; ///< of the inputs' gradients
    Sums makes; ///< its output; gradients come in the same layout, summed up
    double seconds = 0; ///< of a micro-batch: both passes, what is repeated, and its share of `sums`
    double alone = 0; ///< the same without that share
    double sums = 0; ///< seconds of gradients that are summed up after the last micro-batch
    double parameters = 0; ///< on each rank
    double kept = 0; ///< bytes of a micro-batch, beside what edges keep
    double remade = 0; ///< bytes that recomputation makes again
    double working = 0; ///< bytes alive while it runs: gradients, second copies of blocks that move
    void spread(int microBatches) { seconds = alone + sums / microBatches; }
};

/// Of a group of 2^bits ranks at one place.
struct GroupPricing {
    const cost::Machine& machine;
    const plan::SoftwareProfile& software;
    Layouts& layouts;
    int bits = 0;
    cluster::Span context{}; ///< the group of context parallelism that each rank is in
};

/// Digits that each axis of a layer's activations may be cut by.
[[nodiscard]] std::array<int, kAxes> mostDigits(const Block& block);

/// What sequences do to a group, whatever the operator: found once.
class Sequences {
public:
    /// Asked to stop, it has not all of them, and is good for nothing.
    Sequences(int bits, Layouts& layouts, const std::stop_token& stop = {});
    struct Entry {
        Entry(Sequence itsSequence, Layouts& layouts);
        Sequence sequence;
        LinearTraffic traffic;
        int wants = 0;
        Sums gives, makes;

    private:
        Entry(Sequence itsSequence, const LinearPartition& partition, Layouts& layouts);
    };
    [[nodiscard]] const std::vector<Entry>& all() const { return m_entries; }

private:
    std::vector<Entry> m_entries;
};

/// All ways that divide the operator evenly, in a fixed order. Of norms, activations and residuals also those in which
/// the last bits hold copies and the others cut the batch, as ranks of Megatron do without sequence parallelism.
[[nodiscard]] std::vector<State> states(
    const Block& block, const BlockOperator& op, const Sequences& sequences, const GroupPricing& pricing);

/// Each way to cut a product over 2^bits ranks and their steps, once, whatever the order of its parts; nothing travels.
[[nodiscard]] std::vector<LinearTraffic> cuts(int bits);
/// What the operators of a block compute, both passes and what is repeated: in no states of theirs less, wherever the
/// group is.
struct LeastCompute {
    Seconds all{};
    Seconds attention{}, attentionBackward{}; ///< of it, beside which ranks of context parallelism exchange tensors
};
[[nodiscard]] LeastCompute leastCompute(
    const Block& block, const std::vector<LinearTraffic>& cuts, const GroupPricing& pricing);

/// "K,P2x2"; of others than linear operators the axis of each bit: "B,M,H", J for keys, "-" where ranks hold copies.
[[nodiscard]] std::string describe(const BlockOperator& op, int way, const Sequences& sequences, int bits);

/// A way by itself, with its passes in parts; their seconds are those of the state. Nothing hands on or sums up here
/// what goes from one operator to the next.
struct PricedState {
    State state; ///< its way is no number of Sequences
    PassPrices passes;
};
/// That describe() has this text for; nothing where it is none, or does not divide the operator evenly.
[[nodiscard]] std::optional<PricedState> pricedState(
    const Block& block, const BlockOperator& op, const std::string& text, const GroupPricing& pricing);

/// Why there is none, as far as a part of the text tells.
struct WayReason {
    enum class Kind {
        Other,
        Part, ///< the operator is not divided by that part
        Ranks, ///< the parts take so many ranks together
        Uneven, ///< that axis is so long, and cut into so many parts
    } kind = Kind::Other;
    std::string part{}; ///< "P2x2", "B"
    double found = 0;
    double limit = 0; ///< of Uneven: parts
    bool operator==(const WayReason&) const = default;
};
/// Precondition: pricedState() has nothing of them.
[[nodiscard]] WayReason againstWay(const Block& block, const BlockOperator& op, const std::string& text, int bits);

} // namespace stratoplan::partition
