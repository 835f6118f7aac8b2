// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/presentation/memory_curve.h"

#include "core/narration/estimates.h"
#include "widgets/presentation/text.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace stratoplan::widgets {

namespace {

bool isCurve(const estimate::StageMemoryCurve& curve)
{
    return !curve.points.empty()
        && std::all_of(curve.points.begin(), curve.points.end(), [](const estimate::MemoryPoint& p) {
               return std::isfinite(p.at.value()) && std::isfinite(p.bytes.value()) && p.bytes.value() >= 0;
           });
}

/// What a pixel shows of a step function: where it enters and leaves, and its extremes between.
class PixelColumn {
public:
    void open(double at, double bytes)
    {
        m_from = m_to = at;
        m_first = m_last = m_low = m_high = bytes;
    }
    void add(double at, double bytes)
    {
        m_to = at;
        m_last = bytes;
        m_low = std::min(m_low, bytes);
        m_high = std::max(m_high, bytes);
    }
    void appendTo(std::vector<QPointF>& corners) const
    {
        corners.emplace_back(m_from, m_first);
        if (m_low < std::min(m_first, m_last))
            corners.emplace_back(m_from, m_low);
        if (m_high > std::max(m_first, m_last))
            corners.emplace_back(m_from, m_high);
        if (m_to > m_from || m_last != m_first)
            corners.emplace_back(m_to, m_last);
    }

private:
    double m_from = 0, m_to = 0, m_first = 0, m_last = 0, m_low = 0, m_high = 0;
};

} // namespace

std::optional<MemoryCurveView> memoryCurveView(
    estimate::MemoryTimeline timeline, Bytes capacity, int chunks, int mostLines)
{
    const double end = timeline.makespan.value();
    if (timeline.stages.empty() || !std::isfinite(end) || end <= 0 || !std::isfinite(capacity.value())
        || !std::all_of(timeline.stages.begin(), timeline.stages.end(), isCurve)
        || !(timeline.peak().bytes.value() > 0))
        return std::nullopt;
    MemoryCurveView view;
    const int stages = static_cast<int>(timeline.stages.size());
    std::set<int> drawn{timeline.peakStage};
    const int lines = std::max(2, std::min(stages, mostLines - 1));
    for (int i = 0; i < lines && stages > 1; ++i)
        drawn.insert(i * (stages - 1) / (lines - 1));
    view.drawn.assign(drawn.begin(), drawn.end());
    view.capacity = timeline.capacity() > Bytes{} ? timeline.capacity() : capacity;
    view.chunks = chunks;
    std::set<Bytes> capacities;
    for (const estimate::StageMemoryCurve& curve : timeline.stages) {
        const Bytes ofStage = curve.capacity > Bytes{} ? curve.capacity : capacity;
        if (ofStage > Bytes{})
            capacities.insert(ofStage);
        view.largest = std::max({view.largest, curve.peak.bytes.value(), ofStage.value()});
    }
    view.capacities.assign(capacities.begin(), capacities.end());
    view.legend.push_back({QStringLiteral("stage %1").arg(timeline.peakStage), Mark::Activations, Pattern::Solid,
        LegendEntry::Shape::Line});
    if (stages > 1)
        view.legend.push_back(
            {QStringLiteral("other stages"), Mark::Reserve, Pattern::Solid, LegendEntry::Shape::Line});
    view.timeline = std::move(timeline);
    return view;
}

Bytes MemoryCurveView::capacityOf(int stage) const
{
    const Bytes ofStage = timeline.stages[static_cast<std::size_t>(stage)].capacity;
    return ofStage > Bytes{} ? ofStage : capacity;
}

std::vector<QPointF> curveCorners(
    const std::vector<estimate::MemoryPoint>& points, Seconds end, Interval view, double width)
{
    std::vector<QPointF> corners;
    if (points.empty() || !(view.length() > 0) || !(width >= 1))
        return corners;
    const auto before = [](double t, const estimate::MemoryPoint& p) { return t < p.at.value(); };
    auto point = std::upper_bound(points.begin(), points.end(), view.low, before);
    double bytes = point == points.begin() ? points.front().bytes.value() : std::prev(point)->bytes.value();
    const double last = std::min(view.high, end.value());
    const double perPixel = view.length() / width;
    PixelColumn column;
    column.open(view.low, bytes);
    auto pixel = [&](double at) { return std::floor((at - view.low) / perPixel); };
    double current = 0;
    for (; point != points.end() && point->at.value() <= last; ++point) {
        const double at = point->at.value();
        if (pixel(at) != current) {
            column.appendTo(corners);
            column.open(at, bytes); // the level before the step: a vertical line leads to the new one
            current = pixel(at);
        }
        bytes = point->bytes.value();
        column.add(at, bytes);
    }
    column.appendTo(corners);
    if (corners.back().x() < last)
        corners.emplace_back(last, bytes);
    return corners;
}

QString peakInstant(const estimate::MemoryPeak& peak, int chunks)
{
    return QStringLiteral("stage %1, %2, %3")
        .arg(peak.stage)
        .arg(QString::fromStdString(narration::describeMoment(peak, chunks)), text(peak.at));
}

} // namespace stratoplan::widgets
