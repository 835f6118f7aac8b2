// SPDX-License-Identifier: GPL-3.0-or-later
// The best split of layers over stages: the programme against trying everything, and what it says of real plans.
#include "core/estimate/estimate.h"
#include "core/pipeline/pipeline.h"
#include "core/pricing/pricing_context.h"
#include "core/split/fold_split.h"
#include "core/split/split_chain.h"
#include "core/split/stage_split.h"
#include "tests/core/fixtures.h"
#include "tests/core/random_count.h"
#include "tests/registry.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <random>

using namespace stratoplan::catalog;
using namespace stratoplan::cluster;
using namespace stratoplan::estimate;
using namespace stratoplan::model;
using namespace stratoplan::parallel;
using namespace stratoplan::pipeline;
using namespace stratoplan::plan;
using namespace stratoplan::pricing;
using namespace stratoplan::split;
using namespace stratoplan::test;
using namespace stratoplan::units;

namespace {

class Dice {
public:
    explicit Dice(unsigned seed)
        : m_random(seed)
    {
    }
    int number(int below) { return std::uniform_int_distribution<int>(0, below - 1)(m_random); }
    bool oneIn(int n) { return number(n) == 0; }
    double real(double low, double high) { return std::uniform_real_distribution<double>(low, high)(m_random); }

    ChainRules rules()
    {
        ChainRules rules;
        rules.microBatches = 1 + number(12);
        rules.splits = oneIn(3);
        rules.firstChunk = !rules.splits && oneIn(3) ? 0.5 : 1;
        rules.weightsBefore = rules.splits ? number(4) : 0;
        rules.staggers = oneIn(3);
        rules.forwardFirst = oneIn(5);
        rules.often = rules.splits || rules.firstChunk < 1 || rules.forwardFirst ? 0 : 1 + number(3);
        rules.onStream = oneIn(5);
        rules.reducesInside = !rules.splits && oneIn(3);
        for (int stage = 0; stage < 4 && !oneIn(8); ++stage)
            rules.held.push_back(1 + number(4));
        rules.held.resize(rules.held.empty() ? 0 : 4, 1);
        return rules;
    }

private:
    std::mt19937 m_random;
};

/// A small space, every number in it drawn.
struct RandomSpace {
    explicit RandomSpace(Dice& dice)
    {
        space.rules = dice.rules();
        space.stages = 1 + dice.number(4);
        space.layers = space.stages + dice.number(5);
        space.layouts = 1 + dice.number(3);
        if (space.layouts > 1 && space.stages > 1 && dice.oneIn(3))
            for (int layout = 0; layout < space.layouts; ++layout)
                space.lastOf.push_back(dice.number(space.layouts));
        const double perLayer = dice.real(0.5, 2);
        for (int stage = 0; stage < space.stages; ++stage)
            for (int first = 0; first <= space.layers; ++first)
                for (int count = 0; first + count <= space.layers; ++count)
                    for (int layout = 0; layout < space.layouts; ++layout)
                        drawn[{stage, first, count, layout}] = draw(dice, count, perLayer, space.rules.firstChunk < 1);
        for (int upper = 0; upper + 1 < space.stages; ++upper)
            for (int above = 0; above < space.layouts; ++above)
                for (int below = 0; below < space.layouts; ++below)
                    boundaries[{upper, above, below}] = {above == below ? 0 : dice.real(0, 1),
                        above == below ? 0 : dice.real(0, 1), dice.real(0, 1), dice.real(0, 1),
                        above == below ? 0 : dice.real(0, 1), above == below ? 0 : dice.real(0, 1)};
        const double limit = dice.real(2, 12);
        for (int stage = 0; stage < space.stages; ++stage)
            space.limits.push_back(limit * dice.real(0.6, 1.2));
        space.options = [this](int stage, int first, int count, int layout) {
            return drawn.at({stage, first, count, layout});
        };
        space.boundary = [this](int upper, int above, int below) { return boundaries.at({upper, above, below}); };
    }
    RandomSpace(const RandomSpace&) = delete;

