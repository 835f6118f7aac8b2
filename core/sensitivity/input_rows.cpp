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

const NodeGroup* firstGroup(const Case& given)
{
    const auto& nodes = given.plan.cluster.nodes;
    const auto first = std::ranges::find_if(nodes, cluster::takesPart);
    return first == nodes.end() ? nullptr : &*first;
}

template <class Get>
double ofFirst(const Case& given, Get get)
{
    const NodeGroup* const first = firstGroup(given);
    const double value = first != nullptr ? double(get(*first)) : 0;
    return value > 0 ? value : kNone;
}

/// Precondition: ofFirst() has one.
template <class Scale>
void scaleAll(Case& given, double ratio, Scale scale)
{
    for (NodeGroup& group : given.plan.cluster.nodes)
        scale(group, ratio);
}

double peakRate(const Case& given, const NodeGroup& group)
{
    return (group.accelerator.peak[given.plan.training.precision] * group.accelerator.matmulSustained).value();
}

double acceleratorRate(const Case& given)
{
    return ofFirst(given, [&](const NodeGroup& group) { return peakRate(given, group); });
}

void setAcceleratorRate(Case& given, double value)
{
    scaleAll(given, value / acceleratorRate(given),
        [](NodeGroup& group, double ratio) { group.accelerator.matmulSustained *= ratio; });
}

double memoryBandwidth(const Case& given)
{
    return ofFirst(given, [](const NodeGroup& group) { return group.accelerator.memoryBandwidth.value(); });
}

void setMemoryBandwidth(Case& given, double value)
{
    scaleAll(given, value / memoryBandwidth(given),
        [](NodeGroup& group, double ratio) { group.accelerator.memoryBandwidth *= ratio; });
}

double acceleratorMemory(const Case& given)
{
    return ofFirst(given, [](const NodeGroup& group) { return group.accelerator.memory.value(); });
}

void setAcceleratorMemory(Case& given, double value)
{
    scaleAll(given, value / acceleratorMemory(given),
        [](NodeGroup& group, double ratio) { group.accelerator.memory *= ratio; });
}

double scaleUpBandwidth(const Case& given)
{
    return ofFirst(
        given, [](const NodeGroup& group) { return group.scaleUpDomain > 1 ? group.scaleUp.bandwidth.value() : 0; });
}

void setScaleUpBandwidth(Case& given, double value)
{
    scaleAll(given, value / scaleUpBandwidth(given), [](NodeGroup& group, double ratio) {
        group.scaleUp.bandwidth *= ratio;
        if (group.inNode)
            group.inNode->bandwidth *= ratio;
    });
}

double scaleUpLatency(const Case& given)
{
    return ofFirst(
        given, [](const NodeGroup& group) { return group.scaleUpDomain > 1 ? group.scaleUp.latency.value() : 0; });
}

void setScaleUpLatency(Case& given, double value)
{
    scaleAll(
        given, value / scaleUpLatency(given), [](NodeGroup& group, double ratio) { group.scaleUp.latency *= ratio; });
}

bool hasNetwork(const Case& given)
{
    return acceleratorCount(given.plan.cluster) > cluster::smallestIsland(given.plan.cluster);
}

double networkBandwidth(const Case& given)
{
    return hasNetwork(given) ? ofFirst(given, [](const NodeGroup& group) { return group.nic.bandwidth.value(); })
                             : kNone;
}

double networkLatency(const Case& given)
{
    return hasNetwork(given) ? ofFirst(given, [](const NodeGroup& group) { return group.nic.latency.value(); }) : kNone;
}

/// NICs, their cables and those between switches.
template <class Scale>
void scaleNetwork(Case& given, double ratio, Scale scale)
{
    for (NodeGroup& group : given.plan.cluster.nodes)
        scale(group.nic, ratio);
    for (cluster::Connection& connection : given.plan.cluster.connections)
        scale(connection.link, ratio);
}

void setNetworkBandwidth(Case& given, double value)
{
    scaleNetwork(given, value / networkBandwidth(given), [](Link& link, double ratio) { link.bandwidth *= ratio; });
}

void setNetworkLatency(Case& given, double value)
{
    scaleNetwork(given, value / networkLatency(given), [](Link& link, double ratio) { link.latency *= ratio; });
}

std::string accelerator(const Case& given)
{
    const NodeGroup* const first = firstGroup(given);
    return first != nullptr ? first->accelerator.id : std::string();
}

std::string scaleUp(const Case& given)
{
    const NodeGroup* const first = firstGroup(given);
    return first != nullptr ? first->scaleUp.id : std::string();
}

std::string network(const Case& given)
{
    const NodeGroup* const first = firstGroup(given);
    return first != nullptr ? first->nic.id : std::string();
}

double nodes(const Case& given)
{
    return ofFirst(given, [](const NodeGroup& group) { return group.count; });
}

