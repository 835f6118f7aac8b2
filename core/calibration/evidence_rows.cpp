// SPDX-License-Identifier: Apache-2.0
#include "core/calibration/evidence_rows.h"

#include "core/calibration/case_runs.h"
#include "core/calibration/cross_validation.h"
#include "core/validation/case_plan.h"
#include "core/validation/report.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <tuple>

namespace stratoplan::calibration {
namespace {

constexpr std::string_view kSetByHand = "alpa"; ///< to its one run, which can be left out of nothing
constexpr std::size_t kMostRows = 160; ///< of one profile: what one estimate looks at

} // namespace

std::vector<estimate::EvidenceRow> leftOutEvidence(const validation::CaseSet& cases,
    const std::vector<plan::SoftwareProfile>& priors, std::stop_token stop,
    const std::function<void(int, int)>& progress)
{
    std::vector<MeasuredRun> runs = runsOfKnownStacks(cases);
    std::erase_if(runs, [](const MeasuredRun& run) { return run.plan.training.software.id == kSetByHand; });
    for (MeasuredRun& run : runs)
        run.source = validation::publisherOf(run.source);
    std::map<std::string, int> filled;
    for (const validation::MeasuredCase& c : cases.cases)
        filled[c.id] = validation::filledWeight(c.filled);
    std::vector<estimate::EvidenceRow> rows;
    for (const plan::CalibrationTarget target :
        {plan::CalibrationTarget::StepTime, plan::CalibrationTarget::PeakMemory}) {
        for (const LeftOutRun& left : leaveOutEachRun(runs, priors, target, stop, progress)) {
            const MeasuredRun& run = *left.run;
            rows.push_back({target == plan::CalibrationTarget::PeakMemory, run.id, run.source, left.group,
                run.plan.training.software.id, std::string(estimate::acceleratorOf(run.plan)),
                estimate::traitsOf(run.plan), filled[run.id], 1, -std::log1p(left.byGroup),
                -std::log1p(left.bySource)});
        }
    }
    thin(rows);
    return rows;
}

void thin(std::vector<estimate::EvidenceRow>& rows)
{
    std::map<std::string, std::vector<estimate::EvidenceRow*>> ofProfile;
    for (estimate::EvidenceRow& row : rows)
        if (!row.memory)
            ofProfile[row.software].push_back(&row);
    for (auto& [software, members] : ofProfile) {
        std::sort(members.begin(), members.end(), [](const estimate::EvidenceRow* a, const estimate::EvidenceRow* b) {
            return std::tie(a->source, a->accelerator, a->traits.extents, a->residual, a->id)
                < std::tie(b->source, b->accelerator, b->traits.extents, b->residual, b->id);
        });
        const std::size_t every = (members.size() + kMostRows - 1) / kMostRows;
        for (std::size_t i = 0; i < members.size(); ++i)
            members[i]->weight = i % every == every / 2 ? static_cast<int>(every) : 0;
    }
}

} // namespace stratoplan::calibration
