// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/charts/pareto_chart.h"

#include "widgets/charts/plot_parts.h"
#include "widgets/charts/qcp.h"
#include "widgets/presentation/text.h"

#include <QKeyEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

namespace stratoplan {

namespace {
constexpr double kHitRadius = 9;   // pixels
constexpr double kFrontRadius = 3;
constexpr double kRingRadius = 6.5;
constexpr int kCloudPoint = 2;
constexpr int kCrossStep = 4;         // crosses closer than this merge
constexpr double kApart = 8;          // front points closer than this are drawn without an outline
constexpr double kWidestLabel = 0.62; // of the plot

QRectF around(QPointF centre, double radius)
{
    return {centre.x() - radius, centre.y() - radius, 2 * radius, 2 * radius};
}

} // namespace

ParetoChart::ParetoChart(QWidget* parent)
    : PointChart(tr("Pareto"),
                tr("No strategies compared yet.\nPress “Find the best” to try them all; each becomes a point here, and a click adopts it."), parent)
{
    setZoomDirections(Qt::Horizontal | Qt::Vertical, Qt::Horizontal);
    addMarks(plot(), [this](QPainter& painter) { paintCloud(painter); });
    addMarks(plot(), [this](QPainter& painter) { paintFront(painter); });
    addOverlay(plot(), [this](QPainter& painter) { paintHover(painter); });
    restyle();
}

void ParetoChart::setEnumeration(const Enumeration& enumeration)
{
    m_enumeration = enumeration;
    rebuild();
}

void ParetoChart::setCurrent(const Estimate& e)
{
    const double memory = e.memory.peak.value();
    m_current.reset();
    if (std::isfinite(memory) && std::isfinite(e.tokensPerSecond) && memory > 0 && e.tokensPerSecond > 0)
        m_current = Current{e.strategy, e.tokensPerSecond, memory};
    m_capacity = e.memory.capacity;
    rebuild();
}

void ParetoChart::clearCurrent()
{
    m_current.reset();
    rebuild();
}

void ParetoChart::setCapacity(Bytes capacity)
{
    m_capacity = capacity;
    rebuild();
}

void ParetoChart::clear()
{
    m_enumeration = {};
    m_current.reset();
    rebuild();
}

void ParetoChart::rebuild()
{
    const bool wasEmpty = isEmpty();
    m_view = paretoView(m_enumeration, m_capacity);
    forgetHover();
    if (m_view.empty()) {
        setEmpty(true);
        return;
    }
    std::vector<LegendEntry> legend;
    const auto occurs = [&](ParetoPoint::Kind kind) {
        return std::any_of(m_view.points.begin(), m_view.points.end(), [kind](const ParetoPoint& p) { return p.kind == kind; });
    };
    if (!m_view.front.empty())
        legend.push_back({tr("Pareto front"), Mark::Front, Pattern::Solid, LegendEntry::Shape::Dot});
    if (occurs(ParetoPoint::Kind::Dominated))
        legend.push_back({tr("dominated"), Mark::Cloud, Pattern::Solid, LegendEntry::Shape::Dot});
    if (occurs(ParetoPoint::Kind::OutOfMemory))
        legend.push_back({tr("out of memory"), Mark::OutOfMemory, Pattern::Solid, LegendEntry::Shape::Cross});
    if (m_current)
        legend.push_back({tr("this plan"), Mark::Front, Pattern::Solid, LegendEntry::Shape::Ring});
    setLegend(std::move(legend));
    setNote(m_view.status);
    setEmpty(false);
    relayout();
    if (wasEmpty || !isMoved())
        fit();
    else
        replot();
}

void ParetoChart::relayout()
{
    if (m_view.empty())
        return;
    // The ring belongs into the picture even if its plan is not among the candidates.
    if (m_current) {
        m_view.rate.low = std::min(m_view.rate.low, m_current->rate * 0.95);
        m_view.rate.high = std::max(m_view.rate.high, m_current->rate * 1.05);
        m_view.memory.low = std::min(m_view.memory.low, m_current->memory * 0.95);
        m_view.memory.high = std::max(m_view.memory.high, m_current->memory * 1.05);
    }
    double mostMemory = m_view.memory.high;
    for (const ParetoPoint& p : m_view.points)
        mostMemory = std::max(mostMemory, p.memory * 1.05);
    const AxisUnit bytes = bytesUnit(m_view.memory.high);
    const AxisUnit rate = tokenRateUnit(m_view.rate.high);
    setUnitTicks(*plot().xAxis, bytes);
    setUnitTicks(*plot().yAxis, rate);
    setAxisTexts(Qt::Horizontal, {tr("peak memory per accelerator, %1").arg(bytes.name), tr("peak memory, %1").arg(bytes.name), bytes.name});
    setAxisTexts(Qt::Vertical, {rate.name});
    setBounds({0, mostMemory}, {0, m_view.rate.high * 1.02}, m_view.memory.length() * 0.01, m_view.rate.length() * 0.01);
}

void ParetoChart::fitView()
{
    if (!m_view.empty())
        showRange(m_view.memory, m_view.rate);
}

QPointF ParetoChart::pixel(double memory, double rate) const
{
    return {plot().xAxis->coordToPixel(memory), plot().yAxis->coordToPixel(rate)};
}

QPointF ParetoChart::pointAt(std::size_t point) const
{
    return pixel(m_view.points[point].memory, m_view.points[point].rate);
}

std::optional<std::size_t> ParetoChart::pointNear(QPointF at) const
{
    if (!plot().axisRect()->rect().contains(at.toPoint()))
        return std::nullopt;
    return nearestPoint(m_view, at, kHitRadius, [this](double memory, double rate) { return pixel(memory, rate); });
}

std::vector<ParetoChart::Label> ParetoChart::labels() const
{
    std::vector<Label> result;
    const QFontMetricsF metrics(plotFont());
    const QRectF bounds = QRectF(plot().axisRect()->rect()).adjusted(3, 3, -3, -3);
    std::vector<QRectF> obstacles;
    for (const std::size_t i : m_view.front)
        obstacles.push_back(around(pointAt(i), kFrontRadius + 2));
    if (m_current)
        obstacles.push_back(around(pixel(m_current->memory, m_current->rate), kRingRadius + 1)); // no label hides it
    const double capacityX = m_view.capacity.value() > 0 ? plot().xAxis->coordToPixel(m_view.capacity.value()) : -1;
    if (m_view.capacity.value() > 0)
        obstacles.push_back(QRectF(capacityX - 3, bounds.top(), 6, bounds.height()));
    const auto add = [&](QPointF anchor, const QStringList& names, double gap, bool strong) {
        if (!bounds.contains(anchor))
            return;
        QFont font = plotFont();
        font.setWeight(strong ? QFont::DemiBold : QFont::Normal);
        const QFontMetricsF labelMetrics(font);
        // On its own side of the capacity line, and in the longest form that leaves room for the points.
        QRectF side = bounds;
        if (capacityX > bounds.left() && capacityX < bounds.right())
            anchor.x() <= capacityX ? side.setRight(capacityX - 3) : side.setLeft(capacityX + 5);
        QString name = names.last();
        for (const QString& candidateName : names) {
            if (labelMetrics.horizontalAdvance(candidateName) <= std::min(kWidestLabel * bounds.width(), side.width() - 8)) {
                name = candidateName;
                break;
            }
        }
        const QSizeF size(labelMetrics.horizontalAdvance(name) + 6, labelMetrics.height());
        const QRectF rect = placeLabel(anchor, size, side.width() >= size.width() ? side : bounds, obstacles, gap);
        const bool covered = std::any_of(obstacles.begin(), obstacles.end(), [&](const QRectF& o) { return o.intersects(rect); });
        if (covered && !strong)
            return; // a label of the front that has no room is left out
        result.push_back({rect, name, strong});
        obstacles.push_back(rect);
    };
    if (m_current) {
        const QPointF at = pixel(m_current->memory, m_current->rate);
        const QString degrees = degreesText(m_current->strategy);
        add(at, {tr("this plan: %1").arg(degrees), degrees, tr("this plan")}, kRingRadius + 4, true);
    }
    if (capacityX >= bounds.left() && capacityX <= bounds.right()) {
        const QString limit = tr("%1 capacity").arg(text(m_view.capacity));
        const QSizeF size(metrics.horizontalAdvance(limit) + 4, metrics.height());
        QRectF rect = placeBesideLine(capacityX, size, bounds, obstacles);
        if (rect.isEmpty()) {
            // Rather over points of the front than nowhere; over this plan and its name never.
            std::vector<QRectF> vital;
            if (m_current)
                vital.push_back(around(pixel(m_current->memory, m_current->rate), kRingRadius + 1));
            for (const Label& label : result)
                vital.push_back(label.rect);
            rect = placeBesideLine(capacityX, size, bounds, vital);
        }
        if (!rect.isEmpty()) {
            result.push_back({rect, limit, false});
            obstacles.push_back(rect);
        }
    }
    if (!m_view.front.empty()) {
        for (const std::size_t i : {m_view.front.back(), m_view.front.front()})
            add(pointAt(i), {degreesText(candidate(i).strategy)}, kFrontRadius + 4, false);
    }
    return result;
}

void ParetoChart::paintCloud(QPainter& painter) const
{
    const QRect rect = plot().axisRect()->rect();
    if (m_view.empty() || rect.isEmpty())
        return;
    // One square per pixel taken, however many candidates share it; neither squares nor batches need antialiasing.
    std::vector<bool> taken(static_cast<std::size_t>(rect.width() + 1) * static_cast<std::size_t>(rect.height() + 1));
    QList<QRect> dominated;
    QList<QLineF> outOfMemory;
    for (const ParetoPoint& p : m_view.points) {
        if (p.kind == ParetoPoint::Kind::Front)
            continue;
        QPoint at = pixel(p.memory, p.rate).toPoint();
        if (!rect.contains(at))
            continue;
        const int grid = p.kind == ParetoPoint::Kind::Dominated ? kCloudPoint : kCrossStep;
        at = {rect.left() + (at.x() - rect.left()) / grid * grid, rect.top() + (at.y() - rect.top()) / grid * grid};
        const auto cell = static_cast<std::size_t>(at.y() - rect.top()) * static_cast<std::size_t>(rect.width()) + static_cast<std::size_t>(at.x() - rect.left());
        if (taken[cell])
            continue;
        taken[cell] = true;
        if (p.kind == ParetoPoint::Kind::Dominated) {
            dominated << QRect(at.x(), at.y(), kCloudPoint, kCloudPoint);
        } else {
            // A small cross: told from the cloud without its colour.
            outOfMemory << QLineF(at.x() - 1, at.y() - 1, at.x() + 1, at.y() + 1) << QLineF(at.x() - 1, at.y() + 1, at.x() + 1, at.y() - 1);
        }
    }
    painter.setPen(Qt::NoPen);
    painter.setBrush(look().mark(Mark::Cloud));
    painter.drawRects(dominated.constData(), static_cast<int>(dominated.size()));
    painter.setPen(QPen(look().mark(Mark::OutOfMemory), 1));
    painter.drawLines(outOfMemory.constData(), static_cast<int>(outOfMemory.size()));
}

void ParetoChart::paintFront(QPainter& painter) const
{
    if (m_view.empty())
        return;
    const Tokens& t = look();
    const QRectF rect(plot().axisRect()->rect());
    if (m_view.capacity.value() > 0) {
        const double x = std::round(plot().xAxis->coordToPixel(m_view.capacity.value()));
        painter.fillRect(QRectF(x, rect.top(), 1.5, rect.height() + 1), t.mark(Mark::Capacity));
    }
    painter.setRenderHint(QPainter::Antialiasing);
    QPolygonF line;
    for (const std::size_t i : m_view.front)
        line << pointAt(i);
    painter.setPen(QPen(t.mark(Mark::Front), 1.6));
    painter.drawPolyline(line);
    painter.setBrush(t.mark(Mark::Front));
    for (qsizetype k = 0; k < line.size(); ++k) {
        const bool apart = k == 0 || QLineF(line[k - 1], line[k]).length() >= kApart;
        painter.setPen(apart ? QPen(t.surface, 1) : QPen(Qt::NoPen));
        painter.drawEllipse(line[k], kFrontRadius + (apart ? 0.5 : -0.5), kFrontRadius + (apart ? 0.5 : -0.5));
    }
    if (m_current) {
        const QPointF at = pixel(m_current->memory, m_current->rate);
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(t.surface, 5));
        painter.drawEllipse(at, kRingRadius, kRingRadius);
        painter.setPen(QPen(t.text, 2));
        painter.drawEllipse(at, kRingRadius, kRingRadius);
    }
    for (const Label& label : labels()) {
        QFont font = plotFont();
        font.setWeight(label.strong ? QFont::DemiBold : QFont::Normal);
        painter.setFont(font);
        QColor veil = t.surface;
        veil.setAlphaF(0.85f);
        painter.fillRect(label.rect, veil); // the cloud behind must not fray the letters
        painter.setPen(label.strong ? t.text : t.secondaryText);
        painter.drawText(label.rect, Qt::AlignCenter, label.text);
    }
}

