// SPDX-License-Identifier: Apache-2.0
#include "core/search/cloud.h"

#include "core/cluster/node_kinds.h"
#include "core/pricing/pricing_context.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

namespace stratoplan::search {
namespace {

constexpr std::array kPasses{
    0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15}; // each halves the gaps that those before it left
constexpr std::chrono::milliseconds kInterval{50};
constexpr int kMostThreads = 4; // each remembers what it priced

} // namespace

SpaceCloud::SpaceCloud(
    plan::Plan plan, plan::SearchSpace space, SearchOptions options, std::int64_t most, const std::stop_token& stop)
    : m_plan(std::move(plan))
    , m_space(std::move(space))
    , m_options(options)
    , m_order(m_plan, m_space, schedulesOf(m_options), stop)
    , m_stride(std::max<std::int64_t>(1, (m_order.leaves() + most - 1) / most))
{
}

SpaceCloud::Drawn SpaceCloud::strategy(std::uint32_t number) const
{
    space::LeafOrder::Leaf leaf = m_order.leafAt(number * m_stride);
    const plan::Plan& plan = m_order.plan(leaf.variant);
    if (cluster::NodeKinds(plan.cluster).areUnlike()) {
        pricing::PricingContext pricing(plan, *m_options.catalog);
        leaf.strategy = balanced(pricing, std::move(leaf.strategy));
    }
    return {std::move(leaf.strategy), plan.training.precision};
}

std::optional<CloudPoint> SpaceCloud::pointOf(
    pricing::PricingContext& pricing, const space::LeafOrder::Leaf& leaf, std::uint32_t number) const
{
    const auto time = m_options.mode == plan::SearchMode::Simulated ? pricing::PipelineTime::Simulated
                                                                    : pricing::PipelineTime::ClosedForm;
    const auto priced = pricing::price(pricing, pricing::balanced(pricing, leaf.strategy), time);
    if (!priced)
        return std::nullopt;
    const bool fits = priced->fitsWith(m_options.headroom);
    return CloudPoint{float(priced->step.value()), float(priced->peak.value()), number,
        std::uint32_t(rankCount(leaf.strategy)), std::uint32_t(m_order.plan(leaf.variant).training.precision), fits};
}

void SpaceCloud::price(
    const std::stop_token& stop, const std::function<void(std::span<const CloudPoint>)>& priced) const
{
    std::atomic<std::size_t> nextPass{0};
    std::mutex telling;
    const auto work = [&] {
        std::vector<std::unique_ptr<pricing::PricingContext>> pricings;
        for (std::size_t variant = 0; variant < m_order.variants(); ++variant)
            pricings.push_back(std::make_unique<pricing::PricingContext>(m_order.plan(variant), *m_options.catalog));
        std::vector<CloudPoint> fresh;
        auto lastTelling = std::chrono::steady_clock::now();
        const auto tell = [&] {
            if (!fresh.empty()) {
                const std::lock_guard lock(telling);
                priced(fresh);
            }
            fresh.clear();
            lastTelling = std::chrono::steady_clock::now();
        };
        const auto take = [&](std::int64_t place, const space::LeafOrder::Leaf& leaf) {
            if (const auto point = pointOf(*pricings[leaf.variant], leaf, std::uint32_t(place / m_stride)))
                fresh.push_back(*point);
            if (std::chrono::steady_clock::now() - lastTelling >= kInterval)
                tell();
        };
        for (std::size_t pass = nextPass++; pass < kPasses.size() && !stop.stop_requested(); pass = nextPass++)
            m_order.visit(kPasses[pass] * m_stride, m_stride * std::int64_t(kPasses.size()), stop, take);
        tell();
    };
    std::vector<std::jthread> helpers; // joined when they go away
    for (int i = 1; i < std::min(m_options.threads, kMostThreads); ++i)
        helpers.emplace_back(work);
    work();
}

} // namespace stratoplan::search
