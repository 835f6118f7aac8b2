// SPDX-License-Identifier: Apache-2.0
#include "core/calibration/coverage.h"

#include "core/estimate/range.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace stratoplan {
namespace {

using Label = std::string (*)(const LeftOutEvidence&);

std::string familyOf(const LeftOutEvidence& one)
{
    return one.row.source + " with " + one.row.software;
}

std::string groupOf(const LeftOutEvidence& one)
{
    return one.group;
}

/// The range of each case, from the evidence that `label` does not leave out together with it.
std::map<std::string, RangeFactors> rangesWithout(const std::vector<LeftOutEvidence>& evidence, Label label)
{
    std::map<std::string, std::vector<const LeftOutEvidence*>> groups;
    for (const LeftOutEvidence& one : evidence)
        groups[label(one)].push_back(&one);
    const std::vector<LeftOutEvidence> kept = thinned(evidence);
    std::map<std::string, RangeFactors> ranges;
    for (const auto& [name, members] : groups) {
        std::vector<EvidenceRow> others;
        for (const LeftOutEvidence& one : kept)
            if (label(one) != name)
                others.push_back(one.row);
        const Evidence rest(others);
        for (const LeftOutEvidence* one : members)
            ranges[one->row.id] = rest.range({one->row.software, one->row.accelerator, one->row.traits, one->row.filled});
    }
    return ranges;
}

bool holds(const RangeFactors& range, double residual)
{
    return std::exp(residual) >= range.low && std::exp(residual) <= range.high;
}

} // namespace

RangeCoverage rangeCoverage(const std::vector<LeftOutEvidence>& evidence)
{
    const auto byGroup = rangesWithout(evidence, groupOf);
    const auto bySource = rangesWithout(evidence, familyOf);
    std::map<std::string, FamilyCoverage> families;
    RangeCoverage result;
    for (const LeftOutEvidence& one : evidence) {
        const RangeFactors& range = byGroup.at(one.row.id);
        for (FamilyCoverage* family : {&families[familyOf(one)], &result.overall}) {
            ++family->n;
            family->byGroup += holds(range, one.row.residual);
            family->bySource += holds(bySource.at(one.row.id), one.row.residualBySource);
            family->width += range.high / range.low - 1;
        }
    }
    const auto mean = [](FamilyCoverage& family) {
        for (double* sum : {&family.byGroup, &family.bySource, &family.width})
            *sum /= std::max(1, family.n);
    };
    mean(result.overall);
    for (auto& [name, family] : families) {
        mean(family);
        family.family = name;
        result.families.push_back(family);
    }
    return result;
}

} // namespace stratoplan
