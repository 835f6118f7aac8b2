// SPDX-License-Identifier: Apache-2.0
#include "core/validation/report.h"

#include "core/validation/coverage.h"
#include "core/validation/statistics.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace stratoplan::validation {
namespace {

constexpr std::size_t kWorstTimes = 6;
constexpr std::size_t kWorstPeaks = 3;
constexpr std::size_t kWorstOfAll = 20;
constexpr double kWorthTelling = 0.05; ///< smaller errors are nobody's worst

/// With the model shape of the case left out of the fit, and with its source.
struct LeftOutError {
    double byShape = 0, bySource = 0;
};
using ErrorById = std::map<std::string, LeftOutError>;

ErrorById leftOutErrors(std::span<const estimate::EvidenceRow> evidence, bool memory)
{
    ErrorById errors;
    for (const estimate::EvidenceRow& row : evidence)
        if (row.memory == memory)
            errors[row.id] = {std::expm1(-row.residual), std::expm1(-row.residualBySource)};
    return errors;
}

/// What the parts of a report are gathered from.
struct Sources {
    std::map<std::string, bool> held;
    ErrorById time;
    ErrorById memory;
    std::map<std::string, Contradiction> contradicted;
    std::map<std::string, std::string> rankingKeys;
};

/// The errors of one source, to be summed up.
struct Gathered {
    std::vector<ErrorRow> timeFit, timeLeftOut, timeWithoutSource;
    std::vector<ErrorRow> memoryFit, memoryLeftOut, memoryWithoutSource;
    std::vector<RankedRow> ranked;
    SourceReport report;
};

WorstCase worstCase(const ReportPoint& point, bool memory, const Sources& sources)
{
    WorstCase worst{point, memory, {}, {}, {}};
    const ErrorById& errors = memory ? sources.memory : sources.time;
    if (const auto leftOut = errors.find(point.id); leftOut != errors.end())
        worst.leftOut = leftOut->second.byShape;
    if (memory)
        return worst; // what is known of cases is known of their times
    const auto contradicted = sources.contradicted.find(point.id);
    worst.reason = knownReason(point.id, point.error());
    if (contradicted != sources.contradicted.end())
        worst.contradiction = contradicted->second;
    return worst;
}

void addWorst(
    const ReportPart& part, bool memory, std::size_t most, const Sources& sources, std::vector<WorstCase>& worst)
{
    std::vector<ReportPoint> points = part.points;
    std::erase_if(points, [](const ReportPoint& point) { return std::abs(point.error()) < kWorthTelling; });
    std::stable_sort(points.begin(), points.end(), [](const ReportPoint& a, const ReportPoint& b) {
        return std::abs(a.error()) != std::abs(b.error()) ? std::abs(a.error()) > std::abs(b.error()) : a.id < b.id;
    });
    for (std::size_t i = 0; i < std::min(most, points.size()); ++i)
        worst.push_back(worstCase(points[i], memory, sources));
}

void gather(const CaseResult& row, const Sources& sources, Gathered& into)
{
    if (row.error) {
        const bool inside = *row.measuredSeconds >= *row.lowSeconds && *row.measuredSeconds <= *row.highSeconds;
        into.report.time.points.push_back({row.id, *row.measuredSeconds, *row.estimatedSeconds});
        into.timeFit.push_back({row.id, *row.error, inside});
        into.ranked.push_back({sources.rankingKeys.at(row.id), *row.estimatedSeconds, *row.measuredSeconds});
        if (const auto error = sources.time.find(row.id); error != sources.time.end()) {
            into.timeLeftOut.push_back({row.id, error->second.byShape, sources.held.at(row.id)});
            into.timeWithoutSource.push_back({row.id, error->second.bySource, {}});
        }
    }
    if (row.memoryError) {
        into.report.memory.points.push_back({row.id, *row.measuredGib, *row.estimatedGib});
        into.memoryFit.push_back({row.id, *row.memoryError, {}});
        if (const auto error = sources.memory.find(row.id); error != sources.memory.end()) {
            into.memoryLeftOut.push_back({row.id, error->second.byShape, {}});
            into.memoryWithoutSource.push_back({row.id, error->second.bySource, {}});
        }
    }
}

SourceReport summedUp(Gathered&& gathered, std::size_t worstTimes, std::size_t worstPeaks, const Sources& sources)
{
    SourceReport report = std::move(gathered.report);
    report.time.fit = errorStatistics(std::move(gathered.timeFit));
    report.time.leftOut = errorStatistics(std::move(gathered.timeLeftOut));
    report.time.withoutSource = errorStatistics(std::move(gathered.timeWithoutSource));
    report.memory.fit = errorStatistics(std::move(gathered.memoryFit));
    report.memory.leftOut = errorStatistics(std::move(gathered.memoryLeftOut));
    report.memory.withoutSource = errorStatistics(std::move(gathered.memoryWithoutSource));
    report.ranking = rankingStatistics(gathered.ranked);
    addWorst(report.time, false, worstTimes, sources, report.worst);
    addWorst(report.memory, true, worstPeaks, sources, report.worst);
    return report;
}

MeansOfSources meansOf(const std::vector<SourceReport>& sources, ReportPart SourceReport::*part)
{
    MeansOfSources means;
    for (const SourceReport& source : sources) {
        const ReportPart& errors = source.*part;
        if (errors.withoutSource.n == 0)
            continue;
        ++means.sources;
        means.withoutSource += errors.withoutSource.meanAbs;
        means.withoutShape += errors.leftOut.meanAbs;
        means.fit += errors.fit.meanAbs;
    }
    for (double* const mean : {&means.withoutSource, &means.withoutShape, &means.fit})
        *mean /= std::max(1, means.sources);
    return means;
}

} // namespace

