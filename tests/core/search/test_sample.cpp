// SPDX-License-Identifier: GPL-3.0-or-later
// What stands beside a search: a fair sample of its space, the comparison with pricing everything, what settings and
// locks mean.
#include "core/plan/dimensions.h"
#include "core/pricing/pricing_context.h"
#include "core/search/cloud.h"
#include "core/search/sample.h"
#include "core/search/verify.h"
#include "tests/core/random_count.h"
#include "tests/core/search/random_plans.h"
#include "tests/registry.h"

#include <QTest>

#include <algorithm>
#include <map>

using namespace stratoplan::catalog;
using namespace stratoplan::model;
using namespace stratoplan::parallel;
using namespace stratoplan::plan;
using namespace stratoplan::pricing;
using namespace stratoplan::search;
using namespace stratoplan::searchtest;
using namespace stratoplan::test;

namespace {

std::vector<SampledStrategy> sampled(
    const Plan& plan, const SearchSpace& space, std::int64_t most, SearchMode mode = SearchMode::ClosedForm)
{
    SearchOptions options;
    options.mode = mode;
    std::vector<SampledStrategy> all;
    sample(plan, space, options, most, {},
        [&](std::span<const SampledStrategy> priced) { all.insert(all.end(), priced.begin(), priced.end()); });
    return all;
}

std::vector<CloudPoint> pointsOf(const SpaceCloud& cloud)
{
    std::vector<CloudPoint> all;
    cloud.price({}, [&](std::span<const CloudPoint> points) { all.insert(all.end(), points.begin(), points.end()); });
    return all;
}

SearchResult answerTo(
    const Plan& plan, const SearchSpace& space, bool exhaustive, SearchMode mode = SearchMode::ClosedForm)
{
    SearchOptions options;
    options.exhaustive = exhaustive;
    options.mode = mode;
    options.threads = 1;
    return search(plan, space, options);
}

struct Drawn {
    Plan plan;
    SearchSpace space;
    SearchResult everything;
};

/// A plan whose space has a handful of thousands of strategies at most, some of which fit.
Drawn draw(RandomPlans& random, std::int64_t most = 3000)
{
    for (;;) {
        Drawn drawn{random.plan(), {}, {}};
        drawn.space = random.space(drawn.plan);
        drawn.everything = answerTo(drawn.plan, drawn.space, false);
        if (drawn.everything.space > 0 && drawn.everything.space <= most && drawn.everything.best) {
            drawn.everything = answerTo(drawn.plan, drawn.space, true);
            return drawn;
        }
    }
}

} // namespace

