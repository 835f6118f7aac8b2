// SPDX-License-Identifier: GPL-3.0-or-later
// States, traffic and FLOPs of each optimizer against what its paper says, and in a plan's memory and step.
#include "core/catalog/catalog.h"
#include "core/cost/host_memory.h"
#include "core/cost/machine.h"
#include "core/cost/memory.h"
#include "core/estimate/estimate.h"
#include "tests/core/fixtures.h"
#include "tests/registry.h"

#include <QTest>

using namespace stratoplan::catalog;
using namespace stratoplan::cost;
using namespace stratoplan::estimate;
using namespace stratoplan::parallel;
using namespace stratoplan::plan;
using namespace stratoplan::units;

namespace workload = stratoplan::workload;

namespace {

double stateOf(Optimizer optimizer, Updated updated = Updated::Layers, double withAdam = 12)
{
    return optimizerState(optimizer, withAdam, updated).total();
}

/// Of GPT-3 on one stage, ZeRO-0.
Plan planWith(Optimizer optimizer)
{
    Plan plan = fixtures::small();
    plan.training.optimizer = optimizer;
    return plan;
}

StageBytes bytesOf(const Plan& plan)
{
    return stageBytes(plan, workload::lower(plan), 0);
}

} // namespace

class TestOptimizer : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// Moments of one byte stay so in a stack that keeps Adam's in two.
    void narrowMomentsAreNotNarrowedTwice()
    {
        const OptimizerState wide = optimizerState(Optimizer::Adam8Bit, 12, Updated::Layers);
        const OptimizerState narrow = optimizerState(Optimizer::Adam8Bit, 8, Updated::Layers);
        QCOMPARE(narrow.first, wide.first);
        QCOMPARE(narrow.second, wide.second);
        QCOMPARE(optimizerState(Optimizer::Adam, 8, Updated::Layers).first, 2.0);
    }

    void everyOneHasAKey()
    {
        for (const Optimizer optimizer : kOptimizers) {
            QCOMPARE(optimizerFromKey(key(optimizer)), std::optional(optimizer));
            QVERIFY(!title(optimizer).empty());
        }
        QVERIFY(!optimizerFromKey("lion"));
    }

    /// Bytes a parameter: 12 of Adam (arXiv 1910.02054), 6 and the scales of 8-bit Adam (2110.02861), the master weight
    /// alone of Adafactor, one momentum of Muon and SGD.
    void states()
    {
        QCOMPARE(stateOf(Optimizer::Adam), 12.0);
        QCOMPARE(stateOf(Optimizer::Adam8Bit), 6.03125);
        QCOMPARE(stateOf(Optimizer::Adafactor), 4.0);
        QCOMPARE(stateOf(Optimizer::Muon), 8.0);
        QCOMPARE(stateOf(Optimizer::Muon, Updated::Tables), 12.0);
        QCOMPARE(stateOf(Optimizer::Sgd), 8.0);
        // A stack that keeps four bytes more keeps them whatever the optimizer; one with 16-bit moments halves them.
        QCOMPARE(stateOf(Optimizer::Sgd, Updated::Layers, 16), 12.0);
        QCOMPARE(stateOf(Optimizer::Adam, Updated::Layers, 8), 8.0);
        QCOMPARE(stateOf(Optimizer::Sgd, Updated::Layers, 8), 6.0);
    }

    void traffic()
    {
        QCOMPARE(optimizerTraffic(Optimizer::Adam, 30, Updated::Layers), 30.0);
        QCOMPARE(optimizerTraffic(Optimizer::Adam, 41.7, Updated::Tables), 41.7);
        QCOMPARE(optimizerTraffic(Optimizer::Sgd, 30, Updated::Layers), 22.0);
        QCOMPARE(optimizerTraffic(Optimizer::Muon, 30, Updated::Tables), 30.0);
        QCOMPARE(optimizerTraffic(Optimizer::Adafactor, 30, Updated::Layers), 22.0);
        QVERIFY(optimizerTraffic(Optimizer::Adam8Bit, 30, Updated::Layers) < 19);
    }

    /// Of a square matrix 30 n³; the sides may change places.
    void newtonSchulz()
    {
        QCOMPARE(orthogonalisation(100, 100).value(), 30e6);
        QCOMPARE(orthogonalisation(100, 400).value(), orthogonalisation(400, 100).value());
        QCOMPARE(orthogonalisation(100, 400).value(), 5 * (4 * 1e4 * 400 + 2e6));
    }

    /// What the ledger holds, moment by moment.
    void memory()
    {
        const Plan adam = planWith(Optimizer::Adam);
        const workload::StageLayout stage = workload::lower(adam).stages[0];
        const double parameters = stage.parameters, tables = stage.tables();
        QVERIFY(tables > 0.05 * parameters && tables < 0.5 * parameters);
        QCOMPARE(bytesOf(adam).optimizer.value(), 12 * parameters);
        QCOMPARE(bytesOf(planWith(Optimizer::Sgd)).optimizer.value(), 8 * parameters);
        QCOMPARE(bytesOf(planWith(Optimizer::Adafactor)).optimizer.value(), 4 * parameters);
        QVERIFY(fixtures::near(bytesOf(planWith(Optimizer::Muon)).optimizer.value(), 8 * parameters + 4 * tables));
        QVERIFY(fixtures::near(bytesOf(planWith(Optimizer::Adam8Bit)).optimizer.value(), 6.03125 * parameters));
        Plan away = planWith(Optimizer::Muon);
        away.strategy.offload = Offload::Optimizer;
        QCOMPARE(bytesOf(away).optimizer.value(), 0.0);
        const workload::Workload work = workload::lower(away);
        QVERIFY(fixtures::near(hostBytes(away, work, work.stages[0]).step.value(), 8 * parameters + 4 * tables));
    }

    /// Twelve h² of a GPT layer in four matrices: h x 3h, h x h, h x 4h, 4h x h; each orthogonalised by every replica,
    /// or by the one that has it.
    void muonComputes()
    {
        Plan plan = planWith(Optimizer::Muon);
        const double h = plan.model.hidden;
        const double layer = 5 * h * h * h * ((4 * 3 + 2) + (4 + 2) + 2 * (4 * 4 + 2));
        const workload::StageLayout stage = workload::lower(plan).stages[0];
        QVERIFY(fixtures::near(stage.orthogonalisation.shared.value(), plan.model.layers * layer));
        QVERIFY(fixtures::near(stage.orthogonalisation.largest.value(), 5 * h * h * h * (4 * 4 + 2)));
        const Machine m = machine(plan, shippedCatalog());
        const auto seconds = [&](const Plan& p, double shards) {
            return optimizerSeconds(p, m, updatedShare(stage, shards, shards)).value();
        };
        const double traffic = stage.parameters * 22 + stage.tables() * 8;
        QVERIFY(fixtures::near(seconds(plan, 1),
            traffic / m.memory.value() + stage.orthogonalisation.shared.value() / m.matmul.value()
                + plan.training.software.optimizerFixed.value()));
        QVERIFY(seconds(plan, 8) < seconds(plan, 1));
        // Tensor parallelism cuts matrices, and a rank orthogonalises its part: h x 3/4 h, h/4 x h, and twice h x h.
        plan.strategy.tp = 4;
        plan.strategy.dp = 2;
        const double part = 5 * h * h * h * ((2.25 + 2 * 0.421875) + (0.25 + 2.0 / 64) + 2 * 6);
        QVERIFY(
            fixtures::near(workload::lower(plan).stages[0].orthogonalisation.shared.value(), plan.model.layers * part));
    }

    /// With ever more shards than matrices, a rank still orthogonalises a whole one.
    void muonKeepsMatricesWhole()
    {
        const auto optimizerOf = [](int nodes) {
            Plan plan = planWith(Optimizer::Muon);
            plan.cluster.nodes[0].count = nodes;
            plan.strategy.dp = 4 * nodes;
            plan.strategy.zeroStage = 1;
            plan.training.globalBatch = 4 * nodes;
            plan.training.software.optimizerFixed = Seconds(0);
            plan.training.software.scaleJitter = 0;
            const auto answer = estimate(plan, {.range = false});
            return answer ? answer->breakdown.optimizer.value() : -1;
        };
        Plan plan = planWith(Optimizer::Muon);
        const double h = plan.model.hidden;
        const double whole = 5 * h * h * h * (4 * 4 + 2) / machine(plan, shippedCatalog()).matmul.value();
        QVERIFY(optimizerOf(64) > whole);
        QVERIFY(optimizerOf(1024) > whole && optimizerOf(1024) < 1.5 * whole);
    }

    /// Less state, less memory and a step that is no longer, but for what Muon computes.
    void plansDiffer()
    {
        const auto estimated = [](Optimizer optimizer) { return *estimate(planWith(optimizer)); };
        const auto adam = estimated(Optimizer::Adam);
        for (const Optimizer optimizer : {Optimizer::Adam8Bit, Optimizer::Adafactor, Optimizer::Sgd}) {
            const auto other = estimated(optimizer);
            QVERIFY(other.memory.peak < adam.memory.peak);
            QVERIFY(other.breakdown.optimizer < adam.breakdown.optimizer);
        }
        const auto muon = estimated(Optimizer::Muon);
        QVERIFY(muon.memory.peak < adam.memory.peak);
        QVERIFY(muon.breakdown.optimizer > adam.breakdown.optimizer);
        // No optimizer but Adam was measured.
        const auto width = [](Optimizer optimizer) {
            Plan plan = planWith(optimizer);
            plan.training.software = *shippedCatalog().softwareProfile("megatron-core-2024");
            const auto answer = estimate(plan);
            return answer->stepHigh / answer->stepLow;
        };
        QVERIFY(width(Optimizer::Sgd) > 1.02 * width(Optimizer::Adam));
    }
};

STRATOPLAN_TEST(TestOptimizer)
#include "test_optimizer.moc"