    static std::vector<StageOption> draw(Dice& dice, int count, double perLayer, bool chunks)
    {
        std::vector<StageOption> options;
        for (int i = 0, all = dice.number(3) + 1; i < all; ++i) {
            StageOption option;
            option.terms.forward = count * perLayer * (dice.oneIn(2) ? 1 : dice.real(0.5, 1.5));
            option.terms.backward = count * perLayer * (2 + i * 0.3);
            option.terms.weightGradient = count * perLayer * (dice.oneIn(3) ? 0.9 : 1);
            option.terms.sync = dice.real(0, 1);
            option.terms.after = dice.real(0, 2);
            const double share = dice.real(0.2, 0.8); // of the first of two unlike chunks
            ChunkWork first, quickest;
            first.forward = Seconds(option.terms.forward * share);
            first.backward = Seconds(option.terms.backward * share);
            quickest.forward = Seconds(option.terms.forward * std::min(share, 1 - share));
            quickest.backward = Seconds(option.terms.backward * std::min(share, 1 - share));
            if (chunks)
                countChunks(2, first, quickest, option.terms);
            else
                countChunks(1, option.terms);
            option.bytes = count * dice.real(0.5, 3);
            option.id = i;
            options.push_back(option);
        }
        return options;
    }

    ChainSpace space;
    std::map<std::array<int, 4>, std::vector<StageOption>> drawn;
    std::map<std::array<int, 3>, BoundaryTerms> boundaries;
};

/// Tries every split, option and layout.
class BruteForce {
public:
    explicit BruteForce(const ChainSpace& space)
        : m_space(space)
    {
    }
    double best()
    {
        chooseLayouts();
        return m_best;
    }

private:
    void chooseLayouts()
    {
        if (int(m_layouts.size()) < m_space.stages) {
            for (int layout = 0; layout < m_space.layouts; ++layout) {
                m_layouts.push_back(layout);
                chooseLayouts();
                m_layouts.pop_back();
            }
            return;
        }
        if (m_space.lastOf.empty() || m_space.lastOf[std::size_t(m_layouts.front())] == m_layouts.back())
            place(0, 0, {});
    }

    void place(int stage, int first, const ChainPrefix& prefix)
    {
        if (stage == m_space.stages) {
            if (first == m_space.layers)
                m_best = std::min(m_best, prefix.longest);
            return;
        }
        const bool end = stage == 0 || stage == m_space.stages - 1;
        for (int count = end ? 0 : m_space.leastLayers; first + count <= m_space.layers; ++count) {
            for (const StageOption& option : m_space.options(stage, first, count, m_layouts[std::size_t(stage)])) {
                if (option.bytes <= m_space.limitOf(stage))
                    place(stage + 1, first + count,
                        extended(m_space.rules, stage, prefix, withBoundaries(stage, option.terms)));
            }
        }
    }

    [[nodiscard]] StageTerms withBoundaries(int stage, StageTerms terms) const
    {
        const auto layout = [&](int at) { return m_layouts[std::size_t(at)]; };
        if (stage > 0) {
            const BoundaryTerms above = m_space.boundary(stage - 1, layout(stage - 1), layout(stage));
            terms.backward += above.backward;
            terms.firstBackward += above.backward;
            terms.leastBackward += above.backward;
            terms.sendBackward = above.sendBackward;
            terms.reshardBackward = above.reshardBackward;
            terms.receiveForward = above.sendForward;
        }
        if (stage + 1 < m_space.stages) {
            const BoundaryTerms below = m_space.boundary(stage, layout(stage), layout(stage + 1));
            terms.forward += below.forward;
            terms.firstForward += below.forward;
            terms.leastForward += below.forward;
            terms.sendForward = below.sendForward;
            terms.reshardForward = below.reshardForward;
            terms.receiveBackward = below.sendBackward;
        }
        return terms;
    }

