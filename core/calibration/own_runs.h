// SPDX-License-Identifier: Apache-2.0
// A person's own runs, whatever text they come in: read, checked against the plan that they change, and fitted.
#pragma once

#include "core/calibration/fit_remarks.h"
#include "core/calibration/run_table.h"
#include "core/calibration/run_text.h"
#include "core/calibration/shipped.h"

#include <filesystem>

namespace stratoplan::calibration {

/// What the reader of a text may take from elsewhere.
struct RunContext {
    std::string file; ///< how messages call the text
    const plan::Plan* plan = nullptr; ///< what the runs change; measured cases need none
    std::string planName; ///< how messages call the plan
    std::optional<plan::SoftwareProfile> software = {}; ///< for measured cases: in place of each case's own
};

struct NamedPlan {
    std::string name; ///< as the text has it
    plan::Plan plan;
};
/// The plan that a table names in a line "# plan: NAME": a shipped example, or else a file, as seen from `folder`.
/// Nothing if it names none.
[[nodiscard]] tl::expected<std::optional<NamedPlan>, exchange::DocumentErrors> planNamedBy(
    std::string_view text, const std::filesystem::path& folder);

/// The runs of a table, a Megatron-LM log or measured cases. Lines and runs that cannot be used, or measured what no
/// run of their plan can, are in `faulty`; errors are those of the text as a whole, and what a log and its plan say
/// differently.
[[nodiscard]] tl::expected<RunTable, UnusableText> readRuns(std::string_view text, const RunContext& context);

/// Why a plan cannot be estimated; nothing if it can.
[[nodiscard]] std::optional<plan::Problem> whyNotEstimable(const plan::Plan& plan);

/// With fewer rows than this only one constant of each kind is fitted: the matrix rate, the memory reserve.
inline constexpr int kRowsForAFit = 3;

/// What is left out together: the rows of one strategy, or where all have the same one each row; more than fifty share
/// ten parts.
[[nodiscard]] std::vector<std::string> leftOutLabels(const std::vector<MeasuredRun>& runs);

struct OwnFit {
    FittedProfile fitted;
    std::vector<FitFault> faults; ///< what the fit does not explain
    std::vector<FitWarning> warnings; ///< few rows, constants that they say nothing about
    std::optional<UnusableProfile> refusal; ///< why no plan can use the profile
    bool stopped = false;
};
/// Fits `start` to runs of one stack. `progress` may be called from any thread, one at a time.
[[nodiscard]] OwnFit fitOwnRuns(const plan::SoftwareProfile& start, const std::vector<MeasuredRun>& runs,
    const std::string& source, std::stop_token stop = {},
    const std::function<void(int done, int total)>& progress = {});

} // namespace stratoplan::calibration