void setNodes(Case& given, double value)
{
    const auto first = std::ranges::find_if(given.plan.cluster.nodes, cluster::takesPart);
    first->count = int(value);
}

double whole(double value)
{
    return value > 0 ? value : kNone;
}

// Of the run

double ofRun(const Case& given, double value)
{
    return hasBudget(given.run) ? value : kNone;
}

double constant(RunConstant which)
{
    return catalog::shippedRunDefaults().value(which);
}

void setTokens(Case& given, double value)
{
    given.run.tokens = value;
    given.run.steps = given.run.computeFlops = 0;
}

/// By the hour, of the nodes of a group; 0: not known.
double price(const Case& given, const NodeGroup& group)
{
    if (const auto known = given.run.prices.find(group.id); known != given.run.prices.end())
        return known->second;
    if (given.run.pricePerAcceleratorHour > 0)
        return given.run.pricePerAcceleratorHour;
    const catalog::ListPrice* const listed = catalog::shippedRunDefaults().price(group.accelerator.id);
    return listed != nullptr && listed->currency == given.run.currency ? listed->perHour : 0;
}

bool isOwned(const Case& given)
{
    return given.run.purchase == plan::Purchase::Owned;
}

double firstPrice(const Case& given)
{
    if (isOwned(given) || !hasBudget(given.run))
        return kNone;
    return ofFirst(given, [&](const NodeGroup& group) { return price(given, group); });
}

void setPrice(Case& given, double value)
{
    const double ratio = value / firstPrice(given);
    std::map<std::string, double> prices;
    for (const NodeGroup& group : given.plan.cluster.nodes)
        if (const double known = price(given, group); known > 0)
            prices[group.id] = known * ratio;
    prices.merge(given.run.prices);
    given.run.prices = std::move(prices);
}

bool isPriceStated(const Case& given)
{
    const NodeGroup* const first = firstGroup(given);
    return given.run.pricePerAcceleratorHour > 0 || (first != nullptr && given.run.prices.contains(first->id));
}

bool mayFail(const Case& given)
{
    return hasBudget(given.run) && !(given.run.goodput > 0);
}

double mtbf(const Case& given, const std::optional<double>& hours, RunConstant which)
{
    return mayFail(given) ? hours.value_or(constant(which)) : kNone;
}

double acceleratorMtbf(const Case& given)
{
    return mtbf(given, given.run.failures.acceleratorMtbf, RunConstant::AcceleratorMtbf);
}

double nodeMtbf(const Case& given)
{
    return mtbf(given, given.run.failures.nodeMtbf, RunConstant::NodeMtbf);
}

double nicMtbf(const Case& given)
{
    return mtbf(given, given.run.failures.nicMtbf, RunConstant::NicMtbf);
}

/// Of the whole run, a second.
double failureRate(const Case& given)
{
    if (!mayFail(given))
        return kNone;
    const capacity::Parts parts = capacity::partsOf(given.plan.cluster, rankCount(given.plan.strategy));
    return whole(
        (parts.accelerators / acceleratorMtbf(given) + parts.nodes / nodeMtbf(given) + parts.nics / nicMtbf(given))
        / kHour);
}

void setFailureRate(Case& given, double value)
{
    const double ratio = failureRate(given) / value;
    const double ofAccelerator = acceleratorMtbf(given), ofNode = nodeMtbf(given), ofNic = nicMtbf(given);
    given.run.failures.acceleratorMtbf = ofAccelerator * ratio;
    given.run.failures.nodeMtbf = ofNode * ratio;
    given.run.failures.nicMtbf = ofNic * ratio;
}

bool areFailuresStated(const Case& given)
{
    const plan::Failures& f = given.run.failures;
    return f.acceleratorMtbf && f.nodeMtbf && f.nicMtbf;
}

double restart(const Case& given)
{
    return mtbf(given, given.run.failures.restart, RunConstant::Restart);
}

double storage(const Case& given)
{
    const capacity::Parts parts = capacity::partsOf(given.plan.cluster, rankCount(given.plan.strategy));
    return mayFail(given)
        ? given.run.checkpoints.bandwidth.value_or(constant(RunConstant::StorageOfNode) * std::max(1.0, parts.nodes))
        : kNone;
}

double powerShare(const Case& given)
{
    return ofRun(given, given.run.powerShare.value_or(constant(RunConstant::PowerShare)));
}

