// SPDX-License-Identifier: Apache-2.0
#include "core/search/sample.h"

#include "core/pricing/pricing_context.h"
#include "core/space/leaf_order.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>

namespace stratoplan::search {
namespace {

constexpr std::array kSamplePasses{0, 4, 2, 6, 1, 5, 3, 7}; // each halves the gaps that those before it left
constexpr std::chrono::milliseconds kSampleInterval{50};

class Sampler {
public:
    Sampler(const SearchOptions& options, const std::stop_token& stop, const SampleCallback& priced)
        : m_options(options)
        , m_stop(stop)
        , m_priced(priced)
    {
    }

    void run(const plan::Plan& plan, const plan::SearchSpace& space, std::int64_t most)
    {
        const space::LeafOrder order(plan, space, schedulesOf(m_options), m_stop);
        for (std::size_t variant = 0; variant < order.variants(); ++variant)
            m_pricings.push_back(std::make_unique<pricing::PricingContext>(order.plan(variant), *m_options.catalog));
        const std::int64_t stride =
            std::max<std::int64_t>(1, (order.leaves() + most - 1) / std::max<std::int64_t>(1, most));
        for (const int pass : kSamplePasses)
            order.visit(pass * stride, stride * std::int64_t(kSamplePasses.size()), m_stop,
                [&](std::int64_t, const space::LeafOrder::Leaf& leaf) {
                    take(*m_pricings[leaf.variant], leaf.strategy, order.plan(leaf.variant).training.precision);
                });
        tell();
    }

private:
    void take(pricing::PricingContext& pricing, const parallel::Strategy& asLeaf, model::Precision precision)
    {
        const parallel::Strategy strategy = balanced(pricing, asLeaf);
        const auto time = m_options.mode == plan::SearchMode::Simulated ? pricing::PipelineTime::Simulated
                                                                        : pricing::PipelineTime::ClosedForm;
        if (const auto priced = price(pricing, strategy, time)) {
            const bool fits = priced->fitsWith(m_options.headroom);
            m_fresh.push_back({strategy, precision, priced->step, priced->peak, fits});
        }
        if (Clock::now() - m_told >= kSampleInterval)
            tell();
    }

    void tell()
    {
        if (!m_fresh.empty())
            m_priced(m_fresh);
        m_fresh.clear();
        m_told = Clock::now();
    }

    using Clock = std::chrono::steady_clock;
    const SearchOptions& m_options;
    const std::stop_token& m_stop;
    const SampleCallback& m_priced;
    std::vector<std::unique_ptr<pricing::PricingContext>> m_pricings;
    std::vector<SampledStrategy> m_fresh;
    Clock::time_point m_told = Clock::now();
};

} // namespace

void sample(const plan::Plan& plan, const plan::SearchSpace& space, const SearchOptions& options, std::int64_t most,
    const std::stop_token& stop, const SampleCallback& priced)
{
    Sampler(options, stop, priced).run(plan, space, most);
}

} // namespace stratoplan::search
