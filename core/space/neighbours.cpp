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
class Generator {
public:
    explicit Generator(const plan::Plan& plan)
        : m_plan(plan)
    {
    }

    std::vector<Neighbour> of(const parallel::Strategy& own)
    {
        m_own = own;
        m_found.clear();
        microBatches();
        steps(plan::Dimension::Vpp, &parallel::Strategy::vpp);
        if (m_plan.model.moe) {
            steps(plan::Dimension::Ep, &parallel::Strategy::ep);
            steps(plan::Dimension::Etp, &parallel::Strategy::etp);
        }
        degrees();
        divisions();
        kinds();
        return std::move(m_found);
    }

private:
    void add(StrategyChange change, parallel::Strategy s)
    {
        if (s.tp == 1)
            s.sequenceParallel = false;
        if (s.pp != m_own.pp)
            makeStagesAlike(s);
        m_found.push_back({change, std::move(s)});
    }

    void steps(plan::Dimension dimension, int parallel::Strategy::*member)
    {
        const int own = m_own.*member;
        for (const int other : {own / 2, own - 1, own + 1, own * 2}) {
            if (other < 1 || other == own || (other == own - 1 && own == 2))
                continue;
            parallel::Strategy s = m_own;
            s.*member = other;
            add({ChangeCode::Number, dimension, other, own}, s);
        }
    }

    /// Those that divide the sequences of a replica.
    void microBatches()
    {
        steps(plan::Dimension::MicroBatch, &parallel::Strategy::microBatch);
        for (const int size : nextDivisors(m_plan.training.globalBatch / std::max(1, m_own.dp), m_own.microBatch)) {
            parallel::Strategy s = m_own;
            s.microBatch = size;
            add({ChangeCode::Number, plan::Dimension::MicroBatch, size, m_own.microBatch}, s);
        }
    }

    /// The next number that divides the accelerators, which the replicas share out.
    void divisions()
    {
        const int all = acceleratorCount(m_plan.cluster);
        const auto fill = [&](plan::Dimension dimension, int parallel::Strategy::*member, int value) {
            parallel::Strategy s = m_own;
            s.*member = value;
            const int rest = s.tp * s.cp * s.pp;
            if (all % rest != 0)
                return;
            s.dp = all / rest;
            add({ChangeCode::TwoNumbers, dimension, value, m_own.*member, plan::Dimension::Dp, s.dp, m_own.dp}, s);
        };
        for (const auto& [dimension, member] : {std::pair(plan::Dimension::Tp, &parallel::Strategy::tp),
                 std::pair(plan::Dimension::Cp, &parallel::Strategy::cp),
                 std::pair(plan::Dimension::Pp, &parallel::Strategy::pp)})
            for (const int value : nextDivisors(all, m_own.*member))
                fill(dimension, member, value);
        const int rest = m_own.tp * m_own.cp * m_own.pp;
        parallel::Strategy s = m_own;
        s.dp = all / rest;
        if (all % rest == 0 && s.dp != m_own.dp)
            add({ChangeCode::Number, plan::Dimension::Dp, s.dp, m_own.dp}, s);
    }

    void degrees()
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
                    if (&less == &more || m_own.*less.member % factor != 0)
                        continue;
                    parallel::Strategy s = m_own;
                    s.*less.member /= factor;
                    s.*more.member *= factor;
                    add({ChangeCode::TwoNumbers, less.dimension, s.*less.member, m_own.*less.member, more.dimension,
                            s.*more.member, m_own.*more.member},
                        s);
                }
            }
        }
    }

    /// All layers alike, or full recomputation of a quarter, a half or three quarters of each stage's.
    void recomputations()
    {
        const auto change = [&](ChangeCode code, int number) {
            return StrategyChange{.code = code,
                .dimension = plan::Dimension::Recompute,
                .number = number,
                .before = int(m_own.recompute),
                .mixedBefore = mixesRecompute(m_own)};
        };
        for (const parallel::Recompute recompute : parallel::kAllRecompute) {
            parallel::Strategy s = m_own;
            recomputeAll(s, recompute);
            if (!(s == m_own))
                add(change(ChangeCode::Recompute, int(recompute)), s);
        }
        const int layers = m_plan.model.layers / std::max(1, m_own.pp);
        for (int count = std::max(1, layers / 4); count < layers; count += std::max(1, layers / 4)) {
            parallel::Strategy s = m_own;
            recomputeFirst(s, m_plan.model.layers, count);
            add(change(ChangeCode::RecomputeFirst, count), s);
        }
    }

    /// The even split, or of this one a layer fewer on the first or the last stage, which the last of the emptiest
    /// others gets: it holds fewest micro-batches.
    void splits()
    {
        if (!m_own.stageLayers.empty()) {
            parallel::Strategy s = m_own;
            s.stageLayers.clear();
            add({ChangeCode::EvenLayers, plan::Dimension::StageLayers}, s);
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
            parallel::Strategy s = m_own;
            s.stageLayers = layers;
            add({first ? ChangeCode::FewerOnFirst : ChangeCode::FewerOnLast, plan::Dimension::StageLayers}, s);
        }
    }

    /// Each in the chunks that there are, and in one and two, which some of them ask for.
    void schedules()
    {
        for (const parallel::Schedule other : allValues<parallel::Schedule>()) {
            if (other == m_own.schedule)
                continue;
            for (const int chunks : {m_own.vpp, 1, 2}) {
                parallel::Strategy s = m_own;
                s.schedule = other;
                s.vpp = chunks;
                const ChangeCode code = chunks == m_own.vpp ? ChangeCode::Schedule
                    : chunks == 1                           ? ChangeCode::ScheduleInOneChunk
                                                            : ChangeCode::ScheduleInTwoChunks;
                add({code, plan::Dimension::Schedule, int(other), int(m_own.schedule)}, s);
            }
        }
    }

    void kinds()
    {
        recomputations();
        splits();
        schedules();
        for (const plan::DimensionRow& row : plan::dimensions())
            if (row.whereOpen != plan::WhereOpen::All && isSearched(row) && matters(row, m_own, m_plan.model))
                choices(row);
        for (const int stage : {0, 1, 2, 3}) {
            parallel::Strategy s = m_own;
            s.zeroStage = stage;
            if (stage != m_own.zeroStage)
                add({ChangeCode::Choice, plan::Dimension::ZeroStage, stage, m_own.zeroStage}, s);
        }
        if (m_own.tp > 1)
            choices(dimension(plan::Dimension::SequenceParallel));
    }

    void choices(const plan::DimensionRow& row)
    {
        for (const int choice : choicesOf(row)) {
            if (choice == number(row.id, m_own))
                continue;
            parallel::Strategy s = m_own;
            setNumber(row.id, s, choice);
            const ChangeCode code = !isSwitch(row) ? ChangeCode::Choice
                : choice == 1                      ? ChangeCode::On
                                                   : ChangeCode::Off;
            add({code, row.id, choice, number(row.id, m_own)}, s);
        }
    }

    const plan::Plan& m_plan;
    parallel::Strategy m_own;
    std::vector<Neighbour> m_found;
};

} // namespace

std::vector<Neighbour> neighbours(const plan::Plan& plan, const parallel::Strategy& strategy)
{
    return Generator(plan).of(strategy);
}

} // namespace stratoplan::space
