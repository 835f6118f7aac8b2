// SPDX-License-Identifier: GPL-3.0-or-later
// Draws what a Pareto chart shows, and places the labels beside the marks.
#pragma once

#include "widgets/presentation/pareto.h"
#include "widgets/presentation/tokens.h"

#include <QFont>
#include <QStringList>
#include <functional>
#include <optional>

class QCustomPlot;
class QPainter;

namespace stratoplan::widgets {

/// Of the current plan, or of a point of the front.
struct ParetoLabel {
    QRectF rect;
    QString text;
    bool strong = false;
};

class ParetoPainter {
public:
    /// The current plan and where it stands, in base units.
    struct Current {
        parallel::Strategy strategy;
        double x = 0;
        double y = 0;
    };
    /// A pinned plan, by its name.
    struct Pin {
        QString name;
        double x = 0;
        double y = 0;
    };
    struct Parts {
        QCustomPlot& plot;
        const ParetoView& view;
        bool provisional = false; ///< priced anew, not searched yet
        bool hasCapacityLine = false;
        std::optional<Current> current;
        std::vector<Pin> pins;
        std::function<QString(std::size_t)> degreesOf; ///< of a point of the view
        const Tokens& look;
        QFont font;
    };
    explicit ParetoPainter(Parts parts)
        : m_parts(std::move(parts))
    {
    }

    /// The current plan's, those of pins, the capacity's, then those of the ends of the front.
    [[nodiscard]] std::vector<ParetoLabel> labels() const;

    void paintCloud(QPainter& painter, const PointGrid& grid) const;
    void paintFront(QPainter& painter) const;
    void paintBrush(QPainter& painter, Interval x, Interval y) const;
    void paintSelected(QPainter& painter, double x, double y) const;
    /// Lines from the axes to the pixel.
    void paintCross(QPainter& painter, QPointF at) const;

private:
    [[nodiscard]] QPointF pixel(double x, double y) const;
    [[nodiscard]] QPointF pixelOf(const ParetoPoint& point) const { return pixel(point.x, point.y); }
    [[nodiscard]] double capacityPixel() const; ///< of the line, NaN where there is none
    void addLabel(std::vector<ParetoLabel>& labels, std::vector<QRectF>& obstacles, QPointF anchor,
        const QStringList& names, double gap, bool strong) const;
    void addCapacityLabel(std::vector<ParetoLabel>& labels, std::vector<QRectF>& obstacles) const;
    void paintRing(QPainter& painter, QPointF at, const QColor& colour) const;

    Parts m_parts;
};

} // namespace stratoplan::widgets
