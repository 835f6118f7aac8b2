// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/pass_answer.h"

#include "app/cli/table.h"
#include "core/narration/pipelines.h"
#include "core/units/format.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace stratoplan::cli {
namespace {

using Json = nlohmann::ordered_json;

/// Of everything that is removed from one stage: what the step loses.
Seconds total(const pipeline::StageSavings& removed, std::size_t stage)
{
    Seconds sum = removed.work[stage];
    for (const Seconds cause : removed.waits[stage])
        sum += cause;
    return sum;
}

Seconds workOf(const pipeline::StageSavings& removed)
{
    Seconds sum{};
    for (const Seconds stage : removed.work)
        sum += stage;
    return sum;
}

pipeline::WaitSeconds scaled(pipeline::WaitSeconds waits, double factor)
{
    for (Seconds& cause : waits)
        cause *= factor;
    return waits;
}

/// Shares are of `step`: those of all stages together of as many steps.
void addRemoved(Json& json, const pipeline::StageSavings& removed, Seconds step)
{
    const pipeline::WaitSeconds all = pipeline::byCause(removed.waits);
    const double ofStage = step.value() > 0 ? 1 / step.value() : 0;
    json["removed_by_cause_s"] = cli::toJson(all);
    json["removed_by_cause_share"] = cli::toJson(scaled(all, ofStage / double(removed.waits.size())));
    Json seconds = Json::array();
    Json shares = Json::array();
    Json work = Json::array();
    Json totals = Json::array();
    for (std::size_t stage = 0; stage < removed.waits.size(); ++stage) {
        seconds.push_back(cli::toJson(removed.waits[stage]));
        shares.push_back(cli::toJson(scaled(removed.waits[stage], ofStage)));
        work.push_back(removed.work[stage].value());
        totals.push_back(total(removed, stage).value());
    }
    json["removed_by_stage_s"] = std::move(seconds);
    json["removed_by_stage_share"] = std::move(shares);
    json["removed_work_by_stage_s"] = std::move(work);
    json["removed_total_by_stage_s"] = std::move(totals);
}

std::string changeText(double change)
{
    constexpr double kRounding = 1e-9; // of sums in another order
    return signedShare(std::abs(change) < kRounding ? 0 : change);
}

/// "1.7 s (12 %)"; nothing where nothing is removed.
std::string removedText(Seconds removed, Seconds whole)
{
    if (removed.value() == 0)
        return "–";
    return format(removed) + " (" + (removed.value() < 0 ? "−" : "") + formatShare(std::abs(removed / whole)) + ')';
}

/// Causes of which something was removed somewhere.
std::vector<pipeline::Wait::Cause> causesOf(const pipeline::TimingPass& pass)
{
    std::vector<pipeline::Wait::Cause> causes;
    for (const pipeline::Wait::Cause cause : kCauses) {
        const auto has = [&](const pipeline::WaitSeconds& stage) { return stage[std::size_t(cause)].value() != 0; };
        const auto inStep = [&](const pipeline::TimedStep& step) {
            return std::any_of(step.removed.waits.begin(), step.removed.waits.end(), has);
        };
        if (std::any_of(pass.steps.begin(), pass.steps.end(), inStep))
            causes.push_back(cause);
    }
    return causes;
}

/// Rows of causes, the work and the sum, of what was removed.
class RemovedTable {
public:
    RemovedTable(const pipeline::TimingPass& pass, const std::string& title)
        : m_causes(causesOf(pass))
        , m_table(alignments(m_causes.size() + 2))
    {
        std::vector<std::string> heading{title};
        for (const pipeline::Wait::Cause cause : m_causes)
            heading.emplace_back(narration::describe(cause));
        heading.insert(heading.end(), {"own work", "together"});
        m_table.heading(std::move(heading));
    }

    void row(std::string name, const pipeline::WaitSeconds& waits, Seconds work, Seconds whole)
    {
        std::vector<std::string> cells{std::move(name)};
        Seconds sum = work;
        for (const Seconds cause : waits)
            sum += cause;
        for (const pipeline::Wait::Cause cause : m_causes)
            cells.push_back(removedText(waits[std::size_t(cause)], whole));
        cells.insert(cells.end(), {removedText(work, whole), removedText(sum, whole)});
        m_table.row(std::move(cells));
    }

    void rule() { m_table.rule(); }
    [[nodiscard]] std::string text() const { return m_table.text(); }

private:
    static std::vector<Align> alignments(std::size_t numbers)
    {
        std::vector<Align> columns(numbers + 1, Align::Right);
        columns.front() = Align::Left;
        return columns;
    }

    std::vector<pipeline::Wait::Cause> m_causes;
    Table m_table;
};

constexpr std::array<const char*, 5> kStepNames{"Runtime as it is", "Gradients reduced in the apply step",
    "Gradients reduced beside the passes", "Transfers sent when produced", "Transfers over links of their own"};

} // namespace

Json toJson(const pipeline::WaitSeconds& waits)
{
    Json causes = Json::object();
    for (const pipeline::Wait::Cause cause : kCauses)
        causes[key(cause)] = waits[std::size_t(cause)].value();
    return causes;
}

Json toJson(const pipeline::TimingPass& pass, bool on)
{
    Json steps = Json::array();
    for (const pipeline::TimedStep& step : pass.steps) {
        steps.push_back({{"step", key(step.step)}, {"step_s", step.seconds.value()}});
        if (step.step != pipeline::TimingStep::Original)
            addRemoved(steps.back(), step.removed, pass.without());
    }
    Json json{{"on", on}, {"without_s", pass.without().value()}, {"with_s", pass.with().value()},
        {"difference_s", (pass.without() - pass.with()).value()}, {"gain", pass.gain()}, {"steps", std::move(steps)}};
    addRemoved(json, pass.removed, pass.without());
    return json;
}

std::string describePass(const pipeline::TimingPass& pass)
{
    using enum Align;
    Table steps({Left, Right, Right});
    steps.heading({"Timing pass", "step", "change"});
    Seconds before = pass.without();
    for (const pipeline::TimedStep& step : pass.steps) {
        const double change = step.seconds / before - 1;
        steps.row({kStepNames[std::size_t(step.step)], format(step.seconds),
            step.step == pipeline::TimingStep::Original ? "" : changeText(change)});
        before = step.seconds;
    }
    steps.row({"Without over with", "", changeText(pass.gain())});
    const Seconds step = pass.without();
    const Seconds all = step * double(pass.removed.waits.size());
    RemovedTable byStep(pass, "Waits removed, all stages");
    for (const pipeline::TimedStep& each : pass.steps)
        if (each.step != pipeline::TimingStep::Original)
            byStep.row(
                kStepNames[std::size_t(each.step)], pipeline::byCause(each.removed.waits), workOf(each.removed), all);
    byStep.rule();
    byStep.row("Timing pass", pipeline::byCause(pass.removed.waits), workOf(pass.removed), all);
    RemovedTable byStage(pass, "Waits removed of stage");
    for (std::size_t stage = 0; stage < pass.removed.waits.size(); ++stage)
        byStage.row(std::to_string(stage), pass.removed.waits[stage], pass.removed.work[stage], step);
    const std::string check = "  Step without the pass less that with it: "
        + removedText(pass.without() - pass.with(), step) + ", which every stage's waits and work add up to\n";
    return steps.text() + '\n' + byStep.text() + '\n' + byStage.text() + '\n' + check;
}

} // namespace stratoplan::cli
