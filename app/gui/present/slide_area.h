// SPDX-License-Identifier: GPL-3.0-or-later
// The place of the slides: paints the one that is shown, or shows the cluster and the pipeline by the views that draw
// them elsewhere, to look at only. A click in its left third asks for the slide before, elsewhere for the next.
#pragma once

#include "app/gui/present/slide_state.h"

#include <QRectF>
#include <QWidget>

class QGraphicsView;
class QStackedLayout;

namespace stratoplan::widgets {
class PipelineChart;
class TopologyScene;
} // namespace stratoplan::widgets

namespace stratoplan::gui {

class SlidePainter;

class SlideArea : public QWidget {
    Q_OBJECT

public:
    /// The catalogue must outlive it.
    explicit SlideArea(const catalog::Catalog& catalog, QWidget* parent = nullptr);

    void show(plan::SlideView view, const SlideState& state);
    /// Pixels of a hundredth of the screen's height.
    void setUnit(double unit);
    [[nodiscard]] widgets::PipelineChart& pipeline() const { return *m_pipeline; }
    [[nodiscard]] QGraphicsView& cluster() const { return *m_cluster; }

Q_SIGNALS:
    void backWanted();
    void nextWanted();

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;

private:
    void showCluster();
    void showPipeline();
    void arrange();
    void paintView(const SlidePainter& slide);
    void paintOverview(const SlidePainter& slide, const QRectF& place);
    [[nodiscard]] QRectF inside() const;
    /// Of the cluster, below its picture.
    [[nodiscard]] double captionHeight() const;

    widgets::TopologyScene* m_scene;
    QGraphicsView* m_cluster;
    widgets::PipelineChart* m_pipeline;
    plan::SlideView m_view = plan::SlideView::Decision;
    SlideState m_state;
    session::TimelinePointer m_drawn; ///< by the chart
    double m_unit = 10;
};

} // namespace stratoplan::gui
