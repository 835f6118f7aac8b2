// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/presentation/gantt.h"

#include "widgets/presentation/text.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace stratoplan {

namespace {

constexpr std::size_t kKinds = kSliceKinds;
constexpr double kLegiblePixels = 15; // a slice that holds its number
constexpr float kSettled = 1.5f;      // times until the first backward pass of stage 0 has ended

bool drawable(const Timeline& t)
{
    if (!std::isfinite(t.makespan.value()) || !(t.makespan.value() > 0) || t.stages < 1)
        return false;
    return std::all_of(t.slices.begin(), t.slices.end(), [&](const Slice& s) {
        return std::isfinite(s.start) && std::isfinite(s.duration) && s.duration >= 0 && s.stage >= 0 && s.stage < t.stages;
    });
}

float endOf(const Slice& s)
{
    return s.start + s.duration;
}

// Collects slices narrower than a pixel until the pixel changes; the kind that fills it most wins.
class PixelColumn {
public:
    explicit PixelColumn(std::vector<GanttMark>& out) : m_out(out) {}

    void add(std::uint32_t slice, SliceKind kind, float left, float right)
    {
        const auto column = static_cast<long>(std::floor(left));
        if (m_count > 0 && column != m_column)
            flush();
        m_column = column;
        const float width = std::max(right - left, 1e-6f);
        float& filled = m_filled[static_cast<std::size_t>(kind)];
        filled += width;
        if (m_count == 0 || filled > m_most) {
            m_most = filled;
            m_slice = slice;
        }
        m_total += width;
        ++m_count;
    }

    void flush()
    {
        if (m_count == 0)
            return;
        // A column that is mostly idle must not look busy: it is drawn where its work is, at least a sliver.
        const auto left = static_cast<float>(m_column);
        m_out.push_back({m_slice, left, left + std::clamp(m_total, 0.35f, 1.0f), m_count > 1});
        m_filled.fill(0);
        m_most = m_total = 0;
        m_count = 0;
    }

private:
    std::vector<GanttMark>& m_out;
    std::array<float, kKinds> m_filled{};
    float m_most = 0;
    float m_total = 0;
    std::uint32_t m_slice = 0;
    long m_column = 0;
    int m_count = 0;
};

} // namespace

GanttIndex::GanttIndex(Timeline timeline) : m_timeline(std::move(timeline))
{
    if (!drawable(m_timeline)) {
        m_timeline = {};
        return;
    }
    m_work.resize(static_cast<std::size_t>(m_timeline.stages));
    m_transfers.resize(m_work.size());
    for (std::uint32_t i = 0; i < m_timeline.slices.size(); ++i) {
        const Slice& s = m_timeline.slices[i];
        auto& lanes = isTransfer(s.kind) ? m_transfers : m_work;
        lanes[static_cast<std::size_t>(s.stage)].slices.push_back(i);
    }
    for (auto* lanes : {&m_work, &m_transfers}) {
        for (GanttLane& lane : *lanes) {
            const auto byStart = [this](std::uint32_t a, std::uint32_t b) { return slice(a).start < slice(b).start; };
            if (!std::is_sorted(lane.slices.begin(), lane.slices.end(), byStart))
                std::stable_sort(lane.slices.begin(), lane.slices.end(), byStart);
            lane.reach.reserve(lane.slices.size());
            float reach = 0;
            for (const std::uint32_t i : lane.slices) {
                reach = std::max(reach, endOf(slice(i)));
                lane.reach.push_back(reach);
            }
        }
    }
}

GanttIndex::Range GanttIndex::visible(const GanttLane& lane, double from, double to) const
{
    const auto first = std::upper_bound(lane.reach.begin(), lane.reach.end(), static_cast<float>(from)) - lane.reach.begin();
    const auto last = std::lower_bound(lane.slices.begin() + first, lane.slices.end(), static_cast<float>(to),
                                       [this](std::uint32_t i, float t) { return slice(i).start < t; })
        - lane.slices.begin();
    return {static_cast<std::size_t>(first), static_cast<std::size_t>(std::max(first, last))};
}

std::vector<GanttMark> GanttIndex::marks(const GanttLane& lane, Interval view, double width) const
{
    std::vector<GanttMark> result;
    if (!(view.length() > 0) || !(width >= 1))
        return result;
    const double scale = width / view.length();
    const Range range = visible(lane, view.low, view.high);
    PixelColumn column(result);
    for (std::size_t k = range.first; k < range.last; ++k) {
        const std::uint32_t i = lane.slices[k];
        const Slice& s = slice(i);
        const auto left = static_cast<float>((s.start - view.low) * scale);
        const auto right = static_cast<float>((static_cast<double>(s.start) + s.duration - view.low) * scale);
        if (right <= 0)
            continue;
        if (right - left < 1.0f) {
            column.add(i, s.kind, std::max(left, 0.0f), right);
            continue;
        }
        column.flush();
        result.push_back({i, std::max(left, -1.0f), std::min(right, static_cast<float>(width) + 1.0f), false});
    }
    column.flush();
    return result;
}

std::optional<std::uint32_t> GanttIndex::at(int stage, double seconds, bool transfer) const
{
    if (stage < 0 || stage >= stages())
        return std::nullopt;
    const GanttLane& lane = transfer ? transfers(stage) : work(stage);
    const auto t = static_cast<float>(seconds);
    const auto first = std::upper_bound(lane.reach.begin(), lane.reach.end(), t) - lane.reach.begin();
    for (auto k = static_cast<std::size_t>(first); k < lane.slices.size(); ++k) {
        const Slice& s = slice(lane.slices[k]);
        if (s.start > t)
            break;
        if (endOf(s) > t)
            return lane.slices[k];
    }
    return std::nullopt;
}

