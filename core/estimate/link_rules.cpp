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

using catalog::Catalog;

std::string placeOf(std::size_t group, const char* field)
{
    return "/cluster/nodes/" + std::to_string(group) + field;
}

/// Whether nodes of the catalogue have the accelerator, and none has it with this link of the catalogue.
bool isOfOthers(const cluster::NodeGroup& nodes, const Catalog& catalog)
{
    constexpr int kBridged = 2; // PCIe cards, by NVLink
    if (catalog.link(nodes.scaleUp.id) == nullptr || nodes.scaleUp.kind == cluster::LinkKind::Pcie)
        return false; // slots of PCIe take cards of any generation
    const std::vector<cluster::Link> known = scaleUpLinks(catalog, nodes.accelerator);
    const auto isSame = [&](const cluster::Link& link) { return link.id == nodes.scaleUp.id; };
    const auto isPcie = [](const cluster::Link& link) { return link.kind == cluster::LinkKind::Pcie; };
    return !known.empty() && std::ranges::none_of(known, isSame)
        && (nodes.scaleUpDomain > kBridged || !std::ranges::all_of(known, isPcie));
}

/// What the catalogue says of a group: once of all groups that are alike.
class CatalogRules {
public:
    CatalogRules(const plan::Plan& plan, std::vector<plan::Problem>& problems)
        : m_plan(plan)
        , m_problems(problems)
    {
    }

    void add(plan::ProblemCause cause, std::string where, const cluster::Link& link, const std::string& other,
        double found = 0, double limit = 0)
    {
        const auto isTold = [&](const plan::Problem& p) {
            return p.code == plan::ProblemCode::ImpossibleLink
                && (p.where == where || (p.cause == cause && p.detail == link.name && p.other == other));
        };
        if (std::ranges::any_of(m_problems, isTold))
            return;
        addBySeverity(m_problems,
            {.code = plan::ProblemCode::ImpossibleLink,
                .severity = plan::Severity::Warning,
                .where = std::move(where),
                .found = found,
                .limit = limit,
                .detail = link.name,
                .other = other,
                .cause = cause,
                .remedies = {}});
    }

    void judge(std::size_t group, const Catalog& catalog)
    {
        const cluster::NodeGroup& nodes = m_plan.cluster.nodes[group];
        if (nodes.scaleUpDomain < 2)
            return;
        const int most = largestDomain(catalog, nodes);
        if (isOfOthers(nodes, catalog))
            add(plan::ProblemCause::LinkOfOthers, placeOf(group, "/scale_up"), nodes.scaleUp, nodes.accelerator.name);
        else if (most > 0 && nodes.scaleUpDomain > std::max(most, nodes.acceleratorsPerNode))
            add(plan::ProblemCause::DomainOfOthers, placeOf(group, "/scale_up_domain"), nodes.scaleUp,
                nodes.accelerator.name, nodes.scaleUpDomain, most);
    }

private:
    const plan::Plan& m_plan;
    std::vector<plan::Problem>& m_problems;
};

/// Edits that leave no such problem there.
class LinkEdits {
public:
    LinkEdits(const plan::Plan& plan, const Catalog& catalog, const std::vector<plan::Problem>& problems)
        : m_plan(plan)
        , m_catalog(catalog)
        , m_problems(problems)
    {
    }

    void offer(plan::Problem& problem, cluster::Cluster edited, const cluster::Link& link)
    {
        plan::Remedy remedy{.edit = plan::EditKind::Link, .strategy = m_plan.strategy, .value = link.name};
        remedy.cluster = std::move(edited);
        if (problem.remedies.size() < plan::kMostRemedies && mends(m_plan, remedy, problem, m_problems, m_known)
            && !isImpossibleAt(mended(m_plan, remedy), m_catalog, problem.where))
            problem.remedies.push_back(std::move(remedy));
    }

private:
    const plan::Plan& m_plan;
    const Catalog& m_catalog;
    const std::vector<plan::Problem>& m_problems;
    plan::KnownGaps m_known;
};

