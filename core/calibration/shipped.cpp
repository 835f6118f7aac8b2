// SPDX-License-Identifier: Apache-2.0
#include "core/calibration/shipped.h"

#include "core/catalog/catalog_json.h"
#include "core/units/text.h"

#include <algorithm>
#include <utility>

namespace stratoplan::calibration {
namespace {

void roundConstants(plan::SoftwareProfile& profile)
{
    for (const CalibrationParameter& p : calibrationParameters()) {
        const double perUnit = 1 / p.unit; // a whole number, or a power of two: dividing by it reads back exactly
        p.set(profile, roundedTo(p.get(profile) * perUnit, kProfileDigits) / perUnit);
    }
    profile.rangeLow = roundedTo(profile.rangeLow, kProfileDigits);
    profile.rangeHigh = roundedTo(profile.rangeHigh, kProfileDigits);
}

} // namespace

std::string shapeLabel(const model::Transformer& m)
{
    return std::to_string(m.layers) + "x" + std::to_string(m.hidden) + "x" + std::to_string(m.heads);
}

const std::vector<plan::SoftwareProfile>& shippedPriors()
{
    static const std::vector<plan::SoftwareProfile> priors = [] {
        const catalog::EmbeddedFile file{"software.json", catalog::embedded::priors().front().content};
        auto catalog = catalog::parseCatalog({&file, 1});
        return catalog ? std::move(catalog->software) : std::vector<plan::SoftwareProfile>();
    }();
    return priors;
}

FittedProfile fitProfile(const plan::SoftwareProfile& prior, const std::vector<MeasuredRun>& runs,
    const std::vector<std::string>& labels, const FitChoices& choices, std::stop_token stop)
{
    FittedProfile fitted;
    fitted.profile = prior;
    for (const MeasuredRun& run : runs) {
        fitted.timeRows += run.stepSeconds.has_value();
        fitted.memoryRows += run.peakGib.has_value();
    }
    const int halves = (fitted.timeRows >= choices.fewestRows) + (fitted.memoryRows >= choices.fewestRows);
    int half = 0;
    const auto fit = [&](plan::CalibrationTarget target, int rows, const char* rate, Calibration& result) {
        if (rows < choices.fewestRows)
            return;
        CalibrationOptions options{.target = target, .holdUnidentified = choices.holdUnidentified};
        if (rows < choices.rowsForAll) {
            options.only = {rate};
            options.holdUnidentified = false;
        }
        if (choices.progress)
            options.progress = [&, before = half](
                                   int done, int total) { choices.progress(before * total + done, halves * total); };
        result = calibrate(runs, fitted.profile, options, labels, stop);
        fitted.profile = result.profile;
        ++half;
    };
    fit(plan::CalibrationTarget::StepTime, fitted.timeRows, "matmul_factor", fitted.time);
    fit(plan::CalibrationTarget::PeakMemory, fitted.memoryRows, "reserve_gib", fitted.memory);
    if (fitted.profile != prior)
        roundConstants(fitted.profile);
    return fitted;
}

plan::SoftwareProfile startOf(const plan::SoftwareProfile& prior, const std::vector<plan::SoftwareProfile>& priors,
    const std::vector<plan::SoftwareProfile>& fitted)
{
    const auto named = [&](const std::vector<plan::SoftwareProfile>& profiles) {
        return std::find_if(
            profiles.begin(), profiles.end(), [&](const plan::SoftwareProfile& p) { return p.id == prior.base; });
    };
    const auto basePrior = named(priors);
    const auto fittedBase = named(fitted);
    plan::SoftwareProfile start = prior;
    if (prior.base.empty() || basePrior == priors.end() || fittedBase == fitted.end())
        return start;
    for (const CalibrationParameter& p : calibrationParameters())
        if (p.get(prior) == p.get(*basePrior))
            p.set(start, p.get(*fittedBase));
    return start;
}

std::vector<FittedProfile> fitProfiles(
    const std::vector<plan::SoftwareProfile>& priors, const std::vector<MeasuredRun>& runs, std::stop_token stop)
{
    std::vector<FittedProfile> profiles;
    std::vector<plan::SoftwareProfile> fitted;
    for (const plan::SoftwareProfile& prior : priors) {
        std::vector<MeasuredRun> mine;
        std::vector<std::string> shapes;
        for (const MeasuredRun& run : runs) {
            if (run.plan.training.software.id != prior.id)
                continue;
            mine.push_back(run);
            shapes.push_back(shapeLabel(run.plan.model));
        }
        profiles.push_back(
            fitProfile(startOf(prior, priors, fitted), mine, shapes, {.fewestRows = fewestRows(prior)}, stop));
        fitted.push_back(profiles.back().profile); // a base stands before what is based on it
    }
    return profiles;
}

} // namespace stratoplan::calibration
