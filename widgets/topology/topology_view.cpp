// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/topology/topology_view.h"

#include "widgets/style/theme.h"
#include "widgets/topology/canvas_overlay.h"
#include "widgets/topology/preset_key.h"
#include "widgets/topology/topology_accessible.h"
#include "widgets/topology/topology_text.h"

#include <QPainter>
#include <QResizeEvent>
#include <QScrollBar>

#include <algorithm>
#include <cmath>

namespace stratoplan {

namespace {

constexpr double kLeastZoom = 0.04;
constexpr double kMostZoom = 4;
constexpr double kFitZoom = 1.25;
constexpr int kMargin = 40;
constexpr int kTopMargin = 64; ///< the tool bar stands there
constexpr int kBottomMargin = 60; ///< the legend stands there

} // namespace

TopologyView::TopologyView(const Catalog& catalog, QWidget* parent)
    : QGraphicsView(parent)
    , m_catalog(&catalog)
    , m_scene(new TopologyScene(this))
{
    m_scene->setCatalog(catalog);
    setScene(m_scene);
    setAccessibleName(tr("Cluster canvas"));
    setAccessibleDescription(
        tr("Tab walks over elements and links, arrow keys move, Enter edits, L links, Delete removes"));
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setTransformationAnchor(QGraphicsView::NoAnchor);
    setResizeAnchor(QGraphicsView::AnchorViewCenter);
    setDragMode(QGraphicsView::RubberBandDrag);
    setRubberBandSelectionMode(Qt::IntersectsItemShape);
    setFocusPolicy(Qt::StrongFocus);
    setAcceptDrops(true);
    setMinimumSize(240, 180);
    viewport()->setMouseTracking(true);
    installTopologyAccessibility();
    createActions();
    createOverlays();
    connect(m_scene, &QGraphicsScene::selectionChanged, this, [this] {
        const QStringList keys = selection();
        m_delete->setEnabled(!keys.isEmpty());
        m_duplicate->setEnabled(!keys.isEmpty());
        Q_EMIT selectionChanged(keys);
    });
    setCluster({}, {});
}

TopologyView::~TopologyView()
{
    // The scene dies after this class's part of the object; nothing of it may report here any more.
    m_scene->disconnect(this);
}

void TopologyView::setCluster(const Cluster& cluster, const CanvasPositions& positions)
{
    CanvasValue next{cluster, completed(cluster, positions)};
    if (m_revision > 0 && next == m_value)
        return; // something else of the plan was edited: what is in hand here stays
    ++m_revision;
    const auto before = elementIds(m_value.cluster);
    const std::string shownName = m_value.cluster.name;
    m_value = std::move(next);
    const bool anew = cluster.name != shownName || std::none_of(before.begin(), before.end(), [this](const auto& id) {
        return m_value.positions.contains(id);
    });
    clearLink();
    m_nudged = false;
    m_scene->setValue(m_value);
    m_legend->setConnections(m_value.cluster.connections);
    const QRectF content = m_scene->contentRect();
    constexpr double kRoom = 4000; // to pan beyond what is there
    setSceneRect(content.adjusted(-kRoom, -kRoom, kRoom, kRoom));
    if (anew)
        fit();
    if (!m_selectAfter.isEmpty())
        m_scene->select(std::exchange(m_selectAfter, {}));
    updateEmptyState();
    layoutOverlays();
}

void TopologyView::propose(const CanvasValue& next, const QString& text, const QStringList& selectAfter)
{
    const quint64 revision = m_revision;
    m_selectAfter = selectAfter;
    Q_EMIT clusterEdited(next.cluster, next.positions, text);
    if (m_revision == revision) {
        // Nobody took the edit: show what still holds.
        m_selectAfter.clear();
        m_scene->setValue(m_value);
    }
}

QString TopologyView::namesOf(const QStringList& keys) const
{
    if (keys.size() != 1)
        return tr("%1 elements").arg(keys.size());
    const std::string key = keys.constFirst().toStdString();
    if (elementKind(m_value.cluster, key) != ElementKind::None)
        return fromText(elementName(m_value.cluster, key));
    return tr("link");
}

Link TopologyView::fallbackLink() const
{
    const auto& links = m_catalog->links;
    const auto it =
        std::find_if(links.rbegin(), links.rend(), [](const Link& l) { return l.kind == LinkKind::InfiniBand; });
    return it == links.rend() ? Link{} : *it;
}

void TopologyView::commitMoves()
{
    CanvasValue next = m_value;
    next.positions = m_scene->currentPositions();
    QStringList moved;
    for (const auto& [id, at] : next.positions) {
        const auto old = m_value.positions.find(id);
        if (old == m_value.positions.end() || !(old->second == at))
            moved << fromText(id);
    }
    if (!moved.isEmpty())
        propose(next, tr("Move %1").arg(namesOf(moved)), {});
}

QStringList TopologyView::selection() const
{
    return m_scene->selectedKeys();
}

void TopologyView::setSelection(const QStringList& keys)
{
    if (keys != selection())
        m_scene->select(keys);
}

void TopologyView::showElement(const QString& key)
{
    setSelection({key});
    if (const QGraphicsItem* item = m_scene->item(key)) {
        m_autoFit = false;
        if (detailLevel(zoom()) != DetailLevel::Full) {
            applyZoom(1); // near enough to read it
            centerOn(item);
        }
        ensureVisible(item->sceneBoundingRect(), kMargin, kTopMargin);
        viewChanged();
    }
}

void TopologyView::placePreset(const QString& key)
{
    armPreset({}); // the first click of a double click armed it
    placePresetAt(key, mapToScene(viewport()->rect().center()));
}

void TopologyView::placePresetAt(const QString& text, const QPointF& scenePosition)
{
    const PresetKey key = presetKey(*m_catalog, text);
    const QString name = presetName(*m_catalog, key);
    CanvasValue next = m_value;
    std::string id;
    switch (key.kind) {
    case PresetKind::None:
        return;
    case PresetKind::Cluster:
        next.cluster = m_catalog->cluster(key.id)->cluster;
        next.positions = autoLayout(next.cluster);
        m_autoFit = true;
        propose(next, tr("Use cluster %1").arg(name), {});
        fit();
        return;
    case PresetKind::Node: {
        NodeGroup group = m_catalog->node(key.id)->node;
        if (group.id.empty())
            group.id = key.id;
        if (group.name.empty())
            group.name = name.toStdString();
        id = addNodes(next.cluster, group);
        break;
    }
    case PresetKind::Switch:
        for (const SwitchPreset& preset : switchPresets()) {
            if (preset.id == key.id)
                id = addSwitches(next.cluster, preset);
        }
        break;
    }
    const CanvasPosition wish{scenePosition.x(), scenePosition.y()};
    next.positions[id] = freePlace(m_value.cluster, m_value.positions, elementKind(next.cluster, id), wish);
    const bool first = m_value.positions.empty();
    propose(next, tr("Add %1").arg(name), {fromText(id)});
    if (const ElementItem* placed = m_scene->element(id); placed && !first)
        ensureVisible(placed->sceneBoundingRect(), kMargin, kTopMargin);
}

void TopologyView::removeSelection()
{
    const QStringList keys = selection();
    CanvasValue next = m_value;
    std::vector<std::string> gone;
    for (const QString& key : keys)
        gone.push_back(key.toStdString());
    if (removeElements(next, gone))
        propose(next, tr("Delete %1").arg(namesOf(keys)), {});
}

void TopologyView::duplicateSelection()
{
    QStringList sources;
    std::vector<std::string> ids;
    QRectF bounds;
    for (const QString& key : selection()) {
        if (const ElementItem* e = m_scene->element(key.toStdString())) {
            sources << key;
            ids.push_back(e->id());
            bounds |= e->sceneCard();
        }
    }
    if (ids.empty())
        return;
    // Aside, by the width of what is copied, so that nothing is covered; further if something stands there.
    CanvasPosition offset = snapped({bounds.width() + 6 * kCanvasGrid, 0});
    const auto blocked = [&](double dx) {
        return std::any_of(ids.begin(), ids.end(), [&](const std::string& id) {
            const QRectF target = m_scene->element(id)->sceneCard().translated(dx, 0).adjusted(-8, -8, 8, 8);
            return std::any_of(m_value.positions.begin(), m_value.positions.end(),
                [&](const auto& entry) { return m_scene->element(entry.first)->sceneCard().intersects(target); });
        });
    };
    double dx = offset.x;
    for (int tries = 0; tries < 64 && blocked(dx); ++tries)
        dx += offset.x;
    CanvasValue next = m_value;
    QStringList created;
    for (const std::string& id : duplicateElements(next, ids, {dx, 0}))
        created << fromText(id);
    propose(next, tr("Duplicate %1").arg(namesOf(sources)), created);
}

void TopologyView::setSelectionCount(int count)
{
    CanvasValue next = m_value;
    QStringList changed;
    for (const QString& key : selection()) {
        if (setElementCount(next.cluster, key.toStdString(), count))
            changed << key;
    }
    if (!changed.isEmpty())
        propose(next, tr("Make %1 of %2").arg(groupedNumber(count), namesOf(changed)), {});
}

void TopologyView::tidy()
{
    CanvasValue next = m_value;
    next.positions = autoLayout(next.cluster);
    m_autoFit = true;
    if (next != m_value)
        propose(next, tr("Arrange the cluster"), {});
    fit();
}

double TopologyView::zoom() const
{
    return transform().m11();
}

void TopologyView::setZoom(double zoom)
{
    m_autoFit = false;
    zoomAt(zoom / this->zoom(), QPointF(viewport()->rect().center()));
}

void TopologyView::applyZoom(double zoom)
{
    const double clamped = std::clamp(zoom, kLeastZoom, kMostZoom);
    setTransform(QTransform::fromScale(clamped, clamped));
}

void TopologyView::zoomAt(double factor, const QPointF& viewportPosition)
{
    const QPointF fixed = viewportTransform().inverted().map(viewportPosition);
    applyZoom(zoom() * factor);
    const QPointF shift = viewportTransform().map(fixed) - viewportPosition;
    horizontalScrollBar()->setValue(horizontalScrollBar()->value() + static_cast<int>(std::lround(shift.x())));
    verticalScrollBar()->setValue(verticalScrollBar()->value() + static_cast<int>(std::lround(shift.y())));
    viewChanged();
}

void TopologyView::fit()
{
    m_autoFit = true;
    const QRectF content = m_scene->contentRect();
    if (content.isEmpty()) {
        applyZoom(1);
        centerOn(0, 0);
        viewChanged();
        return;
    }
    const double width = std::max(1, viewport()->width() - 2 * kMargin);
    const int bottom = legendShows() ? kBottomMargin : kMargin;
    const double height = std::max(1, viewport()->height() - kTopMargin - bottom);
    applyZoom(std::min({width / content.width(), height / content.height(), kFitZoom}));
    // The middle of what the tool bar and the legend leave free.
    centerOn(content.center() - QPointF(0, (kTopMargin - bottom) / 2.0 / zoom()));
    viewChanged();
}

void TopologyView::viewChanged()
{
    updateOverlays();
}

void TopologyView::drawBackground(QPainter* painter, const QRectF& rect)
{
    const Tokens& t = currentTokens();
    painter->fillRect(rect, t.surface);
    // Every third grid point; fewer when zoomed out, so that dots never turn into a tint.
    double step = kCanvasGrid * 3;
    while (step * zoom() < 18)
        step *= 2;
    std::vector<QPointF> dots;
    for (double x = std::floor(rect.left() / step) * step; x <= rect.right(); x += step) {
        for (double y = std::floor(rect.top() / step) * step; y <= rect.bottom(); y += step)
            dots.emplace_back(x, y);
    }
    QPen pen(blend(t.frame, t.surface, 0.7), 1.6);
    pen.setCosmetic(true);
    pen.setCapStyle(Qt::RoundCap);
    painter->setPen(pen);
    painter->drawPoints(dots.data(), static_cast<int>(dots.size()));
}

void TopologyView::resizeEvent(QResizeEvent* event)
{
    QGraphicsView::resizeEvent(event);
    if (m_autoFit)
        fit();
    layoutOverlays();
}

void TopologyView::scrollContentsBy(int dx, int dy)
{
    QGraphicsView::scrollContentsBy(dx, dy);
    if (m_map)
        viewChanged();
}

void TopologyView::changeEvent(QEvent* event)
{
    QGraphicsView::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::StyleChange) {
        viewport()->update();
    } else if (event->type() == QEvent::FontChange && m_legend) {
        m_scene->setValue(m_value); // labels are measured in the font
        layoutOverlays();
    }
}

} // namespace stratoplan
