// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/topology/canvas_view.h"

#include "widgets/style/theme.h"
#include "widgets/topology/canvas_layout.h"
#include "widgets/topology/element_item.h"

#include <QPainter>
#include <QScrollBar>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace stratoplan::widgets {

namespace {

constexpr double kLeastZoom = 0.04;
constexpr double kMostZoom = 32; ///< numbers of the accelerators of thousands of nodes can be read
constexpr double kFitZoom = 1.25;
constexpr int kToolMargin = 64; ///< the tool bar stands there
constexpr int kBelowMargin = 18; ///< beside what stands below

} // namespace

CanvasView::CanvasView(QWidget* parent)
    : QGraphicsView(parent)
{
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setTransformationAnchor(QGraphicsView::NoAnchor);
    setResizeAnchor(QGraphicsView::AnchorViewCenter);
    viewport()->setMouseTracking(true);
}

void CanvasView::setZoom(double zoom)
{
    zoomAt(zoom / this->zoom(), QPointF(viewport()->rect().center()));
}

void CanvasView::applyZoom(double zoom)
{
    const double clamped = std::clamp(zoom, kLeastZoom, kMostZoom);
    setTransform(QTransform::fromScale(clamped, clamped));
}

void CanvasView::scroll(int dx, int dy)
{
    horizontalScrollBar()->setValue(horizontalScrollBar()->value() + dx);
    verticalScrollBar()->setValue(verticalScrollBar()->value() + dy);
}

void CanvasView::zoomAt(double factor, const QPointF& viewportPosition)
{
    m_keepsAllInView = false;
    const QPointF fixed = viewportTransform().inverted().map(viewportPosition);
    applyZoom(zoom() * factor);
    const QPointF shift = viewportTransform().map(fixed) - viewportPosition;
    scroll(static_cast<int>(std::lround(shift.x())), static_cast<int>(std::lround(shift.y())));
    viewChanged();
}

void CanvasView::pan(const QPoint& pixels)
{
    m_keepsAllInView = false;
    scroll(pixels.x(), pixels.y());
}

void CanvasView::centreOn(const QPointF& scenePosition)
{
    m_keepsAllInView = false;
    centerOn(scenePosition);
    viewChanged();
}

void CanvasView::fitTo(const QRectF& content, int below)
{
    m_keepsAllInView = true;
    if (content.isEmpty()) {
        applyZoom(1);
        centerOn(0, 0);
    } else {
        const double width = std::max(1, viewport()->width() - 2 * kCanvasMargin);
        const int bottom = std::max(kCanvasMargin, below + kBelowMargin);
        const double height = std::max(1, viewport()->height() - kToolMargin - bottom);
        applyZoom(std::min({width / content.width(), height / content.height(), kFitZoom}));
        centerOn(content.center() - QPointF(0, (kToolMargin - bottom) / 2.0 / zoom()));
    }
    viewChanged();
}

void CanvasView::bringIntoView(const QGraphicsItem& item, int margin)
{
    ensureVisible(item.sceneBoundingRect(), margin, kToolMargin);
}

void CanvasView::showItem(const QGraphicsItem& item)
{
    m_keepsAllInView = false;
    if (detailLevel(zoom()) != DetailLevel::Full) {
        applyZoom(1);
        centerOn(&item);
    }
    bringIntoView(item, kCanvasMargin);
    viewChanged();
}

bool CanvasView::panPressed(const QMouseEvent& event, bool withLeft)
{
    if (event.button() != Qt::MiddleButton && !(withLeft && event.button() == Qt::LeftButton))
        return false;
    m_panFrom = event.position().toPoint();
    viewport()->setCursor(Qt::ClosedHandCursor);
    return true;
}

bool CanvasView::panMoved(const QMouseEvent& event)
{
    if (!m_panFrom)
        return false;
    const QPoint from = std::exchange(*m_panFrom, event.position().toPoint());
    pan(from - *m_panFrom);
    return true;
}

bool CanvasView::panReleased(Qt::CursorShape cursor)
{
    if (!std::exchange(m_panFrom, std::nullopt))
        return false;
    viewport()->setCursor(cursor);
    viewChanged();
    return true;
}

void CanvasView::drawBackground(QPainter* painter, const QRectF& rect)
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

void CanvasView::scrollContentsBy(int dx, int dy)
{
    QGraphicsView::scrollContentsBy(dx, dy);
    viewChanged();
}

void CanvasView::wheelEvent(QWheelEvent* event)
{
    event->accept();
    const int turned = event->angleDelta().y();
    if (turned == 0)
        return;
    constexpr double kPerNotch = 1.2; // a notch of a wheel is 120 units
    zoomAt(std::pow(kPerNotch, turned / 120.0), event->position());
}

} // namespace stratoplan::widgets
