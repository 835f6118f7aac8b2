// SPDX-License-Identifier: Apache-2.0
#include "core/catalog/embedded.h"
#include "core/estimate/range.h"
#include "core/narration/problems.h"
#include "core/units/text.h"
#include "core/validation/case_file.h"
#include "core/validation/case_plan.h"
#include "core/validation/coverage.h"
#include "core/validation/statistics.h"
#include "core/validation/validation.h"

#include <algorithm>
#include <map>

namespace stratoplan::validation {
namespace {

/// Cases with one key differ in nothing but the strategy.
std::string rankingKey(const CaseRecord& r)
{
    const auto number = [](const std::optional<int>& value) {
        return value ? std::to_string(*value) : std::string("-");
    };
    std::string key;
    for (const std::string& part :
        {r.group, r.modelName, number(r.layers), number(r.hidden), number(r.vocabulary), number(r.sequenceLength),
            r.accelerator, number(r.totalGpus), number(r.globalBatch), r.precision, r.version})
        key += part + "|";
    return key;
}

CaseResult priced(const MeasuredCase& c, const estimate::Estimate& e)
{
    CaseResult row;
    row.id = c.id;
    row.group = c.group;
    row.filled = c.filled;
    row.estimatedSeconds = e.step.value() * c.batchScale;
    row.lowSeconds = e.stepLow.value() * c.batchScale * c.nearLow;
    row.highSeconds = e.stepHigh.value() * c.batchScale * c.nearHigh;
    const double ofPeak = c.peakOfFirstStage ? e.memory.stages.front().total() / e.memory.peak : 1;
    row.fits = e.fits;
    row.estimatedGib = ofPeak * e.memory.peak.value() / kGiB;
    row.lowGib = ofPeak * e.memory.peakLow.value() / kGiB;
    row.highGib = ofPeak * e.memory.peakHigh.value() / kGiB;
    row.measuredSeconds = c.stepSeconds;
    row.measuredGib = c.peakGib;
    if (c.stepSeconds && *c.stepSeconds > 0)
        row.error = *row.estimatedSeconds / *c.stepSeconds - 1;
    if (c.peakGib && *c.peakGib > 0)
        row.memoryError = *row.estimatedGib / *c.peakGib - 1;
    return row;
}

/// Whether the cases lie in ranges that their own shapes had no part in: those estimated with the profile of their
/// evidence.
std::map<std::string, bool> heldCases(const CaseSet& set)
{
    std::map<std::string_view, std::string_view> softwareOf; // by case
    for (const estimate::EvidenceRow& row : estimate::shippedEvidenceRows())
        if (!row.memory)
            softwareOf[row.id] = row.software;
    std::map<std::string, bool> held;
    for (const MeasuredCase& c : set.cases) {
        const auto known = softwareOf.find(c.id);
        const plan::SoftwareProfile* const shipped =
            known == softwareOf.end() ? nullptr : catalog::shippedCatalog().softwareProfile(known->second);
        if (shipped && *shipped == c.plan.training.software)
            held[c.id] = false;
    }
    if (!held.empty())
        for (const auto& [id, inside] : heldByRange(estimate::shippedEvidenceRows()))
            if (const auto mine = held.find(id); mine != held.end())
                mine->second = inside;
    return held;
}

void summarise(const CaseSet& set, Validation& v)
{
    const std::map<std::string, bool> held = heldCases(set);
    std::map<std::string, std::string> keys;
    for (const MeasuredCase& c : set.cases)
        keys[c.id] = c.rankingKey;
    std::vector<ErrorRow> time, memory;
    std::vector<RankedRow> ranked;
    std::map<std::string, std::pair<std::vector<ErrorRow>, std::vector<ErrorRow>>> groups;
    for (const CaseResult& row : v.rows) {
        if (row.error) {
            std::optional<bool> inside;
            if (const auto known = held.find(row.id); known != held.end())
                inside = known->second;
            else if (held.empty())
                inside = *row.measuredSeconds >= *row.lowSeconds && *row.measuredSeconds <= *row.highSeconds;
            time.push_back({row.id, *row.error, inside});
            groups[row.group].first.push_back(time.back());
            ranked.push_back({keys[row.id], *row.estimatedSeconds, *row.measuredSeconds});
        }
        if (row.memoryError) {
            memory.push_back(
                {row.id, *row.memoryError, *row.measuredGib >= *row.lowGib && *row.measuredGib <= *row.highGib});
            groups[row.group].second.push_back(memory.back());
        }
    }
    v.overall = errorStatistics(std::move(time));
    v.memory = errorStatistics(std::move(memory));
    for (auto& [group, errors] : groups)
        v.groups.push_back(
            {group, errorStatistics(std::move(errors.first)), errorStatistics(std::move(errors.second))});
    v.ranking = rankingStatistics(ranked);
}

} // namespace

tl::expected<CaseSet, exchange::DocumentError> readCases(
    std::string_view json, const catalog::Catalog& catalog, const CaseOptions& options)
{
    auto file = readCaseRecords(json, options.file);
    if (!file)
        return tl::unexpected(file.error());
    CaseSet set;
    set.total = int(file->records.size() + file->faulty.size());
    set.skipped = std::move(file->faulty);
    for (const CaseRecord& record : file->records) {
        auto plan = casePlan(record, catalog, options.software);
        if (!plan) {
            set.skipped.push_back({record.id, plan.error()});
            continue;
        }
        set.cases.push_back({record.id, record.group, rankingKey(record), std::move(plan->plan), record.stepSeconds,
            record.peakGib, std::move(plan->filled), plan->batchScale, record.citation, record.status,
            containsWords(record.peakDefinition, "rank 0"), plan->nearLow, plan->nearHigh});
    }
    return set;
}

Validation validate(const CaseSet& set, std::stop_token stop, const std::function<void(int, int)>& progress)
{
    Validation v;
    v.total = set.total;
    v.skipped = set.skipped;
    int done = 0;
    for (const MeasuredCase& c : set.cases) {
        if (stop.stop_requested())
            break;
        const estimate::RangeEvidence others =
            estimate::shippedEvidence().without(c.id); // a case says nothing of its own range
        const auto answer =
            estimate::estimate(c.plan, {.remedies = false, .filled = filledWeight(c.filled), .evidence = &others});
        if (answer)
            v.rows.push_back(priced(c, *answer));
        else
            v.skipped.push_back({c.id, narration::describe(answer.error().front())});
        if (progress)
            progress(++done, int(set.cases.size()));
    }
    v.stopped = stop.stop_requested();
    summarise(set, v);
    return v;
}

std::string_view shippedCases()
{
    return catalog::embedded::validation().front().content;
}

} // namespace stratoplan::validation
