// SPDX-License-Identifier: Apache-2.0
#include "core/calibration/shipped.h"

#include <algorithm>
#include <cmath>

namespace stratoplan {
namespace {

double rounded(double value)
{
    if (value == 0 || !std::isfinite(value))
        return value;
    const double unit = std::pow(10, std::floor(std::log10(std::abs(value))) - 3);
    return std::round(value / unit) * unit;
}

void roundConstants(SoftwareProfile& profile)
{
    for (const CalibrationParameter& p : calibrationParameters())
        p.set(profile, rounded(p.get(profile)));
    profile.rangeLow = rounded(profile.rangeLow);
    profile.rangeHigh = rounded(profile.rangeHigh);
}

std::string shape(const Transformer& m)
{
    return std::to_string(m.layers) + "x" + std::to_string(m.hidden) + "x" + std::to_string(m.heads);
}

FittedProfile fitProfile(const SoftwareProfile& prior, const std::vector<MeasuredCase>& cases, std::stop_token stop)
{
    FittedProfile fitted;
    fitted.profile = prior;
    std::vector<std::string> shapes;
    for (const MeasuredCase& c : cases) {
        shapes.push_back(shape(c.plan.model));
        fitted.timeRows += c.stepSeconds.has_value();
        fitted.memoryRows += c.peakGib.has_value();
    }
    CalibrationOptions options;
    if (fitted.timeRows >= kFewestRows) {
        fitted.time = calibrate(cases, fitted.profile, options, shapes, stop);
        fitted.profile = fitted.time.profile;
    }
    if (fitted.memoryRows >= kFewestRows) {
        options.target = CalibrationTarget::PeakMemory;
        fitted.memory = calibrate(cases, fitted.profile, options, shapes, stop);
        fitted.profile = fitted.memory.profile;
    }
    roundConstants(fitted.profile);
    return fitted;
}

} // namespace

tl::expected<std::vector<FittedProfile>, std::string> fitProfiles(const Catalog& priors, std::string_view text, std::stop_token stop)
{
    const auto set = readCases(text, priors);
    if (!set)
        return tl::unexpected(set.error());
    std::vector<FittedProfile> profiles;
    for (const SoftwareProfile& prior : priors.software) {
        std::vector<MeasuredCase> mine;
        std::copy_if(set->cases.begin(), set->cases.end(), std::back_inserter(mine),
                     [&](const MeasuredCase& c) { return c.plan.training.software.id == prior.id; });
        profiles.push_back(fitProfile(prior, mine, stop));
    }
    return profiles;
}

} // namespace stratoplan
