// SPDX-License-Identifier: Apache-2.0
#include "core/calibration/cross_validation.h"

#include "core/calibration/shipped.h"
#include "core/calibration/solver.h"
#include "core/units/text.h"

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
    return run.source;
}

/// The rows of one profile.
struct Part {
    plan::SoftwareProfile prior;
    plan::SoftwareProfile start; ///< the prior, with what was fitted for its base
    Rows rows;
    Solution whole;
};

struct Task {
    const Part* part;
    std::vector<int> foldOfRow;
    int folds;
};

/// In the order of the priors, where a base stands before what is based on it; then those without a prior.
std::vector<Part> partsOf(const std::vector<MeasuredRun>& runs, const std::vector<plan::SoftwareProfile>& priors,
    plan::CalibrationTarget target)
{
    std::map<std::pair<std::ptrdiff_t, std::string>, Part> parts;
    for (const MeasuredRun& run : runs) {
        const plan::SoftwareProfile& software = run.plan.training.software;
        const auto prior = std::find_if(
            priors.begin(), priors.end(), [&](const plan::SoftwareProfile& p) { return p.id == software.id; });
        Part& part = parts[{prior - priors.begin(), software.id}];
        if (part.rows.empty())
            part.prior = prior == priors.end() ? software : *prior;
        if (measured(run, target) && estimated(run, part.prior, target))
            part.rows.push_back(&run);
    }
    std::vector<Part> result;
    for (auto& [place, part] : parts)
        if (!part.rows.empty())
            result.push_back(std::move(part));
    return result;
}

bool fitted(const Part& part)
{
    return static_cast<int>(part.rows.size()) >= fewestRows(part.prior);
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

} // namespace

// In one piece: progress is counted over the fits and the folds together, and both read the same parts.
CrossValidation crossValidate(const std::vector<MeasuredRun>& runs, const std::vector<plan::SoftwareProfile>& priors,
    plan::CalibrationTarget target, std::stop_token stop, const std::function<void(int, int)>& progress)
{
    CrossValidation result;
    const CalibrationOptions options{.target = target};
    std::vector<Part> parts = partsOf(runs, priors, target);
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
    std::vector<plan::SoftwareProfile> profiles;
    for (Part& part : parts) {
        part.start = startOf(part.prior, priors, profiles);
        part.whole = fitted(part) ? solve(part.rows, part.start, options, {}, stop) : Solution{part.start, {}, true};
        profiles.push_back(part.whole.profile);
        addErrors(part.rows, part.prior, target, before);
        addErrors(part.rows, part.whole.profile, target, after);
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
            addErrors(part.rows, part.whole.profile, target, fit);
            if (!fitted(part)) {
                addErrors(part.rows, part.start, target, leftOut);
                continue;
            }
            const auto errors = leaveOut(part.rows, task.foldOfRow, part.start, options, part.whole, stop, advance);
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
    const CalibrationOptions options{.target = target};
    int groups = 0;
    std::vector<RowError> errors;
    const std::vector<Task> tasks = tasksOf({part}, grouping, groups);
    if (tasks.empty() || !fitted(part))
        addErrors(part.rows, part.start, target, errors);
    else
        errors = leaveOut(part.rows, tasks.front().foldOfRow, part.start, options, part.whole, stop);
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
    const CalibrationOptions options{.target = target};
    std::vector<LeftOutRun> result;
    std::vector<plan::SoftwareProfile> profiles;
    std::vector<Part> parts = partsOf(runs, priors, target);
    for (std::size_t i = 0; i < parts.size() && !stop.stop_requested(); ++i) {
        Part& part = parts[i];
        part.start = startOf(part.prior, priors, profiles);
        part.whole = fitted(part) ? solve(part.rows, part.start, options, {}, stop) : Solution{part.start, {}, true};
        profiles.push_back(part.whole.profile);
        const Grouping grouping = finestGrouping(part);
        const ErrorOfRun byGroup = errorsWithout(part, grouping, target, stop);
        const ErrorOfRun bySource = errorsWithout(part, Grouping::Source, target, stop);
        for (const MeasuredRun* run : part.rows)
            if (byGroup.contains(run) && bySource.contains(run))
                result.push_back({run, labelOf(grouping, *run), byGroup.at(run), bySource.at(run)});
        if (progress)
            progress(static_cast<int>(i) + 1, static_cast<int>(parts.size()));
    }
    return result;
}

} // namespace stratoplan::calibration
