// SPDX-License-Identifier: GPL-3.0-or-later
// The programme against all divisions of small groups, priced one by one.
#include "core/partition/priced_layer.h"
#include "core/partition/programme.h"
#include "core/partition/usual_ways.h"
#include "core/workload/layer.h"
#include "tests/core/fixtures.h"
#include "tests/core/random_count.h"
#include "tests/registry.h"

#include <QTest>
#include <algorithm>
#include <random>
#include <type_traits>

using namespace stratoplan;
using namespace stratoplan::partition;
using namespace stratoplan::test;

namespace {

/// The least time of any division, from every state to every one: nothing is left out, and no bound is asked.
class AllChains {
public:
    AllChains(const Block& block, const std::vector<std::vector<State>>& states, LayerSteps& steps)
        : m_states(states)
        , m_steps(steps)
        , m_end(block.size())
    {
    }

    [[nodiscard]] double least()
    {
        const Matrix whole = segment(0, m_end);
        double least = std::numeric_limits<double>::infinity();
        for (std::size_t i = 0; i < whole.size(); ++i)
            least = std::min(least, whole[i][i]);
        return least;
    }

private:
    using Matrix = std::vector<std::vector<double>>; ///< by states of the first operator, and of the last

    [[nodiscard]] const std::vector<State>& at(int place) const { return m_states[std::size_t(place % m_end)]; }
    [[nodiscard]] bool isSkip(int from, int to) const
    {
        return std::ranges::find(m_steps.skips(), std::pair{from, to}) != m_steps.skips().end();
    }
    /// With the operators of both ends; not with the first one again at the end of the layer.
    [[nodiscard]] Matrix segment(int first, int last)
    {
        Matrix all(at(first).size(), std::vector(at(first).size(), std::numeric_limits<double>::infinity()));
        for (std::size_t i = 0; i < all.size(); ++i)
            all[i][i] = at(first)[i].seconds;
        for (int place = first; place < last;) {
            int end = place + 1;
            for (const auto& [from, to] : m_steps.skips())
                if (from == place && to <= last && std::pair{from, to} != std::pair{first, last})
                    end = to;
            all = joined(all, end > place + 1 ? segment(place, end) : steps(place, end), place, end > place + 1);
            place = end;
        }
        if (isSkip(first, last))
            for (std::size_t a = 0; a < all.size(); ++a)
                for (std::size_t b = 0; b < all[a].size(); ++b)
                    all[a][b] += m_steps.between(first, at(first)[a], last, at(last)[b]).seconds;
        return all;
    }
    [[nodiscard]] Matrix steps(int from, int to)
    {
        Matrix all(at(from).size(), std::vector<double>(at(to).size()));
        for (std::size_t a = 0; a < all.size(); ++a)
            for (std::size_t b = 0; b < all[a].size(); ++b)
                all[a][b] =
                    m_steps.between(from, at(from)[a], to, at(to)[b]).seconds + (to < m_end ? at(to)[b].seconds : 0);
        return all;
    }
    [[nodiscard]] Matrix joined(const Matrix& before, const Matrix& after, int place, bool bothHaveIt) const
    {
        Matrix all(before.size(), std::vector(after.front().size(), std::numeric_limits<double>::infinity()));
        for (std::size_t a = 0; a < before.size(); ++a)
            for (std::size_t i = 0; i < after.size(); ++i) {
                const double here = before[a][i] - (bothHaveIt ? at(place)[i].seconds : 0);
                for (std::size_t b = 0; b < after[i].size(); ++b)
                    all[a][b] = std::min(all[a][b], here + after[i][b]);
            }
        return all;
    }

    const std::vector<std::vector<State>>& m_states;
    LayerSteps& m_steps;
    int m_end;
};

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

