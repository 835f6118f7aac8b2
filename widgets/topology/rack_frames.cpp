// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/topology/rack_frames.h"

#include "widgets/topology/plan_overlays.h"
#include "widgets/topology/rack_layout.h"
#include "widgets/topology/topology_scene.h"
#include "widgets/topology/topology_text.h"

#include <QSet>

#include <algorithm>

namespace stratoplan::widgets {

namespace {

/// Nodes with their accelerators; switches, where there are no nodes.
QStringList rackParts(long long nodes, long long accelerators, long long switches)
{
    if (nodes == 0)
        return {
            switches == 1 ? RackFrames::tr("1 switch") : RackFrames::tr("%1 switches").arg(groupedNumber(switches))};
    return {nodes == 1 ? RackFrames::tr("1 node") : RackFrames::tr("%1 nodes").arg(groupedNumber(nodes)),
        accelerators == 1 ? RackFrames::tr("1 accelerator")
                          : RackFrames::tr("%1 accelerators").arg(groupedNumber(accelerators))};
}

void addShare(std::vector<RackContent::Share>& shares, int colour, double accelerators)
{
    const auto same = std::ranges::find(shares, colour, &RackContent::Share::colour);
    if (same != shares.end())
        same->accelerators += accelerators;
    else if (accelerators > 0)
        shares.push_back({colour, accelerators});
}

RackContent contentOf(const TopologyScene& scene, const Rack& rack)
{
    RackContent content;
    content.name = fromText(rack.name);
    long long nodes = 0, accelerators = 0, switches = 0;
    for (const std::string& id : rack.elements) {
        const CardContent& card = scene.element(id)->content();
        if (card.kind == ElementKind::Nodes) {
            nodes += card.count;
            accelerators += static_cast<long long>(card.count) * card.accelerators;
            addShare(content.shares, card.colour, double(card.count) * card.accelerators);
        } else {
            switches += card.count;
        }
        if (card.issue && (!content.issue || *card.issue < *content.issue))
            content.issue = card.issue;
    }
    content.parts = rackParts(nodes, accelerators, switches);
    return content;
}

} // namespace

RackFrames::RackFrames(TopologyScene& scene)
    : QObject(&scene)
    , m_scene(scene)
{
    connect(&scene.overlays(), &PlanOverlays::changed, this, &RackFrames::showView);
}

void RackFrames::apply()
{
    const bool wasPreview = !m_moves.empty();
    m_moves.clear();
    show(m_scene.value().cluster);
    if (wasPreview)
        Q_EMIT movesChanged();
}

void RackFrames::preview(RackMoves moves)
{
    if (moves == m_moves)
        return;
    m_moves = std::move(moves);
    cluster::Cluster cluster = m_scene.value().cluster;
    setRacks(cluster, m_moves);
    show(cluster);
    showSelection();
    Q_EMIT movesChanged();
}

void RackFrames::show(const cluster::Cluster& cluster)
{
    std::map<std::string, RackFrame*> kept;
    m_frameOf.clear();
    const auto isTarget = [this](const std::string& rack) {
        return std::ranges::any_of(m_moves, [&rack](const auto& move) { return move.second == rack; });
    };
    for (Rack& rack : racksOf(cluster)) {
        RackFrame* shown = frame(rack.name);
        if (!shown) {
            shown = new RackFrame(*this);
            m_scene.addItem(shown);
            m_scene.addItem(&shown->titleItem());
        }
        shown->setContent(contentOf(m_scene, rack));
        shown->setTarget(isTarget(rack.name));
        for (const std::string& id : rack.elements)
            m_frameOf[id] = shown;
        kept[rack.name] = shown;
        m_frames.erase(rack.name);
        shown->setElements(std::move(rack.elements));
        fit(*shown);
    }
    for (const auto& [name, gone] : m_frames) {
        delete &gone->titleItem();
        delete gone;
    }
    m_frames = std::move(kept);
    showView();
}

void RackFrames::follow(const std::set<std::string>& ids)
{
    std::set<RackFrame*> moved;
    for (const std::string& id : ids) {
        if (const auto found = m_frameOf.find(id); found != m_frameOf.end())
            moved.insert(found->second);
    }
    for (RackFrame* each : moved)
        fit(*each);
}

void RackFrames::fit(RackFrame& frame) const
{
    QRectF cards;
    for (const std::string& id : frame.elements())
        cards |= m_scene.element(id)->sceneCard();
    frame.setFrame(rackFrame(cards));
}

void RackFrames::showSelection()
{
    for (const auto& [name, each] : m_frames) {
        const auto& ids = each->elements();
        const auto isSelected = [this](const std::string& id) { return m_scene.element(id)->isSelected(); };
        const bool any = std::ranges::any_of(ids, isSelected);
        each->setChosen(!any                           ? RackFrame::Chosen::None
                : std::ranges::all_of(ids, isSelected) ? RackFrame::Chosen::All
                                                       : RackFrame::Chosen::Some);
    }
}

void RackFrames::setZoom(double zoom)
{
    if (zoom == m_zoom)
        return;
    m_zoom = zoom;
    showView();
}

void RackFrames::setKeepsOpen(bool keeps)
{
    m_keepsOpen = keeps;
    showView();
}

/// Colours of ranks are to be seen from far away, too.
void RackFrames::showView()
{
    const bool arePlates =
        detailLevel(m_zoom) == DetailLevel::Block && m_scene.overlays().places() == 0 && !m_keepsOpen;
    for (const auto& [name, each] : m_frames)
        each->setView(m_zoom, arePlates);
}

RackFrame* RackFrames::frame(const std::string& rack) const
{
    const auto found = m_frames.find(rack);
    return found == m_frames.end() ? nullptr : found->second;
}

RackFrame* RackFrames::frameAt(const QPointF& scenePosition) const
{
    const QList<QGraphicsItem*> under = m_scene.items(scenePosition);
    return under.isEmpty() ? nullptr : RackFrame::shownBy(*under.constFirst());
}

std::vector<QRectF> RackFrames::titleStrips() const
{
    std::vector<QRectF> strips;
    for (const auto& [name, each] : m_frames)
        strips.push_back(titleStrip(each->frame()));
    return strips;
}

QRectF RackFrames::bounds() const
{
    QRectF all;
    for (const auto& [name, each] : m_frames)
        all |= each->frame();
    return all;
}

void RackFrames::select(const RackFrame& frame, Selecting how)
{
    QStringList elements;
    for (const std::string& id : frame.elements())
        elements << fromText(id);
    QStringList keys = how == Selecting::Only ? QStringList() : m_scene.selectedKeys();
    keys.removeIf(
        [all = QSet<QString>(elements.begin(), elements.end())](const QString& key) { return all.contains(key); });
    m_scene.select(how == Selecting::Remove ? keys : keys + elements);
}

} // namespace stratoplan::widgets
