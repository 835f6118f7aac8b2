// SPDX-License-Identifier: Apache-2.0
#include "core/exchange/capacity_answer_json.h"

#include "core/exchange/estimate_json.h"
#include "core/narration/runs.h"

#include <nlohmann/json.hpp>

namespace stratoplan::exchange {

using nlohmann::ordered_json;

namespace {

ordered_json spreadJson(const capacity::Spread& spread)
{
    return {{"p10", spread.low}, {"p50", spread.mid}, {"p90", spread.high}};
}

ordered_json goodputJson(const capacity::Goodput& goodput)
{
    if (goodput.isStated)
        return {{"stated", true}};
    const capacity::Losses& l = goodput.losses;
    const capacity::Interruptions& i = goodput.interruptions;
    return {{"stated", false}, {"checkpoints", l.checkpoints}, {"lost_work", l.lost}, {"restarts", l.restarts},
        {"stalls", goodput.stalls}, {"failures", goodput.failures}, {"mtbf_s", i.mtbf},
        {"checkpoint_bytes", goodput.checkpoint.value()}, {"checkpoint_s", i.checkpoint}, {"interval_s", i.interval},
        {"restart_s", i.restart}};
}

ordered_json deliveryDates(const capacity::Capacity& c, std::chrono::sys_days start)
{
    const auto date = [&](double days) { return capacity::dayText(capacity::doneOn(start, days)); };
    return {{"p10", date(c.days.low)}, {"p50", date(c.days.mid)}, {"p90", date(c.days.high)}};
}

} // namespace

ordered_json toJson(const plan::Plan& plan, const capacity::Capacity& c, const plan::CapacityInputs& inputs,
    const estimate::Estimate& estimate)
{
    ordered_json unknown = ordered_json::object();
    if (!c.isPriced)
        unknown["cost"] = narration::whyUnpriced();
    ordered_json problems = ordered_json::array();
    for (const plan::Problem& problem : estimate.problems)
        problems.push_back(toJson(problem));
    ordered_json assumed = ordered_json::array();
    for (const capacity::Assumption& a : capacity::assumptions(plan, inputs))
        assumed.push_back({{"input", a.input}, {"value", a.value}, {"source", a.source}, {"date", a.date}});
    ordered_json json{{"steps", c.steps}, {"days", c.days.mid}, {"gpu_hours", c.acceleratorHours.mid},
        {"cost", c.isPriced ? ordered_json(c.cost.mid) : ordered_json(nullptr)}, {"currency", inputs.currency},
        {"energy_kwh", c.energyKwh.mid}, {"co2_kg", c.co2Kg.mid}, {"goodput", c.goodput.share},
        {"delivery", spreadJson(c.days)}, {"unknown", unknown}, {"fits", estimate.fits},
        {"problems", std::move(problems)}, {"step_s", estimate.step.value()}, {"tokens", c.tokens},
        {"training_days", c.trainingDays}, {"accelerators_used", rankCount(plan.strategy)},
        {"accelerators_idle", acceleratorCount(plan.cluster) - rankCount(plan.strategy)}, {"accelerators_paid", c.paid},
        {"watts", c.watts}, {"goodput_parts", goodputJson(c.goodput)},
        {"ranges",
            {{"gpu_hours", spreadJson(c.acceleratorHours)},
                {"cost", c.isPriced ? spreadJson(c.cost) : ordered_json(nullptr)},
                {"energy_kwh", spreadJson(c.energyKwh)}, {"co2_kg", spreadJson(c.co2Kg)}}},
        {"assumed", std::move(assumed)}};
    if (const auto start = capacity::dayOf(inputs.start))
        json["delivery_dates"] = deliveryDates(c, *start);
    return json;
}

} // namespace stratoplan::exchange
