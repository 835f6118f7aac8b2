// SPDX-License-Identifier: Apache-2.0
#include "core/capacity/capacity.h"

#include "core/capacity/interruptions.h"
#include "core/cluster/used_part.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace stratoplan::capacity {
namespace {

constexpr double kHoursOfDay = 24, kSecondsOfHour = 3600, kHoursOfYear = 8766;

/// Accelerators in whole nodes.
int wholeNodes(int accelerators, const cluster::NodeGroup& group)
{
    const int perNode = std::max(1, group.acceleratorsPerNode);
    return (accelerators + perNode - 1) / perNode * perNode;
}

/// Where nobody states a price of accelerators that are had by the hour: that of the catalogue, in its currency.
const catalog::ListPrice* listPrice(
    const plan::CapacityInputs& inputs, const cluster::NodeGroup& group, const catalog::RunDefaults& defaults)
{
    const bool isStated = inputs.pricePerAcceleratorHour > 0 || inputs.prices.contains(group.id);
    const catalog::ListPrice* const listed = defaults.price(group.accelerator.id);
    const bool counts = !isStated && inputs.purchase != plan::Purchase::Owned && listed != nullptr;
    return counts && listed->currency == inputs.currency ? listed : nullptr;
}

/// What is paid for an hour, or by the run, of the accelerators that are paid.
struct Bill {
    int accelerators = 0;
    double perHour = 0;
    double least = 0; ///< whatever the run takes
    bool isKnown = false;
};

double pricePerHour(
    const plan::CapacityInputs& inputs, const cluster::NodeGroup& group, const catalog::RunDefaults& defaults)
{
    if (inputs.purchase == plan::Purchase::Owned) {
        const plan::Ownership& owned = inputs.owned;
        const double lost = (1 - owned.residualShare) / owned.years + owned.operationsShare; // of the price, a year
        return owned.pricePerAccelerator * lost / kHoursOfYear;
    }
    if (const auto known = inputs.prices.find(group.id); known != inputs.prices.end())
        return known->second;
    if (inputs.pricePerAcceleratorHour > 0)
        return inputs.pricePerAcceleratorHour;
    const catalog::ListPrice* const listed = listPrice(inputs, group, defaults);
    return listed != nullptr ? listed->perHour : 0;
}

Bill billOf(const plan::Plan& plan, const plan::CapacityInputs& inputs, const catalog::RunDefaults& defaults)
{
    Bill bill;
    bill.isKnown = true;
    const std::vector<int> used = cluster::usedAccelerators(plan.cluster, rankCount(plan.strategy));
    bool isFirst = true;
    for (std::size_t i = 0; i < used.size(); ++i) {
        const cluster::NodeGroup& group = plan.cluster.nodes[i];
        const bool takesPart = cluster::takesPart(group);
        const int all = takesPart ? group.count * group.acceleratorsPerNode : 0;
        int paid = inputs.paysForIdle ? all : wholeNodes(used[i], group);
        if (takesPart && isFirst) { // spare nodes are as the first ones
            paid += inputs.failures.spareNodes.value_or(0) * group.acceleratorsPerNode;
            isFirst = false;
        }
        const double price = pricePerHour(inputs, group, defaults);
        const bool isKnown = price > 0 || inputs.prices.contains(group.id);
        bill.accelerators += paid;
        bill.perHour += paid * price;
        bill.isKnown = bill.isKnown && (paid == 0 || isKnown);
    }
    if (inputs.purchase == plan::Purchase::Reserved)
        bill.least = bill.perHour * inputs.termDays * kHoursOfDay;
    return bill;
}

/// Of the nodes in use, in training.
double wattsOf(const plan::Plan& plan, const plan::CapacityInputs& inputs, const catalog::RunDefaults& defaults)
{
    using catalog::RunConstant;
    double watts = 0;
    const std::vector<int> used = cluster::usedAccelerators(plan.cluster, rankCount(plan.strategy));
    for (std::size_t i = 0; i < used.size(); ++i) {
        const cluster::NodeGroup& group = plan.cluster.nodes[i];
        const int perNode = std::max(1, group.acceleratorsPerNode);
        const double ofNode = group.watts > 0
            ? group.watts
            : group.accelerator.watts * perNode * defaults.value(RunConstant::PowerOverBoards);
        watts += ofNode * (wholeNodes(used[i], group) / perNode);
    }
    return watts * inputs.powerShare.value_or(defaults.value(RunConstant::PowerShare));
}

double trainingSeconds(const std::vector<BatchPhase>& phases)
{
    double seconds = 0;
    for (const BatchPhase& phase : phases)
        seconds += phase.steps * phase.step.value();
    return seconds;
}

void addMoneyAndPower(
    Capacity& result, const plan::Plan& plan, const plan::CapacityInputs& inputs, const catalog::RunDefaults& defaults)
{
    const auto hours = [](double days) { return days * kHoursOfDay; };
    result.watts = wattsOf(plan, inputs, defaults);
    result.energyKwh = mapped(result.days, [&](double days) { return result.watts * inputs.pue * hours(days) / 1000; });
    const double intensity = inputs.gridIntensity.value_or(defaults.grids.front().intensity);
    result.co2Kg = mapped(result.energyKwh, [&](double kwh) { return kwh * intensity / 1000; });
    const Bill bill = billOf(plan, inputs, defaults);
    result.paid = bill.accelerators;
    result.isPriced = bill.isKnown;
    result.cost = mapped(result.days, [&](double days) {
        const double electricity = inputs.purchase == plan::Purchase::Owned
            ? result.watts * inputs.pue * hours(days) / 1000 * inputs.owned.electricityPerKwh
            : 0;
        return std::max(bill.least, bill.perHour * hours(days)) + electricity;
    });
}

} // namespace