const InputRow kHardware[]{
    {.key = "accelerator_rate",
        .unit = "TFLOP/s",
        .perUnit = 1e12,
        .spread = RunConstant::RateSpread,
        .get = acceleratorRate,
        .set = setAcceleratorRate,
        .part = accelerator},
    {.key = "memory_bandwidth",
        .unit = "GB/s",
        .perUnit = 1e9,
        .spread = RunConstant::MemoryRateSpread,
        .get = memoryBandwidth,
        .set = setMemoryBandwidth,
        .part = accelerator},
    {.key = "accelerator_memory",
        .unit = "GiB",
        .perUnit = kGiB,
        .acts = Acts::Peak,
        .get = acceleratorMemory,
        .set = setAcceleratorMemory,
        .part = accelerator},
    {.key = "scale_up_bandwidth",
        .unit = "GB/s",
        .perUnit = 1e9,
        .spread = RunConstant::LinkRateSpread,
        .get = scaleUpBandwidth,
        .set = setScaleUpBandwidth,
        .part = scaleUp},
    {.key = "scale_up_latency",
        .unit = "µs",
        .perUnit = 1e-6,
        .spread = RunConstant::LatencySpread,
        .get = scaleUpLatency,
        .set = setScaleUpLatency,
        .part = scaleUp},
    {.key = "network_bandwidth",
        .unit = "GB/s",
        .perUnit = 1e9,
        .spread = RunConstant::LinkRateSpread,
        .get = networkBandwidth,
        .set = setNetworkBandwidth,
        .part = network},
    {.key = "network_latency",
        .unit = "µs",
        .perUnit = 1e-6,
        .spread = RunConstant::LatencySpread,
        .get = networkLatency,
        .set = setNetworkLatency,
        .part = network},
    {.key = "nodes", .isWhole = true, .least = 1, .most = 1e6, .get = nodes, .set = setNodes},
    {.key = "global_batch",
        .isWhole = true,
        .least = 1,
        .most = 1e9,
        .get = [](const Case& given) { return whole(given.plan.training.globalBatch); },
        .set = [](Case& given, double value) { given.plan.training.globalBatch = int(value); }},
    {.key = "sequence_length",
        .isWhole = true,
        .least = 1,
        .most = 1e9,
        .get = [](const Case& given) { return whole(given.plan.training.sequenceLength); },
        .set = [](Case& given, double value) { given.plan.training.sequenceLength = int(value); }},
    {.key = "micro_batch",
        .isWhole = true,
        .least = 1,
        .most = 1e6,
        .get = [](const Case& given) { return whole(given.plan.strategy.microBatch); },
        .set = [](Case& given, double value) { given.plan.strategy.microBatch = int(value); }},
};

const InputRow kRun[]{
    {.key = "tokens",
        .acts = Acts::Run,
        .get = [](const Case& given) { return whole(capacity::budgetTokens(given.plan, given.run)); },
        .set = setTokens},
    {.key = "price",
        .unit = "/h",
        .acts = Acts::Run,
        .spread = RunConstant::PriceSpread,
        .get = firstPrice,
        .set = setPrice,
        .part = accelerator,
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
        .set = [](Case& given, double value) { given.run.failures.acceleratorMtbf = value; }},
    {.key = "node_mtbf",
        .unit = "h",
        .acts = Acts::Run,
        .get = nodeMtbf,
        .set = [](Case& given, double value) { given.run.failures.nodeMtbf = value; }},
    {.key = "nic_mtbf",
        .unit = "h",
        .acts = Acts::Run,
        .get = nicMtbf,
        .set = [](Case& given, double value) { given.run.failures.nicMtbf = value; }},
    {.key = "restart",
        .unit = "s",
        .acts = Acts::Run,
        .spread = RunConstant::RestartSpread,
        .get = restart,
        .set = [](Case& given, double value) { given.run.failures.restart = value; },
        .isCertain = [](const Case& given) { return given.run.failures.restart.has_value(); }},
    {.key = "storage_bandwidth",
        .unit = "GB/s",
        .perUnit = 1e9,
        .acts = Acts::Run,
        .spread = RunConstant::StorageSpread,
        .get = storage,
        .set = [](Case& given, double value) { given.run.checkpoints.bandwidth = value; },
        .isCertain = [](const Case& given) { return given.run.checkpoints.bandwidth.has_value(); }},
    {.key = "evaluation_share",
        .acts = Acts::Run,
        .most = 0.5,
        .get =
            [](const Case& given) { return ofRun(given, given.run.goodput > 0 ? kNone : given.run.evaluationShare); },
        .set = [](Case& given, double value) { given.run.evaluationShare = value; }},
    {.key = "data_stall_share",
        .acts = Acts::Run,
        .most = 0.5,
        .get = [](const Case& given) { return ofRun(given, given.run.goodput > 0 ? kNone : given.run.dataStallShare); },
        .set = [](Case& given, double value) { given.run.dataStallShare = value; }},
    {.key = "power_share",
        .acts = Acts::Run,
        .most = 1,
        .spread = RunConstant::PowerSpread,
        .get = powerShare,
        .set = [](Case& given, double value) { given.run.powerShare = value; },
        .isCertain = [](const Case& given) { return given.run.powerShare.has_value(); }},
    {.key = "pue",
        .acts = Acts::Run,
        .least = 1,
        .get = [](const Case& given) { return ofRun(given, given.run.pue); },
        .set = [](Case& given, double value) { given.run.pue = value; }},
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
