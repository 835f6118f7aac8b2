// SPDX-License-Identifier: GPL-3.0-or-later
// The leaf of a search gives what an estimate gives, whatever it priced before.
#include "core/catalog/catalog.h"
#include "core/exchange/document.h"
#include "core/exchange/estimate_json.h"
#include "core/pricing/limits.h"
#include "core/pricing/priced_pass.h"
#include "core/pricing/pricing_context.h"
#include "tests/core/fixtures.h"
#include "tests/registry.h"

#include <QTest>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <random>
#include <utility>
#include <vector>

using namespace stratoplan::catalog;
using namespace stratoplan::cluster;
using namespace stratoplan::estimate;
using namespace stratoplan::exchange;
using namespace stratoplan::parallel;
using namespace stratoplan::pipeline;
using namespace stratoplan::plan;
using namespace stratoplan::pricing;
using namespace stratoplan::units;

namespace {

Plan examplePlan(const std::string& name)
{
    const Example* example = findExample(name);
    const auto document = parseDocument(example->text, shippedCatalog(), name);
    return document->project.plan;
}

/// Strategies anywhere in the space, most of them illegal.
class Dice {
public:
    explicit Dice(const Plan& plan)
        : m_plan(plan)
        , m_accelerators(acceleratorCount(plan.cluster))
    {
    }

    Strategy strategy()
    {
        Strategy s = m_plan.strategy;
        s.tp = power(4);
        s.cp = power(oneIn(2) ? 0 : 3);
        s.pp = power(5);
        s.dp = std::max(1, m_accelerators / (s.tp * s.cp * s.pp) >> power(1) / 2);
        s.ep = m_plan.model.moe ? power(6) : 1;
        s.etp = m_plan.model.moe ? power(2) : 1;
        s.microBatch = power(2);
        s.zeroStage = number(4);
        s.zeroShards = oneIn(3) ? power(4) : 0;
        s.sequenceParallel = s.tp > 1 && oneIn(2);
        s.recompute = static_cast<Recompute>(number(3));
        s.contextMethod = static_cast<ContextMethod>(number(3));
        s.schedule = static_cast<Schedule>(number(13));
        s.inFlightLimit = s.schedule == Schedule::ZbAuto && oneIn(2) ? power(4) : 0;
        s.offload = static_cast<Offload>(oneIn(3) ? number(3) : 0);
        s.timingPass = oneIn(4);
        s.vpp = s.schedule == Schedule::Interleaved || s.schedule == Schedule::BreadthFirst ? power(2) : 1;
        s.vocabularyPlacement = static_cast<VocabularyPlacement>(oneIn(2) ? 0 : number(4));
        if (oneIn(3))
            std::shuffle(s.rankOrder.begin(), s.rankOrder.end(), m_random);
        if (oneIn(4) && m_plan.model.layers > s.pp) {
            s.stageLayers = stageLayers(s, m_plan.model.layers);
            --s.stageLayers.front();
            ++s.stageLayers.back();
        } else {
            s.stageLayers.clear();
        }
        tellStages(s);
        return s;
    }

private:
    /// Stages unlike in recomputation and TP, here and there.
    void tellStages(Strategy& s)
    {
        makeStagesDistinct(s.stageRecompute, s.pp, 6, [&](int) { return static_cast<Recompute>(number(3)); });
        const std::vector<int> layers = stageLayers(s, m_plan.model.layers);
        const auto recomputed = [&](int stage) {
            const Recompute kind = s.stageRecompute.empty() ? s.recompute : s.stageRecompute[std::size_t(stage)];
            return kind == Recompute::None ? 0 : number(std::max(0, layers[std::size_t(stage)]) + 1);
        };
        makeStagesDistinct(s.recomputedLayers, s.pp, 4, recomputed);
        makeStagesDistinct(s.stageTp, s.pp, 4, [&](int) { return oneIn(2) ? s.tp : s.tp * 2; });
        if (m_plan.model.tiedEmbeddings && !s.stageTp.empty())
            s.stageTp.back() = s.stageTp.front();
    }

    /// A value per stage, or none at all: once in `once` times.
    template <class Value, class Draw>
    void makeStagesDistinct(std::vector<Value>& values, int stages, int once, Draw draw)
    {
        values.clear();
        if (oneIn(once))
            for (int stage = 0; stage < stages; ++stage)
                values.push_back(draw(stage));
    }

    int number(int below) { return std::uniform_int_distribution<int>(0, below - 1)(m_random); }
    int power(int most) { return 1 << number(most + 1); }
    bool oneIn(int n) { return number(n) == 0; }

