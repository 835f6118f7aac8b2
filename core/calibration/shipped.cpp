// SPDX-License-Identifier: Apache-2.0
#include "core/calibration/shipped.h"

#include "core/units/text.h"

#include <algorithm>
#include <iterator>

namespace stratoplan {
namespace {

constexpr int kDigits = 4;

void roundConstants(SoftwareProfile& profile)
{
    for (const CalibrationParameter& p : calibrationParameters())
        p.set(profile, roundedTo(p.get(profile) / p.unit, kDigits) * p.unit);
    profile.rangeLow = roundedTo(profile.rangeLow, kDigits);
    profile.rangeHigh = roundedTo(profile.rangeHigh, kDigits);
}

std::string shape(const Transformer& m)
{
    return std::to_string(m.layers) + "x" + std::to_string(m.hidden) + "x" + std::to_string(m.heads);
}

FittedProfile fitProfile(const SoftwareProfile& prior, const std::vector<MeasuredRun>& runs, std::stop_token stop)
{
    FittedProfile fitted;
    fitted.profile = prior;
    std::vector<std::string> shapes;
    for (const MeasuredRun& c : runs) {
        shapes.push_back(shape(c.plan.model));
        fitted.timeRows += c.stepSeconds.has_value();
        fitted.memoryRows += c.peakGib.has_value();
    }
    CalibrationOptions options;
    if (fitted.timeRows >= kFewestRows) {
        fitted.time = calibrate(runs, fitted.profile, options, shapes, stop);
        fitted.profile = fitted.time.profile;
    }
    if (fitted.memoryRows >= kFewestRows) {
        options.target = CalibrationTarget::PeakMemory;
        fitted.memory = calibrate(runs, fitted.profile, options, shapes, stop);
        fitted.profile = fitted.memory.profile;
    }
    if (fitted.profile != prior)
        roundConstants(fitted.profile);
    return fitted;
}

} // namespace

std::vector<FittedProfile> fitProfiles(const std::vector<SoftwareProfile>& priors, const std::vector<MeasuredRun>& runs, std::stop_token stop)
{
    std::vector<FittedProfile> profiles;
    for (const SoftwareProfile& prior : priors) {
        std::vector<MeasuredRun> mine;
        std::copy_if(runs.begin(), runs.end(), std::back_inserter(mine),
                     [&](const MeasuredRun& run) { return run.plan.training.software.id == prior.id; });
        profiles.push_back(fitProfile(prior, mine, stop));
    }
    return profiles;
}

} // namespace stratoplan
