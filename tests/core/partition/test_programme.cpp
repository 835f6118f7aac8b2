// SPDX-License-Identifier: GPL-3.0-or-later
// The programme against all divisions of small groups, priced one by one.
#include "core/partition/programme.h"
#include "tests/core/fixtures.h"
#include "tests/registry.h"

#include <QTest>
#include <algorithm>
#include <random>
#include <type_traits>

using namespace stratoplan;
using namespace stratoplan::partition;

namespace {

/// A group on a topology with everything that pricing it needs.
class Group {
public:
    Group(int bits, int inside, double across)
        : m_bits(bits)
    {
        const int ranks = 1 << bits;
        m_machine.matmul = m_machine.peak = m_machine.widePeak = FlopsPerSecond(100e12);
        m_machine.memory = BytesPerSecond(1e12);
        m_machine.topology.levels = {{"inside", inside, BytesPerSecond(100e9), Seconds(2e-6)}};
        if (inside < ranks) {
            m_machine.topology.levels.push_back({"between", ranks, BytesPerSecond(across), Seconds(10e-6)});
            m_machine.topology.levels[1].ports = inside;
        }
        m_machine.topology.accelerators = ranks;
        m_span = {ranks, inside};
    }

    [[nodiscard]] ProgrammeAnswer solve(const Block& block, const ProgrammeGoal& goal)
    {
        return with(block, [&](Programme& programme) { return programme.solve(goal); });
    }

    [[nodiscard]] Division price(const Block& block, const Division& division)
    {
        return with(block, [&](Programme& programme) { return programme.price(division.states, division.again); });
    }

    /// Every division; where memory counts also those in which inputs are handed over again instead of being kept.
    [[nodiscard]] std::vector<Division> all(const Block& block, bool memoryCounts)
    {
        std::uint32_t ways = 0;
        for (const BlockEdge& edge : block.edges)
            if (memoryCounts && edge.kept > Bytes{})
                ways |= 1U << (edge.to % block.size() + (edge.to == edge.from + 1 ? 0 : kMostOperators));
        return with(block, [&](Programme& programme) {
            std::vector<Division> all;
            ChosenStates chosen{};
            do {
                std::uint32_t again = 0;
                do {
                    all.push_back(programme.price(chosen, again));
                    again = (again - ways) & ways; // the next part of it
                } while (again != 0);
            } while (next(chosen, programme.states()));
            return all;
        });
    }

private:
    static bool next(ChosenStates& chosen, const std::vector<std::vector<State>>& states)
    {
        for (std::size_t op = 0; op < states.size(); ++op) {
            if (++chosen[op] < std::int16_t(states[op].size()))
                return true;
            chosen[op] = 0;
        }
        return false;
    }

    template <class Use>
    std::invoke_result_t<Use, Programme&> with(const Block& block, Use use)
    {
        Layouts layouts({m_machine.topology, m_span}, mostDigits(block));
        const Sequences sequences(m_bits, layouts);
        const GroupPricing pricing{m_machine, m_software, layouts, m_bits};
        Programme programme(block, sequences, pricing);
        return use(programme);
    }

    int m_bits;
    cost::Machine m_machine;
    plan::SoftwareProfile m_software;
    cluster::Span m_span;
};

plan::Plan smallPlan(std::mt19937& random)
{
    const auto pick = [&](std::initializer_list<int> values) { return values.begin()[random() % values.size()]; };
    const int heads = pick({2, 4, 6});
    const int width = pick({64, 128});
    plan::Plan plan;
    plan.model = fixtures::gpt(2, heads * width, heads);
    plan.model.ffnHidden = pick({2, 4}) * heads * width;
    plan.model.gatedMlp = pick({0, 1}) == 1;
    plan.model.dropout = pick({0, 1}) == 1;
    if (pick({0, 1}) == 1)
        plan.model.kvHeads = heads / 2;
    plan.training.sequenceLength = pick({256, 1024});
    plan.training.attention = pick({0, 1}) == 1 ? plan::AttentionKernel::Flash : plan::AttentionKernel::Unfused;
    plan.training.fp32Gradients = pick({0, 1}) == 1;
    plan.strategy.microBatch = pick({1, 2});
    plan.training.globalBatch = plan.strategy.microBatch * pick({1, 8});
    return plan;
}

/// What follows the attention, by itself: its stream begins at the residual, and ends in it.
Block ffnOf(const plan::Plan& plan)
{
    Block whole = block(plan, false, parallel::Recompute::None);
    const int first = int(std::find_if(whole.operators.begin(), whole.operators.end(), [](const BlockOperator& op) {
        return op.name == "attention residual";
    }) - whole.operators.begin());
    Block ffn = whole;
    ffn.operators.assign(whole.operators.begin() + first, whole.operators.end());
    ffn.edges.clear();
    for (BlockEdge edge : whole.edges) {
        edge.from -= first;
        edge.to -= first;
        if (edge.from >= 0)
            ffn.edges.push_back(edge);
    }
    return ffn;
}

double fastest(const std::vector<Division>& all, const ProgrammeGoal& goal)
{
    double least = std::numeric_limits<double>::infinity();
    for (const Division& division : all)
        if (peak(goal.memory, division) <= goal.capacity)
            least = std::min(least, division.seconds);
    return least;
}

/// Times and peaks of which no other is better in both.
std::vector<std::pair<double, double>> frontOf(const std::vector<Division>& all, const ProgrammeGoal& goal)
{
    std::vector<std::pair<double, double>> points;
    for (const Division& division : all)
        points.emplace_back(division.seconds, peak(goal.memory, division));
    std::sort(points.begin(), points.end());
    std::vector<std::pair<double, double>> front;
    for (const auto& point : points) {
        if (!front.empty() && point.second >= front.back().second * (1 - 1e-9))
            continue;
        if (!front.empty() && fixtures::near(point.first, front.back().first))
            front.pop_back(); // as fast but for rounding
        front.push_back(point);
    }
    return front;
}

} // namespace

