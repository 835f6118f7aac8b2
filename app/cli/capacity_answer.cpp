// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/capacity_answer.h"

#include "app/cli/table.h"
#include "core/units/format.h"

namespace stratoplan::cli {

namespace {

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
        spreadText(c.energyKwh) + " kWh, of nodes that draw " + formatNumber(c.watts) + "W, at a PUE of "
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

} // namespace stratoplan::cli