    const ChainSpace& m_space;
    std::vector<int> m_layouts;
    double m_best = std::numeric_limits<double>::infinity();
};

/// A small folded pipeline of unlike layers, every number in it drawn.
struct RandomFold {
    explicit RandomFold(Dice& dice)
    {
        space.rules.twoWay = dice.oneIn(2);
        space.rules.microBatches = 1 + dice.number(9);
        space.rules.staggers = dice.oneIn(2);
        space.rules.trips = dice.number(3);
        space.rules.between = dice.number(3);
        space.rules.places = 1 + dice.number(3);
        space.evenly = !space.rules.twoWay;
        space.layers = 2 * space.rules.places + dice.number(4);
        space.limit = dice.real(3, 9);
        for (int i = 0; i < space.layers; ++i)
            weights.push_back(dice.oneIn(2) ? 1 : 1.7);
        for (int place = 0; place < space.rules.places; ++place)
            heavier.push_back({dice.real(1, 1.5), dice.real(1, 1.5), dice.real(0.2, 1)});
        space.kind = [this](int first, int count) {
            int number = 1;
            for (int i = 0; i < count; ++i)
                number = 2 * number + (weights[std::size_t(first + i)] > 1);
            return number;
        };
        space.options = [this](const FoldChunks& at, double /*longest*/) {
            return options(at.place, at.front, at.outer, at.back, at.inner);
        };
    }
    RandomFold(const RandomFold&) = delete;

    [[nodiscard]] double weight(int first, int count) const
    {
        return std::accumulate(weights.begin() + first, weights.begin() + first + count, 0.0);
    }

    /// The first takes less time and more bytes.
    [[nodiscard]] std::vector<FoldOption> options(int place, int front, int outer, int back, int inner) const
    {
        std::vector<FoldOption> result;
        const std::array<double, 3>& own = heavier[std::size_t(place)];
        const double near = weight(front, outer) * own[0] + (place == 0 ? own[2] : 0);
        const double far = weight(back - inner, inner) * own[1] + (place == 0 ? 2 * own[2] : 0);
        for (const double slower : {1.0, 1.3, 1.6}) {
            FoldOption option;
            option.terms.down = near;
            option.terms.up = far;
            option.terms.gradient = far * slower;
            option.terms.first = near;
            option.terms.last = near * slower;
            option.terms.work = space.rules.microBatches * (near + far) * (1 + 2 * slower) + own[2];
            option.terms.rest = option.terms.work - std::min(space.rules.microBatches, 2.0) * (near + far);
            option.bytes = (near + far) * own[2] * 3 / slower;
            result.push_back(option);
        }
        return result;
    }

    [[nodiscard]] double best() const { return from(0, 0, space.layers, {}); }

    [[nodiscard]] double from(int place, int front, int back, const FoldedPrefix& prefix) const
    {
        if (place == space.rules.places)
            return front == back ? prefix.longest : INFINITY;
        double least = INFINITY;
        const int each = place == 0 || space.evenly ? 0 : 1;
        for (int outer = each; front + outer <= back; ++outer)
            for (int inner = each; front + outer + inner <= back; ++inner) {
                if (space.evenly && (outer - inner < 0 || outer - inner > 1 || (place > 0 && outer == 0)))
                    continue;
                for (const FoldOption& option : options(place, front, outer, back, inner))
                    if (option.bytes <= space.limit)
                        least = std::min(least,
                            from(place + 1, front + outer, back - inner,
                                extended(space.rules, place, prefix, option.terms)));
            }
        return least;
    }

