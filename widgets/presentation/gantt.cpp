// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/presentation/gantt.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace stratoplan::widgets {

namespace {

constexpr double kLegiblePixels = 15; // a slice that holds its number
constexpr float kSettled = 1.5f; // times until the first backward pass of stage 0 has ended
// Times of slices are floats: two that touch may differ by a few roundings.
constexpr double kTouching = 4.0 * std::numeric_limits<float>::epsilon();
constexpr double kIdle = 1e-12; // of the makespan: nobody waits for what is left by sums in another order

bool isFinite(const pipeline::Timeline& t)
{
    if (!std::isfinite(t.makespan.value()) || !(t.makespan.value() > 0) || t.stages < 1)
        return false;
    return std::all_of(t.slices.begin(), t.slices.end(), [&](const pipeline::Slice& s) {
        return std::isfinite(s.start) && std::isfinite(s.duration) && s.duration >= 0 && s.stage >= 0
            && s.stage < t.stages;
    });
}

double startOf(const pipeline::Slice& s)
{
    return s.start;
}

double endOf(const pipeline::Slice& s)
{
    return static_cast<double>(s.start) + s.duration;
}

bool isCommunication(pipeline::SliceKind kind)
{
    switch (kind) {
    case pipeline::SliceKind::SendForward:
    case pipeline::SliceKind::SendBackward:
    case pipeline::SliceKind::ReshardForward:
    case pipeline::SliceKind::ReshardBackward:
    case pipeline::SliceKind::GradientSync:
    case pipeline::SliceKind::ParameterGather:
        return true;
    case pipeline::SliceKind::Forward:
    case pipeline::SliceKind::Backward:
    case pipeline::SliceKind::WeightGradient:
    case pipeline::SliceKind::Recompute:
    case pipeline::SliceKind::Optimizer:
        return false;
    }
    return false;
}

void append(GanttLane& lane, const pipeline::Slice& s, std::uint32_t index)
{
    const auto end = static_cast<float>(endOf(s));
    lane.start.push_back(s.start);
    lane.end.push_back(end);
    lane.reach.push_back(lane.reach.empty() ? end : std::max(lane.reach.back(), end));
    lane.kind.push_back(s.kind);
    lane.slice.push_back(index);
}

// What slices narrower than a pixel fill of one pixel.
class PixelFill {
public:
    void add(pipeline::SliceKind kind, std::uint32_t slice, float width)
    {
        const auto k = static_cast<std::size_t>(kind);
        m_filled[k] += width;
        m_total += width;
        if (m_slices[k].width < width || !m_any[k])
            m_slices[k] = {slice, width};
        m_any[k] = true;
    }
    [[nodiscard]] bool empty() const { return !(m_total > 0); }
    /// Appends the mark of column `column`, and starts anew.
    void flush(long column, std::vector<GanttMark>& marks)
    {
        if (empty())
            return;
        const auto most =
            static_cast<std::size_t>(std::max_element(m_filled.begin(), m_filled.end()) - m_filled.begin());
        const auto left = static_cast<float>(column);
        const int level = std::clamp(static_cast<int>(std::ceil(m_total * kFullLevel - 1e-3f)), 1, kFullLevel);
        marks.push_back({left, left + 1, m_slices[most].slice, static_cast<pipeline::SliceKind>(most),
            static_cast<std::uint8_t>(level)});
        *this = {};
    }

private:
    struct Longest {
        std::uint32_t slice = 0;
        float width = 0;
    };
    std::array<float, pipeline::kSliceKinds> m_filled{};
    std::array<Longest, pipeline::kSliceKinds> m_slices{};
    std::array<bool, pipeline::kSliceKinds> m_any{};
    float m_total = 0;
};

// Collects slices narrower than a pixel; such a slice lies in one column or in two.
class PixelColumns {
public:
    explicit PixelColumns(std::vector<GanttMark>& marks)
        : m_marks(marks)
    {
    }

