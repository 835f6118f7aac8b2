// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/topology/canvas_clipboard.h"

#include "core/exchange/cluster_part.h"
#include "widgets/topology/topology_scene.h"
#include "widgets/topology/topology_text.h"

#include <QClipboard>
#include <QGuiApplication>

namespace stratoplan::widgets {

tl::expected<CanvasValue, QString> partOfText(const catalog::Catalog& catalog, const QString& text)
{
    if (!text.trimmed().startsWith(QLatin1Char('{')))
        return tl::unexpected(
            CanvasClipboard::tr("The clipboard holds no elements of a cluster: copy some on this canvas, or on that of "
                                "another window, first."));
    auto part = exchange::parseClusterPart(text.toStdString(), catalog);
    if (!part)
        return tl::unexpected(CanvasClipboard::tr("The clipboard holds no elements of a cluster: %1.")
                                  .arg(fromText(describe(part.error().front()))));
    if (part->cluster.nodes.empty() && part->cluster.switches.empty())
        return tl::unexpected(
            CanvasClipboard::tr("The clipboard holds a cluster without nodes or switches: there is nothing to paste."));
    return CanvasValue{std::move(part->cluster), std::move(part->canvas)};
}

CanvasClipboard::CanvasClipboard(const catalog::Catalog& catalog, TopologyScene& scene, QObject* parent)
    : QObject(parent)
    , m_catalog(catalog)
    , m_scene(scene)
{
}

CanvasValue CanvasClipboard::shown() const
{
    return {m_scene.value().cluster, m_scene.currentPositions()};
}

void CanvasClipboard::copy() const
{
    const CanvasValue part = copiedPart(shown(), m_scene.selectedKeys());
    if (!elementIds(part.cluster).empty())
        QGuiApplication::clipboard()->setText(fromText(exchange::writeClusterPart({part.cluster, part.positions})));
}

void CanvasClipboard::cut()
{
    if (const auto edit = cutElements(m_scene.value(), m_scene.selectedKeys())) {
        copy();
        Q_EMIT edited(*edit);
    }
}

void CanvasClipboard::duplicate()
{
    const CanvasValue now = shown();
    insert(copiedPart(now, m_scene.selectedKeys()), duplicatedElements(now, m_scene.selectedKeys()));
}

void CanvasClipboard::paste()
{
    if (const auto part = partOfText(m_catalog, QGuiApplication::clipboard()->text()))
        insert(*part, pastedPart(shown(), *part));
    else
        Q_EMIT refused(part.error());
}

void CanvasClipboard::insert(const CanvasValue& part, const std::optional<CanvasEdit>& edit)
{
    const cluster::Cluster& there = m_scene.value().cluster;
    if (there.nodes.size() + part.cluster.nodes.size() > exchange::kMostGroups
        || there.switches.size() + part.cluster.switches.size() > exchange::kMostGroups)
        Q_EMIT refused(
            tr("A cluster has at most %1 groups of nodes and as many of switches: make groups larger instead.")
                .arg(groupedNumber(qint64(exchange::kMostGroups))));
    else if (there.connections.size() + part.cluster.connections.size() > exchange::kMostConnections)
        Q_EMIT refused(tr("A cluster has at most %1 links between its groups: make links of more cables instead.")
                           .arg(groupedNumber(qint64(exchange::kMostConnections))));
    else if (edit)
        Q_EMIT edited(*edit);
}

} // namespace stratoplan::widgets
