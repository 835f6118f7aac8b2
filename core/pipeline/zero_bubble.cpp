// SPDX-License-Identifier: Apache-2.0
#include "core/pipeline/zero_bubble.h"

#include "core/pipeline/durations.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <limits>
#include <utility>

namespace stratoplan::pipeline::detail {

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

/// Shares of a weight gradient that a gap has to have room for.
constexpr std::array kGaps{1.0, 0.5, 0.0};

struct Rules {
    std::vector<int> warmUp; ///< forward passes of each stage before its first backward pass
    double gap = 1; ///< a weight gradient fills a gap before the next pass of at least this share of it
    bool operator==(const Rules&) const = default;
};

/// The stage that starts first, and of several the one with the least number: a tournament, in which a change is as
/// dear as the rounds are many.
class Earliest {
public:
    explicit Earliest(std::size_t stages)
        : m_leaves(std::bit_ceil(stages))
        , m_starts(m_leaves, kNever)
        , m_winners(2 * m_leaves)
    {
        for (std::size_t i = 0; i < m_leaves; ++i)
            m_winners[m_leaves + i] = i;
        for (std::size_t node = m_leaves; --node > 0;)
            m_winners[node] = m_winners[2 * node];
    }

    void set(std::size_t stage, double start)
    {
        m_starts[stage] = start;
        for (std::size_t node = (m_leaves + stage) / 2; node > 0; node /= 2) {
            const std::size_t left = m_winners[2 * node];
            const std::size_t right = m_winners[2 * node + 1];
            m_winners[node] = m_starts[right] < m_starts[left] ? right : left;
        }
    }
    [[nodiscard]] std::size_t stage() const { return m_winners[1]; }
    [[nodiscard]] double start() const { return m_starts[stage()]; }

private:
    std::size_t m_leaves;
    std::vector<double> m_starts;
    std::vector<std::size_t> m_winners; ///< by node, the root at 1; leaves are stages
};

/// Runs the stages in time: after its warm-up every stage takes forward and backward passes in turn. A weight gradient
/// runs where the next pass has not arrived and leaves it room, where the limit asks for it, and when all else has run.
class ListScheduler {
public:
    ListScheduler(const PipelineWork& work, int limit, const Rules& rules)
        : m_work(work)
        , m_rules(rules)
        , m_durations(work)
        , m_limit(limit)
        , m_microBatches(work.microBatches)
        , m_stages(work.stages.size())
        , m_earliest(work.stages.size())
    {
        const std::size_t cells = m_stages.size() * std::size_t(m_microBatches);
        m_activation.assign(cells, kNever);
        m_gradient.assign(cells, kNever);
        std::fill_n(m_activation.begin(), m_microBatches, 0.0);
    }

    std::vector<StageProgram> run()
    {
        for (std::size_t i = 0; i < m_stages.size(); ++i) {
            m_stages[i].program.reserve(std::size_t(3) * std::size_t(m_microBatches));
            decide(i);
        }
        for (std::size_t left = std::size_t(3) * std::size_t(m_microBatches) * m_stages.size(); left > 0; --left) {
            assert(m_earliest.start() < kNever);
            commit(m_earliest.stage());
        }
        std::vector<StageProgram> programs;
        programs.reserve(m_stages.size());
        for (Stage& stage : m_stages)
            programs.push_back(std::move(stage.program));
        return programs;
    }

private:
    struct Stage {
        int forwards = 0, backwards = 0, weights = 0; ///< passes run
        bool lastWasForward = true; ///< of the passes that are no weight gradients
        double free = 0, linkDown = 0, linkUp = 0; ///< end of the last pass, of the last transfers
        PassKind next = PassKind::Forward; ///< what it runs next, as far as it knows
        StageProgram program;
    };

    [[nodiscard]] double& arrival(std::vector<double>& table, std::size_t stage, int microBatch)
    {
        return table[stage * std::size_t(m_microBatches) + std::size_t(microBatch)];
    }

    void choose(std::size_t i, PassKind kind, double start)
    {
        m_stages[i].next = kind;
        m_earliest.set(i, start);
    }