std::string sourceOf(const std::string& group)
{
    constexpr std::size_t kRevision = 6;
    const std::size_t dash = group.rfind('-');
    const bool revised = dash != std::string::npos && group.size() - dash - 1 == kRevision
        && group.find_first_not_of("0123456789abcdef", dash + 1) == std::string::npos;
    return revised ? group.substr(0, dash) : group;
}

std::string publisherOf(const std::string& group)
{
    static const std::map<std::string, std::string> publishers{
        {"megatron-readme-2020", "nvidia"},
        {"megatron-readme-2021", "nvidia"},
        {"megatron-sc21", "nvidia"},
        {"korthikanti", "nvidia"},
        {"nemo-launcher", "nvidia"},
        {"nemo-24.07", "nvidia"},
        {"moe-folding", "nvidia"},
        {"megatron-bridge", "nvidia"},
        {"vtrain-single", "vtrain"},
        {"vtrain-multi", "vtrain"},
        {"internevo", "internlm"},
        {"internevo-memory", "internlm"},
        {"zero-bubble", "sea-ai-lab"},
        {"vocab-parallel", "sea-ai-lab"},
        {"modellink-ascend", "ascend"},
        {"mindspeed-llm", "ascend"},
    };
    const std::string source = sourceOf(group);
    const auto known = publishers.find(source);
    return known == publishers.end() ? source : known->second;
}

ValidationReport validationReport(
    const CaseSet& cases, const Validation& validation, std::span<const estimate::EvidenceRow> evidence)
{
    Sources sources{heldByRange(evidence), leftOutErrors(evidence, false), leftOutErrors(evidence, true),
        contradictions(cases), {}};
    for (const MeasuredCase& c : cases.cases)
        sources.rankingKeys[c.id] = c.rankingKey;
    std::map<std::string, Gathered> bySource;
    Gathered all;
    for (const CaseResult& row : validation.rows) {
        gather(row, sources, bySource[sourceOf(row.group)]);
        gather(row, sources, all);
    }
    ValidationReport report;
    report.total = validation.total;
    report.estimated = static_cast<int>(validation.rows.size());
    report.stopped = validation.stopped;
    report.all = summedUp(std::move(all), kWorstOfAll, kWorstPeaks * 2, sources);
    for (auto& [source, gathered] : bySource) {
        gathered.report.source = source;
        if (!gathered.timeFit.empty() || !gathered.memoryFit.empty())
            report.sources.push_back(summedUp(std::move(gathered), kWorstTimes, kWorstPeaks, sources));
    }
    report.time = meansOf(report.sources, &SourceReport::time);
    report.memory = meansOf(report.sources, &SourceReport::memory);
    return report;
}

} // namespace stratoplan::validation
