// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/presentation/gantt_text.h"

#include "core/narration/pipelines.h"
#include "widgets/presentation/text.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace stratoplan {

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
    case SliceKind::ReshardForward:
    case SliceKind::ReshardBackward:
        return Mark::Hidden;
    case SliceKind::GradientSync:
    case SliceKind::ParameterGather:
        return Mark::Exposed;
    case SliceKind::Optimizer:
        return Mark::Optimizer;
    }
    return Mark::Other;
}

Pattern patternOf(SliceKind kind)
{
    switch (kind) {
    case SliceKind::Forward:
        return Pattern::Solid;
    case SliceKind::Backward:
        return Pattern::HatchHorizontal;
    case SliceKind::WeightGradient:
        return Pattern::HatchBackward;
    case SliceKind::Recompute:
        return Pattern::Dots;
    case SliceKind::SendForward:
        return Pattern::HatchForward;
    case SliceKind::SendBackward:
        return Pattern::HatchBackward;
    case SliceKind::ReshardForward:
        return Pattern::HatchCross;
    case SliceKind::ReshardBackward:
        return Pattern::HatchVertical;
    case SliceKind::GradientSync:
        return Pattern::HatchForward;
    case SliceKind::ParameterGather:
        return Pattern::HatchBackward;
    case SliceKind::Optimizer:
        return Pattern::HatchVertical;
    }
    return Pattern::Solid;
}

Pattern patternOf(Wait::Cause cause)
{
    switch (cause) {
    case Wait::Cause::WarmUp:
    case Wait::Cause::CoolDown:
        return Pattern::Dots;
    case Wait::Cause::Activation:
        return Pattern::HatchForward;
    case Wait::Cause::Gradient:
        return Pattern::HatchBackward;
    case Wait::Cause::Transfer:
        return Pattern::HatchHorizontal;
    case Wait::Cause::Queue:
        return Pattern::HatchVertical;
    case Wait::Cause::GradientSync:
        return Pattern::HatchCross;
    }
    return Pattern::Solid;
}

bool isTransfer(SliceKind kind)
{
    return kind == SliceKind::SendForward || kind == SliceKind::SendBackward;
}

QString nameOf(SliceKind kind)
{
    return text(describe(kind));
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

QString nameOf(Wait::Cause cause)
{
    switch (cause) {
    case Wait::Cause::WarmUp:
        return QStringLiteral("filling");
    case Wait::Cause::Activation:
        return QStringLiteral("waiting for an activation");
    case Wait::Cause::Gradient:
        return QStringLiteral("waiting for a gradient");
    case Wait::Cause::Transfer:
        return QStringLiteral("waiting for a transfer");
    case Wait::Cause::Queue:
        return QStringLiteral("waiting for a transfer in a queue");
    case Wait::Cause::GradientSync:
        return QStringLiteral("waiting for a gradient sync");
    case Wait::Cause::CoolDown:
        return QStringLiteral("draining");
    }
    return {};
}

QString causeText(Wait::Cause cause)
{
    switch (cause) {
    case Wait::Cause::WarmUp:
        return QStringLiteral("pipeline is filling");
    case Wait::Cause::Activation:
        return QStringLiteral("waits for the activation of another stage");
    case Wait::Cause::Gradient:
        return QStringLiteral("waits for the gradient of another stage");
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

QString chunkText(const Slice& slice, const Timeline& timeline)
{
    return QStringLiteral("chunk %1 of %2").arg(slice.chunk + 1).arg(timeline.chunks);
}

QString titleOf(const Slice& slice, const Timeline& timeline)
{
    QString title = QStringLiteral("stage %1 · %2").arg(slice.stage).arg(nameOf(slice.kind));
    if (slice.microBatch >= 0)
        title += QStringLiteral(" · micro-batch %1").arg(slice.microBatch);
    if (slice.microBatch >= 0 && timeline.chunks > 1)
        title += QStringLiteral(" · ") + chunkText(slice, timeline);
    return title;
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
    return result + QStringLiteral(" · idle %1 of all stages' time").arg(shareText(t.bubbleFraction));
}

namespace {

/// Causes that look alike have one name.
QString legendName(Wait::Cause cause)
{
    const bool atEnds = cause == Wait::Cause::WarmUp || cause == Wait::Cause::CoolDown;
    return QStringLiteral("idle: %1")
        .arg(atEnds ? text(describe(Wait::Cause::WarmUp)) + QStringLiteral(", ") + text(describe(Wait::Cause::CoolDown))
                    : text(describe(cause)));
}

} // namespace

std::vector<LegendEntry> ganttLegend(const Timeline& t)
{
    std::array<bool, kSliceKinds> occurs{};
    for (const Slice& s : t.slices)
        occurs[static_cast<std::size_t>(s.kind)] = occurs[static_cast<std::size_t>(s.kind)] || s.duration > 0;
    std::vector<LegendEntry> legend;
    for (std::size_t i = 0; i < kSliceKinds; ++i) {
        const auto kind = static_cast<SliceKind>(i);
        if (occurs[i])
            legend.push_back({nameOf(kind), markOf(kind), patternOf(kind), LegendEntry::Shape::Box});
    }
    std::vector<LegendEntry> waits; // one for causes that look alike
    for (const Wait& wait : t.waits) {
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

} // namespace stratoplan
