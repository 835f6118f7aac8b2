// SPDX-License-Identifier: Apache-2.0
#include "core/space/neighbours.h"

#include "core/plan/dimensions.h"
#include "core/space/space_tree.h"

#include <algorithm>
#include <cstdlib>

namespace stratoplan::space {
namespace {

/// The divisors of `whole` next to `number`, below and above it.
std::vector<int> nextDivisors(int whole, int number)
{
    std::vector<int> next;
    for (int low = std::min(number - 1, whole); low >= 1; --low) {
        if (whole % low == 0) {
            next.push_back(low);
            break;
        }
    }
    for (int high = std::max(number + 1, 1); high <= whole; ++high) {
        if (whole % high == 0) {
            next.push_back(high);
            break;
        }
    }
    return next;
}

/// Every strategy that differs in one dimension; moving ranks from one degree to another counts as one.
class Neighbourhood {
public:
    explicit Neighbourhood(const plan::Plan& plan)
        : m_plan(plan)
    {
    }

    std::vector<Neighbour> neighboursOf(const parallel::Strategy& strategy)
    {
        m_strategy = strategy;
        m_found.clear();
        addMicroBatches();
        addSteps(plan::Dimension::Vpp, &parallel::Strategy::vpp);
        if (m_plan.model.moe) {
            addSteps(plan::Dimension::Ep, &parallel::Strategy::ep);
            addSteps(plan::Dimension::Etp, &parallel::Strategy::etp);
        }
        addMovedRanks();
        addNextDivisors();
        addKinds();
        return std::move(m_found);
    }

private:
    void add(StrategyChange change, parallel::Strategy s)
    {
        if (s.tp == 1)
            s.sequenceParallel = false;
        if (s.pp != m_strategy.pp)
            makeStagesAlike(s);
        m_found.push_back({change, std::move(s)});
    }

    /// One up and down, half and twice.
    void addSteps(plan::Dimension dimension, int parallel::Strategy::*member)
    {
        const int present = m_strategy.*member;
        for (const int other : {present / 2, present - 1, present + 1, present * 2}) {
            if (other < 1 || other == present || (other == present - 1 && present == 2))
                continue;
            parallel::Strategy s = m_strategy;
            s.*member = other;
            add({ChangeCode::Number, dimension, other, present}, s);
        }
    }

    /// Those that divide the sequences of a replica.
    void addMicroBatches()
    {
        addSteps(plan::Dimension::MicroBatch, &parallel::Strategy::microBatch);
        for (const int size :
            nextDivisors(m_plan.training.globalBatch / std::max(1, m_strategy.dp), m_strategy.microBatch)) {
            parallel::Strategy s = m_strategy;
            s.microBatch = size;
            add({ChangeCode::Number, plan::Dimension::MicroBatch, size, m_strategy.microBatch}, s);
        }
    }

    /// The next number that divides the accelerators, which the replicas share out.
    void addNextDivisors()
    {
        const int all = acceleratorCount(m_plan.cluster);
        const auto fill = [&](plan::Dimension dimension, int parallel::Strategy::*member, int value) {
            parallel::Strategy s = m_strategy;
            s.*member = value;
            const int rest = s.tp * s.cp * s.pp;
            if (all % rest != 0)
                return;
            s.dp = all / rest;
            add({ChangeCode::TwoNumbers, dimension, value, m_strategy.*member, plan::Dimension::Dp, s.dp,
                    m_strategy.dp},
                s);
        };
        for (const auto& [dimension, member] : {std::pair(plan::Dimension::Tp, &parallel::Strategy::tp),
                 std::pair(plan::Dimension::Cp, &parallel::Strategy::cp),
                 std::pair(plan::Dimension::Pp, &parallel::Strategy::pp)})
            for (const int value : nextDivisors(all, m_strategy.*member))
                fill(dimension, member, value);
        const int rest = m_strategy.tp * m_strategy.cp * m_strategy.pp;
        parallel::Strategy s = m_strategy;
        s.dp = all / rest;
        if (all % rest == 0 && s.dp != m_strategy.dp)
            add({ChangeCode::Number, plan::Dimension::Dp, s.dp, m_strategy.dp}, s);
    }

    /// From one degree to another.
    void addMovedRanks()
    {
        struct Degree {
            plan::Dimension dimension;
            int parallel::Strategy::*member;
        };
        static constexpr Degree kDegrees[] = {{plan::Dimension::Tp, &parallel::Strategy::tp},
            {plan::Dimension::Cp, &parallel::Strategy::cp}, {plan::Dimension::Pp, &parallel::Strategy::pp},
            {plan::Dimension::Dp, &parallel::Strategy::dp}};
        for (const Degree& less : kDegrees) {
            for (const Degree& more : kDegrees) {
                for (const int factor : {2, 3, 4}) {
                    if (&less == &more || m_strategy.*less.member % factor != 0)
                        continue;
                    parallel::Strategy s = m_strategy;
                    s.*less.member /= factor;
                    s.*more.member *= factor;
                    add({ChangeCode::TwoNumbers, less.dimension, s.*less.member, m_strategy.*less.member,
                            more.dimension, s.*more.member, m_strategy.*more.member},
                        s);
                }
            }
        }
    }

