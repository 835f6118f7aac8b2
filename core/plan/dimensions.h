// SPDX-License-Identifier: Apache-2.0
// The dimensions of a strategy: one table of what files, searches, forms and texts need to know of each. Whatever
// handles all of them goes through it; a new one is a member of Strategy, of SearchSpace where searches vary it, and a
// row.
#pragma once

#include "core/plan/plan.h"
#include "core/plan/search_space.h"
#include "core/units/named.h"

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace stratoplan::plan {

/// Where a value is in a strategy, and in a space the values to try; null: nowhere.
template <class Value, class Values = std::vector<Value>>
struct Place {
    Value parallel::Strategy::*field = nullptr;
    Values SearchSpace::*choice = nullptr;
};

using AnyPlace = std::variant<Place<int, IntChoice>, Place<int>, Place<bool>, Place<parallel::Recompute>,
    Place<parallel::Schedule>, Place<parallel::TensorPartition>, Place<parallel::Offload>,
    Place<parallel::ContextMethod>, Place<parallel::VocabularyPlacement>, Place<model::Precision>,
    Place<std::vector<parallel::Axis>>, Place<std::vector<int>, IntChoice>, Place<std::vector<parallel::Recompute>>,
    Place<std::vector<parallel::OperatorPartition>>>;

/// What a space tries where it lists no values.
enum class WhereOpen {
    All,
    Usual, ///< what Strategy{} has
    Plans, ///< what the plan has
};

struct DimensionRow {
    Dimension id{};
    std::string_view key{}; ///< in files: "micro_batch"
    AnyPlace place{};
    std::string_view noun{}; ///< "tensor parallelism"
    /// A value of it, in place of {}: "TP {}", "the {} partition". A switch that is on: "the timing pass".
    std::string_view phrase{};
    /// The same in a summary, where the value is not the usual one; empty: summaries have words of their own.
    std::string_view brief{};
    WhereOpen whereOpen = WhereOpen::All;
    std::string_view otherwise{}; ///< what a space leaves it at unless it lists values: "none"
    bool isSparse = false; ///< files leave the usual value out
    bool canEmpty = true; ///< its values may leave a space without a strategy
    /// Whether it plays a part in the price; null: always.
    bool (*matters)(const parallel::Strategy&, const model::Transformer&) = nullptr;
    /// Gives a strategy that has nothing but a value of it what the value needs to be legal; null: no value is judged
    /// by itself.
    void (*support)(parallel::Strategy&) = nullptr;
    std::vector<int> (*values)(const Plan&) = nullptr; ///< worth offering, rising; null: every one there is
    /// What else a new value changes, by hand, of the strategy that has it already; null: nothing.
    void (*follow)(parallel::Strategy&, const Plan& before) = nullptr;
};

/// All rows, in the order in which spaces and reasons name them.
[[nodiscard]] std::span<const DimensionRow> dimensions();
[[nodiscard]] const DimensionRow& dimension(Dimension id);
/// Those that are members of a strategy, in the order of files.
[[nodiscard]] std::span<const Dimension> dimensionsOfFiles();
/// The whole numbers that a person drags.
inline constexpr std::array kDraggedDimensions{Dimension::Tp, Dimension::Pp, Dimension::Dp, Dimension::Cp,
    Dimension::Ep, Dimension::Etp, Dimension::Vpp, Dimension::MicroBatch, Dimension::ZeroStage};

[[nodiscard]] bool isSwitch(const DimensionRow& row);
/// Whether it is a member of a strategy that spaces vary.
[[nodiscard]] bool isSearched(const DimensionRow& row);
/// Of an enumeration or a switch every value, as a number; of others none.
[[nodiscard]] std::vector<int> choicesOf(const DimensionRow& row);

[[nodiscard]] std::string_view key(Dimension id); // as in files: "tp", "micro_batch", "zero_stage", …
/// Of those that can be locked.
[[nodiscard]] std::optional<Dimension> lockableFromKey(std::string_view key);

} // namespace stratoplan::plan

namespace stratoplan {

template <>
[[nodiscard]] inline std::vector<model::Precision> allValues()
{
    return {model::kPrecisions.begin(), model::kPrecisions.end()};
}

} // namespace stratoplan

namespace stratoplan::plan {

// Of a strategy

[[nodiscard]] bool isUsual(const DimensionRow& row, const parallel::Strategy& strategy);
void makeUsual(const DimensionRow& row, parallel::Strategy& strategy);
[[nodiscard]] bool matters(
    const DimensionRow& row, const parallel::Strategy& strategy, const model::Transformer& model);
/// A number, an enumerator or a switch as a number; 0 of lists.
[[nodiscard]] int number(Dimension id, const parallel::Strategy& strategy);
void setNumber(Dimension id, parallel::Strategy& strategy, int number);
/// "8", "1f1b", "on", "12 12 11", "tp-cp-ep-dp-pp"
[[nodiscard]] std::string valueText(const DimensionRow& row, const parallel::Strategy& strategy);
/// "TP 8", "schedule 1f1b", "no timing pass"
[[nodiscard]] std::string phraseOf(Dimension id, const parallel::Strategy& strategy);
[[nodiscard]] std::string briefOf(const DimensionRow& row, const parallel::Strategy& strategy);

/// The strategy as a space reports it: what plays no part in its price is as usual, and of several ways to write the
/// same it has the shortest.
[[nodiscard]] parallel::Strategy canonical(parallel::Strategy strategy, const model::Transformer& model);

/// Values to offer, rising: of a degree those that divide what they must, and the powers of two within the cluster
/// (which may break a rule: they stay reachable). The current value is among them.
[[nodiscard]] std::vector<int> offeredValues(const Plan& plan, Dimension id);
/// Ranks that may share out what ZeRO shards, rising: divisors of d c, the whole of it last.
[[nodiscard]] std::vector<int> shardValues(const parallel::Strategy& strategy);
/// The strategy with the value set by hand. A new TP, PP or CP gives DP all the replicas that the cluster then holds
/// (exactly t c p d = accelerators where that divides); a new PP drops all that is told of single stages, a new TP
/// their own degrees and the partitions of single operators, which a new tensor partition drops, too, a new
/// recomputation what stages do otherwise; more than one virtual stage turns 1F1B into the interleaved schedule, one
/// turns it back; interleaving takes the fewest virtual stages that divide the layers, a schedule that settles the
/// chunks of a stage itself one.
[[nodiscard]] parallel::Strategy withValue(const Plan& plan, Dimension id, int value);

// Of a space

/// Whether the space lists values, or bounds them.
[[nodiscard]] bool isRestricted(const DimensionRow& row, const SearchSpace& space);
[[nodiscard]] bool isLocked(const DimensionRow& row, const SearchSpace& space);
/// As a space is that says nothing of it.
void makeFree(const DimensionRow& row, SearchSpace& space);
/// Every value of an enumeration or a switch.
void listAll(const DimensionRow& row, SearchSpace& space);
/// The value of the strategy alone.
void restrictTo(const DimensionRow& row, SearchSpace& space, const parallel::Strategy& strategy);
/// As numbers; of bounds the least.
[[nodiscard]] std::vector<int> listedValues(const DimensionRow& row, const SearchSpace& space);
/// Whether the space tries the strategy's value; `plan` has it where a space that lists none leaves it alone.
[[nodiscard]] bool allows(const DimensionRow& row, const SearchSpace& space, const parallel::Strategy& strategy,
    const parallel::Strategy& plan);

} // namespace stratoplan::plan
