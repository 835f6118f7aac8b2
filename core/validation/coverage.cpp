// SPDX-License-Identifier: Apache-2.0
#include "core/validation/coverage.h"

#include "core/estimate/range.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace stratoplan::validation {
namespace {

using Label = std::string (*)(const estimate::EvidenceRow&);

std::string familyOf(const estimate::EvidenceRow& row)
{
    return row.source + " with " + row.software;
}

std::string groupOf(const estimate::EvidenceRow& row)
{
    return row.software + ' ' + row.group;
}

/// The range of each case, from the evidence that `label` does not leave out together with it.
std::map<std::string, estimate::RangeFactors> rangesWithout(
    std::span<const estimate::EvidenceRow> evidence, estimate::Measure measure, Label label)
{
    std::map<std::string, std::vector<const estimate::EvidenceRow*>> groups;
    for (const estimate::EvidenceRow& row : evidence)
        if (row.measure() == measure)
            groups[label(row)].push_back(&row);
    std::map<std::string, estimate::RangeFactors> ranges;
    for (const auto& [name, members] : groups) {
        std::vector<estimate::EvidenceRow> others;
        for (const estimate::EvidenceRow& row : evidence)
            if (row.measure() == measure && row.weight > 0 && label(row) != name)
                others.push_back(row);
        const estimate::Evidence rest(others, measure);
        for (const estimate::EvidenceRow* row : members)
            ranges[row->id] = rest.range({.software = row->software,
                .accelerator = row->accelerator,
                .traits = row->traits,
                .vendor = estimate::shippedVendor(row->accelerator),
                .filled = row->filled});
    }
    return ranges;
}

bool holds(const estimate::RangeFactors& range, double residual)
{
    return std::exp(residual) >= range.low && std::exp(residual) <= range.high;
}

} // namespace

std::map<std::string, bool> heldByRange(std::span<const estimate::EvidenceRow> evidence, estimate::Measure measure)
{
    const auto ranges = rangesWithout(evidence, measure, groupOf);
    std::map<std::string, bool> held;
    for (const estimate::EvidenceRow& row : evidence)
        if (row.measure() == measure)
            held[row.id] = holds(ranges.at(row.id), row.residual);
    return held;
}

RangeCoverage rangeCoverage(std::span<const estimate::EvidenceRow> evidence, estimate::Measure measure)
{
    const auto byGroup = rangesWithout(evidence, measure, groupOf);
    const auto bySource = rangesWithout(evidence, measure, familyOf);
    std::map<std::string, FamilyCoverage> families;
    RangeCoverage result;
    for (const estimate::EvidenceRow& row : evidence) {
        if (row.measure() != measure)
            continue;
        const estimate::RangeFactors& range = byGroup.at(row.id);
        for (FamilyCoverage* family : {&families[familyOf(row)], &result.overall}) {
            ++family->n;
            family->byGroup += holds(range, row.residual);
            family->bySource += holds(bySource.at(row.id), row.residualBySource);
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

} // namespace stratoplan::validation
