// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/capacity/capacity.h"
#include "tests/registry.h"

#include <QTest>

#include <algorithm>
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
    nodes.watts = 3200;
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
    inputs.goodput = 1;
    inputs.powerShare = 1;
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
    void idleOnesArePaid();
    void whatIsHadInOtherWays();
    void listPricesStandIn();
    void budgetsOfStepsAndCompute();
    void daysHaveADate();
    void rangesAreThoseOfTheStep();
    void wholeSteps();
    void nothingWithoutInputs();
};

// The paper's own example: 300 G tokens at 140 TFLOP/s per accelerator on 1024 of them take 34 days,
// by 8 T P / (n X) with P = 175 G parameters.
void TestCapacity::publishedTrainingTime()
{
    const double flopsPerToken = 8 * 175e9;
    const double step = 1536 * 2048 * flopsPerToken / (1024 * 140e12);
    QCOMPARE(std::round(capacity(gpt3Plan(), stepOf(step), tokens(300e9)).days.mid), 34.0);
}

void TestCapacity::everyAmount()
{
    CapacityInputs inputs = tokens(1000.0 * 1536 * 2048);
    inputs.pricePerAcceleratorHour = 2.5;
    inputs.pue = 1.25;
    const Capacity c = capacity(gpt3Plan(), stepOf(36), inputs);
    QCOMPARE(c.steps, 1000.0);
    QCOMPARE(c.days.mid, 10.0 / 24);
    QCOMPARE(c.acceleratorHours.mid, 10240.0);
    QCOMPARE(c.cost.mid, 25600.0);
    QVERIFY(c.isPriced);
    QCOMPARE(c.energyKwh.mid, 1024 * 0.4 * 1.25 * 10);
    inputs.gridIntensity = 50;
    QCOMPARE(capacity(gpt3Plan(), stepOf(36), inputs).co2Kg.mid, 0.05 * c.energyKwh.mid);
    inputs.pricePerAcceleratorHour = 0;
    QVERIFY(!capacity(gpt3Plan(), stepOf(36), inputs).isPriced);
    inputs.prices["nodes"] = 0; // free
    Plan named = gpt3Plan();
    named.cluster.nodes.front().id = "nodes";
    QVERIFY(capacity(named, stepOf(36), inputs).isPriced);
    QCOMPARE(capacity(named, stepOf(36), inputs).cost.mid, 0.0);
}

void TestCapacity::goodputStretchesTime()
{
    CapacityInputs inputs = tokens(1e12);
    const Capacity ideal = capacity(gpt3Plan(), stepOf(10), inputs);
    inputs.goodput = 0.8;
    const Capacity real = capacity(gpt3Plan(), stepOf(10), inputs);
    QCOMPARE(real.steps, ideal.steps);
    QCOMPARE(real.days.mid, ideal.days.mid / 0.8);
    QCOMPARE(real.acceleratorHours.mid, ideal.acceleratorHours.mid / 0.8);
    QCOMPARE(real.energyKwh.mid, ideal.energyKwh.mid / 0.8);
}

void TestCapacity::unlikeNodesAddTheirPower()
{
    Plan plan = gpt3Plan();
    const double before = capacity(plan, stepOf(10), tokens(1e12)).energyKwh.mid;
    NodeGroup more = plan.cluster.nodes.front();
    more.watts = 6400;
    plan.cluster.nodes.push_back(more);
    plan.strategy.dp *= 2;
    QCOMPARE(capacity(plan, stepOf(10), tokens(1e12)).energyKwh.mid, 3 * before);
}

// Reserved accelerators are paid for whether they run or not, unless a person says otherwise.
void TestCapacity::idleOnesArePaid()
{
    Plan plan = gpt3Plan();
    CapacityInputs inputs = tokens(1e12);
    inputs.pricePerAcceleratorHour = 2;
    const Capacity all = capacity(plan, stepOf(10), inputs);
    plan.strategy.dp = 250;
    const Capacity few = capacity(plan, stepOf(20), inputs);
    QCOMPARE(few.idle, 774);
    QCOMPARE(few.days.mid, 2 * all.days.mid);
    QCOMPARE(few.acceleratorHours.mid, all.acceleratorHours.mid * 2 * 250 / 1024);
    QCOMPARE(few.paid, 1024);
    QCOMPARE(few.cost.mid, 2 * all.cost.mid);
    inputs.paysForIdle = false; // but for those of the last node
    const Capacity given = capacity(plan, stepOf(20), inputs);
    QCOMPARE(given.paid, 256);
    QCOMPARE(given.cost.mid, all.cost.mid / 2);
    QCOMPARE(given.energyKwh, few.energyKwh);
    QCOMPARE(few.energyKwh.mid, all.energyKwh.mid / 2);
}

