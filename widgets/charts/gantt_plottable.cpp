// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/charts/gantt_plottable.h"

#include "widgets/charts/qcp.h"

#include <algorithm>
#include <limits>

namespace stratoplan::widgets {

namespace {

class GanttPlottable final : public QCPAbstractPlottable {
public:
    GanttPlottable(QCustomPlot& plot, GanttPlottableParts parts)
        : QCPAbstractPlottable(plot.xAxis, plot.yAxis)
        , m_parts(std::move(parts))
    {
    }

    double selectTest(const QPointF& at, bool, QVariant*) const override
    {
        if (!clipRect().contains(at.toPoint()) || !m_parts.hits(at))
            return -1;
        return 0;
    }
    QCPRange getKeyRange(bool& found, QCP::SignDomain) const override { return range(m_parts.time(), found); }
    QCPRange getValueRange(bool& found, QCP::SignDomain, const QCPRange&) const override
    {
        return range(m_parts.rows(), found);
    }

protected:
    void draw(QCPPainter* painter) override
    {
        painter->save();
        painter->setAntialiasing(false);
        m_parts.paint(*painter, painter->modes().testFlag(QCPPainter::pmVectorized));
        painter->restore();
    }
    void drawLegendIcon(QCPPainter*, const QRectF&) const override { } // the legend stands outside of the plot

private:
    static QCPRange range(Interval interval, bool& found)
    {
        found = interval.length() > 0;
        return {interval.low, interval.high};
    }

    GanttPlottableParts m_parts;
};

class RowTicker final : public QCPAxisTicker {
public:
    RowTicker(QCPAxis& axis, std::vector<RowName> rows, double labelPixels)
        : m_axis(axis)
        , m_rows(std::move(rows))
        , m_labelPixels(labelPixels)
    {
    }

    void generate(const QCPRange& range, const QLocale&, QChar, int, QVector<double>& ticks, QVector<double>* subTicks,
        QVector<QString>* labels) override
    {
        ticks.clear();
        if (subTicks)
            subTicks->clear();
        if (labels)
            labels->clear();
        const double height = m_axis.axisRect()->height();
        if (!(height > 0) || !(range.size() > 0))
            return; // not laid out yet
        const double apart = m_labelPixels * range.size() / height;
        const int stride = mainStride(apart);
        double free = -std::numeric_limits<double>::infinity();
        int running = 0;
        for (std::size_t i = 0; i < m_rows.size(); ++i) {
            const RowName& row = m_rows[i];
            const bool wanted = row.main
                ? running++ % stride == 0
                : stride == 1 && row.height >= apart * 0.8 && nextMain(i) - row.middle >= apart;
            if (!wanted || row.middle < free || row.middle < range.lower || row.middle > range.upper)
                continue;
            free = row.middle + apart;
            ticks << row.middle;
            if (labels)
                *labels << row.name;
        }
    }

private:
    /// Every how many of the main rows keep apart: 1, 2, 4, …
    [[nodiscard]] int mainStride(double apart) const
    {
        double nearest = std::numeric_limits<double>::infinity();
        const RowName* before = nullptr;
        for (const RowName& row : m_rows) {
            if (!row.main)
                continue;
            if (before)
                nearest = std::min(nearest, row.middle - before->middle);
            before = &row;
        }
        int stride = 1;
        while (stride * nearest < apart && stride < static_cast<int>(m_rows.size()))
            stride *= 2;
        return stride;
    }
    [[nodiscard]] double nextMain(std::size_t from) const
    {
        const auto next = std::find_if(m_rows.begin() + static_cast<std::ptrdiff_t>(from), m_rows.end(),
            [](const RowName& row) { return row.main; });
        return next == m_rows.end() ? std::numeric_limits<double>::infinity() : next->middle;
    }

    QCPAxis& m_axis;
    std::vector<RowName> m_rows;
    double m_labelPixels;
};

} // namespace

void addGanttPlottable(QCustomPlot& plot, GanttPlottableParts parts)
{
    new GanttPlottable(plot, std::move(parts)); // the plot owns it
}

void setRowTicks(QCPAxis& axis, std::vector<RowName> rows, double labelPixels)
{
    axis.setTicker(QSharedPointer<RowTicker>::create(axis, std::move(rows), labelPixels));
}

} // namespace stratoplan::widgets
