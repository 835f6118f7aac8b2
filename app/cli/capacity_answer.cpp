// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/capacity_answer.h"

#include "app/cli/table.h"
#include "core/exchange/estimate_json.h"
#include "core/units/format.h"

#include <nlohmann/json.hpp>

namespace stratoplan::cli {

namespace {

using Json = nlohmann::ordered_json;

/// "12.3 (11.8 to 13.4)"
std::string spreadText(const capacity::Spread& spread)
{
    const std::string mid = formatNumber(spread.mid), low = formatNumber(spread.low), high = formatNumber(spread.high);
    return low == high ? mid : mid + " (" + low + " to " + high + ')';
}

std::string goodputText(const capacity::Goodput& goodput)
{
    std::string text = formatShare(goodput.share);
    if (goodput.isStated)
        return text + ", as stated";
    const capacity::Losses& l = goodput.losses;
    text += ": checkpoints " + formatShare(l.checkpoints) + ", lost work " + formatShare(l.lost) + ", restarts "
        + formatShare(l.restarts);
    return goodput.stalls > 0 ? text + ", stalls " + formatShare(goodput.stalls) : text;
}

void addGoodput(Table& table, const capacity::Goodput& goodput)
{
    table.row({"Goodput", goodputText(goodput)});
    if (goodput.isStated)
        return;
    const capacity::Interruptions& i = goodput.interruptions;
    table.row({"Failures", formatNumber(goodput.failures) + " expected, one in " + format(Seconds(i.mtbf))});
    table.row({"Checkpoints",
        format(goodput.checkpoint) + " every " + format(Seconds(i.interval)) + ", " + format(Seconds(i.checkpoint))
            + " each"});
}

Json spreadJson(const capacity::Spread& spread)
{
    return {{"p10", spread.low}, {"p50", spread.mid}, {"p90", spread.high}};
}

Json goodputJson(const capacity::Goodput& goodput)
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

Json deliveryDates(const capacity::Capacity& c, std::chrono::sys_days start)
{
    const auto date = [&](double days) { return capacity::dayText(capacity::doneOn(start, days)); };
    return {{"p10", date(c.days.low)}, {"p50", date(c.days.mid)}, {"p90", date(c.days.high)}};
}

} // namespace

std::string describeCapacity(const plan::Plan& plan, const capacity::Capacity& c, const plan::CapacityInputs& inputs)
{
    const std::string idle =
        c.idle == 0 ? "" : "; " + grouped(c.idle) + (inputs.paysForIdle ? " idle ones are paid" : " idle ones are not");
    Table table({Align::Left, Align::Left});
    table.row({"Token budget", formatNumber(c.tokens) + " tokens, " + formatNumber(c.steps) + " steps"});
    table.row({"Duration", spreadText(c.days) + " days, of which training " + formatNumber(c.trainingDays)});
    if (const auto start = capacity::dayOf(inputs.start))
        table.row({"Done",
            capacity::dayText(capacity::doneOn(*start, c.days.mid)) + " ("
                + capacity::dayText(capacity::doneOn(*start, c.days.low)) + " to "
                + capacity::dayText(capacity::doneOn(*start, c.days.high)) + ')'});
    addGoodput(table, c.goodput);
    table.row({"Accelerators",
        spreadText(c.acceleratorHours) + " accelerator-hours of the " + grouped(rankCount(plan.strategy)) + " in use"
            + idle});
    table.row({"Energy",
        spreadText(c.energyKwh) + " kWh, of nodes that draw " + formatNumber(c.watts / 1000) + " kW, at a PUE of "
            + formatNumber(inputs.pue)});
    table.row({"CO2", spreadText(c.co2Kg) + " kg"});
    table.row({"Cost", c.isPriced ? spreadText(c.cost) + ' ' + inputs.currency : "no price given (--price)"});
    return table.text();
}

std::string describeAssumptions(const std::vector<capacity::Assumption>& assumed)
{
    std::string text = "\nNot stated:\n";
    for (const capacity::Assumption& a : assumed)
        text += "  " + a.input + ' ' + formatNumber(a.value) + ": " + a.source + " (" + a.date + ").\n";
    return text;
}

Json capacityJson(const plan::Plan& plan, const capacity::Capacity& c, const plan::CapacityInputs& inputs,
    const estimate::Estimate& estimate)
{
    Json unknown = Json::object();
    if (!c.isPriced)
        unknown["cost"] = "no price is given (--price), and the catalogue knows none of these accelerators";
    Json problems = Json::array();
    for (const plan::Problem& problem : estimate.problems)
        problems.push_back(exchange::toJson(problem));
    Json assumed = Json::array();
    for (const capacity::Assumption& a : capacity::assumptions(plan, inputs))
        assumed.push_back({{"input", a.input}, {"value", a.value}, {"source", a.source}, {"date", a.date}});
    Json json{{"steps", c.steps}, {"days", c.days.mid}, {"gpu_hours", c.acceleratorHours.mid},
        {"cost", c.isPriced ? Json(c.cost.mid) : Json(nullptr)}, {"currency", inputs.currency},
        {"energy_kwh", c.energyKwh.mid}, {"co2_kg", c.co2Kg.mid}, {"goodput", c.goodput.share},
        {"delivery", spreadJson(c.days)}, {"unknown", unknown}, {"fits", estimate.fits},
        {"problems", std::move(problems)}, {"step_s", estimate.step.value()}, {"tokens", c.tokens},
        {"training_days", c.trainingDays}, {"accelerators_used", rankCount(plan.strategy)},
        {"accelerators_idle", acceleratorCount(plan.cluster) - rankCount(plan.strategy)}, {"accelerators_paid", c.paid},
        {"watts", c.watts}, {"goodput_parts", goodputJson(c.goodput)},
        {"ranges",
            {{"gpu_hours", spreadJson(c.acceleratorHours)}, {"cost", c.isPriced ? spreadJson(c.cost) : Json(nullptr)},
                {"energy_kwh", spreadJson(c.energyKwh)}, {"co2_kg", spreadJson(c.co2Kg)}}},
        {"assumed", std::move(assumed)}};
    if (const auto start = capacity::dayOf(inputs.start))
        json["delivery_dates"] = deliveryDates(c, *start);
    return json;
}

} // namespace stratoplan::cli
