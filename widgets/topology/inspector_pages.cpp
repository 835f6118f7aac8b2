// SPDX-License-Identifier: GPL-3.0-or-later
// The pages of the inspector: node groups, switch groups, a connection, the whole cluster.
#include "core/cluster/cluster_edits.h"
#include "core/cluster/cuts.h"
#include "core/cluster/fabric.h"
#include "core/units/format.h"
#include "widgets/panels/catalog_items.h"
#include "widgets/panels/choice_field.h"
#include "widgets/panels/count_field.h"
#include "widgets/panels/field_row.h"
#include "widgets/panels/link_field.h"
#include "widgets/panels/plan_edits.h"
#include "widgets/panels/torus_field.h"
#include "widgets/topology/cluster_review.h"
#include "widgets/topology/inspector_page.h"
#include "widgets/topology/topology_text.h"

#include <algorithm>

namespace stratoplan::widgets {

namespace {

/// Whether a property differs over the selected groups.
template <class Groups, class Property>
bool differ(const Groups& groups, Property property)
{
    return std::any_of(
        groups.begin(), groups.end(), [&](const auto* g) { return !(g->*property == groups.front()->*property); });
}

std::vector<const cluster::NodeGroup*> nodesOf(const cluster::Cluster& cluster, const std::vector<std::string>& keys)
{
    std::vector<const cluster::NodeGroup*> groups;
    for (const std::string& key : keys) {
        if (const cluster::NodeGroup* g = findNodes(cluster, key))
            groups.push_back(g);
    }
    return groups;
}

std::vector<const cluster::SwitchGroup*> switchesOf(
    const cluster::Cluster& cluster, const std::vector<std::string>& keys)
{
    std::vector<const cluster::SwitchGroup*> groups;
    for (const std::string& key : keys) {
        if (const cluster::SwitchGroup* g = findSwitches(cluster, key))
            groups.push_back(g);
    }
    return groups;
}

cluster::Connection* findConnection(cluster::Cluster& cluster, const std::string& key)
{
    const auto index = connectionIndex(cluster, key);
    return index ? &cluster.connections[*index] : nullptr;
}

std::size_t indexOfNodes(const cluster::Cluster& cluster, const std::string& id)
{
    return static_cast<std::size_t>(findNodes(cluster, id) - cluster.nodes.data());
}

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
    addName(tr("What the group is called on the canvas and in reports."));
    m_count = addCount(tr("Nodes"), tr("How many of these nodes. Their cables grow and shrink with them."),
        tr("Make it %1 nodes"),
        [](cluster::Cluster& c, const std::string& key, int value) { setElementCount(c, key, value); });
    m_count->setRange(1, 1'000'000);
    addSeparator();
    addInside();
    addDomain();
    addSeparator();
    addOutside();
    addSeparator();
    addHost();
    addSeparator();
    m_total = addInfo(tr("In all"), tr("Accelerators of all these nodes."));
    m_peak = addInfo(
        tr("Peak, 16-bit"), tr("Dense matrix rate of all these accelerators in BF16, or FP16 where they lack it."));
    m_memory = addInfo(tr("Memory"), tr("Memory of all these accelerators."));
    m_linked = addInfo(tr("Linked ports"), tr("Network ports with a cable, of all ports of these nodes."));
}

void NodesPage::addInside()
{
    m_accelerator = new Picker(Picker::Look::Field, this);
    addField(tr("Accelerator"), tr("The GPU, NPU or TPU in each node: its matrix rate, memory and memory bandwidth."),
        m_accelerator);
    m_accelerator->setItems(acceleratorItems(catalog()));
    connect(m_accelerator, &Picker::picked, this, [this](const QString& id) {
        if (const cluster::Accelerator* chosen = catalog().accelerator(id.toStdString()))
            apply(tr("Choose %1").arg(fromText(chosen->name)),
                [&](cluster::Cluster& c, const std::string& key) { findNodes(c, key)->accelerator = *chosen; });
    });
    m_perNode = addCount(tr("Per node"), tr("Accelerators in each node."), tr("Make it %1 accelerators per node"),
        [](cluster::Cluster& c, const std::string& key, int value) {
            c = withAcceleratorsPerNode(c, indexOfNodes(c, key), value);
        });
    m_perNode->setRange(1, 4096);
    m_scaleUp = addLink(
        tr("Scale-up link"), tr("What links the accelerators of a node: one direction, per accelerator."), false,
        tr("Scale up over %1"),
        [](const cluster::Cluster& c, const std::string& key) { return &findNodes(c, key)->scaleUp; },
        [](cluster::Cluster& c, const std::string& key, const cluster::Link& link) {
            findNodes(c, key)->scaleUp = link;
        });
}

void NodesPage::addDomain()
{
    m_domain = addCount(tr("Domain"),
        tr("Accelerators that reach one another over the scale-up link; more than a node in a rack-scale system."),
        tr("Make it a scale-up domain of %1"),
        [](cluster::Cluster& c, const std::string& key, int value) { setScaleUpDomain(*findNodes(c, key), value); });
    m_domain->setRange(1, 1'000'000);
    m_torus = new TorusField(this);
    addField(tr("Torus"),
        tr("How the scale-up link joins a domain: each accelerator to its neighbours along these axes (TPU, Trainium), "
           "or nothing where switches join each to each. The domain has as many as it."),
        m_torus);
    connect(m_torus, &TorusField::axesChanged, this, [this](const std::vector<int>& axes) {
        apply(axes.empty() ? tr("Make it a switched domain") : tr("Make it a torus of %1").arg(axesText(axes)),
            [&](cluster::Cluster& c, const std::string& key) { setTorusAxes(*findNodes(c, key), axes); });
    });
}

void NodesPage::addOutside()
{
    m_nic = addLink(
        tr("Network port"), tr("One network port of a node, one direction. Cables of these ports follow."), true,
        tr("Network ports: %1"),
        [](const cluster::Cluster& c, const std::string& key) { return &findNodes(c, key)->nic; },
        [](cluster::Cluster& c, const std::string& key, const cluster::Link& link) { setNic(c, key, link); });
    m_nics = addCount(tr("Ports per node"), tr("Network ports of each node. Cables grow and shrink with them."),
        tr("Make it %1 ports per node"),
        [](cluster::Cluster& c, const std::string& key, int value) { setNicsPerNode(c, key, value); });
    m_nics->setRange(1, 1024);
}

/// What offload needs to know; nobody has to state it otherwise.
void NodesPage::addHost()
{
    m_hostMemory = addAmount(tr("Host memory"),
        tr("Memory of each node's processors: where activations and optimizer states wait that are offloaded."),
        UnitKind::Memory, tr("Make it %1 of host memory"),
        [](cluster::Cluster& c, const std::string& key, double value) {
            findNodes(c, key)->hostMemory = Bytes(value);
        });
    m_hostBandwidth = addAmount(tr("Host bandwidth"),
        tr("Of the memory of one node's processors: an optimizer on the host is as fast as it reads there."),
        UnitKind::Bandwidth, tr("Make it %1 of host bandwidth"),
        [](cluster::Cluster& c, const std::string& key, double value) {
            findNodes(c, key)->hostMemoryBandwidth = BytesPerSecond(value);
        });
    m_hostLink = addAmount(tr("Host link"),
        tr("Of each accelerator to host memory while all of the node transfer, sustained, in each direction."),
        UnitKind::Bandwidth, tr("Make the host link %1"),
        [](cluster::Cluster& c, const std::string& key, double value) {
            findNodes(c, key)->hostLink = BytesPerSecond(value);
        });
    for (UnitField* field : {m_hostMemory, m_hostBandwidth, m_hostLink}) {
        field->setRange(0, 1e18);
        field->setZeroText(tr("not stated"));
    }
}

void NodesPage::refresh()
{
    const auto groups = nodesOf(cluster(), keys());
    if (groups.empty())
        return;
    const cluster::NodeGroup& g = *groups.front();
    const bool isSingle = groups.size() == 1;
    setTitle(isSingle ? fromText(elementName(cluster(), g.id)) : tr("%1 node groups").arg(groups.size()),
        isSingle ? tr("Node group") : tr("Edits apply to all of them"));
    showName(fromText(g.name));
    m_count->setValue(g.count);
    m_accelerator->setCurrent(fromText(g.accelerator.id), fromText(g.accelerator.name));
    m_perNode->setValue(g.acceleratorsPerNode);
    m_scaleUp->setLink(g.scaleUp, linkEdited(g.scaleUp));
    m_domain->setValue(g.scaleUpDomain);
    m_torus->setAxes(g.torus ? g.torus->axes : std::vector<int>{});
    m_nic->setLink(g.nic, linkEdited(g.nic));
    m_nics->setValue(g.nicsPerNode);
    m_hostMemory->setValue(g.hostMemory.value());
    m_hostBandwidth->setValue(g.hostMemoryBandwidth.value());
    m_hostLink->setValue(g.hostLink.value());
    markMixed(rowOf(m_hostMemory), differ(groups, &cluster::NodeGroup::hostMemory));
    markMixed(rowOf(m_hostBandwidth), differ(groups, &cluster::NodeGroup::hostMemoryBandwidth));
    markMixed(rowOf(m_hostLink), differ(groups, &cluster::NodeGroup::hostLink));
    markMixed(rowOf(m_count), differ(groups, &cluster::NodeGroup::count));
    markMixed(rowOf(m_accelerator), differ(groups, &cluster::NodeGroup::accelerator));
    markMixed(rowOf(m_perNode), differ(groups, &cluster::NodeGroup::acceleratorsPerNode));
    markMixed(rowOf(m_scaleUp), differ(groups, &cluster::NodeGroup::scaleUp));
    markMixed(rowOf(m_domain), differ(groups, &cluster::NodeGroup::scaleUpDomain));
    markMixed(rowOf(m_torus), differ(groups, &cluster::NodeGroup::torus));
    markMixed(rowOf(m_nic), differ(groups, &cluster::NodeGroup::nic));
    markMixed(rowOf(m_nics), differ(groups, &cluster::NodeGroup::nicsPerNode));
    showTotals(groups);
}

void NodesPage::showTotals(const std::vector<const cluster::NodeGroup*>& groups)
{
    cluster::Cluster these;
    long long ports = 0;
    long long used = 0;
    for (const cluster::NodeGroup* each : groups) {
        these.nodes.push_back(*each);
        ports += portCount(cluster(), each->id);
        used += portCount(cluster(), each->id) - freePorts(cluster(), each->id);
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
    addName(tr("What the group is called on the canvas and in reports."));
    m_count = addCount(tr("Switches"), tr("How many of these switches. Their uplinks grow and shrink with them."),
        tr("Make it %1 switches"),
        [](cluster::Cluster& c, const std::string& key, int value) { setElementCount(c, key, value); });
    m_count->setRange(1, 1'000'000);
    m_ports = addCount(tr("Ports each"), tr("Ports of one switch, up and down together."), tr("Make it %1 ports"),
        [](cluster::Cluster& c, const std::string& key, int value) { findSwitches(c, key)->ports = value; });
    m_ports->setRange(1, 100'000);
    m_tier = new ChoiceField(this);
    for (const cluster::SwitchTier tier :
        {cluster::SwitchTier::Leaf, cluster::SwitchTier::Spine, cluster::SwitchTier::Core})
        m_tier->addChoice(tierName(tier), static_cast<int>(tier));
    addField(tr("Tier"), tr("Nodes link to leaf switches, those to the spine, and the spine to the core."), m_tier);
    connect(m_tier, &ChoiceField::keyChosen, this, [this](int tier) {
        const auto chosen = static_cast<cluster::SwitchTier>(tier);
        apply(tr("Move to the %1 tier").arg(tierName(chosen).toLower()),
            [&](cluster::Cluster& c, const std::string& key) { setTier(c, key, chosen); });
    });
    addStructure();
    addSeparator();
    m_used = addInfo(tr("Ports in use"), tr("Ports with a cable, of all ports of these switches."));
    m_down = addInfo(tr("Down"), tr("Bandwidth of all cables towards the nodes, each direction."));
    m_up = addInfo(tr("Up"), tr("Bandwidth of all cables towards the tier above, each direction."));
}

void SwitchesPage::addStructure()
{
    m_blocks = addCount(tr("Blocks"),
        tr("Blocks of these switches, each of which serves nodes, or switches below, of its own. Leaves in fewer "
           "blocks "
           "than switches are rails: every node has cables to each leaf of its block. Spines in blocks are pods. 0: "
           "each leaf by itself, all other switches together."),
        tr("Arrange in %1 blocks"),
        [](cluster::Cluster& c, const std::string& key, int value) { findSwitches(c, key)->blocks = value; });
    m_blocks->setRange(0, 1'000'000);
    m_reduces = new ToggleSwitch(this);
    addField(tr("In-network reduction"),
        tr("The switches sum up what passes them, and the stack lets them (SHARP, with NCCL_COLLNET_ENABLE=1). An "
           "all-reduce between nodes is priced so where all switches of the network do and it is faster; each group is "
           "taken to have an aggregation tree of its own."),
        m_reduces);
    connect(m_reduces, &ToggleSwitch::clicked, this, [this](bool on) {
        apply(on ? tr("Reduce in the switches") : tr("Do not reduce in the switches"),
            [on](cluster::Cluster& c, const std::string& key) { findSwitches(c, key)->reduces = on; });
    });
}

void SwitchesPage::refresh()
{
    const auto groups = switchesOf(cluster(), keys());
    if (groups.empty())
        return;
    const cluster::SwitchGroup& s = *groups.front();
    const bool isSingle = groups.size() == 1;
    setTitle(isSingle ? fromText(elementName(cluster(), s.id)) : tr("%1 switch groups").arg(groups.size()),
        isSingle ? tr("%1 switches").arg(tierName(s.tier)) : tr("Edits apply to all of them"));
    showName(fromText(s.name));
    m_count->setValue(s.count);
    m_ports->setValue(s.ports);
    m_tier->setKey(static_cast<int>(s.tier));
    m_blocks->setValue(s.blocks);
    m_reduces->setOn(s.reduces);
    markMixed(rowOf(m_blocks), differ(groups, &cluster::SwitchGroup::blocks));
    markMixed(rowOf(m_reduces), differ(groups, &cluster::SwitchGroup::reduces));
    markMixed(rowOf(m_count), differ(groups, &cluster::SwitchGroup::count));
    markMixed(rowOf(m_ports), differ(groups, &cluster::SwitchGroup::ports));
    markMixed(rowOf(m_tier), differ(groups, &cluster::SwitchGroup::tier));
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
    m_link = addLink(
        tr("Link"), tr("Kind and bandwidth of one cable, one direction."), true, tr("Cable it with %1"),
        [](const cluster::Cluster& c, const std::string& key) -> const cluster::Link* {
            const auto index = connectionIndex(c, key);
            return index ? &c.connections[*index].link : nullptr;
        },
        [](cluster::Cluster& c, const std::string& key, const cluster::Link& link) {
            if (cluster::Connection* found = findConnection(c, key))
                found->link = link;
        });
    m_cables = addCount(tr("Cables"), tr("Cables in all, spread evenly over both groups."), tr("Make it %1 cables"),
        [](cluster::Cluster& c, const std::string& key, int value) {
            if (cluster::Connection* found = findConnection(c, key))
                found->cables = value;
        });
    m_cables->setRange(1, 100'000'000);
    addSeparator();
    m_total = addInfo(tr("In all"), tr("Bandwidth of all cables together, each direction."));
    m_perLower = addInfo(tr("Each below"), tr("Bandwidth of one node or switch at the lower end, each direction."));
    m_latency = addInfo(tr("Latency"), tr("Of one hop of a collective, software included."));
    m_crossing = addInfo(tr("Crossed by"),
        tr("Groups of the plan with ranks on both sides of these cables, as ranks take the accelerators in their "
           "order."));
    m_crossing->hide();
}

void ConnectionPage::setCrossing(const QString& groups)
{
    m_crossing->setValue(groups);
    m_crossing->setVisible(!groups.isEmpty());
}

void ConnectionPage::refresh()
{
    std::vector<const cluster::Connection*> shown;
    for (const std::string& key : keys()) {
        if (const auto index = connectionIndex(cluster(), key))
            shown.push_back(&cluster().connections[*index]);
    }
    if (shown.empty())
        return;
    const cluster::Connection& c = *shown.front();
    const bool isSingle = shown.size() == 1;
    setTitle(isSingle
            ? tr("%1 – %2").arg(fromText(elementName(cluster(), c.from)), fromText(elementName(cluster(), c.to)))
            : tr("%1 links").arg(shown.size()),
        isSingle ? tr("Link") : tr("Edits apply to all of them"));
    m_link->setLink(c.link, linkEdited(c.link));
    m_cables->setValue(c.cables);
    markMixed(rowOf(m_link), differ(shown, &cluster::Connection::link));
    markMixed(rowOf(m_cables), differ(shown, &cluster::Connection::cables));
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
    m_rows = {
        addInfo(tr("Accelerators"), tr("Of all nodes.")),
        addInfo(tr("Nodes"), tr("Of all groups.")),
        addInfo(tr("Switches"), tr("Of all tiers that are drawn.")),
        addInfo(tr("Peak, 16-bit"), tr("Dense matrix rate of all accelerators in BF16, or FP16 where they lack it.")),
        addInfo(tr("Memory"), tr("Of all accelerators.")),
        addInfo(tr("Memory rate"), tr("Memory bandwidth of all accelerators together.")),
        addInfo(tr("Network"), tr("Bandwidth of all network ports of all nodes, each direction.")),
        addInfo(tr("Leaf uplinks"), tr("Bandwidth up from the leaf switches over that of the cables below them.")),
        addInfo(tr("Board power"), tr("Of the accelerator boards; hosts, switches and cooling come on top.")),
    };
}

void TotalsPage::refresh()
{
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
                        : tr("oversubscribed %1").arg(fromText(formatOversubscription(share)));
    const QString power = tr("%1W", "power, after the decimal prefix").arg(fromText(formatNumber(t.watts)));
    const QStringList values{groupedNumber(t.accelerators), groupedNumber(t.nodes),
        cluster().switches.empty() ? tr("none drawn") : groupedNumber(t.switches), fromText(format(t.peak)),
        fromText(format(t.memory)), fromText(format(t.memoryBandwidth)), fromText(format(t.injection)), uplinks, power};
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        m_rows[i]->setValue(values.at(static_cast<qsizetype>(i)));
        m_rows[i]->setVisible(!empty);
    }
    m_rows.back()->setVisible(!empty && t.watts > 0);
}

} // namespace stratoplan::widgets