class TestSample : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// All of a space that is small enough, each once, at the price that a search gives it.
    void aSmallSpaceIsTakenWhole()
    {
        RandomPlans random(11);
        for (int i = 0; i < fewerSanitized(40); ++i) {
            const Drawn drawn = draw(random);
            const std::vector<SampledStrategy> all = sampled(drawn.plan, drawn.space, 1'000'000);
            QCOMPARE(std::int64_t(all.size()), drawn.everything.space);
            Front front;
            for (const SampledStrategy& one : all)
                if (one.fits)
                    front.add({one.strategy, one.precision, one.step.value(), one.step, one.peak});
            std::size_t told = 0; // a search tells rank orders that come to the same by the first of them
            for (const Front::Point& point : front.points())
                for (const FoundStrategy& found : drawn.everything.front)
                    told += found.step.value() == point.value && found.peak.value() == point.peak
                        && std::any_of(point.strategies.begin(), point.strategies.end(),
                            [&](const FoundStrategy& one) { return one.strategy == found.strategy; });
            QCOMPARE(told, drawn.everything.front.size());
            for (const Front::Point& point : front.points())
                QVERIFY(std::any_of(drawn.everything.front.begin(), drawn.everything.front.end(),
                    [&](const FoundStrategy& found) { return found.step.value() == point.value; }));
        }
    }

    /// A part is spread over all divisions of the ranks, and the first half of it over as many.
    void aPartIsSpreadEvenly()
    {
        RandomPlans random(12);
        for (int i = 0; i < fewerSanitized(40); ++i) {
            const Drawn drawn = draw(random, 20'000);
            const std::int64_t most = std::max<std::int64_t>(8, drawn.everything.space / 10);
            const std::vector<SampledStrategy> part = sampled(drawn.plan, drawn.space, most);
            QVERIFY(std::int64_t(part.size()) <= most);
            QVERIFY(std::int64_t(part.size()) * 3 >= std::min(most, drawn.everything.space));
            QVERIFY(part == sampled(drawn.plan, drawn.space, most));
            const auto shares = [](auto begin, auto end) {
                std::map<int, double> byPipeline;
                for (auto it = begin; it != end; ++it)
                    byPipeline[it->strategy.pp] += 1.0 / double(end - begin);
                return byPipeline;
            };
            if (part.size() < 200)
                continue;
            const auto all = shares(part.begin(), part.end());
            const auto half = shares(part.begin(), part.begin() + std::ptrdiff_t(part.size() / 2));
            for (const auto& [pp, share] : all)
                QVERIFY(share < 0.05 || (half.contains(pp) && std::abs(half.at(pp) - share) < 0.5 * share));
        }
    }

    /// As points: the same prices, and every point leads back to its strategy.
    void aCloudIsTheSpaceInPoints()
    {
        RandomPlans random(14);
        for (int i = 0; i < fewerSanitized(12); ++i) {
            const Drawn drawn = draw(random, 700);
            SearchOptions options;
            options.threads = 1 + i % 3;
            const SpaceCloud cloud(drawn.plan, drawn.space, options, 1'000'000, {});
            QCOMPARE(cloud.leaves(), drawn.everything.space);
            QCOMPARE(cloud.draws(), cloud.leaves());
            const std::vector<CloudPoint> points = pointsOf(cloud);
            const std::vector<SampledStrategy> all = sampled(drawn.plan, drawn.space, 1'000'000);
            QCOMPARE(points.size(), all.size());
            std::map<std::uint32_t, CloudPoint> byNumber;
            for (const CloudPoint& point : points)
                QVERIFY(byNumber.emplace(point.number, point).second);
            std::vector<Strategy> named;
            for (const auto& [number, point] : byNumber)
                named.push_back(cloud.strategy(number).strategy);
            for (const SampledStrategy& one : all) {
                bool met = false;
                std::size_t k = 0;
                for (auto it = byNumber.begin(); it != byNumber.end() && !met; ++it, ++k) {
                    const CloudPoint& point = it->second;
                    met = point.step == float(one.step.value()) && point.peak == float(one.peak.value())
                        && bool(point.fits) == one.fits && int(point.ranks) == rankCount(one.strategy)
                        && Precision(point.precision) == one.precision && named[k] == one.strategy;
                }
                QVERIFY(met);
            }
        }
    }

    /// No more than asked for, the same whatever the threads, and each still leads to what costs that much.
    void aPartOfACloudIsFairAndNamed()
    {
        RandomPlans random(15);
        for (int i = 0; i < fewerSanitized(12); ++i) {
            const Drawn drawn = draw(random, 4000);
            SearchOptions options;
            options.threads = 1;
            const std::int64_t most = std::max<std::int64_t>(8, drawn.everything.space / 7);
            const SpaceCloud cloud(drawn.plan, drawn.space, options, most, {});
            const std::vector<CloudPoint> points = pointsOf(cloud);
            QVERIFY(std::int64_t(points.size()) <= cloud.draws() && cloud.draws() <= most);
            QVERIFY(points == pointsOf(cloud));
            options.threads = 3;
            std::vector<CloudPoint> together = pointsOf(SpaceCloud(drawn.plan, drawn.space, options, most, {}));
            std::vector<CloudPoint> sorted = points;
            const auto byNumber = [](const CloudPoint& a, const CloudPoint& b) { return a.number < b.number; };
            std::sort(together.begin(), together.end(), byNumber);
            std::sort(sorted.begin(), sorted.end(), byNumber);
            QVERIFY(together == sorted);
            for (const CloudPoint& point : points) {
                const SpaceCloud::Drawn one = cloud.strategy(point.number);
                Plan plan = drawn.plan;
                plan.training.precision = one.precision;
                PricingContext pricing(plan, shippedCatalog());
                const auto own = price(pricing, one.strategy, PipelineTime::ClosedForm);
                QVERIFY(own && float(own->step.value()) == point.step && float(own->peak.value()) == point.peak);
            }
        }
    }

    void aCloudEndsWhenToldTo()
    {
        RandomPlans random(16);
        const Drawn drawn = draw(random);
        SearchOptions options;
        options.threads = 2;
        const SpaceCloud cloud(drawn.plan, drawn.space, options, 1'000'000, {});
        std::stop_source stop;
        stop.request_stop();
        std::size_t told = 0;
        cloud.price(stop.get_token(), [&](std::span<const CloudPoint> points) { told += points.size(); });
        QCOMPARE(told, std::size_t(0));
    }

    void stepsAreTimedAsAsked()
    {
        RandomPlans random(13);
        const Drawn drawn = draw(random, 800);
        const auto closed = sampled(drawn.plan, drawn.space, 1'000'000);
        const auto simulated = sampled(drawn.plan, drawn.space, 1'000'000, SearchMode::Simulated);
        QVERIFY(simulated.size() >= closed.size());
        for (const SampledStrategy& one : closed) {
            const auto same = std::find_if(simulated.begin(), simulated.end(),
                [&](const SampledStrategy& s) { return s.strategy == one.strategy; });
            QVERIFY(same != simulated.end());
            QVERIFY(one.step.value() <= same->step.value() * (1 + 1e-12));
        }
    }

    void aStoppedSampleHasToldWhatItHas()
    {
        RandomPlans random(14);
        const Drawn drawn = draw(random);
        std::stop_source stop;
        stop.request_stop();
        std::size_t told = 0;
        sample(drawn.plan, drawn.space, {}, 100, stop.get_token(),
            [&](std::span<const SampledStrategy> priced) { told += priced.size(); });
        QCOMPARE(told, std::size_t(0));
    }

    void answersAreCompared()
    {
        RandomPlans random(15);
        for (int i = 0; i < fewerSanitized(100); ++i) {
            const Drawn drawn = draw(random);
            const SearchResult answer = answerTo(drawn.plan, drawn.space, false);
            QVERIFY(verify(answer, drawn.everything).agrees());
            QVERIFY(verify(answer, drawn.everything).complete);
            // What is taken away, made better or made up is told.
            SearchResult lacks = answer;
            const FoundStrategy gone = lacks.front.back();
            lacks.front.pop_back();
            lacks.best = lacks.front.empty() ? std::nullopt : std::optional(lacks.front.back());
            const Verification missing = verify(lacks, drawn.everything);
            QVERIFY(!missing.agrees() && !missing.sameFront && missing.wrong.empty());
            QVERIFY(std::find(missing.missing.begin(), missing.missing.end(), gone) != missing.missing.end());
            SearchResult better = answer;
            better.front.back().value *= 0.9;
            better.best = better.front.back();
            QVERIFY(!verify(better, drawn.everything).sameBest);
            QCOMPARE(verify(better, drawn.everything).wrong.size(), std::size_t(1));
            // Stopped, only what beats the answer contradicts it.
            SearchResult stopped = drawn.everything;
            stopped.proven = false;
            stopped.front.resize(1);
            stopped.best = stopped.front.front();
            QVERIFY(verify(answer, stopped).agrees());
            QVERIFY(!verify(answer, stopped).complete);
            stopped.front.front().value *= 0.5;
            stopped.front.front().peak = answer.front.front().peak;
            QVERIFY(!verify(answer, stopped).agrees());
        }
    }

    /// Whatever is locked, every strategy of the space has the plan's value there; nothing else is lost.
    void locksKeepWhatThePlanHas()
    {
        RandomPlans random(16);
        int kept = 0;
        for (int i = 0; i < fewerSanitized(60); ++i) {
            const Drawn drawn = draw(random);
            Plan plan = drawn.plan;
            const auto all = sampled(plan, drawn.space, 1'000'000);
            plan.strategy = all[all.size() / 2].strategy;
            const auto check = [&](Dimension dimension, auto&& value) {
                const auto locked = sampled(plan, withLocks(drawn.space, {dimension}, plan), 1'000'000);
                QCOMPARE(locked.size(),
                    std::size_t(std::count_if(all.begin(), all.end(),
                        [&](const SampledStrategy& s) { return value(s.strategy) == value(plan.strategy); })));
                for (const SampledStrategy& s : locked)
                    QVERIFY(value(s.strategy) == value(plan.strategy));
                kept += locked.size() < all.size();
            };
            check(Dimension::Tp, [](const Strategy& s) { return s.tp; });
            check(Dimension::Cp, [](const Strategy& s) { return s.cp; });
            check(Dimension::Pp, [](const Strategy& s) { return s.pp; });
            check(Dimension::Dp, [](const Strategy& s) { return s.dp; });
            check(Dimension::MicroBatch, [](const Strategy& s) { return s.microBatch; });
            check(Dimension::Recompute, [](const Strategy& s) {
                const auto most = std::ranges::max_element(s.recomputedLayers);
                return std::pair(s.recompute, most == s.recomputedLayers.end() ? 0 : *most);
            });
        }
        QVERIFY(kept > fewerSanitized(60));
    }

    /// What only the whole space varies keeps the plan's value, also in a space that would not vary it.
    void locksHoldInEverySpace()
    {
        Plan plan = RandomPlans(3).plan();
        plan.strategy.vocabularyPlacement = VocabularyPlacement::Vocab2;
        plan.strategy.offload = Offload::Activations;
        plan.strategy.timingPass = true;
        plan.strategy.rankOrder = {Axis::Tp, Axis::Pp, Axis::Cp, Axis::Ep, Axis::Dp};
        for (const SearchSpace& before : {defaultSpace(), wholeSpace(plan)}) {
            const SearchSpace space = withLocks(before,
                {Dimension::VocabularyPlacement, Dimension::Offload, Dimension::TimingPass, Dimension::OrderOfRanks},
                plan);
            QCOMPARE(space.vocabularyPlacements, std::vector{VocabularyPlacement::Vocab2});
            QCOMPARE(space.offloads, std::vector{Offload::Activations});
            QCOMPARE(space.timingPasses, std::vector{true});
            QVERIFY(space.rankOrders.size() == 1 && space.rankOrders.front() == plan.strategy.rankOrder);
            QVERIFY(withLocks(before, {}, plan) == before);
            QVERIFY(withLocks(before, {Dimension::EndLayers}, plan).firstStageFewer
                == IntChoice::just(0)); // an even split stays one
        }
    }

    /// The ends of the pipeline keep as many layers fewer than their even share as they have.
    void lockedEndsKeepTheirLayers()
    {
        RandomPlans random(29);
        int uneven = 0;
        for (int i = 0; i < fewerSanitized(60) || (uneven <= fewerSanitized(10) && i < 60); ++i) {
            Drawn drawn = draw(random);
            drawn.space.evenLayers = false;
            drawn.space.firstStageFewer = {-1, 1, {}};
            drawn.space.lastStageFewer = {0, 2, {}};
            const auto all = sampled(drawn.plan, drawn.space, 1'000'000);
            const auto one = std::find_if(
                all.begin(), all.end(), [](const SampledStrategy& s) { return !s.strategy.stageLayers.empty(); });
            if (one == all.end())
                continue;
            Plan plan = drawn.plan;
            plan.strategy = one->strategy;
            const auto fewer = [&](const Strategy& s) {
                Strategy even = s;
                even.stageLayers.clear();
                const std::vector<int> share = stageLayers(even, plan.model.layers),
                                       own = stageLayers(s, plan.model.layers);
                return std::pair(share.front() - own.front(), share.back() - own.back());
            };
            const bool differ = fewer(plan.strategy) != std::pair(0, 0);
            drawn.space.evenLayers = differ && i % 2 == 0; // of other splits; the lock has its own
            const auto locked = sampled(plan, withLocks(drawn.space, {Dimension::EndLayers}, plan), 1'000'000);
            const auto keeps = [&](const SampledStrategy& s) {
                return s.strategy.pp > 1 && fewer(s.strategy) == fewer(plan.strategy);
            };
            QCOMPARE(std::count_if(locked.begin(), locked.end(), keeps), std::count_if(all.begin(), all.end(), keeps));
            for (const SampledStrategy& s : locked)
                QVERIFY(keeps(s) || (s.strategy.pp == 1 && !differ));
            ++uneven;
        }
        QVERIFY(uneven > fewerSanitized(10));
    }

    /// A lock on the replicas that share leaves those groups, all replicas where they are as many, and what shares
    /// nothing.
    void aLockedGroupSharesAsThePlan()
    {
        RandomPlans random(23);
        int groups = 0;
        for (int i = 0; i < fewerSanitized(80) || (groups <= fewerSanitized(10) && i < 80); ++i) {
            Drawn drawn = draw(random);
            drawn.space.shardGroups = ShardGroups::Every;
            const auto all = sampled(drawn.plan, drawn.space, 1'000'000);
            const auto grouped = std::find_if(
                all.begin(), all.end(), [](const SampledStrategy& s) { return s.strategy.zeroShards > 0; });
            if (grouped == all.end())
                continue;
            Plan plan = drawn.plan;
            plan.strategy = grouped->strategy;
            const int shards = plan.strategy.zeroShards;
            const SearchSpace space = withLocks(drawn.space, {Dimension::ZeroShards}, plan);
            const auto locked = sampled(plan, space, 1'000'000);
            const auto keeps = [&](const SampledStrategy& s) {
                return s.strategy.zeroShards == shards || s.strategy.zeroStage == 0;
            };
            QVERIFY(std::count_if(locked.begin(), locked.end(), keeps) == std::count_if(all.begin(), all.end(), keeps));
            for (const SampledStrategy& s : locked)
                QVERIFY(s.strategy.zeroShards == 0 || s.strategy.zeroShards == shards);
            QVERIFY(verify(answerTo(plan, space, false), answerTo(plan, space, true)).agrees());
            ++groups;
        }
        QVERIFY(groups > fewerSanitized(10));
    }

    void keysGoBothWays()
    {
        for (int i = 0; i < kLockableDimensions; ++i) {
            const auto dimension = static_cast<Dimension>(i);
            QVERIFY(!key(dimension).empty());
            QCOMPARE(lockableFromKey(key(dimension)), std::optional(dimension));
        }
        for (const SearchMode mode : {SearchMode::ClosedForm, SearchMode::Simulated})
            QCOMPARE(searchModeFromKey(key(mode)), std::optional(mode));
        QVERIFY(!lockableFromKey("nonsense") && !searchModeFromKey("nonsense"));
    }

    void progressStreamsTheFront()
    {
        RandomPlans random(17);
        for (const SearchMode mode : {SearchMode::ClosedForm, SearchMode::Simulated}) {
            const Drawn drawn = draw(random);
            SearchOptions options;
            options.mode = mode;
            options.threads = 1;
            std::vector<SearchProgress> told;
            const SearchResult result =
                search(drawn.plan, drawn.space, options, {}, [&](const SearchProgress& p) { told.push_back(p); });
            QVERIFY(!told.empty());
            for (const SearchProgress& p : told) {
                QVERIFY(p.space == 0 ? p.gap == 1 : p.decided <= p.space && p.space == result.space);
                QVERIFY(p.preliminary <= (mode == SearchMode::Simulated));
                QCOMPARE(p.best.has_value(), !p.front.empty());
                if (!p.preliminary && p.best) // the gap says how much better the rest can be
                    QVERIFY(result.best->value >= p.best->value * (1 - p.gap) * (1 - 1e-12));
            }
            QVERIFY(told.back().front == result.front && told.back().space == result.space);
            QCOMPARE(told.back().gap, 0.0);
        }
    }
};

STRATOPLAN_TEST(TestSample)

#include "test_sample.moc"
