// SPDX-License-Identifier: Apache-2.0
// What updates the weights: the states it keeps beside each of them, what a step of it moves through memory, and what
// it computes. Sizes are those of Adam in a stack, with the moments of another optimizer in place of Adam's.
#pragma once

#include "core/units/quantity.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

namespace stratoplan::plan {

enum class Optimizer {
    Adam, ///< Adam and AdamW: two FP32 moments
    Adam8Bit, ///< both in 8 bits, with an FP32 scale for every 256 of them (Dettmers et al., arXiv 2110.02861;
              ///< bitsandbytes, block size 256)
    Adafactor, ///< no first moment, the second by sums over rows and columns (Shazeer and Stern, arXiv 1804.04235)
    Muon, ///< an FP32 momentum, orthogonalised; Adam for embeddings and output projection (arXiv 2502.16982)
    Sgd, ///< with an FP32 momentum
};
inline constexpr std::array kOptimizers{
    Optimizer::Adam, Optimizer::Adam8Bit, Optimizer::Adafactor, Optimizer::Muon, Optimizer::Sgd};
[[nodiscard]] std::string_view key(Optimizer optimizer); // "adam", "adam_8bit", "adafactor", "muon", "sgd"
[[nodiscard]] std::string_view title(Optimizer optimizer); // "Adam", "8-bit Adam", …
[[nodiscard]] std::optional<Optimizer> optimizerFromKey(std::string_view key);

/// Whose states a parameter has: Muon leaves the tables of embeddings and output projection to Adam.
enum class Updated { Layers, Tables };

inline constexpr double kMasterBytes = 4, kMomentBytes = 4; // in FP32

/// Bytes per parameter of its moments, before a stack keeps them narrower.
struct Moments {
    double first = 0, second = 0;
};

[[nodiscard]] constexpr Moments momentsOf(Optimizer optimizer, Updated updated)
{
    constexpr double kNarrow = 1 + 4.0 / 256;
    switch (optimizer) {
    case Optimizer::Adam:
        break;
    case Optimizer::Adam8Bit:
        return {kNarrow, kNarrow};
    case Optimizer::Adafactor:
        return {};
    case Optimizer::Muon:
        return {kMomentBytes, updated == Updated::Tables ? kMomentBytes : 0};
    case Optimizer::Sgd:
        return {kMomentBytes, 0};
    }
    return {kMomentBytes, kMomentBytes};
}

/// Bytes per parameter between steps.
struct OptimizerState {
    double master = 0; ///< FP32 weight
    double first = 0, second = 0; ///< moments
    double copies = 0; ///< whatever else the stack keeps
    [[nodiscard]] double total() const { return master + first + second + copies; }
};
/// `withAdam`: bytes that the stack keeps with Adam, 12 or more; fewer are moments that it keeps narrower. Sums over
/// rows and columns, below 0.01 byte a parameter of matrices from 1,024 wide on, are left out.
[[nodiscard]] constexpr OptimizerState optimizerState(Optimizer optimizer, double withAdam, Updated updated)
{
    const Moments moments = momentsOf(optimizer, updated);
    const double narrower = std::clamp((withAdam - kMasterBytes) / (2 * kMomentBytes), 0.0, 1.0);
    // A stack that keeps its moments in fewer bytes does not narrow those that are narrow by themselves.
    const double most = kMomentBytes * narrower;
    return {std::min(withAdam, kMasterBytes), std::min(moments.first, most), std::min(moments.second, most),
        std::max(0.0, withAdam - kMasterBytes - 2 * kMomentBytes)};
}

/// Bytes per parameter that a step moves, of a stack that moves `withAdam` with Adam. Of the least of 30, 14 are the
/// gradient, the master weight both ways and the 16-bit weight, and 16 the moments both ways. Adafactor reads the
/// gradient twice more, for the sums of squares and for the clipping of the update.
[[nodiscard]] constexpr double optimizerTraffic(Optimizer optimizer, double withAdam, Updated updated)
{
    constexpr double kWeights = 14, kBothWays = 2, kGradient = 4;
    const Moments moments = momentsOf(optimizer, updated);
    const double again = optimizer == Optimizer::Adafactor ? 2 * kGradient : 0;
    const double least = kWeights + kBothWays * (moments.first + moments.second) + again;
    return withAdam * (least / (kWeights + kBothWays * 2 * kMomentBytes));
}

/// FLOPs in which Muon orthogonalises the momentum of one matrix: five Newton-Schulz iterations of X Xᵀ, its square
/// and their product with X, with the shorter side first: 5 (4 m² n + 2 m³) (Keller Jordan, Muon, 2024).
[[nodiscard]] Flops orthogonalisation(double rows, double columns);

} // namespace stratoplan::plan
