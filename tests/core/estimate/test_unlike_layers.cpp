// SPDX-License-Identifier: GPL-3.0-or-later
// What a plan's layers take that are divided unlike each other, beside alike ones.
#include "core/catalog/catalog.h"
#include "core/estimate/unlike_layers.h"
#include "tests/core/fixtures.h"
#include "tests/registry.h"

#include <QTest>
#include <algorithm>
#include <cmath>

using namespace stratoplan;
using namespace stratoplan::estimate;

namespace {

constexpr double kRounding = 1 + 1e-9;

plan::Plan dividedPlan(int tp)
{
    plan::Plan plan = fixtures::small();
    plan.cluster = fixtures::cluster(std::max(2, tp / 4), 4);
    plan.strategy.tp = tp;
    plan.strategy.dp = std::max(1, 8 / tp);
    plan.strategy.microBatch = 8;
    plan.strategy.tensorPartition = parallel::TensorPartition::SpatialTemporal;
    return plan;
}

std::optional<UnlikeLayers> unlikeLayersOf(const plan::Plan& plan)
{
    const cost::Machine machine = cost::machine(plan, catalog::shippedCatalog());
    pricing::PlanProgramme layer(plan, machine);
    return unlikeLayers(plan, machine, layer, {});
}

/// With memory between what the cheapest layers need and the leanest.
plan::Plan withLittleMemory(plan::Plan plan)
{
    const cost::Machine machine = cost::machine(plan, catalog::shippedCatalog());
    pricing::PlanProgramme layer(plan, machine);
    const pricing::Terms terms = pricing::terms(plan, machine, layer.fastest().seconds);
    const partition::ProgrammeGoal goal{terms.memory, partition::kInfinity, true, {}, terms.ofParameter};
    const std::vector<partition::Division> front = layer.programme().solve(goal).best;
    plan.cluster.nodes.front().accelerator.memory =
        Bytes(std::sqrt(peak(goal.memory, front.front()) * peak(goal.memory, front.back())));
    return plan;
}

} // namespace

class TestUnlikeLayers : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void meansAreNoMoreThanWhatIsMoreRestricted()
    {
        for (const int tp : {2, 4, 8}) {
            const UnlikeLayers unlike = unlikeLayersOf(dividedPlan(tp)).value();
            QCOMPARE(unlike.layers, 8);
            QVERIFY(unlike.leastMean > Seconds{} && unlike.leastMean <= unlike.closedMean * kRounding);
            QVERIFY(unlike.openMean > Seconds{} && unlike.openMean <= unlike.closedMean * kRounding);
            QVERIFY(unlike.closedMean <= unlike.alike * kRounding);
            QVERIFY(fixtures::near(unlike.alikeWithin.value().value(), unlike.alike.value())); // there is enough
            QVERIFY(fixtures::near(unlike.boundWithin.value().value(), unlike.leastMean.value()));
        }
    }

    void littleMemoryCostsBothTime()
    {
        for (const int tp : {4, 8}) {
            const UnlikeLayers unlike = unlikeLayersOf(withLittleMemory(dividedPlan(tp))).value();
            QVERIFY(unlike.alikeWithin.value() > unlike.alike);
            QVERIFY(unlike.boundWithin.value() > unlike.leastMean);
            QVERIFY(unlike.boundWithin.value() <= unlike.alikeWithin.value() * kRounding);
        }
        plan::Plan none = dividedPlan(4);
        none.cluster.nodes.front().accelerator.memory = Bytes(1);
        const UnlikeLayers unlike = unlikeLayersOf(none).value();
        QVERIFY(!unlike.alikeWithin && !unlike.boundWithin);
        QVERIFY(unlike.leastMean > Seconds{});
    }

    /// Between any two things that it tells of.
    void itMayBeStopped()
    {
        const plan::Plan plan = withLittleMemory(dividedPlan(4));
        const cost::Machine machine = cost::machine(plan, catalog::shippedCatalog());
        pricing::PlanProgramme layer(plan, machine);
        std::vector<double> shares;
        QVERIFY(unlikeLayers(plan, machine, layer, {}, [&](double share) { shares.push_back(share); }));
        QVERIFY(shares.size() > 3);
        QVERIFY(std::ranges::is_sorted(shares));
        QVERIFY(shares.front() > 0 && shares.back() < 1);
        for (std::size_t last = 0; last <= shares.size(); ++last) {
            std::stop_source source;
            std::size_t count = 0;
            const auto stopAtLast = [&](double) {
                if (++count == last)
                    source.request_stop();
            };
            if (last == 0)
                source.request_stop();
            QVERIFY(!unlikeLayers(plan, machine, layer, source.get_token(), stopAtLast));
            QCOMPARE(count, last);
        }
    }

    void largeGroupsAreLeftOut() { QVERIFY(!unlikeLayersOf(dividedPlan(64))); }
};

STRATOPLAN_TEST(TestUnlikeLayers)
#include "test_unlike_layers.moc"