    const Plan& m_plan;
    int m_accelerators;
    std::mt19937 m_random{7};
};

/// Legal strategies of a plan, as many as wanted.
std::vector<Strategy> legalStrategies(const Plan& plan, std::size_t wanted)
{
    std::vector<Strategy> legal;
    Dice dice(plan);
    Plan scratch = plan;
    for (int tries = 0; legal.size() < wanted && tries < 200'000; ++tries) {
        scratch.strategy = dice.strategy();
        if (!hasErrors(check(scratch, {.remedies = false})) && notEstimable(scratch).empty())
            legal.push_back(scratch.strategy);
    }
    return legal;
}

/// A strategy whose values are held; asked for one number after the other.
class Held {
public:
    Held(PricingContext& pricing, const Strategy& strategy)
        : m_division(pricing.division(strategy))
        , m_pass(m_division, pricing.groups(strategy))
        , m_pipeline(m_pass.pipeline())
        , m_unsharded(unsharded(pricing, strategy))
    {
    }

    static constexpr int kQuestions = 13;
    double ask(int question)
    {
        constexpr int kLeastRanks = 16;
        const auto sum = [](const PieceSeconds& p) {
            return (p.denseLayer + p.moeLayer + p.embedding + p.head + p.merge + p.moePairable).value();
        };
        switch (question) {
        case 0:
            return m_division.peak().bytes.value();
        case 1:
            return m_division.sequenceSeconds(kLeastRanks, true).value();
        case 2:
            return sum(m_division.expertPieces(kLeastRanks));
        case 3:
            return sum(m_division.leastPieces(kLeastRanks));
        case 4:
            return (m_division.layerStates().dense.step + m_division.layerStates().moe.step).value();
        case 5:
            return m_division.sequenceBytes().dense.kept.value() + m_division.sequenceBytes().logits.value();
        case 6:
            return m_division.stepOfStage(Seconds(1)).value() + m_division.stepOfSequences(Seconds(1)).value();
        case 7:
            return sum(m_pass.pieces());
        case 8:
            return m_pass.microBatchStep(true).value();
        case 9:
            return m_pipeline.step(PipelineTime::ClosedForm).value();
        case 10:
            return m_pipeline.step(PipelineTime::Simulated).value();
        case 11:
            return m_unsharded.step(PipelineTime::Bound).value();
        default:
            return m_pass.pipeline().step(PipelineTime::ClosedForm).value();
        }
    }

private:
    static PricedPipeline unsharded(PricingContext& pricing, Strategy strategy)
    {
        strategy.zeroStage = strategy.zeroShards = 0;
        return PricedPass(pricing.division(strategy), pricing.groups(strategy)).unsharded();
    }

    PricedDivision m_division;
    PricedPass m_pass;
    PricedPipeline m_pipeline, m_unsharded;
};

} // namespace

