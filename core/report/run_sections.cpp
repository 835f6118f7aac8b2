// SPDX-License-Identifier: Apache-2.0
// What the whole run takes and costs, what can go wrong, and what all of it rests on.
#include "core/narration/estimates.h"
#include "core/narration/problems.h"
#include "core/report/figures.h"
#include "core/report/sections.h"
#include "core/report/wording.h"
#include "core/reporting/topologies.h"
#include "core/units/format.h"
#include "core/units/sentence.h"

#include <algorithm>
#include <array>
#include <set>

namespace stratoplan::report {
namespace {

Row spreadRow(const std::string& name, const capacity::Spread& spread, double scale = 1)
{
    return {{textCell(name), numberCell(spread.mid * scale), numberCell(spread.low * scale),
        numberCell(spread.high * scale)}};
}

/// All figures of the first page, with their ranges.
Table figuresTable(const Candidate& plan)
{
    const estimate::Estimate& e = plan.estimate;
    Table table{"Figures with their ranges", "Decision", {"", "Estimate", "p10", "p90"}, {}, {0.49, 0.17, 0.17, 0.17}};
    table.rows.push_back(spreadRow("Step time, s", {e.stepLow.value(), e.step.value(), e.stepHigh.value()}));
    table.rows.push_back(spreadRow("Peak memory of an accelerator, GiB",
        {e.memory.peakLow.value(), e.memory.peak.value(), e.memory.peakHigh.value()}, 1 / kGiB));
    const auto single = [&](const std::string& name, const Cell& cell) {
        table.rows.push_back({{textCell(name), cell, textCell(""), textCell("")}});
    };
    single("Memory of an accelerator, GiB", numberCell(e.memory.capacity.value() / kGiB));
    single("Chance that it does not fit", shareCell(chanceOfNoRoom(e.memory)));
    single("Throughput, tokens/s", numberCell(e.tokensPerSecond));
    single("TFLOP/s per accelerator", numberCell(e.perAccelerator.value() / 1e12));
    single("MFU", shareCell(e.mfu));
    single("Accelerators in use", wholeCell(rankCount(plan.plan.strategy)));
    if (!hasRun(plan))
        return table;
    const capacity::Capacity& run = plan.run;
    single("Tokens, billion", numberCell(run.tokens / 1e9));
    single("Steps", wholeCell(run.steps));
    single("Accelerators paid for", wholeCell(run.paid));
    table.rows.push_back(spreadRow("Duration, days", run.days));
    if (!plan.inputs.start.empty())
        table.rows.push_back({{textCell("Delivery"), textCell(dateText(plan, run.days.mid)),
            textCell(dateText(plan, run.days.low)), textCell(dateText(plan, run.days.high))}});
    table.rows.push_back(spreadRow("Accelerator-hours", run.acceleratorHours));
    if (run.isPriced)
        table.rows.push_back(spreadRow(filled("Cost, {currency}", {{"currency", {plan.inputs.currency}}}), run.cost));
    table.rows.push_back(spreadRow("Energy, MWh", run.energyKwh, 1e-3));
    table.rows.push_back(spreadRow("CO2, t", run.co2Kg, 1e-3));
    single("Goodput", shareCell(run.goodput.share));
    return table;
}

Table goodputTable(const capacity::Goodput& goodput)
{
    Table table{"What interrupts the run", "Cost", {"Measure", "Value"}, {}, {0.7, 0.3}};
    const auto row = [&](const char* name, const Cell& cell) { table.rows.push_back({{textCell(name), cell}}); };
    const capacity::Interruptions& i = goodput.interruptions;
    row("Failures to be expected", numberCell(goodput.failures));
    row("Time between failures of the run, hours", numberCell(i.mtbf / 3600));
    row("Size of a checkpoint, GiB", numberCell(goodput.checkpoint.value() / kGiB));
    row("Training stands still for a checkpoint, s", numberCell(i.checkpoint));
    row("Training between two checkpoints, minutes", numberCell(i.interval / 60));
    row("Restart after a failure, minutes", numberCell(i.restart / 60));
    row("Wall time for checkpoints", shareCell(goodput.losses.checkpoints));
    row("Wall time of work that failures undo", shareCell(goodput.losses.lost));
    row("Wall time of restarts", shareCell(goodput.losses.restarts));
    row("Evaluation and data stalls", shareCell(goodput.stalls));
    return table;
}

std::string missingSentence(const Candidate& plan)
{
    if (!hasRun(plan))
        return "The plan states no budget: a number of tokens, steps or FLOPs under capacity makes days, delivery, "
               "cost, "
               "energy and CO2 known. Nothing is taken in its place.";
    if (!plan.run.isPriced)
        return filled(
            "No price of all accelerators is stated, and the catalogue lists none in {currency}: cost is left out.",
            {{"currency", {plan.inputs.currency}}});
    return {};
}

std::string runSummary(const Candidate& plan)
{
    const capacity::Capacity& run = plan.run;
    return filled(
        "{tokens} tokens take {steps step|steps} and {days} on {accelerators} in use, of which {training} are "
        "training without a failure.",
        {{"tokens", {formatNumber(run.tokens)}}, {"steps", numberWord(run.steps)}, {"days", {daysText(run.days.mid)}},
            {"accelerators", {countedAccelerators(run.used)}}, {"training", {daysText(run.trainingDays)}}});
}

// Risks

std::string remediesOf(const plan::Problem& problem)
{
    std::string text;
    constexpr std::size_t kMost = 2;
    for (std::size_t i = 0; i < std::min(problem.remedies.size(), kMost); ++i)
        text += (i > 0 ? "; " : "") + narration::describe(problem.remedies[i]);
    return text.empty() ? "–" : text;
}

Table riskTable(const Candidate& plan)
{
    Table table{"", "Risks", {"Kind", "Risk", "Remedy"}, {}, {0.12, 0.53, 0.35}};
    for (const plan::Problem& problem : plan.estimate.problems)
        table.rows.push_back({{textCell(asSentence(std::string(key(problem.severity)))),
            textCell(narration::describe(problem)), textCell(remediesOf(problem))}});
    for (const std::string& sentence : narration::describe(plan.estimate.extrapolates))
        table.rows.push_back({{textCell("Evidence"), textCell(sentence),
            textCell("Measure a step of this kind, and calibrate to it.")}});
    if (hasRun(plan) && !plan.run.goodput.isStated)
        table.rows.push_back({{textCell("Failures"),
            textCell(filled("{failures failure|failures} to be expected in {days}, known within a factor of two unless "
                            "their rates are stated.",
                {{"failures", numberWord(std::round(plan.run.goodput.failures))},
                    {"days", {daysText(plan.run.days.mid)}}})),
            textCell("Spare nodes, and checkpoints as often as the table of the run says.")}});
    return table;
}

std::string riskOfRange(const Candidate& plan)
{
    const estimate::Estimate& e = plan.estimate;
    return filled("The step may be {low} shorter or {high} longer than estimated: one in ten runs like it lies beyond "
                  "either end.",
        {{"low", {formatShare(1 - e.stepLow / e.step)}}, {"high", {formatShare(e.stepHigh / e.step - 1)}}});
}

// Assumptions

struct InputName {
    const char* id;
    const char* name;
    double scale;
};
constexpr std::array kInputNames{
    InputName{"accelerator_mtbf_h", "Hours between failures of an accelerator", 1},
    InputName{"node_mtbf_h", "Hours between failures of a node", 1},
    InputName{"nic_mtbf_h", "Hours between failures of a NIC", 1},
    InputName{"restart_s", "Restart after a failure, s", 1},
    InputName{"repair_h", "Repair of a node, hours", 1},
    InputName{"storage_bytes_per_s_of_node", "Storage takes from a node, MB/s", 1e-6},
    InputName{"blocking_share", "Share of a checkpoint that training waits for", 1},
    InputName{"power_share", "Power drawn, share of the rating", 1},
    InputName{"power_over_boards", "Rating of a node over its boards", 1},
    InputName{"grid_g_per_kwh", "CO2 of the grid, g/kWh", 1},
};

Row assumptionRow(const capacity::Assumption& assumption, const std::string& currency)
{
    const auto named = std::ranges::find(kInputNames, std::string_view(assumption.input), &InputName::id);
    std::string name = assumption.input;
    double value = assumption.value;
    if (named != kInputNames.end()) {
        name = named->name;
        value *= named->scale;
    } else if (name.starts_with("prices/")) {
        name = filled("Price of an accelerator-hour, {group}, {currency}",
            {{"group", {name.substr(name.find('/') + 1)}}, {"currency", {currency}}});
    }
    return {{textCell(name), numberCell(value), textCell(assumption.source), textCell(assumption.date)}};
}

/// Sources of what the step is estimated with.
Table sourcesTable(const plan::Plan& plan)
{
    Table table{"Sources of constants", "Assumptions", {"What", "Which", "Source"}, {}, {0.16, 0.24, 0.6}};
    const auto add = [&](const char* what, const std::string& which, const std::string& source) {
        const Row row{{textCell(what), textCell(which), textCell(source.empty() ? "not stated" : source)}};
        const bool isNew = std::ranges::none_of(table.rows, [&](const Row& old) { return old.cells == row.cells; });
        if (isNew)
            table.rows.push_back(row);
    };
    add("Software", plan.training.software.name, plan.training.software.source);
    for (const cluster::NodeGroup& group : plan.cluster.nodes) {
        add("Accelerator", group.accelerator.name, group.accelerator.source);
        add("Links within", group.scaleUp.name, group.scaleUp.source);
        add("NIC", group.nic.name, group.nic.source);
    }
    return table;
}

Table statedTable(const Facts& facts)
{
    const plan::CapacityInputs& inputs = facts.chosen.inputs;
    Table table{"What the plan says", "Assumptions", {"Input", "Value"}, {}, {0.3, 0.7}};
    const auto add = [&](const char* name, std::string value) {
        table.rows.push_back({{textCell(name), textCell(std::move(value))}});
    };
    add("Model", modelText(facts.chosen.plan));
    add("Cluster", reporting::describe(facts.chosen.plan.cluster));
    add("Training", trainingText(facts.chosen.plan));
    add("Strategy", strategyText(facts.chosen.plan.strategy));
    if (!hasRun(facts.chosen))
        return table;
    add("Budget",
        filled(facts.assumesTokens ? "{tokens} tokens, those that the model was trained on, as nobody states others"
                                   : "{tokens} tokens",
            {{"tokens", {formatNumber(facts.chosen.run.tokens)}}}));
    add("Start", inputs.start.empty() ? "not stated" : inputs.start);
    add("Purchase", std::string(key(inputs.purchase)) == "on_demand" ? "on demand" : std::string(key(inputs.purchase)));
    add("Idle accelerators", inputs.paysForIdle ? "are paid for" : "are not paid for");
    add("Facility power over IT power (PUE)", formatNumber(inputs.pue));
    return table;
}

} // namespace

Section runSection(const Facts& facts)
{
    const Candidate& plan = facts.chosen;
    Section section{"run", "Cost and schedule", {}, true};
    if (const std::string missing = missingSentence(plan); !missing.empty())
        section.blocks.emplace_back(Paragraph{missing, false});
    if (hasRun(plan)) {
        section.blocks.emplace_back(Paragraph{runSummary(plan), false});
        section.blocks.emplace_back(Figure{runPicture(plan), "Failures, checkpoints and the range of the step.", {}});
    }
    section.blocks.emplace_back(figuresTable(plan));
    if (hasRun(plan) && !plan.run.goodput.isStated)
        section.blocks.emplace_back(goodputTable(plan.run.goodput));
    return section;
}

Section risksSection(const Facts& facts)
{
    Section section{"risks", "Risks", {}, true};
    section.blocks.emplace_back(Paragraph{riskOfRange(facts.chosen), false});
    Table risks = riskTable(facts.chosen);
    if (risks.rows.empty())
        section.blocks.emplace_back(Paragraph{"No problem of the plan is known.", false});
    else
        section.blocks.emplace_back(std::move(risks));
    return section;
}

Section assumptionsSection(const Facts& facts)
{
    Section section{"assumptions", "Assumptions", {}, false};
    section.blocks.emplace_back(statedTable(facts));
    if (hasRun(facts.chosen) && !facts.assumptions.empty()) {
        Table table{"What nobody states, as the catalogue has it", "Assumptions", {"Input", "Value", "Source", "Date"},
            {}, {0.26, 0.11, 0.52, 0.11}};
        for (const capacity::Assumption& assumption : facts.assumptions)
            table.rows.push_back(assumptionRow(assumption, facts.chosen.inputs.currency));
        section.blocks.emplace_back(std::move(table));
    }
    section.blocks.emplace_back(sourcesTable(facts.chosen.plan));
    return section;
}

} // namespace stratoplan::report
