// SPDX-License-Identifier: GPL-3.0-or-later
// What is said about a search: whether a space holds a strategy, why it holds none, why one is not the best, the way to
// one that fits, and what an answer in closed form comes to when simulated.
#include "core/exchange/document.h"
#include "core/narration/spaces.h"
#include "core/plan/problem.h"
#include "core/search/recheck.h"
#include "core/search/sample.h"
#include "core/search/why.h"
#include "core/space/empty_space.h"
#include "core/space/membership.h"
#include "core/space/neighbours.h"
#include "core/space/not_varied.h"
#include "tests/core/random_count.h"
#include "tests/core/search/random_plans.h"
#include "tests/registry.h"

#include <QTest>

#include <algorithm>
#include <limits>

using namespace stratoplan::catalog;
using namespace stratoplan::cluster;
using namespace stratoplan::estimate;
using namespace stratoplan::exchange;
using namespace stratoplan::model;
using namespace stratoplan::narration;
using namespace stratoplan::parallel;
using namespace stratoplan::plan;
using namespace stratoplan::search;
using namespace stratoplan::space;
using namespace stratoplan::units;
using namespace stratoplan::searchtest;
using namespace stratoplan::test;

namespace {

const SearchOptions kSimulated{.mode = SearchMode::Simulated, .threads = 1};

std::vector<Strategy> leavesOf(const Plan& plan, const SearchSpace& space, std::int64_t most)
{
    std::vector<Strategy> all;
    sample(plan, space, kSimulated, most, {}, [&](std::span<const SampledStrategy> some) {
        for (const SampledStrategy& one : some)
            all.push_back(one.strategy);
    });
    return all;
}

/// With nothing to share out every ZeRO stage is the same.
Strategy unshared(Strategy s, const Plan& plan)
{
    if (s.dp * s.cp == 1 && (!plan.model.moe || s.tp / s.etp <= s.ep))
        s.zeroStage = 0;
    return s;
}

Plan exampleOf(const char* name)
{
    return parseDocument(findExample(name)->text, shippedCatalog())->project.plan;
}

FoundStrategy bestOf(const Plan& plan, const SearchSpace& space, const SearchOptions& options)
{
    return *search(plan, space, options).best;
}

} // namespace

class TestWhy : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void spacesHoldTheirLeaves();
    void tellsWhatIsOutside();
    void partitionsBesideContextAreAskedFor();
    void tellsWhyASpaceIsEmpty_data();
    void tellsWhyASpaceIsEmpty();
    void comparesWithWhatWasFound();
    void minds_data();
    void minds();
    void answersWhereNothingFits();
    void findsAWayToWhatFits_data();
    void findsAWayToWhatFits();
    void closedFormsAreSimulated();
    void anotherPartitionIsOneChange();
    void theOwnStrategyCounts();
    void resourcesInTheObjective();
};

