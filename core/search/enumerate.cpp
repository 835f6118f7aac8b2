// SPDX-License-Identifier: Apache-2.0
#include "core/search/enumerate.h"

#include "core/estimate/limits.h"
#include "core/estimate/strategy_pricer.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <utility>

namespace stratoplan {

namespace {

constexpr std::array kRecomputations{Recompute::None, Recompute::Selective, Recompute::Full};
constexpr std::chrono::milliseconds kProgressInterval{50};

std::vector<int> divisors(int number)
{
    std::vector<int> low;
    std::vector<int> high;
    for (int i = 1; i <= number / i; ++i) {
        if (number % i != 0)
            continue;
        low.push_back(i);
        if (i != number / i)
            high.push_back(number / i);
    }
    low.insert(low.end(), high.rbegin(), high.rend());
    return low;
}

/// Mends what follows from the degrees alone, and settles the schedule: the plan's own where it is legal, else 1F1B.
/// Uses `scratch`, a copy of the plan, to check. Empty if no such strategy is legal.
std::optional<Strategy> legalised(Plan& scratch, const Strategy& wanted, const Strategy& own)
{
    Strategy s = wanted;
    if (s.tp == 1)
        s.sequenceParallel = false;
    if (s.pp != own.pp)
        makeStagesAlike(s);
    if (s.zeroShards > 0 && s.dp * s.cp % s.zeroShards != 0)
        s.zeroShards = 0;
    scratch.strategy = s;
    if (!hasErrors(check(scratch, {.remedies = false})))
        return s;
    if (s.schedule == Schedule::OneFOneB && s.vpp == 1)
        return std::nullopt;
    s.schedule = Schedule::OneFOneB;
    s.vpp = 1;
    scratch.strategy = s;
    if (!hasErrors(check(scratch, {.remedies = false})))
        return s;
    return std::nullopt;
}

/// Every split of tp, pp and dp = the rest: expert parallelism, micro-batches, recomputation.
template <class Visit>
void visitSplit(const Plan& plan, Plan& scratch, Strategy s, const std::vector<int>& expertDegrees, const std::stop_token& stop, Visit& visit)
{
    if (plan.training.globalBatch % s.dp != 0)
        return;
    const int perReplica = plan.training.globalBatch / s.dp;
    s.etp = s.tp % plan.strategy.etp == 0 ? plan.strategy.etp : 1;
    for (const int ep : expertDegrees) {
        s.ep = ep;
        for (s.microBatch = 1; s.microBatch <= perReplica && perReplica % s.microBatch == 0; s.microBatch *= 2) {
            for (const Recompute recompute : kRecomputations) {
                if (stop.stop_requested())
                    return;
                recomputeAll(s, recompute);
                if (const auto legal = legalised(scratch, s, plan.strategy))
                    visit(*legal);
            }
        }
    }
}

/// Calls visit(strategy) for every legal strategy, until the token says stop.
template <class Visit>
void visitSpace(const Plan& plan, const std::stop_token& stop, Visit visit)
{
    const Strategy& own = plan.strategy;
    const int accelerators = acceleratorCount(plan.cluster);
    if (accelerators < 1 || own.cp < 1 || own.etp < 1 || accelerators % own.cp != 0)
        return;
    const std::vector<int> expertDegrees = plan.model.moe ? divisors(plan.model.moe->experts) : std::vector{own.ep};
    Plan scratch = plan;
    Strategy s = own;
    for (const int tp : divisors(accelerators / own.cp)) {
        for (const int pp : divisors(accelerators / own.cp / tp)) {
            s.tp = tp;
            s.pp = pp;
            s.dp = accelerators / own.cp / tp / pp;
            visitSplit(plan, scratch, s, expertDegrees, stop, visit);
        }
    }
}

/// Marks the candidates that fit and that no other fitting one beats in throughput or memory without losing in the
/// other; equals stay together.
void markFront(Enumeration& enumeration)
{
    auto& candidates = enumeration.candidates;
    auto& front = enumeration.front;
    front.clear();
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        candidates[i].onFront = false;
        if (candidates[i].fits)
            front.push_back(i);
    }
    std::sort(front.begin(), front.end(), [&](std::size_t a, std::size_t b) {
        const Candidate& x = candidates[a];
        const Candidate& y = candidates[b];
        if (x.peakMemory != y.peakMemory)
            return x.peakMemory < y.peakMemory;
        return x.tokensPerSecond != y.tokensPerSecond ? x.tokensPerSecond > y.tokensPerSecond : a < b;
    });
    const Candidate* best = nullptr;
    std::erase_if(front, [&](std::size_t i) {
        Candidate& c = candidates[i];
        const bool equalsBest = best && c.tokensPerSecond == best->tokensPerSecond && c.peakMemory == best->peakMemory;
        c.onFront = !best || c.tokensPerSecond > best->tokensPerSecond || equalsBest;
        if (c.onFront)
            best = &c;
        return !c.onFront;
    });
}

} // namespace

std::vector<Strategy> strategySpace(const Plan& plan)
{
    std::vector<Strategy> space;
    visitSpace(plan, {}, [&](const Strategy& s) { space.push_back(s); });
    return space;
}

Enumeration enumerate(const Plan& plan, const std::stop_token& stop, const EnumerationProgress& progress)
{
    using Clock = std::chrono::steady_clock;
    std::vector<Strategy> space;
    visitSpace(plan, stop, [&](const Strategy& s) { space.push_back(s); });

    bool stopped = stop.stop_requested();
    Enumeration result;
    result.space = static_cast<std::int64_t>(space.size());
    result.candidates.reserve(space.size());
    StrategyPricer pricer(plan);
    Plan scratch = plan;
    const double tokens = double(plan.training.globalBatch) * plan.training.sequenceLength;
    auto reported = Clock::now();
    for (const Strategy& s : space) {
        stopped = stopped || stop.stop_requested();
        if (stopped)
            break;
        scratch.strategy = s;
        if (!notEstimable(scratch).empty())
            continue;
        if (const auto priced = pricer.price(s, PipelineTime::Simulated)) {
            ++result.evaluated;
            result.candidates.push_back({s, tokens / priced->step.value(), priced->peak, priced->step, priced->fits, false});
        }
        if (progress && Clock::now() - reported >= kProgressInterval) {
            markFront(result);
            progress(result);
            reported = Clock::now();
        }
    }
    markFront(result);
    result.complete = !stopped;
    return result;
}

} // namespace stratoplan
