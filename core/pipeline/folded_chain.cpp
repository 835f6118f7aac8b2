// SPDX-License-Identifier: Apache-2.0
#include "core/pipeline/folded_chain.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>

namespace stratoplan::pipeline {

namespace {

/// What its program says of a stage.
void readProgram(const StageProgram& program, int outer, FoldedRules& rules)
{
    const auto chunk = [&](const PipelineStep& step) { return std::size_t(step.chunk == outer ? 0 : 1); };
    const auto isForward = [](const PipelineStep& step) { return step.kind == PassKind::Forward; };
    std::array<double, 2> ahead{};
    for (auto step = program.begin(); step != program.end() && isForward(*step); ++step)
        ++ahead[chunk(*step)];
    std::array<double, 4> together{};
    for (std::size_t i = 0; i + 1 < program.size(); ++i) {
        const PipelineStep& forward = program[isForward(program[i]) ? i : i + 1];
        const PipelineStep& backward = program[isForward(program[i]) ? i + 1 : i];
        if (program[i].withNext)
            ++together[2 * chunk(forward) + chunk(backward)];
    }
    rules.ahead.push_back(ahead);
    rules.together.push_back(together);
}

/// Micro-batches that a stage holds at most of its outer chunk, until the gradients of their inputs.
int mostOutside(const StageProgram& program)
{
    int held = 0;
    int most = 0;
    for (const PipelineStep& step : program) {
        if (step.chunk != 0)
            continue;
        held += step.kind == PassKind::Forward;
        most = std::max(most, held);
        held -= step.kind == PassKind::Backward || step.kind == PassKind::InputGradient;
    }
    return most;
}

/// Seconds of two passes that run together, less than one after the other (Durations::savedTogether).
double saved(const ChunkWork& forward, const ChunkWork& backward)
{
    return (std::min(forward.forwardTraffic, backward.backward - backward.backwardTraffic)
        + std::min(backward.backwardTraffic, forward.forward - forward.forwardTraffic))
        .value();
}

} // namespace

FoldedRules foldedRules(const PipelineWork& work)
{
    return foldedRules(work, programsOf(work));
}

FoldedRules foldedRules(const PipelineWork& work, const std::vector<StageProgram>& programs)
{
    assert(shape(work.schedule) != parallel::PipelineShape::Loop);
    FoldedRules rules;
    rules.twoWay = shape(work.schedule) == parallel::PipelineShape::TwoWay;
    rules.microBatches = work.microBatches / (rules.twoWay ? 2.0 : 1.0);
    rules.staggers = staggersSteps(work.schedule);
    const int p = int(work.stages.size());
    rules.places = rules.twoWay ? p / 2 : p;
    for (int stage = 0; stage < p; ++stage) // of the mirror image the second chunk is the outer one
        readProgram(programs[std::size_t(stage)], rules.twoWay && stage >= rules.places ? 1 : 0, rules);
    const double most = mostOutside(programs.front());
    rules.trips = std::floor((rules.microBatches - 1) / most);
    rules.between = rules.microBatches - 1 - rules.trips * most;
    return rules;
}

FoldedTerms foldedTerms(const FoldedRules& rules, int place, const std::vector<FoldedStage>& stages)
{
    const bool turns = !rules.twoWay && place + 1 == rules.places; // both chunks lie on one stage
    const double n = rules.microBatches;
    FoldedTerms terms;
    bool first = true;
    for (const FoldedStage& stage : stages) {
        const ChunkWork& outer = stage.outer;
        const ChunkWork& inner = stage.inner;
        const double down = outer.forward.value() + (turns ? 0 : outer.sendForward.value());
        const double up = inner.forward.value() + (place == 0 ? 0 : inner.sendForward.value());
        const double gradient = (inner.backward - std::min(inner.weightGradient, inner.backward)).value()
            + (turns ? 0 : inner.sendBackward.value());
        terms.down = first ? down : std::min(terms.down, down);
        terms.up = first ? up : std::min(terms.up, up);
        terms.gradient = first ? gradient : std::min(terms.gradient, gradient);
        const double before = outer.forward.value();
        const double last = (outer.backward - std::min(outer.weightGradient, outer.backward)).value()
            + (place == 0 ? 0 : outer.sendBackward.value());
        terms.first = first ? before : std::min(terms.first, before);
        terms.last = first ? last : std::min(terms.last, last);
        const std::array<double, 4>& together = rules.together[std::size_t(stage.stage)];
        const double hidden = together[0] * saved(outer, outer) + together[1] * saved(outer, inner)
            + together[2] * saved(inner, outer) + together[3] * saved(inner, inner);
        const double backward = n * (outer.backward + inner.backward).value() - hidden + stage.after.value();
        terms.work = std::max(terms.work, n * (outer.forward + inner.forward).value() + backward);
        const std::array<double, 2>& ahead = rules.ahead[std::size_t(stage.stage)];
        terms.rest = std::max(terms.rest,
            std::max(0.0, n - ahead[0]) * outer.forward.value() + std::max(0.0, n - ahead[1]) * inner.forward.value()
                + backward);
        first = false;
    }
    return terms;
}

FoldedPrefix extended(const FoldedRules& rules, int place, const FoldedPrefix& prefix, const FoldedTerms& terms)
{
    const double begin = rules.staggers ? 0 : prefix.fill;
    const double way = terms.down + terms.up;
    FoldedPrefix result;
    result.fill = prefix.fill + terms.down;
    result.back = prefix.back + terms.up + terms.gradient;
    result.once = std::max(prefix.once + way, begin + way + prefix.back + terms.rest);
    result.trips = prefix.trips + (1 + rules.trips) * (way + terms.gradient + terms.last)
        + (place == 0 ? rules.between * terms.first : 0);
    result.longest = std::max({prefix.longest, begin + terms.work, result.once, result.trips});
    return result;
}

} // namespace stratoplan::pipeline
