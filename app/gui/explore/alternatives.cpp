// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/explore/alternatives.h"

#include "core/plan/dimensions.h"
#include "core/plan/problem.h"
#include "core/pricing/limits.h"
#include "widgets/presentation/text.h"

#include <QCoreApplication>

#include <array>

namespace stratoplan {

namespace {

constexpr std::array kSchedules{Schedule::GPipe, Schedule::OneFOneB, Schedule::EagerOneFOneB, Schedule::Interleaved,
    Schedule::BreadthFirst, Schedule::ZbH1, Schedule::ZbH2, Schedule::ZbAuto, Schedule::ZbV, Schedule::VHalf,
    Schedule::VMin, Schedule::DualPipe, Schedule::DualPipeV};

bool runs(const Plan& plan)
{
    return !hasErrors(check(plan, {.remedies = false})) && notEstimable(plan).empty();
}

} // namespace

PipelineAlternative alternativeOf(const Plan& plan)
{
    return {plan.strategy.schedule, plan.strategy.timingPass};
}

Plan withAlternative(const Plan& plan, const PipelineAlternative& alternative)
{
    Plan other = plan;
    if (alternative.schedule != plan.strategy.schedule)
        other.strategy = withValue(plan, Dimension::Schedule, int(alternative.schedule));
    other.strategy.timingPass = alternative.timingPass;
    return other;
}

std::vector<PipelineAlternative> pipelineAlternatives(const Plan& plan)
{
    std::vector<PipelineAlternative> result;
    if (plan.strategy.pp < 2)
        return result;
    const PipelineAlternative own = alternativeOf(plan);
    const auto add = [&](const PipelineAlternative& alternative) {
        if (alternative != own && runs(withAlternative(plan, alternative)))
            result.push_back(alternative);
    };
    add({own.schedule, !own.timingPass});
    for (const Schedule schedule : kSchedules)
        add({schedule, own.timingPass});
    return result;
}

QString alternativeText(const PipelineAlternative& alternative, const Plan& plan)
{
    if (alternative.schedule != plan.strategy.schedule)
        return scheduleText(alternative.schedule);
    return alternative.timingPass ? QCoreApplication::translate("Alternatives", "with the timing pass")
                                  : QCoreApplication::translate("Alternatives", "without the timing pass");
}

} // namespace stratoplan
