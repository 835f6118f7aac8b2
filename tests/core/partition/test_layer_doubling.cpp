// SPDX-License-Identifier: GPL-3.0-or-later
// Layers divided unlike each other against all chains of a few of their states, and alike ones against the programme.
#include "core/partition/layer_doubling.h"
#include "core/partition/programme.h"
#include "tests/core/fixtures.h"
#include "tests/registry.h"

#include <QTest>
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <random>

using namespace stratoplan;
using namespace stratoplan::partition;

namespace {

using States = std::vector<std::vector<State>>; ///< by operator

/// A layer and its group, domains of `inside` ranks, with everything that pricing it needs.
class GroupedLayer {
public:
    GroupedLayer(Block block, int bits, int inside)
        : m_block(std::move(block))
        , m_machine(machine(1 << bits, inside))
        , m_layouts({m_machine.topology, {1 << bits, inside}}, mostDigits(m_block))
        , m_sequences(bits, m_layouts)
        , m_pricing{m_machine, m_software, m_layouts, bits}
        , m_programme(m_block, m_sequences, m_pricing)
        , m_steps(m_block, m_layouts)
    {
    }
    GroupedLayer(const GroupedLayer&) = delete;
    GroupedLayer& operator=(const GroupedLayer&) = delete;

    [[nodiscard]] const Block& block() const { return m_block; }
    [[nodiscard]] Programme& programme() { return m_programme; }
    [[nodiscard]] LayerSteps& steps() { return m_steps; }
    [[nodiscard]] LayerDoubling doubling() { return {m_block, m_programme.states(), m_steps}; }

    /// Two states of some operators, the first one among them, and one of the others, as many layers as that makes.
    [[nodiscard]] States someStates(std::size_t layers, std::mt19937& random) const
    {
        States some = m_programme.states();
        std::size_t all = 1;
        for (std::vector<State>& states : some) {
            std::ranges::shuffle(states, random);
            states.resize(std::min<std::size_t>(states.size(), 2));
            all *= states.size();
        }
        while (all > layers) {
            std::vector<State>& states = some[1 + random() % (some.size() - 1)];
            all /= states.size();
            states.resize(1);
        }
        return some;
    }

private:
    static cost::Machine machine(int ranks, int inside)
    {
        cost::Machine machine;
        machine.matmul = machine.peak = machine.widePeak = FlopsPerSecond(100e12);
        machine.memory = BytesPerSecond(1e12);
        machine.topology.levels = {{"inside", inside, BytesPerSecond(100e9), Seconds(2e-6)}};
        if (inside < ranks) {
            machine.topology.levels.push_back({"between", ranks, BytesPerSecond(3e9), Seconds(10e-6)});
            machine.topology.levels[1].ports = inside;
        }
        machine.topology.accelerators = ranks;
        return machine;
    }

    Block m_block;
    cost::Machine m_machine;
    plan::SoftwareProfile m_software;
    Layouts m_layouts;
    Sequences m_sequences;
    GroupPricing m_pricing;
    Programme m_programme;
    LayerSteps m_steps;
};

enum class LayerKind { Unfused, GatedFused, Experts };
constexpr std::array kLayerKinds{LayerKind::Unfused, LayerKind::GatedFused, LayerKind::Experts};

Block anyBlock(LayerKind kind, std::mt19937& random)
{
    const auto pick = [&](std::initializer_list<int> values) { return values.begin()[random() % values.size()]; };
    const int heads = pick({4, 8}), width = pick({64, 128});
    plan::Plan plan;
    plan.model = fixtures::gpt(2, heads * width, heads);
    plan.model.dropout = pick({0, 1}) == 1;
    plan.training.sequenceLength = pick({256, 1024});
    plan.training.attention =
        kind == LayerKind::Unfused ? plan::AttentionKernel::Unfused : plan::AttentionKernel::Flash;
    plan.strategy.microBatch = pick({1, 2, 4});
    plan.training.globalBatch = plan.strategy.microBatch * pick({1, 8});
    if (kind == LayerKind::GatedFused) {
        plan.model.kvHeads = heads / 4;
        plan.model.gatedMlp = true;
    }
    if (kind == LayerKind::Experts) {
        plan.model.moe.emplace();
        plan.model.moe->expertFfn = 256;
    }
    return block(plan, kind == LayerKind::Experts, parallel::kAllRecompute[random() % 3]);
}

/// A layer, and the state that the next one begins in.
struct ChosenLayer {
    std::size_t first = 0, next = 0;
    Division division;
};

/// All layers of some states; with `again` also those in which inputs are handed over again instead of being kept.
class AllLayers {
public:
    AllLayers(const GroupedLayer& layer, const States& states, LayerSteps& steps, bool again)
        : m_states(states)
        , m_steps(steps)
        , m_again(again)
        , m_end(std::size_t(layer.block().size()))
        , m_chosen(m_end + 1)
    {
        choose(0);
    }
    [[nodiscard]] const std::vector<ChosenLayer>& all() const { return m_all; }

private:
    [[nodiscard]] const State& state(std::size_t place) const { return m_states[place % m_end][m_chosen[place]]; }

