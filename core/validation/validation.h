// SPDX-License-Identifier: Apache-2.0
// Measured cases against estimates. A case is read (fields of resources/docs/validation-fields.md), turned into a Plan
// by stated rules, estimated and compared; statistics are by source group and overall.
#pragma once

#include "core/catalog/catalog.h"
#include "core/estimate/estimate.h"
#include "core/validation/case_file.h"

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <tl/expected.hpp>
#include <vector>

namespace stratoplan::validation {

/// A measured case with the plan it stands for.
struct MeasuredCase {
    std::string id;
    std::string group;
    std::string rankingKey; ///< cases with one key were measured side by side
    plan::Plan plan;
    std::optional<double> stepSeconds; ///< measured
    std::optional<double> peakGib; ///< measured
    std::vector<std::string> filled; ///< "field=value" for what the source leaves open
    double batchScale = 1; ///< measured global batch over the priced one
    std::string citation = {}; ///< where it was published
    std::string status = {}; ///< of a run that failed: "oom-certain", "oom-likely"
    bool peakOfFirstStage = false; ///< its peak was read on rank 0, else on the rank that has most
    double nearLow = 1, nearHigh = 1; ///< as of CasePlan: they widen the range of its step
};

struct CaseSet {
    std::vector<MeasuredCase> cases;
    std::vector<SkippedCase> skipped; ///< rows that cannot be read, or cannot become a plan
    int total = 0;
};

/// What every case of a file has in common, whatever its source says.
struct CaseOptions {
    std::string file; ///< for errors
    std::optional<plan::SoftwareProfile> software; ///< in place of the profile of each case's stack
};
/// An error is a text that holds no rows at all.
[[nodiscard]] tl::expected<CaseSet, exchange::DocumentError> readCases(
    std::string_view json, const catalog::Catalog& catalog, const CaseOptions& options = {});

struct CaseResult {
    std::string id;
    std::string group;
    std::optional<double> measuredSeconds, estimatedSeconds, lowSeconds, highSeconds, error;
    std::optional<double> measuredGib, estimatedGib, lowGib, highGib, memoryError;
    std::vector<std::string> filled;
    bool fits = true; ///< all ranks, as estimated
};

/// Of error = estimated / measured - 1 over a set of cases; shares of one.
struct ErrorStatistics {
    int n = 0;
    double meanAbs = 0, medianAbs = 0, bias = 0, p90Abs = 0, meanAccuracy = 0;
    std::optional<double> withinRange; ///< share of the cases with evidence that lie in the range which their own shape
                                       ///< had no part in; of a file without any, and of peaks, in that of their
                                       ///< estimate; none where no case has a range
    double worst = 0; ///< signed error of the worst case
    std::string worstId;
};
/// Over groups of at least five strategies measured side by side.
struct RankingStatistics {
    int groups = 0;
    double spearmanMean = 0, regretMean = 0, within2Percent = 0;
};

struct GroupStatistics {
    std::string group;
    ErrorStatistics time;
    ErrorStatistics memory;
};

struct Validation {
    int total = 0;
    bool stopped = false; ///< not every case was estimated
    std::vector<CaseResult> rows;
    std::vector<SkippedCase> skipped;
    ErrorStatistics overall;
    ErrorStatistics memory;
    std::vector<GroupStatistics> groups;
    RankingStatistics ranking;
};

/// Estimates every case it can and says why for each it cannot; stops early with what it has.
[[nodiscard]] Validation validate(
    const CaseSet& cases, std::stop_token stop = {}, const std::function<void(int done, int total)>& progress = {});

/// The compact copy of the open cases shipped in resources/validation.
[[nodiscard]] std::string_view shippedCases();

} // namespace stratoplan::validation
