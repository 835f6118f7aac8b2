// SPDX-License-Identifier: Apache-2.0
#include "core/sensitivity/input_rows.h"

#include "core/capacity/capacity.h"
#include "core/capacity/interruptions.h"

#include <algorithm>
#include <cmath>

namespace stratoplan::sensitivity::detail {
namespace {

using catalog::RunConstant;
using cluster::Link;
using cluster::NodeGroup;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr double kHour = 3600, kDay = 86'400;

const NodeGroup* firstGroup(const Case& of)
{
    const auto& nodes = of.plan.cluster.nodes;
    const auto first = std::ranges::find_if(nodes, cluster::takesPart);
    return first == nodes.end() ? nullptr : &*first;
}

template <class Get>
double ofFirst(const Case& of, Get get)
{
    const NodeGroup* const first = firstGroup(of);
    const double value = first != nullptr ? double(get(*first)) : 0;
    return value > 0 ? value : kNone;
}

/// Precondition: ofFirst() has one.
template <class Scale>
void scaleAll(Case& of, double ratio, Scale scale)
{
    for (NodeGroup& group : of.plan.cluster.nodes)
        scale(group, ratio);
}

double peakRate(const Case& of, const NodeGroup& group)
{
    return (group.accelerator.peak[of.plan.training.precision] * group.accelerator.matmulSustained).value();
}

double acceleratorRate(const Case& of)
{
    return ofFirst(of, [&](const NodeGroup& group) { return peakRate(of, group); });
}

void setAcceleratorRate(Case& of, double value)
{
    scaleAll(of, value / acceleratorRate(of),
        [](NodeGroup& group, double ratio) { group.accelerator.matmulSustained *= ratio; });
}

double memoryBandwidth(const Case& of)
{
    return ofFirst(of, [](const NodeGroup& group) { return group.accelerator.memoryBandwidth.value(); });
}

void setMemoryBandwidth(Case& of, double value)
{
    scaleAll(of, value / memoryBandwidth(of),
        [](NodeGroup& group, double ratio) { group.accelerator.memoryBandwidth *= ratio; });
}

double acceleratorMemory(const Case& of)
{
    return ofFirst(of, [](const NodeGroup& group) { return group.accelerator.memory.value(); });
}

void setAcceleratorMemory(Case& of, double value)
{
    scaleAll(
        of, value / acceleratorMemory(of), [](NodeGroup& group, double ratio) { group.accelerator.memory *= ratio; });
}

double scaleUpBandwidth(const Case& of)
{
    return ofFirst(
        of, [](const NodeGroup& group) { return group.scaleUpDomain > 1 ? group.scaleUp.bandwidth.value() : 0; });
}

void setScaleUpBandwidth(Case& of, double value)
{
    scaleAll(of, value / scaleUpBandwidth(of), [](NodeGroup& group, double ratio) {
        group.scaleUp.bandwidth *= ratio;
        if (group.inNode)
            group.inNode->bandwidth *= ratio;
    });
}

double scaleUpLatency(const Case& of)
{
    return ofFirst(
        of, [](const NodeGroup& group) { return group.scaleUpDomain > 1 ? group.scaleUp.latency.value() : 0; });
}

void setScaleUpLatency(Case& of, double value)
{
    scaleAll(of, value / scaleUpLatency(of), [](NodeGroup& group, double ratio) { group.scaleUp.latency *= ratio; });
}

bool hasNetwork(const Case& of)
{
    return acceleratorCount(of.plan.cluster) > cluster::smallestIsland(of.plan.cluster);
}

double networkBandwidth(const Case& of)
{
    return hasNetwork(of) ? ofFirst(of, [](const NodeGroup& group) { return group.nic.bandwidth.value(); }) : kNone;
}

double networkLatency(const Case& of)
{
    return hasNetwork(of) ? ofFirst(of, [](const NodeGroup& group) { return group.nic.latency.value(); }) : kNone;
}

/// NICs, their cables and those between switches.
template <class Scale>
void scaleNetwork(Case& of, double ratio, Scale scale)
{
    for (NodeGroup& group : of.plan.cluster.nodes)
        scale(group.nic, ratio);
    for (cluster::Connection& connection : of.plan.cluster.connections)
        scale(connection.link, ratio);
}

void setNetworkBandwidth(Case& of, double value)
{
    scaleNetwork(of, value / networkBandwidth(of), [](Link& link, double ratio) { link.bandwidth *= ratio; });
}

void setNetworkLatency(Case& of, double value)
{
    scaleNetwork(of, value / networkLatency(of), [](Link& link, double ratio) { link.latency *= ratio; });
}

std::string accelerator(const Case& of)
{
    const NodeGroup* const first = firstGroup(of);
    return first != nullptr ? first->accelerator.id : std::string();
}

std::string scaleUp(const Case& of)
{
    const NodeGroup* const first = firstGroup(of);
    return first != nullptr ? first->scaleUp.id : std::string();
}

std::string network(const Case& of)
{
    const NodeGroup* const first = firstGroup(of);
    return first != nullptr ? first->nic.id : std::string();
}

double nodes(const Case& of)
{
    return ofFirst(of, [](const NodeGroup& group) { return group.count; });
}

void setNodes(Case& of, double value)
{
    const auto first = std::ranges::find_if(of.plan.cluster.nodes, cluster::takesPart);
    first->count = int(value);
}

double whole(double value)
{
    return value > 0 ? value : kNone;
}

// Of the run

double ofRun(const Case& of, double value)
{
    return hasBudget(of.run) ? value : kNone;
}

double constant(RunConstant which)
{
    return catalog::shippedRunDefaults().value(which);
}

void setTokens(Case& of, double value)
{
    of.run.tokens = value;
    of.run.steps = of.run.computeFlops = 0;
}

/// By the hour, of the nodes of a group; 0: not known.
double price(const Case& of, const NodeGroup& group)
{
    if (const auto known = of.run.prices.find(group.id); known != of.run.prices.end())
        return known->second;
    if (of.run.pricePerAcceleratorHour > 0)
        return of.run.pricePerAcceleratorHour;
    const catalog::ListPrice* const listed = catalog::shippedRunDefaults().price(group.accelerator.id);
    return listed != nullptr && listed->currency == of.run.currency ? listed->perHour : 0;
}

bool isOwned(const Case& of)
{
    return of.run.purchase == plan::Purchase::Owned;
}

double firstPrice(const Case& of)
{
    if (isOwned(of) || !hasBudget(of.run))
        return kNone;
    return ofFirst(of, [&](const NodeGroup& group) { return price(of, group); });
}

void setPrice(Case& of, double value)
{
    const double ratio = value / firstPrice(of);
    std::map<std::string, double> prices;
    for (const NodeGroup& group : of.plan.cluster.nodes)
        if (const double known = price(of, group); known > 0)
            prices[group.id] = known * ratio;
    prices.merge(of.run.prices);
    of.run.prices = std::move(prices);
}

bool isPriceStated(const Case& of)
{
    const NodeGroup* const first = firstGroup(of);
    return of.run.pricePerAcceleratorHour > 0 || (first != nullptr && of.run.prices.contains(first->id));
}

bool mayFail(const Case& of)
{
    return hasBudget(of.run) && !(of.run.goodput > 0);
}

double mtbf(const Case& of, const std::optional<double>& hours, RunConstant which)
{
    return mayFail(of) ? hours.value_or(constant(which)) : kNone;
}

double acceleratorMtbf(const Case& of)
{
    return mtbf(of, of.run.failures.acceleratorMtbf, RunConstant::AcceleratorMtbf);
}

double nodeMtbf(const Case& of)
{
    return mtbf(of, of.run.failures.nodeMtbf, RunConstant::NodeMtbf);
}

double nicMtbf(const Case& of)
{
    return mtbf(of, of.run.failures.nicMtbf, RunConstant::NicMtbf);
}

/// Of the whole run, a second.
double failureRate(const Case& of)
{
    if (!mayFail(of))
        return kNone;
    const capacity::Parts parts = capacity::partsOf(of.plan.cluster, rankCount(of.plan.strategy));
    return whole(
        (parts.accelerators / acceleratorMtbf(of) + parts.nodes / nodeMtbf(of) + parts.nics / nicMtbf(of)) / kHour);
}

void setFailureRate(Case& of, double value)
{
    const double ratio = failureRate(of) / value;
    const double ofAccelerator = acceleratorMtbf(of), ofNode = nodeMtbf(of), ofNic = nicMtbf(of);
    of.run.failures.acceleratorMtbf = ofAccelerator * ratio;
    of.run.failures.nodeMtbf = ofNode * ratio;
    of.run.failures.nicMtbf = ofNic * ratio;
}

bool areFailuresStated(const Case& of)
{
    const plan::Failures& f = of.run.failures;
    return f.acceleratorMtbf && f.nodeMtbf && f.nicMtbf;
}

double restart(const Case& of)
{
    return mtbf(of, of.run.failures.restart, RunConstant::Restart);
}

double storage(const Case& of)
{
    const capacity::Parts parts = capacity::partsOf(of.plan.cluster, rankCount(of.plan.strategy));
    return mayFail(of)
        ? of.run.checkpoints.bandwidth.value_or(constant(RunConstant::StorageOfNode) * std::max(1.0, parts.nodes))
        : kNone;
}

double powerShare(const Case& of)
{
    return ofRun(of, of.run.powerShare.value_or(constant(RunConstant::PowerShare)));
}

const InputRow kHardware[]{
    {.key = "accelerator_rate",
        .unit = "TFLOP/s",
        .perUnit = 1e12,
        .spread = RunConstant::RateSpread,
        .get = acceleratorRate,
        .set = setAcceleratorRate,
        .of = accelerator},
    {.key = "memory_bandwidth",
        .unit = "GB/s",
        .perUnit = 1e9,
        .spread = RunConstant::MemoryRateSpread,
        .get = memoryBandwidth,
        .set = setMemoryBandwidth,
        .of = accelerator},
    {.key = "accelerator_memory",
        .unit = "GiB",
        .perUnit = kGiB,
        .acts = Acts::Peak,
        .get = acceleratorMemory,
        .set = setAcceleratorMemory,
        .of = accelerator},
    {.key = "scale_up_bandwidth",
        .unit = "GB/s",
        .perUnit = 1e9,
        .spread = RunConstant::LinkRateSpread,
        .get = scaleUpBandwidth,
        .set = setScaleUpBandwidth,
        .of = scaleUp},
    {.key = "scale_up_latency",
        .unit = "µs",
        .perUnit = 1e-6,
        .spread = RunConstant::LatencySpread,
        .get = scaleUpLatency,
        .set = setScaleUpLatency,
        .of = scaleUp},
    {.key = "network_bandwidth",
        .unit = "GB/s",
        .perUnit = 1e9,
        .spread = RunConstant::LinkRateSpread,
        .get = networkBandwidth,
        .set = setNetworkBandwidth,
        .of = network},
    {.key = "network_latency",
        .unit = "µs",
        .perUnit = 1e-6,
        .spread = RunConstant::LatencySpread,
        .get = networkLatency,
        .set = setNetworkLatency,
        .of = network},
    {.key = "nodes", .isWhole = true, .least = 1, .most = 1e6, .get = nodes, .set = setNodes},
    {.key = "global_batch",
        .isWhole = true,
        .least = 1,
        .most = 1e9,
        .get = [](const Case& of) { return whole(of.plan.training.globalBatch); },
        .set = [](Case& of, double value) { of.plan.training.globalBatch = int(value); }},
    {.key = "sequence_length",
        .isWhole = true,
        .least = 1,
        .most = 1e9,
        .get = [](const Case& of) { return whole(of.plan.training.sequenceLength); },
        .set = [](Case& of, double value) { of.plan.training.sequenceLength = int(value); }},
    {.key = "micro_batch",
        .isWhole = true,
        .least = 1,
        .most = 1e6,
        .get = [](const Case& of) { return whole(of.plan.strategy.microBatch); },
        .set = [](Case& of, double value) { of.plan.strategy.microBatch = int(value); }},
};

const InputRow kRun[]{
    {.key = "tokens",
        .acts = Acts::Run,
        .get = [](const Case& of) { return whole(capacity::budgetTokens(of.plan, of.run)); },
        .set = setTokens},
    {.key = "price",
        .unit = "/h",
        .acts = Acts::Run,
        .spread = RunConstant::PriceSpread,
        .get = firstPrice,
        .set = setPrice,
        .of = accelerator,
        .isCertain = isPriceStated},
    {.key = "failure_rate",
        .unit = "/d",
        .perUnit = 1 / kDay,
        .acts = Acts::Run,
        .spread = RunConstant::FailureSpread,
        .get = failureRate,
        .set = setFailureRate,
        .isCertain = areFailuresStated},
    {.key = "accelerator_mtbf",
        .unit = "h",
        .acts = Acts::Run,
        .get = acceleratorMtbf,
        .set = [](Case& of, double value) { of.run.failures.acceleratorMtbf = value; }},
    {.key = "node_mtbf",
        .unit = "h",
        .acts = Acts::Run,
        .get = nodeMtbf,
        .set = [](Case& of, double value) { of.run.failures.nodeMtbf = value; }},
    {.key = "nic_mtbf",
        .unit = "h",
        .acts = Acts::Run,
        .get = nicMtbf,
        .set = [](Case& of, double value) { of.run.failures.nicMtbf = value; }},
    {.key = "restart",
        .unit = "s",
        .acts = Acts::Run,
        .spread = RunConstant::RestartSpread,
        .get = restart,
        .set = [](Case& of, double value) { of.run.failures.restart = value; },
        .isCertain = [](const Case& of) { return of.run.failures.restart.has_value(); }},
    {.key = "storage_bandwidth",
        .unit = "GB/s",
        .perUnit = 1e9,
        .acts = Acts::Run,
        .spread = RunConstant::StorageSpread,
        .get = storage,
        .set = [](Case& of, double value) { of.run.checkpoints.bandwidth = value; },
        .isCertain = [](const Case& of) { return of.run.checkpoints.bandwidth.has_value(); }},
    {.key = "evaluation_share",
        .acts = Acts::Run,
        .most = 0.5,
        .get = [](const Case& of) { return ofRun(of, of.run.goodput > 0 ? kNone : of.run.evaluationShare); },
        .set = [](Case& of, double value) { of.run.evaluationShare = value; }},
    {.key = "data_stall_share",
        .acts = Acts::Run,
        .most = 0.5,
        .get = [](const Case& of) { return ofRun(of, of.run.goodput > 0 ? kNone : of.run.dataStallShare); },
        .set = [](Case& of, double value) { of.run.dataStallShare = value; }},
    {.key = "power_share",
        .acts = Acts::Run,
        .most = 1,
        .spread = RunConstant::PowerSpread,
        .get = powerShare,
        .set = [](Case& of, double value) { of.run.powerShare = value; },
        .isCertain = [](const Case& of) { return of.run.powerShare.has_value(); }},
    {.key = "pue",
        .acts = Acts::Run,
        .least = 1,
        .get = [](const Case& of) { return ofRun(of, of.run.pue); },
        .set = [](Case& of, double value) { of.run.pue = value; }},
};

} // namespace

std::span<const InputRow> inputRows()
{
    static const std::vector<InputRow> rows = [] {
        std::vector<InputRow> all(std::begin(kHardware), std::end(kHardware));
        all.insert(all.end(), std::begin(kRun), std::end(kRun));
        return all;
    }();
    return rows;
}

} // namespace stratoplan::sensitivity::detail
