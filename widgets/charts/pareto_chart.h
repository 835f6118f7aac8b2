// SPDX-License-Identifier: GPL-3.0-or-later
// Throughput against peak memory of every strategy tried: the dominated cloud faint, the front joined and labelled,
// what does not fit in the bad colour, a ring around the current plan. Made for streaming: set a larger enumeration
// as often as one likes. Pointing at a strategy names it, clicking adopts it.
#pragma once

#include "core/search/enumerate.h"
#include "widgets/charts/point_chart.h"
#include "widgets/presentation/pareto.h"

#include <optional>

namespace stratoplan {

class ParetoChart : public PointChart {
    Q_OBJECT
public:
    explicit ParetoChart(QWidget* parent = nullptr);

    void setEnumeration(const Enumeration& enumeration);
    /// The ring around the current plan, where its estimate puts it, and the capacity line.
    void setCurrent(const Estimate& estimate);
    /// No ring: the plan as it stands has no place in the picture.
    void clearCurrent();
    void setCapacity(Bytes capacity);
    void clear();

    [[nodiscard]] const ParetoView& view() const { return m_view; }
    [[nodiscard]] const Candidate& candidate(std::size_t point) const { return m_enumeration.candidates[m_view.points[point].candidate]; }
    [[nodiscard]] QPointF pointAt(std::size_t point) const override;
    [[nodiscard]] std::optional<std::size_t> pointNear(QPointF at) const override;
    /// Where the labels stand, for tests: the current plan's, the capacity's, then those of the ends of the front.
    struct Label {
        QRectF rect;
        QString text;
        bool strong = false;
    };
    [[nodiscard]] std::vector<Label> labels() const;

    [[nodiscard]] ChartTable table() const override;
    [[nodiscard]] QString description() const override;

Q_SIGNALS:
    /// What there is to know about a strategy is asked for.
    void candidateChosen(const stratoplan::Candidate& candidate);
    void adopted(const stratoplan::Strategy& strategy);

protected:
    void fitView() override;
    void restyle() override;
    [[nodiscard]] QString toolTipOf(std::size_t point) const override;
    [[nodiscard]] std::vector<std::size_t> path() const override { return m_view.front; }
    void choose(std::size_t point) override; ///< adopts
    bool pointerDoubleClicked(QPointF at) override;
    std::function<void()> explanationAt(QPointF at) override;

private:
    struct Current {
        Strategy strategy;
        double rate = 0;
        double memory = 0;
    };
    void rebuild();
    void relayout();
    [[nodiscard]] QPointF pixel(double memory, double rate) const;
    void paintCloud(QPainter& painter) const;
    void paintFront(QPainter& painter) const;
    void paintHover(QPainter& painter) const;

    Enumeration m_enumeration;
    ParetoView m_view;
    Bytes m_capacity{};
    std::optional<Current> m_current;
};

} // namespace stratoplan