    /// All layers alike, or full recomputation of a quarter, a half or three quarters of each stage's.
    void addRecomputations()
    {
        const auto change = [&](ChangeCode code, int number) {
            return StrategyChange{.code = code,
                .dimension = plan::Dimension::Recompute,
                .number = number,
                .before = int(m_strategy.recompute),
                .mixedBefore = mixesRecompute(m_strategy)};
        };
        for (const parallel::Recompute recompute : parallel::kAllRecompute) {
            parallel::Strategy s = m_strategy;
            recomputeAll(s, recompute);
            if (!(s == m_strategy))
                add(change(ChangeCode::Recompute, int(recompute)), s);
        }
        const int layers = m_plan.model.layers / std::max(1, m_strategy.pp);
        for (int count = std::max(1, layers / 4); count < layers; count += std::max(1, layers / 4)) {
            parallel::Strategy s = m_strategy;
            recomputeFirst(s, m_plan.model.layers, count);
            add(change(ChangeCode::RecomputeFirst, count), s);
        }
    }

    /// The even split, or of this one a layer fewer on the first or the last stage, which the last of the emptiest
    /// others gets: it holds fewest micro-batches.
    void addSplits()
    {
        if (!m_strategy.stageLayers.empty()) {
            parallel::Strategy s = m_strategy;
            s.stageLayers.clear();
            add({ChangeCode::EvenLayers, plan::Dimension::StageLayers}, s);
        }
        const std::vector<int> present = stageLayers(m_strategy, m_plan.model.layers);
        for (const bool first : {true, false}) {
            std::vector<int> layers = present;
            int& fewer = first ? layers.front() : layers.back();
            if (layers.size() < 3 || fewer == 0)
                continue;
            --fewer;
            const auto emptiest = std::min_element(layers.rbegin() + 1, layers.rend() - 1);
            ++*emptiest;
            parallel::Strategy s = m_strategy;
            s.stageLayers = layers;
            add({first ? ChangeCode::FewerOnFirst : ChangeCode::FewerOnLast, plan::Dimension::StageLayers}, s);
        }
    }

    /// Each in the chunks that there are, and in one and two, which some of them ask for.
    void addSchedules()
    {
        for (const parallel::Schedule other : allValues<parallel::Schedule>()) {
            if (other == m_strategy.schedule)
                continue;
            for (const int chunks : {m_strategy.vpp, 1, 2}) {
                parallel::Strategy s = m_strategy;
                s.schedule = other;
                s.vpp = chunks;
                const ChangeCode code = chunks == m_strategy.vpp ? ChangeCode::Schedule
                    : chunks == 1                                ? ChangeCode::ScheduleInOneChunk
                                                                 : ChangeCode::ScheduleInTwoChunks;
                add({code, plan::Dimension::Schedule, int(other), int(m_strategy.schedule)}, s);
            }
        }
    }

    /// What is no degree and no size.
    void addKinds()
    {
        addRecomputations();
        addSplits();
        addSchedules();
        for (const plan::DimensionRow& row : plan::dimensions())
            if (row.whereOpen != plan::WhereOpen::All && isSearched(row) && matters(row, m_strategy, m_plan.model))
                addChoices(row);
        for (const int stage : {0, 1, 2, 3}) {
            parallel::Strategy s = m_strategy;
            s.zeroStage = stage;
            if (stage != m_strategy.zeroStage)
                add({ChangeCode::Choice, plan::Dimension::ZeroStage, stage, m_strategy.zeroStage}, s);
        }
        if (m_strategy.tp > 1)
            addChoices(dimension(plan::Dimension::SequenceParallel));
        addMegatron();
    }

    /// Not the other way: each would be a programme to solve.
    void addMegatron()
    {
        using enum parallel::TensorPartition;
        if (m_strategy.tp > 1 && m_strategy.tensorPartition == SpatialTemporal)
            add({ChangeCode::Choice, plan::Dimension::TensorPartition, int(Megatron), int(SpatialTemporal)},
                asMegatron(m_strategy));
    }

    void addChoices(const plan::DimensionRow& row)
    {
        for (const int choice : choicesOf(row)) {
            if (choice == number(row.id, m_strategy))
                continue;
            parallel::Strategy s = m_strategy;
            setNumber(row.id, s, choice);
            const ChangeCode code = !isSwitch(row) ? ChangeCode::Choice
                : choice == 1                      ? ChangeCode::On
                                                   : ChangeCode::Off;
            add({code, row.id, choice, number(row.id, m_strategy)}, s);
        }
    }

    const plan::Plan& m_plan;
    parallel::Strategy m_strategy;
    std::vector<Neighbour> m_found;
};

} // namespace

std::vector<Neighbour> neighbours(const plan::Plan& plan, const parallel::Strategy& strategy)
{
    return Neighbourhood(plan).neighboursOf(strategy);
}

} // namespace stratoplan::space
