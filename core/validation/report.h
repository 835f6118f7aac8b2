// SPDX-License-Identifier: Apache-2.0
// What a person is shown of the measured cases: per source the errors on the cases that the constants were fitted to
// beside those on the same cases left out of the fit, the points of a scatter chart, the worst cases with what is known
// of them, ranking and memory. The page of the documents and the one of the window show the same report.
#pragma once

#include "core/estimate/evidence.h"
#include "core/validation/reasons.h"

#include <span>
#include <string>
#include <vector>

namespace stratoplan::validation {

struct ReportPoint {
    std::string id;
    double measured = 0; ///< seconds, or GiB
    double estimated = 0;
    [[nodiscard]] double error() const { return estimated / measured - 1; }
    bool operator==(const ReportPoint&) const = default;
};

struct WorstCase {
    ReportPoint point;
    bool memory = false;
    std::optional<double> leftOut; ///< its error with its model shape left out of the fit
    std::string reason; ///< as reasons.csv has it; empty: not known
    std::optional<Contradiction> contradiction; ///< says more than the reason
    bool operator==(const WorstCase&) const = default;
};

/// Of step times, or of peaks of memory.
struct ReportPart {
    std::vector<ReportPoint> points;
    ErrorStatistics fit; ///< of all cases, with the shipped constants
    ErrorStatistics leftOut; ///< of those that were fitted, each with constants fitted without its model shape; within
                             ///< range likewise
    ErrorStatistics withoutSource; ///< the same with constants fitted without its source: what a stranger gets
};

/// Mean absolute errors, of which every source counts as one.
struct MeansOfSources {
    int sources = 0; ///< those that have been left out
    double withoutSource = 0, withoutShape = 0, fit = 0;
};

struct SourceReport {
    std::string source; ///< "nemo-24.07": revisions of one table are one source
    ReportPart time;
    ReportPart memory;
    RankingStatistics ranking;
    std::vector<WorstCase> worst; ///< by falling error, times before memory
};

struct ValidationReport {
    SourceReport all;
    std::vector<SourceReport> sources; ///< by name
    MeansOfSources time, memory;
    int total = 0; ///< cases of the file
    int estimated = 0;
    bool stopped = false;
};

/// The source of a group of cases: its name without the revision of the table.
[[nodiscard]] std::string sourceOf(const std::string& group);
/// Who measured them. Sources of one publisher may hold the same runs, and stacks of the same people: they are left out
/// together. Those that are not shipped are publishers of their own.
[[nodiscard]] std::string publisherOf(const std::string& group);

/// Cases without evidence have no part in what is said of those left out.
[[nodiscard]] ValidationReport validationReport(const CaseSet& cases, const Validation& validation,
    std::span<const estimate::EvidenceRow> evidence = estimate::shippedEvidenceRows());

} // namespace stratoplan::validation
