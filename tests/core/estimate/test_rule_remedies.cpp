// SPDX-License-Identifier: GPL-3.0-or-later
// Edits against broken rules are offered as they were priced: they fit where the plan does, and against what costs time
// they take less of it.
#include "core/catalog/catalog.h"
#include "core/estimate/estimate.h"
#include "core/exchange/document.h"
#include "core/narration/problems.h"
#include "tests/core/fixtures.h"
#include "tests/core/random_count.h"
#include "tests/registry.h"

#include <QTest>

#include <cmath>
#include <random>
#include <stop_token>

using namespace stratoplan::catalog;
using namespace stratoplan::cluster;
using namespace stratoplan::estimate;
using namespace stratoplan::narration;
using namespace stratoplan::parallel;
using namespace stratoplan::plan;
using namespace stratoplan::units;

namespace {

Plan example(const char* id)
{
    return stratoplan::exchange::parseDocument(stratoplan::exchange::findExample(id)->text, shippedCatalog())
        ->project.plan;
}

const Problem* find(const std::vector<Problem>& problems, ProblemCode code)
{
    const auto found = std::ranges::find(problems, code, &Problem::code);
    return found == problems.end() ? nullptr : &*found;
}

QStringList labels(const Problem* problem)
{
    QStringList result;
    if (problem)
        for (const Remedy& remedy : problem->remedies)
            result << QString::fromStdString(describe(remedy));
    return result;
}

/// Two nodes below a switch of each tier, which nothing joins; ranks on all.
Plan apart(const std::vector<SwitchTier>& tiers)
{
    Plan plan = fixtures::gpt3();
    plan.cluster.nodes.front().count = 2;
    for (std::size_t i = 0; i < tiers.size(); ++i) {
        const std::string number = std::to_string(i), id = "switch" + number;
        if (i > 0)
            plan.cluster.nodes.push_back(plan.cluster.nodes.front());
        plan.cluster.nodes.back().id = "nodes" + number;
        plan.cluster.switches.push_back({id, id, tiers[i], 64, 1});
        fixtures::link(plan, ("nodes" + number).c_str(), id.c_str(), 16);
    }
    plan.strategy = {.tp = 8, .pp = 2, .dp = int(tiers.size())};
    plan.training.globalBatch = 8 * plan.strategy.dp;
    return plan;
}

std::vector<Problem> problemsOf(const Plan& plan)
{
    const auto answer = estimate(plan, {.range = false});
    return answer ? answer->problems : answer.error();
}

/// Against all that one cause has broken.
QStringList edits(const Plan& plan, ProblemCause cause)
{
    QStringList all;
    const std::vector<Problem> problems = problemsOf(plan);
    for (const Problem& problem : problems)
        if (problem.cause == cause)
            all += labels(&problem);
    return all;
}

/// A strategy that keeps or breaks rules of division, of GPUs in use and of the pipeline.
Plan disturbed(Plan plan, std::mt19937& random)
{
    const auto pick = [&](std::initializer_list<int> values) { return *(values.begin() + random() % values.size()); };
    Strategy& s = plan.strategy;
    s.tp = pick({1, 2, 3, 4, 8});
    s.pp = pick({1, 2, 3, 4, 5, 8, 16});
    s.dp = std::max(1, acceleratorCount(plan.cluster) / (s.tp * s.pp) / pick({1, 1, 2}));
    s.microBatch = pick({1, 2, 3});
    s.vpp = 1;
    s.schedule = Schedule::OneFOneB;
    s.sequenceParallel = random() % 2;
    s.recompute = static_cast<Recompute>(random() % 3);
    return plan;
}

/// What a remedy of a broken rule brings, where the plan has an estimate.
void verifyBrings(const Plan& plan, const Estimate& now, const Problem& problem, const Remedy& remedy)
{
    const auto then = estimate(mended(plan, remedy), {.remedies = false, .range = false});
    QVERIFY2(then.has_value(), describe(remedy).c_str());
    QVERIFY2(then->fits || !now.fits, describe(remedy).c_str());
    using enum ProblemCode;
    const bool costsTime = problem.code == LayersNotDivisible || problem.code == RanksLeaveIdle
        || problem.code == UnlikeNodes || problem.code == TensorParallelLeavesNode;
    QCOMPARE(remedy.lacksMemory, costsTime && !then->fits);
    const double step = then->step / now.step - 1, perToken = now.tokensPerSecond / then->tokensPerSecond - 1;
    if (std::abs(remedy.globalBatch ? perToken : step) > 0.0005)
        QVERIFY(remedy.gain && !remedy.gain->saved && remedy.gain->slower == step
            && remedy.gain->perToken.has_value() == remedy.globalBatch.has_value()
            && std::abs(remedy.gain->perToken.value_or(perToken) - perToken) < 1e-12);
    else
        QVERIFY(!remedy.gain);
    if (costsTime)
        QVERIFY2(step < 0 && perToken < 0, describe(remedy).c_str());
}

/// None twice, and those that fit before all others, the fastest first.
void verifyOrder(const Plan& plan, const Problem& problem)
{
    QVERIFY(problem.remedies.size() <= 3);
    double before = 0;
    for (auto remedy = problem.remedies.begin(); remedy != problem.remedies.end(); ++remedy) {
        QVERIFY2(std::none_of(problem.remedies.begin(), remedy,
                     [&](const Remedy& r) { return mended(plan, r) == mended(plan, *remedy); }),
            describe(*remedy).c_str());
        QCOMPARE(remedy->lacksMemory, problem.remedies.front().lacksMemory);
        const Plan changed = mended(plan, *remedy);
        const auto then = estimate(changed, {.remedies = false, .range = false});
        if (!then || remedy->lacksMemory)
            continue;
        const bool isTight = find(then->problems, ProblemCode::MemoryPressure) != nullptr;
        const double tight = isTight && problem.code != ProblemCode::OutOfMemory ? 1e9 : 0; // these last
        const double ofSequence = tight + then->step.value() / changed.training.globalBatch;
        QVERIFY2(ofSequence >= before, describe(*remedy).c_str());
        before = ofSequence;
    }
}

/// The same where it has none: those that do not fit are offered alone, and say so.
void verifyMends(const Plan& plan, const Problem& problem, const Remedy& remedy)
{
    QCOMPARE(QString::fromStdString(describe(remedy)).endsWith("(does not fit)"), remedy.lacksMemory);
    const auto then = estimate(mended(plan, remedy), {.remedies = false, .range = false});
    if (then)
        QCOMPARE(!then->fits, remedy.lacksMemory);
    else // whose other errors have remedies of their own
        QVERIFY(!find(then.error(), problem.code));
}

} // namespace

