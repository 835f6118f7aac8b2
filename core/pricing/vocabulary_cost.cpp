// SPDX-License-Identifier: Apache-2.0
#include "core/pricing/stage_cost.h"

#include <algorithm>

namespace stratoplan::pricing {

void addLossTraffic(const cost::Deployment& deployment, const MicroBatchCost& micro,
    const workload::StageLayout& layout, Seconds elsewhere, StagePasses& stage)
{
    const parallel::Strategy& strategy = deployment.plan.strategy;
    if (vocabularyStages(strategy) == 1 || strategy.vocabularyPlacement == parallel::VocabularyPlacement::Interlaced)
        return;
    const double contention = deployment.plan.training.software.overlapContention;
    const Seconds backward = stage.backward.window() + stage.recompute.window();
    const Seconds traffic =
        (micro.headForward.hidden.pp + micro.headBackward.hidden.pp) * predictions(deployment.plan, layout)
        + (micro.embeddingForward.hidden.pp + micro.embeddingBackward.hidden.pp) * lookUps(deployment.plan, layout);
    const Seconds beyond = std::max(Seconds{}, traffic - stage.forward.window() - backward - elsewhere);
    stage.forward.exposed.pp += stage.forward.window() * contention;
    stage.backward.exposed.pp += backward * contention + beyond;
    stage.backward.hidden.pp -= std::min(beyond, stage.backward.hidden.pp);
}

void placeVocabulary(
    const parallel::Strategy& strategy, const MicroBatchCost& cost, double stretch, pipeline::PipelineWork& work)
{
    work.lookahead = vocabularyLookahead(strategy);
    work.loss = {};
    if (vocabularyStages(strategy) == 1 || strategy.vocabularyPlacement == parallel::VocabularyPlacement::Interlaced)
        return; // nothing to wait for, or waited for in every pass
    for (const PassCost* pass : {&cost.headForward, &cost.headBackward})
        work.loss += (pass->exposed.pp + pass->hidden.pp) * stretch;
}

} // namespace stratoplan::pricing
