// SPDX-License-Identifier: GPL-3.0-or-later
// What a step becomes where something of the cluster fails or is faster; and what slider tracks warn of.
#include "app/session/strategy_zones.h"
#include "app/session/what_ifs.h"
#include "tests/app/gui_test.h"
#include "tests/core/fixtures.h"

#include <QSignalSpy>

using namespace stratoplan;
using namespace stratoplan::session;
using cluster::ElementChange;

namespace {

plan::Plan drawn()
{
    plan::Plan plan = fixtures::gpt3();
    const cluster::Link& nic = plan.cluster.nodes[0].nic;
    plan.cluster.switches = {
        {"leaf", "Leaf", cluster::SwitchTier::Leaf, 256, 8}, {"spine", "Spine", cluster::SwitchTier::Spine, 256, 4}};
    plan.cluster.connections = {{"nodes", "leaf", nic, 1024}, {"leaf", "spine", nic, 1024}};
    return plan;
}

std::vector<cluster::ChangedCluster> allChanges(const cluster::Cluster& cluster)
{
    std::vector<cluster::ChangedCluster> all;
    const auto add = [&](std::vector<cluster::ChangedCluster> changes) {
        std::ranges::move(changes, std::back_inserter(all));
    };
    for (const cluster::NodeGroup& nodes : cluster.nodes)
        add(changesOfElement(cluster, nodes.id));
    for (const cluster::SwitchGroup& switches : cluster.switches)
        add(changesOfElement(cluster, switches.id));
    for (std::size_t i = 0; i < cluster.connections.size(); ++i)
        add(changesOfConnection(cluster, i));
    return all;
}

} // namespace

class TestWhatIfs : public test::GuiTest {
    Q_OBJECT

private Q_SLOTS:
    /// Waits on unlike nodes follow from the strategy, links do not.
    void tracksWarnOfWaitsAndNotOfLinks()
    {
        plan::Plan plan = test::exampleDocument().project.plan;
        stratoplan::cluster::NodeGroup slow = plan.cluster.nodes.front();
        slow.id = slow.name = "slow";
        slow.count = std::max(1, plan.cluster.nodes.front().count / 2);
        plan.cluster.nodes.front().count -= slow.count;
        plan.cluster.switches.clear();
        plan.cluster.connections.clear();
        for (const auto precision : model::kPrecisions)
            slow.accelerator.peak[precision] *= 0.5;
        const auto warned = [](const plan::Plan& of, const char* words) {
            int stops = 0;
            for (const auto& [field, all] : strategyZones(of))
                for (const widgets::SliderStop& stop : all)
                    stops += stop.reason.contains(QLatin1String(words));
            return stops;
        };
        QCOMPARE(warned(plan, "unlike nodes"), 0);
        plan::Plan unlike = plan;
        unlike.cluster.nodes.push_back(slow);
        QVERIFY(warned(unlike, "unlike nodes") > 0);
        const stratoplan::cluster::Link* other = catalog::shippedCatalog().link("neuronlink2");
        for (stratoplan::cluster::NodeGroup& nodes : plan.cluster.nodes)
            nodes.scaleUp = *other;
        QCOMPARE(warned(plan, "No node of the catalogue"), 0);
    }

    /// The same ranks on less are no faster, and on more no slower.
    void theSameStrategyIsAsGoodAsItsCluster()
    {
        for (const plan::Plan& plan : {drawn(), fixtures::gpt3(), fixtures::small()}) {
            const auto changes = allChanges(plan.cluster);
            const std::vector<WhatIf> answers = whatIfs(plan, changes);
            QCOMPARE(answers.size(), changes.size());
            int same = 0;
            for (const WhatIf& answer : answers) {
                QVERIFY(answer.step > Seconds{});
                if (answer.plan.strategy != plan.strategy)
                    continue;
                QCOMPARE(answer.plan.training.globalBatch, plan.training.globalBatch);
                ++same;
                const bool faster =
                    answer.change == ElementChange::TwiceScaleUp || answer.change == ElementChange::TwiceNetwork;
                QVERIFY(faster ? answer.longer <= 1e-12 : answer.longer >= -1e-12);
            }
            QVERIFY(same >= 3);
        }
    }

