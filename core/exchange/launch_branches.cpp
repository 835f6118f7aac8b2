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

/// Of a test without a ! before it.
std::optional<bool> truthOfWords(const std::vector<std::string_view>& words)
{
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

bool opensLoop(std::string_view word)
{
    return word == "for" || word == "while" || word == "until" || word == "select";
}

} // namespace

std::optional<bool> truthOf(const SpelledWords& test)
{
    const auto first = std::find_if(test.begin(), test.end(), [](const Spelled& word) { return word.text != "!"; });
    std::vector<std::string_view> words;
    for (auto it = first; it != test.end(); ++it)
        words.push_back(it->text);
    const bool isNegated = (first - test.begin()) % 2 == 1;
    const auto truth = truthOfWords(words);
    return truth ? std::optional(*truth != isNegated) : std::nullopt;
}

bool Branches::runs() const
{
    return m_levels.empty() || (m_levels.back().outerRuns && m_levels.back().runs.value_or(true));
}

bool Branches::isOpen() const
{
    return !m_levels.empty() && (m_levels.back().outerIsOpen || !m_levels.back().runs);
}

Branches::Level& Branches::openLevel()
{
    const bool outerRuns = runs(), outerIsOpen = isOpen();
    Level& level = m_levels.emplace_back();
    level.outerRuns = outerRuns;
    level.outerIsOpen = outerIsOpen;
    return level;
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
        openLevel();
    if (word == "case") {
        Level& level = openLevel();
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