void ParetoChart::paintHover(QPainter& painter) const
{
    if (!hovered())
        return;
    const QPointF at = pointAt(*hovered());
    const QRectF rect(plot().axisRect()->rect());
    QColor line = look().secondaryText;
    line.setAlphaF(0.6f);
    painter.setPen(QPen(line, 1, Qt::DashLine));
    painter.drawLine(QPointF(rect.left(), at.y()), QPointF(at.x(), at.y()));
    painter.drawLine(QPointF(at.x(), at.y()), QPointF(at.x(), rect.bottom()));
    paintHoveredPoint(painter);
}

void ParetoChart::choose(std::size_t point)
{
    Q_EMIT adopted(candidate(point).strategy);
}

bool ParetoChart::pointerDoubleClicked(QPointF at)
{
    return pointNear(at).has_value();
}

std::function<void()> ParetoChart::explanationAt(QPointF at)
{
    const auto point = pointNear(at);
    if (!point)
        return nullptr;
    return [this, chosen = candidate(*point)] { Q_EMIT candidateChosen(chosen); };
}

void ParetoChart::restyle()
{
    relayout();
}

ChartTable ParetoChart::table() const
{
    ChartTable result;
    result.columns = {tr("TP"), tr("PP"), tr("DP"), tr("EP"), tr("Virtual stages"), tr("Micro-batch"), tr("Recomputation"), tr("Tokens/s"),
                      tr("Peak memory, GiB"), tr("Step, s"), tr("Fits"), tr("On the front")};
    for (const ParetoPoint& p : m_view.points) {
        const Candidate& c = m_enumeration.candidates[p.candidate];
        const Strategy& s = c.strategy;
        result.rows << QStringList{QString::number(s.tp), QString::number(s.pp), QString::number(s.dp), QString::number(s.ep), QString::number(s.vpp),
                                   QString::number(s.microBatch), recomputeText(s.recompute), cell(p.rate), cell(p.memory / kGiB),
                                   cell(c.step.value()), c.fits ? tr("yes") : tr("no"), p.kind == ParetoPoint::Kind::Front ? tr("yes") : tr("no")};
    }
    return result;
}