    void decide(std::size_t i)
    {
        Stage& s = m_stages[i];
        const bool hasWeights = s.weights < s.backwards;
        if (s.backwards == m_microBatches)
            return choose(i, PassKind::WeightGradient, hasWeights ? s.free : kNever);
        bool forward = s.forwards < m_microBatches
            && (s.forwards < m_rules.warmUp[i] || !s.lastWasForward || s.forwards == s.backwards);
        if (forward && s.forwards - s.weights >= m_limit) {
            if (hasWeights)
                return choose(i, PassKind::WeightGradient, s.free);
            forward = false;
        }
        const double arrives = forward ? arrival(m_activation, i, s.forwards) : arrival(m_gradient, i, s.backwards);
        const double rounding = 1e-12 * s.free;
        const double gap = arrives - s.free;
        if (hasWeights && gap > rounding && gap >= m_rules.gap * m_durations.chunk(i, 0).weightGradient - rounding)
            return choose(i, PassKind::WeightGradient, s.free);
        choose(i, forward ? PassKind::Forward : PassKind::InputGradient, std::max(s.free, arrives));
    }

    void commit(std::size_t i)
    {
        Stage& s = m_stages[i];
        int& count = s.next == PassKind::Forward ? s.forwards
            : s.next == PassKind::InputGradient  ? s.backwards
                                                 : s.weights;
        const PipelineStep step{s.next, 0, count++};
        s.program.push_back(step);
        s.free = m_earliest.start() + m_durations.durationOf(i, step);
        const ChunkDurations& d = m_durations.chunk(i, 0);
        if (step.kind != PassKind::WeightGradient)
            s.lastWasForward = step.kind == PassKind::Forward;
        if (step.kind == PassKind::Forward && i + 1 == m_stages.size())
            arrival(m_gradient, i, step.microBatch) = s.free + m_work.loss.value();
        else if (step.kind == PassKind::Forward)
            send(m_activation, i + 1, step.microBatch, s.free, m_work.timing.onePort ? s.linkUp : s.linkDown,
                d.sendForward);
        else if (step.kind == PassKind::InputGradient && i > 0)
            send(m_gradient, i - 1, step.microBatch, s.free, s.linkUp, d.sendBackward);
        decide(i);
    }

    void send(std::vector<double>& table, std::size_t to, int microBatch, double ready, double& link, double seconds)
    {
        link = std::max(ready, link) + seconds;
        arrival(table, to, microBatch) = link;
        decide(to);
    }

    const PipelineWork& m_work;
    const Rules& m_rules;
    Durations m_durations;
    int m_limit;
    int m_microBatches;
    std::vector<Stage> m_stages;
    Earliest m_earliest;
    std::vector<double> m_activation, m_gradient; ///< arrival times at [stage][micro-batch]
};

/// By how much more passes each stage holds before its first backward one than the stage below it.
std::vector<double> slopesFor(const PipelineWork& work, int limit)
{
    const auto p = int(work.stages.size());
    double forward = 0;
    double backward = 0;
    double transfers = 0;
    for (const StageWork& s : work.stages) {
        forward += s.forward.value();
        backward += (s.backward - std::min(s.weightGradient, s.backward)).value();
        transfers += (s.sendForward + s.sendBackward).value();
    }
    const auto steepestOf = [p](int most) { return p > 1 ? double(most - 1) / (p - 1) - 1 : 0; };
    const double steepest = steepestOf(limit);
    std::vector<double> slopes;
    constexpr int kSteps = 5;
    for (int k = 0; k <= kSteps; ++k)
        slopes.push_back(steepest * k / kSteps);
    // Those of the limits just below: who may hold more need not be slower.
    for (int less = 1; less <= std::min(2, limit - 1); ++less)
        slopes.push_back(steepestOf(limit - less));
    if (forward > 0) {
        slopes.push_back(std::min(steepest, (backward + transfers) / forward));
        slopes.push_back(std::min(steepest, backward / forward));
    }
    return slopes;
}

/// Warm-ups that fall by 1 + slope from stage to stage: 0 is that of 1F1B and ZB-H1, 1 that of ZB-H2; at (B +
/// transfers) / F the first gradient comes back when the forward passes before it have just ended.
std::vector<Rules> rulesFor(const PipelineWork& work, int limit)
{
    const auto p = int(work.stages.size());
    std::vector<Rules> all;
    for (const double slope : slopesFor(work, limit)) {
        Rules rules;
        for (int i = 0; i < p; ++i) {
            const double passes = std::floor((1 + slope) * (p - 1 - i) + 1e-9) + 1 + work.lookahead;
            rules.warmUp.push_back(std::clamp(int(passes), 1, std::min(limit, work.microBatches)));
        }
        if (!all.empty()
            && std::any_of(all.begin(), all.end(), [&](const Rules& r) { return r.warmUp == rules.warmUp; }))
            continue;
        for (const double gap : kGaps) {
            rules.gap = gap;
            all.push_back(rules);
        }
    }
    return all;
}

std::vector<StageProgram> byHand(parallel::Schedule schedule, const PipelineWork& work)
{
    return stagePrograms(schedule, int(work.stages.size()), 1, work.microBatches, work.lookahead);
}

int limitOf(const PipelineWork& work, int microBatches)
{
    return zeroBubbleLimit(
        parallel::Schedule::ZbAuto, int(work.stages.size()), microBatches, work.lookahead, work.limit);
}

} // namespace

