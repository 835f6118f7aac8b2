// SPDX-License-Identifier: Apache-2.0
// Fits the constants of a software profile to measured runs: robust non-linear least squares on the logarithm of
// estimated over measured, with a prior on every constant (its starting value and a spread). One engine for the
// shipped profiles and for a person's own rows. No constant belongs to a row, a shape or a model.
#pragma once

#include "core/calibration/run_remarks.h"
#include "core/estimate/estimate.h"
#include "core/plan/software_fields.h"

#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stratoplan::calibration {

/// Significant digits of fitted constants: what is written is what was priced.
inline constexpr int kProfileDigits = 4;

/// A constant of SoftwareProfile that can be fitted.
struct CalibrationParameter : plan::ConstantPrior {
    std::string_view key; ///< as in the catalogue: "matmul_factor"
    double unit = 1; ///< of the number in files, in the constant's own unit: what is rounded
    const plan::SoftwareField* field = nullptr;
    [[nodiscard]] double get(const plan::SoftwareProfile& profile) const { return number(profile, *field); }
    void set(plan::SoftwareProfile& profile, double value) const { setNumber(profile, *field, value); }
};
[[nodiscard]] std::span<const CalibrationParameter> calibrationParameters();

/// One measured run.
struct MeasuredRun {
    std::string id;
    plan::Plan plan;
    std::optional<double> stepSeconds;
    std::optional<double> peakGib;
    bool peakOfFirstStage = false; ///< peakGib was read on rank 0, else on the rank that has most
    bool allocatorPeak = false; ///< peakGib is of the framework's allocator: the stack's reserve lies outside it
    double batchScale = 1; ///< measured global batch over the plan's
    std::string source; ///< rows of one source may be left out together
    std::string place; ///< in the text it was read from: "line 7"
    int order = 0; ///< of that place among the others of the text
    std::vector<std::string> stated; ///< "tp=8": what that text said
    std::vector<std::string> filled; ///< "vpp=3": what it left to the plan, or to a rule
    std::vector<RunRemark> remarks; ///< e.g. how many iterations of a log were used
    std::vector<RunDoubt> doubts; ///< why the run may not be one of its plan; to be confirmed by the person
    double weight =
        1; ///< of its residual in a fit: rows that measure the same layer over again say less than their number
};

/// Of estimated / measured - 1 over the runs.
struct FitErrors {
    int n = 0;
    double meanAbs = 0, bias = 0;
    double worst = 0; ///< signed
    std::string worstId;
};

struct CalibrationOptions {
    plan::CalibrationTarget target = plan::CalibrationTarget::StepTime;
    double noise = 0.04; ///< residual (logarithm) beyond which a row counts less and less (soft L1)
    int maximumEvaluations = 4000; ///< of the whole set of rows
    std::optional<std::vector<std::string>> only = {}; ///< keys of the constants to fit; nothing: all of them
    bool holdUnidentified = false; ///< constants that the rows say nothing about stay exactly at their priors
    double spread = 1; ///< of the constants' priors, over that which they have of their own
    std::function<void(int done, int total)> progress = {}; ///< parts of the work, one thread at a time
};

struct FittedParameter {
    std::string key;
    double before = 0;
    double after = 0;
    double unit = 1; ///< as of CalibrationParameter
    bool share = false;
    double priorSpread = 0; ///< standard deviation in logarithms or logits, before the rows
    double spread = 0; ///< and after them
    bool identified = true; ///< the rows say something about it
};

/// One row of a fit, in the unit of the target: seconds or GiB.
struct FittedRow {
    std::size_t run = 0; ///< index into the runs given
    double measured = 0;
    double before = 0; ///< estimated with the constants of the start
    double after = 0;
    std::optional<double> leftOut; ///< with constants fitted on the other groups
};

struct Calibration {
    plan::SoftwareProfile profile;
    std::vector<FittedParameter> parameters;
    std::vector<FittedRow> rows; ///< those that were measured and can be estimated
    FitErrors before; ///< of the rows used
    FitErrors after;
    FitErrors leftOut; ///< each group of rows estimated with constants fitted on the others; n = 0 with one group
    bool converged = false;
    bool stopped = false; ///< before all groups were left out
};

/// Profiles whose constants are fitted together: by the same distance from each one's own, in logarithms or logits.
class Starts {
public:
    // Implicit: one profile, which every run takes, is the usual case.
    Starts(plan::SoftwareProfile only) // NOLINT(google-explicit-constructor)
        : m_profiles{std::move(only)}
    {
    }
    /// At least one. A run takes that with the id of its software, else the first.
    explicit Starts(std::vector<plan::SoftwareProfile> profiles)
        : m_profiles(std::move(profiles))
    {
    }
    [[nodiscard]] const plan::SoftwareProfile& profileOf(const MeasuredRun& run) const;
    [[nodiscard]] const std::vector<plan::SoftwareProfile>& all() const { return m_profiles; }

private:
    std::vector<plan::SoftwareProfile> m_profiles;
};

/// Fits `start` to the runs that have the measured value; they keep their own plans but take the fitted software.
/// Constants that are zero (or shares of 0 or 1) in `start` say what the stack does not do and stay as they are.
/// `groups`, one label per run, says which rows are left out together; empty = no leave-out.
[[nodiscard]] Calibration calibrate(const std::vector<MeasuredRun>& runs, const plan::SoftwareProfile& start,
    const CalibrationOptions& options, const std::vector<std::string>& groups = {}, std::stop_token stop = {});

/// The same of several profiles together, one answer each, with the rows that it takes.
[[nodiscard]] std::vector<Calibration> calibrateTogether(const std::vector<MeasuredRun>& runs, const Starts& starts,
    const CalibrationOptions& options, const std::vector<std::string>& groups = {}, std::stop_token stop = {});

} // namespace stratoplan::calibration
