// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/units/format.h"
#include "widgets/panels/catalog_items.h"
#include "widgets/panels/choice_field.h"
#include "widgets/panels/count_field.h"
#include "widgets/panels/field_row.h"
#include "widgets/panels/inputs_section.h"
#include "widgets/panels/link_field.h"
#include "widgets/panels/picker.h"
#include "widgets/panels/plan_edits.h"
#include "widgets/presentation/numbers.h"
#include "widgets/presentation/text.h"

#include <algorithm>

namespace stratoplan::widgets {

namespace {

QString nodeDetail(const cluster::NodeGroup& node)
{
    return QStringLiteral("%1 × %2").arg(node.acceleratorsPerNode).arg(text(node.accelerator.name));
}

std::vector<PickerItem> clusterItems(const catalog::Catalog& catalog)
{
    std::vector<PickerItem> items;
    for (const catalog::ClusterPreset& preset : catalog.clusters) {
        items.push_back(
            {QStringLiteral("cluster:") + text(preset.id), text(preset.name), ClusterSection::tr("Whole clusters"),
                acceleratorsText(acceleratorCount(preset.cluster)), text(preset.source)});
    }
    for (const catalog::NodePreset& preset : catalog.nodes) {
        const QString vendor = text(preset.node.accelerator.vendor);
        items.push_back({QStringLiteral("node:") + text(preset.id), text(preset.name),
            ClusterSection::tr("Nodes, %1").arg(vendor), nodeDetail(preset.node), text(preset.source)});
    }
    return items;
}

/// A torus of another size than its domain would be an error.
cluster::Cluster withDomain(cluster::Cluster cluster, std::size_t group, const cluster::NodeGroup& from)
{
    cluster = withScaleUpDomain(std::move(cluster), group, from.scaleUpDomain);
    cluster.nodes.at(group).torus = from.torus;
    return cluster;
}

} // namespace

ClusterSection::ClusterSection(const catalog::Catalog& catalog, QWidget* parent)
    : InputsSection(tr("Cluster"), catalog, parent)
{
    m_groupRow = new FieldRow(
        tr("Group"), tr("The cluster has several groups of nodes; the rows below show and edit this one."));
    m_group = new ChoiceField(m_groupRow);
    m_groupRow->add(m_group, tr("Group of nodes"));
    addRow(m_groupRow);
    connect(m_group, &ChoiceField::keyChosen, this, [this] { refresh(); });
    addMachines();
    addLinks();
    addPorts();
    m_total = new InfoRow(tr("Accelerators · peak"),
        tr("Accelerators of the whole cluster and their dense peak at the training precision."));
    addNodeRow(m_total);
    auto* empty = new ToneLabel(
        tr("No nodes yet. Choose a cluster above, or draw one on the canvas."), ToneLabel::Tone::Secondary, this);
    empty->setWordWrap(true);
    m_empty = empty;
    addRow(m_empty);
    setLists();
}

void ClusterSection::addMachines()
{
    auto* accelerator = new FieldRow(
        tr("Accelerator"), tr("The GPU, NPU or TPU of each node: its matrix rate, memory and memory bandwidth."));
    m_accelerator = new Picker(Picker::Look::Field, accelerator);
    m_accelerator->setObjectName(QStringLiteral("/cluster/nodes/accelerator"));
    accelerator->add(m_accelerator, tr("Accelerator"));
    auto* nodes = new FieldRow(tr("Nodes × accelerators"), tr("Machines, and accelerators in each of them."));
    m_nodes = addCount(*nodes, QStringLiteral("/cluster/nodes/count"), tr("Nodes"),
        [this](plan::Plan& p, int v) { p.cluster = withNodeCount(p.cluster, group(), v); });
    m_perNode = addCount(*nodes, QStringLiteral("/cluster/nodes/accelerators_per_node"), tr("Accelerators per node"),
        [this](plan::Plan& p, int v) { p.cluster = withAcceleratorsPerNode(p.cluster, group(), v); });
    m_nodes->setRange(1, 1'000'000);
    m_perNode->setRange(1, 1'024);
    restore(
        accelerator, tr("the accelerator"), [this](cluster::Cluster c, std::size_t g, const cluster::NodeGroup& from) {
            return withAccelerator(std::move(c), g, from.accelerator, catalog());
        });
    restore(nodes, tr("nodes and accelerators per node"),
        [](cluster::Cluster c, std::size_t g, const cluster::NodeGroup& from) {
            c = withAcceleratorsPerNode(withNodeCount(std::move(c), g, from.count), g, from.acceleratorsPerNode);
            return withDomain(std::move(c), g, from);
        });
    addNodeRow(accelerator);
    addNodeRow(nodes);
}

void ClusterSection::addLinks()
{
    const QString inside =
        tr("The link of each accelerator inside its node, one direction: tensor parallelism lives on it.");
    auto* inNode = new FieldRow(tr("In node"), inside);
    m_inNode = new LinkField(UnitKind::Bandwidth, inNode);
    inNode->add(m_inNode, tr("Link in the node"));
    m_inNode->setNames(tr("Link in the node"), tr("Bandwidth in the node"), inside);
    const QString outside =
        tr("One network port of a node, one direction: pipeline and data parallelism run over them.");
    auto* between = new FieldRow(tr("Between nodes"), outside);
    m_between = new LinkField(UnitKind::BitRate, between);
    between->add(m_between, tr("Link between nodes"));
    m_between->setNames(tr("Link between nodes"), tr("Bandwidth of a port"), outside);
    restore(inNode, tr("the link in the node"), [](cluster::Cluster c, std::size_t g, const cluster::NodeGroup& from) {
        return withScaleUp(std::move(c), g, from.scaleUp);
    });
    restore(
        between, tr("the link between nodes"), [](cluster::Cluster c, std::size_t g, const cluster::NodeGroup& from) {
            return withNic(std::move(c), g, from.nic);
        });
    for (FieldRow* row : {inNode, between})
        addNodeRow(row);
    m_inNode->rate().setObjectName(QStringLiteral("/cluster/nodes/scale_up/bandwidth_gb_s"));
    m_between->rate().setObjectName(QStringLiteral("/cluster/nodes/nic/bandwidth_gb_s"));
    connect(&m_inNode->rate(), &UnitField::valueChanged, this, [this](double value) {
        editCluster(tr("Set the bandwidth in the node"), [&](cluster::Cluster c) {
            cluster::Link link = c.nodes.at(group()).scaleUp;
            link.bandwidth = BytesPerSecond(value);
            return withScaleUp(std::move(c), group(), link);
        });
    });
    connect(&m_between->rate(), &UnitField::valueChanged, this, [this](double value) {
        editCluster(tr("Set the bandwidth between nodes"), [&](cluster::Cluster c) {
            cluster::Link link = c.nodes.at(group()).nic;
            link.bandwidth = BytesPerSecond(value);
            return withNic(std::move(c), group(), link);
        });
    });
}

void ClusterSection::addPorts()
{
    auto* counts = new FieldRow(tr("Ports · domain"),
        tr("Network ports of each node, and the accelerators that reach one another over the "
           "in-node link: more than a node in a rack-scale system."));
    m_nics = addCount(*counts, QStringLiteral("/cluster/nodes/nics_per_node"), tr("Ports per node"),
        [this](plan::Plan& p, int v) { p.cluster = withNicsPerNode(p.cluster, group(), v); });
    m_domain = addCount(*counts, QStringLiteral("/cluster/nodes/scale_up_domain"), tr("Scale-up domain"),
        [this](plan::Plan& p, int v) { p.cluster = withScaleUpDomain(p.cluster, group(), v); });
    m_nics->setRange(1, 1'024);
    restore(
        counts, tr("ports and scale-up domain"), [](cluster::Cluster c, std::size_t g, const cluster::NodeGroup& from) {
            return withDomain(withNicsPerNode(std::move(c), g, from.nicsPerNode), g, from);
        });
    addNodeRow(counts);
}

void ClusterSection::restore(FieldRow* row, const QString& what,
    const std::function<cluster::Cluster(cluster::Cluster, std::size_t, const cluster::NodeGroup&)>& copy)
{
    connect(row, &FieldRow::defaultAsked, this, [this, what, copy] {
        if (const auto from = origin())
            editCluster(
                tr("Restore %1").arg(what), [&](cluster::Cluster c) { return copy(std::move(c), group(), *from); });
    });
}

std::optional<cluster::NodeGroup> ClusterSection::origin() const
{
    if (plan().cluster.nodes.empty())
        return std::nullopt;
    const cluster::NodeGroup& now = plan().cluster.nodes[group()];
    const auto sameNode = [&now](const cluster::NodeGroup& known) { return known.name == now.name; };
    for (const catalog::ClusterPreset& preset : catalog().clusters) {
        if (preset.cluster.name != plan().cluster.name)
            continue;
        const auto known = std::ranges::find_if(preset.cluster.nodes, sameNode);
        if (known != preset.cluster.nodes.end())
            return *known;
    }
    cluster::NodeGroup from = now; // how many there are is the person's own
    const auto preset =
        std::ranges::find_if(catalog().nodes, [&](const catalog::NodePreset& known) { return sameNode(known.node); });
    if (preset != catalog().nodes.end()) {
        from = preset->node;
        from.count = now.count;
        return from;
    }
    if (const cluster::Accelerator* known = catalog().accelerator(now.accelerator.id))
        from.accelerator = *known;
    if (const cluster::Link* known = catalog().link(now.scaleUp.id))
        from.scaleUp = *known;
    if (const cluster::Link* known = catalog().link(now.nic.id))
        from.nic = *known;
    return from;
}

void ClusterSection::addNodeRow(QWidget* row)
{
    m_nodeRows.push_back(row);
    addRow(row);
}

void ClusterSection::setLists()
{
    preset().setItems(clusterItems(catalog()));
    preset().setExplanation(tr("Take a whole cluster, or this many of a known node"));
    m_accelerator->setItems(acceleratorItems(catalog()));
    m_inNode->picker().setItems(linkItems(catalog(), false));
    m_between->picker().setItems(linkItems(catalog(), true));
    connect(&preset(), &Picker::picked, this, &ClusterSection::choose);
    connect(m_accelerator, &Picker::picked, this, [this](const QString& id) {
        if (const cluster::Accelerator* chosen = catalog().accelerator(id.toStdString()))
            editCluster(tr("Choose %1").arg(text(chosen->name)),
                [&](cluster::Cluster c) { return withAccelerator(std::move(c), group(), *chosen, catalog()); });
    });
    connect(&m_inNode->picker(), &Picker::picked, this, [this](const QString& id) {
        if (const cluster::Link* chosen = catalog().link(id.toStdString()))
            editCluster(tr("Choose %1 in the node").arg(text(chosen->name)),
                [&](cluster::Cluster c) { return withScaleUp(std::move(c), group(), *chosen); });
    });
    connect(&m_between->picker(), &Picker::picked, this, [this](const QString& id) {
        if (const cluster::Link* chosen = catalog().link(id.toStdString()))
            editCluster(tr("Choose %1 between nodes").arg(text(chosen->name)),
                [&](cluster::Cluster c) { return withNic(std::move(c), group(), *chosen); });
    });
}

void ClusterSection::choose(const QString& id)
{
    const std::string key = id.section(u':', 1).toStdString();
    if (id.startsWith(QLatin1String("cluster:"))) {
        if (const catalog::ClusterPreset* chosen = catalog().cluster(key))
            editCluster(
                tr("Choose %1").arg(text(chosen->name)), [&](const cluster::Cluster&) { return chosen->cluster; });
    } else if (const catalog::NodePreset* chosen = catalog().node(key)) {
        editCluster(tr("Choose %1").arg(text(chosen->name)),
            [&](cluster::Cluster c) { return withNode(std::move(c), group(), *chosen); });
    }
}

void ClusterSection::editCluster(
    const QString& actionText, const std::function<cluster::Cluster(cluster::Cluster)>& change)
{
    edit(actionText, [&](plan::Plan& p) { p.cluster = change(p.cluster); });
}

std::size_t ClusterSection::group() const
{
    const std::size_t count = plan().cluster.nodes.size();
    const auto chosen = static_cast<std::size_t>(std::max(0, m_group->currentIndex()));
    return count == 0 ? 0 : std::min(chosen, count - 1);
}

QString ClusterSection::clusterName() const
{
    const cluster::Cluster& cluster = plan().cluster;
    if (cluster.nodes.empty())
        return tr("Choose a cluster");
    const auto same = std::ranges::find(catalog().clusters, cluster, &catalog::ClusterPreset::cluster);
    if (same != catalog().clusters.end())
        return text(same->name);
    if (cluster.nodes.size() == 1)
        return QStringLiteral("%1 × %2").arg(
            groupedNumber(cluster.nodes.front().count), text(cluster.nodes.front().name));
    return cluster.name.empty() ? tr("%1 groups of nodes").arg(cluster.nodes.size()) : text(cluster.name);
}

void ClusterSection::refresh()
{
    const cluster::Cluster& cluster = plan().cluster;
    const int chosen = static_cast<int>(group());
    const QSignalBlocker blocker(m_group);
    m_group->clear();
    for (std::size_t i = 0; i < cluster.nodes.size(); ++i) {
        const cluster::NodeGroup& g = cluster.nodes[i];
        m_group->addChoice(QStringLiteral("%1 × %2").arg(groupedNumber(g.count), text(g.name)), static_cast<int>(i));
    }
    m_group->setKey(chosen);
    m_groupRow->setVisible(cluster.nodes.size() > 1);
    const bool any = !cluster.nodes.empty();
    for (QWidget* row : m_nodeRows)
        row->setVisible(any);
    m_empty->setVisible(!any);
    preset().setCurrent({}, clusterName());
    if (!any)
        return;
    const cluster::NodeGroup& g = cluster.nodes[static_cast<std::size_t>(chosen)];
    const auto edited = [](const auto* known, const auto& value) { return known && !(*known == value); };
    const QString name = text(g.accelerator.name);
    m_accelerator->setCurrent(text(g.accelerator.id),
        edited(catalog().accelerator(g.accelerator.id), g.accelerator) ? tr("%1, edited").arg(name) : name);
    m_nodes->setValue(g.count);
    m_perNode->setValue(g.acceleratorsPerNode);
    m_inNode->setLink(g.scaleUp, edited(catalog().link(g.scaleUp.id), g.scaleUp));
    m_between->setLink(g.nic, edited(catalog().link(g.nic.id), g.nic));
    m_nics->setValue(g.nicsPerNode);
    m_domain->setRange(1, std::max(1, g.count * g.acceleratorsPerNode));
    m_domain->setValue(g.scaleUpDomain);
    double peak = 0;
    for (const cluster::NodeGroup& each : cluster.nodes)
        peak += each.accelerator.peak[plan().training.precision].value() * each.acceleratorsPerNode * each.count;
    const QString gpus = groupedNumber(acceleratorCount(cluster));
    m_total->setValue(peak > 0 ? gpus + QStringLiteral(" · ") + text(format(FlopsPerSecond(peak))) : gpus);
}

} // namespace stratoplan::widgets
