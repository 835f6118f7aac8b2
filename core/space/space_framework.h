// SPDX-License-Identifier: Apache-2.0
// Inside of the search: what the rules of a target framework leave of a space, counted without visiting the strategies
// one by one.
#pragma once

#include "core/catalog/framework_rules.h"

#include <array>
#include <cstdint>

namespace stratoplan::space {

/// Strategies, by the first rule of the framework that takes them out.
using FrameworkCounts = std::array<std::int64_t, catalog::kFrameworkRules>;

/// Choices of one kind that are left once the first rules have been asked. Where choices of several kinds go with each
/// other in every way, so do those that are left: their numbers multiply.
class Survivors {
public:
    /// Choices whose first objection is that rule; kFrameworkRules: none objects.
    void add(std::size_t objection, std::int64_t choices)
    {
        for (std::size_t rules = 0; rules <= objection; ++rules)
            m_left[rules] += choices;
    }
    void add(const Survivors& other)
    {
        for (std::size_t rules = 0; rules < m_left.size(); ++rules)
            m_left[rules] += other.m_left[rules];
    }
    /// Every choice of the one with every choice of the other, the pairs objected to in turn.
    void addPairs(const Survivors& a, const Survivors& b, std::size_t objection)
    {
        for (std::size_t rules = 0; rules <= objection; ++rules)
            m_left[rules] += a.m_left[rules] * b.m_left[rules];
    }
    /// After so many rules.
    [[nodiscard]] std::int64_t after(std::size_t rules) const { return m_left[rules]; }

private:
    std::array<std::int64_t, catalog::kFrameworkRules + 1> m_left{};
};

} // namespace stratoplan::space