Capacity capacity(const plan::Plan& plan, const estimate::Estimate& estimate, const plan::CapacityInputs& inputs,
    const catalog::RunDefaults& defaults)
{
    Capacity result;
    const std::vector<BatchPhase> phases = batchPhases(plan, estimate, inputs);
    const double training = trainingSeconds(phases);
    if (!(training > 0))
        return result;
    result.tokens = budgetTokens(plan, inputs);
    for (const BatchPhase& phase : phases)
        result.steps += phase.steps;
    constexpr double kSecondsOfDay = kSecondsOfHour * kHoursOfDay;
    result.trainingDays = training / kSecondsOfDay;
    result.goodput = capacity::goodput(plan, training, inputs, defaults);
    const double step = estimate.step.value();
    const bool hasRange = estimate.stepLow.value() > 0 && estimate.stepHigh > estimate.stepLow;
    result.days = mapped(wallTime(training, hasRange ? estimate.stepLow.value() / step : 1,
                             hasRange ? estimate.stepHigh.value() / step : 1, result.goodput, inputs, defaults),
        [](double seconds) { return seconds / kSecondsOfDay; });
    const int accelerators = acceleratorCount(plan.cluster);
    result.used = std::min(rankCount(plan.strategy), accelerators);
    result.idle = accelerators - result.used;
    for (const cluster::NodeGroup& group : plan.cluster.nodes)
        if (cluster::takesPart(group)) {
            result.spare = inputs.failures.spareNodes.value_or(0) * group.acceleratorsPerNode;
            break;
        }
    result.acceleratorHours = mapped(result.days, [&](double days) { return days * kHoursOfDay * result.used; });
    addMoneyAndPower(result, plan, inputs, defaults);
    return result;
}

std::vector<Assumption> assumptions(
    const plan::Plan& plan, const plan::CapacityInputs& inputs, const catalog::RunDefaults& defaults)
{
    using catalog::RunConstant;
    std::vector<Assumption> assumed;
    const auto add = [&](RunConstant constant, bool isStated) {
        const catalog::RunDefault& known = defaults.entry(constant);
        if (!isStated)
            assumed.push_back({known.id, known.value, known.source, known.date});
    };
    if (!(inputs.goodput > 0)) {
        const plan::Failures& f = inputs.failures;
        add(RunConstant::AcceleratorMtbf, f.acceleratorMtbf.has_value());
        add(RunConstant::NodeMtbf, f.nodeMtbf.has_value());
        add(RunConstant::NicMtbf, f.nicMtbf.has_value());
        add(RunConstant::Restart, f.restart.has_value());
        add(RunConstant::Repair, f.repair.has_value() || !f.spareNodes);
        add(RunConstant::StorageOfNode, inputs.checkpoints.bandwidth.has_value());
        add(RunConstant::BlockingShare, inputs.checkpoints.blockingShare.has_value());
    }
    add(RunConstant::PowerShare, inputs.powerShare.has_value());
    const auto& nodes = plan.cluster.nodes;
    add(RunConstant::PowerOverBoards, std::ranges::all_of(nodes, [](const auto& group) { return group.watts > 0; }));
    const catalog::GridRegion& grid = defaults.grids.front();
    if (!inputs.gridIntensity)
        assumed.push_back({"grid_g_per_kwh", grid.intensity, grid.name + ": " + grid.source, grid.date});
    for (const cluster::NodeGroup& group : nodes)
        if (const catalog::ListPrice* const price = listPrice(inputs, group, defaults))
            assumed.push_back({"prices/" + group.id, price->perHour, price->source, price->date});
    return assumed;
}

plan::CapacityInputs startingInputs(const plan::Plan& plan, const catalog::Catalog& catalog)
{
    plan::CapacityInputs inputs;
    for (const catalog::ModelPreset& preset : catalog.models)
        if (preset.model.name == plan.model.name)
            inputs.tokens = preset.trainingTokens;
    return inputs;
}

Bytes checkpointBytes(const plan::Plan& plan)
{
    const double ofParameter =
        storageBytes(plan.training.precision) + plan::optimizerState(plan.training, plan::Updated::Layers).total();
    return Bytes(double(parameters(plan.model).total) * ofParameter);
}

std::optional<std::chrono::sys_days> dayOf(std::string_view text)
{
    constexpr std::size_t kLength = 10; // 2026-12-01
    int year = 0;
    unsigned month = 0, day = 0;
    const auto read = [&](std::size_t from, std::size_t length, auto& value) {
        const char* const end = text.data() + from + length;
        const auto [stop, error] = std::from_chars(text.data() + from, end, value);
        return error == std::errc() && stop == end;
    };
    if (text.size() != kLength || text[4] != '-' || text[7] != '-' || !read(0, 4, year) || !read(5, 2, month)
        || !read(8, 2, day))
        return std::nullopt;
    const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(month), std::chrono::day(day)};
    return date.ok() ? std::optional(std::chrono::sys_days(date)) : std::nullopt;
}

std::string dayText(std::chrono::sys_days day)
{
    const std::chrono::year_month_day date(day);
    char text[32];
    std::snprintf(text, sizeof text, "%04d-%02u-%02u", int(date.year()), unsigned(date.month()), unsigned(date.day()));
    return text;
}

std::chrono::sys_days doneOn(std::chrono::sys_days start, double days)
{
    constexpr double kLongest = 1e6; // some 2,700 years
    return start + std::chrono::days(int(std::floor(std::min(days, kLongest))));
}

} // namespace stratoplan::capacity