// A strategy is in a space if and only if it is a leaf of its tree.
void TestWhy::spacesHoldTheirLeaves()
{
    RandomPlans random(21);
    int held = 0, left = 0;
    for (int i = 0; i < fewerSanitized(80); ++i) {
        const Plan plan = random.plan();
        SearchSpace space = random.space(plan);
        space.rankOrders = {Strategy{}.rankOrder};
        const std::vector<Strategy> leaves = leavesOf(plan, space, std::numeric_limits<std::int32_t>::max());
        if (leaves.size() > 20'000)
            continue;
        SearchSpace wide = wholeSpace(plan);
        wide.rankOrders = space.rankOrders;
        wide.precisions.clear();
        std::vector<Strategy> tried = leavesOf(plan, wide, 20);
        for (std::size_t at = 0; at < leaves.size(); at += leaves.size() / 20 + 1)
            tried.push_back(leaves[at]);
        for (const Strategy& s : tried) {
            const bool is = std::any_of(leaves.begin(), leaves.end(),
                [&](const Strategy& leaf) { return unshared(leaf, plan) == unshared(s, plan); });
            const auto reason = outside(plan, space, schedulesOf(kSimulated), s, plan.training.precision);
            QVERIFY2(is == !reason, (reason ? describe(*reason) : "held, plan " + std::to_string(i)).c_str());
            (is ? held : left) += 1;
        }
    }
    QVERIFY(held > fewerSanitized(300) && left > fewerSanitized(300));
}

void TestWhy::tellsWhatIsOutside()
{
    const Plan plan = fixtures::gpt3();
    const SearchSpace space = calculonSpace();
    const auto told = [](const std::optional<OutsideReason>& reason) {
        return reason ? QString::fromStdString(describe(*reason)) : QStringLiteral("held");
    };
    const auto reasonOf = [&](const SearchOptions& options, auto change) {
        Strategy s = bestOf(plan, space, {}).strategy;
        s.zeroStage = 1;
        change(s);
        return told(outside(plan, space, schedulesOf(options), s, plan.training.precision));
    };
    QCOMPARE(reasonOf({}, [](Strategy&) {}), QStringLiteral("held"));
    QCOMPARE(reasonOf({}, [](Strategy& s) { s.zeroStage = 3; }), QStringLiteral("ZeRO-3"));
    QCOMPARE(reasonOf({}, [](Strategy& s) { s.dp /= 2; }), QStringLiteral("512 accelerators, not all of the cluster"));
    QCOMPARE(
        reasonOf({}, [](Strategy& s) { s.offload = Offload::Activations; }), QStringLiteral("offload activations"));
    QCOMPARE(reasonOf({},
                 [](Strategy& s) {
                     s.schedule = Schedule::ZbH1;
                     s.vpp = 1;
                 }),
        QStringLiteral("schedule zb-h1"));
    Strategy dual = bestOf(plan, space, {}).strategy;
    dual.schedule = Schedule::DualPipe;
    dual.vpp = 1;
    QCOMPARE(told(outside(plan, fixtures::megatronSpace(), schedulesOf({}), dual, plan.training.precision)),
        QStringLiteral("schedule dualpipe, which has no closed form"));
    QCOMPARE(told(outside(plan, space, schedulesOf({}), bestOf(plan, space, {}).strategy, Precision::Fp32)),
        QStringLiteral("fp32"));
}

void TestWhy::partitionsBesideContextAreAskedFor()
{
    const Plan plan = fixtures::gpt3();
    Strategy divided;
    divided.tp = 8;
    divided.cp = 2;
    divided.dp = 64;
    divided.tensorPartition = TensorPartition::SpatialTemporal;
    const auto reasonOf = [&](const Plan& asked, const SearchSpace& space) {
        return outside(asked, space, schedulesOf({}), divided, plan.training.precision);
    };
    SearchSpace open = defaultSpace();
    QCOMPARE(describe(reasonOf(plan, open).value()), "a spatial-temporal partition with context parallelism");
    const auto isLeftOut = [&] {
        const std::vector<FixedDimension> fixed = notVaried(open, plan, SearchMode::ClosedForm);
        return std::ranges::count(fixed, SpacePart::ContextPartitions, &FixedDimension::part) == 1;
    };
    QVERIFY(isLeftOut());
    open.framework = TargetFramework::MegatronCore; // which has no such partition
    QVERIFY(!isLeftOut());
    open.framework = TargetFramework::Any;
    open.contextPartitions = true;
    QVERIFY(!isLeftOut());
    QVERIFY(!reasonOf(plan, open));
    Plan locked = plan;
    locked.strategy = divided;
    QVERIFY(!reasonOf(locked, withLocks(defaultSpace(), {Dimension::TensorPartition}, locked)));
    locked.strategy.cp = 1; // then a lock asks for no more than the space has
    QVERIFY(!withLocks(defaultSpace(), {Dimension::TensorPartition}, locked).contextPartitions);
}

/// What was pinned is dropped.
void TestWhy::anotherPartitionIsOneChange()
{
    Plan plan = fixtures::small();
    plan.strategy.tp = 4;
    const auto isToMegatron = [](const Neighbour& neighbour) {
        return describe(neighbour.change) == "the megatron partition instead of spatial-temporal"
            && neighbour.strategy.tensorPartition == TensorPartition::Megatron
            && neighbour.strategy.operatorPartitions.empty();
    };
    QCOMPARE(std::ranges::count_if(neighbours(plan, plan.strategy), isToMegatron), 0);
    plan.strategy.tensorPartition = TensorPartition::SpatialTemporal;
    plan.strategy.operatorPartitions = {{"QKV", "K,K"}};
    QCOMPARE(std::ranges::count_if(neighbours(plan, plan.strategy), isToMegatron), 1);
}

void TestWhy::tellsWhyASpaceIsEmpty_data()
{
    QTest::addColumn<QString>("dimension");
    QTest::addColumn<QString>("told");
    QTest::newRow("heads") << "tensor parallelism"
                           << "7";
    QTest::newRow("batch") << "micro-batch"
                           << "7";
    QTest::newRow("closed form") << "schedule"
                                 << "closed form";
    QTest::newRow("accelerators") << "accelerators"
                                  << "1,024";
    QTest::newRow("offload") << "offload"
                             << "host";
    QTest::newRow("precision") << "training precision"
                               << "fp8";
    QTest::newRow("experts") << "expert parallelism"
                             << "";
}

void TestWhy::tellsWhyASpaceIsEmpty()
{
    QFETCH(QString, dimension);
    QFETCH(QString, told);
    const Plan plan = fixtures::gpt3();
    SearchSpace space = fixtures::megatronSpace();
    QVERIFY(whyEmpty(plan, space, schedulesOf({})).empty());
    const std::string tag = QTest::currentDataTag();
    if (tag == "heads")
        space.tp = IntChoice::just(7);
    if (tag == "batch")
        space.microBatch = IntChoice::just(7);
    if (tag == "closed form")
        space.schedules = {Schedule::ZbV};
    if (tag == "accelerators")
        space.accelerators = IntChoice::just(8);
    if (tag == "offload")
        space.offloads = {Offload::Optimizer};
    if (tag == "precision")
        space.precisions = {Precision::Fp8};
    if (tag == "experts")
        space.ep = IntChoice::just(2);
    const auto reasons = whyEmpty(plan, space, schedulesOf({}));
    QCOMPARE(reasons.size(), 1u);
    const auto [part, reason] = describe(reasons.front());
    QCOMPARE(QString::fromStdString(part), dimension);
    QVERIFY2(QString::fromStdString(reason).contains(told, Qt::CaseInsensitive), reason.c_str());
}

// The value of the search, in its mode, not another estimate.
void TestWhy::comparesWithWhatWasFound()
{
    const Plan plan = exampleOf("gpt2-xl-alpa");
    for (const SearchMode mode : {SearchMode::ClosedForm, SearchMode::Simulated}) {
        const SearchOptions options{.mode = mode, .keep = FrontKind::Best, .threads = 1};
        const FoundStrategy best = bestOf(plan, fixtures::megatronSpace(), options);
        const Why own = why(plan, fixtures::megatronSpace(), options, plan.strategy, plan.training.precision, best);
        QVERIFY(own.binding == Binding::Slower);
        const Rescored value =
            rescore(plan, {{plan.strategy, plan.training.precision, 0, {}, {}}}, options).strategies.front();
        QCOMPARE(own.step, value.found.step);
        QCOMPARE(own.slower, value.found.step / best.step - 1);
        QVERIFY(own.slower > 0);
        const Why itself = why(plan, fixtures::megatronSpace(), options, best.strategy, best.precision, best);
        QVERIFY(itself.binding == Binding::Nothing && itself.slower == 0 && !itself.outside);
    }
}

void TestWhy::minds_data()
{
    QTest::addColumn<int>("objective");
    QTest::newRow("money") << int(Objective::TokensPerCost);
    QTest::newRow("energy") << int(Objective::TokensPerEnergy);
    QTest::newRow("fewest") << int(Objective::SmallestCluster);
    QTest::newRow("deadline") << int(Objective::Deadline);
    QTest::newRow("robust") << int(Objective::Robust);
}

// The fastest strategy is not the best of these.
void TestWhy::minds()
{
    QFETCH(int, objective);
    const Plan plan = exampleOf("llama-70b-512-h100");
    SearchSpace space = fixtures::megatronSpace();
    space.leaveIdle = true;
    SearchOptions options{.objective = Objective::Throughput, .keep = FrontKind::Best, .headroom = 0.1, .threads = 1};
    const FoundStrategy fastest = bestOf(plan, space, options);
    options.objective = Objective(objective);
    options.longestStep = options.objective == Objective::Deadline ? fastest.step * 8 : Seconds();
    const FoundStrategy best = bestOf(plan, space, options);
    const Why answer = why(plan, space, options, fastest.strategy, fastest.precision, best);
    const bool fewest = options.objective == Objective::SmallestCluster || options.objective == Objective::Deadline;
    if (best.strategy == fastest.strategy)
        QVERIFY(answer.binding == Binding::Nothing);
    else
        QVERIFY2(answer.binding == (fewest ? Binding::MoreAccelerators : Binding::Slower), key(answer.binding).data());
    QVERIFY(fewest || answer.worse >= 0);
    // With a tenth of the memory to leave free, a strategy that fills it is none to take.
    Strategy full = fastest.strategy;
    full.microBatch *= 2;
    options.headroom = 0;
    const Rescored without = rescore(plan, {{full, fastest.precision, 0, {}, {}}}, options).strategies.front();
    options.headroom = 1 - (without.found.peak / smallestMemory(plan.cluster)) + 1e-3;
    const Why tight = why(plan, space, options, full, fastest.precision, best);
    QVERIFY(tight.binding == Binding::OutOfMemory);
    QCOMPARE(
        tight.over.value(), without.found.peak.value() - smallestMemory(plan.cluster).value() * (1 - options.headroom));
    QVERIFY(!tight.nearest
        || tight.nearest->found.peak.value() <= smallestMemory(plan.cluster).value() * (1 - options.headroom));
}

void TestWhy::answersWhereNothingFits()
{
    const Plan plan = exampleOf("gpt2-xl-alpa");
    const SearchOptions options{.keep = FrontKind::Best, .headroom = 0.985, .threads = 1};
    QVERIFY(!search(plan, fixtures::megatronSpace(), options).best);
    const Why answer =
        why(plan, fixtures::megatronSpace(), options, plan.strategy, plan.training.precision, std::nullopt);
    QVERIFY(answer.binding == Binding::OutOfMemory);
    QVERIFY(answer.over > Bytes{} && answer.step > Seconds{} && !answer.nearest);
}

void TestWhy::findsAWayToWhatFits_data()
{
    QTest::addColumn<int>("tp");
    QTest::addColumn<int>("pp");
    QTest::addColumn<int>("microBatch");
    QTest::addColumn<bool>("locked");
    QTest::newRow("far over") << 1 << 1 << 8 << false;
    QTest::newRow("odd TP") << 3 << 8 << 1 << false;
    QTest::newRow("odd micro-batch") << 8 << 8 << 7 << false;
    QTest::newRow("TP locked") << 4 << 1 << 8 << true;
}

void TestWhy::findsAWayToWhatFits()
{
    QFETCH(int, tp);
    QFETCH(int, pp);
    QFETCH(int, microBatch);
    QFETCH(bool, locked);
    const Plan plan = fixtures::gpt3();
    SearchSpace space = fixtures::megatronSpace();
    if (locked)
        space.tp = IntChoice::just(tp);
    Strategy s;
    s.tp = tp;
    s.pp = pp;
    s.dp = acceleratorCount(plan.cluster) / tp / pp;
    s.microBatch = microBatch;
    for (const SearchMode mode : {SearchMode::ClosedForm, SearchMode::Simulated}) {
        const SearchOptions options{.mode = mode, .threads = 2};
        const auto near = nearestThatFits(plan, space, options, s, plan.training.precision, true);
        QVERIFY(near);
        QVERIFY(!outside(plan, space, schedulesOf(options), near->found.strategy, near->found.precision));
        const Rescored again = rescore(plan, {near->found}, options).strategies.front();
        QVERIFY(again.standing == Standing::Fits && again.found == near->found);
        const std::string told = describe(near->changes);
        QCOMPARE(std::size_t(std::count(told.begin(), told.end(), ';')) + 1, near->changes.size());
    }
}

void TestWhy::closedFormsAreSimulated()
{
    // Alpa sends and receives on the stream that computes: what waits is not in a closed form.
    const Plan plan = exampleOf("gpt2-xl-alpa");
    for (const FrontKind keep : {FrontKind::Best, FrontKind::Whole}) {
        const SearchOptions options{.keep = keep, .threads = 2};
        const SearchResult result = search(plan, fixtures::megatronSpace(), options);
        const Recheck recheck = stratoplan::search::recheck(plan, fixtures::megatronSpace(), options, result);
        QVERIFY(recheck.isDoubtful());
        QVERIFY(recheck.best);
        for (std::size_t i = 0; i < result.front.size(); ++i) {
            Plan found = plan;
            found.strategy = result.front[i].strategy;
            const Seconds step = estimate(found, {.remedies = false, .range = false})->step;
            QVERIFY(recheck.front[i] && *recheck.front[i] == step);
            QVERIFY(recheck.best->found.step <= step);
        }
        QVERIFY(recheck.best->found.step < *recheck.front.back() / 2); // the best in closed form is a bad choice
    }
}

void TestWhy::theOwnStrategyCounts()
{
    // DualPipe, which has no closed form.
    const Plan plan = exampleOf("deepseek-v3-2048-h800");
    SearchSpace space = fixtures::megatronSpace();
    const SearchOptions options{.keep = FrontKind::Best, .threads = 2};
    SearchResult result;
    result.best = FoundStrategy{plan.strategy, plan.training.precision, 0, {}, {}};
    result.best->strategy.schedule = Schedule::OneFOneB;
    const Rescored closed = rescore(plan, {*result.best}, options).strategies.front();
    QVERIFY(closed.standing == Standing::Fits);
    result.best = closed.found;
    result.front = {closed.found};
    const Recheck recheck = stratoplan::search::recheck(plan, space, options, result);
    QVERIFY(recheck.best && recheck.best->ofPlan && !recheck.best->closedForm);
    QVERIFY(recheck.best->found.step < *recheck.front.front());
    space.tp = IntChoice::just(2 * plan.strategy.tp); // then it is none of the space
    QVERIFY(!stratoplan::search::recheck(plan, space, options, result).best->ofPlan);
}

void TestWhy::resourcesInTheObjective()
{
    const Plan plan = exampleOf("llama-70b-512-h100");
    SearchSpace space = calculonSpace();
    space.leaveIdle = true;
    const SearchOptions options{.objective = Objective::TokensPerCost, .keep = FrontKind::Best, .threads = 2};
    const FoundStrategy best = bestOf(plan, space, options);
    Strategy illegal = plan.strategy;
    illegal.tp = 3;
    const auto values = marginalValues(plan, space, options, illegal, plan.training.precision);
    QCOMPARE(values.size(), 4u);
    for (const MarginalValue& value : values) {
        QVERIFY(value.best && value.best->value <= best.value * (1 + 1e-9));
        QVERIFY(value.asked.standing == Standing::Illegal);
    }
}

STRATOPLAN_TEST(TestWhy)
#include "test_why.moc"