std::optional<Wait> GanttIndex::waitAt(int stage, double seconds) const
{
    for (const Wait& w : m_timeline.waits) {
        if (w.stage == stage && w.start.value() <= seconds && seconds < (w.start + w.duration).value())
            return w;
    }
    return std::nullopt;
}

Interval GanttIndex::opening(double pixels, int microBatches) const
{
    // Up to a third more than asked for, showing all is better than cutting.
    if (empty() || m_timeline.microBatches * 3 <= microBatches * 4)
        return whole();
    float end = 0;
    float settled = 0;
    float shortest = 0;
    for (const Slice& s : m_timeline.slices) {
        if (s.microBatch >= 0 && s.microBatch < microBatches && !isTransfer(s.kind))
            end = std::max(end, endOf(s));
        if (s.kind == SliceKind::Backward && s.stage == 0 && settled == 0)
            settled = kSettled * endOf(s);
        if (s.kind == SliceKind::Forward && s.duration > 0 && (shortest == 0 || s.duration < shortest))
            shortest = s.duration;
    }
    const double legible = std::max(pixels / kLegiblePixels * shortest, static_cast<double>(settled));
    return {0, std::min({end * 1.01, legible, m_timeline.makespan.value()})};
}

Mark markOf(SliceKind kind)
{
    switch (kind) {
    case SliceKind::Forward:
        return Mark::Forward;
    case SliceKind::Backward:
    case SliceKind::WeightGradient:
        return Mark::Backward;
    case SliceKind::Recompute:
        return Mark::Recompute;
    case SliceKind::SendForward:
    case SliceKind::SendBackward:
        return Mark::Hidden;
    case SliceKind::GradientSync:
        return Mark::Exposed;
    case SliceKind::Optimizer:
        return Mark::Optimizer;
    }
    return Mark::Other;
}

Pattern patternOf(SliceKind kind)
{
    switch (kind) {
    case SliceKind::GradientSync:
        return Pattern::HatchForward;
    case SliceKind::WeightGradient:
        return Pattern::HatchBackward;
    default:
        return Pattern::Solid;
    }
}

bool isTransfer(SliceKind kind)
{
    return kind == SliceKind::SendForward || kind == SliceKind::SendBackward;
}

QString nameOf(SliceKind kind)
{
    switch (kind) {
    case SliceKind::Forward:
        return QStringLiteral("forward");
    case SliceKind::Backward:
        return QStringLiteral("backward");
    case SliceKind::WeightGradient:
        return QStringLiteral("weight gradient");
    case SliceKind::Recompute:
        return QStringLiteral("recompute");
    case SliceKind::SendForward:
        return QStringLiteral("send activation");
    case SliceKind::SendBackward:
        return QStringLiteral("send gradient");
    case SliceKind::GradientSync:
        return QStringLiteral("gradient sync");
    case SliceKind::Optimizer:
        return QStringLiteral("optimizer");
    }
    return {};
}

QString chunkText(const Slice& slice, const Timeline& timeline)
{
    return QStringLiteral("chunk %1 of %2").arg(slice.chunk + 1).arg(timeline.chunks);
}

QString causeText(Wait::Cause cause)
{
    switch (cause) {
    case Wait::Cause::WarmUp:
        return QStringLiteral("pipeline is filling");
    case Wait::Cause::Activation:
        return QStringLiteral("waits for the activation of the stage before");
    case Wait::Cause::Gradient:
        return QStringLiteral("waits for the gradient of the stage after");
    case Wait::Cause::Transfer:
        return QStringLiteral("waits for a transfer on its way");
    case Wait::Cause::Queue:
        return QStringLiteral("waits for a transfer that stands behind others");
    case Wait::Cause::GradientSync:
        return QStringLiteral("waits for a gradient reduction");
    case Wait::Cause::CoolDown:
        return QStringLiteral("done; other stages are still draining");
    }
    return {};
}

QString summary(const Timeline& t)
{
    const auto plural = [](int n, const char* one, const char* many) {
        return QStringLiteral("%1 %2").arg(n).arg(QString::fromLatin1(n == 1 ? one : many));
    };
    QString result = plural(t.stages, "stage", "stages");
    if (t.chunks > 1)
        result += QStringLiteral(" × %1 chunks").arg(t.chunks);
    result += QStringLiteral(" · ") + plural(t.microBatches, "micro-batch", "micro-batches");
    return result + QStringLiteral(" · bubble %1 of all stages").arg(shareText(t.bubbleFraction));
}

std::vector<LegendEntry> ganttLegend(const Timeline& t)
{
    std::array<bool, kKinds> occurs{};
    for (const Slice& s : t.slices)
        occurs[static_cast<std::size_t>(s.kind)] = occurs[static_cast<std::size_t>(s.kind)] || s.duration > 0;
    std::vector<LegendEntry> legend;
    const auto add = [&](SliceKind kind, const QString& name) {
        legend.push_back({name, markOf(kind), patternOf(kind), LegendEntry::Shape::Box});
    };
    for (const SliceKind kind : {SliceKind::Forward, SliceKind::Backward, SliceKind::WeightGradient, SliceKind::Recompute, SliceKind::GradientSync,
             SliceKind::Optimizer}) {
        if (occurs[static_cast<std::size_t>(kind)])
            add(kind, nameOf(kind));
    }
    if (occurs[static_cast<std::size_t>(SliceKind::SendForward)] || occurs[static_cast<std::size_t>(SliceKind::SendBackward)])
        add(SliceKind::SendForward, QStringLiteral("transfer"));
    return legend;
}

} // namespace stratoplan
