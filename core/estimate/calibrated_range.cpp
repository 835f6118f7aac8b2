// SPDX-License-Identifier: Apache-2.0
#include "core/estimate/range.h"

#include <algorithm>
#include <cmath>

namespace stratoplan::estimate {

namespace {

struct Member {
    int plan::RunExtents::*value;
    Extent extent;
};
constexpr Member kMembers[] = {
    {&plan::RunExtents::layers, Extent::Layers},
    {&plan::RunExtents::hidden, Extent::Hidden},
    {&plan::RunExtents::experts, Extent::Experts},
    {&plan::RunExtents::sequence, Extent::Sequence},
    {&plan::RunExtents::accelerators, Extent::Accelerators},
    {&plan::RunExtents::microBatch, Extent::MicroBatch},
    {&plan::RunExtents::tp, Extent::Tp},
    {&plan::RunExtents::pp, Extent::Pp},
    {&plan::RunExtents::cp, Extent::Cp},
    {&plan::RunExtents::ep, Extent::Ep},
};

bool wereOn(const plan::CalibratedOn& runs, std::string_view accelerator)
{
    return std::find(runs.accelerators.begin(), runs.accelerators.end(), accelerator) != runs.accelerators.end();
}

} // namespace

int detail::extentOf(const plan::RunExtents& extents, Extent extent)
{
    const auto member = std::find_if(std::begin(kMembers), std::end(kMembers),
        [extent](const Member& candidate) { return candidate.extent == extent; });
    return member == std::end(kMembers) ? 1 : extents.*member->value;
}

plan::RunExtents extentsOf(const plan::Plan& plan)
{
    const RunTraits traits = traitsOf(plan);
    plan::RunExtents extents;
    for (const Member& member : kMembers)
        extents.*member.value = traits.extent(member.extent);
    return extents;
}

double outside(const plan::CalibratedOn& runs, const plan::Plan& plan)
{
    using namespace detail;
    const plan::RunExtents extents = extentsOf(plan);
    double squared = wereOn(runs, acceleratorOf(plan)) ? 0 : kOtherAccelerator;
    for (const Member& member : kMembers) {
        const double value = extents.*member.value, least = runs.least.*member.value, most = runs.most.*member.value;
        const double doublings = value > most ? std::log2(value / most) : value < least ? std::log2(least / value) : 0;
        squared += std::pow(perDoubling(member.extent) * doublings, 2);
    }
    return squared / (squared + kReach);
}

void addOutside(const plan::CalibratedOn& runs, const plan::Plan& plan, std::vector<Extrapolation>& found)
{
    const plan::RunExtents extents = extentsOf(plan);
    if (!wereOn(runs, acceleratorOf(plan)))
        found.push_back({.code = ExtrapolationCode::OtherAccelerators});
    for (const Member& member : kMembers) {
        const int value = extents.*member.value, least = runs.least.*member.value, most = runs.most.*member.value;
        if (value > most)
            found.push_back(
                {.code = ExtrapolationCode::AboveRuns, .extent = member.extent, .bound = most, .value = value});
        else if (value < least)
            found.push_back(
                {.code = ExtrapolationCode::BelowRuns, .extent = member.extent, .bound = least, .value = value});
    }
}

std::string_view Evidence::stackOf(const plan::SoftwareProfile& software) const
{
    return knows(software.id)  ? std::string_view(software.id)
        : knows(software.base) ? std::string_view(software.base)
                               : std::string_view();
}

namespace {

/// What stands in for layers that are not modelled may take as long again as it is priced, or none of it.
RangeFactors withStandIns(RangeFactors factors, const plan::Plan& plan)
{
    if (!plan.model.standIn)
        return factors;
    const model::StandInShare share = standInShare(plan.model, attentionLength(plan.training));
    factors.low /= 1 + share.off + share.mixers;
    factors.high *= 1 + share.off + share.mixers;
    return factors;
}

} // namespace

RangeFactors Evidence::asMeasured(const plan::Plan& plan, int filled) const
{
    RangeQuery query = rangeQuery(plan);
    query.software = stackOf(plan.training.software);
    query.filled = filled;
    return withStandIns(range(query), plan);
}

double Evidence::widthBeyond(const plan::Plan& plan) const
{
    return std::min(detail::kMostBeyond, 1 + detail::kPerKindBeyond * m_tables->unmeasuredKinds(rangeQuery(plan)));
}

RangeFactors Evidence::range(const plan::Plan& plan, int filled) const
{
    return withStandIns(modelled(plan, filled), plan);
}

RangeFactors Evidence::modelled(const plan::Plan& plan, int filled) const
{
    const plan::SoftwareProfile& software = plan.training.software;
    const RangeFactors stated{std::min(1.0, software.rangeLow), 1, std::max(1.0, software.rangeHigh)};
    const std::string_view stack = stackOf(software);
    const double leaves = software.calibratedOn ? outside(*software.calibratedOn, plan) : 1;
    if (stack.empty() && !software.calibratedOn) {
        // What a person states of a profile of their own holds; what the catalogue does is about runs like the
        // measured.
        const bool isShipped = catalog::shippedCatalog().softwareProfile(software.id) != nullptr;
        const double wider = isShipped ? widthBeyond(plan) : 1;
        return {std::pow(stated.low, wider), 1, std::pow(stated.high, wider)};
    }
    RangeQuery query = rangeQuery(plan);
    query.software = stack;
    query.ofRuns = software.calibratedOn && wereOn(*software.calibratedOn, acceleratorOf(plan));
    query.filled = filled;
    const RangeFactors base = range(query);
    if (stack == software.id)
        return base;
    if (stack.empty()) // nothing is known of its base: away from the runs as unsure as one source is of another
        return {
            std::min(stated.low, std::pow(base.low, leaves)), 1, std::max(stated.high, std::pow(base.high, leaves))};
    // Among the runs the centre is where they put it. Outside, the truth may lie as far back as the base has it.
    const double back = software.calibratedOn ? -leaves * std::log(software.calibratedOn->shift) : 0;
    const double centre = std::log(base.median);
    const auto around = [&](double factor) { return leaves * centre + (std::log(factor) - centre); };
    const double low = std::min(0.0, around(base.low)) + std::min(0.0, back);
    const double high = std::max(0.0, around(base.high)) + std::max(0.0, back);
    return {std::min(stated.low, std::exp(low)), 1, std::max(stated.high, std::exp(high))};
}

} // namespace stratoplan::estimate
