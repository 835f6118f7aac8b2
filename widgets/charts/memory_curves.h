// SPDX-License-Identifier: GPL-3.0-or-later
// The memory chart over time: a curve per stage against the capacities, the instant of the peak marked. Part of
// MemoryChart, which owns the plot and what is pointed at.
#pragma once

#include "widgets/presentation/memory_curve.h"
#include "widgets/presentation/table.h"
#include "widgets/presentation/tokens.h"

#include <QFont>
#include <QRectF>
#include <memory>
#include <optional>
#include <vector>

class QCustomPlot;
class QPainter;

namespace stratoplan::widgets {

class MemoryCurves {
public:
    explicit MemoryCurves(QCustomPlot& plot);

    void set(std::shared_ptr<const MemoryCurveView> view);
    [[nodiscard]] const std::shared_ptr<const MemoryCurveView>& view() const { return m_view; }

    /// A place on the curve of a stage.
    struct Hit {
        int stage = 0;
        double seconds = 0;
        bool operator==(const Hit&) const = default;
    };
    /// The curve that is nearest to a place of the plot, no more than a few pixels away.
    [[nodiscard]] std::optional<Hit> hitAt(QPointF at) const;
    /// Of a place on a curve, in pixels of the plot.
    [[nodiscard]] QPointF pixelOf(Hit hit) const;
    [[nodiscard]] Hit peak() const;
    /// The next step of the curve in that direction.
    [[nodiscard]] Hit stepped(Hit from, int direction) const;

    /// A text on the plot and where it stands; empty where there is no room for it.
    struct Label {
        QString text;
        QRectF rect;
    };
    /// At the line of each capacity, as m_view has them.
    [[nodiscard]] std::vector<Label> capacityLabels(const QFont& font) const;
    [[nodiscard]] Label peakLabel(const QFont& font) const;

    void paint(QPainter& painter, const Tokens& tokens, const QFont& font) const;
    /// Lifts `stage` out and marks `hit`.
    void paintHover(QPainter& painter, const Tokens& tokens, int stage, std::optional<Hit> hit) const;
    [[nodiscard]] QString toolTipOf(Hit hit) const;
    [[nodiscard]] ChartTable table() const;
    [[nodiscard]] QString description() const;

private:
    [[nodiscard]] Label labelOf(Bytes capacity, const QFont& font) const;
    void paintCurve(QPainter& painter, int stage, const QColor& colour, double width) const;
    void paintCapacity(QPainter& painter, const Tokens& tokens, const QFont& font) const;

    QCustomPlot& m_plot;
    std::shared_ptr<const MemoryCurveView> m_view; ///< null: nothing to show
};

} // namespace stratoplan::widgets
