// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/topology/topology_text.h"

#include "core/cluster/cuts.h"
#include "core/cluster/joined_parts.h"
#include "core/units/format.h"
#include "widgets/panels/torus_field.h"

#include <QCoreApplication>
#include <QRegularExpression>

#include <algorithm>

namespace stratoplan::widgets {

namespace {

QString translated(const char* text)
{
    return QCoreApplication::translate("stratoplan::Topology", text);
}

QString nodesText(const cluster::Cluster& cluster, const cluster::NodeGroup& g)
{
    const QString head = g.count == 1
        ? translated("%1, one node").arg(fromText(elementName(cluster, g.id)))
        : translated("%1, %2 nodes").arg(fromText(elementName(cluster, g.id)), groupedNumber(g.count));
    return head
        + translated(": %1 × %2; %3; %4 × %5")
              .arg(groupedNumber(g.acceleratorsPerNode), fromText(g.accelerator.name), scaleUpText(g),
                  groupedNumber(g.nicsPerNode), linkText(g.nic));
}

QString switchesText(const cluster::Cluster& cluster, const cluster::SwitchGroup& s)
{
    const QString head = s.count == 1
        ? translated("%1, one switch").arg(fromText(elementName(cluster, s.id)))
        : translated("%1, %2 switches").arg(fromText(elementName(cluster, s.id)), groupedNumber(s.count));
    const long long spare = freePorts(cluster, s.id);
    const QString ports = spare < 0 ? translated("%1 ports too few").arg(groupedNumber(-spare))
                                    : translated("%1 ports free").arg(groupedNumber(spare));
    return head + translated(": %1 tier; %2 ports each, %3").arg(tierName(s.tier), groupedNumber(s.ports), ports);
}

QString rackText(const std::string& rack)
{
    return rack.empty() ? QString() : translated("; in %1").arg(fromText(rack));
}

/// Of nodes that do not fill their torus; the number that does, where what mends it changes that.
QString unfilledText(const cluster::Cluster& cluster, const ClusterIssue& issue)
{
    const QString name = fromText(elementName(cluster, issue.element));
    const auto count = static_cast<long long>(issue.found);
    const QString fault = count == 1
        ? translated("1 node of %1 does not fill its torus").arg(name)
        : translated("%2 nodes of %1 do not fill their torus").arg(name, groupedNumber(count));
    const auto edited = mended(cluster, issue);
    const int filling = edited ? elementCount(*edited, issue.element) : int(count);
    return filling == count ? translated("%1.").arg(fault)
                            : translated("%1, as %2 would.").arg(fault, groupedNumber(filling));
}

QString noPortText(const cluster::Cluster& cluster, const std::string& id)
{
    const QString pattern = findNodes(cluster, id)
        ? translated("%1 has no free port: all %2 are in use; give its nodes more ports, or another link fewer cables")
        : translated("%1 has no free port: all %2 are in use; give it more ports, or more switches");
    return pattern.arg(fromText(elementName(cluster, id)), groupedNumber(portCount(cluster, id)));
}

/// "Link Leaf 2 to Spine"
QString joinLabel(const cluster::Cluster& cluster, const std::string& nodes)
{
    const auto joined = cluster::joinedParts(cluster, nodes);
    if (!joined)
        return {};
    return (joined->isByNew ? translated("Join %1 and %2 by new switches") : translated("Link %1 to %2"))
        .arg(fromText(elementName(cluster, joined->far)), fromText(elementName(cluster, joined->near)));
}

} // namespace

QString fromText(const std::string& text)
{
    return QString::fromStdString(text);
}

QString bitRate(BytesPerSecond bandwidth)
{
    const double gigabits = bandwidth.value() * 8 / 1e9;
    if (gigabits >= 1000)
        return translated("%1 Tb/s").arg(gigabits / 1000, 0, 'g', 4);
    return translated("%1 Gb/s").arg(gigabits, 0, 'g', 4);
}

QString scaleUpText(const cluster::NodeGroup& nodes)
{
    return translated("%1, %2 each way").arg(fromText(nodes.scaleUp.name), fromText(format(nodes.scaleUp.bandwidth)));
}

QString linkText(const cluster::Link& link)
{
    // The rate may differ from the one in the catalogue's name ("RoCE 400 Gbit/s"), so the name's is replaced.
    static const QRegularExpression rateInName(QStringLiteral(" *\\d+(\\.\\d+)? *[GT](bit|b)/s$"));
    QString name = fromText(link.name);
    name.remove(rateInName);
    const QString rate = bitRate(link.bandwidth);
    const QString digits = QLatin1Char(' ') + rate.section(QLatin1Char(' '), 0, 0);
    if (name.endsWith(digits))
        name.chop(digits.size());
    return name.isEmpty() ? rate : name + QLatin1Char(' ') + rate;
}

QString connectionLabel(const cluster::Connection& connection)
{
    // On a cable the rate says it; the family's name would only make the label long.
    QString link = linkText(connection.link);
    const QLatin1String family("InfiniBand ");
    if (link.startsWith(family))
        link.remove(0, family.size());
    return translated("%1 × %2").arg(groupedNumber(connection.cables), link);
}

QString totalBandwidthText(const cluster::Connection& connection)
{
    return fromText(format(connection.link.bandwidth * static_cast<double>(connection.cables)));
}

QString tierName(cluster::SwitchTier tier)
{
    switch (tier) {
    case cluster::SwitchTier::Leaf:
        return translated("Leaf");
    case cluster::SwitchTier::Spine:
        return translated("Spine");
    case cluster::SwitchTier::Core:
        return translated("Core");
    }
    return {};
}

QString describeElement(const cluster::Cluster& cluster, const std::string& id)
{
    if (const cluster::NodeGroup* g = findNodes(cluster, id))
        return nodesText(cluster, *g) + rackText(g->rack);
    if (const cluster::SwitchGroup* s = findSwitches(cluster, id))
        return switchesText(cluster, *s) + rackText(s->rack);
    return {};
}

QString describeConnection(const cluster::Cluster& cluster, const cluster::Connection& connection)
{
    return translated("%1 – %2: %3, %4 in all each way")
        .arg(fromText(elementName(cluster, connection.from)), fromText(elementName(cluster, connection.to)),
            connectionLabel(connection), totalBandwidthText(connection));
}

QString describe(const cluster::Cluster& cluster, const LinkVerdict& verdict)
{
    const QString from = fromText(elementName(cluster, verdict.from));
    const QString to = fromText(elementName(cluster, verdict.to));
    switch (verdict.refusal) {
    case LinkRefusal::None:
        if (verdict.cables < verdict.wanted)
            return translated("Link %1 to %2: %3 of %4 cables fit")
                .arg(from, to, groupedNumber(verdict.cables), groupedNumber(verdict.wanted));
        return translated("Link %1 to %2: %3 cables").arg(from, to, groupedNumber(verdict.cables));
    case LinkRefusal::UnknownElement:
        return translated("Choose an element to link to");
    case LinkRefusal::SameElement:
        return translated("An element cannot be linked to itself");
    case LinkRefusal::BothNodes:
        return translated("Nodes reach one another through a switch: link both to a leaf switch");
    case LinkRefusal::NotLeaf:
        return translated("Nodes link to leaf switches, and %1 is not one").arg(to);
    case LinkRefusal::SameTier:
        return translated("Both are switches of the same tier: link them through the tier above");
    case LinkRefusal::TierSkipped:
        return translated("A leaf switch reaches the core through a spine switch");
    case LinkRefusal::AlreadyLinked:
        return translated("%1 and %2 are linked already: change the number of cables instead").arg(from, to);
    case LinkRefusal::NoFreePort:
        return noPortText(cluster, verdict.element);
    }
    return {};
}

QString leafOversubscription(const cluster::Cluster& cluster, double share)
{
    const QString ratio = fromText(formatOversubscription(share));
    const std::vector<std::size_t> groups = leastUplinked(cluster, cluster::SwitchTier::Leaf);
    if (groups.empty())
        return ratio;
    if (groups.size() == 1)
        return translated("%1 for %2").arg(ratio, fromText(elementName(cluster, cluster.nodes[groups.front()].id)));
    return translated("%1 for %2 of %3 groups of nodes")
        .arg(ratio, groupedNumber(groups.size()),
            groupedNumber(std::ranges::count_if(cluster.nodes, cluster::takesPart)));
}

QString describe(const cluster::Cluster& cluster, const ClusterIssue& issue)
{
    const QString name = fromText(elementName(cluster, issue.element));
    const QString found = groupedNumber(static_cast<long long>(issue.found));
    const QString limit = groupedNumber(static_cast<long long>(issue.limit));
    switch (issue.code) {
    case IssueCode::NoNodes:
        return translated("The cluster has no nodes.");
    case IssueCode::NodesUnlinked:
        return translated("%1 has no link: %2 network ports end nowhere.").arg(name, found);
    case IssueCode::NodesCutOff:
        return translated("%2 of %3 nodes of %1 have a cable.").arg(name, found, limit);
    case IssueCode::NodesApart:
        return translated("The cables of %1 join %2 of its %3 nodes to one another.").arg(name, found, limit);
    case IssueCode::NodesPartly:
        return translated("%1 has %2 of %3 network ports linked.").arg(name, found, limit);
    case IssueCode::SwitchUnlinked:
        return translated("%1 has no link.").arg(name);
    case IssueCode::NoUplink:
        return translated("%2 cables upwards cannot join the switches of %1 to one another: it takes %3.")
            .arg(name, found, limit);
    case IssueCode::PortsExceeded:
        return translated("%1 has %2 ports for %3 cables.").arg(name, limit, found);
    case IssueCode::FabricSplit:
        return translated("No path of cables leads from %1 to the nodes before it.").arg(name);
    case IssueCode::Oversubscribed:
        return translated("Leaf uplinks are oversubscribed %1.").arg(leafOversubscription(cluster, issue.found));
    case IssueCode::TorusUnfilled:
        return unfilledText(cluster, issue);
    case IssueCode::FabricAssumed:
        return translated("No switches drawn: a non-blocking fabric is assumed.");
    }
    return {};
}

QString mendLabel(const cluster::Cluster& cluster, const ClusterIssue& issue)
{
    const auto edited = mended(cluster, issue);
    if (!edited)
        return {};
    switch (issue.code) {
    case IssueCode::NodesUnlinked:
        return translated("Link to %1").arg(fromText(elementName(*edited, edited->connections.back().to)));
    case IssueCode::NodesPartly:
    case IssueCode::NodesCutOff:
        return translated("Link all ports");
    case IssueCode::NoUplink:
        if (edited->connections.size() == cluster.connections.size())
            return translated("Use %1 cables").arg(groupedNumber(static_cast<long long>(issue.limit)));
        return translated("Link to %1").arg(fromText(elementName(*edited, edited->connections.back().to)));
    case IssueCode::FabricSplit:
        return joinLabel(cluster, issue.element);
    case IssueCode::PortsExceeded:
        if (findNodes(cluster, issue.element))
            return translated("Use %1 cables").arg(groupedNumber(static_cast<long long>(issue.limit)));
        return translated("Use %1 switches").arg(groupedNumber(elementCount(*edited, issue.element)));
    case IssueCode::TorusUnfilled:
        if (const cluster::NodeGroup& nodes = *findNodes(*edited, issue.element); nodes.count == int(issue.found))
            return translated("Use a torus of %1").arg(axesText(nodes.torus->axes));
        return translated("Use %1 nodes").arg(groupedNumber(elementCount(*edited, issue.element)));
    default:
        return {};
    }
}

} // namespace stratoplan::widgets