    FoldSpace space;
    std::vector<double> weights;
    std::vector<std::array<double, 3>> heavier;
};

/// Eight unlike nodes' worth of a model with a large vocabulary, in a memory that full activations do not fit in.
Plan piped(int layers, int pp, int dp = 1)
{
    Plan plan = fixtures::small();
    plan.model = fixtures::gpt(layers, 2048, 16, 131072, 1024);
    plan.model.tiedEmbeddings = false;
    plan.cluster = fixtures::cluster(pp * dp, 1);
    plan.strategy = {};
    plan.strategy.pp = pp;
    plan.strategy.dp = dp;
    plan.training.globalBatch = 16 * dp;
    plan.training.attention = AttentionKernel::Unfused;
    return plan;
}

/// As much memory as full recomputation needs, and a share of what keeping everything needs beyond that.
void limitMemory(Plan& plan, double share)
{
    PricingContext pricing(plan, shippedCatalog());
    Strategy lean = plan.strategy;
    lean.recompute = Recompute::Full;
    const Bytes least = price(pricing, lean, PipelineTime::ClosedForm)->peak;
    const Bytes most = price(pricing, plan.strategy, PipelineTime::ClosedForm)->peak;
    plan.cluster.nodes.front().accelerator.memory = least + (most - least) * share;
}

/// Every split of the layers, first and last stage from none on.
template <class Visit>
void everySplit(int layers, int stages, std::vector<int>& split, Visit visit)
{
    if (int(split.size()) == stages - 1) {
        split.push_back(layers);
        visit(split);
        split.pop_back();
        return;
    }
    for (int count = split.empty() ? 0 : 1; count <= layers; ++count) {
        split.push_back(count);
        everySplit(layers - count, stages, split, visit);
        split.pop_back();
    }
}

/// Every list of one value in [0, most[i]] per stage.
template <class Visit>
void everyList(const std::vector<int>& most, std::vector<int>& list, Visit visit)
{
    if (list.size() == most.size())
        return visit(list);
    for (int value = 0; value <= most[list.size()]; ++value) {
        list.push_back(value);
        everyList(most, list, visit);
        list.pop_back();
    }
}

/// The least bound of a plan over splits, recomputation and TP, priced one by one.
double leastPrice(const Plan& plan, const std::vector<int>& degrees)
{
    PricingContext pricing(plan, shippedCatalog());
    Plan scratch = plan;
    double least = INFINITY;
    const int pp = plan.strategy.pp;
    const auto judge = [&] {
        if (hasErrors(check(scratch, {.remedies = false})))
            return;
        const auto priced = price(pricing, scratch.strategy, PipelineTime::Bound);
        if (priced && priced->fits)
            least = std::min(least, priced->step.value());
    };
    std::vector<int> split, list, kinds, tps;
    everySplit(plan.model.layers, pp, split, [&](const std::vector<int>& layers) {
        everyList(std::vector<int>(std::size_t(pp), 1), kinds, [&](const std::vector<int>& selective) {
            everyList(layers, list, [&](const std::vector<int>& recomputed) {
                everyList(std::vector<int>(std::size_t(pp), int(degrees.size()) - 1), tps,
                    [&](const std::vector<int>& chosen) {
                        Strategy& s = scratch.strategy = plan.strategy;
                        s.stageLayers = layers;
                        s.recomputedLayers = recomputed;
                        s.stageTp.clear();
                        for (int i = 0; i < pp; ++i) {
                            s.stageRecompute.push_back(
                                selective[std::size_t(i)] ? Recompute::Selective : Recompute::Full);
                            s.stageTp.push_back(degrees[std::size_t(chosen[std::size_t(i)])]);
                        }
                        judge();
                    });
            });
        });
    });
    return least;
}

} // namespace