    /// What the plan leaves open, as its partition in space and time, is found for the changed cluster.
    void anAnswerIsWhatTryingItGives()
    {
        const auto settled = [](const plan::Plan& p) {
            const auto answer = estimate::estimate(p, {.remedies = false, .range = false});
            return answer ? answer->settled.operatorPartitions : std::vector<parallel::OperatorPartition>{};
        };
        bool isDividedOtherwise = false; // by links of twice the rate
        for (const double rate : {0.1, 0.2, 0.4, 0.8}) {
            plan::Plan plan = drawn();
            plan.strategy.vpp = 1;
            plan.strategy.schedule = parallel::Schedule::OneFOneB;
            plan.strategy.microBatch = 4;
            plan.strategy.sequenceParallel = false;
            plan.strategy.recompute = parallel::Recompute::None;
            plan.strategy.tensorPartition = parallel::TensorPartition::SpatialTemporal;
            plan.cluster.nodes.front().scaleUp.bandwidth *= rate;
            for (const WhatIf& answer : whatIfs(plan, allChanges(plan.cluster))) {
                const auto tried = estimate::estimate(answer.plan, {.remedies = false, .range = false});
                QVERIFY(tried && answer.plan.strategy.operatorPartitions.empty());
                QCOMPARE(answer.step, tried->step);
                isDividedOtherwise = isDividedOtherwise || settled(answer.plan) != settled(plan);
            }
        }
        QVERIFY(isDividedOtherwise);
    }

    /// Without a node the replicas are fewer: each does more.
    void aNodeLeavesFewerReplicas()
    {
        const plan::Plan plan = fixtures::gpt3();
        const auto answers = whatIfs(plan, changesOfElement(plan.cluster, "nodes"));
        const auto fails = std::ranges::find(answers, ElementChange::NodeFails, &WhatIf::change);
        QVERIFY(fails != answers.end());
        QVERIFY(!hasErrors(check(fails->plan)));
        QCOMPARE(fails->plan.cluster.nodes[0].count, 127);
        QVERIFY(rankCount(fails->plan.strategy) <= 127 * 8);
        QCOMPARE(fails->idle, 127 * 8 - rankCount(fails->plan.strategy));
        // 15 replicas do not divide 1,536 sequences; in multiples of 8 stages they divide 1,440.
        QCOMPARE(fails->plan.strategy.dp, 15);
        QCOMPARE(fails->plan.training.globalBatch, 1440);
        QVERIFY(fails->longer > 1 / 16.0 && fails->longer < 0.1);
        const auto alone = estimate::estimate(fails->plan);
        QVERIFY(alone);
        QCOMPARE(alone->step, fails->step);
    }

    /// Replicas on unlike nodes that share the batch out by their speed do so when they are fewer, too.
    void anUnevenBatchIsDividedAnew()
    {
        plan::Plan plan = fixtures::small();
        plan.cluster = fixtures::cluster(2, 4);
        plan.cluster.nodes.push_back(plan.cluster.nodes[0]);
        plan.cluster.nodes[0].accelerator.peak[plan.training.precision] *= 2.0;
        plan.cluster.nodes[0].accelerator.memoryBandwidth *= 2.0;
        plan.cluster.nodes[1].id = "slow";
        plan.strategy = {};
        plan.strategy.tp = 4;
        plan.strategy.dp = 4;
        plan.strategy.replicaMicroBatches = {20, 20, 12, 12};
        for (const char* failing : {"nodes", "slow"}) {
            const auto answers = whatIfs(plan, changesOfElement(plan.cluster, failing));
            const auto fails = std::ranges::find(answers, ElementChange::NodeFails, &WhatIf::change);
            QVERIFY(fails != answers.end());
            QVERIFY(!hasErrors(check(fails->plan)));
            QCOMPARE(fails->plan.strategy.dp, 3);
            QCOMPARE(fails->plan.training.globalBatch, 63);
            QCOMPARE(fails->idle, 0);
            const std::vector<int>& batches = fails->plan.strategy.replicaMicroBatches;
            QCOMPARE(batches.size(), std::size_t{3});
            QVERIFY(batches.front() > batches.back());
            plan::Plan even = fails->plan;
            even.strategy.replicaMicroBatches.clear();
            QVERIFY(fails->step < estimate::estimate(even)->step);
        }
    }

