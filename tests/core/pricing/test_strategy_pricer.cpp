// SPDX-License-Identifier: GPL-3.0-or-later
// The leaf of a search gives what an estimate gives, whatever it priced before.
#include "core/catalog/catalog.h"
#include "core/exchange/document.h"
#include "core/exchange/estimate_json.h"
#include "core/pricing/limits.h"
#include "core/pricing/strategy_pricer.h"
#include "tests/core/fixtures.h"

#include <QTest>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

using namespace stratoplan;

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

} // namespace

class TestStrategyPricer : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void givesWhatAnEstimateGives_data()
    {
        QTest::addColumn<QString>("name");
        for (const Example& example : examples())
            QTest::newRow(example.name.c_str()) << QString::fromStdString(example.name);
    }

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
        StrategyPricer pricer(plan);
        Plan scratch = plan;
        for (int round = 0; round < 2; ++round) { // the second from memory
            for (const Strategy& s : strategies) {
                scratch.strategy = s;
                const auto expected = estimate(scratch, {.remedies = false, .range = false});
                const auto simulated = pricer.price(s, PipelineTime::Simulated);
                const auto closed = pricer.price(s, PipelineTime::ClosedForm);
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

    void saysNothingOfAStepThatIsNoNumber()
    {
        Plan plan = fixtures::gpt3();
        plan.training.software.optimizerFixed = Seconds(INFINITY);
        StrategyPricer pricer(plan);
        QVERIFY(!pricer.price(plan.strategy, PipelineTime::ClosedForm));
        QVERIFY(!pricer.price(plan.strategy, PipelineTime::Simulated));
    }
};

QTEST_APPLESS_MAIN(TestStrategyPricer)
#include "test_strategy_pricer.moc"
