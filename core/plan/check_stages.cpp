// SPDX-License-Identifier: Apache-2.0
#include "core/parallel/route.h"
#include "core/plan/rules.h"

#include <algorithm>
#include <cstdint>

namespace stratoplan::plan {
namespace {

void reportStage(
    Problems& problems, ProblemCode code, const char* where, int stage, double found, double limit, ProblemCause cause)
{
    Problem& problem = report(problems, code, Severity::Error, where, found, limit);
    problem.stage = stage;
    problem.cause = cause;
}

bool checkLength(Problems& problems, const char* where, std::size_t length, int stages)
{
    if (length == 0 || length == std::size_t(stages))
        return true;
    report(problems, ProblemCode::StageListMismatch, Severity::Error, where, double(length), stages);
    return false;
}

/// Precondition: the lists have the right length, and the split of layers adds up.
void checkRecomputedLayers(Problems& problems, const Plan& plan)
{
    const parallel::Strategy& s = plan.strategy;
    const std::vector<int> layers = stageLayers(s, plan.model.layers);
    for (int stage = 0; stage < int(s.recomputedLayers.size()); ++stage) {
        const parallel::StageRecompute recompute = stageRecompute(s, stage);
        const parallel::Recompute kind = s.stageRecompute.empty() ? s.recompute : s.stageRecompute[std::size_t(stage)];
        const int held = layers[std::size_t(stage)];
        if (recompute.full < 0 || recompute.full > held)
            return reportStage(problems, ProblemCode::RecomputedLayersMismatch, "/strategy/recomputed_layers", stage,
                recompute.full, held, ProblemCause::None);
        if (recompute.full > 0 && kind == parallel::Recompute::None)
            return reportStage(problems, ProblemCode::RecomputedLayersMismatch, "/strategy/recomputed_layers", stage,
                recompute.full, 0, ProblemCause::NothingRecomputed);
    }
}

/// Whether every stage has a whole strategy of its own.
bool checkStageTp(Problems& problems, const Plan& plan)
{
    const parallel::Strategy& s = plan.strategy;
    const auto refuse = [&](ProblemCause cause, int stage, double found, double limit) {
        reportStage(problems, ProblemCode::UnlikeStagesUnsupported, "/strategy/stage_tp", stage, found, limit, cause);
    };
    const std::int64_t devices = std::int64_t{s.tp} * s.dp;
    for (int stage = 0; stage < int(s.stageTp.size()); ++stage) {
        const int tp = s.stageTp[std::size_t(stage)];
        if (tp < 1) {
            requirePositive(problems, "/strategy/stage_tp", tp);
            return false;
        }
        if (devices % tp != 0) {
            refuse(ProblemCause::Devices, stage, double(devices), tp);
            return false;
        }
        if (std::int64_t{s.microBatch} * tp % s.tp != 0) {
            refuse(ProblemCause::MicroBatch, stage, double(s.microBatch) * tp / s.tp, tp);
            return false;
        }
    }
    if (std::all_of(s.stageTp.begin(), s.stageTp.end(), [&](int tp) { return tp == s.tp; }))
        return true;
    if (s.rankOrder.back() != parallel::Axis::Pp
        && !(s.rankOrder.back() == parallel::Axis::Ep && s.rankOrder[3] == parallel::Axis::Pp))
        refuse(ProblemCause::OrderOfRanks, -1, 0, 0);
    if (shape(s.schedule) == parallel::PipelineShape::TwoWay)
        refuse(ProblemCause::TwoWaySchedule, -1, 0, 0);
    if (vocabularyStages(s) > 1)
        refuse(ProblemCause::DividedVocabulary, -1, 0, 0);
    if (plan.model.tiedEmbeddings && shape(s.schedule) == parallel::PipelineShape::Loop
        && s.stageTp.front() != s.stageTp.back())
        refuse(ProblemCause::None, -1, s.stageTp.front(), s.stageTp.back());
    return true;
}

} // namespace

bool checkStages(Problems& problems, const Plan& plan)
{
    const parallel::Strategy& s = plan.strategy;
    const bool kinds = checkLength(problems, "/strategy/stage_recompute", s.stageRecompute.size(), s.pp);
    const bool layers = checkLength(problems, "/strategy/recomputed_layers", s.recomputedLayers.size(), s.pp);
    const bool degrees = checkLength(problems, "/strategy/stage_tp", s.stageTp.size(), s.pp);
    const bool split = s.stageLayers.empty() || int(s.stageLayers.size()) == s.pp;
    if (kinds && layers && split)
        checkRecomputedLayers(problems, plan);
    return degrees && checkStageTp(problems, plan);
}

} // namespace stratoplan::plan