class TestProgramme : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// Two ranks, every state of every operator of a layer.
    void theFastestIsThatOfAll()
    {
        std::mt19937 random(11);
        for (int round = 0; round < 4; ++round) {
            const Block layer = block(smallPlan(random), false, parallel::Recompute::None);
            Group group(1, 1 + int(random() % 2), 5e9);
            const ProgrammeAnswer answer = group.solve(layer, {});
            QCOMPARE(answer.best.size(), std::size_t(1));
            QVERIFY(fixtures::near(answer.best.front().seconds, fastest(group.all(layer, false), {})));
        }
    }

    /// Four ranks, up to 17 states of each operator of an FFN.
    void theFastestOfFourRanksIsThatOfAll()
    {
        std::mt19937 random(12);
        for (int round = 0; round < 6; ++round) {
            const Block ffn = ffnOf(smallPlan(random));
            Group group(2, 1 << random() % 3, 3e9);
            const std::vector<Division> all = group.all(ffn, false);
            QVERIFY(all.size() > 10000);
            QVERIFY(fixtures::near(group.solve(ffn, {}).best.front().seconds, fastest(all, {})));
        }
    }

    /// A limit of memory is met exactly, and the front has every point and no other.
    void memoryIsMetExactly()
    {
        std::mt19937 random(13);
        for (int round = 0; round < 6; ++round) {
            plan::Plan plan = smallPlan(random);
            plan.strategy.microBatch = 1;
            plan.training.attention = plan::AttentionKernel::Flash;
            const Block layer = round < 4 ? ffnOf(plan) : block(plan, false, parallel::Recompute::Selective);
            Group group(round < 2 ? 2 : 1, 1, 3e9); // of the first two, all 17 states of linear operators
            ProgrammeGoal goal;
            goal.memory = {{18, 1.0 + double(random() % 8), 1e6}, {18, 1, 3e7}};
            goal.front = true;
            const auto front = frontOf(group.all(layer, true), goal);
            const std::vector<Division> best = group.solve(layer, goal).best;
            QCOMPARE(best.size(), front.size());
            for (std::size_t i = 0; i < front.size(); ++i) {
                QVERIFY(fixtures::near(best[i].seconds, front[i].first));
                QVERIFY(fixtures::near(peak(goal.memory, best[i]), front[i].second));
            }
            goal.front = false;
            for (const auto& [seconds, most] : front) {
                goal.capacity = most * (1 + 1e-9);
                QVERIFY(fixtures::near(group.solve(layer, goal).best.at(0).seconds, seconds));
            }
            goal.capacity = front.back().second * (1 - 1e-6);
            QVERIFY(group.solve(layer, goal).best.empty());
        }
    }

    /// What a division is said to take is what its parts take when they are put together again.
    void answersArePricedAsTheyAre()
    {
        std::mt19937 random(14);
        const Block layer = block(smallPlan(random), false, parallel::Recompute::None);
        Group group(3, 2, 3e9);
        ProgrammeGoal goal;
        goal.memory = {{18, 4, 0}};
        goal.front = true;
        const std::vector<Division> front = group.solve(layer, goal).best;
        QVERIFY(front.size() > 1);
        for (const Division& division : front) {
            const Division again = group.price(layer, division);
            QVERIFY(fixtures::near(again.seconds, division.seconds));
            QVERIFY(fixtures::near(again.parameters, division.parameters));
            QVERIFY(fixtures::near(again.kept, division.kept));
            QCOMPARE(again.working, division.working);
        }
    }
};

STRATOPLAN_TEST(TestProgramme)
#include "test_programme.moc"
