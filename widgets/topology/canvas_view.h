// SPDX-License-Identifier: GPL-3.0-or-later
// A ground to lay cards on: its grid, and what part of it is in view. The wheel zooms at the pointer, the middle button
// pans. Until the person moves the view, everything stays in it.
#pragma once

#include <QGraphicsView>

#include <optional>

namespace stratoplan::widgets {

class CanvasView : public QGraphicsView {
    Q_OBJECT
public:
    explicit CanvasView(QWidget* parent);

    [[nodiscard]] double zoom() const { return transform().m11(); }
    /// About the middle of the view; 1 = card sizes as designed.
    void setZoom(double zoom);
    [[nodiscard]] bool keepsAllInView() const { return m_keepsAllInView; }
    /// Pixels that what is shown moves left and up by.
    void pan(const QPoint& pixels);
    void centreOn(const QPointF& scenePosition);
    /// Into view as it is, with so much room at its sides.
    void bringIntoView(const QGraphicsItem& item, int margin);

protected:
    void keepAllInView() { m_keepsAllInView = true; }
    /// All of it in view, at most at 125 %, in the middle of what the tool bar and so many pixels below leave free.
    void fitTo(const QRectF& content, int below);
    /// Into view, near enough to read it.
    void showItem(const QGraphicsItem& item);
    /// Another part of the scene is in view.
    virtual void viewChanged() { }

    // Pans with the middle button, or with the left one; false: the event is not about that.
    bool panPressed(const QMouseEvent& event, bool withLeft);
    bool panMoved(const QMouseEvent& event);
    bool panReleased(Qt::CursorShape cursor);

    void drawBackground(QPainter* painter, const QRectF& rect) override;
    void scrollContentsBy(int dx, int dy) override;
    void wheelEvent(QWheelEvent* event) override;

private:
    void applyZoom(double zoom);
    void zoomAt(double factor, const QPointF& viewportPosition);
    void scroll(int dx, int dy);

    bool m_keepsAllInView = true;
    std::optional<QPoint> m_panFrom; ///< while the view is dragged
};

inline constexpr int kCanvasMargin = 40; ///< around what is brought into view

} // namespace stratoplan::widgets