class TestPricing : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void givesWhatAnEstimateGives_data()
    {
        QTest::addColumn<QString>("name");
        for (const Example& example : examples())
            QTest::newRow(example.name.c_str()) << QString::fromStdString(example.name);
    }

    // In one piece: every way to price a strategy is held against the same estimate of it.
    void givesWhatAnEstimateGives()
    {
        QFETCH(QString, name);
        Plan plan = examplePlan(name.toStdString());
        plan.training.globalBatch = 1536;
        plan.strategy.tensorPartition = TensorPartition::Megatron;
        const std::vector<Strategy> strategies = legalStrategies(plan, 200);
        QVERIFY2(strategies.size() >= 150, qPrintable(QString::number(strategies.size())));
        const bool hosted = plan.cluster.nodes.front().hostLink.value() > 0;
        QCOMPARE(std::any_of(strategies.begin(), strategies.end(),
                     [](const Strategy& s) { return s.offload != Offload::None; }),
            hosted);
        QVERIFY(std::any_of(strategies.begin(), strategies.end(),
            [](const Strategy& s) { return s.schedule == Schedule::ZbAuto && s.inFlightLimit == 0 && s.pp > 1; }));
        PricingContext pricing(plan, shippedCatalog());
        Plan scratch = plan;
        for (int round = 0; round < 2; ++round) { // the second from memory
            for (std::size_t i = 0; i < strategies.size(); i += STRATOPLAN_SANITIZED ? 8 : 1) {
                const Strategy& s = strategies[i];
                scratch.strategy = s;
                const auto expected = estimate(scratch, {.remedies = false, .range = false});
                const auto simulated = price(pricing, s, PipelineTime::Simulated);
                const auto closed = price(pricing, s, PipelineTime::ClosedForm);
                QVERIFY(expected && simulated && closed);
                QCOMPARE(simulated->step.value(), expected->step.value());
                QVERIFY(simulated->step == expected->step);
                QVERIFY(closed->step == pipelineSeconds(expected->pipeline));
                QVERIFY(std::abs(simulated->peak.value() / expected->memory.peak.value() - 1) < 1e-12);
                // Of stages that hold the same but for rounding either may be named.
                const Bytes named = expected->memory.stages[std::size_t(simulated->peakStage)].total();
                QVERIFY(std::abs(named.value() / expected->memory.peak.value() - 1) < 1e-12);
                QCOMPARE(simulated->fits, expected->fits);
                for (const Breakdown& stage :
                    expected->stages) // whatever the schedule, its chunks and the timing of its communication
                    QVERIFY2(std::abs(stage.total() / expected->step - 1) < 1e-9,
                        qPrintable(QStringLiteral("%1 of %2, %3")
                                       .arg(stage.total().value())
                                       .arg(expected->step.value())
                                       .arg(QString::fromStdString(toJson(s).dump()))));
                QCOMPARE(closed->peak.value(), simulated->peak.value());
            }
        }
        const auto some = [&](auto told) { return std::any_of(strategies.begin(), strategies.end(), told); };
        QVERIFY(some([](const Strategy& s) { return s.pp > 1 && !s.recomputedLayers.empty(); }));
        QVERIFY(some([](const Strategy& s) { return s.pp > 1 && !s.stageRecompute.empty(); }));
        const auto unlike = [](const Strategy& s) {
            return std::adjacent_find(s.stageTp.begin(), s.stageTp.end(), std::not_equal_to<>()) != s.stageTp.end();
        };
        QVERIFY(plan.model.heads % 2 != 0 || some(unlike));
    }

    /// Whatever else is held and asked, and in whichever order, and however much was forgotten in between.
    void severalAreHeldAndAskedInAnyOrder_data() { givesWhatAnEstimateGives_data(); }

    void severalAreHeldAndAskedInAnyOrder()
    {
        QFETCH(QString, name);
        Plan plan = examplePlan(name.toStdString());
        plan.training.globalBatch = 1536;
        plan.strategy.tensorPartition = TensorPartition::Megatron;
        std::vector<Strategy> strategies = legalStrategies(plan, 24);
        std::erase_if(strategies, [](const Strategy& s) { return !s.stageTp.empty(); });
        QVERIFY(strategies.size() >= 12);
        PricingContext pricing(plan, shippedCatalog());
        std::vector<Held> held;
        std::vector<std::pair<std::size_t, int>> asked;
        std::vector<std::vector<double>> alone;
        for (const Strategy& s : strategies) {
            PricingContext own(plan, shippedCatalog());
            Held one(own, s);
            alone.emplace_back();
            for (int question = 0; question < Held::kQuestions; ++question) {
                alone.back().push_back(one.ask(question));
                asked.emplace_back(held.size(), question);
            }
            held.emplace_back(pricing, s);
        }
        std::mt19937 random(11);
        for (int round = 0; round < 3; ++round) {
            std::shuffle(asked.begin(), asked.end(), random);
            for (const auto& [strategy, question] : asked) {
                const double expected = alone[strategy][std::size_t(question)];
                QVERIFY2(held[strategy].ask(question) == expected, qPrintable(QString::number(question)));
            }
        }
    }

    void copiesOutliveWhatTheyCameFrom()
    {
        const Plan plan = fixtures::gpt3();
        PricingContext pricing(plan, shippedCatalog());
        const auto priced = price(pricing, plan.strategy, PipelineTime::ClosedForm);
        Strategy other = plan.strategy;
        other.microBatch *= 2;
        std::optional<PricedPass> original(PricedPass(pricing.division(plan.strategy), pricing.groups(plan.strategy)));
        const PricedPass copy = *original;
        original.reset();
        QVERIFY(price(pricing, other, PipelineTime::ClosedForm)->step != priced->step);
        PricedPipeline pipeline = copy.pipeline();
        const PricedPipeline same = copy.pipeline();
        QVERIFY(pipeline.step(PipelineTime::ClosedForm) == priced->step);
        pipeline = std::move(pipeline).runBy(Schedule::ZbH1); // of its own alone
        QVERIFY(pipeline.step(PipelineTime::ClosedForm) != priced->step);
        QVERIFY(same.step(PipelineTime::ClosedForm) == priced->step);
        QVERIFY(copy.division().peak().bytes == priced->peak);
    }

    void saysNothingOfAStepThatIsNoNumber()
    {
        Plan plan = fixtures::gpt3();
        plan.training.software.optimizerFixed = Seconds(INFINITY);
        PricingContext pricing(plan, shippedCatalog());
        QVERIFY(!price(pricing, plan.strategy, PipelineTime::ClosedForm));
        QVERIFY(!price(pricing, plan.strategy, PipelineTime::Simulated));
    }
};

STRATOPLAN_TEST(TestPricing)
#include "test_strategy_pricer.moc"
