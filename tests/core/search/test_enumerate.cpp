// SPDX-License-Identifier: GPL-3.0-or-later
// The enumeration around a plan: what its space holds, that its front is the brute-force front, that it streams,
// stops and repeats itself.
#include "core/catalog/catalog.h"
#include "core/search/enumerate.h"

#include <QTest>

#include <algorithm>
#include <chrono>
#include <set>
#include <thread>
#include <tuple>

using namespace stratoplan;

namespace {

Transformer gpt(int layers, int hidden, int heads)
{
    Transformer model;
    model.layers = layers;
    model.hidden = hidden;
    model.ffnHidden = 4 * hidden;
    model.heads = heads;
    model.kvHeads = heads;
    model.headDim = hidden / heads;
    model.vocabulary = 50257;
    model.maxPositions = 2048;
    model.tiedEmbeddings = true;
    model.linearBias = true;
    model.norm = Norm::Layer;
    model.position = Position::Learned;
    return model;
}

Plan planOf(const Transformer& model, int nodes, int batch)
{
    Plan plan;
    plan.model = model;
    NodeGroup group = shippedCatalog().node("dgx-a100-80")->node;
    group.id = "nodes";
    group.count = nodes;
    plan.cluster.nodes.push_back(group);
    plan.training.globalBatch = batch;
    plan.training.sequenceLength = 2048;
    return plan;
}

const Transformer kGpt1B = gpt(24, 2048, 16);
const Transformer kGpt13B = gpt(40, 5120, 40);
const Transformer kGpt175B = gpt(96, 12288, 96);

/// A space that takes far longer than any test to price.
Plan hugePlan()
{
    return planOf(kGpt175B, 12288, 3 << 20);
}

using Degrees = std::tuple<int, int, int, int, Recompute>;

Degrees degrees(const Strategy& s)
{
    return {s.tp, s.pp, s.dp, s.microBatch, s.recompute};
}

bool dominates(const Candidate& a, const Candidate& b)
{
    return a.tokensPerSecond >= b.tokensPerSecond && a.peakMemory <= b.peakMemory
        && (a.tokensPerSecond > b.tokensPerSecond || a.peakMemory < b.peakMemory);
}

void verifyFront(const Enumeration& enumeration)
{
    std::set<std::size_t> front(enumeration.front.begin(), enumeration.front.end());
    QCOMPARE(front.size(), enumeration.front.size());
    for (std::size_t i = 0; i < enumeration.candidates.size(); ++i) {
        const Candidate& c = enumeration.candidates[i];
        const bool beaten = std::any_of(enumeration.candidates.begin(), enumeration.candidates.end(),
            [&](const Candidate& other) { return other.fits && dominates(other, c); });
        QCOMPARE(c.onFront, c.fits && !beaten);
        QCOMPARE(front.contains(i), c.onFront);
    }
    QVERIFY(std::is_sorted(enumeration.front.begin(), enumeration.front.end(),
        [&](std::size_t a, std::size_t b) { return enumeration.candidates[a].peakMemory < enumeration.candidates[b].peakMemory; }));
}

} // namespace

class TestEnumerate : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void spaceIsEveryLegalDivision();
    void spaceOfExpertsVariesTheirDegree();
    void spaceKeepsTheRestOfThePlan();
    void illegalScheduleFallsBack();
    void candidatesAreEstimates();
    void frontIsTheBruteForceFront();
    void progressStreamsGrowingResults();
    void stopsAtOnce();
    void repeatsItself();
    void emptyClusterHasNoSpace();
};