/// The group that a problem is told of first, where it is told of `field`.
std::optional<std::size_t> groupAt(const plan::Problem& problem, const cluster::Cluster& cluster, const char* field)
{
    for (std::size_t i = 0; i < cluster.nodes.size(); ++i)
        if (problem.where == placeOf(i, field))
            return i;
    return std::nullopt;
}

/// Of all nodes like these.
void offerScaleUp(LinkEdits& edits, plan::Problem& problem, const cluster::Cluster& cluster, std::size_t group,
    const Catalog& catalog)
{
    const cluster::NodeGroup& like = cluster.nodes[group];
    for (const cluster::Link& link : scaleUpLinks(catalog, like.accelerator)) {
        cluster::Cluster edited = cluster;
        for (cluster::NodeGroup& nodes : edited.nodes)
            if (nodes.accelerator.name == like.accelerator.name && nodes.scaleUp.name == like.scaleUp.name)
                setUsualLink(nodes, link, catalog);
        edits.offer(problem, std::move(edited), link);
    }
}

/// That the cables of the nodes are made for; else the usual one of their accelerator.
const cluster::Link* portsOf(const cluster::Cluster& cluster, const cluster::NodeGroup& nodes, const Catalog& catalog)
{
    for (const cluster::Connection& c : cluster.connections)
        if ((c.from == nodes.id || c.to == nodes.id) && isNetwork(c.link.kind))
            return &c.link;
    return usualNic(catalog, nodes.accelerator);
}

void offerNic(LinkEdits& edits, plan::Problem& problem, const cluster::Cluster& cluster, std::size_t group,
    const Catalog& catalog)
{
    const cluster::Link* const ports = portsOf(cluster, cluster.nodes[group], catalog);
    if (ports == nullptr)
        return;
    cluster::Cluster edited = cluster;
    for (std::size_t i = 0; i < edited.nodes.size(); ++i)
        if (edited.nodes[i].nic.name == cluster.nodes[group].nic.name)
            setNic(edited, i, *ports);
    edits.offer(problem, std::move(edited), *ports);
}

} // namespace

void judgeLinks(const plan::Plan& plan, const catalog::Catalog& catalog, std::vector<plan::Problem>& problems)
{
    const cluster::Cluster& cluster = plan.cluster;
    CatalogRules rules(plan, problems);
    for (std::size_t i = 0; i < cluster.nodes.size(); ++i) {
        if (!takesPart(cluster.nodes[i]))
            continue;
        rules.judge(i, catalog);
        if (cluster.nodes[i].nicsPerNode > 0 && !joinsNodes(catalog, cluster.nodes[i].nic))
            rules.add(plan::ProblemCause::LinkWithinNodes, placeOf(i, "/nic"), cluster.nodes[i].nic, {});
    }
    for (std::size_t i = 0; i < cluster.connections.size(); ++i)
        if (cluster.connections[i].cables > 0 && !joinsNodes(catalog, cluster.connections[i].link))
            rules.add(plan::ProblemCause::LinkWithinNodes, "/cluster/connections/" + std::to_string(i) + "/link",
                cluster.connections[i].link, {});
}

bool isImpossibleAt(const plan::Plan& plan, const catalog::Catalog& catalog, std::string_view where)
{
    std::vector<plan::Problem> problems;
    judgeLinks(plan, catalog, problems);
    return std::ranges::find(problems, where, &plan::Problem::where) != problems.end();
}

void addLinkRemedies(const plan::Plan& plan, const catalog::Catalog& catalog, std::vector<plan::Problem>& problems)
{
    LinkEdits edits(plan, catalog, problems);
    for (plan::Problem& problem : problems) {
        if (problem.code != plan::ProblemCode::ImpossibleLink)
            continue;
        auto group = groupAt(problem, plan.cluster, "/scale_up");
        if (!group)
            group = groupAt(problem, plan.cluster, "/scale_up_domain");
        if (group)
            offerScaleUp(edits, problem, plan.cluster, *group, catalog);
        else if (const auto itsPorts = groupAt(problem, plan.cluster, "/nic"))
            offerNic(edits, problem, plan.cluster, *itsPorts, catalog);
    }
}

} // namespace stratoplan::estimate