    void add(pipeline::SliceKind kind, std::uint32_t slice, float left, float right)
    {
        const auto column = static_cast<long>(left); // never negative
        if (column != m_column)
            moveTo(column);
        const auto border = static_cast<float>(column + 1);
        m_here.add(kind, slice, std::max(std::min(right, border) - left, kHair));
        if (right > border)
            m_next.add(kind, slice, right - border);
    }
    void flush()
    {
        m_here.flush(m_column, m_marks);
        m_next.flush(m_column + 1, m_marks);
    }

private:
    static constexpr float kHair = 1e-6f; // lost to rounding, but there

    void moveTo(long column)
    {
        m_here.flush(m_column, m_marks);
        if (column == m_column + 1)
            std::swap(m_here, m_next); // `here` is empty now
        else
            m_next.flush(m_column + 1, m_marks);
        m_column = column;
    }

    std::vector<GanttMark>& m_marks;
    PixelFill m_here;
    PixelFill m_next;
    long m_column = 0;
};

} // namespace

GanttIndex::GanttIndex(pipeline::Timeline timeline)
    : m_timeline(std::move(timeline))
{
    if (!isFinite(m_timeline)) {
        m_timeline = {};
        return;
    }
    fillLanes();
    fillKin();
    std::erase_if(m_timeline.criticalPath,
        [this](std::int32_t i) { return i < 0 || static_cast<std::size_t>(i) >= m_timeline.slices.size(); });
    m_critical.assign(m_timeline.slices.size(), false);
    for (const std::int32_t i : m_timeline.criticalPath)
        m_critical[static_cast<std::size_t>(i)] = true;
    const auto byPlace = [](const pipeline::Wait& a, const pipeline::Wait& b) {
        return a.stage != b.stage ? a.stage < b.stage : a.start < b.start;
    };
    std::vector<pipeline::Wait>& all = m_timeline.waits;
    const double shortest = kIdle * m_timeline.makespan.value();
    std::erase_if(all, [&](const pipeline::Wait& w) {
        return w.stage < 0 || w.stage >= m_timeline.stages || w.duration.value() <= shortest;
    });
    if (!std::is_sorted(all.begin(), all.end(), byPlace))
        std::stable_sort(all.begin(), all.end(), byPlace);
    for (int stage = 0; stage <= m_timeline.stages; ++stage) {
        const auto from =
            std::lower_bound(all.begin(), all.end(), stage, [](const pipeline::Wait& w, int s) { return w.stage < s; });
        m_waitsFrom.push_back(static_cast<std::size_t>(from - all.begin()));
    }
}

void GanttIndex::fillLanes()
{
    const std::vector<pipeline::Slice>& slices = m_timeline.slices;
    const auto byPlace = [](const pipeline::Slice& x, const pipeline::Slice& y) {
        return x.stage != y.stage ? x.stage < y.stage : x.start < y.start;
    };
    std::vector<std::uint32_t> order; // empty: as they are
    if (!std::is_sorted(slices.begin(), slices.end(), byPlace)) {
        order.resize(slices.size());
        std::iota(order.begin(), order.end(), 0u);
        std::stable_sort(order.begin(), order.end(),
            [&](std::uint32_t a, std::uint32_t b) { return byPlace(slices[a], slices[b]); });
    }
    m_syncBeside = syncsRunBesidePasses();
    m_lanes.resize(static_cast<std::size_t>(m_timeline.stages));
    std::vector<std::array<std::size_t, kLaneKinds>> counts(m_lanes.size());
    for (const pipeline::Slice& s : slices)
        ++counts[static_cast<std::size_t>(s.stage)][static_cast<std::size_t>(laneOf(s))];
    for (std::size_t place = 0; place < m_lanes.size() * kLaneKinds; ++place)
        m_lanes[place / kLaneKinds][place % kLaneKinds].reserve(counts[place / kLaneKinds][place % kLaneKinds]);
    for (std::size_t k = 0; k < slices.size(); ++k) {
        const std::uint32_t i = order.empty() ? static_cast<std::uint32_t>(k) : order[k];
        const pipeline::Slice& s = slices[i];
        if (!(s.duration > 0))
            continue;
        const auto kind = static_cast<std::size_t>(laneOf(s));
        m_used[kind] = true;
        append(m_lanes[static_cast<std::size_t>(s.stage)][kind], s, i);
    }
}

