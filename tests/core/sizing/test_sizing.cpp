// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/document.h"
#include "core/search/found_plan.h"
#include "core/sizing/sizing.h"
#include "tests/core/fixtures.h"
#include "tests/registry.h"

#include <QTest>

#include <cmath>

using namespace stratoplan;
using namespace stratoplan::sizing;

namespace {

/// Small, so that every number of nodes is soon searched.
plan::Plan smallPlan()
{
    plan::Plan plan = fixtures::small();
    plan.training.globalBatch = 64;
    return plan;
}

plan::CapacityInputs ofTokens(double tokens)
{
    plan::CapacityInputs inputs;
    inputs.tokens = tokens;
    return inputs;
}

plan::SearchSpace narrowSpace()
{
    plan::SearchSpace space = plan::defaultSpace();
    space.microBatch = plan::IntChoice::just(1);
    return space;
}

} // namespace

class TestSizing : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// So many times the nodes, and the same batch; the plan itself where nothing changes.
    void replicasTakeTheirNodes()
    {
        plan::Plan plan = smallPlan();
        plan.cluster.switches.clear();
        plan.cluster.connections.clear();
        const int replicas = plan.strategy.dp, nodes = plan.cluster.nodes.front().count;
        const auto same = withReplicas(plan, replicas);
        QVERIFY(same && *same == plan);
        const auto twice = withReplicas(plan, 2 * replicas);
        QVERIFY(twice);
        QCOMPARE(twice->strategy.dp, 2 * replicas);
        QCOMPARE(twice->cluster.nodes.front().count, 2 * nodes);
        QCOMPARE(twice->training.globalBatch, plan.training.globalBatch);
        QVERIFY(!withReplicas(plan, 128)); // more than sequences
        plan.strategy.dp = 2 * replicas; // three of sixteen replicas take no whole number of nodes
        plan.cluster.nodes.front().count = 2;
        QVERIFY(!withReplicas(plan, 3));
    }

    /// Against every smaller number of nodes, each searched by itself.
    void noFewerDo()
    {
        const plan::CapacityInputs inputs = ofTokens(5e9);
        for (const double days : {0.5, 1.0, 3.0}) {
            const auto answer = fewestFor(smallPlan(), narrowSpace(), inputs, {.days = days, .mostNodes = 16});
            QVERIFY(answer);
            if (!answer->isMet) {
                QVERIFY(answer->capacity.days.mid > days);
                continue;
            }
            QVERIFY(answer->capacity.days.mid <= days);
            plan::Plan fewer = answer->plan;
            if (--fewer.cluster.nodes.front().count < 1)
                continue;
            const search::SearchResult best = search::search(fewer, narrowSpace());
            if (!best.best)
                continue;
            fewer.strategy = best.best->strategy;
            const auto priced = estimate::estimate(fewer);
            QVERIFY(priced);
            QVERIFY(capacity::capacity(fewer, *priced, inputs).days.mid > days);
        }
    }

    /// Also where goodput falls with fewer nodes, which write their checkpoints more slowly, and where steps are
    /// shorter at first: against every smaller number of nodes.
    void whatIsProvenIsSo()
    {
        plan::CapacityInputs checkpoints = ofTokens(50e9), ramp = ofTokens(50e9);
        checkpoints.checkpoints.interval = 30;
        ramp.ramp = {8, 8, 25e9};
        for (const plan::CapacityInputs& inputs : {checkpoints, ramp}) {
            const auto answer = fewestFor(smallPlan(), narrowSpace(), inputs, {.days = 1, .mostNodes = 16});
            QVERIFY(answer && answer->isMet && answer->capacity.days.mid <= 1);
            plan::Plan fewer = answer->plan;
            while (answer->isProven && --fewer.cluster.nodes.front().count > 0) {
                const search::SearchResult best = search::search(fewer, narrowSpace());
                if (!best.best)
                    continue;
                const plan::Plan fastest = search::planWith(fewer, *best.best);
                const auto priced = estimate::estimate(fastest);
                QVERIFY(priced);
                QVERIFY(capacity::capacity(fastest, *priced, inputs).days.mid > 1);
            }
        }
    }

    /// A number of nodes that is no power of two is looked at, too.
    void theMostNodesAreLookedAt()
    {
        int nodes = 0;
        const auto tell = [&](const SizingProgress& progress) { nodes = progress.nodes; };
        const auto answer =
            fewestFor(smallPlan(), narrowSpace(), ofTokens(1e15), {.days = 1, .mostNodes = 3}, std::stop_token(), tell);
        QVERIFY(answer && !answer->isMet);
        QCOMPARE(nodes, 3);
    }

    void moreTimeTakesNoMore()
    {
        int before = 1 << 30;
        for (const double days : {0.3, 0.6, 1.2, 2.4, 4.8}) {
            const auto answer = fewestFor(smallPlan(), narrowSpace(), ofTokens(5e9), {.days = days, .mostNodes = 16});
            QVERIFY(answer);
            if (answer->isMet) {
                QVERIFY(answer->capacity.used <= before);
                before = answer->capacity.used;
            }
        }
        QVERIFY(before < 1 << 30);
    }

    void whatCannotBeIsTheFastest()
    {
        const auto answer = fewestFor(smallPlan(), narrowSpace(), ofTokens(1e15), {.days = 1, .mostNodes = 2});
        QVERIFY(answer && !answer->isMet && answer->capacity.days.mid > 1);
        QVERIFY(!fewestFor(smallPlan(), narrowSpace(), {}, {.days = 1}));
        QVERIFY(!fewestFor(smallPlan(), narrowSpace(), ofTokens(1e9), {.days = 0}));
    }

    void progressRisesAndTellsTheBest()
    {
        double share = 0;
        int last = 0;
        bool isMet = false;
        const auto tell = [&](const SizingProgress& progress) {
            QVERIFY(progress.share >= share && progress.share <= 1 && progress.nodes > 0);
            share = progress.share;
            if (progress.best) {
                isMet = isMet || progress.best->isMet;
                last = progress.best->capacity.used;
            }
        };
        const auto answer =
            fewestFor(smallPlan(), narrowSpace(), ofTokens(5e9), {.days = 1, .mostNodes = 16}, std::stop_token(), tell);
        QVERIFY(answer && answer->isMet && answer->isProven && isMet);
        QVERIFY(last >= answer->capacity.used && share > 0.5);
    }

    void whatIsStoppedIsUnproven()
    {
        std::stop_source stop;
        const auto answer = fewestFor(smallPlan(), narrowSpace(), ofTokens(5e9), {.days = 1, .mostNodes = 16},
            stop.get_token(), [&](const SizingProgress& progress) {
                if (progress.best && progress.best->isMet)
                    stop.request_stop();
            });
        QVERIFY(answer && !answer->isProven);
        stop.request_stop();
        QVERIFY(!fewestFor(smallPlan(), narrowSpace(), ofTokens(5e9), {.days = 1}, stop.get_token()));
    }

    /// A stated price is that of its accelerators.
    void pricesStayWithTheirAccelerators()
    {
        const plan::Plan before = smallPlan();
        plan::CapacityInputs inputs = ofTokens(5e9);
        inputs.pricePerAcceleratorHour = 2;
        inputs.prices = {{"nodes", 3}, {"others", 4}};
        const plan::CapacityInputs same = inputsOn(inputs, before, before);
        QCOMPARE(same.prices, (std::map<std::string, double>{{"nodes", 3}}));
        QCOMPARE(same.pricePerAcceleratorHour, 2.0);
        const plan::Plan other = planOn(before, *catalog::shippedCatalog().node("dgx-h100"));
        const plan::CapacityInputs unlike = inputsOn(inputs, other, before);
        QVERIFY(unlike.prices.empty() && unlike.pricePerAcceleratorHour == 0);
        QCOMPARE(unlike.tokens, 5e9);
    }

    void moneyPaysForWholeSteps()
    {
        const plan::Plan plan = fixtures::gpt3();
        const auto estimate = estimate::estimate(plan);
        QVERIFY(estimate);
        plan::CapacityInputs inputs;
        inputs.pricePerAcceleratorHour = 2;
        const double tokens = tokensFor(1e6, plan, *estimate, inputs);
        const auto costOf = [&](double budget) {
            inputs.tokens = budget;
            return capacity::capacity(plan, *estimate, inputs).cost.mid;
        };
        QVERIFY(costOf(tokens) <= 1e6 && costOf(tokens + tokensPerStep(plan)) > 1e6);
        QCOMPARE(tokensFor(1e-6, plan, *estimate, inputs), 0.0);
        inputs.pricePerAcceleratorHour = 0;
        inputs.currency = "EUR";
        QCOMPARE(tokensFor(1e6, plan, *estimate, inputs), 0.0);
        inputs.pricePerAcceleratorHour = 2;
        inputs.purchase = plan::Purchase::Reserved;
        inputs.termDays = 365;
        QCOMPARE(tokensFor(1e6, plan, *estimate, inputs), 0.0);
        plan::CapacityInputs free;
        free.prices = {{"nodes", 0}};
        QVERIFY(std::isinf(tokensFor(1e6, plan, *estimate, free)));
    }
};

STRATOPLAN_TEST(TestSizing)
#include "test_sizing.moc"
