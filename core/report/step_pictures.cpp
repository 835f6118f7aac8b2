// SPDX-License-Identifier: Apache-2.0
#include "core/estimate/step_terms.h"
#include "core/narration/estimates.h"
#include "core/report/figures.h"
#include "core/units/format.h"
#include "core/units/sentence.h"

#include <algorithm>
#include <array>

namespace stratoplan::report {
namespace {

constexpr double kLeft = 70, kRight = 76; ///< of bars, beside their names and sums
constexpr std::size_t kMostRows = 16;

struct Part {
    std::string name;
    double amount = 0;
    Look look;
};

/// Bars over one axis.
struct BarChart {
    Picture picture;
    Scale scale;
    double y = 8;
    double thickness = 18;

    void row(const std::string& name, const std::vector<Part>& parts, const std::string& sum, bool isStrong = false)
    {
        addText(picture, {kLeft - 8, y + thickness / 2 + 4}, name, Anchor::End, kLetter, kInk, isStrong);
        double at = 0;
        for (const Part& part : parts) {
            const double x = scale.at(at), width = scale.at(at + part.amount) - x;
            addBox(picture, {x, y, width, thickness}, part.look.fill, part.look.pattern);
            at += part.amount;
        }
        addText(picture, {scale.at(at) + 6, y + thickness / 2 + 4}, sum, Anchor::Start, kLetter, kInk, isStrong);
        y += thickness + 6;
    }

    void gap(const std::string& text)
    {
        addText(picture, {kLeft, y + 10}, text, Anchor::Start, kLetter, kQuiet);
        y += 18;
    }

