// SPDX-License-Identifier: Apache-2.0
#include "core/search/why.h"

#include "core/estimate/limits.h"
#include "core/estimate/strategy_pricer.h"
#include "core/search/space_tree.h"

#include <algorithm>
#include <cmath>

namespace stratoplan {
namespace {

constexpr double kWorthTelling = 1e-3; // of the best step

std::vector<StepPart> difference(const Breakdown& own, const Breakdown& best, Seconds bestStep)
{
    std::vector<StepPart> parts;
    const auto add = [&](const char* name, Seconds a, Seconds b) {
        const double share = (a - b) / bestStep;
        if (std::abs(share) >= kWorthTelling)
            parts.push_back({name, share});
    };
    add("forward", own.forward, best.forward);
    add("backward", own.backward, best.backward);
    add("recomputation", own.recompute, best.recompute);
    add("bubble", own.bubble, best.bubble);
    add("optimizer", own.optimizer, best.optimizer);
    add("other", own.other, best.other);
    add("exposed tensor-parallel communication", own.exposed.tp, best.exposed.tp);
    add("exposed context-parallel communication", own.exposed.cp, best.exposed.cp);
    add("exposed expert-parallel communication", own.exposed.ep, best.exposed.ep);
    add("exposed pipeline transfers", own.exposed.pp, best.exposed.pp);
    add("exposed data-parallel communication", own.exposed.dp, best.exposed.dp);
    std::stable_sort(parts.begin(), parts.end(), [](const StepPart& a, const StepPart& b) { return std::abs(a.share) > std::abs(b.share); });
    return parts;
}

/// Every strategy that differs in one dimension; moving ranks from one degree to another counts as one.
class Neighbours {
public:
    explicit Neighbours(const Plan& plan)
        : m_plan(plan)
    {
    }

    std::vector<Neighbour> of(const Strategy& own)
    {
        m_own = own;
        m_found.clear();
        number("micro-batch", &Strategy::microBatch);
        number("virtual stages", &Strategy::vpp);
        if (m_plan.model.moe) {
            number("EP", &Strategy::ep);
            number("TP of the experts", &Strategy::etp);
        }
        degrees();
        kinds();
        return std::move(m_found);
    }

private:
    void add(std::string change, Strategy s)
    {
        if (s.tp == 1)
            s.sequenceParallel = false;
        if (s.pp != m_own.pp)
            makeStagesAlike(s);
        m_found.push_back({std::move(change), std::move(s), {}, {}});
    }

    void number(const char* name, int Strategy::*member)
    {
        const int own = m_own.*member;
        for (const int other : {own / 2, own - 1, own + 1, own * 2}) {
            if (other < 1 || other == own || (other == own - 1 && own == 2))
                continue;
            Strategy s = m_own;
            s.*member = other;
            add(std::string(name) + ' ' + std::to_string(other) + " instead of " + std::to_string(own), s);
        }
    }

    void degrees()
    {
        struct Degree {
            const char* name;
            int Strategy::*member;
        };
        static constexpr Degree kDegrees[] = {{"TP", &Strategy::tp}, {"CP", &Strategy::cp}, {"PP", &Strategy::pp}, {"DP", &Strategy::dp}};
        for (const Degree& less : kDegrees) {
            for (const Degree& more : kDegrees) {
                for (const int factor : {2, 3, 4}) {
                    if (&less == &more || m_own.*less.member % factor != 0)
                        continue;
                    Strategy s = m_own;
                    s.*less.member /= factor;
                    s.*more.member *= factor;
                    add(std::string(less.name) + ' ' + std::to_string(s.*less.member) + " and " + more.name + ' ' + std::to_string(s.*more.member)
                            + " instead of " + std::to_string(m_own.*less.member) + " and " + std::to_string(m_own.*more.member),
                        s);
                }
            }
        }
    }

    /// All layers alike, or full recomputation of a quarter, a half or three quarters of each stage's.
    void recomputations()
    {
        const std::string own = mixesRecompute(m_own) ? "of some layers" : std::string(key(m_own.recompute));
        for (const Recompute recompute : kAllRecompute) {
            Strategy s = m_own;
            recomputeAll(s, recompute);
            if (!(s == m_own))
                add("recomputation " + std::string(key(recompute)) + " instead of " + own, s);
        }
        const int layers = m_plan.model.layers / std::max(1, m_own.pp);
        for (int count = std::max(1, layers / 4); count < layers; count += std::max(1, layers / 4)) {
            Strategy s = m_own;
            recomputeFirst(s, m_plan.model.layers, count);
            add("recomputation of the first " + std::to_string(count) + " layers of each stage instead of " + own, s);
        }
    }

    /// The even split, or of this one a layer fewer on the first or the last stage, which the last of the emptiest others gets: it holds fewest
    /// micro-batches.
    void splits()
    {
        if (!m_own.stageLayers.empty()) {
            Strategy s = m_own;
            s.stageLayers.clear();
            add("layers spread evenly", s);
        }
        const std::vector<int> own = stageLayers(m_own, m_plan.model.layers);
        for (const bool first : {true, false}) {
            std::vector<int> layers = own;
            int& fewer = first ? layers.front() : layers.back();
            if (layers.size() < 3 || fewer == 0)
                continue;
            --fewer;
            const auto emptiest = std::min_element(layers.rbegin() + 1, layers.rend() - 1);
            ++*emptiest;
            Strategy s = m_own;
            s.stageLayers = layers;
            add("a layer fewer on the " + std::string(first ? "first" : "last") + " stage", s);
        }
    }

