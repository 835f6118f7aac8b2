// SPDX-License-Identifier: Apache-2.0
#include "core/pricing/plan_programmes.h"

namespace stratoplan::pricing {
namespace {

constexpr std::size_t kMostProgrammes = 32; // of 16 ranks some 3 MB each
constexpr std::size_t kMostFastest = 65536;

/// What layers and their groups depend on.
std::array<int, 12> key(const plan::Plan& plan, const cluster::Span& group, int microBatches)
{
    const parallel::Strategy& s = plan.strategy;
    return {s.tp, int(s.pp > 1), s.ep, s.etp, s.microBatch, int(s.recompute), microBatches, group.size, group.inside,
        group.sharingUplink, group.insideLeaf, group.sharingLeaf};
}

} // namespace

PlanProgramme& PlanProgrammes::programme(const plan::Plan& plan, const cluster::Span& group, int microBatches)
{
    const Key number = key(plan, group, microBatches);
    auto known = m_programmes.find(number);
    if (known == m_programmes.end())
        known = m_programmes
                    .emplace(std::piecewise_construct, std::forward_as_tuple(number),
                        std::forward_as_tuple(plan, m_machine, group, microBatches))
                    .first;
    return known->second;
}

Seconds PlanProgrammes::fastest(const plan::Plan& plan, const cluster::Span& group, int microBatches)
{
    const auto [known, isNew] = m_fastest.try_emplace(key(plan, group, microBatches));
    if (isNew)
        known->second = Seconds(programme(plan, group, microBatches).fastest().seconds);
    return known->second;
}

Seconds PlanProgrammes::leastCompute(const plan::Plan& plan)
{
    const parallel::Strategy& s = plan.strategy;
    const auto [known, isNew] = m_leastCompute.try_emplace({s.tp, s.ep, s.etp, s.microBatch, int(s.recompute)});
    if (isNew) {
        const LayerDivision division(plan, m_machine, {s.tp, s.tp}, 1);
        const int bits = division.pricing().bits;
        const auto [cuts, areNew] = m_cuts.try_emplace(bits);
        if (areNew)
            cuts->second = partition::cuts(bits);
        known->second = Seconds(partition::leastCompute(division.block(), cuts->second, division.pricing()));
    }
    return known->second;
}

void PlanProgrammes::forgetTooMany()
{
    if (m_programmes.size() > kMostProgrammes)
        m_programmes.clear();
    if (m_fastest.size() > kMostFastest)
        m_fastest.clear();
    if (m_leastCompute.size() > kMostFastest)
        m_leastCompute.clear();
}

} // namespace stratoplan::pricing