    /// A division in words.
    [[nodiscard]] std::vector<parallel::OperatorPartition> wordsOf(const Block& block, const Division& division)
    {
        Layouts layouts({m_machine.topology, m_span}, mostDigits(block));
        const Sequences sequences(m_bits, layouts);
        const GroupPricing pricing{m_machine, m_software, layouts, m_bits};
        Programme programme(block, sequences, pricing);
        return waysOf(block, programme.states(), sequences, division, m_bits);
    }
    /// Priced from these alone.
    [[nodiscard]] tl::expected<PricedLayer, WayFault> inWords(
        const Block& block, const std::vector<parallel::OperatorPartition>& ways)
    {
        Layouts layouts({m_machine.topology, m_span}, mostDigits(block));
        return pricedLayer(block, ways, {m_machine, m_software, layouts, m_bits});
    }
    /// One operator, so divided.
    [[nodiscard]] PricedState stateOf(const Block& block, const BlockOperator& op, const char* sequence)
    {
        Layouts layouts({m_machine.topology, m_span}, mostDigits(block));
        return pricedState(block, op, sequence, {m_machine, m_software, layouts, m_bits}).value();
    }
    /// Any division.
    [[nodiscard]] Division any(const Block& block, std::mt19937& random)
    {
        return with(block, [&](Programme& programme) {
            ChosenStates chosen{};
            for (std::size_t op = 0; op < block.operators.size(); ++op)
                chosen[op] = std::int16_t(random() % programme.states()[op].size());
            return programme.price(chosen, random());
        });
    }

    /// Nothing that is sent takes any time.
    void freeLinks()
    {
        for (auto& level : m_machine.topology.levels) {
            level.bandwidth = BytesPerSecond(1e30);
            level.latency = {};
        }
    }
    [[nodiscard]] double leastCompute(const Block& block)
    {
        Layouts layouts({m_machine.topology, m_span}, mostDigits(block));
        return partition::leastCompute(block, cuts(m_bits), {m_machine, m_software, layouts, m_bits}).all.value();
    }
    /// Of each operator the fastest state, whatever its neighbours.
    [[nodiscard]] double leastStates(const Block& block)
    {
        return with(block, [](Programme& programme) {
            double sum = 0;
            for (const std::vector<State>& states : programme.states())
                sum += std::ranges::min(states, {}, &State::seconds).seconds;
            return sum;
        });
    }

    /// By AllChains.
    [[nodiscard]] double leastOfAll(const Block& block)
    {
        Layouts layouts({m_machine.topology, m_span}, mostDigits(block));
        const Sequences sequences(m_bits, layouts);
        const GroupPricing pricing{m_machine, m_software, layouts, m_bits};
        const Programme programme(block, sequences, pricing);
        LayerSteps steps(block, layouts);
        return AllChains(block, programme.states(), steps).least();
    }

