// SPDX-License-Identifier: Apache-2.0
#include "core/calibration/screening.h"

namespace stratoplan::calibration {

namespace {

constexpr double kOverCapacity = 1.02; ///< GB taken for GiB of what a driver reports, and no more

/// The unit that explains a factor between a measurement and its estimate.
MistakenUnit unitMeant(double factor, bool memory)
{
    struct Mistake {
        double factor;
        MistakenUnit time;
        MistakenUnit memory;
    };
    using enum MistakenUnit;
    constexpr Mistake kMistakes[] = {{1e3, Milliseconds, Mebibytes}, {1e6, Microseconds, Kibibytes},
        {1e9, Nanoseconds, Octets}, {1.0 / 60, Minutes, None}, {1e-3, SecondsAsMilliseconds, Tebibytes}};
    constexpr double kWithin = 3;
    for (const Mistake& mistake : kMistakes) {
        const MistakenUnit unit = memory ? mistake.memory : mistake.time;
        if (unit != None && factor < mistake.factor * kWithin && factor > mistake.factor / kWithin)
            return unit;
    }
    return None;
}

/// Why a measurement cannot be one of the run, or nothing.
std::optional<Implausible> implausible(const MeasuredRun& run, const estimate::Estimate& estimate)
{
    using enum Implausible::Kind;
    if (run.stepSeconds) {
        const double expected = estimate.step.value() * run.batchScale;
        const double factor = *run.stepSeconds / expected;
        if (factor > kImplausible || factor < 1 / kImplausible)
            return Implausible{Step, run.place, *run.stepSeconds, expected, factor, unitMeant(factor, false)};
    }
    if (run.peakGib) {
        const Bytes peak(*run.peakGib * kGiB);
        const double factor = peak / estimate.memory.peak;
        const MistakenUnit meant = unitMeant(factor, true);
        if (peak > estimate.memory.capacity * kOverCapacity)
            return Implausible{
                PeakBeyondCapacity, run.place, peak.value(), estimate.memory.capacity.value(), factor, meant};
        if (factor < 1 / kImplausible)
            return Implausible{PeakTooSmall, run.place, peak.value(), estimate.memory.peak.value(), factor, meant};
    }
    return std::nullopt;
}

} // namespace

void screenRuns(RunTable& table, const std::optional<plan::SoftwareProfile>& software)
{
    std::erase_if(table.runs, [&](const MeasuredRun& run) {
        plan::Plan plan = run.plan;
        if (software)
            plan.training.software = *software;
        const auto answer = estimate::estimate(plan, {.remedies = false, .range = false});
        const auto reason = answer ? implausible(run, *answer) : std::nullopt;
        if (reason)
            table.faulty.push_back({run.id, *reason, run.order});
        return reason.has_value();
    });
}

} // namespace stratoplan::calibration
