// SPDX-License-Identifier: GPL-3.0-or-later
// One measure of strategies against another, throughput against peak memory at first: the dominated cloud faint, the
// front joined and labelled, what does not fit in the bad colour, a ring around the current plan. Made for streaming: a
// set of thousands that a table lists as well, set as often as one likes, and under it a cloud of up to a million.
// Pointing at a strategy names it, a click previews it, a double-click or Enter adopts it, dragging with Shift brushes.
#pragma once

#include "core/estimate/estimate.h"
#include "widgets/charts/pareto_painter.h"
#include "widgets/charts/point_chart.h"
#include "widgets/presentation/pareto_layout.h"
#include "widgets/presentation/pareto_text.h"

#include <optional>

namespace stratoplan::widgets {

class MeasureButtons;

/// A rectangle of the picture, in base units.
struct ParetoBrush {
    StrategyMeasure xMeasure = StrategyMeasure::PeakMemory;
    StrategyMeasure yMeasure = StrategyMeasure::Throughput;
    Interval x, y;
    [[nodiscard]] bool contains(const StrategyPoint& point, const StrategyRates& rates) const;
    bool operator==(const ParetoBrush&) const = default;
};

/// A pinned plan, by its name where it stands.
struct PinnedPoint {
    QString name;
    StrategyPoint point;
};

class ParetoChart : public PointChart {
    Q_OBJECT
public:
    explicit ParetoChart(QWidget* parent = nullptr);

    /// Null: nothing to show.
    void setStrategies(StrategySetPointer set);
    [[nodiscard]] const StrategySetPointer& strategies() const { return m_set; }
    /// What the whole space looks like, in place of what the set has of it that is on no front; null: nothing known of
    /// it.
    void setCloud(const StrategyCloudPointer& cloud);
    [[nodiscard]] const StrategyCloudPointer& cloud() const { return m_cloud; }
    /// The ring around the current plan, where its estimate puts it, and the capacity line.
    void setCurrent(const estimate::Estimate& estimate, model::Precision precision);
    /// They differ from the plan in the strategy alone.
    void setPins(std::vector<PinnedPoint> pins);
    /// No ring: the plan as it stands has no place in the picture.
    void clearCurrent();
    void clear();

    /// Which measures the axes show; a choice of them in the header is offered once asked for.
    void setMeasures(StrategyMeasure x, StrategyMeasure y);
    [[nodiscard]] StrategyMeasure xMeasure() const { return m_measures.x; }
    [[nodiscard]] StrategyMeasure yMeasure() const { return m_measures.y; }
    void offerMeasures();
    /// Dragging with Shift brushes only once asked for.
    void offerBrush() { m_brushable = true; }
    [[nodiscard]] const std::optional<ParetoBrush>& brush() const { return m_brush; }
    void clearBrush();
    /// Marks a strategy of the set; none: nullopt.
    void setSelected(std::optional<std::size_t> strategy);
    [[nodiscard]] std::optional<std::size_t> selected() const { return m_selected; }

    [[nodiscard]] const ParetoView& view() const { return m_view; }
    /// Points of the cloud stand behind those of the view.
    [[nodiscard]] bool isOfCloud(std::size_t point) const { return point >= m_view.points.size(); }
    [[nodiscard]] StrategyPoint strategyAt(std::size_t point) const;
    [[nodiscard]] QPointF pointAt(std::size_t point) const override;
    [[nodiscard]] std::optional<std::size_t> pointNear(QPointF at) const override;
    /// Where the labels stand, for tests: the current plan's, those of pins, the capacity's, those of ends of the
    /// front.
    [[nodiscard]] std::vector<ParetoLabel> labels() const { return painter().labels(); }

    [[nodiscard]] ChartTable table() const override;
    [[nodiscard]] QString description() const override;

Q_SIGNALS:
    /// A strategy was clicked: its place in the set.
    void picked(std::size_t strategy);
    /// One of the cloud, which the set does not have.
    void pickedOfCloud(const widgets::StrategyPoint& strategy);
    void adopted(const widgets::StrategyPoint& strategy);
    /// What there is to know about a strategy is asked for.
    void explained(const widgets::StrategyPoint& strategy);
    void brushChanged();
    void measuresChanged();

protected:
    void fitView() override;
    void restyle() override { relayout(); }
    [[nodiscard]] QString toolTipOf(std::size_t point) const override;
    [[nodiscard]] std::vector<std::size_t> path() const override { return m_view.front; }
    void choose(std::size_t point) override; ///< picks
    void activate(std::size_t point) override { Q_EMIT adopted(strategyAt(point)); }
    bool pointerDoubleClicked(QPointF at) override;
    std::function<void()> explanationAt(QPointF at) override;
    void extendMenu(QMenu& menu) override;
    bool takesDrag(QPointF at, Qt::KeyboardModifiers modifiers) override;
    void pointerDragged(QPointF to) override;
    void dragEnded() override { Q_EMIT brushChanged(); }
    bool keyPressed(QKeyEvent& event) override;

private:
    void rebuild();
    void relayout();
    void describe();
    [[nodiscard]] bool isCloudShown() const { return m_layout.showsCloud(m_view); }
    [[nodiscard]] ParetoLayout& placed() const; ///< placed as the plot stands
    [[nodiscard]] const StrategyRates& rates() const;
    [[nodiscard]] QPointF pixel(double x, double y) const;
    [[nodiscard]] ParetoPainter painter() const;
    void paintCloud(QPainter& painter) const;
    void paintOverlay(QPainter& painter) const;

    StrategySetPointer m_set;
    ParetoView m_view;
    ParetoMeasures m_measures;
    Bytes m_capacity{};
    std::optional<StrategyPoint> m_currentPlan;
    std::optional<ParetoPainter::Current> m_current;
    std::vector<PinnedPoint> m_pinned;
    std::vector<ParetoPainter::Pin> m_pins; ///< those that have a place in the picture
    std::optional<std::size_t> m_selected;
    StrategyCloudPointer m_cloud;
    std::optional<StrategyPoint> m_selectedOfCloud;
    std::optional<ParetoBrush> m_brush;
    QPointF m_brushFrom;
    bool m_brushable = false;
    MeasureButtons* m_measureButtons = nullptr;
    mutable ParetoLayout m_layout;
};

} // namespace stratoplan::widgets