class TestRuleRemedies : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void idleAcceleratorsAreUsedWhereThatHelps()
    {
        Plan plan = fixtures::gpt3();
        plan.strategy.dp = 8;
        const auto now = estimate(plan);
        QVERIFY(now.has_value());
        const QStringList offered = labels(find(now->problems, ProblemCode::RanksLeaveIdle));
        QVERIFY(!offered.isEmpty());
        for (const QString& label : offered)
            QVERIFY2(label.contains(": step −"), qPrintable(label));
    }

    /// Of a plan that runs out of memory, those that do, too, are marked, and the memory is mended with what is idle.
    void idleAcceleratorsGiveTheirMemory()
    {
        Plan plan = fixtures::gpt3();
        plan.strategy = {.tp = 8, .pp = 1, .dp = 1, .sequenceParallel = true, .recompute = Recompute::Selective};
        const auto now = estimate(plan);
        QVERIFY(now && !now->fits);
        const QStringList memory = labels(find(now->problems, ProblemCode::OutOfMemory));
        QVERIFY(!memory.isEmpty());
        for (const Remedy& remedy : find(now->problems, ProblemCode::OutOfMemory)->remedies)
            QVERIFY2(estimate(mended(plan, remedy))->fits, describe(remedy).c_str());
        QVERIFY2(memory.join("; ").contains("Use PP "), qPrintable(memory.join("; ")));
        for (const Remedy& remedy : find(now->problems, ProblemCode::RanksLeaveIdle)->remedies)
            QCOMPARE(estimate(mended(plan, remedy))->fits, !remedy.lacksMemory);
    }

    /// A spare node beside ranks that fill the others hides no remedy that leaves it idle: of 72 nodes PP 12 takes all.
    void aSpareNodeHidesNoRemedy()
    {
        Plan plan = fixtures::gpt3();
        plan.cluster.nodes.front().accelerator.memory *= 0.5;
        plan.training.globalBatch = 1152;
        plan.strategy = {.tp = 8, .pp = 8, .dp = 9, .sequenceParallel = true, .recompute = Recompute::Full};
        for (const int nodes : {72, 73}) {
            plan.cluster.nodes.front().count = nodes;
            const auto now = estimate(plan);
            QVERIFY(now && !now->fits);
            const QStringList offered = labels(find(now->problems, ProblemCode::OutOfMemory));
            const QString label = nodes == 72 ? "Raise PP to 12: " : "Use PP 12, DP 6: ";
            QVERIFY2(offered.filter(label).size() == 1, qPrintable(offered.join("; ")));
        }
    }

    /// A batch that nothing divides is one sequence too large, or too small.
    void aPrimeBatchIsRounded()
    {
        Plan plan = fixtures::gpt3();
        plan.training.globalBatch = 1531;
        const std::vector<Problem> problems = problemsOf(plan);
        const Problem* odd = find(problems, ProblemCode::BatchNotDivisible);
        QVERIFY(odd);
        QVERIFY2(labels(odd).contains("Use a batch of 1,536"), qPrintable(labels(odd).join("; ")));
        for (const Remedy& remedy : odd->remedies)
            if (remedy.globalBatch)
                QCOMPARE(mended(plan, remedy).training.globalBatch, *remedy.globalBatch);
        plan.training.globalBatch = 10; // of fewer than there are replicas, none less is whole
        int batches = 0;
        plan.strategy.vpp = 1;
        plan.strategy.schedule = Schedule::OneFOneB;
        for (const Problem& problem : check(plan))
            for (const Remedy& remedy : problem.remedies) {
                QVERIFY(!remedy.globalBatch || *remedy.globalBatch == 16);
                batches += remedy.globalBatch.has_value();
            }
        QCOMPARE(batches, 1);
    }

    /// A search for each price takes seconds: a plan with errors has none, and is answered at once.
    void whatTakesLongIsNotPriced()
    {
        Plan plan = fixtures::gpt3();
        plan.strategy = {.tp = 32, .pp = 8, .dp = 4, .microBatch = 7, .sequenceParallel = true};
        for (NodeGroup& group : plan.cluster.nodes)
            group.accelerator.memory *= 0.01;
        const auto lacking = [&] { // of the edits against the batch
            const std::vector<Problem> problems = problemsOf(plan);
            const Problem* odd = find(problems, ProblemCode::BatchNotDivisible);
            return odd == nullptr || odd->remedies.empty()
                ? -1
                : int(std::ranges::count(odd->remedies, true, &Remedy::lacksMemory));
        };
        QCOMPARE(lacking(), 3); // that they do not fit is known of prices alone
        plan.strategy.tensorPartition = TensorPartition::SpatialTemporal;
        QCOMPARE(lacking(), 0);
    }

    void stoppedThereAreNone()
    {
        Plan plan = fixtures::gpt3();
        plan.strategy.microBatch = 7;
        std::stop_source source;
        source.request_stop();
        const auto answer = estimate(plan, {.stop = source.get_token()});
        QVERIFY(!answer && answer.error().empty());
    }

    /// Ranks on nodes that no cable joins to the others are an error: while idle they are warned of.
    void idleNodesBehindAGapAreLeftAlone()
    {
        Plan plan = fixtures::gpt3();
        NodeGroup& near = plan.cluster.nodes.front();
        near.count = 8;
        NodeGroup far = near;
        far.id = far.name = "far";
        plan.cluster.nodes.push_back(far);
        plan.cluster.switches = {{"a", "A", SwitchTier::Leaf, 128, 1}, {"b", "B", SwitchTier::Leaf, 128, 1}};
        fixtures::link(plan, "nodes", "a", 64);
        fixtures::link(plan, "far", "b", 64);
        plan.strategy.dp = 1;
        const std::vector<Problem> apart = problemsOf(plan);
        QVERIFY(find(apart, ProblemCode::Disconnected) && !hasErrors(apart));
        QCOMPARE(labels(find(apart, ProblemCode::RanksLeaveIdle)), QStringList());
        const Problem& apartOf = *find(apart, ProblemCode::Disconnected);
        QCOMPARE(labels(&apartOf), QStringList{"Join “B” and “A” by new switches"});
        QVERIFY(!find(problemsOf(mended(plan, apartOf.remedies.front())), ProblemCode::Disconnected));
        plan.strategy.dp = 2; // an error then, with the same remedy
        const std::vector<Problem> errors = problemsOf(plan);
        QVERIFY(hasErrors(errors));
        QCOMPARE(labels(find(errors, ProblemCode::Disconnected)), QStringList{"Join “B” and “A” by new switches"});
        plan.strategy.dp = 1;
        plan.cluster.switches.push_back({"s", "S", SwitchTier::Spine, 256, 1});
        fixtures::link(plan, "a", "s", 64);
        fixtures::link(plan, "b", "s", 64);
        const std::vector<Problem> joined = problemsOf(plan);
        QVERIFY(!find(joined, ProblemCode::Disconnected));
        QVERIFY(!labels(find(joined, ProblemCode::RanksLeaveIdle)).isEmpty());
    }

    /// Of a network in many parts a few are joined at a time, each in one edit.
    void aFewOfManyPartsAreJoined()
    {
        Plan plan = apart(std::vector(6, SwitchTier::Leaf));
        QCOMPARE(edits(plan, ProblemCause::PartApart).size(), 3);
        for (int round = 0; round < 5; ++round) {
            const std::vector<Problem> left = problemsOf(plan);
            const Problem* split = find(left, ProblemCode::Disconnected);
            QVERIFY(split && !split->remedies.empty());
            plan = mended(plan, split->remedies.front());
        }
        QVERIFY(!find(problemsOf(plan), ProblemCode::Disconnected));
    }

    /// Core switches beside core switches, which no edit joins, are no reason to leave out those that can be, but for
    /// more than anybody waits for.
    void partsThatCanBeJoinedAreFound()
    {
        std::vector tiers(5, SwitchTier::Core);
        tiers.push_back(SwitchTier::Leaf);
        QCOMPARE(edits(apart(tiers), ProblemCause::PartApart), QStringList{"Link “switch5” to “switch0”"});
        tiers.insert(tiers.begin(), 12, SwitchTier::Core);
        QCOMPARE(edits(apart(tiers), ProblemCause::PartApart), QStringList());
    }

    /// One of 64 nodes is dead: the replicas that are left share a batch next to the plan's, and few accelerators idle.
    void aDeadNodeCostsOneReplica()
    {
        Plan plan = example("llama-70b-512-h100");
        QVERIFY(plan.strategy.vpp > 1);
        plan.cluster.nodes.front().count = 63;
        const std::vector<Problem> errors = problemsOf(plan);
        QVERIFY2(labels(find(errors, ProblemCode::RanksExceedCluster)).contains("Use DP 15, a batch of 1,020"),
            qPrintable(labels(find(errors, ProblemCode::RanksExceedCluster)).join("; ")));
        plan.strategy.dp = 8; // half of them idle: more in use is better, if not all
        const std::vector<Problem> idle = problemsOf(plan);
        QVERIFY(!hasErrors(idle));
        const Problem* told = find(idle, ProblemCode::RanksLeaveIdle);
        QVERIFY(told && !told->remedies.empty());
        for (const Remedy& remedy : told->remedies)
            QVERIFY(rankCount(remedy.strategy) > 256 && rankCount(remedy.strategy) < 504 && remedy.gain->slower < -0.2);
    }

    /// A batch far from the plan's is no edit of its replicas, and none is faster for having fewer sequences.
    void smallBatchesAreNoGain()
    {
        Plan plan = example("llama-70b-512-h100");
        plan.strategy.vpp = 1;
        plan.strategy.schedule = Schedule::OneFOneB;
        plan.strategy.dp = 15;
        for (const int batch : {15, 30, 1020}) {
            plan.training.globalBatch = batch;
            const auto now = estimate(plan, {.range = false});
            QVERIFY(now);
            const std::vector<Remedy>& offered = find(now->problems, ProblemCode::RanksLeaveIdle)->remedies;
            QVERIFY(batch < 1020 || !offered.empty());
            for (const Remedy& remedy : offered) {
                const int then = mended(plan, remedy).training.globalBatch;
                QVERIFY2(std::abs(then - batch) <= 0.1 * batch, describe(remedy).c_str());
                QVERIFY2(remedy.gain->perToken.value_or(remedy.gain->slower) < 0, describe(remedy).c_str());
                QVERIFY2(QString::fromStdString(describe(remedy)).contains("time per token −")
                        == remedy.globalBatch.has_value(),
                    describe(remedy).c_str());
            }
        }
        plan.cluster.nodes.front().count = 63;
        plan.strategy.dp = 16;
        plan.training.globalBatch = 52; // of 15 replicas 45 or 60
        const std::vector<Problem> errors = problemsOf(plan);
        QVERIFY(!labels(find(errors, ProblemCode::RanksExceedCluster)).isEmpty());
        QVERIFY(labels(find(errors, ProblemCode::RanksExceedCluster)).filter("a batch of ").isEmpty());
    }

    /// Depths that the chunks of virtual stages do not divide are offered without them.
    void depthsAreOfferedWithoutVirtualStages()
    {
        Plan plan = example("llama-70b-512-h100");
        plan.cluster.nodes.front().count = 12;
        plan.training.globalBatch = 1002;
        plan.strategy.dp = 2;
        plan.strategy.pp = 8;
        plan.strategy.vpp = 5;
        const std::vector<Problem> errors = problemsOf(plan);
        const QStringList offered = labels(find(errors, ProblemCode::RanksExceedCluster));
        QVERIFY2(!offered.filter("no virtual stages").isEmpty(), qPrintable(offered.join("; ")));
        for (const Remedy& remedy : find(errors, ProblemCode::RanksExceedCluster)->remedies)
            QVERIFY(!hasErrors(problemsOf(mended(plan, remedy))));
    }

    /// Interleaved stages divide micro-batches again: what is named and offered are batches that both divide.
    void interleavedBatchesAreNamedWhole()
    {
        Plan plan = example("llama-70b-512-h100");
        plan.training.globalBatch = 1000;
        const std::vector<Problem> errors = problemsOf(plan);
        const Problem* odd = find(errors, ProblemCode::BatchNotDivisible);
        QVERIFY(odd);
        QVERIFY(describe(*odd).ends_with("64 in all: use a batch of 960 or 1,024, or degrees that divide it."));
        QCOMPARE(labels(odd).filter("Use a batch of ").size(), 2);
        for (const Remedy& remedy : odd->remedies)
            QVERIFY(!hasErrors(problemsOf(mended(plan, remedy))));
    }

    /// 126 layers over 16 stages: 14 or 18 would divide them, which no cluster of whole nodes does, 2 run out of
    /// memory.
    void divisionsThatDoNotFitAreNotOffered()
    {
        Plan plan = example("llama3-405b-16384-h100");
        plan.strategy = {.tp = 8, .pp = 16, .dp = 128, .zeroStage = 1, .sequenceParallel = true};
        plan.training.globalBatch = 2048;
        plan.training.sequenceLength = 8192;
        plan.strategy.recompute = Recompute::Full;
        plan.strategy.cp = 1;
        const auto now = estimate(plan);
        QVERIFY(now && now->fits);
        const Problem* uneven = find(now->problems, ProblemCode::LayersNotDivisible);
        QVERIFY(uneven);
        QStringList ofRules;
        for (const Problem& problem : check(plan))
            if (problem.code == uneven->code)
                ofRules = labels(&problem);
        QVERIFY2(ofRules.contains("Use PP 2, DP 1,024") || ofRules.contains("Use PP 2, DP 1024"),
            qPrintable(ofRules.join("; ")));
        for (const Remedy& remedy : uneven->remedies)
            verifyBrings(plan, *now, *uneven, remedy);
        for (const QString& label : labels(uneven))
            QVERIFY2(!label.startsWith("Use PP 2,"), qPrintable(label));
    }

    /// Where nothing fits, the nearest edits are better than none, and say what they lack.
    void whatCannotFitSaysSo()
    {
        Plan plan = fixtures::gpt3();
        plan.cluster = fixtures::cluster(1);
        plan.training.globalBatch = 8;
        plan.strategy = {.tp = 8, .pp = 2, .dp = 1};
        const std::vector<Problem> problems = problemsOf(plan);
        QVERIFY(hasErrors(problems));
        const Problem* tooMany = find(problems, ProblemCode::RanksExceedCluster);
        QVERIFY(tooMany && !tooMany->remedies.empty());
        for (const Remedy& remedy : tooMany->remedies)
            QVERIFY(remedy.lacksMemory);
        QVERIFY2(labels(tooMany).front().endsWith("(does not fit)"), qPrintable(labels(tooMany).front()));
    }

    void offeredAsPriced()
    {
        std::mt19937 random(19);
        int ofEstimates = 0, ofErrors = 0, beyond = 0;
        const std::vector<Plan> plans{fixtures::gpt3(), example("llama-70b-512-h100")};
        for (int i = 0; i < stratoplan::test::fewerSanitized(600); ++i) {
            const Plan plan = disturbed(plans[std::size_t(i) % plans.size()], random);
            const auto now = estimate(plan, {.range = false});
            for (const Problem& problem : now ? now->problems : now.error()) {
                verifyOrder(plan, problem);
                if (problem.code == ProblemCode::OutOfMemory)
                    continue;
                QVERIFY(now || problem.severity == Severity::Error || problem.remedies.empty());
                for (const Remedy& remedy : problem.remedies) {
                    if (now)
                        verifyBrings(plan, *now, problem, remedy);
                    else
                        verifyMends(plan, problem, remedy);
                    if (QTest::currentTestFailed())
                        return;
                    ++(now ? ofEstimates : remedy.lacksMemory ? beyond : ofErrors);
                }
            }
        }
        QVERIFY2(!stratoplan::test::drawsRareOnes() || (ofEstimates > 5 && ofErrors > 5 && beyond > 5),
            qPrintable(QString("%1 %2 %3").arg(ofEstimates).arg(ofErrors).arg(beyond)));
    }
};

STRATOPLAN_TEST(TestRuleRemedies)
#include "test_rule_remedies.moc"
