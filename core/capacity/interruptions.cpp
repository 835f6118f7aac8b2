// SPDX-License-Identifier: Apache-2.0
#include "core/capacity/interruptions.h"

#include "core/cluster/used_part.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace stratoplan::capacity {
namespace {

using catalog::RunConstant;

constexpr double kHour = 3600;
constexpr double kNever = std::numeric_limits<double>::infinity();

/// Failures a second.
struct Rates {
    double all = 0;
    double ofNodes = 0; ///< that take a node away: all but those of NICs and cables
};

Rates ratesOf(const Parts& parts, const plan::Failures& failures, const catalog::RunDefaults& defaults)
{
    const auto rate = [&](double count, const std::optional<double>& hours, RunConstant constant) {
        return count / (hours.value_or(defaults.value(constant)) * kHour);
    };
    const double nodes = rate(parts.accelerators, failures.acceleratorMtbf, RunConstant::AcceleratorMtbf)
        + rate(parts.nodes, failures.nodeMtbf, RunConstant::NodeMtbf);
    return {nodes + rate(parts.nics, failures.nicMtbf, RunConstant::NicMtbf), nodes};
}

/// Seconds, the mean of failures that find a spare node and those that wait for a repair.
double meanRestart(
    double alone, const Rates& rates, const plan::Failures& failures, const catalog::RunDefaults& defaults)
{
    if (!failures.spareNodes || !(rates.all > 0))
        return alone;
    const double repair = failures.repair.value_or(defaults.value(RunConstant::Repair)) * kHour;
    const double waits = withoutSpare(rates.ofNodes * repair, *failures.spareNodes) * rates.ofNodes / rates.all;
    return alone + waits * repair;
}

double stallShare(const plan::CapacityInputs& inputs)
{
    return std::clamp(inputs.evaluationShare + inputs.dataStallShare, 0.0, 0.99);
}

/// The same with other failures, as so many times as often.
Interruptions withRate(Interruptions interruptions, double factor)
{
    interruptions.mtbf /= factor;
    return interruptions;
}

bool statesFailures(const plan::Failures& failures)
{
    return failures.acceleratorMtbf && failures.nodeMtbf && failures.nicMtbf;
}

} // namespace

Parts partsOf(const cluster::Cluster& cluster, int ranks)
{
    Parts parts;
    const std::vector<int> used = cluster::usedAccelerators(cluster, ranks);
    for (std::size_t i = 0; i < used.size(); ++i) {
        const cluster::NodeGroup& group = cluster.nodes[i];
        const double nodes = std::ceil(double(used[i]) / std::max(1, group.acceleratorsPerNode));
        parts.accelerators += used[i];
        parts.nodes += nodes;
        parts.nics += nodes * group.nicsPerNode;
    }
    return parts;
}

Goodput goodput(
    const plan::Plan& plan, double training, const plan::CapacityInputs& inputs, const catalog::RunDefaults& defaults)
{
    Goodput result;
    if (inputs.goodput > 0) {
        result.share = inputs.goodput;
        result.isStated = true;
        return result;
    }
    const Parts parts = partsOf(plan.cluster, rankCount(plan.strategy));
    const Rates rates = ratesOf(parts, inputs.failures, defaults);
    result.checkpoint = checkpointBytes(plan);
    const double bandwidth =
        inputs.checkpoints.bandwidth.value_or(defaults.value(RunConstant::StorageOfNode) * std::max(1.0, parts.nodes));
    Interruptions& i = result.interruptions;
    i.mtbf = rates.all > 0 ? 1 / rates.all : kNever;
    i.checkpoint = result.checkpoint.value() / bandwidth
        * inputs.checkpoints.blockingShare.value_or(defaults.value(RunConstant::BlockingShare));
    result.restartAlone = inputs.failures.restart.value_or(defaults.value(RunConstant::Restart));
    i.restart = meanRestart(result.restartAlone, rates, inputs.failures, defaults);
    constexpr double kShortest = 1; // checkpoints that take no time are written every second
    i.interval = inputs.checkpoints.interval.value_or(std::max(kShortest, bestInterval(i.mtbf, i.checkpoint)));
    result.losses = losses(i);
    result.stalls = stallShare(inputs);
    result.share = result.losses.training * (1 - result.stalls);
    const double wall = training / (1 - result.stalls) / result.losses.training;
    result.failures = wall * rates.all;
    return result;
}

Spread wallTime(double training, double lowFactor, double highFactor, const Goodput& goodput,
    const plan::CapacityInputs& inputs, const catalog::RunDefaults& defaults)
{
    const double middle = training / goodput.share;
    constexpr std::size_t kDraws = 1024;
    const double spread = statesFailures(inputs.failures) ? 1 : defaults.value(RunConstant::FailureSpread);
    std::vector<double> drawn;
    for (std::size_t i = 1; i <= kDraws; ++i) {
        const double steps = training * factorAt(normalAt(radicalInverse(i, 2)), lowFactor, highFactor);
        if (goodput.isStated) {
            drawn.push_back(steps / goodput.share);
            continue;
        }
        const double rate = factorAt(normalAt(radicalInverse(i, 3)), spread, spread);
        const double factor = radicalInverse(i, 3) < 0.5 ? 1 / rate : rate;
        const Moments wall = momentsOfRun(steps / (1 - goodput.stalls), withRate(goodput.interruptions, factor));
        const double with = wall.mean + normalAt(radicalInverse(i, 5)) * std::sqrt(wall.variance);
        drawn.push_back(std::max(steps / (1 - goodput.stalls), with));
    }
    std::ranges::sort(drawn);
    const auto at = [&](double share) { return drawn[std::size_t(share * (kDraws - 1))]; };
    return {std::min(middle, at(0.1)), middle, std::max(middle, at(0.9))};
}

} // namespace stratoplan::capacity
