// SPDX-License-Identifier: Apache-2.0
#include "core/calibration/screening.h"

#include "core/units/format.h"
#include "core/units/text.h"

#include <cmath>

namespace stratoplan::calibration {

namespace {

constexpr double kOverCapacity = 1.02; ///< GB taken for GiB of what a driver reports, and no more

/// What a factor between a measurement and its estimate comes from, in words; empty if nothing is plain.
std::string unitMeant(double factor, bool memory)
{
    struct Mistake {
        double factor;
        const char* time;
        const char* memory;
    };
    constexpr Mistake kMistakes[] = {{1e3, "milliseconds?", "MiB?"}, {1e6, "microseconds?", "KiB?"},
        {1e9, "nanoseconds?", "bytes?"}, {1.0 / 60, "minutes?", nullptr},
        {1e-3, "seconds under a heading in ms?", "TiB?"}};
    constexpr double kWithin = 3;
    for (const Mistake& one : kMistakes) {
        const char* const words = memory ? one.memory : one.time;
        if (words && factor < one.factor * kWithin && factor > one.factor / kWithin)
            return std::string(" (") + words + ")";
    }
    return {};
}

/// Three figures, without a prefix: "1,090".
std::string plainNumber(double value)
{
    return value < 1000 || value > 1e9 ? formatNumber(value) : groupedDigits(std::llround(roundedTo(value, 3)));
}

std::string timesText(double factor)
{
    return factor >= 1 ? plainNumber(factor) + " x" : "1/" + plainNumber(1 / factor) + " of";
}

/// In seconds where they are many: as it was written.
std::string stepText(double seconds)
{
    return seconds < 1000 ? format(Seconds(seconds)) : plainNumber(seconds) + " s";
}

/// Why a measurement cannot be one of the run, or nothing.
std::string implausible(const MeasuredRun& run, const estimate::Estimate& estimate)
{
    if (run.stepSeconds) {
        const double expected = estimate.step.value() * run.batchScale;
        const double factor = *run.stepSeconds / expected;
        if (factor > kImplausible || factor < 1 / kImplausible)
            return "found a step of " + stepText(*run.stepSeconds) + ", " + timesText(factor) + " the estimate"
                + unitMeant(factor, false) + ", expected a time of the order of " + format(Seconds(expected));
    }
    if (run.peakGib) {
        const Bytes peak(*run.peakGib * kGiB);
        const double factor = peak / estimate.memory.peak;
        if (peak > estimate.memory.capacity * kOverCapacity)
            return "found a peak of " + format(peak) + unitMeant(factor, true) + ", expected at most the "
                + format(estimate.memory.capacity) + " of an accelerator of the plan";
        if (factor < 1 / kImplausible)
            return "found a peak of " + format(peak) + ", " + timesText(factor) + " the estimate"
                + unitMeant(factor, true) + ", expected memory of the order of " + format(estimate.memory.peak);
    }
    return {};
}

} // namespace

void screenRuns(RunTable& table, const std::optional<plan::SoftwareProfile>& software)
{
    std::erase_if(table.runs, [&](const MeasuredRun& run) {
        plan::Plan plan = run.plan;
        if (software)
            plan.training.software = *software;
        const auto answer = estimate::estimate(plan, {.remedies = false, .range = false});
        const std::string reason = answer ? implausible(run, *answer) : std::string();
        if (!reason.empty())
            table.faulty.push_back({run.id, run.place.empty() ? reason : run.place + ": " + reason, run.order});
        return !reason.empty();
    });
}

} // namespace stratoplan::calibration
