// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/plan_scaling.h"

#include "core/sizing/sizing.h"

#include <nlohmann/json.hpp>

#include <array>
#include <cmath>
#include <utility>

namespace stratoplan::session {

namespace {

/// Of the plan's replicas: numerator and denominator.
constexpr std::array kFactors{std::pair(1, 8), std::pair(1, 4), std::pair(1, 2), std::pair(1, 1), std::pair(2, 1),
    std::pair(4, 1), std::pair(8, 1)};

exchange::StudyPoint pointOf(
    const plan::Plan& plan, const estimate::Estimate& estimate, const plan::CapacityInputs& inputs)
{
    using Outcome = exchange::StudyPoint::Outcome;
    exchange::StudyPoint point;
    point.outcome = estimate.fits ? Outcome::Fits : Outcome::TooLarge;
    point.step = estimate.step;
    point.stepLow = estimate.stepLow;
    point.stepHigh = estimate.stepHigh;
    point.tokensPerSecond = estimate.tokensPerSecond;
    point.mfu = estimate.mfu;
    point.peak = estimate.memory.peak;
    point.accelerators = rankCount(plan.strategy);
    point.found = plan.strategy;
    const capacity::Capacity run = capacity::capacity(plan, estimate, inputs);
    if (run.days.mid > 0 && std::isfinite(run.days.mid)) {
        point.days = run.days.mid;
        point.acceleratorHours = run.acceleratorHours.mid;
        point.energyKwh = run.energyKwh.mid;
        if (run.isPriced)
            point.cost = run.cost.mid;
    }
    return point;
}

} // namespace

exchange::StudyAnswers scalingOf(const std::vector<ScaledPlan>& plans, const std::stop_token& stop)
{
    exchange::StudyAnswers answers;
    exchange::StudyAxis axis{.pointer = "/plan", .values = {}, .numbers = {}};
    for (std::size_t i = 0; i < plans.size(); ++i) {
        axis.values.push_back(nlohmann::json(plans[i].name.toStdString()).dump());
        for (const auto& [times, over] : kFactors) {
            const int replicas = plans[i].plan->strategy.dp * times;
            if (stop.stop_requested() || replicas % over != 0)
                continue;
            const auto plan = sizing::withReplicas(*plans[i].plan, replicas / over);
            const auto estimate = plan ? std::optional(estimate::estimate(*plan, {.stop = stop})) : std::nullopt;
            if (!estimate || !*estimate)
                continue;
            answers.points.push_back(pointOf(*plan, **estimate, plans[i].inputs));
            answers.points.back().number = std::int64_t(answers.points.size()) - 1;
            answers.points.back().values = {i};
        }
    }
    answers.axes = {std::move(axis)};
    answers.currency = plans.empty() ? std::string() : plans.front().inputs.currency;
    return answers;
}

PlanScaling::PlanScaling(QObject* parent)
    : QObject(parent)
{
    m_worker.emplace([this](const Request& request, const std::stop_token& stop) {
        auto answers = std::make_shared<const exchange::StudyAnswers>(scalingOf(request.plans, stop));
        if (!stop.stop_requested())
            m_outbox.post(&Letters::answer, {std::move(answers), request.number});
    });
}

PlanScaling::~PlanScaling() = default;

void PlanScaling::request(std::vector<ScaledPlan> plans)
{
    if (plans == m_asked)
        return;
    m_asked = plans;
    m_worker->overtake({std::move(plans), ++m_number});
}

void PlanScaling::deliver()
{
    const auto [answer] = m_outbox.take();
    if (!answer || answer->revision != m_number)
        return;
    m_delivered = answer->revision;
    Q_EMIT scaled(answer->value);
}

} // namespace stratoplan::session
