// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/presentation/gantt_text.h"

#include "core/narration/pipelines.h"
#include "widgets/presentation/text.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace stratoplan::widgets {

Mark markOf(pipeline::SliceKind kind)
{
    switch (kind) {
    case pipeline::SliceKind::Forward:
        return Mark::Forward;
    case pipeline::SliceKind::Backward:
    case pipeline::SliceKind::WeightGradient:
        return Mark::Backward;
    case pipeline::SliceKind::Recompute:
        return Mark::Recompute;
    case pipeline::SliceKind::SendForward:
    case pipeline::SliceKind::SendBackward:
    case pipeline::SliceKind::ReshardForward:
    case pipeline::SliceKind::ReshardBackward:
        return Mark::Hidden;
    case pipeline::SliceKind::GradientSync:
    case pipeline::SliceKind::ParameterGather:
        return Mark::Exposed;
    case pipeline::SliceKind::Optimizer:
        return Mark::Optimizer;
    }
    return Mark::Other;
}

Pattern patternOf(pipeline::SliceKind kind)
{
    switch (kind) {
    case pipeline::SliceKind::Forward:
        return Pattern::Solid;
    case pipeline::SliceKind::Backward:
        return Pattern::HatchHorizontal;
    case pipeline::SliceKind::WeightGradient:
        return Pattern::HatchBackward;
    case pipeline::SliceKind::Recompute:
        return Pattern::Dots;
    case pipeline::SliceKind::SendForward:
        return Pattern::HatchForward;
    case pipeline::SliceKind::SendBackward:
        return Pattern::HatchBackward;
    case pipeline::SliceKind::ReshardForward:
        return Pattern::HatchCross;
    case pipeline::SliceKind::ReshardBackward:
        return Pattern::HatchVertical;
    case pipeline::SliceKind::GradientSync:
        return Pattern::HatchForward;
    case pipeline::SliceKind::ParameterGather:
        return Pattern::HatchBackward;
    case pipeline::SliceKind::Optimizer:
        return Pattern::HatchVertical;
    }
    return Pattern::Solid;
}

Pattern patternOf(pipeline::Wait::Cause cause)
{
    switch (cause) {
    case pipeline::Wait::Cause::WarmUp:
    case pipeline::Wait::Cause::CoolDown:
        return Pattern::Dots;
    case pipeline::Wait::Cause::Activation:
        return Pattern::HatchForward;
    case pipeline::Wait::Cause::Gradient:
        return Pattern::HatchBackward;
    case pipeline::Wait::Cause::Transfer:
        return Pattern::HatchHorizontal;
    case pipeline::Wait::Cause::Queue:
        return Pattern::HatchVertical;
    case pipeline::Wait::Cause::GradientSync:
        return Pattern::HatchCross;
    }
    return Pattern::Solid;
}

QString nameOf(pipeline::SliceKind kind)
{
    return text(narration::describe(kind));
}

QString nameOf(LaneKind lane)
{
    switch (lane) {
    case LaneKind::Work:
        return QStringLiteral("work");
    case LaneKind::SendForward:
        return QStringLiteral("activations");
    case LaneKind::SendBackward:
        return QStringLiteral("gradients");
    case LaneKind::ReshardForward:
        return QStringLiteral("resharded activations");
    case LaneKind::ReshardBackward:
        return QStringLiteral("resharded gradients");
    case LaneKind::Sync:
        return QStringLiteral("gradient sync");
    }
    return {};
}

QString nameOf(pipeline::Wait::Cause cause)
{
    switch (cause) {
    case pipeline::Wait::Cause::WarmUp:
        return QStringLiteral("filling");
    case pipeline::Wait::Cause::Activation:
        return QStringLiteral("waiting for an activation");
    case pipeline::Wait::Cause::Gradient:
        return QStringLiteral("waiting for a gradient");
    case pipeline::Wait::Cause::Transfer:
        return QStringLiteral("waiting for a transfer");
    case pipeline::Wait::Cause::Queue:
        return QStringLiteral("waiting for a transfer in a queue");
    case pipeline::Wait::Cause::GradientSync:
        return QStringLiteral("waiting for a gradient sync");
    case pipeline::Wait::Cause::CoolDown:
        return QStringLiteral("draining");
    }
    return {};
}