    void kinds()
    {
        recomputations();
        splits();
        for (int i = 0; !key(static_cast<Schedule>(i)).empty(); ++i)
            kind("schedule", &Strategy::schedule, static_cast<Schedule>(i));
        for (const ContextMethod method : {ContextMethod::Ring, ContextMethod::AllGather, ContextMethod::Ulysses})
            if (m_own.cp > 1)
                kind("context parallelism by", &Strategy::contextMethod, method);
        for (const VocabularyPlacement placement : {VocabularyPlacement::Ends, VocabularyPlacement::Vocab1, VocabularyPlacement::Vocab2, VocabularyPlacement::Interlaced})
            if (m_own.pp > 1)
                kind("vocabulary placement", &Strategy::vocabularyPlacement, placement);
        for (const Offload offload : {Offload::None, Offload::Activations, Offload::Optimizer})
            kind("offload", &Strategy::offload, offload);
        if (m_own.pp > 1) {
            Strategy s = m_own;
            s.timingPass = !s.timingPass;
            add(s.timingPass ? "with the timing pass" : "without the timing pass", s);
        }
        for (const int stage : {0, 1, 2, 3}) {
            Strategy s = m_own;
            s.zeroStage = stage;
            if (stage != m_own.zeroStage)
                add("ZeRO-" + std::to_string(stage) + " instead of ZeRO-" + std::to_string(m_own.zeroStage), s);
        }
        if (m_own.tp > 1) {
            Strategy s = m_own;
            s.sequenceParallel = !s.sequenceParallel;
            add(s.sequenceParallel ? "with sequence parallelism" : "without sequence parallelism", s);
        }
    }

    template <class Value>
    void kind(const char* name, Value Strategy::*member, Value other)
    {
        if (m_own.*member == other)
            return;
        Strategy s = m_own;
        s.*member = other;
        add(std::string(name) + ' ' + std::string(key(other)) + " instead of " + std::string(key(m_own.*member)), s);
    }

    const Plan& m_plan;
    Strategy m_own;
    std::vector<Neighbour> m_found;
};

std::optional<Neighbour> nearestThatFits(const Plan& plan, const Strategy& strategy)
{
    StrategyPricer pricer(plan);
    Plan scratch = plan;
    std::optional<Neighbour> nearest;
    for (Neighbour& neighbour : Neighbours(plan).of(strategy)) {
        scratch.strategy = neighbour.strategy;
        if (hasErrors(check(scratch, {.remedies = false})) || !notEstimable(scratch).empty())
            continue;
        const auto price = pricer.price(neighbour.strategy, PipelineTime::Simulated);
        if (!price || !price->fits || (nearest && nearest->step <= price->step))
            continue;
        neighbour.step = price->step;
        neighbour.peak = price->peak;
        nearest = std::move(neighbour);
    }
    return nearest;
}

std::optional<Seconds> stepThatFits(const Plan& plan)
{
    const auto e = estimate(plan, {.remedies = false, .range = false});
    return e && e->fits ? std::optional(e->step) : std::nullopt;
}

std::optional<Seconds> bestStep(const Plan& plan, const SearchSpace& space, const SearchOptions& options, const std::stop_token& stop)
{
    const SearchResult result = search(plan, space, options, stop);
    return result.proven && result.best ? std::optional(result.best->step) : std::nullopt;
}

} // namespace

std::string_view key(Binding binding)
{
    switch (binding) {
    case Binding::Nothing: return "nothing";
    case Binding::Illegal: return "illegal";
    case Binding::OutOfMemory: return "out_of_memory";
    case Binding::Slower: break;
    }
    return "slower";
}

Why why(const Plan& plan, const Plan& best)
{
    Why result;
    const auto mine = estimate(plan, {.remedies = false, .range = false});
    const auto theirs = estimate(best, {.remedies = false, .range = false});
    result.nearest = nearestThatFits(plan, plan.strategy);
    if (!mine) {
        result.binding = Binding::Illegal;
        result.problems = mine.error();
        std::erase_if(result.problems, [](const Problem& problem) { return problem.severity != Severity::Error; });
        return result;
    }
    result.step = mine->step;
    result.bubble = mine->breakdown.bubble / mine->step;
    result.stage = mine->memory.peakStage;
    if (theirs) {
        result.slower = mine->step / theirs->step - 1;
        result.parts = difference(mine->breakdown, theirs->breakdown, theirs->step);
    }
    if (!mine->fits) {
        result.binding = Binding::OutOfMemory;
        const Memory& m = mine->memory;
        result.over = m.fitsAccelerator() ? m.hostPeak - m.hostCapacity : m.peak - m.capacity;
    } else if (theirs && mine->step > theirs->step) {
        result.binding = Binding::Slower;
    }
    return result;
}

std::vector<MarginalValue> marginalValues(const Plan& plan, const SearchSpace& space, SearchOptions options, const std::stop_token& stop)
{
    options.keep = FrontKind::Best;
    options.exhaustive = false;
    constexpr double kTenthMore = 1.1;
    std::vector<MarginalValue> values;
    const auto add = [&](const char* resource, double factor, auto change) {
        Plan more = plan;
        for (NodeGroup& group : more.cluster.nodes)
            change(group);
        values.push_back({resource, factor, bestStep(more, space, options, stop), stepThatFits(more)});
    };
    add("memory", kTenthMore, [](NodeGroup& group) { group.accelerator.memory *= kTenthMore; });
    add("network bandwidth", kTenthMore, [](NodeGroup& group) { group.nic.bandwidth *= kTenthMore; });
    add("scale-up bandwidth", kTenthMore, [](NodeGroup& group) { group.scaleUp.bandwidth *= kTenthMore; });
    add("nodes", 2, [](NodeGroup& group) { group.count *= 2; });
    Plan more = plan;
    for (NodeGroup& group : more.cluster.nodes)
        group.count *= 2;
    more.strategy.dp *= 2;
    values.back().own = stepThatFits(more);
    return values;
}

} // namespace stratoplan
