// SPDX-License-Identifier: Apache-2.0
// resources/launch/*.json: the settings of each training framework that exports use, by name, with type and choices as
// its source has them. Frameworks that are told by other names what Megatron-LM is told by an argument have its name
// beside theirs.
#pragma once

#include "core/launch/setting.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stratoplan::launch {

enum class FlagType {
    Flag, ///< without a value
    Integer,
    Real,
    Boolean,
    Text,
    Texts, ///< several words
    TextLists,
    Expression ///< of Python
};

struct FlagEntry {
    std::string name; ///< "--bf16", "parallelism.tensor_parallel_degree"
    FlagType type{};
    Words choices; ///< of a text, or of each of several; empty = any
    std::string source; ///< file of the framework, and where in it
    std::string megatron; ///< the argument of Megatron-LM that says the same; empty = none
    std::string when; ///< and the value that it must have; empty = any
    std::optional<Value> value; ///< in place of that argument's own
    std::optional<Value> absent; ///< where that argument is not given
    std::vector<std::pair<std::string, std::string>> renamed; ///< values by other names
};

struct Flavor {
    std::string model, name; ///< "llama3", "405B"
    std::string preset; ///< of the catalogue
    int layers = 0, hidden = 0, heads = 0;
};

struct FlagTable {
    std::string title; ///< "Megatron-LM (megatron-core 0.20)"
    std::string source; ///< repository and commit
    std::vector<FlagEntry> entries;
    std::vector<Flavor> flavors; ///< models that the framework ships
    Words implied; ///< arguments of Megatron-LM that others of the table say, or that mean nothing here
    [[nodiscard]] const FlagEntry* find(std::string_view name) const;
};

/// Nothing of a text that is no such table.
[[nodiscard]] std::optional<FlagTable> parseFlagTable(std::string_view text);
/// Of that file without its ending: "megatron-lm".
[[nodiscard]] const FlagTable& shippedTable(std::string_view name);

/// What is wrong with settings.
struct FlagFault {
    enum class Code { Unknown, Type, Choice, Repeated } code{};
    Setting setting;
};
[[nodiscard]] std::vector<FlagFault> faults(const Settings& settings, const FlagTable& table);

/// What another framework is told in place of the arguments of Megatron-LM, and those it has no setting for.
struct Derived {
    Settings settings;
    Settings left;
};
[[nodiscard]] Derived derived(const Settings& megatron, const FlagTable& table);

} // namespace stratoplan::launch
