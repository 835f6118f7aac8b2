// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/project_change.h"

#include <algorithm>
#include <map>

namespace stratoplan::session {

namespace {

/// Calls f(optional of the change, member of the project, part) for every part.
template <class Change, class Target, class F>
void forEachPart(Change& change, Target& project, F&& f)
{
    f(change.plan, project.plan, ProjectPart::Plan);
    f(change.canvas, project.canvas, ProjectPart::Canvas);
    f(change.capacity, project.capacity, ProjectPart::Capacity);
    f(change.search, project.search, ProjectPart::Search);
    f(change.pinned, project.pinned, ProjectPart::Pinned);
    f(change.slides, project.slides, ProjectPart::Slides);
    f(change.notes, project.notes, ProjectPart::Notes);
}

/// How many of each, by their ids.
std::map<std::string, int> acceleratorsOf(const cluster::Cluster& cluster)
{
    std::map<std::string, int> counts;
    for (const cluster::NodeGroup& group : cluster.nodes)
        if (cluster::takesPart(group))
            counts[group.accelerator.id] += group.count * group.acceleratorsPerNode;
    return counts;
}

} // namespace

ProjectParts parts(const ProjectChange& change)
{
    ProjectParts result;
    forEachPart(change, change,
        [&](const auto& part, const auto&, ProjectPart flag) { result.setFlag(flag, part.has_value()); });
    return result;
}

ProjectChange inverse(const ProjectChange& change, const plan::Project& project)
{
    ProjectChange result = change;
    forEachPart(result, project, [](auto& part, const auto& current, ProjectPart) {
        if (part)
            part = current;
    });
    return result;
}

ProjectChange effective(ProjectChange change, const plan::Project& project)
{
    forEachPart(change, project, [](auto& part, const auto& current, ProjectPart) {
        if (part && *part == current)
            part.reset();
    });
    return change;
}

ProjectChange withoutOldName(ProjectChange change, const plan::Project& project, const catalog::Catalog& catalog)
{
    if (!change.plan || change.plan->cluster.name != project.plan.cluster.name)
        return change;
    cluster::Cluster& cluster = change.plan->cluster;
    const auto isOfName = [&](const catalog::ClusterPreset& known) { return known.name == cluster.name; };
    const auto preset = std::ranges::find_if(catalog.clusters, isOfName);
    const std::map<std::string, int> accelerators = acceleratorsOf(cluster);
    if (preset != catalog.clusters.end() && accelerators != acceleratorsOf(project.plan.cluster)
        && accelerators != acceleratorsOf(preset->cluster))
        cluster.name.clear();
    return change;
}

void applyTo(plan::Project& project, const ProjectChange& change)
{
    forEachPart(change, project, [](const auto& part, auto& current, ProjectPart) {
        if (part)
            current = *part;
    });
}

} // namespace stratoplan::session
