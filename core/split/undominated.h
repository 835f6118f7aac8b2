// SPDX-License-Identifier: Apache-2.0
// Inside of the splits: what a dynamic programme over stages keeps. `noMore`(a, b) says whether a is no more than b in
// every term.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace stratoplan::split {

/// Of options of one place, those within the limit of bytes that no other one equals or beats in every term; of equal
/// ones the first.
template <class Option, class NoMore>
[[nodiscard]] std::vector<Option> undominated(const std::vector<Option>& all, double limit, const NoMore& noMore)
{
    std::vector<Option> kept;
    for (const Option& option : all) {
        if (option.bytes > limit || std::any_of(kept.begin(), kept.end(), [&](const Option& other) {
                return noMore(other.terms, option.terms);
            }))
            continue;
        std::erase_if(kept, [&](const Option& other) { return noMore(option.terms, other.terms); });
        kept.push_back(option);
    }
    return kept;
}

/// Adds a label to those of its state, places in `labels`, unless the prefix of another one is no more, and drops those
/// whose prefix is. `rough`: keeps one alone, the one that is least likely to set the pace. True where `labels` has
/// grown.
template <class Label, class NoMore>
bool keepUndominated(
    const Label& label, std::vector<Label>& labels, std::vector<std::int32_t>& state, bool rough, const NoMore& noMore)
{
    const auto prefixOf = [&](std::int32_t other) -> const auto&
    {
        return labels[std::size_t(other)].prefix;
    };
    if (rough && !state.empty()) {
        if (label.prefix.longest < prefixOf(state.front()).longest)
            labels[std::size_t(state.front())] = label;
        return false;
    }
    if (std::any_of(
            state.begin(), state.end(), [&](std::int32_t other) { return noMore(prefixOf(other), label.prefix); }))
        return false;
    std::erase_if(state, [&](std::int32_t other) { return noMore(label.prefix, prefixOf(other)); });
    labels.push_back(label);
    state.push_back(std::int32_t(labels.size() - 1));
    return true;
}

} // namespace stratoplan::split
