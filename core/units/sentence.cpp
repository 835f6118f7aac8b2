// SPDX-License-Identifier: Apache-2.0
#include "core/units/sentence.h"

#include "core/units/format.h"
#include "core/units/text.h"

#include <algorithm>
#include <cctype>
#include <cmath>

namespace stratoplan::inline units {
namespace {

/// "name" or "name one|many"
std::string place(std::string_view inside, const std::function<Word(std::string_view)>& wordOf)
{
    const std::size_t space = std::min(inside.find(' '), inside.size());
    const Word word = wordOf(inside.substr(0, space));
    if (space == inside.size())
        return word.text;
    const std::string_view nouns = inside.substr(space + 1);
    const std::size_t bar = std::min(nouns.find('|'), nouns.size());
    const std::string_view noun = word.singular ? nouns.substr(0, bar) : nouns.substr(std::min(bar + 1, nouns.size()));
    return word.text + ' ' + std::string(noun);
}

} // namespace

Word numberWord(double value)
{
    if (!std::isfinite(value) || value != std::trunc(value) || std::abs(value) > 1e15)
        return {formatNumber(value), false};
    return {(value < 0 ? "−" : "") + groupedDigits(static_cast<long long>(std::abs(value))), value == 1};
}

std::string filled(std::string_view pattern, const std::function<Word(std::string_view name)>& wordOf)
{
    std::string text;
    while (!pattern.empty()) {
        const std::size_t open = std::min(pattern.find('{'), pattern.size());
        text.append(pattern.substr(0, open));
        pattern.remove_prefix(open);
        if (pattern.empty())
            break;
        const std::size_t close = std::min(pattern.find('}'), pattern.size() - 1);
        text += place(pattern.substr(1, close - 1), wordOf);
        pattern.remove_prefix(close + 1);
    }
    return text;
}

std::string filled(std::string_view pattern, std::initializer_list<NamedWord> words)
{
    return filled(pattern, [&](std::string_view name) {
        const auto found =
            std::find_if(words.begin(), words.end(), [&](const NamedWord& word) { return word.name == name; });
        return found == words.end() ? Word{} : found->word;
    });
}

std::string countedAccelerators(long long count)
{
    return filled("{count accelerator|accelerators}", {{"count", numberWord(double(count))}});
}

std::string countedStrategies(long long count)
{
    return filled("{count strategy|strategies}", {{"count", numberWord(double(count))}});
}

std::string alternatives(const std::vector<std::string>& words)
{
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (i > 0)
            text += i + 1 == words.size() ? " or " : ", ";
        text += words[i];
    }
    return text;
}

std::string asSentence(std::string text)
{
    if (!text.empty())
        text.front() = char(std::toupper(static_cast<unsigned char>(text.front())));
    return text;
}

} // namespace stratoplan::inline units
