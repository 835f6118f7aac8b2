// SPDX-License-Identifier: Apache-2.0
#include "core/exchange/launch_statements.h"

#include "core/catalog/quote.h"
#include "core/units/text.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace stratoplan::exchange::launchfile {
namespace {

constexpr int kGreatestCount = 1'000'000'000;

template <class Number>
std::optional<Number> parsedAll(std::string_view text)
{
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

std::string allWords(const Statement& statement)
{
    std::string text;
    for (const std::string& value : statement.values)
        text += (text.empty() ? "" : " ") + value;
    return text;
}

} // namespace

std::string placeOf(const Statement& statement)
{
    return statement.line > 0 ? "line " + std::to_string(statement.line) + ", " + statement.name : statement.name;
}

std::string textOf(const Statement& statement)
{
    return statement.values.empty() ? statement.name : statement.name + ' ' + shortened(allWords(statement), 100);
}

Statements::Statements(std::vector<Statement> all, std::string_view file)
    : m_all(std::move(all))
    , m_read(m_all.size(), false)
    , m_file(file)
{
}

const Statement* Statements::look(Names names) const
{
    const Statement* last = nullptr;
    for (const Statement& statement : m_all)
        if (std::find(names.begin(), names.end(), statement.name) != names.end())
            last = &statement;
    return last;
}

const Statement* Statements::find(Names names)
{
    const Statement* const last = look(names);
    if (last)
        m_read[std::size_t(last - m_all.data())] = true;
    return last;
}

bool Statements::hasValue(std::string_view text) const
{
    const auto isValue = [&](const std::string& value) { return value == text; };
    return text.starts_with("--") || std::any_of(m_all.begin(), m_all.end(), [&](const Statement& statement) {
        return std::any_of(statement.values.begin(), statement.values.end(), isValue);
    });
}

std::optional<int> Statements::number(Names names, int least)
{
    const Statement* const statement = find(names);
    if (!statement)
        return std::nullopt;
    const auto value = parsedAll<std::int64_t>(statement->values.size() == 1 ? statement->values.front() : "");
    if (value && *value >= least && *value <= kGreatestCount)
        return int(*value);
    fail(*statement, "a whole number of at least " + std::to_string(least));
    return std::nullopt;
}

std::optional<double> Statements::real(Names names)
{
    const Statement* const statement = find(names);
    if (!statement)
        return std::nullopt;
    const auto value = parsedAll<double>(statement->values.size() == 1 ? statement->values.front() : "");
    if (value && std::isfinite(*value))
        return value;
    fail(*statement, "a number");
    return std::nullopt;
}

std::optional<bool> Statements::truth(Names names)
{
    const Statement* const statement = find(names);
    if (!statement)
        return std::nullopt;
    const std::string text = allWords(*statement);
    if (text.empty() || text.starts_with('$') || text == "true" || text == "True" || text == "1")
        return true;
    if (text == "false" || text == "False" || text == "0")
        return false;
    fail(*statement, "true or false");
    return std::nullopt;
}

std::string Statements::word(Names names)
{
    const Statement* const statement = find(names);
    return statement ? allWords(*statement) : std::string();
}

std::string Statements::placeOf(Names names) const
{
    const Statement* const statement = look(names);
    return statement ? launchfile::placeOf(*statement) : std::string(*names.begin());
}

void Statements::note(std::string_view name, const std::string& value)
{
    m_notes.push_back(std::string(name) + '=' + value);
}

DocumentError Statements::fault(const std::string& place, std::string found, std::string expected) const
{
    return {DocumentError::Code::Schema, m_file, place, std::move(found), std::move(expected), {}};
}

void Statements::fail(const Statement& statement, const std::string& expected)
{
    const std::string words = allWords(statement);
    const bool isOfShell = words.starts_with('$') || words.starts_with('`');
    fail(statement, statement.values.empty() ? "no value" : catalog::quoteText(words),
        isOfShell ? expected + " in place of what only a running shell knows" : expected);
}

void Statements::fail(const Statement& statement, const std::string& found, const std::string& expected)
{
    fail(launchfile::placeOf(statement), found, expected);
}

void Statements::fail(const std::string& place, const std::string& found, const std::string& expected)
{
    m_errors.push_back(fault(place, found, expected));
}

void Statements::warn(const Statement& statement, const std::string& found, const std::string& expected)
{
    warn(launchfile::placeOf(statement), found, expected);
}

void Statements::warn(const std::string& place, const std::string& found, const std::string& expected)
{
    m_warnings.push_back(fault(place, found, expected));
}

std::vector<std::string> Statements::unread() const
{
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < m_all.size(); ++i)
        if (!m_read[i])
            texts.push_back(textOf(m_all[i]));
    return texts;
}

} // namespace stratoplan::exchange::launchfile
