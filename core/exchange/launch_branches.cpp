// SPDX-License-Identifier: Apache-2.0
#include "core/exchange/launch_branches.h"

#include <algorithm>
#include <charconv>

namespace stratoplan::exchange::launchfile {
namespace {

bool isKnown(std::string_view text)
{
    return text.find_first_of("$`*?") == std::string_view::npos;
}

std::optional<int> wholeNumber(std::string_view text)
{
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = error == std::errc() && end == text.data() + text.size();
    return whole ? std::optional(value) : std::nullopt;
}

std::optional<bool> compared(std::string_view left, std::string_view how, std::string_view right)
{
    if (how == "=" || how == "==")
        return left == right;
    if (how == "!=")
        return left != right;
    const auto a = wholeNumber(left), b = wholeNumber(right);
    if (!a || !b)
        return std::nullopt;
    if (how == "-eq")
        return *a == *b;
    if (how == "-ne")
        return *a != *b;
    if (how == "-lt")
        return *a < *b;
    if (how == "-le")
        return *a <= *b;
    if (how == "-gt")
        return *a > *b;
    return how == "-ge" ? std::optional(*a >= *b) : std::nullopt;
}

bool opensLoop(std::string_view word)
{
    return word == "for" || word == "while" || word == "until" || word == "select";
}

} // namespace

std::optional<bool> truthOf(const SpelledWords& test)
{
    std::vector<std::string_view> words;
    for (const Spelled& word : test)
        words.push_back(word.text);
    if (!words.empty() && words.front() == "!") {
        const auto inner = truthOf(SpelledWords(test.begin() + 1, test.end()));
        return inner ? std::optional(!*inner) : std::nullopt;
    }
    const bool isTest = words.size() > 2
        && ((words.front() == "[" && words.back() == "]") || (words.front() == "[[" && words.back() == "]]"));
    if (!isTest || !std::all_of(words.begin(), words.end(), isKnown))
        return std::nullopt;
    if (words.size() == 5)
        return compared(words[1], words[2], words[3]);
    if (words.size() != 4 || (words[1] != "-z" && words[1] != "-n"))
        return std::nullopt;
    return (words[1] == "-z") == words[2].empty();
}

bool Branches::runs() const
{
    return std::all_of(m_levels.begin(), m_levels.end(), [](const Level& level) { return level.runs.value_or(true); });
}

bool Branches::isOpen() const
{
    return std::any_of(m_levels.begin(), m_levels.end(), [](const Level& level) { return !level.runs; });
}

void Branches::choose(Level& level, std::optional<bool> truth)
{
    const bool mayHaveRun = level.mayHaveRun;
    level.mayHaveRun = mayHaveRun || !truth;
    level.runs = level.hasRun ? std::optional(false) : truth == true && mayHaveRun ? std::nullopt : truth;
    level.hasRun = level.hasRun || truth == true;
}

void Branches::take(const SpelledWords& command)
{
    const std::string_view word = command.front().text;
    if (word == "if" || opensLoop(word))
        m_levels.emplace_back();
    if (word == "case") {
        Level& level = m_levels.emplace_back();
        level.isCase = level.awaitsPattern = true;
        if (command.size() > 1 && isKnown(command[1].text))
            level.subject = command[1].text;
        for (std::size_t i = 3; i < command.size(); ++i) // case a in b)
            takePattern(command[i].text);
        return;
    }
    if (m_levels.empty())
        return;
    if (word == "if" || word == "elif")
        choose(m_levels.back(), truthOf(SpelledWords(command.begin() + 1, command.end())));
    if (word == "fi" || word == "done" || word == "esac")
        m_levels.pop_back();
    else if (awaitsPattern())
        takePattern(word);
}

void Branches::otherwise()
{
    if (!m_levels.empty())
        choose(m_levels.back(), true);
}

void Branches::takePattern(std::string_view pattern)
{
    Level& level = m_levels.back();
    if (pattern == "*" || level.matches == true)
        level.matches = true;
    else if (!level.subject || !isKnown(pattern))
        level.matches = std::nullopt;
    else if (pattern == *level.subject)
        level.matches = true;
}

void Branches::beginCase()
{
    if (!awaitsPattern())
        return;
    Level& level = m_levels.back();
    level.awaitsPattern = false;
    choose(level, level.matches);
    level.matches = false;
}

void Branches::endCase()
{
    if (!m_levels.empty())
        m_levels.back().awaitsPattern = m_levels.back().isCase;
}

} // namespace stratoplan::exchange::launchfile
