// SPDX-License-Identifier: GPL-3.0-or-later
// A known front priced again: what a search of the same options says of each of its strategies, in any order and on any
// threads.
#include "core/estimate/estimate.h"
#include "core/pricing/limits.h"
#include "core/pricing/pricing_context.h"
#include "core/search/rescore.h"
#include "tests/core/random_count.h"
#include "tests/core/search/random_plans.h"
#include "tests/registry.h"

#include <QTest>

#include <algorithm>

using namespace stratoplan::catalog;
using namespace stratoplan::cluster;
using namespace stratoplan::estimate;
using namespace stratoplan::parallel;
using namespace stratoplan::plan;
using namespace stratoplan::pricing;
using namespace stratoplan::search;
using namespace stratoplan::units;
using namespace stratoplan::searchtest;
using namespace stratoplan::test;

namespace {

SearchOptions optionsOf(SearchMode mode)
{
    SearchOptions options;
    options.mode = mode;
    options.threads = 1;
    return options;
}

/// What a person may change with a slider.
Plan changed(RandomPlans& random, Plan plan)
{
    NodeGroup& group = plan.cluster.nodes.front();
    switch (random.number(5)) {
    case 0:
        plan.training.globalBatch *= random.oneIn(2) ? 2 : 3;
        break;
    case 1:
        group.count = std::max(1, group.count / 2);
        break;
    case 2:
        group.accelerator.memory *= random.real(0.3, 1.5);
        break;
    case 3:
        group.nic.bandwidth *= random.real(0.1, 4);
        break;
    default:
        plan.model.layers += random.number(4);
        break;
    }
    return plan;
}

bool legal(Plan plan, const FoundStrategy& found)
{
    plan.strategy = found.strategy;
    plan.training.precision = found.precision;
    return !hasErrors(check(plan, {.remedies = false})) && notEstimable(plan).empty();
}

} // namespace

class TestRescore : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void samePlanSameFront();
    void changedPlan();
    void objectivesAndHeadroom();
    void threadsChangeNothing();
    void schedulesWithoutClosedForm();
    void stops();
};

void TestRescore::samePlanSameFront()
{
    RandomPlans random(21);
    std::size_t compared = 0;
    for (int i = 0; i < fewerSanitized(60); ++i) {
        const Plan plan = random.plan();
        const SearchSpace space = random.space(plan);
        for (const SearchMode mode : {SearchMode::ClosedForm, SearchMode::Simulated}) {
            if (mode == SearchMode::Simulated && i % 4 != 0)
                continue;
            const SearchResult found = search(plan, space, optionsOf(mode));
            const RescoreResult again = rescore(plan, found.front, optionsOf(mode));
            QVERIFY(again.complete);
            QVERIFY(again.front == found.front && again.best == found.best);
            for (std::size_t j = 0; j < found.front.size(); ++j)
                QVERIFY(again.strategies[j] == (Rescored{found.front[j], Standing::Fits, true}));
            compared += found.front.size();
        }
    }
    QVERIFY(int(compared) > fewerSanitized(200));
}

// In one piece: each strategy of a front is held against its estimate, and how often each case came up counted over
// all.
void TestRescore::changedPlan()
{
    RandomPlans random(22);
    std::array<int, 6> standings{};
    int beaten = 0;
    for (int i = 0; i < fewerSanitized(200); ++i) {
        const Plan before = random.plan();
        const std::vector<FoundStrategy> front =
            search(before, random.space(before), optionsOf(SearchMode::ClosedForm)).front;
        const Plan plan = changed(random, before);
        const SearchMode mode = random.oneIn(3) ? SearchMode::Simulated : SearchMode::ClosedForm;
        const RescoreResult result = rescore(plan, front, optionsOf(mode));
        QCOMPARE(result.strategies.size(), front.size());
        PricingContext pricing(plan, shippedCatalog());
        for (std::size_t j = 0; j < front.size(); ++j) {
            const Rescored& one = result.strategies[j];
            QVERIFY(one.found.strategy == front[j].strategy);
            ++standings[std::size_t(one.standing)];
            QCOMPARE(one.standing == Standing::Illegal, !legal(plan, front[j]));
            if (one.standing == Standing::Illegal)
                continue;
            Plan scratch = plan;
            scratch.strategy = front[j].strategy;
            const auto told = estimate(scratch, {.remedies = false, .range = false});
            const auto priced = price(pricing, front[j].strategy, PipelineTime::ClosedForm);
            QVERIFY(told && priced);
            QVERIFY(one.found.step == (mode == SearchMode::Simulated ? told->step : priced->step));
            QCOMPARE(one.found.value, one.found.step.value());
            QCOMPARE(one.standing == Standing::Fits, priced->fits);
            const bool isBeaten =
                std::any_of(result.strategies.begin(), result.strategies.end(), [&](const Rescored& other) {
                    return other.standing == Standing::Fits && other.found.value <= one.found.value
                        && other.found.peak <= one.found.peak
                        && (other.found.value < one.found.value || other.found.peak < one.found.peak);
                });
            QCOMPARE(one.onFront, one.standing == Standing::Fits && !isBeaten);
            beaten += isBeaten;
        }
        std::size_t onFront = 0;
        for (const Rescored& one : result.strategies)
            onFront += one.onFront;
        QCOMPARE(result.front.size(), onFront);
        QVERIFY(std::is_sorted(
            result.front.begin(), result.front.end(), [](const auto& a, const auto& b) { return a.peak < b.peak; }));
    }
    QVERIFY(standings[std::size_t(Standing::Fits)] > fewerSanitized(100));
    QVERIFY(standings[std::size_t(Standing::OutOfMemory)] > 10 || !drawsRareOnes());
    QVERIFY(standings[std::size_t(Standing::Illegal)] > fewerSanitized(10));
    QVERIFY(beaten > fewerSanitized(10));
}

