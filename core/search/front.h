// SPDX-License-Identifier: Apache-2.0
// The Pareto front of a search: strategies that fit and that no other one beats in value or in peak memory without
// losing in the other. Strategies that are equal in both stay together.
#pragma once

#include "core/model/precision.h"
#include "core/parallel/strategy.h"
#include "core/units/quantity.h"

#include <vector>

namespace stratoplan::search {

struct FoundStrategy {
    parallel::Strategy strategy;
    model::Precision precision = model::Precision::Bf16;
    double value = 0; ///< what the search makes as small as it can
    Seconds step{};
    Bytes peak{};
    bool operator==(const FoundStrategy&) const = default;
};

/// A fixed order of strategies: that in which ties are told.
[[nodiscard]] bool comesBefore(const FoundStrategy& a, const FoundStrategy& b);

/// Which points are kept.
enum class FrontKind {
    Whole, ///< all that nothing dominates
    Best, ///< of those the one of least value: the best strategy, and among equals that which needs least memory
};

class Front {
public:
    struct Point {
        double value = 0;
        double peak = 0;
        std::vector<FoundStrategy> strategies; ///< equal in both; in order
    };

    explicit Front(FrontKind kind = FrontKind::Whole)
        : m_kind(kind)
    {
    }

    /// Whether some point needs no more memory than `peak` and has less value than `value`: then neither does anything
    /// that has at least as much of both belong to the front. A bound may be above what it bounds by the rounding of
    /// sums, 1e-12.
    [[nodiscard]] bool beats(double value, double peak) const;
    /// Whether some point has no more of either. Exactly, without the rounding of a bound.
    [[nodiscard]] bool reaches(double value, double peak) const;
    /// Keeps the strategy if nothing dominates it, and drops what it dominates. True if it was kept.
    bool add(FoundStrategy found);
    void merge(const Front& other);

    [[nodiscard]] const std::vector<Point>& points() const { return m_points; } ///< by rising peak, falling value
    [[nodiscard]] std::vector<FoundStrategy> strategies() const; ///< of all points, in their order
    [[nodiscard]] bool empty() const { return m_points.empty(); }
    /// The point of least value. Precondition: not empty.
    [[nodiscard]] const Point& best() const { return m_points.back(); }

private:
    FrontKind m_kind;
    std::vector<Point> m_points;
};

} // namespace stratoplan::search
