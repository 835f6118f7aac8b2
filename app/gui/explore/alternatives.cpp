// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/explore/alternatives.h"

#include "core/plan/dimensions.h"
#include "core/plan/problem.h"
#include "core/pricing/limits.h"
#include "widgets/presentation/text.h"

#include <QCoreApplication>

#include <array>

namespace stratoplan::gui {

namespace {

constexpr std::array kSchedules{parallel::Schedule::GPipe, parallel::Schedule::OneFOneB,
    parallel::Schedule::EagerOneFOneB, parallel::Schedule::Interleaved, parallel::Schedule::BreadthFirst,
    parallel::Schedule::ZbH1, parallel::Schedule::ZbH2, parallel::Schedule::ZbAuto, parallel::Schedule::ZbV,
    parallel::Schedule::VHalf, parallel::Schedule::VMin, parallel::Schedule::DualPipe, parallel::Schedule::DualPipeV};

bool runs(const plan::Plan& plan)
{
    return !hasErrors(check(plan, {.remedies = false})) && pricing::notEstimable(plan).empty();
}

} // namespace

PipelineAlternative alternativeOf(const plan::Plan& plan)
{
    return {plan.strategy.schedule, plan.strategy.timingPass, {}, nullptr};
}

plan::Plan withAlternative(const plan::Plan& plan, const PipelineAlternative& alternative)
{
    if (alternative.pinned)
        return *alternative.pinned;
    plan::Plan other = plan;
    if (alternative.schedule != plan.strategy.schedule)
        other.strategy = withValue(plan, plan::Dimension::Schedule, int(alternative.schedule));
    other.strategy.timingPass = alternative.timingPass;
    return other;
}

std::vector<PipelineAlternative> pipelineAlternatives(const plan::Plan& plan, const std::vector<plan::PinnedPlan>& pins)
{
    std::vector<PipelineAlternative> result;
    if (plan.strategy.pp < 2)
        return result;
    const PipelineAlternative current = alternativeOf(plan);
    const auto add = [&](const PipelineAlternative& alternative) {
        if (alternative != current && runs(withAlternative(plan, alternative)))
            result.push_back(alternative);
    };
    add({current.schedule, !current.timingPass, {}, nullptr});
    for (const parallel::Schedule schedule : kSchedules)
        add({schedule, current.timingPass, {}, nullptr});
    for (const plan::PinnedPlan& pin : pins) {
        if (pin.plan.strategy.pp == plan.strategy.pp && pin.plan != plan && runs(pin.plan))
            result.push_back({pin.plan.strategy.schedule, pin.plan.strategy.timingPass,
                QString::fromStdString(pin.name).section(u':', 0, 0), std::make_shared<const plan::Plan>(pin.plan)});
    }
    return result;
}

QString alternativeText(const PipelineAlternative& alternative, const plan::Plan& plan)
{
    if (alternative.pinned)
        return QCoreApplication::translate("Alternatives", "pinned %1").arg(alternative.pin);
    if (alternative.schedule != plan.strategy.schedule)
        return widgets::scheduleText(alternative.schedule);
    return alternative.timingPass ? QCoreApplication::translate("Alternatives", "with the timing pass")
                                  : QCoreApplication::translate("Alternatives", "without the timing pass");
}

} // namespace stratoplan::gui
