// SPDX-License-Identifier: Apache-2.0
#include "core/estimate/link_rules.h"

#include "core/catalog/accelerator_links.h"
#include "core/cluster/cluster_edits.h"
#include "core/plan/rules.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

namespace stratoplan::estimate {
namespace {

std::string placeOf(std::size_t group, const char* field)
{
    return "/cluster/nodes/" + std::to_string(group) + field;
}

bool isOfOthers(const cluster::NodeGroup& nodes, const catalog::Catalog& catalog)
{
    if (!takesPart(nodes) || nodes.scaleUpDomain < 2 || catalog.link(nodes.scaleUp.id) == nullptr)
        return false;
    bool hasKind = false;
    for (const cluster::Link& link : catalog::scaleUpLinks(catalog, nodes.accelerator)) {
        if (link.id == nodes.scaleUp.id)
            return false;
        hasKind = hasKind || link.kind == nodes.scaleUp.kind;
    }
    return hasKind;
}

void offer(plan::Problem& problem, const plan::Plan& plan, cluster::Cluster edited, const cluster::Link& link)
{
    plan::Remedy remedy{.edit = plan::EditKind::Link, .strategy = plan.strategy, .value = link.name};
    remedy.cluster = std::move(edited);
    if (problem.remedies.size() < plan::kMostRemedies)
        problem.remedies.push_back(std::move(remedy));
}

/// The group that a problem is told of first, where it is told of `field`.
std::optional<std::size_t> groupAt(const plan::Problem& problem, const cluster::Cluster& cluster, const char* field)
{
    for (std::size_t i = 0; i < cluster.nodes.size(); ++i)
        if (problem.where == placeOf(i, field))
            return i;
    return std::nullopt;
}

/// Of all nodes like these.
void offerScaleUp(
    plan::Problem& problem, const plan::Plan& plan, const cluster::NodeGroup& like, const catalog::Catalog& catalog)
{
    for (const cluster::Link& link : catalog::scaleUpLinks(catalog, like.accelerator)) {
        cluster::Cluster edited = plan.cluster;
        for (cluster::NodeGroup& nodes : edited.nodes)
            if (nodes.accelerator.name == like.accelerator.name && nodes.scaleUp.name == like.scaleUp.name)
                nodes.scaleUp = link;
        offer(problem, plan, std::move(edited), link);
    }
}

void offerNic(
    plan::Problem& problem, const plan::Plan& plan, const cluster::NodeGroup& like, const catalog::Catalog& catalog)
{
    const cluster::Link* const usual = catalog::usualNic(catalog, like.accelerator);
    if (usual == nullptr)
        return;
    cluster::Cluster edited = plan.cluster;
    for (std::size_t i = 0; i < edited.nodes.size(); ++i)
        if (edited.nodes[i].nic.name == like.nic.name)
            setNic(edited, i, *usual);
    offer(problem, plan, std::move(edited), *usual);
}

} // namespace

void judgeLinks(const plan::Plan& plan, const catalog::Catalog& catalog, std::vector<plan::Problem>& problems)
{
    for (std::size_t i = 0; i < plan.cluster.nodes.size(); ++i) {
        const cluster::NodeGroup& nodes = plan.cluster.nodes[i];
        const auto isSame = [&](const plan::Problem& p) {
            return p.cause == plan::ProblemCause::LinkOfOthers && p.detail == nodes.scaleUp.name
                && p.other == nodes.accelerator.name;
        };
        if (!isOfOthers(nodes, catalog) || std::ranges::any_of(problems, isSame))
            continue;
        plan::Problem problem;
        problem.code = plan::ProblemCode::ImpossibleLink;
        problem.cause = plan::ProblemCause::LinkOfOthers;
        problem.severity = plan::Severity::Warning;
        problem.where = placeOf(i, "/scale_up");
        problem.detail = nodes.scaleUp.name;
        problem.other = nodes.accelerator.name;
        addBySeverity(problems, std::move(problem));
    }
}

void addLinkRemedies(const plan::Plan& plan, const catalog::Catalog& catalog, std::vector<plan::Problem>& problems)
{
    const cluster::Cluster& cluster = plan.cluster;
    for (plan::Problem& problem : problems) {
        if (problem.code != plan::ProblemCode::ImpossibleLink)
            continue;
        if (const auto group = groupAt(problem, cluster, "/scale_up"))
            offerScaleUp(problem, plan, cluster.nodes[*group], catalog);
        else if (const auto itsNic = groupAt(problem, cluster, "/nic"))
            offerNic(problem, plan, cluster.nodes[*itsNic], catalog);
    }
}

} // namespace stratoplan::estimate
