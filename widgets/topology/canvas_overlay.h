// SPDX-License-Identifier: GPL-3.0-or-later
// What floats over the canvas: the tool bar, the hint of the tool in hand, the legend of the links and the overview
// map.
#pragma once

#include "core/cluster/cluster.h"

#include <QRectF>
#include <QWidget>

#include <vector>

class QAction;
class QBoxLayout;
class QGraphicsScene;
class QLabel;
class QMenu;
class QToolButton;

namespace stratoplan::widgets {

class TopologyScene;

/// A rounded plate above the canvas, in the colours of the theme.
class CanvasPlate : public QWidget {
    Q_OBJECT
public:
    explicit CanvasPlate(QWidget* parent);

protected:
    void paintEvent(QPaintEvent* event) override;
};

class CanvasToolBar final : public CanvasPlate {
    Q_OBJECT
public:
    explicit CanvasToolBar(QWidget* parent);

    /// A button for the action; a checkable one stays down while its tool is in hand.
    QToolButton* addTool(QAction* action);
    void addSeparator();
    /// Shows those that stand between tools that are shown.
    void showSeparators();
    /// A button that opens a menu, and may say what is chosen there.
    QToolButton* addMenu(QMenu* menu, const QString& name, const QString& toolTip);
};

enum class HintKind { Neutral, Good, Bad };

/// One line that says what the tool in hand will do at this place.
class CanvasHint final : public CanvasPlate {
    Q_OBJECT
public:
    explicit CanvasHint(QWidget* parent);

    void setHint(HintKind kind, const QString& text);
    [[nodiscard]] QString text() const;
    [[nodiscard]] HintKind kind() const { return m_kind; }

protected:
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void recolour();
    HintKind m_kind = HintKind::Neutral;
    QLabel* m_label;
};

/// Which colour is which network, or how long it is in use, and that width is bandwidth.
class CanvasLegend final : public CanvasPlate {
    Q_OBJECT
public:
    explicit CanvasLegend(QWidget* parent);

    void setConnections(const std::vector<cluster::Connection>& connections);
    /// Colour is load in place of the network.
    void setShowsLoad(bool shows);
    [[nodiscard]] bool isEmpty() const { return m_kinds.empty(); }
    [[nodiscard]] QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void name();
    std::vector<cluster::LinkKind> m_kinds;
    bool m_showsLoad = false;
    QString m_range; ///< least to greatest bandwidth of a connection
};

/// The whole cluster in small, with the part that is in view; press or drag to go there.
class CanvasMap final : public CanvasPlate {
    Q_OBJECT
public:
    explicit CanvasMap(QWidget* parent);

    void setView(const TopologyScene* scene, const QRectF& visible);

Q_SIGNALS:
    void centreRequested(const QPointF& scenePosition);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;

private:
    [[nodiscard]] QTransform toMap() const;
    const TopologyScene* m_scene = nullptr;
    QRectF m_visible;
};

} // namespace stratoplan::widgets