// The same with every EP, tried one by one, for a model with experts.
void TestEnumerate::spaceOfExpertsVariesTheirDegree()
{
    Plan plan = planOf(kGpt1B, 1, 8);
    plan.model.moe = MixtureOfExperts{};
    plan.model.moe->experts = 12;
    plan.model.moe->topK = 2;
    plan.model.moe->expertFfn = 1024;
    plan.strategy.etp = 2;
    std::set<std::tuple<int, int, int, int, int, Recompute>> expected;
    for (int tp = 1; tp <= 8; ++tp)
        for (int pp = 1; pp <= 8; ++pp)
            for (int ep = 1; ep <= 12; ++ep)
                for (int b = 1; b <= 8; b *= 2)
                    for (Recompute recompute : {Recompute::None, Recompute::Selective, Recompute::Full}) {
                        if (8 % (tp * pp) != 0)
                            continue;
                        Plan trial = plan;
                        trial.strategy.tp = tp;
                        trial.strategy.pp = pp;
                        trial.strategy.dp = 8 / tp / pp;
                        trial.strategy.ep = ep;
                        trial.strategy.etp = tp % 2 == 0 ? 2 : 1;
                        trial.strategy.microBatch = b;
                        trial.strategy.recompute = recompute;
                        if (8 % (trial.strategy.dp * b) == 0 && !hasErrors(check(trial)))
                            expected.emplace(tp, pp, ep, trial.strategy.etp, b, recompute);
                    }
    std::set<std::tuple<int, int, int, int, int, Recompute>> found;
    for (const Strategy& s : strategySpace(plan))
        QVERIFY(found.emplace(s.tp, s.pp, s.ep, s.etp, s.microBatch, s.recompute).second);
    QVERIFY(found.size() > 100);
    QVERIFY(found == expected);
}

// Every (t, p, d, b, recomputation) tried one by one, over a range wider than the space.
void TestEnumerate::spaceIsEveryLegalDivision()
{
    for (const auto& [nodes, batch] : {std::pair{1, 8}, {2, 24}, {4, 96}}) {
        Plan plan = planOf(kGpt1B, nodes, batch);
        std::set<Degrees> expected;
        const int n = 8 * nodes;
        for (int tp = 1; tp <= n; ++tp)
            for (int pp = 1; pp <= n; ++pp)
                for (int dp = 1; dp <= n; ++dp)
                    for (int b = 1; b <= batch; b *= 2)
                        for (Recompute recompute : {Recompute::None, Recompute::Selective, Recompute::Full}) {
                            if (tp * pp * dp != n || batch % (dp * b) != 0)
                                continue;
                            Plan trial = plan;
                            trial.strategy.tp = tp;
                            trial.strategy.pp = pp;
                            trial.strategy.dp = dp;
                            trial.strategy.microBatch = b;
                            trial.strategy.recompute = recompute;
                            if (!hasErrors(check(trial)))
                                expected.insert(degrees(trial.strategy));
                        }
        std::set<Degrees> found;
        for (const Strategy& s : strategySpace(plan)) {
            QVERIFY(found.insert(degrees(s)).second); // none twice
            QCOMPARE(rankCount(s), n);
        }
        QVERIFY(!expected.empty());
        QVERIFY(found == expected);
    }
}

void TestEnumerate::spaceKeepsTheRestOfThePlan()
{
    Plan plan = planOf(kGpt13B, 4, 64);
    plan.strategy.cp = 2;
    plan.strategy.zeroStage = 1;
    plan.strategy.sequenceParallel = true;
    const auto space = strategySpace(plan);
    QVERIFY(!space.empty());
    for (const Strategy& s : space) {
        QCOMPARE(s.cp, 2);
        QCOMPARE(rankCount(s), 32);
        QCOMPARE(s.zeroStage, 1);
        QCOMPARE(s.sequenceParallel, s.tp > 1);
        plan.strategy = s;
        QVERIFY(!hasErrors(check(plan)));
    }
}

void TestEnumerate::illegalScheduleFallsBack()
{
    Plan plan = planOf(kGpt13B, 2, 64);
    plan.strategy.schedule = Schedule::Interleaved;
    plan.strategy.vpp = 4;
    int interleaved = 0;
    int plain = 0;
    for (const Strategy& s : strategySpace(plan)) {
        if (s.schedule == Schedule::Interleaved) {
            ++interleaved;
            QCOMPARE(s.vpp, 4);
            QVERIFY(s.pp > 1);
        } else {
            ++plain;
            QCOMPARE(s.schedule, Schedule::OneFOneB);
            QCOMPARE(s.vpp, 1);
        }
        plan.strategy = s;
        QVERIFY(!hasErrors(check(plan)));
    }
    QVERIFY(interleaved > 0);
    QVERIFY(plain > 0); // p = 1 at least
}

