// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/capacity/capacity.h"
#include "tests/registry.h"

#include <QTest>

#include <cmath>

using namespace stratoplan::capacity;
using namespace stratoplan::cluster;
using namespace stratoplan::estimate;
using namespace stratoplan::plan;
using namespace stratoplan::units;

namespace {

// GPT-3 175B as in Narayanan et al. (2104.04473), section 5.1: 1024 A100, batch 1536 of 2048 tokens.
Plan gpt3Plan()
{
    Plan plan;
    plan.training.globalBatch = 1536;
    plan.training.sequenceLength = 2048;
    NodeGroup nodes;
    nodes.accelerator.watts = 400;
    nodes.acceleratorsPerNode = 8;
    nodes.count = 128;
    plan.cluster.nodes.push_back(nodes);
    plan.strategy.dp = 1024;
    return plan;
}

CapacityInputs tokens(double count)
{
    CapacityInputs inputs;
    inputs.tokens = count;
    return inputs;
}

Estimate stepOf(double seconds)
{
    Estimate estimate;
    estimate.step = Seconds(seconds);
    return estimate;
}

} // namespace

class TestCapacity : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void publishedTrainingTime();
    void everyAmount();
    void goodputStretchesTime();
    void unlikeNodesAddTheirPower();
    void idleOnesCostNothing();
    void wholeSteps();
    void nothingWithoutInputs();
};

// The paper's own example: 300 G tokens at 140 TFLOP/s per accelerator on 1024 of them take 34 days,
// by 8 T P / (n X) with P = 175 G parameters.
void TestCapacity::publishedTrainingTime()
{
    const double flopsPerToken = 8 * 175e9;
    const double step = 1536 * 2048 * flopsPerToken / (1024 * 140e12);
    QCOMPARE(std::round(capacity(gpt3Plan(), stepOf(step), tokens(300e9)).days), 34.0);
}

void TestCapacity::everyAmount()
{
    CapacityInputs inputs = tokens(1000.0 * 1536 * 2048);
    inputs.pricePerAcceleratorHour = 2.5;
    inputs.pue = 1.25;
    const Capacity c = capacity(gpt3Plan(), stepOf(36), inputs);
    QCOMPARE(c.steps, 1000.0);
    QCOMPARE(c.days, 10.0 / 24);
    QCOMPARE(c.acceleratorHours, 10240.0);
    QCOMPARE(c.cost, 25600.0);
    QCOMPARE(c.energyKwh, 1024 * 0.4 * 1.25 * 10);
    inputs.pricePerAcceleratorHour = 0;
    QCOMPARE(capacity(gpt3Plan(), stepOf(36), inputs).cost, 0.0);
}

void TestCapacity::goodputStretchesTime()
{
    CapacityInputs inputs = tokens(1e12);
    const Capacity ideal = capacity(gpt3Plan(), stepOf(10), inputs);
    inputs.goodput = 0.8;
    const Capacity real = capacity(gpt3Plan(), stepOf(10), inputs);
    QCOMPARE(real.steps, ideal.steps);
    QCOMPARE(real.days, ideal.days / 0.8);
    QCOMPARE(real.acceleratorHours, ideal.acceleratorHours / 0.8);
    QCOMPARE(real.energyKwh, ideal.energyKwh / 0.8);
}

void TestCapacity::unlikeNodesAddTheirPower()
{
    Plan plan = gpt3Plan();
    const double before = capacity(plan, stepOf(10), tokens(1e12)).energyKwh;
    NodeGroup more = plan.cluster.nodes.front();
    more.accelerator.watts = 800;
    plan.cluster.nodes.push_back(more);
    plan.strategy.dp *= 2;
    QCOMPARE(capacity(plan, stepOf(10), tokens(1e12)).energyKwh, 3 * before);
}

// As the objectives of a search count: the cheapest plan costs least here too.
void TestCapacity::idleOnesCostNothing()
{
    Plan plan = gpt3Plan();
    CapacityInputs inputs = tokens(1e12);
    inputs.pricePerAcceleratorHour = 2;
    const Capacity all = capacity(plan, stepOf(10), inputs);
    NodeGroup others = plan.cluster.nodes.front();
    others.accelerator.watts = 700;
    plan.cluster.nodes.push_back(others);
    Capacity same = all;
    same.idle = acceleratorCount(plan.cluster) - rankCount(plan.strategy);
    QVERIFY(same.idle > 0 && all.idle == 0);
    QCOMPARE(capacity(plan, stepOf(10), inputs), same);
    plan.strategy.dp = 256;
    const Capacity few = capacity(plan, stepOf(20), inputs);
    QCOMPARE(few.days, 2 * all.days);
    QCOMPARE(few.acceleratorHours, all.acceleratorHours / 2);
    QCOMPARE(few.cost, all.cost / 2);
    QCOMPARE(few.energyKwh, all.energyKwh / 2);
}

void TestCapacity::wholeSteps()
{
    QCOMPARE(capacity(gpt3Plan(), stepOf(10), tokens(1)).steps, 1.0);
    QCOMPARE(capacity(gpt3Plan(), stepOf(10), tokens(300e9)).steps, 95368.0);
}

void TestCapacity::nothingWithoutInputs()
{
    QCOMPARE(capacity(gpt3Plan(), stepOf(10), tokens(0)), Capacity{});
    QCOMPARE(capacity(gpt3Plan(), stepOf(10), tokens(std::nan(""))), Capacity{});
    QCOMPARE(capacity(Plan{}, stepOf(10), tokens(1e12)).acceleratorHours, 0.0);
    CapacityInputs stalled = tokens(1e12);
    stalled.goodput = 0;
    QCOMPARE(capacity(gpt3Plan(), stepOf(10), stalled), Capacity{});
    Plan empty = gpt3Plan();
    empty.training.globalBatch = 0;
    QCOMPARE(capacity(empty, stepOf(10), tokens(1e12)), Capacity{});
}

STRATOPLAN_TEST(TestCapacity)
#include "test_capacity.moc"
