// SPDX-License-Identifier: GPL-3.0-or-later
// The pages of the inspector: node groups, switch groups, a connection, the whole cluster.
#include "core/cluster/cluster_edits.h"
#include "core/cluster/cuts.h"
#include "core/cluster/fabric.h"
#include "core/units/format.h"
#include "widgets/panels/field_row.h"
#include "widgets/topology/cluster_review.h"
#include "widgets/topology/inspector_page.h"
#include "widgets/topology/topology_text.h"

#include <algorithm>

namespace stratoplan::widgets {

namespace {

/// Cables that run down from, and up from, the element, with their bandwidth.
BytesPerSecond bandwidthOf(const cluster::Cluster& cluster, const std::string& id, bool up)
{
    BytesPerSecond sum{};
    for (const cluster::Connection& c : cluster.connections) {
        if ((up ? c.from : c.to) == id)
            sum += c.link.bandwidth * static_cast<double>(c.cables);
    }
    return sum;
}

QString usedText(const cluster::Cluster& cluster, const std::string& id)
{
    const long long all = portCount(cluster, id);
    return InspectorPage::tr("%1 of %2").arg(groupedNumber(all - freePorts(cluster, id)), groupedNumber(all));
}

} // namespace

NodesPage::NodesPage(const catalog::Catalog& catalog, QWidget* parent)
    : InspectorPage(catalog, parent)
{
    addTitle();
    addFields(RowKind::Nodes);
    addSeparator();
    m_total = addInfo(tr("In all"), tr("Accelerators of all these nodes."));
    m_peak = addInfo(
        tr("Peak, 16-bit"), tr("Dense matrix rate of all these accelerators in BF16, or FP16 where they lack it."));
    m_memory = addInfo(tr("Memory"), tr("Memory of all these accelerators."));
    m_linked = addInfo(tr("Linked ports"), tr("Network ports with a cable, of all ports of these nodes."));
}

void NodesPage::refresh()
{
    if (rows().empty())
        return;
    const bool isSingle = rows().size() == 1;
    setTitle(isSingle ? fromText(elementName(cluster(), cluster().nodes.at(rows().front()).id))
                      : tr("%1 node groups").arg(rows().size()),
        isSingle ? tr("Node group") : tr("Edits apply to all of them"));
    showFields();
    showTotals();
}

void NodesPage::showTotals()
{
    cluster::Cluster these;
    long long ports = 0;
    long long used = 0;
    for (const std::size_t row : rows()) {
        const cluster::NodeGroup& group = cluster().nodes.at(row);
        these.nodes.push_back(group);
        ports += portCount(cluster(), group.id);
        used += portCount(cluster(), group.id) - freePorts(cluster(), group.id);
    }
    const ClusterTotals t = clusterTotals(these);
    m_total->setValue(
        t.accelerators == 1 ? tr("1 accelerator") : tr("%1 accelerators").arg(groupedNumber(t.accelerators)));
    m_peak->setValue(fromText(format(t.peak)));
    m_memory->setValue(fromText(format(t.memory)));
    m_linked->setValue(cluster().switches.empty() ? tr("%1, no switches drawn").arg(groupedNumber(ports))
                                                  : tr("%1 of %2").arg(groupedNumber(used), groupedNumber(ports)));
}

SwitchesPage::SwitchesPage(const catalog::Catalog& catalog, QWidget* parent)
    : InspectorPage(catalog, parent)
{
    addTitle();
    addFields(RowKind::Switches);
    addSeparator();
    m_used = addInfo(tr("Ports in use"), tr("Ports with a cable, of all ports of these switches."));
    m_down = addInfo(tr("Down"), tr("Bandwidth of all cables towards the nodes, each direction."));
    m_up = addInfo(tr("Up"), tr("Bandwidth of all cables towards the tier above, each direction."));
}

void SwitchesPage::refresh()
{
    if (rows().empty())
        return;
    const cluster::SwitchGroup& s = cluster().switches.at(rows().front());
    const bool isSingle = rows().size() == 1;
    setTitle(isSingle ? fromText(elementName(cluster(), s.id)) : tr("%1 switch groups").arg(rows().size()),
        isSingle ? tr("%1 switches").arg(tierName(s.tier)) : tr("Edits apply to all of them"));
    showFields();
    for (InfoRow* row : {m_used, m_down, m_up})
        row->setVisible(isSingle);
    if (!isSingle)
        return;
    m_used->setValue(usedText(cluster(), s.id));
    const BytesPerSecond down = bandwidthOf(cluster(), s.id, false);
    const BytesPerSecond up = bandwidthOf(cluster(), s.id, true);
    m_down->setValue(fromText(format(down)));
    m_up->setValue(down.value() > 0 && up.value() > 0 && s.tier != cluster::SwitchTier::Core
            ? tr("%1, %2 of down").arg(fromText(format(up)), fromText(formatShare(up / down)))
            : fromText(format(up)));
}

ConnectionPage::ConnectionPage(const catalog::Catalog& catalog, QWidget* parent)
    : InspectorPage(catalog, parent)
{
    addTitle();
    addFields(RowKind::Links);
    addSeparator();
    m_total = addInfo(tr("In all"), tr("Bandwidth of all cables together, each direction."));
    m_perLower = addInfo(tr("Each below"), tr("Bandwidth of one node or switch at the lower end, each direction."));
    m_latency = addInfo(tr("Latency"), tr("Of one hop of a collective, software included."));
    m_crossing = addInfo(tr("Crossed by"),
        tr("Groups of the plan with ranks on both sides of these cables, as ranks take the accelerators in their "
           "order."));
    m_crossing->hide();
    m_busy = addInfo(tr("Busy"), {});
    m_busy->hide();
}

void ConnectionPage::setCrossing(const QString& groups)
{
    m_crossing->setValue(groups);
    m_crossing->setVisible(!groups.isEmpty());
}

void ConnectionPage::setBusy(const QString& busy, const QString& explanation)
{
    m_busy->setValue(busy);
    m_busy->setToolTip(explanation);
    m_busy->setAccessibleDescription(explanation);
    m_busy->setVisible(!busy.isEmpty());
}

void ConnectionPage::refresh()
{
    if (rows().empty())
        return;
    const cluster::Connection& c = cluster().connections.at(rows().front());
    const bool isSingle = rows().size() == 1;
    setTitle(isSingle
            ? tr("%1 – %2").arg(fromText(elementName(cluster(), c.from)), fromText(elementName(cluster(), c.to)))
            : tr("%1 links").arg(rows().size()),
        isSingle ? tr("Link") : tr("Edits apply to all of them"));
    showFields();
    for (InfoRow* row : {m_total, m_perLower, m_latency})
        row->setVisible(isSingle);
    m_total->setValue(totalBandwidthText(c));
    const int below = std::max(1, elementCount(cluster(), c.from));
    const BytesPerSecond total = c.link.bandwidth * static_cast<double>(c.cables);
    m_perLower->setValue(fromText(format(total / static_cast<double>(below))));
    m_latency->setValue(fromText(format(c.link.latency)));
}

TotalsPage::TotalsPage(const catalog::Catalog& catalog, QWidget* parent)
    : InspectorPage(catalog, parent)
{
    addTitle();
    addName(clusterNameField());
    addSeparator();
    m_totals = {
        addInfo(tr("Accelerators"), tr("Of all nodes.")),
        addInfo(tr("Nodes"), tr("Of all groups.")),
        addInfo(tr("Switches"), tr("Of all tiers that are drawn.")),
        addInfo(tr("Peak, 16-bit"), tr("Dense matrix rate of all accelerators in BF16, or FP16 where they lack it.")),
        addInfo(tr("Memory"), tr("Of all accelerators.")),
        addInfo(tr("Memory rate"), tr("Memory bandwidth of all accelerators together.")),
        addInfo(tr("Network"), tr("Bandwidth of all network ports of all nodes, each direction.")),
        addInfo(tr("Leaf uplinks"),
            tr("Bandwidth of the cables below the leaf switches over that up from them, of the nodes for which it is "
               "most.")),
        addInfo(tr("Board power"), tr("Of the accelerator boards; hosts, switches and cooling come on top.")),
    };
}

void TotalsPage::refresh()
{
    if (rows().empty())
        return;
    showName();
    const ClusterTotals t = clusterTotals(cluster());
    const bool empty = cluster().nodes.empty() && cluster().switches.empty();
    setTitle(cluster().name.empty() ? tr("Cluster") : fromText(cluster().name),
        empty ? tr("Nothing on the canvas yet") : tr("The whole cluster"));
    const double share = uplinkShare(cluster(), cluster::SwitchTier::Leaf);
    const bool tiers = std::any_of(cluster().switches.begin(), cluster().switches.end(),
        [](const cluster::SwitchGroup& s) { return s.tier != cluster::SwitchTier::Leaf; });
    const QString uplinks = cluster().switches.empty() ? tr("non-blocking assumed")
        : !tiers                                       ? tr("one tier")
        : !gaps(cluster()).empty()                     ? tr("some nodes are apart")
        : share > 0.995                                ? tr("non-blocking")
        : leastUplinked(cluster(), cluster::SwitchTier::Leaf).empty()
        ? tr("oversubscribed %1").arg(leafOversubscription(cluster(), share))
        : leafOversubscription(cluster(), share);
    const QString power = tr("%1W", "power, after the decimal prefix").arg(fromText(formatNumber(t.watts)));
    const QStringList values{groupedNumber(t.accelerators), groupedNumber(t.nodes),
        cluster().switches.empty() ? tr("none drawn") : groupedNumber(t.switches), fromText(format(t.peak)),
        fromText(format(t.memory)), fromText(format(t.memoryBandwidth)), fromText(format(t.injection)), uplinks, power};
    for (std::size_t i = 0; i < m_totals.size(); ++i) {
        m_totals[i]->setValue(values.at(static_cast<qsizetype>(i)));
        m_totals[i]->setVisible(!empty);
    }
    m_totals.back()->setVisible(!empty && t.watts > 0);
}

} // namespace stratoplan::widgets
