// SPDX-License-Identifier: Apache-2.0
#include "core/calibration/cross_validation.h"

#include "core/calibration/pools.h"
#include "core/calibration/shipped.h"
#include "core/calibration/solver.h"
#include "core/units/text.h"
#include "core/validation/report.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace stratoplan::calibration {

using namespace detail;

namespace {

std::string sizeOf(const MeasuredRun& run)
{
    return std::to_string(roundedTo(static_cast<double>(parameters(run.plan.model).total), 2));
}

std::string scheduleOf(const MeasuredRun& run)
{
    return run.plan.strategy.pp > 1 ? std::string(key(run.plan.strategy.schedule)) : std::string("none");
}

constexpr std::array kGroupings{Grouping::ModelShape, Grouping::ModelSize, Grouping::Accelerators, Grouping::Schedule,
    Grouping::Strategy, Grouping::Source};

/// What the runs of one group share.
std::string labelOf(Grouping grouping, const MeasuredRun& run)
{
    switch (grouping) {
    case Grouping::ModelShape:
        return shapeLabel(run.plan.model);
    case Grouping::ModelSize:
        return sizeOf(run);
    case Grouping::Accelerators:
        return std::to_string(rankCount(run.plan.strategy));
    case Grouping::Schedule:
        return scheduleOf(run);
    case Grouping::Strategy:
        return strategyLabel(run);
    case Grouping::Source:
        break;
    }
    return validation::publisherOf(run.source);
}

/// Rows that are fitted together.
struct Part {
    Starts starts;
    Rows rows;
};

struct Task {
    const Part* part;
    std::vector<int> foldOfRow;
    int folds;
};

/// The pools of the priors, in their order; then those of software without a prior, each by itself.
std::vector<Part> partsOf(const std::vector<MeasuredRun>& runs, const std::vector<plan::SoftwareProfile>& priors,
    plan::CalibrationTarget target)
{
    std::vector<Part> parts;
    for (std::vector<plan::SoftwareProfile>& pool : pools(priors, target))
        parts.push_back({Starts(std::move(pool)), {}});
    const auto hasProfile = [](const Part& part, const std::string& id) {
        return std::ranges::any_of(
            part.starts.all(), [&](const plan::SoftwareProfile& start) { return start.id == id; });
    };
    for (const MeasuredRun& run : runs) {
        const plan::SoftwareProfile& software = run.plan.training.software;
        auto part =
            std::ranges::find_if(parts, [&](const Part& candidate) { return hasProfile(candidate, software.id); });
        if (part == parts.end())
            part = parts.insert(parts.end(), {Starts(software), {}});
        if (measured(run, target) && estimated(run, part->starts.profileOf(run), target))
            part->rows.push_back(&run);
    }
    std::erase_if(parts, [](const Part& part) { return part.rows.empty(); });
    return parts;
}

bool fitted(const Part& part)
{
    return static_cast<int>(part.rows.size()) >= kFewestRows;
}

std::vector<Task> tasksOf(const std::vector<Part>& parts, Grouping grouping, int& groups)
{
    std::vector<Task> tasks;
    for (const Part& part : parts) {
        std::vector<std::string> labels;
        for (const MeasuredRun* run : part.rows)
            labels.push_back(labelOf(grouping, *run));
        const int distinct = static_cast<int>(std::set<std::string>(labels.begin(), labels.end()).size());
        if (distinct < 2)
            continue;
        groups += distinct;
        tasks.push_back({&part, folds(labels, kMostFolds), std::min(distinct, kMostFolds)});
    }
    return tasks;
}

/// As fitted to all rows of the part; its starts where they are too few.
Starts wholeFit(const Part& part, const CalibrationOptions& options, const std::stop_token& stop)
{
    if (!fitted(part))
        return part.starts;
    return solve(part.rows, part.starts, withoutUnidentified(part.rows, part.starts, options, stop), stop).profiles;
}

} // namespace

