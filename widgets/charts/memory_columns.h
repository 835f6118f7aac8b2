// SPDX-License-Identifier: GPL-3.0-or-later
// The columns of the memory chart: where they and their labels stand, how they are drawn, and what they say.
#pragma once

#include "widgets/presentation/stacks.h"
#include "widgets/presentation/table.h"

#include <QFont>
#include <QRectF>
#include <optional>

class QCustomPlot;
class QPainter;

namespace stratoplan::widgets {

class MemoryColumns {
public:
    struct Hit {
        std::size_t stage = 0;
        std::size_t segment = 0;
        bool operator==(const Hit&) const = default;
    };
    /// A text on the plot and where it stands; empty where there is no room for it.
    struct Label {
        QString text;
        QRectF rect;
    };
    struct Labels {
        Label capacity, peak;
    };

    /// As the plot stands; of the view, which it refers to.
    MemoryColumns(QCustomPlot& plot, const MemoryView& view, const Tokens& look, QFont font)
        : m_plot(plot)
        , m_view(view)
        , m_look(look)
        , m_font(std::move(font))
    {
    }

    [[nodiscard]] QRectF columnRect(std::size_t stage) const;
    [[nodiscard]] QRectF segmentRect(Hit segment) const;
    [[nodiscard]] std::optional<Hit> segmentAt(QPointF at) const;
    [[nodiscard]] Labels labels() const;
    [[nodiscard]] QString capacityText() const;
    [[nodiscard]] QString peakText() const;
    [[nodiscard]] QString toolTipOf(Hit hit) const;
    [[nodiscard]] ChartTable table() const;

    void paint(QPainter& painter) const;
    void paintCapacity(QPainter& painter) const;
    /// `stage`: pointed at elsewhere; -1: none.
    void paintHover(QPainter& painter, int stage, std::optional<Hit> hover) const;

private:
    void paintRemarks(QPainter& painter) const;
    void paintCapacityLine(QPainter& painter, const QRectF& plotRect) const;
    [[nodiscard]] QRectF labelArea() const;
    [[nodiscard]] Label capacityLabel() const;
    [[nodiscard]] Label peakLabel(const QRectF& capacity) const;

    QCustomPlot& m_plot;
    const MemoryView& m_view;
    const Tokens& m_look;
    QFont m_font;
};

} // namespace stratoplan::widgets
