// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/present/live_inputs.h"

#include "core/cluster/cluster_edits.h"
#include "core/narration/problems.h"
#include "core/plan/dimensions.h"
#include "core/plan/problem.h"
#include "widgets/presentation/text.h"

#include <algorithm>
#include <set>

namespace stratoplan::gui {

namespace {

widgets::SliderStop judged(const plan::Plan& plan, int nodes)
{
    const std::vector<plan::Problem> problems = check(withNodes(plan, nodes), {.remedies = false});
    const auto error = std::ranges::find(problems, plan::Severity::Error, &plan::Problem::severity);
    if (error == problems.end())
        return {nodes, widgets::Zone::Green, {}};
    return {nodes, widgets::Zone::Red, widgets::text(narration::describe(*error))};
}

} // namespace

std::size_t largestGroup(const cluster::Cluster& cluster)
{
    const auto accelerators = [](const cluster::NodeGroup& group) {
        return cluster::takesPart(group) ? group.count * group.acceleratorsPerNode : 0;
    };
    const auto found = std::ranges::max_element(cluster.nodes, {}, accelerators);
    return found == cluster.nodes.end() ? 0 : std::size_t(found - cluster.nodes.begin());
}

plan::Plan withNodes(const plan::Plan& plan, int nodes)
{
    plan::Plan changed = plan;
    if (plan.cluster.nodes.empty())
        return changed;
    setNodeCount(changed.cluster, largestGroup(plan.cluster), nodes);
    const parallel::Strategy& s = plan.strategy;
    const int replicas = acceleratorCount(changed.cluster) / std::max(1, s.tp * s.pp * s.cp);
    if (replicas > 0)
        changed.strategy = withValue(changed, plan::Dimension::Dp, replicas);
    return changed;
}

std::vector<widgets::SliderStop> nodeStops(const plan::Plan& plan)
{
    if (plan.cluster.nodes.empty())
        return {};
    constexpr int kMostTimes = 4;
    const int now = plan.cluster.nodes[largestGroup(plan.cluster)].count;
    std::set<int> counts{now};
    for (long long count = 1; count <= kMostTimes * static_cast<long long>(now); count *= 2)
        counts.insert(int(count));
    std::vector<widgets::SliderStop> stops;
    for (const int count : counts)
        stops.push_back(judged(plan, count));
    return stops;
}

} // namespace stratoplan::gui
