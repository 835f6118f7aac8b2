// SPDX-License-Identifier: Apache-2.0
#include "core/calibration/evidence_rows.h"

#include "core/calibration/case_runs.h"
#include "core/calibration/cross_validation.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace stratoplan {
namespace {

constexpr std::size_t kMostRows = 160; ///< of one profile: what one estimate looks at

} // namespace

std::string publisher(const std::string& group)
{
    return group.substr(0, group.find('-'));
}

std::vector<LeftOutEvidence> leftOutEvidence(const CaseSet& cases, const std::vector<SoftwareProfile>& priors, std::stop_token stop,
    const std::function<void(int, int)>& progress)
{
    std::vector<MeasuredRun> runs = runsOfKnownStacks(cases);
    for (MeasuredRun& run : runs)
        run.source = publisher(run.source);
    std::map<std::string, int> filled;
    for (const MeasuredCase& c : cases.cases)
        filled[c.id] = static_cast<int>(c.filled.size());
    std::vector<LeftOutEvidence> evidence;
    for (const LeftOutRun& left : leaveOutEachRun(runs, priors, stop, progress)) {
        const MeasuredRun& run = *left.run;
        EvidenceRow row{run.id, run.source, run.plan.training.software.id, std::string(acceleratorOf(run.plan)), traitsOf(run.plan),
            filled[run.id], 1, -std::log1p(left.byGroup), -std::log1p(left.bySource)};
        evidence.push_back({std::move(row), left.group});
    }
    return evidence;
}

std::vector<LeftOutEvidence> thinned(const std::vector<LeftOutEvidence>& evidence)
{
    std::map<std::string, std::vector<LeftOutEvidence>> ofProfile;
    for (const LeftOutEvidence& one : evidence)
        ofProfile[one.row.software].push_back(one);
    std::vector<LeftOutEvidence> kept;
    for (auto& [software, members] : ofProfile) {
        std::sort(members.begin(), members.end(), [](const LeftOutEvidence& one, const LeftOutEvidence& other) {
            const EvidenceRow& a = one.row;
            const EvidenceRow& b = other.row;
            return std::tie(a.source, a.accelerator, a.traits.extents, a.residual, a.id)
                < std::tie(b.source, b.accelerator, b.traits.extents, b.residual, b.id);
        });
        const std::size_t every = (members.size() + kMostRows - 1) / kMostRows;
        for (std::size_t i = every / 2; i < members.size(); i += every) {
            kept.push_back(members[i]);
            kept.back().row.weight = static_cast<int>(every);
        }
    }
    return kept;
}

std::vector<EvidenceRow> rowsOf(const std::vector<LeftOutEvidence>& evidence)
{
    std::vector<EvidenceRow> rows;
    std::transform(evidence.begin(), evidence.end(), std::back_inserter(rows), [](const LeftOutEvidence& one) { return one.row; });
    return rows;
}

} // namespace stratoplan
