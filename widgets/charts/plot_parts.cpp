// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/charts/plot_parts.h"

#include "widgets/charts/qcp.h"

#include <algorithm>
#include <cmath>

namespace stratoplan::widgets {

namespace {

constexpr const char* kMarksLayer = "marks";
constexpr const char* kOverlayLayer = "hover";

enum class Place { AxisRect, TopMargin };

class PaintedLayer final : public QCPLayerable {
public:
    PaintedLayer(QCustomPlot& plot, const QString& layer, Place place, PaintFunction paint)
        : QCPLayerable(&plot, layer)
        , m_place(place)
        , m_paint(std::move(paint))
    {
    }

protected:
    QRect clipRect() const override
    {
        const QRect inner = mParentPlot->axisRect()->rect();
        return m_place == Place::AxisRect ? inner : QRect(inner.left(), 0, inner.width() + 1, inner.top());
    }
    void applyDefaultAntialiasingHint(QCPPainter* painter) const override { painter->setAntialiasing(false); }
    void draw(QCPPainter* painter) override
    {
        painter->save();
        m_paint(*painter);
        painter->restore();
    }

private:
    Place m_place;
    PaintFunction m_paint;
};

class UnitTicker final : public QCPAxisTicker {
public:
    UnitTicker(QCPAxis& axis, AxisUnit unit, bool withUnit)
        : m_axis(axis)
        , m_unit(std::move(unit))
        , m_withUnit(withUnit)
    {
    }

    void generate(const QCPRange& range, const QLocale&, QChar, int, QVector<double>& ticks, QVector<double>* subTicks,
        QVector<QString>* labels) override
    {
        Ticks nice;
        for (const int most : {10, 8, 7, 6, 5, 4, 3, 2}) {
            nice = niceTicks(range.lower / m_unit.factor, range.upper / m_unit.factor, most);
            if (fits(nice, range))
                break;
        }
        ticks.clear();
        if (subTicks)
            subTicks->clear();
        if (labels)
            labels->clear();
        for (const double value : nice.values) {
            ticks << value * m_unit.factor;
            if (labels)
                *labels << label(value, nice);
        }
    }

private:
    [[nodiscard]] QString label(double value, const Ticks& nice) const
    {
        return tickText(value, nice.decimals) + (m_withUnit ? u' ' + m_unit.name : QString());
    }

    [[nodiscard]] bool fits(const Ticks& nice, const QCPRange& range) const
    {
        const bool horizontal = m_axis.orientation() == Qt::Horizontal;
        const double pixels = horizontal ? m_axis.axisRect()->width() : m_axis.axisRect()->height();
        const QFontMetricsF metrics(m_axis.tickLabelFont());
        double needed = metrics.height() * 1.6;
        if (horizontal) {
            needed = 0;
            for (const double value : nice.values)
                needed = std::max(needed, metrics.horizontalAdvance(label(value, nice)));
            needed += metrics.height();
        }
        return nice.step * m_unit.factor / range.size() * pixels >= needed;
    }

    QCPAxis& m_axis;
    AxisUnit m_unit;
    bool m_withUnit;
};

class CategoryTicker final : public QCPAxisTicker {
public:
    CategoryTicker(QCPAxis& axis, std::vector<Category> categories, double labelPixels)
        : m_axis(axis)
        , m_categories(std::move(categories))
        , m_labelPixels(labelPixels)
    {
    }

    void generate(const QCPRange& range, const QLocale&, QChar, int, QVector<double>& ticks, QVector<double>* subTicks,
        QVector<QString>* labels) override
    {
        const QCPAxisRect* rect = m_axis.axisRect();
        const double pixels = m_axis.orientation() == Qt::Horizontal ? rect->width() : rect->height();
        const int stride =
            labelStride(static_cast<int>(m_categories.size()), pixels / std::max(range.size(), 1e-9), m_labelPixels);
        ticks.clear();
        if (subTicks)
            subTicks->clear();
        if (labels)
            labels->clear();
        const double room = m_labelPixels * range.size() / std::max(pixels, 1.0);
        const auto besideOneThatStays = [&](const Category& c) {
            return std::any_of(m_categories.begin(), m_categories.end(),
                [&](const Category& other) { return other.always && std::abs(other.at - c.at) < room; });
        };
        int running = 0;
        for (const Category& c : m_categories) {
            const bool named = c.always || (running++ % stride == 0 && !besideOneThatStays(c));
            if (!named || !range.contains(c.at))
                continue;
            ticks << c.at;
            if (labels)
                *labels << c.name;
        }
    }

private:
    QCPAxis& m_axis;
    std::vector<Category> m_categories;
    double m_labelPixels;
};

QCPLayer* layer(QCustomPlot& plot, bool overlay)
{
    const QString layerName = QString::fromLatin1(overlay ? kOverlayLayer : kMarksLayer);
    if (QCPLayer* existing = plot.layer(layerName))
        return existing;
    plot.addLayer(layerName, overlay ? nullptr : plot.layer(QStringLiteral("grid")), QCustomPlot::limAbove);
    if (overlay)
        plot.layer(layerName)->setMode(QCPLayer::lmBuffered);
    return plot.layer(layerName);
}

} // namespace

void addMarks(QCustomPlot& plot, PaintFunction paint)
{
    new PaintedLayer(plot, layer(plot, false)->name(), Place::AxisRect, std::move(paint)); // owned by the plot
}

void addOverlay(QCustomPlot& plot, PaintFunction paint)
{
    new PaintedLayer(plot, layer(plot, true)->name(), Place::AxisRect, std::move(paint)); // owned by the plot
}

void addTopStrip(QCustomPlot& plot, PaintFunction paint)
{
    new PaintedLayer(plot, QStringLiteral("axes"), Place::TopMargin, std::move(paint)); // owned by the plot
}

void replotOverlay(QCustomPlot& plot)
{
    if (QCPLayer* overlay = plot.layer(QString::fromLatin1(kOverlayLayer)))
        overlay->replot();
}

void setUnitTicks(QCPAxis& axis, const AxisUnit& unit, bool withUnit)
{
    axis.setTicker(QSharedPointer<QCPAxisTicker>(new UnitTicker(axis, unit, withUnit)));
}

void setCategoryTicks(QCPAxis& axis, std::vector<Category> categories, double labelPixels)
{
    axis.setTicker(QSharedPointer<QCPAxisTicker>(new CategoryTicker(axis, std::move(categories), labelPixels)));
}

void applyPlotTheme(QCustomPlot& plot, const Tokens& t, const QFont& font)
{
    plot.setBackground(QBrush(t.surface));
    for (QCPAxis* axis : {plot.xAxis, plot.yAxis}) {
        axis->setBasePen(QPen(t.frame, 1));
        axis->setTickPen(Qt::NoPen);
        axis->setSubTickPen(Qt::NoPen);
        axis->setTickLength(0, 3);
        axis->setTickLabelFont(font);
        axis->setLabelFont(font);
        axis->setTickLabelColor(t.secondaryText);
        axis->setLabelColor(t.secondaryText);
        axis->setTickLabelPadding(4);
        axis->setLabelPadding(2);
        axis->grid()->setPen(QPen(t.grid, 1));
        axis->grid()->setZeroLinePen(Qt::NoPen);
        axis->grid()->setSubGridVisible(false);
    }
}

} // namespace stratoplan::widgets