LaneKind GanttIndex::laneOf(const pipeline::Slice& s) const
{
    switch (s.kind) {
    case pipeline::SliceKind::SendForward:
        return LaneKind::SendForward;
    case pipeline::SliceKind::SendBackward:
        return LaneKind::SendBackward;
    case pipeline::SliceKind::ReshardForward:
        return LaneKind::ReshardForward;
    case pipeline::SliceKind::ReshardBackward:
        return LaneKind::ReshardBackward;
    case pipeline::SliceKind::GradientSync:
        return m_syncBeside ? LaneKind::Sync : LaneKind::Work;
    case pipeline::SliceKind::Forward:
    case pipeline::SliceKind::Backward:
    case pipeline::SliceKind::WeightGradient:
    case pipeline::SliceKind::Recompute:
    case pipeline::SliceKind::Optimizer:
    case pipeline::SliceKind::ParameterGather:
        return LaneKind::Work;
    }
    return LaneKind::Work;
}

bool GanttIndex::syncsRunBesidePasses() const
{
    struct Span {
        double start = 0;
        double end = 0;
    };
    std::vector<std::vector<Span>> syncs(static_cast<std::size_t>(m_timeline.stages)); // few a stage
    for (const pipeline::Slice& s : m_timeline.slices) {
        if (s.kind == pipeline::SliceKind::GradientSync && s.duration > 0)
            syncs[static_cast<std::size_t>(s.stage)].push_back({startOf(s), endOf(s)});
    }
    const double rounding = kTouching * m_timeline.makespan.value();
    return std::any_of(m_timeline.slices.begin(), m_timeline.slices.end(), [&](const pipeline::Slice& s) {
        if (isCommunication(s.kind) || !(s.duration > 0))
            return false;
        const auto& beside = syncs[static_cast<std::size_t>(s.stage)];
        return std::any_of(beside.begin(), beside.end(),
            [&](const Span& sync) { return startOf(s) < sync.end - rounding && sync.start < endOf(s) - rounding; });
    });
}

void GanttIndex::fillKin()
{
    const auto counted = [this](const pipeline::Slice& s) {
        return s.microBatch >= 0 && s.microBatch < m_timeline.microBatches && s.duration > 0;
    };
    m_kinFrom.assign(static_cast<std::size_t>(std::max(m_timeline.microBatches, 0)) + 1, 0);
    for (const pipeline::Slice& s : m_timeline.slices) {
        if (counted(s))
            ++m_kinFrom[static_cast<std::size_t>(s.microBatch) + 1];
    }
    for (std::size_t i = 1; i < m_kinFrom.size(); ++i)
        m_kinFrom[i] += m_kinFrom[i - 1];
    m_kin.resize(m_kinFrom.back());
    std::vector<std::size_t> next = m_kinFrom;
    for (std::uint32_t i = 0; i < m_timeline.slices.size(); ++i) {
        const pipeline::Slice& s = slice(i);
        if (counted(s))
            m_kin[next[static_cast<std::size_t>(s.microBatch)]++] = i;
    }
}

std::span<const std::uint32_t> GanttIndex::kin(int microBatch) const
{
    if (microBatch < 0 || static_cast<std::size_t>(microBatch) + 1 >= m_kinFrom.size())
        return {};
    const std::size_t from = m_kinFrom[static_cast<std::size_t>(microBatch)];
    return std::span(m_kin).subspan(from, m_kinFrom[static_cast<std::size_t>(microBatch) + 1] - from);
}

GanttIndex::Range GanttIndex::visible(const GanttLane& lane, double from, double to)
{
    const auto first =
        std::upper_bound(lane.reach.begin(), lane.reach.end(), static_cast<float>(from)) - lane.reach.begin();
    const auto last =
        std::lower_bound(lane.start.begin() + first, lane.start.end(), static_cast<float>(to)) - lane.start.begin();
    return {static_cast<std::size_t>(first), static_cast<std::size_t>(last)};
}