QString ParetoChart::description() const
{
    if (m_view.empty())
        return emptyText();
    if (m_view.front.empty())
        return tr("%1 strategies; none fits into %2.").arg(m_view.points.size()).arg(text(m_view.capacity));
    const ParetoPoint& best = m_view.points[m_view.front.back()];
    return tr("%1 strategies, %2 on the front; fastest %3 with %4: %5.")
        .arg(m_view.points.size())
        .arg(m_view.front.size())
        .arg(tokenRateText(best.rate), text(Bytes(best.memory)), candidateText(m_enumeration.candidates[best.candidate].strategy));
}

QString ParetoChart::toolTipOf(std::size_t point) const
{
    const ParetoPoint& p = m_view.points[point];
    const Candidate& c = candidate(point);
    const QString state = p.kind == ParetoPoint::Kind::OutOfMemory
        ? tr("%1 over the capacity").arg(text(c.peakMemory - m_view.capacity))
        : p.kind == ParetoPoint::Kind::Front ? tr("on the Pareto front") : tr("dominated");
    return tr("<div style='white-space:nowrap'><b>%1</b><br>%2 · %3 · step %4<br>%5 · click adopts</div>")
        .arg(candidateText(c.strategy), tokenRateText(p.rate), text(c.peakMemory), text(c.step), state);
}

} // namespace stratoplan