void TestRescore::objectivesAndHeadroom()
{
    RandomPlans random(23);
    int missed = 0;
    for (int i = 0; i < fewerSanitized(60); ++i) {
        const Plan plan = random.plan();
        const SearchSpace space = random.space(plan);
        for (const Objective objective : {Objective::TokensPerCost, Objective::Robust, Objective::Deadline}) {
            SearchOptions options = optionsOf(SearchMode::ClosedForm);
            const SearchResult all = search(plan, space, options);
            if (!all.best)
                continue;
            options.objective = objective;
            options.headroom = 0.2;
            if (objective == Objective::Deadline)
                options.longestStep = all.best->step * 1.2;
            const RescoreResult again = rescore(plan, all.front, options);
            const double limit = smallestMemory(plan.cluster).value() * 0.8;
            for (const Rescored& one : again.strategies) {
                QCOMPARE(one.standing == Standing::OutOfMemory, one.found.peak.value() > limit);
                missed += one.standing == Standing::MissesDeadline;
            }
            const SearchResult found = search(plan, space, options);
            const RescoreResult same = rescore(plan, found.front, options);
            QVERIFY(same.front == found.front && same.best == found.best);
        }
    }
    QVERIFY(missed > fewerSanitized(10));
}

void TestRescore::threadsChangeNothing()
{
    const Plan plan = fixtures::gpt3();
    SearchOptions options = optionsOf(SearchMode::ClosedForm);
    const std::vector<FoundStrategy> front = search(plan, fixtures::megatronSpace(), options).front;
    QVERIFY(front.size() > 10);
    Plan half = plan;
    half.cluster.nodes.front().nic.bandwidth *= 0.5;
    const RescoreResult one = rescore(half, front, options);
    for (const int threads : {2, 3, 8}) {
        options.threads = threads;
        const RescoreResult many = rescore(half, front, options);
        QVERIFY(many.strategies == one.strategies && many.front == one.front && many.best == one.best);
    }
}

void TestRescore::schedulesWithoutClosedForm()
{
    Plan plan = fixtures::small();
    plan.strategy = {};
    plan.strategy.pp = 2;
    plan.strategy.dp = acceleratorCount(plan.cluster) / 2;
    plan.strategy.vpp = 2;
    plan.strategy.schedule = Schedule::ZbV;
    plan.training.globalBatch = plan.strategy.dp * 8;
    QVERIFY(legal(plan, {.strategy = plan.strategy}));
    const std::vector<FoundStrategy> one{{.strategy = plan.strategy, .precision = plan.training.precision}};
    QVERIFY(
        rescore(plan, one, optionsOf(SearchMode::ClosedForm)).strategies.front().standing == Standing::NoClosedForm);
    const RescoreResult simulated = rescore(plan, one, optionsOf(SearchMode::Simulated));
    QVERIFY(simulated.strategies.front().standing == Standing::Fits);
    QVERIFY(simulated.best && simulated.best->step == estimate(plan)->step);
}

void TestRescore::stops()
{
    const Plan plan = fixtures::gpt3();
    const std::vector<FoundStrategy> front =
        search(plan, fixtures::megatronSpace(), optionsOf(SearchMode::ClosedForm)).front;
    std::stop_source stop;
    stop.request_stop();
    const RescoreResult none = rescore(plan, front, {}, stop.get_token());
    QVERIFY(!none.complete && none.front.empty() && !none.best);
    QCOMPARE(none.strategies.size(), front.size());
    for (const Rescored& one : none.strategies)
        QVERIFY(one.standing == Standing::NotPriced && one.found.step == Seconds{});
}

STRATOPLAN_TEST(TestRescore)
#include "test_rescore.moc"