    /// The states of Megatron's partition, and what they take.
    struct Chosen {
        Division division;
        double operators = 0; ///< seconds of them, without what leads from one to the next
    };
    [[nodiscard]] Chosen megatron(const Block& block, bool sequenceParallel)
    {
        Layouts layouts({m_machine.topology, m_span}, mostDigits(block));
        const Sequences sequences(m_bits, layouts);
        const GroupPricing pricing{m_machine, m_software, layouts, m_bits};
        Programme programme(block, sequences, pricing);
        Chosen chosen;
        ChosenStates states{};
        const std::vector<parallel::OperatorPartition> ways = megatronWays(block, m_bits, sequenceParallel);
        for (std::size_t op = 0; op < block.operators.size(); ++op) {
            const std::string& wanted = ways[op].sequence;
            const std::vector<State>& all = programme.states()[op];
            const auto found = std::find_if(all.begin(), all.end(), [&](const State& state) {
                return describe(block.operators[op], state.way, sequences, m_bits) == wanted;
            });
            if (found == all.end())
                qFatal("no state %s", wanted.c_str());
            states[op] = std::int16_t(found - all.begin());
            chosen.operators += found->seconds;
        }
        chosen.division = programme.price(states, 0);
        return chosen;
    }
    [[nodiscard]] const cluster::Topology& topology() const { return m_machine.topology; }
    [[nodiscard]] const cluster::Span& span() const { return m_span; }

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

/// Elements of the projections to queries, keys and values.
double weightOf(const plan::Plan& plan)
{
    const model::Transformer& model = plan.model;
    return double(model.hidden) * (model.heads + 2 * model.kvHeads) * model.headDim;
}

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

void giveExperts(plan::Plan& plan)
{
    plan.model.moe = model::MixtureOfExperts{.experts = 4, .expertFfn = plan.model.hidden, .sharedExperts = 2};
}

/// What follows the attention, by itself: its stream begins at the residual, and ends in it.
Block ffnOf(const plan::Plan& plan)
{
    Block whole = block(plan, plan.model.moe.has_value(), parallel::Recompute::None);
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

double cheapest(const std::vector<Division>& all, const ProgrammeGoal& goal)
{
    double least = std::numeric_limits<double>::infinity();
    for (const Division& division : all)
        if (peak(goal.memory, division) <= goal.capacity)
            least = std::min(least, goal.cost(division));
    return least;
}

/// What parameters may take in the end: nothing, less than passes do, or more.
double anyOfParameter(int round, const Division& division)
{
    return std::array{0.0, 0.3, 3.0}[std::size_t(round) % 3] * division.seconds / division.parameters;
}

/// Costs and peaks of which no other is better in both.
std::vector<std::pair<double, double>> frontOf(const std::vector<Division>& all, const ProgrammeGoal& goal)
{
    std::vector<std::pair<double, double>> points;
    for (const Division& division : all)
        points.emplace_back(goal.cost(division), peak(goal.memory, division));
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
        for (int round = 0; round < fewerSanitized(4); ++round) {
            const Block layer = block(smallPlan(random), false, parallel::Recompute::None);
            Group group(1, 1 + int(random() % 2), 5e9);
            const ProgrammeAnswer answer = group.solve(layer, {});
            QCOMPARE(answer.best.size(), std::size_t(1));
            QVERIFY(fixtures::near(answer.best.front().seconds, cheapest(group.all(layer, false), {})));
        }
    }

    /// Where links take no time, each operator by itself is as fast as the bound has it; elsewhere none is faster.
    void noStateComputesLess()
    {
        std::mt19937 random(15);
        int even = 0;
        for (int round = 0; round < 60; ++round) {
            const plan::Plan plan = smallPlan(random);
            const int bits = 1 + round % 2;
            const auto recompute = parallel::Recompute(round % parallel::kRecomputeKinds);
            const Block layer = block(plan, false, recompute);
            Group group(bits, 1 + int(random() % 2), 5e9);
            const double least = group.leastCompute(layer);
            QVERIFY(least > 0 && least <= group.leastStates(layer) * (1 + 1e-12));
            group.freeLinks();
            QVERIFY(fixtures::near(group.leastCompute(layer), least));
            if (plan.model.heads % (1 << bits) != 0)
                continue; // ranks share out tokens, and the last ones see most keys
            QVERIFY(fixtures::near(group.leastStates(layer), least));
            ++even;
        }
        QVERIFY(even > 20);
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
            QVERIFY(fixtures::near(group.solve(ffn, {}).best.front().seconds, cheapest(all, {})));
        }
    }