// In one piece: progress is counted over the fits and the folds together, and both read the same parts.
CrossValidation crossValidate(const std::vector<MeasuredRun>& runs, const std::vector<plan::SoftwareProfile>& priors,
    plan::CalibrationTarget target, std::stop_token stop, const std::function<void(int, int)>& progress)
{
    CrossValidation result;
    const CalibrationOptions options = poolOptions(target);
    const std::vector<MeasuredRun> weighedRuns = weighed(runs, priors, target);
    const std::vector<Part> parts = partsOf(weighedRuns, priors, target);
    std::vector<std::vector<Task>> tasks;
    int total = static_cast<int>(parts.size());
    for (const Grouping grouping : kGroupings) {
        result.groupings.push_back({grouping, 0, {}, {}});
        tasks.push_back(tasksOf(parts, grouping, result.groupings.back().groups));
        for (const Task& task : tasks.back())
            total += fitted(*task.part) ? task.folds : 0;
    }
    int done = 0;
    const auto advance = [&] {
        if (progress)
            progress(++done, total);
    };
    std::vector<RowError> before, after;
    std::map<const Part*, Starts> whole;
    for (const Part& part : parts) {
        const Starts& fit = whole.emplace(&part, wholeFit(part, options, stop)).first->second;
        addErrors(part.rows, part.starts, target, before);
        addErrors(part.rows, fit, target, after);
        advance();
    }
    result.prior = summary(before);
    result.fit = summary(after);
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        std::vector<RowError> fit, leftOut;
        for (const Task& task : tasks[i]) {
            if (stop.stop_requested())
                break;
            const Part& part = *task.part;
            addErrors(part.rows, whole.at(&part), target, fit);
            if (!fitted(part)) {
                addErrors(part.rows, part.starts, target, leftOut);
                continue;
            }
            const auto errors = leaveOut(part.rows, task.foldOfRow, part.starts, options, stop, advance);
            leftOut.insert(leftOut.end(), errors.begin(), errors.end());
        }
        result.groupings[i].fit = summary(fit);
        result.groupings[i].leftOut = summary(leftOut);
    }
    result.stopped = stop.stop_requested();
    return result;
}

namespace {

using ErrorOfRun = std::map<const MeasuredRun*, double>;

/// The first grouping that tells the part's rows apart.
Grouping finestGrouping(const Part& part)
{
    for (const Grouping grouping : {Grouping::ModelShape, Grouping::Accelerators}) {
        const auto differs = [&](const MeasuredRun* run) {
            return labelOf(grouping, *run) != labelOf(grouping, *part.rows.front());
        };
        if (std::any_of(part.rows.begin(), part.rows.end(), differs))
            return grouping;
    }
    return Grouping::Strategy;
}

/// Errors of the part's rows, each with its group left out of the fit; of the start where there is one group, or no
/// fit.
ErrorOfRun errorsWithout(const Part& part, Grouping grouping, plan::CalibrationTarget target, std::stop_token stop)
{
    const CalibrationOptions options = poolOptions(target);
    int groups = 0;
    std::vector<RowError> errors;
    const std::vector<Task> tasks = tasksOf({part}, grouping, groups);
    if (tasks.empty() || !fitted(part))
        addErrors(part.rows, part.starts, target, errors);
    else
        errors = leaveOut(part.rows, tasks.front().foldOfRow, part.starts, options, stop);
    ErrorOfRun result;
    for (const RowError& row : errors)
        result[row.run] = row.error;
    return result;
}

} // namespace

std::vector<LeftOutRun> leaveOutEachRun(const std::vector<MeasuredRun>& runs,
    const std::vector<plan::SoftwareProfile>& priors, plan::CalibrationTarget target, std::stop_token stop,
    const std::function<void(int, int)>& progress)
{
    std::vector<LeftOutRun> result;
    const std::vector<MeasuredRun> weighedRuns = weighed(runs, priors, target);
    const std::vector<Part> parts = partsOf(weighedRuns, priors, target);
    for (std::size_t i = 0; i < parts.size() && !stop.stop_requested(); ++i) {
        const Part& part = parts[i];
        const Grouping grouping = finestGrouping(part);
        const ErrorOfRun byGroup = errorsWithout(part, grouping, target, stop);
        const ErrorOfRun bySource = errorsWithout(part, Grouping::Source, target, stop);
        for (const MeasuredRun* run : part.rows)
            if (byGroup.contains(run) && bySource.contains(run))
                result.push_back({&runs[static_cast<std::size_t>(run - weighedRuns.data())], labelOf(grouping, *run),
                    byGroup.at(run), bySource.at(run)});
        if (progress)
            progress(static_cast<int>(i) + 1, static_cast<int>(parts.size()));
    }
    return result;
}

} // namespace stratoplan::calibration
