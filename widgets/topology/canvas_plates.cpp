// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/topology/canvas_plates.h"

#include "widgets/style/icons.h"
#include "widgets/style/theme.h"
#include "widgets/topology/plan_overlays.h"
#include "widgets/topology/rack_edits.h"
#include "widgets/topology/rack_frames.h"
#include "widgets/topology/rank_legend.h"
#include "widgets/topology/topology_scene.h"

#include <QBoxLayout>
#include <QEvent>
#include <QLabel>
#include <QToolButton>

#include <algorithm>
#include <cmath>

namespace stratoplan::widgets {

namespace {

constexpr int kOverlayMargin = 12;
constexpr int kBetweenLegends = 8;
constexpr int kRoomyWidth = 480; ///< smaller canvases show no map and no legend
constexpr int kRoomyHeight = 400;

/// What an empty canvas says: a picture of the first step, what to do, and another way.
class EmptyState final : public QWidget {
public:
    explicit EmptyState(QWidget* parent)
        : QWidget(parent)
    {
        setAttribute(Qt::WA_TransparentForMouseEvents);
        auto* column = new QVBoxLayout(this);
        column->setSpacing(8);
        auto* picture = new QLabel(this);
        picture->setPixmap(icon(QStringLiteral("cluster")).pixmap(QSize(48, 48)));
        picture->setAlignment(Qt::AlignCenter);
        m_picture = picture;
        auto* title = new QLabel(CanvasPlate::tr("Drag a node from the palette"), this);
        setTextRole(*title, TextRole::Title);
        title->setAlignment(Qt::AlignCenter);
        auto* more = new QLabel(
            CanvasPlate::tr("or choose a preset cluster there. Link nodes to switches with the link tool (L)."), this);
        setTextRole(*more, TextRole::Secondary);
        more->setAlignment(Qt::AlignCenter);
        more->setWordWrap(true);
        column->addStretch();
        column->addWidget(picture);
        column->addWidget(title);
        column->addWidget(more);
        column->addStretch();
        setAccessibleName(title->text() + QLatin1Char(' ') + more->text());
    }

protected:
    void changeEvent(QEvent* event) override
    {
        if (event->type() == QEvent::PaletteChange)
            m_picture->setPixmap(icon(QStringLiteral("cluster")).pixmap(QSize(48, 48)));
        QWidget::changeEvent(event);
    }

private:
    QLabel* m_picture = nullptr;
};

} // namespace

CanvasPlates::CanvasPlates(QWidget& canvas, const TopologyScene& scene)
    : m_canvas(canvas)
    , m_scene(scene)
    , m_overlays(scene.overlays())
    , m_empty(new EmptyState(&canvas))
    , m_legend(new CanvasLegend(&canvas))
    , m_rankLegend(new RankLegend(&canvas))
    , m_map(new CanvasMap(&canvas))
    , m_hint(new CanvasHint(&canvas))
    , m_toolBar(new CanvasToolBar(&canvas))
{
    QObject::connect(&m_overlays, &PlanOverlays::changed, m_toolBar, [this] { showOverlays(); });
    QObject::connect(&scene.racks(), &RackFrames::movesChanged, m_toolBar, [this] { showHint(); });
}

void CanvasPlates::setZoomMenu(QMenu* menu)
{
    m_zoomButton = m_toolBar->addMenu(menu, CanvasToolBar::tr("Zoom"), CanvasToolBar::tr("Zoom: wheel, + and −"));
    m_zoomButton->setText(QStringLiteral("1000 %"));
    m_zoomButton->setFixedWidth(m_zoomButton->sizeHint().width());
}

void CanvasPlates::setOverlayTools(QMenu* colours, QAction* load)
{
    m_colourButton = m_toolBar->addMenu(colours, CanvasToolBar::tr("Colour by"),
        CanvasToolBar::tr("What accelerators are coloured by: their family, or an axis of the plan (C)"));
    m_colourButton->setIcon(icon(QStringLiteral("theme")));
    m_colourButton->setText(CanvasToolBar::tr("Colour"));
    addSpare({m_colourButton, m_toolBar->addTool(load)});
}

void CanvasPlates::addSpare(std::vector<QToolButton*> tools)
{
    m_spares.push_back(std::move(tools));
}

void CanvasPlates::showOverlays()
{
    const auto axis = m_overlays.axis();
    m_colourButton->setText(
        axis ? CanvasToolBar::tr("Colour: %1").arg(rankAxisName(*axis)) : CanvasToolBar::tr("Colour"));
    m_legend->setShowsLoad(m_overlays.showsLoad());
    m_rankLegend->setValue({axis, m_overlays.places(), m_overlays.hasIdle()});
    place();
    if (m_toolHint.isEmpty()) // else that of the tool stays, wherever it stands
        showHint();
}

void CanvasPlates::setValue(const CanvasValue& value)
{
    m_legend->setConnections(value.cluster.connections);
    m_empty->setVisible(value.positions.empty());
}

void CanvasPlates::placeTools()
{
    const auto isTooWide = [this](Qt::ToolButtonStyle style) {
        for (QToolButton* b : m_toolBar->findChildren<QToolButton*>())
            if (b != m_zoomButton)
                b->setToolButtonStyle(style);
        m_toolBar->showSeparators();
        m_toolBar->adjustSize();
        return m_toolBar->width() + 2 * kOverlayMargin > m_canvas.width();
    };
    for (const auto& tools : m_spares)
        for (QToolButton* each : tools)
            each->show();
    if (!isTooWide(Qt::ToolButtonTextBesideIcon))
        return;
    for (auto tools = m_spares.rbegin(); isTooWide(Qt::ToolButtonIconOnly) && tools != m_spares.rend(); ++tools)
        for (QToolButton* each : *tools)
            each->hide();
}

void CanvasPlates::place()
{
    const QSize size = m_canvas.size();
    placeTools();
    m_toolBar->move(kOverlayMargin, kOverlayMargin);
    m_empty->setGeometry(m_canvas.rect().adjusted(2 * kOverlayMargin, 60, -2 * kOverlayMargin, -kOverlayMargin));
    m_legend->resize(m_legend->sizeHint());
    m_legend->move(kOverlayMargin, size.height() - kOverlayMargin - m_legend->height());
    m_legend->setVisible(showsLinks());
    m_rankLegend->resize(m_rankLegend->sizeHint());
    m_rankLegend->move(kOverlayMargin,
        (showsLinks() ? m_legend->y() - kBetweenLegends : size.height() - kOverlayMargin) - m_rankLegend->height());
    m_rankLegend->setVisible(showsRanks());
    m_map->move(size.width() - kOverlayMargin - m_map->width(), size.height() - kOverlayMargin - m_map->height());
    if (m_hint->isVisible())
        m_hint->move(kOverlayMargin, m_toolBar->geometry().bottom() + 8);
}

void CanvasPlates::setView(const TopologyScene& scene, const QRectF& visible, double zoom)
{
    const QRectF content = scene.contentRect();
    const bool roomy = m_canvas.width() >= kRoomyWidth && m_canvas.height() >= kRoomyHeight;
    // A map of what is in view already would only cover it.
    m_map->setVisible(roomy && !content.isEmpty() && !visible.contains(content));
    m_map->setView(&scene, visible);
    m_zoomButton->setText(CanvasToolBar::tr("%1 %").arg(std::lround(zoom * 100)));
    m_zoomButton->setAccessibleDescription(m_zoomButton->text());
}

bool CanvasPlates::hasRoom(const QWidget& legend) const
{
    const int width = m_canvas.width();
    const int room = width - 3 * kOverlayMargin - (width >= kRoomyWidth ? m_map->width() : 0);
    return m_canvas.height() >= kRoomyHeight && legend.sizeHint().width() <= room;
}

bool CanvasPlates::showsLinks() const
{
    return !m_legend->isEmpty() && hasRoom(*m_legend);
}

bool CanvasPlates::showsRanks() const
{
    return !m_rankLegend->isEmpty() && hasRoom(*m_rankLegend);
}

int CanvasPlates::roomBelow() const
{
    return (showsLinks() ? m_legend->height() + kBetweenLegends : 0)
        + (showsRanks() ? m_rankLegend->height() + kBetweenLegends : 0);
}

void CanvasPlates::placeHint(HintKind kind, const QString& text, QPoint at)
{
    m_hint->setHint(kind, text);
    const QPoint most(m_canvas.width() - m_hint->width() - 8, m_canvas.height() - m_hint->height() - 8);
    m_hint->move(std::max(8, std::min(at.x(), most.x())), std::max(8, std::min(at.y(), most.y())));
    m_hint->raise();
}

void CanvasPlates::setToolHint(const QString& text)
{
    m_toolHint = text;
    showHint();
}

QString CanvasPlates::sceneHint() const
{
    if (const RackMoves& moves = m_scene.racks().moves(); !moves.empty())
        return CanvasToolBar::tr("%1 · hold Shift to move only").arg(moveText(m_scene.value().cluster, moves));
    const QString trace = m_overlays.traceText();
    return trace.isEmpty() ? trace : CanvasToolBar::tr("%1 · Esc ends it").arg(trace);
}

void CanvasPlates::showHint()
{
    const QString text = m_toolHint.isEmpty() ? sceneHint() : m_toolHint;
    placeHint(HintKind::Neutral, text, {kOverlayMargin, m_toolBar->geometry().bottom() + 8});
}

void CanvasPlates::showHintAt(const QRect& card, HintKind kind, const QString& text)
{
    placeHint(kind, text, card.bottomLeft() + QPoint(-4, 12));
    if (m_hint->geometry().intersects(card))
        m_hint->move(m_hint->x(), std::max(8, card.top() - 12 - m_hint->height()));
}

QString CanvasPlates::hintText() const
{
    return m_hint->isHidden() ? QString() : m_hint->text();
}

} // namespace stratoplan::widgets