    /// Whole layers over eight ranks, and over sixteen.
    void theFastestIsThatOfAllChains()
    {
        std::mt19937 random(18);
        for (int round = 0; round < 10; ++round) {
            plan::Plan plan = smallPlan(random);
            plan.model.ffnHidden = 4 * plan.model.hidden;
            plan.strategy.microBatch = 1 << random() % 4;
            plan.training.globalBatch = plan.strategy.microBatch;
            if (round % 4 == 2)
                giveExperts(plan); // beside which shared ones are divided
            const Block layer =
                block(plan, plan.model.moe.has_value(), parallel::kAllRecompute[std::size_t(round) % 3]);
            Group group(round < 8 ? 3 : 4, 1 << random() % 4, round % 2 == 0 ? 3e9 : 30e9);
            QVERIFY(fixtures::near(group.solve(layer, {}).best.front().seconds, group.leastOfAll(layer)));
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
            if (round == 3)
                giveExperts(plan);
            const Block layer = round < 4 ? ffnOf(plan) : block(plan, false, parallel::Recompute::Selective);
            Group group(round < 2 ? 2 : 1, 1, 3e9); // of the first two, all 17 states of linear operators
            ProgrammeGoal goal;
            goal.memory = {{18, 1.0 + double(random() % 8), 1e6}, {18, 1, 3e7}};
            const std::vector<Division> all = group.all(layer, true);
            goal.ofParameter = anyOfParameter(round, all.front());
            goal.front = true;
            const auto front = frontOf(all, goal);
            std::vector<Division> best = group.solve(layer, goal).best;
            const auto isSame = [&](const Division& a, const Division& b) {
                return fixtures::near(goal.cost(a), goal.cost(b));
            };
            // But for rounding: of two that cost the same the later needs less.
            best.erase(best.begin(), std::unique(best.rbegin(), best.rend(), isSame).base());
            QCOMPARE(best.size(), front.size());
            for (std::size_t i = 0; i < front.size(); ++i) {
                QVERIFY(fixtures::near(goal.cost(best[i]), front[i].first));
                QVERIFY(fixtures::near(peak(goal.memory, best[i]), front[i].second));
            }
            goal.front = false;
            for (const auto& [cost, most] : front) {
                goal.capacity = most * (1 + 1e-9);
                QVERIFY(fixtures::near(goal.cost(group.solve(layer, goal).best.at(0)), cost));
            }
            goal.capacity = front.back().second * (1 - 1e-6);
            QVERIFY(group.solve(layer, goal).best.empty());
        }
    }

    /// Eight ranks: the cheapest within a limit, which few weights and bounds are looked for by, is that of the front.
    void limitsHaveWhatTheFrontHas()
    {
        std::mt19937 random(19);
        for (int round = 0; round < 6; ++round) {
            plan::Plan plan = smallPlan(random);
            plan.strategy.microBatch = 1 << random() % 2;
            plan.training.globalBatch = plan.strategy.microBatch * 4;
            const Block layer = block(plan, false, parallel::kAllRecompute[std::size_t(round) % 3]);
            Group group(3, 1 << random() % 4, 3e9);
            ProgrammeGoal goal;
            goal.memory = {{18, 1.0 + double(random() % 8), 1e6}, {20, 1, 3e6, 0.5}};
            const Division fastest = group.solve(layer, {}).best.front();
            QVERIFY(fixtures::near(fastest.seconds, group.leastOfAll(layer)));
            goal.ofParameter = anyOfParameter(round / 3, fastest);
            goal.front = true;
            const std::vector<Division> front = group.solve(layer, goal).best;
            goal.front = false;
            for (const Division& division : front) {
                goal.capacity = peak(goal.memory, division) * (1 + 1e-9);
                QVERIFY(fixtures::near(goal.cost(group.solve(layer, goal).best.at(0)), goal.cost(division)));
            }
            goal.capacity = peak(goal.memory, front.back()) * (1 - 1e-6);
            QVERIFY(group.solve(layer, goal).best.empty());
        }
    }

    /// Megatron's division pays the collectives of tensor parallelism, each once, and nothing else between operators;
    /// products, parameters and what is kept are those of the lowering.
    void megatronPaysItsCollectives()
    {
        std::mt19937 random(15);
        for (int round = 0; round < 8; ++round) {
            plan::Plan plan = smallPlan(random);
            plan.strategy.tp = 2;
            plan.strategy.sequenceParallel = round % 2 == 1;
            if (plan.model.kvHeads % 2 != 0)
                plan.model.kvHeads = plan.model.heads; // else ranks hold copies of heads
            Group group(1, 1 + round / 2 % 2, 5e9);
            const Block layer = block(plan, false, parallel::Recompute::None);
            const Group::Chosen chosen = group.megatron(layer, plan.strategy.sequenceParallel);
            const Bytes stream(plan.strategy.microBatch * plan.training.sequenceLength * plan.model.hidden * 2.0);
            const double gather = allGather(group.topology(), group.span(), stream).value();
            const double scatter = reduceScatter(group.topology(), group.span(), stream).value();
            const double reduce = std::min(allReduce(group.topology(), group.span(), stream).value(), gather + scatter);
            QVERIFY(fixtures::near(chosen.division.seconds - chosen.operators,
                plan.strategy.sequenceParallel ? 4 * (gather + scatter) : 4 * reduce));
            const workload::LayerWork work = workload::lowerLayer(workload::layerShape(plan), false);
            QVERIFY(std::abs(chosen.division.parameters / work.parameters - 1) < 1e-2); // without biases
            if (!plan.strategy.sequenceParallel)
                QVERIFY(fixtures::near(chosen.division.kept, work.activations.all().value()));
        }
    }

