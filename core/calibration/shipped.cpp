// SPDX-License-Identifier: Apache-2.0
#include "core/calibration/shipped.h"

#include "core/calibration/pools.h"
#include "core/calibration/solver.h"
#include "core/catalog/catalog_json.h"
#include "core/units/text.h"

#include <algorithm>
#include <map>
#include <string>
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
    const int halves = (fitted.timeRows > 0) + (fitted.memoryRows > 0);
    int half = 0;
    const auto fit = [&](plan::CalibrationTarget target, int rows, const char* rate, Calibration& result) {
        if (rows == 0)
            return;
        CalibrationOptions options{.target = target, .holdUnidentified = rows >= choices.rowsForAll};
        if (rows < choices.rowsForAll)
            options.only = {rate};
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

namespace {

/// What the pools of one target have found for a prior.
using FoundFor = std::map<std::string, Calibration>;

FoundFor fitPools(const std::vector<plan::SoftwareProfile>& priors, const std::vector<MeasuredRun>& runs,
    plan::CalibrationTarget target, const std::stop_token& stop)
{
    FoundFor found;
    for (std::vector<plan::SoftwareProfile>& pool : pools(priors, target)) {
        std::vector<MeasuredRun> mine;
        std::vector<std::string> shapes;
        for (const MeasuredRun& run : runs) {
            const bool isOfPool = std::ranges::any_of(
                pool, [&](const plan::SoftwareProfile& p) { return p.id == run.plan.training.software.id; });
            if (!isOfPool || !detail::measured(run, target))
                continue;
            mine.push_back(run);
            shapes.push_back(shapeLabel(run.plan.model));
        }
        if (static_cast<int>(mine.size()) < kFewestRows)
            continue;
        const Starts starts(std::move(pool));
        std::vector<Calibration> fitted = calibrateTogether(mine, starts, poolOptions(target), shapes, stop);
        for (std::size_t i = 0; i < fitted.size(); ++i)
            found.emplace(starts.all()[i].id, std::move(fitted[i]));
    }
    return found;
}

/// The constants of one target, taken over.
void take(const plan::SoftwareProfile& from, plan::CalibrationTarget target, plan::SoftwareProfile& to)
{
    for (const CalibrationParameter& p : calibrationParameters())
        if (p.target == target)
            p.set(to, p.get(from));
    if (target == plan::CalibrationTarget::StepTime) {
        to.rangeLow = from.rangeLow;
        to.rangeHigh = from.rangeHigh;
    }
}

} // namespace

std::vector<FittedProfile> fitProfiles(
    const std::vector<plan::SoftwareProfile>& priors, const std::vector<MeasuredRun>& runs, std::stop_token stop)
{
    using enum plan::CalibrationTarget;
    FoundFor time = fitPools(priors, weighed(runs, priors, StepTime), StepTime, stop);
    FoundFor memory = fitPools(priors, weighed(runs, priors, PeakMemory), PeakMemory, stop);
    std::vector<FittedProfile> profiles;
    for (const plan::SoftwareProfile& prior : priors) {
        FittedProfile fitted{prior, 0, 0, {}, {}};
        for (const MeasuredRun& run : runs) {
            const bool isMine = run.plan.training.software.id == prior.id;
            fitted.timeRows += isMine && run.stepSeconds;
            fitted.memoryRows += isMine && run.peakGib;
        }
        if (const auto found = time.find(prior.id); found != time.end()) {
            fitted.time = std::move(found->second);
            take(fitted.time.profile, StepTime, fitted.profile);
        }
        if (const auto found = memory.find(prior.id); found != memory.end()) {
            fitted.memory = std::move(found->second);
            take(fitted.memory.profile, PeakMemory, fitted.profile);
        }
        if (fitted.profile != prior)
            roundConstants(fitted.profile);
        profiles.push_back(std::move(fitted));
    }
    return profiles;
}

} // namespace stratoplan::calibration
