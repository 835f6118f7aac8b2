// SPDX-License-Identifier: Apache-2.0
#include "core/space/neighbours.h"

#include "core/plan/dimensions.h"
#include "core/space/space_tree.h"

#include <algorithm>
#include <cstdlib>

namespace stratoplan {
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
    explicit Generator(const Plan& plan)
        : m_plan(plan)
    {
    }

    std::vector<Neighbour> of(const Strategy& own)
    {
        m_own = own;
        m_found.clear();
        microBatches();
        steps("virtual stages", &Strategy::vpp);
        if (m_plan.model.moe) {
            steps("EP", &Strategy::ep);
            steps("TP of the experts", &Strategy::etp);
        }
        degrees();
        divisions();
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
        m_found.push_back({std::move(change), std::move(s)});
    }

    void steps(const char* name, int Strategy::*member)
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

    /// Those that divide the sequences of a replica.
    void microBatches()
    {
        steps("micro-batch", &Strategy::microBatch);
        for (const int size : nextDivisors(m_plan.training.globalBatch / std::max(1, m_own.dp), m_own.microBatch)) {
            Strategy s = m_own;
            s.microBatch = size;
            add("micro-batch " + std::to_string(size) + " instead of " + std::to_string(m_own.microBatch), s);
        }
    }

    /// The next number that divides the accelerators, which the replicas share out.
    void divisions()
    {
        const int all = acceleratorCount(m_plan.cluster);
        const auto fill = [&](const char* name, int Strategy::*member, int value) {
            Strategy s = m_own;
            s.*member = value;
            const int rest = s.tp * s.cp * s.pp;
            if (all % rest != 0)
                return;
            s.dp = all / rest;
            add(std::string(name) + ' ' + std::to_string(value) + " and DP " + std::to_string(s.dp) + " instead of "
                    + std::to_string(m_own.*member) + " and " + std::to_string(m_own.dp),
                s);
        };
        for (const auto& [name, member] :
            {std::pair("TP", &Strategy::tp), std::pair("CP", &Strategy::cp), std::pair("PP", &Strategy::pp)})
            for (const int value : nextDivisors(all, m_own.*member))
                fill(name, member, value);
        const int rest = m_own.tp * m_own.cp * m_own.pp;
        Strategy s = m_own;
        s.dp = all / rest;
        if (all % rest == 0 && s.dp != m_own.dp)
            add("DP " + std::to_string(s.dp) + " instead of " + std::to_string(m_own.dp), s);
    }

    void degrees()
    {
        struct Degree {
            const char* name;
            int Strategy::*member;
        };
        static constexpr Degree kDegrees[] = {
            {"TP", &Strategy::tp}, {"CP", &Strategy::cp}, {"PP", &Strategy::pp}, {"DP", &Strategy::dp}};
        for (const Degree& less : kDegrees) {
            for (const Degree& more : kDegrees) {
                for (const int factor : {2, 3, 4}) {
                    if (&less == &more || m_own.*less.member % factor != 0)
                        continue;
                    Strategy s = m_own;
                    s.*less.member /= factor;
                    s.*more.member *= factor;
                    add(std::string(less.name) + ' ' + std::to_string(s.*less.member) + " and " + more.name + ' '
                            + std::to_string(s.*more.member) + " instead of " + std::to_string(m_own.*less.member)
                            + " and " + std::to_string(m_own.*more.member),
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

    /// The even split, or of this one a layer fewer on the first or the last stage, which the last of the emptiest
    /// others gets: it holds fewest micro-batches.
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

    /// Each in the chunks that there are, and in one and two, which some of them ask for.
    void schedules()
    {
        for (const Schedule other : allValues<Schedule>()) {
            if (other == m_own.schedule)
                continue;
            for (const int chunks : {m_own.vpp, 1, 2}) {
                Strategy s = m_own;
                s.schedule = other;
                s.vpp = chunks;
                std::string change("schedule ");
                change.append(key(other));
                if (chunks != m_own.vpp)
                    change.append(" with ").append(chunks == 1 ? "one chunk a stage" : "two chunks a stage");
                change.append(" instead of ").append(key(m_own.schedule));
                add(std::move(change), s);
            }
        }
    }

    void kinds()
    {
        recomputations();
        splits();
        schedules();
        for (const DimensionRow& row : dimensions())
            if (row.whereOpen != WhereOpen::All && isSearched(row) && matters(row, m_own, m_plan.model))
                choices(row);
        for (const int stage : {0, 1, 2, 3}) {
            Strategy s = m_own;
            s.zeroStage = stage;
            if (stage != m_own.zeroStage)
                add("ZeRO-" + std::to_string(stage) + " instead of ZeRO-" + std::to_string(m_own.zeroStage), s);
        }
        if (m_own.tp > 1)
            choices(dimension(Dimension::SequenceParallel));
    }

    void choices(const DimensionRow& row)
    {
        for (const int choice : choicesOf(row)) {
            if (choice == number(row.id, m_own))
                continue;
            Strategy s = m_own;
            setNumber(row.id, s, choice);
            add(isSwitch(row) ? std::string(choice == 1 ? "with " : "without ").append(row.phrase)
                              : phraseOf(row.id, s) + " instead of " + valueText(row, m_own),
                s);
        }
    }

    const Plan& m_plan;
    Strategy m_own;
    std::vector<Neighbour> m_found;
};

} // namespace

std::vector<Neighbour> neighbours(const Plan& plan, const Strategy& strategy)
{
    return Generator(plan).of(strategy);
}

} // namespace stratoplan