    /// Ranks with other tokens sum up the gradients of a norm's parameters once a step, those of the channels they
    /// have.
    void gradientsOfNormsAreSummedUpOnceAStep()
    {
        std::mt19937 random(20);
        plan::Plan plan = smallPlan(random);
        plan.training.fp32Gradients = true;
        plan.model.norm = model::Norm::Layer;
        Block layer = block(plan, false, parallel::Recompute::None);
        const BlockOperator& norm = layer.operators[1];
        QCOMPARE(norm.parameters, 2.0 * plan.model.hidden);
        Group group(2, 2, 5e9);
        const auto backward = [&](const char* sequence, int microBatches) {
            layer.microBatches = microBatches;
            return group.stateOf(layer, norm, sequence).passes.backward;
        };
        const auto summed = [&](const char* sequence) { // what one micro-batch more shares in
            PassPrice price = backward(sequence, 1);
            price += backward(sequence, 2).times(-1);
            return price.times(2);
        };
        const Bytes whole(4.0 * norm.parameters);
        const auto isAllReduce = [&](const char* sequence, unsigned bits, Bytes bytes) {
            const PassPrice price = summed(sequence);
            const double ranks = 1 << std::popcount(bits);
            const Seconds seconds = allReduce(group.topology(), spanOfBits(group.span(), bits), bytes);
            return fixtures::near(price.exposed.value(), seconds.value())
                && fixtures::near(price.collective.value(), bytes.value() * 2 * (ranks - 1) / ranks)
                && price.compute == Seconds{};
        };
        QVERIFY(isAllReduce("M,M", 3, whole));
        QVERIFY(isAllReduce("M,K", 2, whole * 0.5));
        QVERIFY(isAllReduce("K,M", 1, whole * 0.5));
        for (const char* sequence : {"K,K", "-,-"})
            QCOMPARE(summed(sequence).exposed, Seconds{});
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

    /// In words, and in parts, every division is what the programme says, however it is recomputed.
    void wordsArePricedAsStates()
    {
        std::mt19937 random(16);
        for (int round = 0; round < 60; ++round) {
            plan::Plan plan = smallPlan(random);
            plan.training.software.recomputeEarlyStop = round % 2 == 1;
            plan.training.software.gradientAccumulationBytes = 8;
            const Block layer = block(plan, false, parallel::kAllRecompute[std::size_t(round) % 3]);
            Group group(1 + round % 3, 1 << random() % 2, 3e9);
            const Division division = group.any(layer, random);
            const PricedLayer priced = group.inWords(layer, group.wordsOf(layer, division)).value();
            QVERIFY(fixtures::near(priced.passes.total().value(), division.seconds));
            QVERIFY(fixtures::near(priced.parameters, division.parameters));
            QVERIFY(fixtures::near(workload::sum(priced.kept).value(), division.kept));
            QVERIFY(std::abs(priced.remade.value() - division.remade) <= 1e-9 * (division.kept + division.remade + 1));
            QCOMPARE(priced.working.value(), division.working);
            Bytes kept{};
            for (const PricedOperator& op : priced.operators) {
                kept += op.kept;
                QVERIFY(op.passes.forward.hidden >= Seconds{} && op.passes.backward.collective >= Bytes{});
            }
            QVERIFY(fixtures::near(kept.value(), division.kept));
        }
    }

    /// Between a forward pass and its backward pass other micro-batches of a pipeline, and repetitions, want a
    /// primitive's weight where it was: it goes there and back, beside a product each. What no primitive divides stays.
    void weightsOfPrimitivesGoHome()
    {
        std::mt19937 random(18);
        plan::Plan plan = smallPlan(random);
        plan.training.sequenceLength = 256;
        Group group(2, 1, 1e9); // slow links: what travels shows
        const auto pricedWith = [&](const char* sequence, bool pipeline, parallel::Recompute recompute) {
            plan.strategy.pp = pipeline ? 2 : 1;
            const Block layer = block(plan, false, recompute);
            const BlockOperator& qkv = layer.operators[2];
            return group.stateOf(layer, qkv, sequence).passes;
        };
        using enum parallel::Recompute;
        const PassPrices plain = pricedWith("P2x2", false, None), piped = pricedWith("P2x2", true, None),
                         again = pricedWith("P2x2", true, Full);
        const Bytes block(2.0 * weightOf(plan) / 4);
        QVERIFY(fixtures::near((piped.forward.ring - plain.forward.ring).value(), block.value()));
        QVERIFY(fixtures::near((piped.backward.ring - plain.backward.ring).value(), block.value()));
        QVERIFY(piped.forward.exposed > plain.forward.exposed && piped.backward.exposed > plain.backward.exposed);
        QVERIFY(fixtures::near((again.forward.ring - plain.forward.ring).value(), block.value()));
        QCOMPARE(again.backward.ring, plain.backward.ring); // it follows the repetition at once
        QCOMPARE(again.repeated, plain.forward);
        QCOMPARE(pricedWith("N,K", true, None), pricedWith("N,K", false, None));
    }

    /// A way that no operator has, one that it cannot have, and an operator left out are told apart.
    void faultsAreNamed()
    {
        std::mt19937 random(17);
        const Block layer = block(smallPlan(random), false, parallel::Recompute::None);
        Group group(1, 2, 3e9);
        const auto good = group.wordsOf(layer, group.any(layer, random));
        const auto faultOf = [&](const std::vector<parallel::OperatorPartition>& ways) {
            const auto priced = group.inWords(layer, ways);
            return priced ? WayFault{} : priced.error();
        };
        QCOMPARE(faultOf(good), WayFault{});
        auto ways = good;
        ways.pop_back();
        QCOMPARE(faultOf(ways), (WayFault{good.back().op, {}, WayFault::Kind::Missing}));
        const WayReason ranks{WayReason::Kind::Ranks, {}, 4};
        const auto part = [](const char* text) { return WayReason{WayReason::Kind::Part, text}; };
        struct Wrong {
            const char* sequence;
            WayReason ofProduct, ofNorm;
        };
        for (const Wrong& wrong : {Wrong{"K,K", ranks, ranks}, {"", part(""), part("")}, {"Q", part("Q"), part("Q")},
                 {"P2x2", ranks, part("P2x2")}, {"K,", part(""), part("")}, {"-,B", part("-"), ranks}}) {
            const auto faultWith = [&](std::size_t op) {
                ways = good;
                ways[op].sequence = wrong.sequence;
                return faultOf(ways);
            };
            using enum WayFault::Kind;
            QCOMPARE(faultWith(2),
                (WayFault{good[2].op, wrong.sequence, Impossible, OperatorKind::Linear, wrong.ofProduct}));
            QCOMPARE(
                faultWith(1), (WayFault{good[1].op, wrong.sequence, Impossible, OperatorKind::Norm, wrong.ofNorm}));
        }
        ways = good;
        ways.push_back({"router", "M"});
        QCOMPARE(faultOf(ways), (WayFault{"router", "M", WayFault::Kind::Unknown}));
    }
};

STRATOPLAN_TEST(TestProgramme)
#include "test_programme.moc"
