// SPDX-License-Identifier: Apache-2.0
#include "core/calibration/solver.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <mutex>
#include <thread>

namespace stratoplan::calibration::detail {

void addErrors(const Rows& rows, const Starts& profiles, plan::CalibrationTarget target, std::vector<RowError>& errors)
{
    for (const MeasuredRun* row : rows)
        if (const auto value = estimated(*row, profiles.profileOf(*row), target))
            errors.push_back({row, *value / *measured(*row, target) - 1});
}

FitErrors summary(const std::vector<RowError>& rows)
{
    FitErrors errors;
    errors.n = int(rows.size());
    for (const RowError& row : rows) {
        errors.meanAbs += std::abs(row.error) / errors.n;
        errors.bias += row.error / errors.n;
        if (std::abs(row.error) > std::abs(errors.worst) || errors.worstId.empty()) {
            errors.worst = row.error;
            errors.worstId = row.run->id;
        }
    }
    return errors;
}

std::string strategyLabel(const MeasuredRun& run)
{
    const parallel::Strategy& s = run.plan.strategy;
    std::string text;
    for (const int degree : {s.tp, s.pp, s.cp, s.ep, s.vpp, s.zeroStage, int(s.sequenceParallel)})
        text += std::to_string(degree) + ' ';
    return text + std::string(key(s.recompute));
}

std::vector<int> folds(const std::vector<std::string>& labels, int most)
{
    std::map<std::string, int> sizes;
    for (const std::string& label : labels)
        ++sizes[label];
    std::vector<std::pair<int, std::string>> largest;
    for (const auto& [label, size] : sizes)
        largest.emplace_back(-size, label);
    std::sort(largest.begin(), largest.end());
    // The largest label first, each into the fold with the fewest rows so far.
    std::vector<int> load(std::size_t(std::clamp(int(sizes.size()), 1, std::max(1, most))), 0);
    std::map<std::string, int> foldOf;
    for (const auto& [size, label] : largest) {
        const auto lightest = std::min_element(load.begin(), load.end());
        *lightest -= size;
        foldOf[label] = int(lightest - load.begin());
    }
    std::vector<int> result;
    for (const std::string& label : labels)
        result.push_back(foldOf[label]);
    return result;
}

std::vector<RowError> leaveOut(const Rows& rows, const std::vector<int>& foldOfRow, const Starts& starts,
    const CalibrationOptions& options, std::stop_token stop, const std::function<void()>& done)
{
    const int count = foldOfRow.empty() ? 0 : *std::max_element(foldOfRow.begin(), foldOfRow.end()) + 1;
    std::vector<std::vector<RowError>> errors(static_cast<std::size_t>(count));
    std::atomic<int> next = 0;
    std::mutex mutex;
    const auto work = [&] {
        for (int fold = next++; fold < count && !stop.stop_requested(); fold = next++) {
            Rows kept, held;
            for (std::size_t i = 0; i < rows.size(); ++i)
                (foldOfRow[i] == fold ? held : kept).push_back(rows[i]);
            const Solution solution = solve(kept, starts, withoutUnidentified(kept, starts, options, stop), stop);
            if (stop.stop_requested())
                return;
            addErrors(held, solution.profiles, options.target, errors[static_cast<std::size_t>(fold)]);
            if (done) {
                const std::scoped_lock lock(mutex);
                done();
            }
        }
    };
    {
        std::vector<std::jthread> workers;
        const int threads = std::min(count, std::max(1, static_cast<int>(std::thread::hardware_concurrency())));
        for (int i = 1; i < threads; ++i)
            workers.emplace_back(work);
        work();
    }
    std::vector<RowError> all;
    for (const auto& fold : errors)
        all.insert(all.end(), fold.begin(), fold.end());
    return all;
}

} // namespace stratoplan::calibration::detail
