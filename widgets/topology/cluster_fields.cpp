// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/topology/cluster_fields.h"

#include "core/catalog/accelerator_links.h"
#include "core/cluster/cluster_edits.h"
#include "widgets/panels/link_field.h"
#include "widgets/panels/plan_edits.h"
#include "widgets/panels/torus_field.h"
#include "widgets/presentation/translate.h"
#include "widgets/topology/topology_text.h"

#include <algorithm>
#include <unordered_map>

namespace stratoplan::widgets {

namespace {

using Write = std::function<void(const catalog::Catalog&, cluster::Cluster&, std::size_t, const QVariant&)>;

constexpr double kLeastRate = 1e3; ///< bytes per second
constexpr double kMostRate = 1e15;

template <class Group, class Cluster>
auto& groupsOf(Cluster& cluster)
{
    if constexpr (std::is_same_v<Group, cluster::NodeGroup>)
        return cluster.nodes;
    else if constexpr (std::is_same_v<Group, cluster::SwitchGroup>)
        return cluster.switches;
    else
        return cluster.connections;
}

QVariant plain(const std::string& text)
{
    return fromText(text);
}
QVariant plain(int value)
{
    return value;
}
QVariant plain(bool value)
{
    return value;
}
QVariant plain(cluster::SwitchTier tier)
{
    return static_cast<int>(tier);
}
template <class Quantity>
QVariant plain(Quantity quantity)
{
    return quantity.value();
}

/// A field that reads the member; its write is the caller's.
template <class Group, class Value>
ClusterField fieldOf(FieldKind kind, Value Group::*member, const QString& label, const QString& explanation,
    const QString& actionText, Write write)
{
    return {.kind = kind,
        .label = label,
        .explanation = explanation,
        .actionText = actionText,
        .value = [member](
                     const cluster::Cluster& c, std::size_t row) { return plain(groupsOf<Group>(c).at(row).*member); },
        .write = std::move(write)};
}

/// What an edit does is no more than that.
template <class Group, class Value>
Write assigned(Value Group::*member)
{
    return [member](const catalog::Catalog&, cluster::Cluster& c, std::size_t row, const QVariant& value) {
        auto& target = groupsOf<Group>(c).at(row).*member;
        if constexpr (std::is_same_v<Value, int> || std::is_same_v<Value, bool>)
            target = value.value<Value>();
        else
            target = Value(value.toDouble());
    };
}

ClusterField within(ClusterField field, double least, double most)
{
    field.least = least;
    field.most = most;
    return field;
}

template <class Group>
ClusterField nameField()
{
    return fieldOf(FieldKind::Name, &Group::name, tr("Name"),
        tr("What the group is called on the canvas and in reports."), tr("Rename to %1"),
        [](const catalog::Catalog&, cluster::Cluster& c, std::size_t row, const QVariant& name) {
            renameElement(c, groupsOf<Group>(c).at(row).id, name.toString().toStdString());
        });
}

template <class Group>
ClusterField rackField()
{
    ClusterField field = fieldOf(FieldKind::Rack, &Group::rack, tr("Rack"), rackExplanation(), tr("Put into %1"),
        [](const catalog::Catalog&, cluster::Cluster& c, std::size_t row, const QVariant& rack) {
            groupsOf<Group>(c).at(row).rack = rack.toString().toStdString();
        });
    field.offText = tr("Take out of its rack");
    return field;
}

template <class Group>
Write countWrite()
{
    return [](const catalog::Catalog&, cluster::Cluster& c, std::size_t row, const QVariant& count) {
        setElementCount(c, groupsOf<Group>(c).at(row).id, count.toInt());
    };
}

using ReadLink = std::function<const cluster::Link*(const cluster::Cluster&, std::size_t)>;
using PutLink = std::function<void(cluster::Cluster&, std::size_t, std::optional<cluster::Link>)>;

/// Another link of the catalogue, or the same of another bandwidth.
Write linkWrite(const ReadLink& read, const PutLink& put)
{
    return [read, put](const catalog::Catalog& catalog, cluster::Cluster& c, std::size_t row, const QVariant& value) {
        const cluster::Link* old = read(c, row);
        if (value.typeId() == QMetaType::Double) {
            if (!old)
                return;
            cluster::Link link = *old;
            link.bandwidth = BytesPerSecond(value.toDouble());
            put(c, row, link);
        } else if (const cluster::Link* chosen = catalog.link(value.toString().toStdString())) {
            put(c, row, *chosen);
        } else if (value.toString().isEmpty()) {
            put(c, row, std::nullopt);
        }
    };
}

/// Which link it is, and behind it what it carries.
void addLink(std::vector<ClusterField>& fields, ClusterField which, const ReadLink& read, const PutLink& put)
{
    which.kind = FieldKind::Link;
    which.link = read;
    which.least = kLeastRate;
    which.most = kMostRate;
    which.unit = which.isNetwork ? UnitKind::BitRate : UnitKind::Bandwidth;
    which.value = [read](const cluster::Cluster& c, std::size_t row) {
        const cluster::Link* link = read(c, row);
        return QVariant(link ? fromText(link->id) : QString());
    };
    which.write = linkWrite(read, put);
    ClusterField rate = which;
    rate.kind = FieldKind::Amount;
    rate.label = tr("%1: bandwidth").arg(which.label);
    rate.zeroText.clear();
    rate.missing = tr("There is no link to have a bandwidth: choose one first.");
    rate.startsGroup = false;
    rate.value = [read](const cluster::Cluster& c, std::size_t row) {
        const cluster::Link* link = read(c, row);
        return link ? QVariant(link->bandwidth.value()) : QVariant();
    };
    fields.push_back(std::move(which));
    fields.push_back(std::move(rate));
}

ClusterField acceleratorField()
{
    return {.kind = FieldKind::Accelerator,
        .label = tr("Accelerator"),
        .explanation = tr("The GPU, NPU or TPU in each node: its matrix rate, memory and memory bandwidth. A "
                          "scale-up link that was the usual one of the accelerator before becomes that of this one."),
        .actionText = tr("Choose %1"),
        .value = [](const cluster::Cluster& c, std::size_t row) { return plain(c.nodes.at(row).accelerator.id); },
        .write =
            [](const catalog::Catalog& catalog, cluster::Cluster& c, std::size_t row, const QVariant& id) {
                if (const cluster::Accelerator* chosen = catalog.accelerator(id.toString().toStdString()))
                    setAccelerator(c.nodes.at(row), *chosen, catalog);
            },
        .startsGroup = true};
}

ClusterField torusField()
{
    return {.kind = FieldKind::Torus,
        .label = tr("Torus"),
        .explanation =
            tr("How the scale-up link joins a domain: each accelerator to its neighbours along these axes "
               "(TPU, Trainium), or nothing where switches join each to each. The domain has as many as it."),
        .actionText = tr("Make it a torus of %1"),
        .offText = tr("Make it a switched domain"),
        .value =
            [](const cluster::Cluster& c, std::size_t row) {
                QVariantList axes;
                if (const auto& torus = c.nodes.at(row).torus)
                    axes = QVariantList(torus->axes.begin(), torus->axes.end());
                return QVariant(axes);
            },
        .write = [](const catalog::Catalog&, cluster::Cluster& c, std::size_t row,
                     const QVariant& value) { setTorusAxes(c.nodes.at(row), axesOf(value)); }};
}

ClusterField wrapField()
{
    using enum cluster::TorusWrap;
    const auto choice = [](cluster::TorusWrap wrap, const QString& text, const QString& explanation) {
        return FieldChoice{static_cast<int>(wrap), text, explanation};
    };
    return {.kind = FieldKind::Choice,
        .label = tr("Wrap-around"),
        .explanation = tr("Which axes of the torus close into rings, in all of it and in slices of it."),
        .actionText = tr("Close %1"),
        .choices = {choice(EveryAxis, tr("Every axis"), tr("Each axis closes into a ring, of any length.")),
            choice(CubesOf4, tr("Cubes of 4"),
                tr("All axes, where each is a multiple of 4: optical switches close the faces of cubes (TPU v4, "
                   "v5p).")),
            choice(AxesOf16, tr("Axes of 16"), tr("Those of 16: the cables of a whole pod (TPU v5e, v6e).")),
            choice(None, tr("No axis"), tr("A mesh: every axis is open."))},
        .value =
            [](const cluster::Cluster& c, std::size_t row) {
                const auto& torus = c.nodes.at(row).torus;
                return torus ? QVariant(static_cast<int>(torus->wrap)) : QVariant();
            },
        .write =
            [](const catalog::Catalog&, cluster::Cluster& c, std::size_t row, const QVariant& wrap) {
                if (auto& torus = c.nodes.at(row).torus)
                    torus->wrap = static_cast<cluster::TorusWrap>(wrap.toInt());
            },
        .missing = tr("These nodes have no torus: give them one first, such as 4x4x4.")};
}

void addAccelerators(std::vector<ClusterField>& fields)
{
    fields.push_back(acceleratorField());
    fields.push_back(within(fieldOf(FieldKind::Count, &cluster::NodeGroup::acceleratorsPerNode, tr("Per node"),
                                tr("Accelerators in each node."), tr("Make it %1 accelerators per node"),
                                [](const catalog::Catalog&, cluster::Cluster& c, std::size_t row,
                                    const QVariant& value) { c = withAcceleratorsPerNode(c, row, value.toInt()); }),
        1, 4096));
}

void addInside(std::vector<ClusterField>& fields)
{
    addLink(
        fields,
        {.label = tr("Scale-up link"),
            .explanation = tr("What links the accelerators of a node: one direction, per accelerator."),
            .actionText = tr("Scale up over %1")},
        [](const cluster::Cluster& c, std::size_t row) { return &c.nodes.at(row).scaleUp; },
        [](cluster::Cluster& c, std::size_t row, std::optional<cluster::Link> link) {
            if (link)
                c.nodes.at(row).scaleUp = *link;
        });
    fields.push_back(within(
        fieldOf(FieldKind::Count, &cluster::NodeGroup::scaleUpDomain, tr("Domain"),
            tr("Accelerators that reach one another over the scale-up link; more than a node in a rack-scale system."),
            tr("Make it a scale-up domain of %1"),
            [](const catalog::Catalog&, cluster::Cluster& c, std::size_t row, const QVariant& value) {
                setScaleUpDomain(c.nodes.at(row), value.toInt());
            }),
        1, 1'000'000));
    fields.push_back(torusField());
    fields.push_back(wrapField());
    addLink(
        fields,
        {.label = tr("In-node link"),
            .explanation = tr("What joins the scale-up domains of a node, where it has several: one direction, per "
                              "accelerator. Without one they reach one another over the network."),
            .actionText = tr("Join the domains of a node over %1"),
            .zeroText = tr("Over the network")},
        [](const cluster::Cluster& c, std::size_t row) {
            const auto& link = c.nodes.at(row).inNode;
            return link ? &*link : nullptr;
        },
        [](cluster::Cluster& c, std::size_t row, std::optional<cluster::Link> link) {
            c.nodes.at(row).inNode = std::move(link);
        });
}

void addOutside(std::vector<ClusterField>& fields)
{
    addLink(
        fields,
        {.label = tr("Network port"),
            .explanation = tr("One network port of a node, one direction. Cables of these ports follow."),
            .actionText = tr("Network ports: %1"),
            .isNetwork = true,
            .startsGroup = true},
        [](const cluster::Cluster& c, std::size_t row) { return &c.nodes.at(row).nic; },
        [](cluster::Cluster& c, std::size_t row, std::optional<cluster::Link> link) {
            if (link)
                setNic(c, c.nodes.at(row).id, *link);
        });
    fields.push_back(
        within(fieldOf(FieldKind::Count, &cluster::NodeGroup::nicsPerNode, tr("Ports per node"),
                   tr("Network ports of each node. Cables grow and shrink with them."), tr("Make it %1 ports per node"),
                   [](const catalog::Catalog&, cluster::Cluster& c, std::size_t row, const QVariant& value) {
                       setNicsPerNode(c, c.nodes.at(row).id, value.toInt());
                   }),
            1, 1024));
    fields.back().isPorts = true;
}

/// What offload needs to know; nobody has to state it otherwise.
void addHost(std::vector<ClusterField>& fields)
{
    const auto add = [&](UnitKind unit, auto member, const QString& label, const QString& explanation,
                         const QString& actionText) {
        ClusterField field =
            within(fieldOf(FieldKind::Amount, member, label, explanation, actionText, assigned(member)), 0, 1e18);
        field.unit = unit;
        field.zeroText = tr("not stated");
        field.startsGroup = unit == UnitKind::Memory;
        fields.push_back(std::move(field));
    };
    add(UnitKind::Memory, &cluster::NodeGroup::hostMemory, tr("Host memory"),
        tr("Memory of each node's processors: where activations and optimizer states wait that are offloaded."),
        tr("Make it %1 of host memory"));
    add(UnitKind::Bandwidth, &cluster::NodeGroup::hostMemoryBandwidth, tr("Host bandwidth"),
        tr("Of the memory of one node's processors: an optimizer on the host is as fast as it reads there."),
        tr("Make it %1 of host bandwidth"));
    add(UnitKind::Bandwidth, &cluster::NodeGroup::hostLink, tr("Host link"),
        tr("Of each accelerator to host memory while all of the node transfer, sustained, in each direction."),
        tr("Make the host link %1"));
}

std::vector<ClusterField> nodeFields()
{
    std::vector<ClusterField> fields{nameField<cluster::NodeGroup>(),
        within(fieldOf(FieldKind::Count, &cluster::NodeGroup::count, tr("Nodes"),
                   tr("How many of these nodes. Their cables grow and shrink with them."), tr("Make it %1 nodes"),
                   countWrite<cluster::NodeGroup>()),
            1, 1'000'000),
        rackField<cluster::NodeGroup>()};
    addAccelerators(fields);
    addInside(fields);
    addOutside(fields);
    addHost(fields);
    return fields;
}

void addStructure(std::vector<ClusterField>& fields)
{
    fields.push_back(fieldOf(FieldKind::Choice, &cluster::SwitchGroup::tier, tr("Tier"),
        tr("Nodes link to leaf switches, those to the spine, and the spine to the core."), tr("Move to the %1 tier"),
        [](const catalog::Catalog&, cluster::Cluster& c, std::size_t row, const QVariant& tier) {
            setTier(c, c.switches.at(row).id, static_cast<cluster::SwitchTier>(tier.toInt()));
        }));
    for (const cluster::SwitchTier tier :
        {cluster::SwitchTier::Leaf, cluster::SwitchTier::Spine, cluster::SwitchTier::Core})
        fields.back().choices.push_back({static_cast<int>(tier), tierName(tier)});
    fields.push_back(within(
        fieldOf(FieldKind::Count, &cluster::SwitchGroup::blocks, tr("Blocks"),
            tr("Blocks of these switches, each of which serves nodes, or switches below, of its own. Leaves in fewer "
               "blocks than switches are rails: every node has cables to each leaf of its block. Spines in blocks are "
               "pods. 0: each leaf by itself, all other switches together."),
            tr("Arrange in %1 blocks"), assigned(&cluster::SwitchGroup::blocks)),
        0, 1'000'000));
    fields.push_back(fieldOf(FieldKind::Toggle, &cluster::SwitchGroup::reduces, tr("In-network reduction"),
        tr("The switches sum up what passes them, and the stack lets them (SHARP, with NCCL_COLLNET_ENABLE=1). An "
           "all-reduce between nodes is priced so where all switches of the network do and it is faster; each group is "
           "taken to have an aggregation tree of its own."),
        tr("Reduce in the switches"), assigned(&cluster::SwitchGroup::reduces)));
    fields.back().offText = tr("Do not reduce in the switches");
}

std::vector<ClusterField> switchFields()
{
    std::vector<ClusterField> fields{nameField<cluster::SwitchGroup>(),
        within(fieldOf(FieldKind::Count, &cluster::SwitchGroup::count, tr("Switches"),
                   tr("How many of these switches. Their uplinks grow and shrink with them."),
                   tr("Make it %1 switches"), countWrite<cluster::SwitchGroup>()),
            1, 1'000'000),
        within(fieldOf(FieldKind::Count, &cluster::SwitchGroup::ports, tr("Ports each"),
                   tr("Ports of one switch, up and down together."), tr("Make it %1 ports"),
                   assigned(&cluster::SwitchGroup::ports)),
            1, cluster::kMostPorts)};
    fields.back().isPorts = true;
    fields.push_back(rackField<cluster::SwitchGroup>());
    addStructure(fields);
    return fields;
}

std::vector<ClusterField> linkFields()
{
    const auto end = [](std::string cluster::Connection::*member, const QString& label, const QString& explanation) {
        return fieldOf(FieldKind::End, member, label, explanation, tr("Link to %1"),
            [isLower = member == &cluster::Connection::from](const catalog::Catalog&, cluster::Cluster& c,
                std::size_t row, const QVariant& id) { moveEnd(c, row, isLower, id.toString().toStdString()); });
    };
    std::vector<ClusterField> fields{end(&cluster::Connection::from, tr("From"), tr("The element at the lower end.")),
        end(&cluster::Connection::to, tr("To"), tr("The element at the upper end."))};
    addLink(
        fields,
        {.label = tr("Link"),
            .explanation = tr("Kind and bandwidth of one cable, one direction."),
            .actionText = tr("Cable it with %1"),
            .isNetwork = true},
        [](const cluster::Cluster& c, std::size_t row) { return &c.connections.at(row).link; },
        [](cluster::Cluster& c, std::size_t row, std::optional<cluster::Link> link) {
            if (link)
                c.connections.at(row).link = *link;
        });
    fields.push_back(within(fieldOf(FieldKind::Count, &cluster::Connection::cables, tr("Cables"),
                                tr("Cables in all, spread evenly over both groups: no more than either has ports."),
                                tr("Make it %1 cables"), assigned(&cluster::Connection::cables)),
        1, 100'000'000));
    fields.push_back({.kind = FieldKind::Total,
        .label = tr("In all"),
        .explanation = tr("Bandwidth of all cables together, each direction."),
        .value = [](const cluster::Cluster& c, std::size_t row) {
            return QVariant(totalBandwidthText(c.connections.at(row)));
        }});
    return fields;
}

} // namespace

const ClusterField& clusterNameField()
{
    static const ClusterField field{.kind = FieldKind::Name,
        .label = tr("Name"),
        .explanation = tr("What the cluster is called in the plan and in reports."),
        .actionText = tr("Rename the cluster to %1"),
        .value = [](const cluster::Cluster& c, std::size_t) { return plain(c.name); },
        .write = [](const catalog::Catalog&, cluster::Cluster& c, std::size_t,
                     const QVariant& name) { c.name = name.toString().toStdString(); }};
    return field;
}

std::vector<int> axesOf(const QVariant& value)
{
    std::vector<int> axes;
    for (const QVariant& axis : value.toList())
        axes.push_back(axis.toInt());
    return axes;
}

std::size_t rowCount(const cluster::Cluster& cluster, RowKind kind)
{
    return kind == RowKind::Nodes   ? cluster.nodes.size()
        : kind == RowKind::Switches ? cluster.switches.size()
                                    : cluster.connections.size();
}

std::vector<std::string> rowKeys(const cluster::Cluster& cluster, RowKind kind)
{
    if (kind == RowKind::Links)
        return connectionKeys(cluster);
    const std::vector<std::string> ids = elementIds(cluster);
    const auto firstSwitch = ids.begin() + static_cast<std::ptrdiff_t>(cluster.nodes.size());
    return kind == RowKind::Nodes ? std::vector(ids.begin(), firstSwitch) : std::vector(firstSwitch, ids.end());
}

std::vector<std::size_t> rowsOf(const cluster::Cluster& cluster, RowKind kind, const std::vector<std::string>& keys)
{
    std::unordered_map<std::string, std::size_t> places;
    for (std::string& key : rowKeys(cluster, kind))
        places.emplace(std::move(key), places.size());
    std::vector<std::size_t> rows;
    for (const std::string& key : keys) {
        if (const auto place = places.find(key); place != places.end())
            rows.push_back(place->second);
    }
    return rows;
}

const std::vector<ClusterField>& clusterFields(RowKind kind)
{
    static const std::vector<ClusterField> nodes = nodeFields();
    static const std::vector<ClusterField> switches = switchFields();
    static const std::vector<ClusterField> links = linkFields();
    return kind == RowKind::Nodes ? nodes : kind == RowKind::Switches ? switches : links;
}

QString valueText(const ClusterField& field, const QVariant& value)
{
    switch (field.kind) {
    case FieldKind::Count:
        return groupedNumber(value.toInt());
    case FieldKind::Amount:
        return value.toDouble() == 0 && !field.zeroText.isEmpty() ? field.zeroText
                                                                  : unitText(field.unit, value.toDouble());
    case FieldKind::Choice: {
        const auto choice = std::ranges::find(field.choices, value.toInt(), &FieldChoice::value);
        return choice == field.choices.end() ? QString() : choice->text;
    }
    case FieldKind::Toggle:
        return value.toBool() ? tr("on") : tr("off");
    case FieldKind::Torus:
        return axesText(axesOf(value));
    default:
        return value.toString();
    }
}

QString fieldText(
    const ClusterField& field, const catalog::Catalog& catalog, const cluster::Cluster& cluster, std::size_t row)
{
    const QVariant value = field.value(cluster, row);
    if (!value.isValid())
        return {};
    if (field.kind == FieldKind::Accelerator)
        return fromText(cluster.nodes.at(row).accelerator.name);
    if (field.kind == FieldKind::End)
        return fromText(elementName(cluster, value.toString().toStdString()));
    if (field.kind != FieldKind::Link)
        return valueText(field, value);
    const cluster::Link* link = field.link(cluster, row);
    if (!link)
        return field.zeroText;
    const QString name = shortLinkName(fromText(link->name));
    return isEdited(catalog, *link) ? name + kEditedMark : name;
}

QString editText(const ClusterField& field, const catalog::Catalog& catalog, const QVariant& value)
{
    const std::string id = value.toString().toStdString();
    switch (field.kind) {
    case FieldKind::Toggle:
        return value.toBool() ? field.actionText : field.offText;
    case FieldKind::Rack:
        return value.toString().isEmpty() ? field.offText : field.actionText.arg(value.toString());
    case FieldKind::Torus:
        return value.toList().isEmpty() ? field.offText : field.actionText.arg(valueText(field, value));
    case FieldKind::Choice:
        return field.actionText.arg(valueText(field, value).toLower());
    case FieldKind::Accelerator: {
        const cluster::Accelerator* chosen = catalog.accelerator(id);
        return field.actionText.arg(chosen ? fromText(chosen->name) : value.toString());
    }
    case FieldKind::Link: {
        if (value.typeId() == QMetaType::Double)
            return field.actionText.arg(unitText(field.unit, value.toDouble()));
        const cluster::Link* chosen = catalog.link(id);
        return field.actionText.arg(chosen ? fromText(chosen->name) : tr("the network"));
    }
    case FieldKind::Amount:
        return field.actionText.arg(unitText(field.unit, value.toDouble()));
    default:
        return field.actionText.arg(valueText(field, value));
    }
}

bool isSame(const ClusterField& field, const cluster::Cluster& cluster, std::size_t row, std::size_t other)
{
    if (field.kind == FieldKind::Accelerator)
        return cluster.nodes.at(row).accelerator == cluster.nodes.at(other).accelerator;
    if (field.kind != FieldKind::Link)
        return field.value(cluster, row) == field.value(cluster, other);
    const cluster::Link* const link = field.link(cluster, row);
    const cluster::Link* const compared = field.link(cluster, other);
    return link && compared ? *link == *compared : link == compared;
}

bool isEdited(const catalog::Catalog& catalog, const cluster::Link& link)
{
    const cluster::Link* known = catalog.link(link.id);
    return known && !(*known == link);
}

QString rackExplanation()
{
    return tr("The rack, pod or other group that it stands in, drawn as a frame around all that name the same; empty: "
              "none. On the canvas, cards are dragged into it and out of it. Nothing is priced by it.");
}

QString keptName(const QString& typed)
{
    return typed.simplified();
}

} // namespace stratoplan::widgets