    void whatMayNotFitIsKnown()
    {
        plan::Plan plan = fixtures::gpt3();
        const auto roomy = estimate::estimate(plan);
        QVERIFY(roomy && roomy->memory.peakHigh > roomy->memory.peak);
        const auto answer = [&](Bytes memory) {
            plan.cluster.nodes[0].accelerator.memory = memory;
            const auto answers = whatIfs(plan, changesOfElement(plan.cluster, "nodes"));
            const auto faster = std::ranges::find(answers, ElementChange::TwiceScaleUp, &WhatIf::change);
            return faster == answers.end() ? WhatIf{} : *faster;
        };
        const WhatIf fits = answer(roomy->memory.peakHigh * 1.01), may = answer(roomy->memory.peak * 1.001);
        const WhatIf never = answer(roomy->memory.peak * 0.99);
        QVERIFY(fits.fits && !fits.mayNotFit);
        QVERIFY(may.fits && may.mayNotFit);
        QVERIFY(!never.fits && !never.mayNotFit);
    }

    /// Not what was apart before.
    void whatCablesNoLongerJoinIsApart()
    {
        plan::Plan plan = drawn();
        const cluster::Link nic = plan.cluster.nodes[0].nic;
        plan.cluster.switches[1].ports *= 2;
        for (const char* id : {"spare", "far"}) {
            plan.cluster.nodes.push_back(plan.cluster.nodes[0]);
            plan.cluster.nodes.back().id = id;
            plan.cluster.nodes.back().count = 1;
            const std::string leaf = std::string(id) + " leaf";
            plan.cluster.switches.push_back({leaf, "Leaf", cluster::SwitchTier::Leaf, 64, 1});
            plan.cluster.connections.push_back({id, leaf, nic, 8});
            plan.cluster.connections.push_back({leaf, "spine", nic, 1});
        }
        plan.cluster.connections.back().cables = 0;
        const auto apart = [&](std::size_t connection) {
            const auto answers = whatIfs(plan, changesOfConnection(plan.cluster, connection));
            return answers.empty() ? std::vector<std::string>{"?"} : answers.front().apart;
        };
        QCOMPARE(apart(3), std::vector<std::string>{"spare"});
        QCOMPARE(apart(1), std::vector<std::string>{});
    }

    void nothingIsSaidOfWhatCannotBePriced()
    {
        plan::Plan plan = fixtures::gpt3();
        plan.strategy.tp = 7;
        QVERIFY(whatIfs(plan, allChanges(plan.cluster)).empty());
        std::stop_source stopped;
        stopped.request_stop();
        QVERIFY(whatIfs(fixtures::gpt3(), allChanges(fixtures::gpt3().cluster), stopped.get_token()).empty());
    }

    void theNewestQuestionIsAnswered()
    {
        WhatIfWorker worker;
        QSignalSpy answered(&worker, &WhatIfWorker::answered);
        for (const plan::Plan& plan : {drawn(), fixtures::gpt3(), fixtures::small()})
            worker.ask(plan, changesOfElement(plan.cluster, "nodes"));
        QVERIFY(answered.wait(test::kPatience));
        const auto answers = answered.takeFirst().at(0).value<WhatIfsPointer>();
        QCOMPARE(*answers, whatIfs(fixtures::small(), changesOfElement(fixtures::small().cluster, "nodes")));
        worker.ask(drawn(), allChanges(drawn().cluster));
        worker.forget();
        QVERIFY(!answered.wait(200));
    }
};

QTEST_GUILESS_MAIN(TestWhatIfs)
#include "test_what_ifs.moc"
