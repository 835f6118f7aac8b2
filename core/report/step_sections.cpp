// SPDX-License-Identifier: Apache-2.0
// Where the seconds and the bytes of a step go, its pipeline, and the front that it is a point of.
#include "core/estimate/step_terms.h"
#include "core/narration/estimates.h"
#include "core/narration/searches.h"
#include "core/report/figures.h"
#include "core/report/sections.h"
#include "core/report/wording.h"
#include "core/units/format.h"
#include "core/units/sentence.h"

#include <algorithm>
#include <cmath>

namespace stratoplan::report {
namespace {

Cell secondsCell(Seconds value)
{
    return numberCell(value.value());
}

Table breakdownTable(const estimate::Estimate& e)
{
    Table table{"", "Breakdown", {"Part of the step", "Seconds", "Share"}, {}, {0.6, 0.2, 0.2}};
    for (const auto& [term, value] : estimate::stepTerms(e.breakdown))
        if (value.value() != 0)
            table.rows.push_back({{textCell(asSentence(std::string(narration::describeInStep(term)))),
                secondsCell(value), shareCell(value / e.step)}});
    table.rows.push_back(
        {{textCell("Step"), secondsCell(e.breakdown.total()), shareCell(e.breakdown.total() / e.step)}, true});
    for (const auto& [term, value] : estimate::hiddenTerms(e.breakdown))
        if (value.value() != 0)
            table.rows.push_back({{textCell(asSentence(std::string(narration::describeHidden(term)))),
                secondsCell(value), textCell("in parallel")}});
    return table;
}

/// The parts of each stage, for spreadsheets.
Table stageTable(const estimate::Estimate& e)
{
    Table table{"Seconds of each stage", "Breakdown", {"Stage"}, {}};
    for (const auto& [term, value] : estimate::stepTerms(e.breakdown))
        table.headings.push_back(asSentence(std::string(narration::describe(term))));
    for (std::size_t stage = 0; stage < e.stages.size(); ++stage) {
        Row row{{wholeCell(double(stage))}};
        for (const auto& [term, value] : estimate::stepTerms(e.stages[stage]))
            row.cells.push_back(secondsCell(value));
        table.rows.push_back(std::move(row));
    }
    return table;
}

Cell gibCell(Bytes bytes)
{
    return fixedCell(bytes.value() / kGiB, 2);
}

Table memoryTable(const estimate::Memory& memory)
{
    Table table{"", "Memory",
        {"GiB of an accelerator", "Weights", "Gradients", "Optimizer", "Activations", "Buffers", "Reserve", "Total",
            "Capacity"},
        {}, {0.15, 0.1, 0.11, 0.11, 0.125, 0.1, 0.1, 0.1, 0.105}};
    for (std::size_t first = 0; first < memory.stages.size();) {
        std::size_t last = first; // neighbours that are alike share a row
        while (last + 1 < memory.stages.size() && memory.stages[last + 1] == memory.stages[first])
            ++last;
        const estimate::StageMemory& m = memory.stages[first];
        const std::string name = filled(first == last ? "Stage {first}" : "Stages {first}–{last}",
            {{"first", numberWord(double(first))}, {"last", numberWord(double(last))}});
        table.rows.push_back({{textCell(name), gibCell(m.weights), gibCell(m.gradients), gibCell(m.optimizer),
            gibCell(m.activations), gibCell(m.buffers), gibCell(m.reserve), gibCell(m.total()),
            gibCell(m.capacity.value() > 0 ? m.capacity : memory.capacity)}});
        first = last + 1;
    }
    return table;
}

std::string memorySentence(const estimate::Memory& memory)
{
    return filled("Stage {stage} holds most: {peak}. The chance that it does not fit is {chance}.",
        {{"stage", numberWord(memory.peakStage)}, {"peak", {narration::peakAndRange(memory.peak, memory)}},
            {"chance", {oddsText(chanceOfNoRoom(memory))}}});
}

/// What every stage does in a step, for spreadsheets.
Table laneTable(const pipeline::Timeline& timeline)
{
    Table table{"Time of each stage in a step", "Pipeline",
        {"Stage", "Busy, s", "Idle, s", "Idle share", "Micro-batches held at most"}, {}};
    const double step = timeline.step.value();
    for (std::size_t stage = 0; stage < timeline.busy.size(); ++stage)
        table.rows.push_back({{wholeCell(double(stage)), secondsCell(timeline.busy[stage]),
            secondsCell(timeline.idle[stage]), shareCell(step > 0 ? timeline.idle[stage].value() / step : 0),
            wholeCell(timeline.peakInFlight[stage])}});
    return table;
}

/// So many seconds of the step that its passes can be told apart; all of it where they can.
double shownSeconds(const pipeline::Timeline& timeline)
{
    constexpr double kPassesOfLane = 110;
    double passes = 0, seconds = 0;
    for (const pipeline::Slice& slice : timeline.slices)
        if (slice.stage == 0
            && (slice.kind == pipeline::SliceKind::Forward || slice.kind == pipeline::SliceKind::Backward)) {
            ++passes;
            seconds += double(slice.duration);
        }
    const double whole = timeline.makespan.value();
    return passes > kPassesOfLane * 1.5 ? std::min(whole, seconds / passes * kPassesOfLane) : whole;
}

Table frontTable(const Facts& facts)
{
    Table table{"The front", "Front", {"Strategy", "Step, s", "Throughput, tokens/s", "Peak memory, GiB"}, {}};
    for (const search::FoundStrategy& found : facts.search.front)
        table.rows.push_back({{textCell(strategyText(found.strategy)), secondsCell(found.step),
            numberCell(tokensPerStep(facts.chosen.plan) / found.step.value()), gibCell(found.peak)}});
    return table;
}

} // namespace

Section stepSection(const Facts& facts)
{
    const estimate::Estimate& e = facts.chosen.estimate;
    Section section{"step", "Where the step goes", {}, true};
    section.blocks.emplace_back(
        Paragraph{filled("A step takes {step}, and with a probability of 80 % between {low} and {high}. Its parts, of "
                         "the stage that "
                         "sets the pace, add up to it.",
                      {{"step", {format(e.step)}}, {"low", {format(e.stepLow)}}, {"high", {format(e.stepHigh)}}}),
            false});
    Table data = stageTable(e);
    section.blocks.emplace_back(Figure{breakdownPicture(e),
        "The whole step, and each stage. Exposed communication is what nothing hides.", std::move(data)});
    section.blocks.emplace_back(breakdownTable(e));
    return section;
}

Section memorySection(const Facts& facts)
{
    const estimate::Memory& memory = facts.chosen.estimate.memory;
    Section section{"memory", "Memory of each stage", {}, true};
    section.blocks.emplace_back(Paragraph{memorySentence(memory), false});
    section.blocks.emplace_back(
        Figure{memoryPicture(memory), "Bytes of one accelerator at the peak of its stage.", {}});
    section.blocks.emplace_back(memoryTable(memory));
    return section;
}

Section pipelineSection(const Facts& facts)
{
    Section section{"pipeline", "The pipeline of one step", {}, false};
    if (!facts.timeline) {
        section.blocks.emplace_back(
            Paragraph{"The timeline of a step has too many passes to be drawn here; the window shows it.", false});
        return section;
    }
    const pipeline::Timeline& timeline = *facts.timeline;
    const double whole = timeline.makespan.value(), shown = shownSeconds(timeline);
    section.blocks.emplace_back(
        Paragraph{filled("{stages stage|stages} and {batches micro-batch|micro-batches} a replica, "
                         "schedule {schedule}: stages are idle for {idle} of the step.",
                      {{"stages", numberWord(timeline.stages)}, {"batches", numberWord(timeline.microBatches)},
                          {"schedule", {std::string(key(facts.chosen.plan.strategy.schedule))}},
                          {"idle", {formatShare(timeline.bubbleFraction)}}}),
            false});
    const bool isCut = shown < whole;
    section.blocks.emplace_back(Figure{pipelinePicture(timeline, 0, shown),
        isCut ? filled("The first {shown} of {whole}: the pipeline fills and settles.",
            {{"shown", {format(Seconds(shown))}}, {"whole", {format(Seconds(whole))}}})
              : std::string("The whole step."),
        laneTable(timeline)});
    if (isCut)
        section.blocks.emplace_back(Figure{pipelinePicture(timeline, std::max(0.0, whole - shown), whole),
            filled("The last {shown}: it drains, gradients are reduced, the optimizer runs.",
                {{"shown", {format(Seconds(shown))}}}),
            {}});
    return section;
}

Section frontSection(const Facts& facts)
{
    Section section{"front", "Throughput against memory", {}, false};
    if (facts.search.front.empty())
        return section;
    section.blocks.emplace_back(
        Paragraph{filled("Search of the {space} space, {outcome}. Of the strategies on the front no other is faster "
                         "without more memory.",
                      {{"space", {facts.space}}, {"outcome", {narration::outcome(facts.search, {})}}}),
            false});
    section.blocks.emplace_back(
        Figure{frontPicture(facts), "Every point is a strategy; up and to the left is better.", frontTable(facts)});
    return section;
}

} // namespace stratoplan::report
