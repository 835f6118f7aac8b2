// SPDX-License-Identifier: Apache-2.0
#include "core/pricing/plan_programmes.h"

namespace stratoplan::pricing {
namespace {

constexpr std::size_t kMostProgrammes = 20; // of 16 ranks some 3 MB each
constexpr std::size_t kMostGroups = 32;
constexpr std::size_t kMostFastest = 65536;

} // namespace

/// What layers and their groups depend on.
PlanProgrammes::Key PlanProgrammes::key(const SettledPlan& settled) const
{
    const parallel::Strategy& s = settled.plan.strategy;
    const cluster::Span group = tensorSpan(s, m_machine.topology);
    const cluster::Span context = parallel::span(s, parallel::RankGroup::Context, m_machine.topology);
    Key key{
        s.tp, s.cp, s.cp > 1 ? int(s.contextMethod) : 0, int(s.pp > 1), s.ep, s.etp, s.microBatch, int(s.recompute)};
    auto* end = key.begin() + 8;
    for (const cluster::Span& span : {group, context})
        end = std::ranges::copy(numbersOf(span), end).out;
    return key;
}

PlanProgramme& PlanProgrammes::programme(const SettledPlan& settled)
{
    const Key number = key(settled);
    auto known = m_programmes.find(number);
    if (known == m_programmes.end())
        known = m_programmes
                    .emplace(std::piecewise_construct, std::forward_as_tuple(number),
                        std::forward_as_tuple(settled.plan, m_machine,
                            tensorSpan(settled.plan.strategy, m_machine.topology), settled.microBatches, &m_groups))
                    .first;
    known->second.spread(settled.microBatches);
    return known->second;
}

Seconds PlanProgrammes::fastest(const SettledPlan& settled)
{
    const auto [known, isNew] = m_fastest.try_emplace({key(settled), settled.microBatches});
    if (isNew)
        known->second = Seconds(programme(settled).fastest().seconds);
    return known->second;
}

Seconds PlanProgrammes::leastFastest(const SettledPlan& settled)
{
    const auto [known, isNew] = m_leastFastest.try_emplace(key(settled));
    if (isNew)
        known->second = programme(settled).leastFastest();
    return known->second;
}

const PlanProgrammes::LeastLayer& PlanProgrammes::leastCompute(const plan::Plan& plan)
{
    const parallel::Strategy& s = plan.strategy;
    const auto [known, isNew] = m_leastCompute.try_emplace(
        {s.tp, s.cp, s.cp > 1 ? int(s.contextMethod) : 0, s.ep, s.etp, s.microBatch, int(s.recompute)});
    if (isNew) {
        const LayerDivision division(plan, m_machine, {s.tp, s.tp}, 1);
        const int bits = division.pricing().bits;
        const auto [cuts, areNew] = m_cuts.try_emplace(bits);
        if (areNew)
            cuts->second = partition::cuts(bits);
        known->second = {
            partition::leastCompute(division.block(), cuts->second, division.pricing()), division.block().context};
    }
    return known->second;
}

void PlanProgrammes::forgetTooMany()
{
    if (m_programmes.size() > kMostProgrammes)
        m_programmes.clear();
    if (m_groups.size() > kMostGroups)
        m_groups.clear(); // programmes keep theirs
    if (m_fastest.size() > kMostFastest)
        m_fastest.clear();
    if (m_leastFastest.size() > kMostFastest)
        m_leastFastest.clear();
    if (m_leastCompute.size() > kMostFastest)
        m_leastCompute.clear();
}

} // namespace stratoplan::pricing