void TestEnumerate::candidatesAreEstimates()
{
    Plan plan = planOf(kGpt13B, 2, 64);
    const Enumeration all = enumerate(plan);
    QVERIFY(all.complete);
    QCOMPARE(all.evaluated, static_cast<std::int64_t>(all.candidates.size()));
    QCOMPARE(all.space, static_cast<std::int64_t>(strategySpace(plan).size()));
    QVERIFY(all.evaluated > 0);
    for (const Candidate& c : all.candidates) {
        plan.strategy = c.strategy;
        const auto priced = estimate(plan);
        QVERIFY(priced.has_value());
        QCOMPARE(c.step, priced->step);
        QCOMPARE(c.tokensPerSecond, priced->tokensPerSecond);
        QCOMPARE(c.peakMemory, priced->memory.peak);
        QCOMPARE(c.fits, priced->fits);
    }
}

void TestEnumerate::frontIsTheBruteForceFront()
{
    for (const auto& [model, nodes, batch] : {std::tuple{kGpt1B, 1, 16}, {kGpt13B, 2, 64}, {kGpt175B, 16, 96}}) {
        const Enumeration all = enumerate(planOf(model, nodes, batch));
        verifyFront(all);
        QVERIFY(!all.front.empty());
        QVERIFY(all.front.size() < all.candidates.size());
    }
}

void TestEnumerate::progressStreamsGrowingResults()
{
    std::int64_t last = 0;
    int calls = 0;
    std::stop_source stop;
    const Enumeration stopped = enumerate(hugePlan(), stop.get_token(), [&](const Enumeration& partial) {
        QVERIFY(partial.evaluated > last);
        QVERIFY(!partial.complete);
        QVERIFY(partial.space > partial.evaluated);
        verifyFront(partial);
        last = partial.evaluated;
        if (++calls == 3)
            stop.request_stop();
    });
    QCOMPARE(calls, 3);
    QVERIFY(!stopped.complete);
    QCOMPARE(stopped.evaluated, last);
    verifyFront(stopped);
}

void TestEnumerate::stopsAtOnce()
{
    std::stop_source before;
    before.request_stop();
    const Enumeration none = enumerate(hugePlan(), before.get_token());
    QVERIFY(!none.complete);
    QCOMPARE(none.evaluated, 0);

    std::stop_source during;
    std::chrono::steady_clock::time_point asked;
    std::jthread stopper([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        asked = std::chrono::steady_clock::now();
        during.request_stop();
    });
    const Enumeration some = enumerate(hugePlan(), during.get_token());
    const auto returned = std::chrono::steady_clock::now();
    stopper.join();
    QVERIFY(!some.complete);
    // The promise is 50 ms; a loaded machine may keep either thread waiting.
    QVERIFY(returned - asked < std::chrono::milliseconds(500));
}

void TestEnumerate::repeatsItself()
{
    const Plan plan = planOf(kGpt13B, 8, 128);
    const Enumeration once = enumerate(plan);
    const Enumeration again = enumerate(plan);
    QVERIFY(once.candidates == again.candidates);
    QVERIFY(once.front == again.front);
}

void TestEnumerate::emptyClusterHasNoSpace()
{
    Plan plan = planOf(kGpt1B, 1, 8);
    plan.strategy.cp = 3; // does not divide 8
    QVERIFY(strategySpace(plan).empty());
    plan.strategy.cp = 1;
    plan.cluster.nodes.clear();
    const Enumeration none = enumerate(plan);
    QVERIFY(none.complete);
    QVERIFY(none.candidates.empty() && none.front.empty());
}

QTEST_APPLESS_MAIN(TestEnumerate)
#include "test_enumerate.moc"
