// SPDX-License-Identifier: Apache-2.0
#include "core/estimate/remedies.h"

#include "core/plan/dimensions.h"

#include <algorithm>

namespace stratoplan {
namespace {

/// Changes one degree and gives what is left of the ranks to data parallelism, if that divides.
void addDegree(
    std::vector<Remedy>& edits, const Strategy& base, int Strategy::*degree, int value, EditKind kind, Dimension field)
{
    Remedy edit{kind, field, base};
    const int ranks = rankCount(base);
    edit.strategy.*degree = value;
    const int rest = edit.strategy.tp * edit.strategy.pp * edit.strategy.cp;
    if (rest == 0 || ranks % rest != 0)
        return;
    edit.strategy.dp = ranks / rest;
    edits.push_back(std::move(edit));
}

std::vector<Remedy> singleEdits(const Plan& plan)
{
    const Strategy& s = plan.strategy;
    std::vector<Remedy> edits;
    const auto add = [&](EditKind kind, Dimension field, auto change) {
        Remedy edit{kind, field, s};
        change(edit.strategy);
        edits.push_back(std::move(edit));
    };
    if (s.recompute == Recompute::None)
        add(EditKind::SelectiveRecomputation, Dimension::Recompute,
            [](Strategy& e) { recomputeAll(e, Recompute::Selective); });
    if (s.recompute != Recompute::Full || mixesRecompute(s))
        add(EditKind::FullRecomputation, Dimension::Recompute, [](Strategy& e) { recomputeAll(e, Recompute::Full); });
    if (s.tp > 1 && !s.sequenceParallel)
        add(EditKind::SequenceParallelOn, Dimension::SequenceParallel, [](Strategy& e) { e.sequenceParallel = true; });
    if (s.zeroStage < 1 && s.dp * s.cp > 1)
        add(EditKind::Value, Dimension::ZeroStage, [](Strategy& e) { e.zeroStage = 1; });
    if (s.zeroStage > 0 && s.zeroShards > 0 && s.zeroShards < s.dp * s.cp)
        add(EditKind::AllReplicas, Dimension::ZeroShards, [](Strategy& e) { e.zeroShards = 0; });
    if (s.zeroStage < 3 && s.dp * s.cp > 1 && s.pp == 1)
        add(EditKind::Value, Dimension::ZeroStage, [](Strategy& e) { e.zeroStage = 3; });
    for (const auto& [offload, kind] : {std::pair{Offload::Activations, EditKind::OffloadActivations},
             {Offload::Optimizer, EditKind::OffloadOptimizer}})
        if (s.offload == Offload::None)
            add(kind, Dimension::Offload, [offload = offload](Strategy& e) { e.offload = offload; });
    for (int b = s.microBatch / 2; b >= 1; b /= 2)
        add(EditKind::LowerMicroBatch, Dimension::MicroBatch, [b](Strategy& e) { e.microBatch = b; });
    for (const int factor : {2, 4}) {
        addDegree(edits, s, &Strategy::pp, s.pp * factor, EditKind::RaisePp, Dimension::Pp);
        addDegree(edits, s, &Strategy::tp, s.tp * factor, EditKind::RaiseTp, Dimension::Tp);
    }
    // Experts are spread over ranks that the other degrees already use.
    for (const int ep : offeredValues(plan, Dimension::Ep))
        if (ep > s.ep)
            add(EditKind::RaiseEp, Dimension::Ep, [ep](Strategy& e) { e.ep = ep; });
    return edits;
}

} // namespace

std::vector<Remedy> memoryRemedies(const Plan& plan, const Estimate& current, const Catalog& catalog)
{
    struct Found {
        Remedy remedy;
        Seconds step;
    };
    std::vector<Found> found;
    for (Remedy& edit : singleEdits(plan)) {
        Plan changed = plan;
        changed.strategy = edit.strategy;
        const auto answer = estimate(changed, {.remedies = false, .range = false, .catalog = &catalog});
        if (!answer || !answer->fits)
            continue;
        const double time = answer->step / current.step - 1;
        edit.gain = RemedyGain{current.memory.peak - answer->memory.peak, time};
        found.push_back({std::move(edit), answer->step});
    }
    std::stable_sort(found.begin(), found.end(), [](const Found& a, const Found& b) { return a.step < b.step; });
    std::vector<Remedy> remedies;
    for (std::size_t i = 0; i < std::min<std::size_t>(3, found.size()); ++i)
        remedies.push_back(std::move(found[i].remedy));
    return remedies;
}

} // namespace stratoplan
