// SPDX-License-Identifier: Apache-2.0
// What a layer's tensors take from one operator to the next, by the states of both.
#pragma once

#include "core/partition/division.h"
#include "core/partition/states.h"

#include <memory>
#include <utility>
#include <vector>

namespace stratoplan::partition {

/// From an operator to another one, all tensors of a micro-batch, both passes.
struct Step {
    double seconds = 0, kept = 0;
    double secondsAgain = 0, keptAgain = 0; ///< where the receiver does not keep its inputs, but has them once more
    double remade = 0; ///< bytes that recomputation makes again
};

class LayerSteps {
public:
    /// Refers to both.
    LayerSteps(const Block& block, Layouts& layouts);
    [[nodiscard]] Step between(int from, const State& sender, int to, const State& receiver);
    /// No more than between() of any states of the same shapes: those of what they want, give and make.
    [[nodiscard]] Step least(int from, const State& sender, int to, const State& receiver);
    /// between() in parts: `again` as the second of them.
    [[nodiscard]] PassPrices passes(int from, const State& sender, int to, const State& receiver, bool again);
    /// Bytes that a step keeps, by tensor.
    void addKept(
        int from, const State& sender, int to, const State& receiver, bool again, workload::TensorBytes& kept) const;

    /// Pairs of operators with a tensor between them that do not follow each other.
    [[nodiscard]] const std::vector<std::pair<int, int>>& skips() const { return m_skips; }
    /// Of Division::again. An operator may have inputs of two others.
    [[nodiscard]] std::uint32_t againBit(int from, int to) const;
    [[nodiscard]] const Layouts& layouts() const { return m_layouts; }

private:
    struct Tensor {
        BlockEdge edge;
        HandOver* handOver = nullptr;
    };
    template <class Price>
    [[nodiscard]] Step step(int from, const State& sender, int to, const State& receiver, Price price) const;
    /// The share of its forward hand-over that recomputation repeats.
    [[nodiscard]] double repeated(const Tensor& tensor, int from, int to) const;

    const Block& m_block;
    Layouts& m_layouts;
    std::vector<std::unique_ptr<HandOver>> m_handOvers; ///< of unlike sizes
    std::vector<std::vector<Tensor>> m_tensors; ///< by sender
    std::vector<std::pair<int, int>> m_skips;
};

/// Of given states; `again` as in a division.
[[nodiscard]] Division priced(const Block& block, LayerSteps& steps, const std::vector<std::vector<State>>& states,
    const ChosenStates& chosen, std::uint32_t again);

} // namespace stratoplan::partition
