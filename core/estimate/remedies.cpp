// SPDX-License-Identifier: Apache-2.0
#include "core/estimate/remedies.h"

#include "core/plan/dimensions.h"
#include "core/units/format.h"
#include "core/units/text.h"

#include <algorithm>
#include <cmath>

namespace stratoplan {
namespace {

struct Edit {
    std::string label;
    Strategy strategy;
};

/// Changes one degree and gives what is left of the ranks to data parallelism, if that divides.
void addDegree(std::vector<Edit>& edits, const Strategy& base, int Strategy::*degree, int value, const char* name)
{
    Edit edit{std::string("Raise ") + name + " to " + std::to_string(value), base};
    const int ranks = rankCount(base);
    edit.strategy.*degree = value;
    const int rest = edit.strategy.tp * edit.strategy.pp * edit.strategy.cp;
    if (rest == 0 || ranks % rest != 0)
        return;
    edit.strategy.dp = ranks / rest;
    edits.push_back(std::move(edit));
}

std::vector<Edit> singleEdits(const Plan& plan)
{
    const Strategy& s = plan.strategy;
    std::vector<Edit> edits;
    const auto add = [&](std::string label, auto change) {
        Edit edit{std::move(label), s};
        change(edit.strategy);
        edits.push_back(std::move(edit));
    };
    if (s.recompute == Recompute::None)
        add("Use selective recomputation", [](Strategy& e) { recomputeAll(e, Recompute::Selective); });
    if (s.recompute != Recompute::Full || mixesRecompute(s))
        add("Use full recomputation", [](Strategy& e) { recomputeAll(e, Recompute::Full); });
    if (s.tp > 1 && !s.sequenceParallel)
        add("Turn sequence parallelism on", [](Strategy& e) { e.sequenceParallel = true; });
    if (s.zeroStage < 1 && s.dp * s.cp > 1)
        add("Use ZeRO-1", [](Strategy& e) { e.zeroStage = 1; });
    if (s.zeroStage > 0 && s.zeroShards > 0 && s.zeroShards < s.dp * s.cp)
        add("Shard over all replicas", [](Strategy& e) { e.zeroShards = 0; });
    if (s.zeroStage < 3 && s.dp * s.cp > 1 && s.pp == 1)
        add("Use ZeRO-3", [](Strategy& e) { e.zeroStage = 3; });
    for (const auto& [offload, label] :
        {std::pair{Offload::Activations, "Offload activations"}, {Offload::Optimizer, "Offload the optimizer"}})
        if (s.offload == Offload::None)
            add(label, [offload = offload](Strategy& e) { e.offload = offload; });
    for (int b = s.microBatch / 2; b >= 1; b /= 2)
        add("Lower the micro-batch to " + std::to_string(b), [b](Strategy& e) { e.microBatch = b; });
    for (const int factor : {2, 4}) {
        addDegree(edits, s, &Strategy::pp, s.pp * factor, "PP");
        addDegree(edits, s, &Strategy::tp, s.tp * factor, "TP");
    }
    // Experts are spread over ranks that the other degrees already use.
    for (const int ep : offeredValues(plan, Dimension::Ep))
        if (ep > s.ep)
            add("Raise EP to " + std::to_string(ep), [ep](Strategy& e) { e.ep = ep; });
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
    for (Edit& edit : singleEdits(plan)) {
        Plan changed = plan;
        changed.strategy = edit.strategy;
        const auto answer = estimate(changed, {.remedies = false, .range = false, .catalog = &catalog});
        if (!answer || !answer->fits)
            continue;
        const double time = answer->step / current.step - 1;
        const std::string share = (time < 0 ? "−" : "+") + fixedDecimals(100 * std::abs(time), 1) + " %";
        const std::string label =
            edit.label + ": −" + format(current.memory.peak - answer->memory.peak) + ", step " + share;
        found.push_back({{label, edit.strategy}, answer->step});
    }
    std::stable_sort(found.begin(), found.end(), [](const Found& a, const Found& b) { return a.step < b.step; });
    std::vector<Remedy> remedies;
    for (std::size_t i = 0; i < std::min<std::size_t>(3, found.size()); ++i)
        remedies.push_back(std::move(found[i].remedy));
    return remedies;
}

} // namespace stratoplan