class TestStageSplit : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void findsWhatTryingEverythingFinds()
    {
        Dice dice(11);
        int none = 0;
        int mixed = 0;
        for (int i = 0; i < fewerSanitized(1000); ++i) {
            const RandomSpace random(dice);
            const ChainAnswer answer = bestChain(random.space);
            const double best = BruteForce(random.space).best();
            QVERIFY(answer.proven);
            QCOMPARE(answer.stages.has_value(), std::isfinite(best));
            if (!answer.stages) {
                ++none;
                continue;
            }
            QVERIFY2(answer.seconds == best,
                qPrintable(QStringLiteral("%1: %2 %3").arg(i).arg(answer.seconds, 0, 'g', 17).arg(best, 0, 'g', 17)));
            int layers = 0;
            for (std::size_t at = 0; at < answer.stages->size(); ++at) {
                QVERIFY((*answer.stages)[at].option.bytes <= random.space.limitOf(int(at)));
                layers += (*answer.stages)[at].layers;
            }
            QCOMPARE(layers, random.space.layers);
            const auto unlike = [](const ChainStage& a, const ChainStage& b) { return a.layout != b.layout; };
            mixed += std::adjacent_find(answer.stages->begin(), answer.stages->end(), unlike) != answer.stages->end();
        }
        QVERIFY2(none >= fewerSanitized(50) && none < fewerSanitized(600), qPrintable(QString::number(none)));
        QVERIFY2(mixed >= fewerSanitized(50),
            qPrintable(QString::number(mixed))); // boundaries between unlike layouts took part
    }

    void findsWhatTryingEveryFoldFinds()
    {
        Dice dice(13);
        int none = 0;
        for (int i = 0; i < fewerSanitized(1000); ++i) {
            const RandomFold random(dice);
            const FoldAnswer answer = bestFold(random.space);
            const double best = random.best();
            QVERIFY(answer.proven);
            QCOMPARE(answer.places.has_value(), std::isfinite(best));
            none += !answer.places;
            if (answer.places)
                QVERIFY2(answer.seconds == best,
                    qPrintable(
                        QStringLiteral("%1: %2 %3").arg(i).arg(answer.seconds, 0, 'g', 17).arg(best, 0, 'g', 17)));
        }
        QVERIFY2(none > fewerSanitized(50) && none < fewerSanitized(700), qPrintable(QString::number(none)));
    }

    /// Two layouts, each faster at one end: they share the chain where resharding is cheap, and one has it all where it
    /// is not.
    void reshardingIsWeighed()
    {
        for (const double cost : {0.0, 0.1, 50.0}) {
            ChainSpace space;
            space.rules.microBatches = 8;
            space.stages = space.layers = 4;
            space.layouts = 2;
            space.options = [](int stage, int, int count, int layout) {
                const bool slow = (stage < 2) != (layout == 0);
                return std::vector{
                    StageOption{{count * (slow ? 1.5 : 1.0), count * (slow ? 3.0 : 2.0), 0, 0, 0, 0}, 0, 0}};
            };
            space.boundary = [&](int, int above, int below) {
                return above == below ? BoundaryTerms{} : BoundaryTerms{0, 0, cost, cost};
            };
            const ChainAnswer answer = bestChain(space);
            QCOMPARE((*answer.stages)[0].layout != (*answer.stages)[3].layout, cost < 1);
        }
    }

    void aPlanIsSplitAsPricingEverySplitWould_data()
    {
        QTest::addColumn<int>("layers");
        QTest::addColumn<int>("stages");
        QTest::addColumn<QString>("schedule");
        QTest::addColumn<double>("memory");
        QTest::addColumn<bool>("tensor");
        QTest::newRow("1f1b") << 6 << 3 << "1f1b" << 0.4 << false;
        QTest::newRow("1f1b roomy") << 6 << 3 << "1f1b" << 1.0 << false;
        QTest::newRow("eager") << 6 << 2 << "eager-1f1b" << 0.3 << false;
        QTest::newRow("gpipe") << 6 << 2 << "gpipe" << 0.5 << false;
        QTest::newRow("zb-h1") << 6 << 3 << "zb-h1" << 0.5 << false;
        QTest::newRow("zb-h2") << 5 << 2 << "zb-h2" << 0.4 << false;
        QTest::newRow("zb-auto") << 5 << 2 << "zb-auto" << 0.6 << false;
        QTest::newRow("interleaved") << 6 << 2 << "interleaved" << 0.5 << false;
        QTest::newRow("interleaved roomy") << 7 << 2 << "interleaved" << 0.9 << false;
        QTest::newRow("zb-v") << 7 << 3 << "zb-v" << 0.5 << false;
        QTest::newRow("zb-v roomy") << 6 << 2 << "zb-v" << 1.0 << false;
        QTest::newRow("v-half") << 7 << 3 << "v-half" << 0.4 << false;
        QTest::newRow("v-min") << 6 << 3 << "v-min" << 0.6 << false;
        QTest::newRow("dualpipe-v") << 6 << 3 << "dualpipe-v" << 0.4 << false;
        QTest::newRow("dualpipe of two") << 6 << 2 << "dualpipe" << 0.3 << false;
        QTest::newRow("dualpipe") << 6 << 4 << "dualpipe" << 0.5 << false;
        QTest::newRow("tp") << 4 << 2 << "1f1b" << 0.4 << true;
        QTest::newRow("tp of three") << 3 << 3 << "1f1b" << 0.5 << true;
    }

    void aPlanIsSplitAsPricingEverySplitWould()
    {
        QFETCH(int, layers);
        QFETCH(int, stages);
        QFETCH(QString, schedule);
        QFETCH(double, memory);
        QFETCH(bool, tensor);
        Plan plan = piped(layers, stages, tensor ? 4 : 1);
        plan.strategy.schedule = *scheduleFromKey(schedule.toStdString());
        if (plan.strategy.schedule == Schedule::ZbAuto)
            plan.strategy.inFlightLimit = 3;
        if (plan.strategy.schedule == Schedule::Interleaved)
            plan.strategy.vpp = 2;
        if (tensor) {
            plan.cluster = fixtures::cluster(stages, 4);
            plan.strategy.tp = plan.strategy.microBatch = 2;
            plan.strategy.dp = 2;
            plan.training.globalBatch = 32;
        }
        limitMemory(plan, memory);
        const auto split = splitStages(plan, {.tensorParallel = tensor, .polish = false});
        QVERIFY(split && split->strategy && split->proven);
        const double expected = leastPrice(plan, tensor ? std::vector{1, 2, 4} : std::vector{plan.strategy.tp});
        QVERIFY2(std::abs(split->bound.value() / expected - 1) < 1e-12,
            qPrintable(QStringLiteral("%1 %2").arg(split->bound.value(), 0, 'g', 15).arg(expected, 0, 'g', 15)));
        // What is told is the plan that was meant: the price and the memory of every stage are those of the estimate.
        Plan told = plan;
        told.strategy = *split->strategy;
        const auto answer = estimate(told, {.remedies = false, .range = false});
        QVERIFY(answer && answer->fits);
        QVERIFY(std::abs(stepBound(answer->pipeline).value() / expected - 1) < 1e-12);
        for (std::size_t i = 0; i < split->stages.size(); ++i)
            QVERIFY(std::abs(answer->memory.stages[i].total() / split->stages[i].peak - 1) < 1e-12);
    }

    void unlikeNodesGetLayersByTheirSpeed_data()
    {
        QTest::addColumn<QString>("schedule");
        QTest::addColumn<int>("stages");
        QTest::addColumn<bool>("tensor");
        QTest::addColumn<bool>("tied");
        QTest::newRow("1f1b") << "1f1b" << 3 << false << false;
        QTest::newRow("gpipe") << "gpipe" << 2 << false << false;
        QTest::newRow("zb-h1") << "zb-h1" << 3 << false << false;
        QTest::newRow("interleaved") << "interleaved" << 2 << false << false;
        QTest::newRow("zb-v") << "zb-v" << 3 << false << false;
        QTest::newRow("dualpipe-v") << "dualpipe-v" << 2 << false << false;
        QTest::newRow("dualpipe") << "dualpipe" << 4 << false << false;
        QTest::newRow("tp") << "1f1b" << 2 << true << false;
        QTest::newRow("tied") << "1f1b" << 3 << false << true;
        QTest::newRow("tied, interleaved") << "interleaved" << 2 << false << true;
        QTest::newRow("tied, tp") << "1f1b" << 2 << true << true;
    }

    /// Speed and memory of each stage are those of its nodes; one kind has the first stage, another one the rest.
    void unlikeNodesGetLayersByTheirSpeed()
    {
        QFETCH(QString, schedule);
        QFETCH(int, stages);
        QFETCH(bool, tensor);
        QFETCH(bool, tied);
        Plan plan = piped(tensor ? 4 : 6, stages, tensor ? 4 : 1);
        plan.model.tiedEmbeddings = tied;
        plan.strategy.schedule = *scheduleFromKey(schedule.toStdString());
        plan.strategy.vpp = plan.strategy.schedule == Schedule::Interleaved ? 2 : 1;
        if (tensor) {
            plan.cluster = fixtures::cluster(stages, 4);
            plan.strategy.tp = plan.strategy.microBatch = 2;
            plan.strategy.dp = 2;
            plan.training.globalBatch = 32;
        }
        limitMemory(plan, 0.6);
        NodeGroup slow = plan.cluster.nodes.front();
        slow.id = "slow";
        --plan.cluster.nodes.front().count;
        slow.count = 1;
        slow.accelerator.name = "slow";
        for (const Precision precision : kPrecisions)
            slow.accelerator.peak[precision] *= 0.4;
        slow.accelerator.memory *= 1.5;
        slow.nic.bandwidth *= 0.2;
        plan.cluster.nodes.insert(plan.cluster.nodes.begin(), slow);
        const auto split = splitStages(plan, {.tensorParallel = tensor, .polish = false});
        QVERIFY(split && split->strategy && split->proven);
        const double expected = leastPrice(plan, tensor ? std::vector{1, 2, 4} : std::vector{plan.strategy.tp});
        QVERIFY2(std::abs(split->bound.value() / expected - 1) < 1e-12,
            qPrintable(QStringLiteral("%1 %2").arg(split->bound.value(), 0, 'g', 15).arg(expected, 0, 'g', 15)));
        Plan told = plan;
        told.strategy = *split->strategy;
        const auto answer = estimate(told, {.remedies = false, .range = false});
        QVERIFY(answer && answer->fits);
        for (std::size_t i = 0; i < split->stages.size(); ++i)
            QVERIFY(std::abs(answer->memory.stages[i].total() / split->stages[i].peak - 1) < 1e-12);
    }

    void unlikeLayersKeepTheirPlace_data()
    {
        QTest::addColumn<QString>("schedule");
        QTest::addColumn<int>("stages");
        QTest::addColumn<int>("interval");
        QTest::newRow("1f1b") << "1f1b" << 2 << 1;
        QTest::newRow("zb-v") << "zb-v" << 2 << 1;
        QTest::newRow("zb-v every second") << "zb-v" << 2 << 2;
        QTest::newRow("dualpipe") << "dualpipe" << 2 << 1;
        QTest::newRow("dualpipe every second") << "dualpipe" << 4 << 2;
    }

    void unlikeLayersKeepTheirPlace()
    {
        QFETCH(QString, schedule);
        QFETCH(int, stages);
        QFETCH(int, interval);
        Plan plan = piped(6, stages);
        plan.strategy.schedule = *scheduleFromKey(schedule.toStdString());
        plan.model.moe = MixtureOfExperts{};
        plan.model.moe->experts = 4;
        plan.model.moe->topK = 1;
        plan.model.moe->expertFfn = 4096;
        plan.model.moe->leadingDenseLayers = interval == 1 ? 3 : 1;
        plan.model.moe->layerInterval = interval;
        limitMemory(plan, 0.5);
        const auto split = splitStages(plan, {.polish = false});
        QVERIFY(split && split->strategy && split->proven);
        QVERIFY(std::abs(split->bound.value() / leastPrice(plan, {1}) - 1) < 1e-12);
    }

    void offloadIsLimitedByTheHost()
    {
        Plan plan = piped(6, 2);
        plan.strategy.offload = Offload::Activations;
        NodeGroup& node = plan.cluster.nodes.front();
        node.hostLink = BytesPerSecond(50e9);
        node.hostMemory = Bytes(1e12);
        const auto room = splitStages(plan, {.polish = false});
        QVERIFY(room && room->strategy && room->proven);
        QVERIFY(std::abs(room->bound.value() / leastPrice(plan, {1}) - 1) < 1e-12);
        const auto told = [&](const StageSplit& split) {
            Plan own = plan;
            own.strategy = *split.strategy;
            return estimate(own, {.remedies = false, .range = false})->memory.hostPeak;
        };
        node.hostMemory = told(*room) * 0.6;
        const auto tight = splitStages(plan, {.polish = false});
        QVERIFY(tight && tight->strategy && told(*tight) <= node.hostMemory && tight->bound > room->bound);
        QVERIFY(std::abs(tight->bound.value() / leastPrice(plan, {1}) - 1) < 1e-12);
    }

    void polishingIsNeverWorse()
    {
        for (const double memory : {0.2, 0.6, 1.0}) {
            Plan plan = piped(24, 4);
            plan.training.software.p2pLatency = Seconds(0.002);
            limitMemory(plan, memory);
            const auto least = splitStages(plan, {.polish = false});
            const auto polished = splitStages(plan);
            QVERIFY(least && polished && polished->strategy);
            QCOMPARE(polished->bound.value(), least->bound.value());
            QVERIFY(polished->step <= least->step);
            QVERIFY(polished->step >= least->bound * (1 - 1e-12)); // which no simulation undercuts
            PricingContext pricing(plan, shippedCatalog());
            const auto own = price(pricing, plan.strategy, PipelineTime::Simulated);
            QVERIFY(!own->fits || polished->step <= own->step);
        }
    }

    void moreMemoryIsNeverWorse()
    {
        double before = INFINITY;
        for (const double memory : {0.0, 0.2, 0.4, 0.6, 0.8, 1.0}) {
            Plan plan = piped(12, 3);
            limitMemory(plan, memory);
            const auto split = splitStages(plan, {.polish = false});
            QVERIFY(split && split->proven);
            QVERIFY(split->strategy);
            QVERIFY(split->bound.value() <= before);
            before = split->bound.value();
        }
        QVERIFY(std::isfinite(before));
    }

    void saysThatNothingFits()
    {
        Plan plan = piped(6, 2);
        plan.cluster.nodes.front().accelerator.memory = Bytes(1e9);
        const auto split = splitStages(plan);
        QVERIFY(split && split->proven && !split->strategy);
    }

    void stops()
    {
        std::stop_source stop;
        stop.request_stop();
        const auto split = splitStages(piped(24, 4), {}, stop.get_token());
        QVERIFY(split && !split->proven && !split->strategy);
    }

    void saysWhatItCannotSplit()
    {
        Plan plan = piped(8, 2);
        plan.strategy.schedule = Schedule::ZbV;
        QVERIFY(!splitStages(plan, {.tensorParallel = true})
            && splitStages(plan, {.tensorParallel = true}).error().front().where == "/strategy/schedule");
        plan.strategy.schedule = Schedule::ZbAuto; // without a limit
        QVERIFY(!splitStages(plan) && splitStages(plan).error().front().where == "/strategy/in_flight_limit");
        plan.strategy.schedule = Schedule::OneFOneB;
        plan.strategy.vocabularyPlacement = VocabularyPlacement::Vocab1;
        QVERIFY(!splitStages(plan) && splitStages(plan).error().front().where == "/strategy/vocabulary_placement");
        plan.strategy.vocabularyPlacement = VocabularyPlacement::Ends;
        plan.strategy.schedule = Schedule::Interleaved;
        plan.strategy.vpp = 2;
        QVERIFY(!splitStages(plan, {.tensorParallel = true}));
        QVERIFY(splitStages(plan).has_value());
    }
};

STRATOPLAN_TEST(TestStageSplit)
#include "test_stage_split.moc"
