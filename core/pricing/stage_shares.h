// SPDX-License-Identifier: Apache-2.0
// What the stages of a pipeline do for a micro-batch, counted in pieces of the model: the bound of a step from the
// seconds of its pieces alone.
#pragma once

#include "core/plan/plan.h"
#include "core/units/quantity.h"

#include <span>
#include <vector>

namespace stratoplan::pricing {

/// How often a stage runs each piece.
struct StageShare {
    int denseLayers = 0, moeLayers = 0;
    int lookUps = 0, predictions = 0;
    int predictionModules = 0;
    bool operator==(const StageShare&) const = default;
};

/// Both passes of each piece for one micro-batch, and what is repeated of them.
struct PieceSeconds {
    Seconds denseLayer{}, moeLayer{};
    Seconds embedding{}, head{};
    Seconds merge{};
    Seconds moePairable{}; ///< of `moeLayer`: traffic that passes hide that run together with its own, and with it what
                           ///< its place costs
};

[[nodiscard]] inline Seconds operator*(const StageShare& share, const PieceSeconds& pieces)
{
    return pieces.denseLayer * share.denseLayers + pieces.moeLayer * share.moeLayers + pieces.embedding * share.lookUps
        + pieces.head * share.predictions + pieces.merge * share.predictionModules;
}

/// The whole model, its output projection and embedding once for every stage that shares them.
[[nodiscard]] StageShare wholeModel(const plan::Plan& plan);

/// Of no piece more than the other stage.
[[nodiscard]] bool doesNoMore(const StageShare& a, const StageShare& b);

/// Of these stages those that do more of something than every other one.
[[nodiscard]] std::vector<StageShare> busiest(std::span<const StageShare> stages);

/// Of a stage each of its chunks, in order.
using ChunkShares = std::vector<StageShare>;
/// Of each stage all its chunks together.
[[nodiscard]] std::vector<StageShare> wholeStages(const std::vector<ChunkShares>& stages);

/// All stages of a loop with the vocabulary at its ends, in order: with so many layers each, which come in so many
/// chunks (chunkLayers()). At least two stages.
[[nodiscard]] std::vector<ChunkShares> loopShares(
    const model::Transformer& model, std::span<const int> layers, int chunks);

/// Of the stages of the plan, but for those that do no more of anything than another one. In a two-way schedule, where
/// a stage runs one of its two chunks for a micro-batch, both chunks. Links play no part.
[[nodiscard]] std::vector<StageShare> stageShares(const plan::Plan& plan);

} // namespace stratoplan::pricing