void GanttIndex::marks(const GanttLane& lane, Interval view, double width, std::vector<GanttMark>& marks)
{
    marks.clear();
    if (!(view.length() > 0) || !(width >= 1))
        return;
    const double scale = width / view.length();
    const Range range = visible(lane, view.low, view.high);
    PixelColumns columns(marks);
    for (std::size_t k = range.first; k < range.last; ++k) {
        const auto left = static_cast<float>((lane.start[k] - view.low) * scale);
        const auto right = static_cast<float>((lane.end[k] - view.low) * scale);
        if (right <= 0)
            continue; // ends before the view, under one that reaches into it
        if (right - left < 1.0f) {
            columns.add(lane.kind[k], lane.slice[k], std::max(left, 0.0f), right);
            continue;
        }
        columns.flush();
        marks.push_back(
            {std::max(left, -1.0f), std::min(right, static_cast<float>(width) + 1.0f), lane.slice[k], lane.kind[k], 0});
    }
    columns.flush();
}

std::span<const pipeline::Wait> GanttIndex::waits(int stage) const
{
    if (stage < 0 || stage >= stages())
        return {};
    const std::size_t from = m_waitsFrom[static_cast<std::size_t>(stage)];
    return std::span(m_timeline.waits).subspan(from, m_waitsFrom[static_cast<std::size_t>(stage) + 1] - from);
}

void GanttIndex::waitMarks(int stage, Interval view, double width, double narrowest, std::vector<WaitMark>& marks) const
{
    marks.clear();
    if (!(view.length() > 0))
        return;
    const std::span<const pipeline::Wait> all = waits(stage);
    const double scale = width / view.length();
    // They follow one another, so their ends rise with their starts.
    auto wait = std::lower_bound(all.begin(), all.end(), view.low,
        [](const pipeline::Wait& w, double t) { return (w.start + w.duration).value() < t; });
    for (; wait != all.end() && wait->start.value() < view.high; ++wait) {
        if (wait->duration.value() * scale < narrowest)
            continue;
        const double left = (wait->start.value() - view.low) * scale;
        marks.push_back({static_cast<float>(std::max(left, -1.0)),
            static_cast<float>(std::min(left + wait->duration.value() * scale, width + 1)), indexOf(*wait)});
    }
}

std::optional<std::uint32_t> GanttIndex::at(int stage, LaneKind kind, double seconds) const
{
    if (stage < 0 || stage >= stages())
        return std::nullopt;
    const GanttLane& lane = this->lane(stage, kind);
    const auto t = static_cast<float>(seconds);
    const auto first = std::upper_bound(lane.reach.begin(), lane.reach.end(), t) - lane.reach.begin();
    for (auto k = static_cast<std::size_t>(first); k < lane.size() && lane.start[k] <= t; ++k) {
        if (lane.end[k] > t)
            return lane.slice[k];
    }
    return std::nullopt;
}

std::optional<std::uint32_t> GanttIndex::neighbour(std::uint32_t i, int direction) const
{
    const pipeline::Slice& s = slice(i);
    const GanttLane& lane = this->lane(s.stage, laneOf(s));
    const auto [from, to] = std::equal_range(lane.start.begin(), lane.start.end(), s.start);
    for (auto k = from - lane.start.begin(); k < to - lane.start.begin(); ++k) {
        const auto next = k + direction;
        if (lane.slice[static_cast<std::size_t>(k)] == i && next >= 0
            && next < static_cast<std::ptrdiff_t>(lane.size()))
            return lane.slice[static_cast<std::size_t>(next)];
    }
    return std::nullopt;
}