StageProgram zeroBubbleProgram(parallel::Schedule schedule, int stages, int microBatches, int stage, int lookahead)
{
    const int limit = zeroBubbleLimit(schedule, stages, microBatches, lookahead);
    StageProgram program;
    program.reserve(3 * static_cast<std::size_t>(microBatches));
    int forwards = 0;
    int backwards = 0;
    int weights = 0;
    const auto run = [&](PassKind kind, int& count) { program.push_back({kind, 0, count++}); };
    for (int k = warmUpPasses(schedule, stages, 1, microBatches, stage, lookahead); k > 0; --k)
        run(PassKind::Forward, forwards);
    while (backwards < microBatches) {
        const bool full = forwards - weights >= limit;
        if ((forwards == microBatches || full) && weights < backwards)
            run(PassKind::WeightGradient, weights);
        if (forwards < microBatches)
            run(PassKind::Forward, forwards);
        run(PassKind::InputGradient, backwards);
    }
    while (weights < microBatches)
        run(PassKind::WeightGradient, weights);
    return program;
}

int automaticChoice(int stages)
{
    return 6 * (stages + 1);
}

std::vector<StageProgram> automaticPrograms(const PipelineWork& work)
{
    assert(work.schedule == parallel::Schedule::ZbAuto);
    const int p = int(work.stages.size());
    const auto isFinite = [](const StageWork& s) {
        return std::isfinite((s.forward + s.backward + s.weightGradient + s.sendForward + s.sendBackward).value());
    };
    if (!std::isfinite(work.loss.value()) || !std::all_of(work.stages.begin(), work.stages.end(), isFinite))
        return byHand(parallel::Schedule::ZbH1, work); // nothing to choose by
    PipelineWork shorter = work;
    shorter.microBatches = std::min(work.microBatches, automaticChoice(p));
    const int limit = limitOf(shorter, shorter.microBatches);
    double best = kNever;
    const auto isBest = [&](std::vector<StageProgram> order) {
        shorter.order = std::move(order);
        const double seconds = simulateMakespan(shorter).value();
        const bool better = seconds < best * (1 - 1e-12);
        best = better ? seconds : best;
        return better;
    };
    parallel::Schedule hand = parallel::Schedule::ZbAuto;
    for (const parallel::Schedule schedule : {parallel::Schedule::ZbH1, parallel::Schedule::ZbH2})
        if (zeroBubbleLimit(schedule, p, shorter.microBatches, work.lookahead) <= limit
            && isBest(byHand(schedule, shorter)))
            hand = schedule;
    const std::vector<Rules> all = rulesFor(shorter, limit);
    Rules chosen = all.front();
    for (const Rules& rules : all) {
        if (isBest(ListScheduler(shorter, limit, rules).run())) {
            hand = parallel::Schedule::ZbAuto;
            chosen = rules;
        }
    }
    return hand == parallel::Schedule::ZbAuto ? ListScheduler(work, limitOf(work, work.microBatches), chosen).run()
                                              : byHand(hand, work);
}

} // namespace stratoplan::pipeline::detail
