// SPDX-License-Identifier: Apache-2.0
// One setting of a training framework by the name that the framework gives it, and lists of them as the text of its
// files: arguments, JSON, TOML, YAML, Python. Names of nested settings are joined by points: "zero_optimization.stage".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace stratoplan::launch {

/// An argument without a value.
struct Flag {
    bool operator==(const Flag&) const = default;
};
/// What Python reads as it stands: "torch.nn.functional.silu".
struct Code {
    std::string text;
    bool operator==(const Code&) const = default;
};
using Words = std::vector<std::string>;

using Value = std::variant<Flag, bool, std::int64_t, double, std::string, Code, Words, std::vector<Words>>;

struct Setting {
    std::string name;
    Value value;
    bool operator==(const Setting&) const = default;
};
using Settings = std::vector<Setting>;

/// Null if there is none of that name.
[[nodiscard]] const Setting* find(const Settings& settings, std::string_view name);
void remove(Settings& settings, std::string_view name);
/// Its number, or `otherwise`.
[[nodiscard]] std::int64_t numberOf(const Settings& settings, std::string_view name, std::int64_t otherwise);

/// Text of a value alone: "8", "1.5", "true"; words with spaces between them.
[[nodiscard]] std::string textOf(const Value& value);
/// "--micro-batch-size 1", "--bf16"
[[nodiscard]] std::string argumentText(const Setting& setting);

/// One argument a line.
[[nodiscard]] std::string argumentLines(const Settings& settings);
/// The same as elements of an array of bash, quoted where bash would read them otherwise.
[[nodiscard]] std::string shellLines(const Settings& settings, std::string_view indent);
/// Each name and each value as an element of a list of YAML.
[[nodiscard]] std::string yamlArguments(const Settings& settings, std::string_view indent);
[[nodiscard]] std::string jsonText(const Settings& settings);
/// A table for all names that begin alike, in the order in which they come first.
[[nodiscard]] std::string tomlText(const Settings& settings);
[[nodiscard]] std::string yamlText(const Settings& settings);
/// "OBJECT.name = value" a line.
[[nodiscard]] std::string pythonAssignments(const Settings& settings, std::string_view object, std::string_view indent);
[[nodiscard]] std::string pythonText(const Value& value);

} // namespace stratoplan::launch
