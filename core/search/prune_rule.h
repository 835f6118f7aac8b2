// SPDX-License-Identifier: Apache-2.0
// Why strategies are dropped without being priced whole. Every rule keeps the optimum, all that equals it, and the
// whole front; each can be switched off, which changes how much is priced and nothing else (resources/docs/SEARCH.md).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace stratoplan::search {

enum class PruneRule {
    /// Peak memory, which no link and no rank order changes, exceeds the limit: by the bound of a division, or exactly.
    OutOfMemory,
    /// Even its computation alone, shared evenly, takes longer than what is known to be possible in as little memory.
    DivisionBound,
    /// The same with the traffic within its layers.
    MicroBatchBound,
    /// The closed form of its pipeline, no gradient synchronised yet.
    PipelineBound,
    /// In closed form GPipe and eager 1F1B take as long as 1F1B, and breadth-first as long as interleaving in as many
    /// chunks; what
    /// differs is the memory, and they need more.
    SameClosedForm,
    /// Its rank order puts every group where another one does.
    SamePlacement,
    /// More layers of every stage are recomputed in full than in a strategy that differs in nothing else, and takes as
    /// long already.
    MoreRecomputation,
    /// Its closed form, which no simulation undercuts.
    ClosedFormBound,
    /// The deadline, or more accelerators than needed.
    Objective,
};
inline constexpr std::size_t kPruneRules = 9;

[[nodiscard]] std::string_view key(PruneRule rule); // "out_of_memory", …

using PruneCounts = std::array<std::int64_t, kPruneRules>; ///< strategies, by rule

} // namespace stratoplan::search
