// SPDX-License-Identifier: Apache-2.0
#include "core/sensitivity/outcome.h"

#include "core/units/named.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stratoplan::sensitivity {
namespace {

constexpr NameTable<Measure, kMeasures.size()> kMeasureNames{{{Measure::Step, "step"}, {Measure::Peak, "peak"},
    {Measure::Days, "days"}, {Measure::Cost, "cost"}, {Measure::Energy, "energy"}}};

double trainingSecondsOf(const Case& given, const estimate::Estimate& estimate)
{
    double seconds = 0;
    for (const capacity::BatchPhase& phase : capacity::batchPhases(given.plan, estimate, given.run))
        seconds += phase.steps * phase.step.value();
    return seconds;
}

/// Of wall time, with failures as luck has them.
double shareOfTraining(const Case& given, double training, std::optional<double> luck)
{
    const capacity::Goodput usual = capacity::goodput(given.plan, training, given.run);
    if (usual.isStated || !luck)
        return usual.share;
    const double alone = training / (1 - usual.stalls);
    const capacity::Moments wall = capacity::momentsOfRun(alone, usual.interruptions);
    return training / std::max(alone, wall.mean + *luck * std::sqrt(wall.variance));
}

double fillOf(const estimate::Memory& memory)
{
    double fill = memory.capacity.value() > 0 ? memory.peak / memory.capacity : 0;
    for (const estimate::StageMemory& stage : memory.stages)
        if (stage.capacity.value() > 0)
            fill = std::max(fill, stage.total() / stage.capacity);
    return fill;
}

/// Of a host's memory, by what is offloaded.
double hostFillOf(const estimate::Memory& memory)
{
    if (!(memory.hostPeak.value() > 0))
        return 0;
    return memory.hostCapacity.value() > 0 ? memory.hostPeak / memory.hostCapacity
                                           : std::numeric_limits<double>::infinity();
}

} // namespace

std::string_view key(Measure measure)
{
    return nameIn(kMeasureNames, measure);
}

std::optional<Measure> measureFromKey(std::string_view key)
{
    return valueIn(kMeasureNames, key);
}

bool isComparable(const Case& a, const Case& b, Measure measure)
{
    return measure != Measure::Cost || a.run.currency == b.run.currency;
}

tl::expected<estimate::Estimate, Problems> priced(const plan::Plan& plan, const std::stop_token& stop, bool withRange)
{
    return estimate::estimate(plan, {.remedies = false, .waits = false, .range = withRange, .stop = stop});
}

Outcome outcomeOf(const Case& given, const estimate::Estimate& estimate, const Luck& luck)
{
    Outcome outcome;
    outcome.values.fill(std::numeric_limits<double>::quiet_NaN());
    const auto set = [&](Measure measure, double value) { outcome.values[std::size_t(measure)] = value; };
    set(Measure::Step, estimate.step.value() * luck.step);
    set(Measure::Peak, estimate.memory.peak.value() * luck.peak);
    outcome.fill = std::max(fillOf(estimate.memory) * luck.peak, hostFillOf(estimate.memory));
    const double training = luck.step * trainingSecondsOf(given, estimate);
    if (!(training > 0))
        return outcome;
    plan::CapacityInputs inputs = given.run;
    if (luck.failures || luck.step != 1) // luck is no part of the estimate: steps of a ramp have it, too
        inputs.goodput =
            std::max(std::numeric_limits<double>::min(), shareOfTraining(given, training, luck.failures) / luck.step);
    estimate::Estimate middle = estimate;
    middle.stepLow = middle.stepHigh = middle.step;
    const capacity::Capacity run = capacity::capacity(given.plan, middle, inputs);
    set(Measure::Days, run.days.mid);
    if (run.isPriced)
        set(Measure::Cost, run.cost.mid);
    set(Measure::Energy, run.energyKwh.mid);
    return outcome;
}

Case withPlannedCheckpoints(Case planned, const estimate::Estimate& estimate)
{
    const double training = trainingSecondsOf(planned, estimate);
    if (training > 0 && !(planned.run.goodput > 0) && !planned.run.checkpoints.interval) {
        const double interval = capacity::goodput(planned.plan, training, planned.run).interruptions.interval;
        if (std::isfinite(interval))
            planned.run.checkpoints.interval = interval;
    }
    return planned;
}

} // namespace stratoplan::sensitivity
