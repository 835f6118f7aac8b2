// SPDX-License-Identifier: Apache-2.0
// Up to a million strategies of a space, priced and kept in sixteen bytes each: what a picture of all of it is made of.
// Which strategy a point stands for is found again by its number.
#pragma once

#include "core/search/search.h"
#include "core/space/leaf_order.h"

#include <functional>
#include <optional>
#include <span>

namespace stratoplan::pricing {
class PricingContext;
}

namespace stratoplan::search {

struct CloudPoint {
    float step = 0; ///< seconds
    float peak = 0; ///< bytes
    std::uint32_t number = 0; ///< among the points of its cloud
    std::uint32_t ranks : 24 = 1;
    std::uint32_t precision : 7 = 0; ///< Precision
    std::uint32_t fits : 1 = 0; ///< with the headroom of the options
    bool operator==(const CloudPoint&) const = default;
};
static_assert(sizeof(CloudPoint) == 16);

/// Which strategies are drawn: every so manieth leaf of the tree that search() walks through, all of them if the space
/// has no more than `most`.
class SpaceCloud {
public:
    /// Precondition: as of search(), and 1 <= most < 2^32. Stopped: incomplete, and of no use.
    SpaceCloud(plan::Plan plan, plan::SearchSpace space, SearchOptions options, std::int64_t most,
        const std::stop_token& stop);

    [[nodiscard]] std::int64_t leaves() const { return m_order.leaves(); } ///< of the space
    [[nodiscard]] std::int64_t draws() const
    {
        return (leaves() + m_stride - 1) / m_stride;
    } ///< points, but for strategies without a price

    struct Drawn {
        parallel::Strategy strategy;
        model::Precision precision = model::Precision::Bf16;
    };
    /// What a point stands for. Any number of threads may ask.
    [[nodiscard]] Drawn strategy(std::uint32_t number) const;

    /// Prices them in passes that each cover the whole space, so that what came first is a fair picture too; steps are
    /// timed as the mode says. On as many threads as the options say, at most four; `priced` is called by one at a time
    /// with what is new since the last call. The points are always the same, their order on one thread as well.
    /// Stopped: what came by then has been told.
    void price(const std::stop_token& stop, const std::function<void(std::span<const CloudPoint>)>& priced) const;

private:
    /// Nothing where the strategy has no price.
    [[nodiscard]] std::optional<CloudPoint> pointOf(
        pricing::PricingContext& pricing, const space::LeafOrder::Leaf& leaf, std::uint32_t number) const;

    plan::Plan m_plan;
    plan::SearchSpace m_space;
    SearchOptions m_options;
    space::LeafOrder m_order; ///< of m_space
    std::int64_t m_stride = 1;
};

} // namespace stratoplan::search