    void choose(std::size_t place)
    {
        if (place > m_end)
            return add();
        for (m_chosen[place] = 0; m_chosen[place] < m_states[place % m_end].size(); ++m_chosen[place])
            choose(place + 1);
    }

    void add()
    {
        Division division;
        std::vector<Step> ways;
        for (std::size_t place = 0; place < m_end; ++place) {
            const State& s = state(place);
            division.seconds += s.seconds;
            division.parameters += s.parameters;
            division.kept += s.kept;
            division.remade += s.remade;
            division.working = std::max(division.working, s.working);
            ways.push_back(m_steps.between(int(place), s, int(place) + 1, state(place + 1)));
        }
        for (const auto& [from, to] : m_steps.skips())
            ways.push_back(m_steps.between(from, state(std::size_t(from)), to, state(std::size_t(to))));
        addWays(division, ways, 0);
    }

    void addWays(Division division, const std::vector<Step>& ways, std::size_t i)
    {
        if (i == ways.size()) {
            m_all.push_back({m_chosen.front(), m_chosen.back(), division});
            return;
        }
        const Step& step = ways[i];
        division.remade += step.remade;
        Division kept = division;
        kept.seconds += step.seconds;
        kept.kept += step.kept;
        addWays(kept, ways, i + 1);
        if (!m_again || step.keptAgain >= step.kept)
            return;
        division.seconds += step.secondsAgain;
        division.kept += step.keptAgain;
        addWays(division, ways, i + 1);
    }

    const States& m_states;
    LayerSteps& m_steps;
    bool m_again;
    std::size_t m_end;
    std::vector<std::size_t> m_chosen; ///< by place, the end included
    std::vector<ChosenLayer> m_all;
};

double costOf(const Division& division, const LayerWeights& weights)
{
    return weights.ofSeconds * division.seconds + weights.ofParameter * division.parameters
        + weights.ofKept * division.kept + weights.ofRemade * division.remade;
}

/// Of each chain of so many layers, one by one.
MinPlusMatrix leastOfChains(
    const std::vector<ChosenLayer>& all, const LayerWeights& weights, std::size_t size, int count)
{
    MinPlusMatrix least(size, size);
    const std::function<void(std::size_t, std::size_t, double, int)> extend = [&](std::size_t first, std::size_t here,
                                                                                  double cost, int left) {
        if (left == 0) {
            least.at(first, here) = std::min(least.at(first, here), cost);
            return;
        }
        for (const ChosenLayer& layer : all)
            if (layer.first == here)
                extend(first, layer.next, cost + costOf(layer.division, weights), left - 1);
    };
    for (std::size_t first = 0; first < size; ++first)
        extend(first, first, 0, count);
    return least;
}

/// Of a stage of both, half of its layers each; infinite where they do not fit.
double costWithin(const MemoryForm& form, double capacity, const Division& a, const Division& b, double ofParameter)
{
    const double parameters = (a.parameters + b.parameters) / 2, kept = (a.kept + b.kept) / 2;
    const double beside = std::max(a.remade + a.working, b.remade + b.working);
    const bool fits = form.fixed + form.layers(parameters, kept, beside) <= capacity;
    return fits ? (a.seconds + b.seconds) / 2 + ofParameter * parameters : kInfinity;
}

bool areNear(const MinPlusMatrix& a, const MinPlusMatrix& b)
{
    if (a.rows() != b.rows() || a.columns() != b.columns())
        return false;
    for (std::size_t row = 0; row < a.rows(); ++row)
        for (std::size_t column = 0; column < a.columns(); ++column)
            if (a.at(row, column) != b.at(row, column) && !fixtures::near(a.at(row, column), b.at(row, column)))
                return false;
    return true;
}

/// Of costs between 1 and 2; some of them infinite.
MinPlusMatrix anyMatrix(std::size_t rows, std::size_t columns, std::mt19937& random, unsigned infinite = 0)
{
    MinPlusMatrix matrix(rows, columns);
    for (std::size_t row = 0; row < rows; ++row)
        for (std::size_t column = 0; column < columns; ++column)
            if (random() % 100 >= infinite)
                matrix.at(row, column) = 1 + double(random() % 1000) / 1000;
    return matrix;
}

/// A micro-batch of one layer costs seconds, and what its bytes and parameters are worth.
LayerWeights anyWeights(int round, const Division& division)
{
    const auto worth = [&](double amount) { return amount > 0 ? 0.3 * division.seconds / amount : 0; };
    switch (round % 3) {
    case 0:
        return {};
    case 1:
        return {1, worth(division.parameters)};
    default:
        return {1, worth(division.parameters), worth(division.kept), worth(division.remade)};
    }
}

} // namespace

