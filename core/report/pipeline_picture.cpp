// SPDX-License-Identifier: Apache-2.0
#include "core/report/figures.h"
#include "core/units/format.h"
#include "core/units/sentence.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace stratoplan::report {
namespace {

constexpr double kLanes = 70; ///< where they begin
constexpr std::size_t kMostLanes = 16;
constexpr double kLeastWidth = 0.12; ///< pixels: what is narrower joins its neighbour

struct SliceLook {
    const char* name;
    Look look;
};
/// By SliceKind.
constexpr std::array<SliceLook, pipeline::kSliceKinds> kLooks{{
    {"Forward", {0x4c78a8, Pattern::Solid}},
    {"Backward", {0x1d4f91, Pattern::Solid}},
    {"Weight gradient", {0x72b7b2, Pattern::Solid}},
    {"Recomputation", {0x9ecae9, Pattern::Level}},
    {"Sent forward", {0xe69f00, Pattern::Solid}},
    {"Sent backward", {0xe69f00, Pattern::Solid}},
    {"Resharded", {0xf5c56b, Pattern::Solid}},
    {"Resharded", {0xf5c56b, Pattern::Solid}},
    {"Gradient reduction", {0xe45756, Pattern::Forward}},
    {"Optimizer", {0xb279a2, Pattern::Solid}},
    {"Parameter gather", {0xd67195, Pattern::Backward}},
}};

bool isDrawn(pipeline::SliceKind kind)
{
    using enum pipeline::SliceKind;
    return kind != SendForward && kind != SendBackward && kind != ReshardForward && kind != ReshardBackward;
}

/// Slices of one kind on one lane, neighbours joined.
std::vector<Frame> framesOf(const pipeline::Timeline& timeline, int stage, pipeline::SliceKind kind, const Scale& scale,
    double top, double height)
{
    std::vector<Frame> frames;
    for (const pipeline::Slice& slice : timeline.slices) {
        const double from = std::max(double(slice.start), scale.least);
        const double to = std::min(double(slice.start) + double(slice.duration), scale.most);
        if (slice.stage != stage || slice.kind != kind || !(to > from))
            continue;
        const Frame frame{scale.at(from), top, scale.at(to) - scale.at(from), height};
        const double gap = frame.width > 1.6 ? 0.35 : 0; // neighbours are told apart where there is room
        if (!frames.empty() && frame.x - frames.back().right() < kLeastWidth && gap == 0)
            frames.back().width = frame.right() - frames.back().x;
        else
            frames.push_back({frame.x, top, frame.width - gap, height});
    }
    return frames;
}

bool isPass(pipeline::SliceKind kind)
{
    using enum pipeline::SliceKind;
    return kind == Forward || kind == Backward || kind == WeightGradient || kind == Recompute;
}

/// Where passes of a lane run together, forward ones have its upper half, as reductions have a strip below passes.
struct LaneParts {
    bool hasPairs = false;
    bool hasSyncBeside = false;
};

LaneParts partsOfLanes(const pipeline::Timeline& timeline)
{
    LaneParts parts;
    constexpr double kRounding = 1e-3; ///< of a pass: times are single precision
    double end = 0;
    int stage = -1;
    for (const pipeline::Slice& slice : timeline.slices) { // by stage, then start
        const bool isBesideLast = slice.stage == stage && slice.start < end - kRounding * slice.duration;
        if (std::exchange(stage, slice.stage) != slice.stage)
            end = 0;
        parts.hasPairs = parts.hasPairs || (isPass(slice.kind) && isBesideLast);
        parts.hasSyncBeside = parts.hasSyncBeside || (slice.kind == pipeline::SliceKind::GradientSync && isBesideLast);
        if (isPass(slice.kind))
            end = std::max(end, double(slice.start) + double(slice.duration));
    }
    return parts;
}

Frame partOf(const Frame& lane, pipeline::SliceKind kind, const LaneParts& parts)
{
    using enum pipeline::SliceKind;
    const double half = lane.height / 2;
    if (kind == GradientSync && parts.hasSyncBeside)
        return {lane.x, lane.y + lane.height * 0.7, lane.width, lane.height * 0.3};
    if (!parts.hasPairs || !isPass(kind))
        return lane;
    return {lane.x, kind == Forward ? lane.y : lane.y + half, lane.width, half};
}

using Occurring = std::array<bool, pipeline::kSliceKinds>;

/// Notes which kinds of slices there are. Of the frame only where it is from above counts.
void addLane(Picture& picture, const pipeline::Timeline& timeline, int stage, const Scale& scale, const Frame& lane,
    Occurring& occurs)
{
    const LaneParts parts = partsOfLanes(timeline);
    for (std::size_t kind = 0; kind < kLooks.size(); ++kind) {
        if (!isDrawn(pipeline::SliceKind(kind)))
            continue;
        const Frame part = partOf(lane, pipeline::SliceKind(kind), parts);
        Boxes boxes{framesOf(timeline, stage, pipeline::SliceKind(kind), scale, part.y, part.height),
            kLooks[kind].look.fill, false, 0, 0};
        if (boxes.frames.empty())
            continue;
        occurs[kind] = true;
        picture.add(std::move(boxes));
    }
}

void addSeconds(Picture& picture, const Scale& scale, double top)
{
    for (const double tick : scale.ticks(8)) {
        addLine(picture, {scale.at(tick), top}, {scale.at(tick), top + 4}, kQuiet);
        addText(picture, {scale.at(tick), top + 16}, formatNumber(tick), Anchor::Middle, kLetter, kQuiet);
    }
    addText(picture, {(scale.from + scale.to) / 2, top + 31}, "Seconds from the start of the step", Anchor::Middle,
        kLetter, kQuiet);
}

} // namespace

Picture pipelinePicture(const pipeline::Timeline& timeline, double from, double to)
{
    Picture picture;
    picture.title = "What every stage does in a step";
    const Scale scale{from, to, kLanes, kPictureWidth - 12};
    const std::vector<std::size_t> shown = shownStages(std::size_t(timeline.stages), kMostLanes);
    const double height = shown.size() > 8 ? 12 : 20;
    double y = 6;
    Occurring occurs{};
    for (std::size_t i = 0; i < shown.size(); ++i) {
        if (i > 0 && shown[i] != shown[i - 1] + 1)
            addText(picture, {kLanes, (y += 14) - 4}, "…", Anchor::Start, kLetter, kQuiet);
        addBox(picture, {scale.from, y, scale.to - scale.from, height}, kFaint);
        addText(picture, {kLanes - 8, y + height / 2 + 4},
            filled("Stage {stage}", {{"stage", numberWord(double(shown[i]))}}), Anchor::End);
        addLane(picture, timeline, int(shown[i]), scale, {0, y, 0, height}, occurs);
        y += height + 4;
    }
    addSeconds(picture, scale, y);
    std::vector<LegendItem> legend;
    for (std::size_t kind = 0; kind < kLooks.size(); ++kind)
        if (occurs[kind])
            legend.push_back({kLooks[kind].name, kLooks[kind].look.fill, Pattern::Solid});
    legend.push_back({"Waiting", kFaint, Pattern::Solid});
    picture.height = addLegend(picture, legend, kLanes, y + 42);
    return picture;
}

} // namespace stratoplan::report
