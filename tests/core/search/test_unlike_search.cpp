// SPDX-License-Identifier: GPL-3.0-or-later
// Searches of clusters of unlike nodes: what is left out against pricing everything, and everything against strategies
// priced one by one.
#include "core/estimate/estimate.h"
#include "core/pricing/priced_stages.h"
#include "core/pricing/unlike_prices.h"
#include "core/search/cloud.h"
#include "core/search/found_plan.h"
#include "core/search/sample.h"
#include "core/space/leaf_order.h"
#include "core/space/membership.h"
#include "core/space/not_varied.h"
#include "tests/core/random_count.h"
#include "tests/core/search/drawn_spaces.h"
#include "tests/registry.h"

#include <QTest>

#include <algorithm>
#include <functional>
#include <numeric>
#include <span>

using namespace stratoplan::catalog;
using namespace stratoplan::cluster;
using namespace stratoplan::parallel;
using namespace stratoplan::plan;
using namespace stratoplan::pricing;
using namespace stratoplan::search;
using namespace stratoplan::space;
using namespace stratoplan::units;
using namespace stratoplan::searchtest;
using namespace stratoplan::test;

namespace {

/// Some of its nodes become slower, or faster, with other memory and links.
bool makeUnlike(Plan& plan, RandomPlans& random)
{
    NodeGroup& first = plan.cluster.nodes.front();
    if (first.count < 2)
        return false;
    NodeGroup other = first;
    other.id = "others";
    other.count = 1 + random.number(first.count - 1);
    first.count -= other.count;
    const double rate = random.real(0.3, 3);
    for (const auto precision : stratoplan::model::kPrecisions)
        other.accelerator.peak[precision] *= rate;
    other.accelerator.memoryBandwidth *= random.real(0.5, 2);
    other.accelerator.memory *= random.real(0.4, 2);
    other.accelerator.name = "other accelerator";
    other.nic.bandwidth *= random.real(0.2, 3);
    other.hostMemory *= random.real(0.5, 2);
    for (std::size_t i = 0, all = plan.cluster.connections.size(); i < all; ++i)
        if (Connection& c = plan.cluster.connections[i]; c.from == first.id) {
            Connection more = c;
            more.from = other.id;
            more.cables = c.cables * other.count / (first.count + other.count);
            c.cables -= more.cables;
            plan.cluster.connections.push_back(more);
        }
    plan.cluster.nodes.insert(plan.cluster.nodes.begin() + random.number(2), other);
    plan.strategy = {};
    return !hasErrors(check(plan, {.remedies = false}));
}

Drawn drawUnlike(RandomPlans& random, std::int64_t most)
{
    for (;;) {
        Drawn drawn = draw(random, most);
        if (makeUnlike(drawn.plan, random)
            && SpaceTree(drawn.plan, drawn.space, topology(drawn.plan.cluster)).leaves() > 0)
            return drawn;
    }
}

SearchOptions optionsOf(RandomPlans& random, const Plan& plan)
{
    SearchOptions options;
    options.mode = random.oneIn(3) ? SearchMode::Simulated : SearchMode::ClosedForm;
    options.keep = random.oneIn(2) ? FrontKind::Best : FrontKind::Whole;
    options.headroom = random.oneIn(3) ? 0.1 : 0;
    if (random.oneIn(4))
        options.objective = Objective::TokensPerCost;
    else if (random.oneIn(4))
        options.objective = Objective::SmallestCluster;
    (void)plan;
    return options;
}

} // namespace

