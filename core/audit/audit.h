// SPDX-License-Identifier: Apache-2.0
// A run that somebody has beside the estimate of its plan: what was measured, where it differs, what explains that, and
// what would help. All of it values; core/reporting makes the sentences.
#pragma once

#include "core/audit/edits.h"
#include "core/audit/estimated_causes.h"
#include "core/audit/measured_step.h"
#include "core/audit/mfu.h"
#include "core/audit/name_claim.h"
#include "core/audit/settings.h"
#include "core/calibration/run_faults.h"

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace stratoplan::audit {

/// The step times of a training log.
struct LoggedRun {
    plan::Plan plan; ///< with what the log's arguments say
    Seconds step{}; ///< median of warm iterations
    double spread = 0; ///< of the middle 80 % of its lines, over the median
    std::int64_t iterations = 0; ///< that were used
    std::optional<double> peakGib;
    StatedSettings stated; ///< its arguments
    std::vector<std::string> differing; ///< "tp=8": what its arguments say otherwise than the plan given
};
/// The run with most iterations of a Megatron-LM log, or of a table (see core/calibration).
[[nodiscard]] tl::expected<LoggedRun, calibration::UnusableText> loggedRun(
    std::string_view text, const std::string& file, const plan::Plan& plan, const std::string& planName);

struct AuditInputs {
    plan::Plan plan;
    std::optional<LoggedRun> log;
    std::optional<Profile> profile;
    std::optional<Seconds> stated; ///< step time that somebody states
    std::optional<QuotedMfu> mfu; ///< that somebody quotes
    std::string mfuConvention; ///< by which it is meant, "causal/bf16-sparse"; empty: not known
    StatedSettings settings; ///< beside those of the log
};

/// Where the measured step comes from.
enum class StepOrigin { None, Stated, Log, Profile, Mfu };
[[nodiscard]] std::string_view key(StepOrigin origin); // "none", "stated", "log", "profile", "mfu"

/// A cause of the step, measured and estimated.
struct CauseRow {
    Cause cause{};
    std::optional<Seconds> measured;
    Seconds estimated{};
    Seconds difference{}; ///< measured, less estimated; 0 where nothing was measured
    double share = 0; ///< of the measured step
    std::optional<Seconds> hiddenMeasured; ///< of communication, behind computation
    Seconds hiddenEstimated{};
};

enum class FindingCode {
    Recomputes, ///< fused attention runs forward more often than backward, and the plan recomputes nothing; amount:
                ///< forward runs for each backward one, seconds: of computation that full recomputation adds
    SlowMatmul, ///< amount: estimated over measured
    SlowAttention, ///< the same
    SlowComputation, ///< of the memory-bound kernels; the same
    SlowOptimizer, ///< the same
    NotOverlapped, ///< communication of `cause`: amount: share that is hidden, expected: by estimate
    SlowCommunication, ///< of `cause`, hidden parts included; amount: measured over estimated
    UnknownCommunication, ///< of no axis that the profile or the plan tells
    PipelineWaits, ///< exposed transfers and waits beyond the estimate's
    HostBound, ///< idle; amount: share of the step
    ExposedCopies,
    StepsVary, ///< amount: spread of the middle 80 % over the median
    ProfilerSlows, ///< amount: step of the profile over that of the log
    WithinRange, ///< the measured step is in the 10 to 90 % range of the estimate
    Faster, ///< than the range
    OtherWorld, ///< found: ranks of the profile, limit: of the plan
    PlanOfLog, ///< the log's arguments differ from the plan given, and count
};
[[nodiscard]] std::string_view key(FindingCode code); // "recomputes", …

/// What explains a difference, or is to be known of it.
struct Finding {
    FindingCode code{};
    Cause cause{};
    Seconds seconds{}; ///< of the step that it explains; 0 where it explains none
    double amount = 0;
    double expected = 0;
    bool operator==(const Finding&) const = default;
};

struct Audit {
    plan::Plan plan; ///< that was estimated
    estimate::Estimate estimate;
    int stage = 0; ///< that the causes are of
    StepOrigin origin = StepOrigin::None;
    Seconds measured{}; ///< 0: nothing
    std::optional<MeasuredStep> step; ///< of a profile
    std::vector<CauseRow> rows; ///< that were measured or estimated, what explains the difference most first
    std::vector<Finding> findings; ///< what costs most first
    std::vector<SettingFinding> settings;
    std::vector<PlanEdit> edits;
    MfuTable mfu; ///< at the measured step, else the estimated one
    std::optional<QuotedMfu> quoted;
    MfuMatches quotedMatches; ///< where an MFU is quoted
    std::optional<NameMismatch> name;
    std::vector<LaneSlice> estimatedLane;
};

struct AuditOptions {
    const catalog::Catalog* catalog = &catalog::shippedCatalog();
    std::stop_token stop{};
    std::size_t edits = 3;
};

/// Errors: as of estimate(). Precondition: a convention that is named is one of mfuTable().
[[nodiscard]] tl::expected<Audit, std::vector<plan::Problem>> audit(
    const AuditInputs& inputs, const AuditOptions& options = {});

} // namespace stratoplan::audit