class TestLayerDoubling : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// More inner states than a core's cache holds rows of, too.
    void productsAreThoseOfTheirDefinition()
    {
        std::mt19937 random(31);
        for (const auto& [rows, inner, columns] :
            {std::array<std::size_t, 3>{1, 1, 1}, {3, 5, 4}, {2, 40, 3000}, {3, 2, 40000}}) {
            const MinPlusMatrix a = anyMatrix(rows, inner, random, 10), b = anyMatrix(inner, columns, random, 10);
            MinPlusMatrix least(rows, columns);
            for (std::size_t i = 0; i < rows; ++i)
                for (std::size_t k = 0; k < columns; ++k)
                    for (std::size_t j = 0; j < inner; ++j)
                        least.at(i, k) = std::min(least.at(i, k), a.at(i, j) + b.at(j, k));
            QVERIFY(areNear(a.times(b), least));
        }
    }

    void powersAreRepeatedProducts()
    {
        std::mt19937 random(32);
        const MinPlusMatrix step = anyMatrix(9, 9, random, 30);
        MinPlusMatrix repeated = step;
        for (int steps = 1; steps <= 33; ++steps, repeated = repeated.times(step))
            QVERIFY(areNear(step.power(steps), repeated));
    }

    /// Two states in turn cost less than either alone: no diagonal says so.
    void turnsThatCostLessAreFound()
    {
        MinPlusMatrix step(3, 3);
        for (std::size_t i = 0; i < 3; ++i)
            for (std::size_t k = 0; k < 3; ++k)
                step.at(i, k) = 10;
        step.at(0, 2) = 1;
        step.at(2, 0) = 4;
        step.at(1, 1) = 3;
        QCOMPARE(step.leastClosed(), 3.0);
        QCOMPARE(step.leastMean(), 2.5);
        QCOMPARE(step.power(2).leastClosed(), 5.0);
        QCOMPARE(step.power(3).leastClosed(), 9.0);
        QCOMPARE(step.power(3).least(), 6.0);
    }

    /// The cheapest cycle passes each state once at the most.
    void leastMeansAreThoseOfAllCycles()
    {
        std::mt19937 random(33);
        for (int round = 0; round < 200; ++round) {
            const std::size_t size = 1 + random() % 7;
            const MinPlusMatrix step = anyMatrix(size, size, random, round % 2 == 0 ? 0 : 70);
            double least = kInfinity;
            for (int steps = 1; steps <= int(size); ++steps)
                least = std::min(least, step.power(steps).leastClosed() / steps);
            QVERIFY(step.leastMean() == least || fixtures::near(step.leastMean(), least));
        }
    }

    /// Layers that are all alike are those of the programme, of passes alone and with what parameters take in the end.
    void alikeLayersAreThoseOfTheProgramme()
    {
        std::mt19937 random(34);
        for (int round = 0; round < 18; ++round) {
            const int bits = 1 + round / 3 % 3;
            GroupedLayer layer(anyBlock(kLayerKinds[std::size_t(round) % 3], random), bits, 1 << random() % bits);
            const LayerDoubling doubling = layer.doubling();
            const Division fastest = layer.programme().solve({}).best.front();
            const MinPlusMatrix costs = doubling.layer({});
            QVERIFY(fixtures::near(costs.leastClosed(), fastest.seconds));
            QVERIFY(costs.leastMean() <= fastest.seconds * (1 + 1e-12));
            QVERIFY(costs.power(96).leastClosed() >= 96 * costs.leastMean() * (1 - 1e-12));
            ProgrammeGoal goal;
            goal.ofParameter = 0.3 * fastest.seconds / fastest.parameters;
            QVERIFY(fixtures::near(doubling.layer({1, goal.ofParameter}).leastClosed(),
                goal.cost(layer.programme().solve(goal).best.front())));
        }
    }

    /// Whole layers over two ranks: every chain of one to three of them, between any two states.
    void moreLayersAreThoseOfAllChains()
    {
        std::mt19937 random(35);
        for (int round = 0; round < 18; ++round) {
            GroupedLayer layer(anyBlock(kLayerKinds[std::size_t(round) / 6], random), 1, 1 + round % 2);
            const bool again = round % 3 == 2; // bytes count: there are more ways
            for (const auto& [count, most] : {std::pair{1, 2048}, {2, 512}, {3, 32}}) {
                const States states = layer.someStates(std::size_t(again ? most / 16 : most), random);
                const AllLayers layers(layer, states, layer.steps(), again);
                const LayerWeights weights = anyWeights(round, layers.all().front().division);
                const MinPlusMatrix costs = LayerDoubling(layer.block(), states, layer.steps()).layer(weights);
                QVERIFY(areNear(costs.power(count), leastOfChains(layers.all(), weights, costs.rows(), count)));
            }
        }
    }

    /// Alike layers that fit are no cheaper than the bound for layers that need not be, nor are any two in turn.
    void noLayersWithinMemoryAreBelowTheBound()
    {
        std::mt19937 random(36);
        int higher = 0;
        for (int round = 0; round < 9; ++round) {
            GroupedLayer layer(anyBlock(kLayerKinds[std::size_t(round) % 3], random), 1, 1);
            const MemoryForm form{18, 1.0 + double(random() % 8), 1e6, 0.5};
            const States states = layer.someStates(16, random);
            const AllLayers layers(layer, states, layer.steps(), true);
            const LayerDoubling doubling(layer.block(), states, layer.steps());
            const double ofParameter = anyWeights(round, layers.all().front().division).ofParameter;
            const double unlimited = doubling.layer({1, ofParameter}).leastMean();
            for (int i = 0; i < 8; ++i) {
                const double capacity = peak({form}, layers.all()[random() % layers.all().size()].division);
                double least = kInfinity;
                for (const ChosenLayer& a : layers.all())
                    for (const ChosenLayer& b : layers.all())
                        if (a.next == b.first && b.next == a.first)
                            least = std::min(least, costWithin(form, capacity, a.division, b.division, ofParameter));
                const double bound = leastMeanWithin(doubling, ofParameter, form, capacity);
                QVERIFY(bound >= unlimited);
                QVERIFY(bound <= least * (1 + 1e-12));
                higher += bound > unlimited * (1 + 1e-6);
            }
        }
        QVERIFY(higher > 20); // what memory is left makes itself felt
    }

    /// Whatever it is asked for then, nothing is looked at: also where the steps themselves were not priced.
    void whatIsStoppedAnswersNothing()
    {
        std::mt19937 random(38);
        GroupedLayer layer(anyBlock(kLayerKinds[0], random), 2, 1);
        std::stop_source source, before;
        before.request_stop();
        const LayerDoubling doubling(layer.block(), layer.programme().states(), layer.steps(), source.get_token());
        const LayerDoubling none(layer.block(), layer.programme().states(), layer.steps(), before.get_token());
        const MinPlusMatrix costs = doubling.layer({});
        QVERIFY(costs.least() < kInfinity);
        source.request_stop();
        const MemoryForm form{18, 4, 1e6};
        for (const LayerDoubling* const stopped : {&doubling, &none}) {
            QCOMPARE(stopped->layer({}).least(), kInfinity);
            int tangents = 0;
            QVERIFY(!std::isnan(leastMeanWithin(*stopped, 0, form, 1e15, [&](double) { ++tangents; })));
            QCOMPARE(tangents, 0);
        }
        for (const int layers : {1, 64, 96})
            QCOMPARE(costs.power(layers, source.get_token()).rows(), costs.rows());
    }

    void nothingThatFitsIsBelowTheBound()
    {
        std::mt19937 random(37);
        for (int round = 0; round < 6; ++round) {
            GroupedLayer layer(anyBlock(kLayerKinds[std::size_t(round) % 3], random), 1 + round / 3, 1);
            ProgrammeGoal goal;
            goal.memory = {{18, 4, 1e6}};
            goal.front = true;
            const LayerDoubling doubling = layer.doubling();
            const std::vector<Division> front = layer.programme().solve(goal).best;
            const auto bound = [&](double capacity) {
                return leastMeanWithin(doubling, goal.ofParameter, goal.memory.front(), capacity);
            };
            for (const Division& division : front)
                QVERIFY(bound(peak(goal.memory, division)) <= goal.cost(division) * (1 + 1e-12));
            QVERIFY(fixtures::near(bound(1e15), doubling.layer({}).leastMean()));
            QCOMPARE(bound(goal.memory.front().fixed), kInfinity);
        }
    }
};

STRATOPLAN_TEST(TestLayerDoubling)
#include "test_layer_doubling.moc"
