// SPDX-License-Identifier: Apache-2.0
#include "core/calibration/shipped.h"

#include "core/catalog/catalog_json.h"
#include "core/units/text.h"

#include <utility>

namespace stratoplan {
namespace {

constexpr int kDigits = 4;

void roundConstants(SoftwareProfile& profile)
{
    for (const CalibrationParameter& p : calibrationParameters()) {
        const double perUnit = 1 / p.unit; // a whole number, or a power of two: dividing by it reads back exactly
        p.set(profile, roundedTo(p.get(profile) * perUnit, kDigits) / perUnit);
    }
    profile.rangeLow = roundedTo(profile.rangeLow, kDigits);
    profile.rangeHigh = roundedTo(profile.rangeHigh, kDigits);
}

} // namespace

std::string shapeLabel(const Transformer& m)
{
    return std::to_string(m.layers) + "x" + std::to_string(m.hidden) + "x" + std::to_string(m.heads);
}

const std::vector<SoftwareProfile>& shippedPriors()
{
    static const std::vector<SoftwareProfile> priors = [] {
        const EmbeddedFile file{"software.json", embedded::priors().front().content};
        auto catalog = parseCatalog({&file, 1});
        return catalog ? std::move(catalog->software) : std::vector<SoftwareProfile>();
    }();
    return priors;
}

FittedProfile fitProfile(const SoftwareProfile& prior, const std::vector<MeasuredRun>& runs, const std::vector<std::string>& labels,
    int fewestRows, std::stop_token stop)
{
    FittedProfile fitted;
    fitted.profile = prior;
    for (const MeasuredRun& run : runs) {
        fitted.timeRows += run.stepSeconds.has_value();
        fitted.memoryRows += run.peakGib.has_value();
    }
    CalibrationOptions options;
    if (fitted.timeRows >= fewestRows) {
        fitted.time = calibrate(runs, fitted.profile, options, labels, stop);
        fitted.profile = fitted.time.profile;
    }
    if (fitted.memoryRows >= fewestRows) {
        options.target = CalibrationTarget::PeakMemory;
        fitted.memory = calibrate(runs, fitted.profile, options, labels, stop);
        fitted.profile = fitted.memory.profile;
    }
    if (fitted.profile != prior)
        roundConstants(fitted.profile);
    return fitted;
}

namespace {

/// `prior` with the constants that were fitted for its base, but for those in which the two priors differ.
SoftwareProfile derived(const SoftwareProfile& prior, const SoftwareProfile& basePrior, const SoftwareProfile& fittedBase)
{
    SoftwareProfile start = prior;
    for (const CalibrationParameter& p : calibrationParameters())
        if (p.get(prior) == p.get(basePrior))
            p.set(start, p.get(fittedBase));
    return start;
}

} // namespace

std::vector<FittedProfile> fitProfiles(
    const std::vector<SoftwareProfile>& priors, const std::vector<MeasuredRun>& runs, std::stop_token stop)
{
    std::vector<FittedProfile> profiles;
    for (const SoftwareProfile& prior : priors) {
        std::vector<MeasuredRun> mine;
        std::vector<std::string> shapes;
        for (const MeasuredRun& run : runs) {
            if (run.plan.training.software.id != prior.id)
                continue;
            mine.push_back(run);
            shapes.push_back(shapeLabel(run.plan.model));
        }
        SoftwareProfile start = prior;
        for (std::size_t i = 0; i < profiles.size(); ++i) // a base stands before what is based on it
            if (priors[i].id == prior.base)
                start = derived(prior, priors[i], profiles[i].profile);
        profiles.push_back(fitProfile(start, mine, shapes, kFewestRows, stop));
    }
    return profiles;
}

} // namespace stratoplan