    void axis(const std::string& title)
    {
        Strokes grid{{}, kLine, 0.6, false};
        for (const double tick : scale.ticks()) {
            grid.lines.push_back({{scale.at(tick), 4}, {scale.at(tick), y + 2}});
            addText(picture, {scale.at(tick), y + 15}, formatNumber(tick), Anchor::Middle, kLetter, kQuiet);
        }
        picture.shapes.insert(picture.shapes.begin(), std::move(grid));
        addText(picture, {(scale.from + scale.to) / 2, y + 31}, title, Anchor::Middle, kLetter, kQuiet);
        y += 42;
    }
};

std::vector<Part> partsOf(const pricing::Breakdown& breakdown)
{
    std::vector<Part> parts;
    for (const auto& [term, seconds] : estimate::stepTerms(breakdown))
        parts.push_back({asSentence(std::string(narration::describe(term))), seconds.value(), lookOfTerm(term)});
    return parts;
}

struct MemoryKind {
    const char* name;
    Bytes estimate::StageMemory::*bytes;
    Look look;
};
constexpr std::array kMemoryKinds{
    MemoryKind{"Weights", &estimate::StageMemory::weights, {0x1d4f91, Pattern::Solid}},
    MemoryKind{"Gradients", &estimate::StageMemory::gradients, {0x8fb8de, Pattern::Forward}},
    MemoryKind{"Optimizer", &estimate::StageMemory::optimizer, {0xb279a2, Pattern::Level}},
    MemoryKind{"Activations", &estimate::StageMemory::activations, {0xe69f00, Pattern::Solid}},
    MemoryKind{"Buffers", &estimate::StageMemory::buffers, {0x72b7b2, Pattern::Backward}},
    MemoryKind{"Reserve", &estimate::StageMemory::reserve, {0xcfd4da, Pattern::Dots}},
};

/// The capacity of the stages of a row of rows, as a line with its name.
void addCapacity(BarChart& chart, double gib, double top, double bottom)
{
    const double x = chart.scale.at(gib);
    addLine(chart.picture, {x, top - 2}, {x, bottom}, kWarning, 1.6);
}

std::string stageName(std::size_t stage)
{
    return filled("Stage {stage}", {{"stage", numberWord(double(stage))}});
}

} // namespace

Look lookOfTerm(estimate::StepTerm term)
{
    using enum estimate::StepTerm;
    switch (term) {
    case Forward:
        return {0x4c78a8, Pattern::Solid};
    case Backward:
        return {0x1d4f91, Pattern::Solid};
    case Recomputation:
        return {0x9ecae9, Pattern::Level};
    case ExposedTp:
        return {0xe45756, Pattern::Forward};
    case ExposedCp:
        return {0xf2a19f, Pattern::Backward};
    case ExposedEp:
        return {0xd67195, Pattern::Upright};
    case ExposedPp:
        return {0xe69f00, Pattern::Backward};
    case ExposedDp:
        return {0xf5c56b, Pattern::Crossed};
    case Bubble:
        return {0xd3d7dc, Pattern::Dots};
    case Optimizer:
        return {0xb279a2, Pattern::Solid};
    case Other:
        break;
    }
    return {0x8b95a1, Pattern::Upright};
}

std::vector<std::size_t> shownStages(std::size_t stages, std::size_t most)
{
    std::vector<std::size_t> shown;
    for (std::size_t stage = 0; stage < stages; ++stage)
        if (stages <= most || stage < most / 2 || stage + most / 2 >= stages)
            shown.push_back(stage);
    return shown;
}

Picture breakdownPicture(const estimate::Estimate& estimate)
{
    BarChart chart;
    chart.picture.title = "Where the seconds of a step go";
    chart.scale = {0, estimate.step.value(), kLeft, kPictureWidth - kRight};
    const std::vector<Part> whole = partsOf(estimate.breakdown);
    chart.thickness = 26;
    chart.row("Step", whole, format(estimate.step), true);
    const std::vector<std::size_t> shown = shownStages(estimate.stages.size(), kMostRows);
    chart.thickness = shown.size() > 8 ? 13 : 18;
    std::vector<LegendItem> legend;
    for (const Part& part : whole) {
        const bool occurs = part.amount > 0 || std::ranges::any_of(estimate.stages, [&](const auto& stage) {
            return partsOf(stage)[std::size_t(&part - whole.data())].amount > 0;
        });
        if (occurs)
            legend.push_back({part.name, part.look.fill, part.look.pattern});
    }
    for (std::size_t i = 0; i < shown.size() && estimate.stages.size() > 1; ++i) {
        if (i > 0 && shown[i] != shown[i - 1] + 1)
            chart.gap("…");
        chart.row(stageName(shown[i]), partsOf(estimate.stages[shown[i]]), "");
    }
    chart.axis("Seconds");
    chart.picture.height = addLegend(chart.picture, legend, kLeft, chart.y);
    return std::move(chart.picture);
}

Picture memoryPicture(const estimate::Memory& memory)
{
    BarChart chart;
    chart.picture.title = "Memory of each stage against its capacity";
    double most = std::max(memory.capacity.value(), memory.peakHigh.value());
    for (const estimate::StageMemory& stage : memory.stages)
        most = std::max({most, stage.capacity.value(), stage.total().value()});
    chart.scale = {0, most / kGiB * 1.04, kLeft, kPictureWidth - kRight};
    const std::vector<std::size_t> shown = shownStages(memory.stages.size(), kMostRows);
    chart.thickness = shown.size() > 8 ? 14 : 20;
    chart.y = 26;
    addText(chart.picture, {chart.scale.at(memory.capacity.value() / kGiB) - 4, 15},
        filled("Capacity {bytes}", {{"bytes", {format(memory.capacity)}}}), Anchor::End, kLetter, kWarning, true);
    for (std::size_t i = 0; i < shown.size(); ++i) {
        if (i > 0 && shown[i] != shown[i - 1] + 1)
            chart.gap("…");
        const estimate::StageMemory& stage = memory.stages[shown[i]];
        std::vector<Part> parts;
        for (const MemoryKind& kind : kMemoryKinds)
            parts.push_back({kind.name, (stage.*kind.bytes).value() / kGiB, kind.look});
        const double top = chart.y;
        chart.row(stageName(shown[i]), parts, "", int(shown[i]) == memory.peakStage);
        addCapacity(
            chart, (stage.capacity.value() > 0 ? stage.capacity : memory.capacity).value() / kGiB, top, chart.y);
        addText(chart.picture, {kPictureWidth, top + chart.thickness / 2 + 4}, format(stage.total()), Anchor::End,
            kLetter, kInk, int(shown[i]) == memory.peakStage);
    }
    chart.axis("GiB of each accelerator");
    std::vector<LegendItem> legend;
    for (const MemoryKind& kind : kMemoryKinds)
        legend.push_back({kind.name, kind.look.fill, kind.look.pattern});
    chart.picture.height = addLegend(chart.picture, legend, kLeft, chart.y);
    return std::move(chart.picture);
}

} // namespace stratoplan::report