QString causeText(pipeline::Wait::Cause cause)
{
    switch (cause) {
    case pipeline::Wait::Cause::WarmUp:
        return QStringLiteral("pipeline is filling");
    case pipeline::Wait::Cause::Activation:
        return QStringLiteral("waits for the activation of another stage");
    case pipeline::Wait::Cause::Gradient:
        return QStringLiteral("waits for the gradient of another stage");
    case pipeline::Wait::Cause::Transfer:
        return QStringLiteral("waits for a transfer on its way");
    case pipeline::Wait::Cause::Queue:
        return QStringLiteral("waits for a transfer that stands behind others");
    case pipeline::Wait::Cause::GradientSync:
        return QStringLiteral("waits for a gradient reduction");
    case pipeline::Wait::Cause::CoolDown:
        return QStringLiteral("done; other stages are still draining");
    }
    return {};
}

QString chunkText(const pipeline::Slice& slice, const pipeline::Timeline& timeline)
{
    return QStringLiteral("chunk %1 of %2").arg(slice.chunk + 1).arg(timeline.chunks);
}

QString titleOf(const pipeline::Slice& slice, const pipeline::Timeline& timeline)
{
    QString title = QStringLiteral("stage %1 · %2").arg(slice.stage).arg(nameOf(slice.kind));
    if (slice.microBatch >= 0)
        title += QStringLiteral(" · micro-batch %1").arg(slice.microBatch);
    if (slice.microBatch >= 0 && timeline.chunks > 1)
        title += QStringLiteral(" · ") + chunkText(slice, timeline);
    return title;
}

QString summary(const pipeline::Timeline& t)
{
    const auto plural = [](int n, const char* singular, const char* many) {
        return QStringLiteral("%1 %2").arg(n).arg(QString::fromLatin1(n == 1 ? singular : many));
    };
    QString result = plural(t.stages, "stage", "stages");
    if (t.chunks > 1)
        result += QStringLiteral(" × %1 chunks").arg(t.chunks);
    result += QStringLiteral(" · ") + plural(t.microBatches, "micro-batch", "micro-batches");
    return result + QStringLiteral(" · idle %1 of all stages' time").arg(shareText(t.bubbleFraction));
}

namespace {

/// Causes that look alike have one name.
QString legendName(pipeline::Wait::Cause cause)
{
    const bool atEnds = cause == pipeline::Wait::Cause::WarmUp || cause == pipeline::Wait::Cause::CoolDown;
    return QStringLiteral("idle: %1")
        .arg(atEnds ? text(narration::describe(pipeline::Wait::Cause::WarmUp)) + QStringLiteral(", ")
                    + text(narration::describe(pipeline::Wait::Cause::CoolDown))
                    : text(narration::describe(cause)));
}

} // namespace

std::vector<LegendEntry> ganttLegend(const pipeline::Timeline& t)
{
    std::array<bool, pipeline::kSliceKinds> occurs{};
    for (const pipeline::Slice& s : t.slices)
        occurs[static_cast<std::size_t>(s.kind)] = occurs[static_cast<std::size_t>(s.kind)] || s.duration > 0;
    std::vector<LegendEntry> legend;
    for (std::size_t i = 0; i < pipeline::kSliceKinds; ++i) {
        const auto kind = static_cast<pipeline::SliceKind>(i);
        if (occurs[i])
            legend.push_back({nameOf(kind), markOf(kind), patternOf(kind), LegendEntry::Shape::Box});
    }
    std::vector<LegendEntry> waits; // one for causes that look alike
    for (const pipeline::Wait& wait : t.waits) {
        const Pattern pattern = patternOf(wait.cause);
        if (!(wait.duration > Seconds(0))
            || std::any_of(waits.begin(), waits.end(), [&](const LegendEntry& e) { return e.pattern == pattern; }))
            continue;
        waits.push_back({legendName(wait.cause), Mark::Bubble, pattern, LegendEntry::Shape::Ground});
    }
    legend.insert(legend.end(), waits.begin(), waits.end());
    return legend;
}

namespace {

constexpr double kRounding = 1e-9; // of times summed in another order

bool areTheSame(Seconds a, Seconds b)
{
    return std::abs((a - b).value()) <= kRounding * std::max(std::abs(a.value()), std::abs(b.value()));
}

} // namespace

QString changeText(Seconds from, Seconds to)
{
    return areTheSame(from, to) ? QStringLiteral("±0")
                                : signedText((to - from).value(), text(Seconds(std::abs((to - from).value()))));
}

QString shareChangeText(Seconds from, Seconds to)
{
    if (areTheSame(from, to) || !(from > Seconds(0)))
        return QStringLiteral("±0 %");
    const double change = to / from - 1;
    return signedText(change, shareText(std::abs(change)));
}

} // namespace stratoplan::widgets