void TestCapacity::whatIsHadInOtherWays()
{
    Plan plan = gpt3Plan();
    plan.cluster.nodes.front().id = "nodes";
    CapacityInputs inputs = tokens(1e12);
    inputs.pricePerAcceleratorHour = 2;
    const Capacity hourly = capacity(plan, stepOf(10), inputs);
    inputs.purchase = Purchase::Reserved;
    inputs.termDays = 10 * hourly.days.mid;
    QCOMPARE(capacity(plan, stepOf(10), inputs).cost.mid, 10 * hourly.cost.mid);
    inputs.termDays = hourly.days.mid / 2;
    QCOMPARE(capacity(plan, stepOf(10), inputs).cost, hourly.cost);
    inputs.purchase = Purchase::Owned;
    inputs.owned = {.pricePerAccelerator = 40'000,
        .years = 4,
        .residualShare = 0.2,
        .electricityPerKwh = 0.1,
        .operationsShare = 0.05};
    const double years = hourly.days.mid * 24 / 8766;
    const double sought = 1024 * 40'000 * years * (0.8 / 4 + 0.05) + 0.1 * hourly.energyKwh.mid;
    QCOMPARE(capacity(plan, stepOf(10), inputs).cost.mid, sought);
    inputs.purchase = Purchase::OnDemand;
    inputs.prices["nodes"] = 3;
    QCOMPARE(capacity(plan, stepOf(10), inputs).cost.mid, 1.5 * hourly.cost.mid);
    inputs.failures.spareNodes = 128; // as many again
    QCOMPARE(capacity(plan, stepOf(10), inputs).cost.mid, 3 * hourly.cost.mid);
}

void TestCapacity::listPricesStandIn()
{
    Plan plan = gpt3Plan();
    plan.cluster.nodes.front().accelerator.id = "h100-sxm-80";
    const auto* listed = stratoplan::catalog::shippedRunDefaults().price("h100-sxm-80");
    QVERIFY(listed && listed->perHour > 1 && listed->currency == "USD");
    const Capacity c = capacity(plan, stepOf(10), tokens(1e12));
    QVERIFY(c.isPriced);
    QCOMPARE(c.cost.mid, c.acceleratorHours.mid * listed->perHour);
    const auto isPrice = [](const Assumption& a) { return a.input.starts_with("prices/"); };
    QVERIFY(std::ranges::any_of(assumptions(plan, tokens(1e12)), isPrice));
    CapacityInputs inEuro = tokens(1e12);
    inEuro.currency = "EUR";
    QVERIFY(!capacity(plan, stepOf(10), inEuro).isPriced);
    QVERIFY(std::ranges::none_of(assumptions(plan, inEuro), isPrice));
}

void TestCapacity::budgetsOfStepsAndCompute()
{
    const Plan plan = gpt3Plan();
    const Capacity byTokens = capacity(plan, stepOf(10), tokens(1000.0 * 1536 * 2048));
    CapacityInputs inputs = tokens(0);
    inputs.steps = 1000;
    QCOMPARE(capacity(plan, stepOf(10), inputs), byTokens);
    const ComputeOptimum best = computeOptimum(5.76e23); // Gopher's, for which Hoffmann et al. give 67 B and 1.5 T
    QVERIFY(best.parameters > 60e9 && best.parameters < 75e9);
    QVERIFY(best.tokens > 1.2e12 && best.tokens < 1.6e12);
}

void TestCapacity::daysHaveADate()
{
    const auto start = dayOf("2026-12-01");
    QVERIFY(start);
    QCOMPARE(dayText(doneOn(*start, 0.5)), std::string("2026-12-01"));
    QCOMPARE(dayText(doneOn(*start, 31)), std::string("2027-01-01"));
    QCOMPARE(dayText(doneOn(*start, 1.5e9)).size(), std::string("4764-11-24").size());
    for (const char* none : {"", "2026-02-30", "2026-13-01", "2026-1-1", "20261201", "2026-12-0x", "2026-12-011"})
        QVERIFY2(!dayOf(none), none);
}

void TestCapacity::rangesAreThoseOfTheStep()
{
    Estimate estimate = stepOf(10);
    estimate.stepLow = Seconds(9);
    estimate.stepHigh = Seconds(12);
    const Capacity c = capacity(gpt3Plan(), estimate, tokens(1e12));
    QVERIFY(std::abs(c.days.low / c.days.mid - 0.9) < 0.002);
    QVERIFY(std::abs(c.days.high / c.days.mid - 1.2) < 0.002);
    QCOMPARE(c.energyKwh.high / c.energyKwh.mid, c.days.high / c.days.mid);
    const Capacity sure = capacity(gpt3Plan(), stepOf(10), tokens(1e12));
    QCOMPARE(sure.days, (Spread{sure.days.mid, sure.days.mid, sure.days.mid}));
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
    QCOMPARE(capacity(Plan{}, stepOf(10), tokens(1e12)).acceleratorHours.mid, 0.0);
    Plan empty = gpt3Plan();
    empty.training.globalBatch = 0;
    QCOMPARE(capacity(empty, stepOf(10), tokens(1e12)), Capacity{});
}

STRATOPLAN_TEST(TestCapacity)
#include "test_capacity.moc"
