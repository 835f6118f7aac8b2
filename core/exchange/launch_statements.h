// SPDX-License-Identifier: Apache-2.0
// What a launch file states: its settings in their order, each with its place. Reading one marks it, so that what had
// no effect can be listed; what is wrong with a value, what contradicts another and what was filled in is collected.
#pragma once

#include "core/exchange/document.h"

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stratoplan::exchange::launchfile {

struct Statement {
    std::string name; ///< "--bf16", "parallelism.tensor_parallel_degree"
    std::vector<std::string> values; ///< none of a flag; lists inside a list have a kListEnd behind each
    int line = 0; ///< 0 = its place is its name
};
inline constexpr std::string_view kListEnd = "|";

class Statements {
public:
    using Names = std::initializer_list<std::string_view>;

    Statements(std::vector<Statement> all, std::string_view file);

    /// The last one under any of the names, as parsers take it; null where there is none.
    const Statement* find(Names names);
    /// The same, without marking it as read.
    [[nodiscard]] const Statement* look(Names names) const;
    [[nodiscard]] bool has(Names names) { return find(names) != nullptr; }
    /// Whether that text has to do with any setting: is a value, or is made of flags and values.
    [[nodiscard]] bool hasValue(std::string_view text) const;
    /// A whole number of at least `least`; an error where it is something else.
    std::optional<int> number(Names names, int least = 1);
    std::optional<double> real(Names names);
    /// "true" or "false", as JSON, TOML and Python write them; a flag without a value is true.
    std::optional<bool> truth(Names names);
    /// All words of the value, with spaces between them; empty where there is none.
    std::string word(Names names);

    /// Of the last one under any of the names; where there is none, the first name.
    [[nodiscard]] std::string placeOf(Names names) const;
    /// "name=value", listed as not in the file.
    void note(std::string_view name, const std::string& value);
    void fail(const Statement& statement, const std::string& expected);
    void fail(const Statement& statement, const std::string& found, const std::string& expected);
    void fail(const std::string& place, const std::string& found, const std::string& expected);
    /// The same of what does not keep a plan from being made.
    void warn(const Statement& statement, const std::string& found, const std::string& expected);
    void warn(const std::string& place, const std::string& found, const std::string& expected);

    /// "--flag value" of what nobody read.
    [[nodiscard]] std::vector<std::string> unread() const;
    [[nodiscard]] const std::vector<std::string>& notes() const { return m_notes; }
    [[nodiscard]] DocumentErrors& errors() { return m_errors; }
    [[nodiscard]] DocumentErrors& warnings() { return m_warnings; }

private:
    [[nodiscard]] DocumentError fault(const std::string& place, std::string found, std::string expected) const;

    std::vector<Statement> m_all;
    std::vector<bool> m_read;
    std::string m_file;
    std::vector<std::string> m_notes;
    DocumentErrors m_errors, m_warnings;
};

/// "line 3, --bf16", or its name alone.
[[nodiscard]] std::string placeOf(const Statement& statement);
/// "--flag value" as it stands there.
[[nodiscard]] std::string textOf(const Statement& statement);

} // namespace stratoplan::exchange::launchfile