const pipeline::Wait* GanttIndex::waitAt(int stage, double seconds) const
{
    const std::span<const pipeline::Wait> all = waits(stage);
    const auto after = std::upper_bound(
        all.begin(), all.end(), seconds, [](double t, const pipeline::Wait& w) { return t < w.start.value(); });
    if (after == all.begin())
        return nullptr;
    const pipeline::Wait& w = *std::prev(after);
    return seconds < (w.start + w.duration).value() ? &w : nullptr;
}

std::span<const pipeline::Wait> GanttIndex::waitsBefore(const pipeline::Slice& s) const
{
    if (laneOf(s) != LaneKind::Work)
        return {};
    const double rounding = this->rounding();
    const std::span<const pipeline::Wait> all = waits(s.stage);
    const auto endOfWait = [](const pipeline::Wait& w) { return (w.start + w.duration).value(); };
    const auto after = std::upper_bound(all.begin(), all.end(), startOf(s) + rounding,
        [&](double t, const pipeline::Wait& w) { return t < endOfWait(w); });
    auto first = after;
    double until = startOf(s);
    while (first != all.begin() && std::abs(endOfWait(*std::prev(first)) - until) <= rounding)
        until = (--first)->start.value();
    return all.subspan(static_cast<std::size_t>(first - all.begin()), static_cast<std::size_t>(after - first));
}

std::optional<std::uint32_t> GanttIndex::enderOf(const pipeline::Wait& wait) const
{
    if (wait.endedBy < 0 || static_cast<std::size_t>(wait.endedBy) >= m_timeline.slices.size())
        return std::nullopt;
    return static_cast<std::uint32_t>(wait.endedBy);
}

double GanttIndex::rounding() const
{
    return kTouching * std::max(m_timeline.makespan.value(), 0.0);
}

std::optional<std::uint32_t> GanttIndex::waitBeside(int stage, double seconds, int direction) const
{
    const std::span<const pipeline::Wait> all = waits(stage);
    const auto middle = [](const pipeline::Wait& w) { return (w.start + w.duration / 2).value(); };
    const auto next = std::partition_point(all.begin(), all.end(),
        [&](const pipeline::Wait& w) { return direction > 0 ? middle(w) <= seconds : middle(w) < seconds; });
    if (direction > 0)
        return next == all.end() ? std::nullopt : std::optional(indexOf(*next));
    return next == all.begin() ? std::nullopt : std::optional(indexOf(*std::prev(next)));
}

std::optional<std::uint32_t> GanttIndex::workBeside(int stage, double seconds, int direction) const
{
    if (stage < 0 || stage >= stages())
        return std::nullopt;
    // One runs after the other, so their middles rise with their starts.
    const GanttLane& work = lane(stage, LaneKind::Work);
    const auto next = std::partition_point(work.slice.begin(), work.slice.end(), [&](std::uint32_t i) {
        const double middle = startOf(slice(i)) + slice(i).duration / 2.0;
        return direction > 0 ? middle <= seconds : middle < seconds;
    });
    if (direction > 0)
        return next == work.slice.end() ? std::nullopt : std::optional(*next);
    return next == work.slice.begin() ? std::nullopt : std::optional(*std::prev(next));
}

Interval GanttIndex::opening(double pixels, int microBatches) const
{
    // Up to a third more than asked for, showing all is better than cutting.
    if (empty() || m_timeline.microBatches * 3 <= microBatches * 4)
        return whole();
    double end = 0;
    double settled = 0;
    float shortest = 0;
    for (const pipeline::Slice& s : m_timeline.slices) {
        if (s.microBatch >= 0 && s.microBatch < microBatches && !isCommunication(s.kind))
            end = std::max(end, endOf(s));
        if (s.kind == pipeline::SliceKind::Backward && s.stage == 0 && settled == 0)
            settled = kSettled * endOf(s);
        if (s.kind == pipeline::SliceKind::Forward && s.duration > 0 && (shortest == 0 || s.duration < shortest))
            shortest = s.duration;
    }
    const double legible = std::max(pixels / kLegiblePixels * shortest, settled);
    return {0, std::min({end * 1.01, legible, m_timeline.makespan.value()})};
}

} // namespace stratoplan::widgets