class TestUnlikeSearch : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void prunedIsExhaustive()
    {
        RandomPlans random(77);
        int proven = 0, empty = 0, split = 0, uneven = 0;
        std::int64_t left = 0, all = 0;
        for (int round = 0; round < fewerSanitized(160); ++round) {
            const Drawn drawn = drawUnlike(random, 3000);
            const SearchOptions options = optionsOf(random, drawn.plan);
            const SearchResult pruned = searched(drawn.plan, drawn.space, options);
            const SearchResult whole = searched(drawn.plan, drawn.space, options, true);
            QVERIFY(pruned.proven && whole.proven);
            QCOMPARE(pruned.best.has_value(), whole.best.has_value());
            QVERIFY2(pruned.front == whole.front, qPrintable(QString::number(round)));
            QCOMPARE(std::accumulate(pruned.pruned.begin(), pruned.pruned.end(), pruned.evaluated), pruned.space);
            QCOMPARE(whole.evaluated, whole.space);
            left += pruned.evaluated;
            all += whole.evaluated;
            ++proven;
            if (!pruned.best) {
                ++empty;
                continue;
            }
            split += !pruned.best->strategy.stageLayers.empty();
            uneven += std::ranges::any_of(
                pruned.front, [](const FoundStrategy& found) { return !found.strategy.replicaMicroBatches.empty(); });
        }
        QVERIFY2(empty < proven / 2 && left < all / 4,
            qPrintable(QStringLiteral("%1 empty of %2, %3 of %4 priced").arg(empty).arg(proven).arg(left).arg(all)));
        QVERIFY2(!drawsRareOnes() || split > 10, qPrintable(QString::number(split)));
        QVERIFY2(!drawsRareOnes() || uneven > 10, qPrintable(QString::number(uneven)));
    }

    /// Strategies that leave nodes of another domain idle are priced, and bounded, without these.
    void nodesThatStayIdleAreNotWaitedFor()
    {
        RandomPlans random(79);
        int idle = 0;
        for (int round = 0; round < fewerSanitized(80); ++round) {
            Drawn drawn = drawUnlike(random, 1500);
            NodeGroup& last = drawn.plan.cluster.nodes.back();
            last.scaleUpDomain = 1;
            last.inNode.reset();
            last.torus.reset();
            drawn.plan.cluster.switches.clear();
            drawn.plan.cluster.connections.clear();
            drawn.plan.training.software.scaleJitter = 0.05;
            drawn.space.leaveIdle = true;
            if (hasErrors(check(drawn.plan, {.remedies = false}))
                || SpaceTree(drawn.plan, drawn.space, topology(drawn.plan.cluster)).leaves() > 6000)
                continue;
            SearchOptions options = optionsOf(random, drawn.plan);
            options.mode = SearchMode::Simulated;
            const SearchResult pruned = searched(drawn.plan, drawn.space, options);
            const SearchResult whole = searched(drawn.plan, drawn.space, options, true);
            QVERIFY2(pruned.front == whole.front, qPrintable(QString::number(round)));
            for (const FoundStrategy& found : whole.front) {
                Plan plan = planWith(drawn.plan, found);
                const std::size_t groups = plan.cluster.nodes.size();
                plan.cluster = nodesOfRanks(plan.cluster, rankCount(found.strategy));
                if (plan.cluster.nodes.size() == groups)
                    continue;
                const auto alone = stratoplan::estimate::estimate(plan, {.remedies = false, .range = false});
                QVERIFY(alone);
                QCOMPARE(alone->step.value(), found.step.value());
                ++idle;
            }
        }
        QVERIFY2(!drawsRareOnes() || idle > 10, qPrintable(QString::number(idle)));
    }

    /// A ZB-auto whose stages on the large accelerators would have no room for a micro-batch on the small ones.
    void openLimitsAreThoseOfTheirNodes()
    {
        Plan plan = fixtures::small();
        plan.model = fixtures::gpt(8, 2048, 16, 51200, 1024);
        plan.model.tiedEmbeddings = false;
        plan.cluster = fixtures::cluster(2, 2);
        plan.cluster.nodes.front().count = 1;
        plan.cluster.nodes.push_back(plan.cluster.nodes.front());
        plan.cluster.nodes[1].id = "small";
        plan.training.attention = AttentionKernel::Unfused;
        plan.training.globalBatch = 24;
        SearchSpace space = fixtures::megatronSpace();
        space.tp = space.cp = space.dp = IntChoice::just(1);
        space.pp = IntChoice::just(4);
        space.schedules = {Schedule::ZbAuto};
        space.recomputes = {Recompute::None};
        space.zeroStages = {0};
        SearchOptions options;
        options.mode = SearchMode::Simulated;
        int found = 0, tight = 0;
        for (double memory = 4; memory < 60; memory *= 1.15)
            for (const double share : {0.4, 0.6, 0.8}) {
                plan.cluster.nodes[0].accelerator.memory = Bytes(memory * kGiB);
                plan.cluster.nodes[1].accelerator.memory = Bytes(memory * share * kGiB);
                const SearchResult pruned = searched(plan, space, options),
                                   whole = searched(plan, space, options, true);
                QVERIFY2(
                    pruned.front == whole.front, qPrintable(QStringLiteral("%1 GiB, %2 of it").arg(memory).arg(share)));
                found += pruned.best.has_value();
                plan.cluster.nodes[0].accelerator.memory = plan.cluster.nodes[1].accelerator.memory;
                tight += pruned.best && !searched(plan, space, options).best;
            }
        QVERIFY2(found > 5 && tight > 0, qPrintable(QStringLiteral("%1 %2").arg(found).arg(tight)));
    }

    /// What is found is what an estimate says, and the best of all leaves, each priced by itself.
    void theBestIsThatOfAllLeaves()
    {
        RandomPlans random(78);
        for (int round = 0; round < fewerSanitized(60); ++round) {
            const Drawn drawn = drawUnlike(random, 1500);
            SearchOptions options;
            options.mode = SearchMode::Simulated;
            options.keep = FrontKind::Best;
            const SearchResult result = searched(drawn.plan, drawn.space, options);
            double least = INFINITY;
            PricingContext pricing(drawn.plan, shippedCatalog());
            const LeafOrder order(drawn.plan, drawn.space, schedulesOf(options), {});
            order.visit(0, 1, {}, [&](std::int64_t, const LeafOrder::Leaf& leaf) {
                const auto priced = price(pricing, balanced(pricing, leaf.strategy), PipelineTime::Simulated);
                if (priced && priced->fits)
                    least = std::min(least, priced->step.value());
            });
            QCOMPARE(result.best.has_value(), std::isfinite(least));
            if (!result.best)
                continue;
            QCOMPARE(result.best->step.value(), least);
            Plan best = drawn.plan;
            best.strategy = result.best->strategy;
            const auto estimate = stratoplan::estimate::estimate(best, {.remedies = false, .range = false});
            QVERIFY(estimate && estimate->fits);
            QCOMPARE(estimate->step.value(), least);
            QCOMPARE(estimate->memory.peak.value(), result.best->peak.value());
            // The space holds it, with the layers that its stages get by their speed, and no others.
            QVERIFY(!outside(drawn.plan, drawn.space, schedulesOf(options), best.strategy, best.training.precision));
        }
    }

    /// Of layers by speed no other split makes the slowest stage faster.
    void layersGoByTheSpeedOfTheNodes()
    {
        Strategy s;
        s.pp = 3;
        const UnlikePrices::StageSeconds seconds{{1, 2, 4}, {0.5, 0.6, 0.7}, {1, 2, 3}};
        const std::vector<double> beside{0.5, 0, 3};
        const auto slowest = [&](const std::vector<int>& layers) {
            double most = 0;
            for (std::size_t i = 0; i < 3; ++i)
                most = std::max(most, beside[i] + seconds.layer[i] * layers[i]);
            return most;
        };
        for (int layers = 3; layers < 30; ++layers) {
            const std::vector<int> balanced = UnlikePrices::balancedLayers(s, layers, seconds);
            const double own = slowest(balanced.empty() ? stageLayers(s, layers) : balanced);
            for (int first = 1; first < layers - 1; ++first)
                for (int second = 1; first + second < layers; ++second)
                    QVERIFY(own <= slowest({first, second, layers - first - second}) + 1e-12);
        }
        QCOMPARE(UnlikePrices::balancedLayers(s, 14, seconds), (std::vector{9, 4, 1}));
        s.schedule = Schedule::ZbV; // both ends on the first stage, two chunks on each
        QCOMPARE(UnlikePrices::balancedLayers(s, 14, seconds), (std::vector{8, 4, 2}));
        s.schedule = Schedule::OneFOneB;
        s.stageLayers = {5, 5, 4};
        QVERIFY(UnlikePrices::balancedLayers(s, 14, seconds).empty());
        s.stageLayers.clear();
        s.schedule = Schedule::DualPipe;
        QVERIFY(UnlikePrices::balancedLayers(s, 14, seconds).empty());
    }

    void samplesAndCloudsShowTheSameStrategies()
    {
        RandomPlans random(79);
        for (int round = 0; round < fewerSanitized(20); ++round) {
            const Drawn drawn = drawUnlike(random, 400);
            SearchOptions options;
            options.threads = 1;
            const SearchResult whole = searched(drawn.plan, drawn.space, options, true);
            if (!whole.best)
                continue;
            double least = INFINITY;
            sample(drawn.plan, drawn.space, options, 1000, {}, [&](std::span<const SampledStrategy> fresh) {
                for (const SampledStrategy& strategy : fresh)
                    if (strategy.fits)
                        least = std::min(least, strategy.step.value());
            });
            QCOMPARE(least, whole.best->step.value());
            const SpaceCloud cloud(drawn.plan, drawn.space, options, 1000, {});
            std::optional<CloudPoint> best;
            cloud.price({}, [&](std::span<const CloudPoint> points) {
                for (const CloudPoint& point : points)
                    if (point.fits && (!best || point.step < best->step))
                        best = point;
            });
            QVERIFY(best);
            QCOMPARE(best->step, float(least));
            PricingContext pricing(drawn.plan, shippedCatalog());
            const auto priced = price(pricing, cloud.strategy(best->number).strategy, PipelineTime::ClosedForm);
            QCOMPARE(float(priced->step.value()), best->step);
        }
    }

    /// A million tokens for the least energy: nodes of a kind that draws more are worth it where they are faster by
    /// more.
    void energyCountsWhatEachKindDraws()
    {
        Plan plan = fixtures::small();
        plan.cluster = fixtures::cluster(1, 4);
        plan.cluster.nodes.push_back(plan.cluster.nodes.front());
        plan.cluster.nodes[0].accelerator.watts = 400;
        plan.cluster.nodes[1].id = "others";
        plan.cluster.nodes[1].accelerator.watts = 4000;
        SearchSpace space = fixtures::megatronSpace();
        space.leaveIdle = true;
        SearchOptions options;
        options.objective = Objective::TokensPerEnergy;
        options.keep = FrontKind::Best;
        const SearchResult cheap = searched(plan, space, options);
        QVERIFY(cheap.best && rankCount(cheap.best->strategy) == 4);
        plan.cluster.nodes[1].accelerator.watts = 1; // drawn next to the first ones
        const SearchResult both = searched(plan, space, options);
        QVERIFY(both.best && rankCount(both.best->strategy) == 8);
    }

    void whatIsNotVariedIsTold()
    {
        RandomPlans random(80);
        const Drawn drawn = drawUnlike(random, 3000);
        const auto tells = [&](const Plan& plan, FixedReason reason) {
            return std::ranges::count(
                notVaried(defaultSpace(), plan, SearchMode::ClosedForm), reason, &FixedDimension::reason);
        };
        QCOMPARE(tells(drawn.plan, FixedReason::UnlikeNodes), 1);
        QCOMPARE(tells(drawn.plan, FixedReason::LayersBySpeed), 1);
        QCOMPARE(tells(fixtures::small(), FixedReason::UnlikeNodes), 0);
        QCOMPARE(tells(fixtures::small(), FixedReason::LayersBySpeed), 0);
        QCOMPARE(tells(drawn.plan, FixedReason::BatchBySpeed), 1);
        QCOMPARE(tells(fixtures::small(), FixedReason::BatchBySpeed), 0);
    }
};

STRATOPLAN_TEST(TestUnlikeSearch)
#include "test_unlike_search.moc"
