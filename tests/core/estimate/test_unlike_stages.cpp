// SPDX-License-Identifier: GPL-3.0-or-later
// Stages that differ: layers recomputed in part, stages recomputed unlike, stages with a TP of their own and what their
// boundaries cost.
#include "core/cluster/collectives.h"
#include "core/cost/resharding.h"
#include "core/exchange/estimate_json.h"
#include "core/exchange/trace.h"
#include "core/narration/problems.h"
#include "core/parallel/route.h"
#include "core/pricing/priced_stages.h"
#include "tests/core/fixtures.h"
#include "tests/registry.h"

#include <QTest>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

using namespace stratoplan::catalog;
using namespace stratoplan::cluster;
using namespace stratoplan::cost;
using namespace stratoplan::estimate;
using namespace stratoplan::exchange;
using namespace stratoplan::model;
using namespace stratoplan::narration;
using namespace stratoplan::parallel;
using namespace stratoplan::pipeline;
using namespace stratoplan::plan;
using namespace stratoplan::pricing;
using namespace stratoplan::units;
using namespace stratoplan::workload;

namespace {

constexpr std::array kSchedules{Schedule::OneFOneB, Schedule::GPipe, Schedule::Interleaved, Schedule::ZbH1,
    Schedule::ZbV, Schedule::VHalf, Schedule::DualPipe, Schedule::DualPipeV};

/// Four stages of eight layers, attention scores kept.
Plan piped(Schedule schedule = Schedule::OneFOneB)
{
    Plan plan = fixtures::small();
    plan.model = fixtures::gpt(32, 2048, 16, 51200, 1024);
    plan.model.tiedEmbeddings = false;
    plan.cluster = fixtures::cluster(4, 4);
    plan.training.globalBatch = 64;
    plan.training.attention = AttentionKernel::Unfused;
    plan.strategy = {};
    plan.strategy.tp = 2;
    plan.strategy.pp = 4;
    plan.strategy.dp = 2;
    plan.strategy.microBatch = 2;
    plan.strategy.schedule = schedule;
    plan.strategy.vpp = schedule == Schedule::Interleaved ? 2 : 1;
    return plan;
}

Estimate estimated(const Plan& plan)
{
    const auto answer = estimate(plan, {.remedies = false, .range = false});
    return answer ? *answer : Estimate{};
}

/// What an estimate says, but for the words it was asked in.
bool same(const Estimate& a, const Estimate& b)
{
    const auto near = [](double x, double y) { return std::abs(x - y) <= 1e-12 * std::max(std::abs(x), std::abs(y)); };
    bool stages = a.memory.stages.size() == b.memory.stages.size();
    for (std::size_t i = 0; stages && i < a.memory.stages.size(); ++i)
        stages = near(a.memory.stages[i].total().value(), b.memory.stages[i].total().value());
    return stages && a.step.value() > 0 && near(a.step.value(), b.step.value()) && near(a.hfu, b.hfu)
        && near(a.breakdown.recompute.value(), b.breakdown.recompute.value());
}

Plan withRecomputed(Plan plan, Recompute recompute, int each)
{
    plan.strategy.recompute = recompute;
    plan.strategy.recomputedLayers.assign(std::size_t(plan.strategy.pp), each);
    return plan;
}

const Problem* problemOf(const std::vector<Problem>& problems, ProblemCode code)
{
    const auto found =
        std::find_if(problems.begin(), problems.end(), [&](const Problem& problem) { return problem.code == code; });
    return found == problems.end() ? nullptr : &*found;
}

/// The sentence of the error that a strategy breaks.
QString refusal(const Plan& plan, ProblemCode code)
{
    const std::vector<Problem> problems = check(plan);
    const Problem* problem = problemOf(problems, code);
    return problem && problem->severity == Severity::Error ? QString::fromStdString(describe(*problem)) : QString();
}

} // namespace

class TestUnlikeStages : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void allLayersAreFullAndNoneAreTheOthers()
    {
        for (const Schedule schedule : kSchedules) {
            for (const int zero : {0, 3}) {
                Plan plan = piped(schedule);
                plan.strategy.zeroStage = zero;
                const auto uniform = [&](Recompute recompute) {
                    Plan alike = plan;
                    alike.strategy.recompute = recompute;
                    return estimated(alike);
                };
                QVERIFY(same(estimated(withRecomputed(plan, Recompute::Full, 8)), uniform(Recompute::Full)));
                QVERIFY(same(estimated(withRecomputed(plan, Recompute::Full, 0)), uniform(Recompute::None)));
                QVERIFY(same(estimated(withRecomputed(plan, Recompute::Selective, 8)), uniform(Recompute::Full)));
                QVERIFY(same(estimated(withRecomputed(plan, Recompute::Selective, 0)), uniform(Recompute::Selective)));
                for (const Recompute recompute : kAllRecompute) {
                    Plan told = plan;
                    told.strategy.stageRecompute.assign(4, recompute);
                    QVERIFY(same(estimated(told), uniform(recompute)));
                }
            }
        }
    }

    void moreRecomputationTakesLongerAndHoldsLess()
    {
        for (const Schedule schedule : kSchedules) {
            for (const Recompute base : {Recompute::Full, Recompute::Selective}) {
                Estimate before = estimated(withRecomputed(piped(schedule), base, 0));
                for (int k = 1; k <= 8; ++k) {
                    const Estimate e = estimated(withRecomputed(piped(schedule), base, k));
                    QVERIFY(e.step > before.step);
                    QVERIFY(e.breakdown.recompute > before.breakdown.recompute);
                    QVERIFY(e.hfu * e.step.value() > before.hfu * before.step.value());
                    for (std::size_t i = 0; i < e.memory.stages.size(); ++i)
                        QVERIFY(e.memory.stages[i].activations < before.memory.stages[i].activations);
                    before = e;
                }
            }
        }
    }

    /// By hand: k layers keep their input, the others all, and one layer at a time is repeated.
    void memoryIsThatOfTheLayers()
    {
        const Plan plan = withRecomputed(piped(), Recompute::Full, 3);
        const Workload w = lower(plan);
        const LayerActivations& layer = w.dense.activations;
        double kept = 0, repeated = 0;
        for (const LedgerItem& item : memoryLedger(plan, w, 1)) {
            if (item.lifetime == Lifetime::MicroBatch)
                kept += item.bytes.value();
            if (item.name == "recomputed layer and its gradients")
                repeated = item.bytes.value();
        }
        QCOMPARE(kept, 5 * layer.all().value() + 3 * layer.input.value());
        Plan full = plan;
        full.strategy.recomputedLayers.clear();
        for (const LedgerItem& item : memoryLedger(full, lower(full), 1))
            if (item.name == "recomputed layer and its gradients")
                QCOMPARE(repeated, item.bytes.value());
    }

    void timeIsThatOfTheLayers()
    {
        const auto recompute = [](int k) {
            return estimated(withRecomputed(piped(), Recompute::Full, k)).pipeline.stages[2].recompute.value();
        };
        for (int k = 1; k <= 8; ++k)
            QVERIFY(std::abs(recompute(k) - k * recompute(1)) < 1e-12);
    }

    void stagesAreToldApart()
    {
        Plan plan = piped();
        plan.strategy.recompute = Recompute::Selective;
        plan.strategy.stageRecompute = {Recompute::Full, Recompute::Selective, Recompute::None, Recompute::None};
        const Estimate e = estimated(plan);
        const auto uniform = [](Recompute recompute) {
            Plan alike = piped();
            alike.strategy.recompute = recompute;
            return estimated(alike);
        };
        const std::array expected{uniform(Recompute::Full), uniform(Recompute::Selective), uniform(Recompute::None),
            uniform(Recompute::None)};
        for (std::size_t i = 0; i < 4; ++i) {
            QVERIFY(e.pipeline.stages[i] == expected[i].pipeline.stages[i]);
            QVERIFY(e.memory.stages[i].total() == expected[i].memory.stages[i].total());
        }
    }

    void theFirstLayersAreRecomputed()
    {
        Plan plan = withRecomputed(piped(), Recompute::Full, 3);
        plan.model.moe = MixtureOfExperts{};
        plan.model.moe->experts = 4;
        plan.model.moe->topK = 1;
        plan.model.moe->expertFfn = 1024;
        plan.model.moe->leadingDenseLayers = 2;
        const std::vector<StageLayout> stages = placeStages(plan);
        QCOMPARE(layersWith(plan.strategy, stages[0], false, Recompute::Full), 2);
        QCOMPARE(layersWith(plan.strategy, stages[0], true, Recompute::Full), 1);
        QCOMPARE(layersWith(plan.strategy, stages[0], true, Recompute::None), 5);
        QCOMPARE(layersWith(plan.strategy, stages[1], true, Recompute::Full), 3);
        const std::vector<Recompute> kinds = layerRecompute(plan);
        QCOMPARE(std::count(kinds.begin(), kinds.end(), Recompute::Full), 12);
        QVERIFY(kinds[2] == Recompute::Full && kinds[3] == Recompute::None && kinds[8] == Recompute::Full);
    }

    /// Chunk by chunk: Megatron-LM's block recomputation counts in each chunk.
    void chunksShareOutWhatIsRecomputed()
    {
        Strategy s = piped(Schedule::Interleaved).strategy;
        s.recompute = Recompute::Full;
        s.recomputedLayers = {5, 8, 0, 1};
        using Chunks = std::vector<StageRecompute>;
        QVERIFY((chunkRecompute(s, 0, {4, 4}) == Chunks{{Recompute::None, 3}, {Recompute::None, 2}}));
        QVERIFY((chunkRecompute(s, 1, {4, 4}) == Chunks{{Recompute::None, 4}, {Recompute::None, 4}}));
        QVERIFY((chunkRecompute(s, 0, {1, 4}) == Chunks{{Recompute::None, 1}, {Recompute::None, 4}}));
        for (const Schedule schedule : kSchedules) {
            Plan plan = withRecomputed(piped(schedule), Recompute::Full, 5);
            plan.strategy.recomputedLayers = {5, 8, 0, 1};
            const auto chunks = placeChunks(plan);
            const int ways = shape(schedule) == PipelineShape::TwoWay ? 2 : 1;
            int full = 0;
            for (const auto& stage : chunks)
                for (const StageLayout& chunk : stage)
                    full += layersWith(plan.strategy, chunk, false, Recompute::Full);
            QCOMPARE(full, 14 * ways);
        }
    }

    void sameTpIsNoDifference()
    {
        for (const Schedule schedule : kSchedules) {
            Plan plan = piped(schedule);
            const Estimate alike = estimated(plan);
            plan.strategy.stageTp.assign(4, 2);
            QVERIFY(same(estimated(plan), alike));
        }
    }

    /// All stages with another TP are the pipeline with that TP.
    void oneTpForAllIsThatTp()
    {
        for (const Schedule schedule : {Schedule::OneFOneB, Schedule::Interleaved, Schedule::ZbH1, Schedule::ZbV}) {
            for (const auto& [tp, dp, microBatch] : {std::array{1, 4, 1}, std::array{4, 1, 4}}) {
                for (const bool sequenceParallel : {false, true}) {
                    Plan told = piped(schedule);
                    told.strategy.sequenceParallel = sequenceParallel;
                    told.strategy.stageTp.assign(4, tp);
                    Plan direct = piped(schedule);
                    direct.strategy.sequenceParallel = sequenceParallel && tp > 1;
                    direct.strategy.tp = tp;
                    direct.strategy.dp = dp;
                    direct.strategy.microBatch = microBatch;
                    const Estimate e = estimated(told);
                    QVERIFY(same(e, estimated(direct)));
                    QVERIFY(std::none_of(e.boundaries.begin(), e.boundaries.end(),
                        [](const StageBoundary& b) { return b.down.reshards || b.up.reshards; }));
                }
            }
        }
    }

    void everyStageIsPricedWithItsOwnLayout()
    {
        Plan plan = piped();
        plan.training.software.p2pExposed = 0; // transfers are no part of the passes
        plan.strategy.stageTp = {4, 2, 2, 1};
        const Estimate e = estimated(plan);
        for (std::size_t i = 0; i < 4; ++i) {
            Plan alike = plan;
            alike.strategy.stageTp.assign(4, plan.strategy.stageTp[i]);
            const Estimate uniform = estimated(alike);
            QCOMPARE(e.pipeline.stages[i].forward.value(), uniform.pipeline.stages[i].forward.value());
            QCOMPARE(e.pipeline.stages[i].backward.value(), uniform.pipeline.stages[i].backward.value());
            QCOMPARE(e.pipeline.stages[i].gradientSync.value(), uniform.pipeline.stages[i].gradientSync.value());
            QCOMPARE(e.memory.stages[i].total().value(), uniform.memory.stages[i].total().value());
        }
        QCOMPARE(e.boundaries.size(), std::size_t{3});
        for (std::size_t i = 0; i < 3; ++i) {
            QCOMPARE(e.boundaries[i].down.reshards, i != 1);
            QCOMPARE(e.pipeline.stages[i].sendForward.value() / e.boundaries[i].down.transfer.value(),
                e.pipeline.stages[i + 1].sendBackward.value() / e.boundaries[i].up.transfer.value());
            QVERIFY(e.pipeline.stages[i].sendForward >= e.boundaries[i].down.transfer);
            QVERIFY(e.pipeline.stages[i].reshardForward >= e.boundaries[i].down.gather);
            QVERIFY(e.pipeline.stages[i + 1].reshardBackward >= e.boundaries[i].up.gather);
        }
        const double sum = e.stages[0].total().value();
        QVERIFY(std::abs(sum / e.step.value() - 1) < 1e-9);
    }

    void ledgersAreThoseOfTheStages()
    {
        Plan plan = piped();
        plan.strategy.stageTp = {4, 2, 2, 1};
        const Estimate e = estimated(plan);
        const std::vector<MemoryLedger> ledgers = memoryLedgers(plan, e);
        for (std::size_t i = 0; i < 4; ++i) {
            double step = 0;
            for (const LedgerItem& item : ledgers[i])
                step += item.lifetime == Lifetime::Step ? item.bytes.value() : 0;
            QVERIFY(std::abs(step / e.memory.stages[i].byLifetime.step.value() - 1) < 1e-12);
        }
    }

    void partsTouchedAreCounted()
    {
        QCOMPARE(partsTouched(4, 4), 1);
        QCOMPARE(partsTouched(1, 8), 1);
        QCOMPARE(partsTouched(8, 1), 8);
        QCOMPARE(partsTouched(8, 2), 4);
        QCOMPARE(partsTouched(2, 3), 2); // the middle third lies on both halves
        QCOMPARE(partsTouched(3, 2), 2);
    }

    /// Both ways of resharding, by their formulas; what each rank gets is the same share of the same tensor.
    // In one piece: the formulas of both ways are made of the same two ends, latency and link.
    void reshardingByHand()
    {
        Plan plan = piped();
        SoftwareProfile& software = plan.training.software;
        const Machine m = machine(plan, shippedCatalog());
        const double tokens = 1024.0 * 2048 * 2; // bytes of one sequence
        for (const bool sequenceParallel : {false, true}) {
            plan.strategy.sequenceParallel = sequenceParallel;
            plan.strategy.stageTp = {4, 2, 2, 1};
            const Plan wide = stagePlan(plan, 0); // TP 4, DP 1, 4 sequences
            const Plan mid = stagePlan(plan, 1); // TP 2, DP 2, 2 sequences
            const Deployment from(wide, m);
            const Deployment to(mid, m);
            const BoundaryEnd upper{from, lowerMicroBatch(wide).boundary};
            const BoundaryEnd lower{to, lowerMicroBatch(mid).boundary};
            QCOMPARE(upper.boundary.value(), 4 * tokens);
            QCOMPARE(lower.boundary.value(), 2 * tokens);
            const BoundaryTransfer down = boundaryTransfer(upper, lower, 0, ReshardMethod::SendReceive);
            const BoundaryTransfer up = boundaryTransfer(lower, upper, 0, ReshardMethod::SendReceive);
            QVERIFY(down.reshards && up.reshards);
            QCOMPARE(
                down.bytes.value(), tokens); // a rank of TP 2 gets half of two sequences, one of TP 4 a quarter of four
            QCOMPARE(up.bytes.value(), tokens);
            QCOMPARE(down.messages, sequenceParallel ? 2 : 1);
            QCOMPARE(up.messages, sequenceParallel ? 2 : 1);
            const Seconds latency = software.p2pLatency + linkSeconds(to, Bytes{}, 0);
            const Seconds link = linkSeconds(to, Bytes(tokens), 0) - linkSeconds(to, Bytes{}, 0);
            QVERIFY(std::abs((latency * down.messages + link) / down.transfer - 1) < 1e-12);
            QCOMPARE(down.gather.value(),
                sequenceParallel ? 0 : allGather(m.topology, to.groups[RankGroup::Tensor], lower.boundary).value());
            const BoundaryTransfer broadcasted = boundaryTransfer(upper, lower, 0, ReshardMethod::Broadcast);
            if (sequenceParallel) {
                QVERIFY(broadcasted == down); // every rank needs another slice
                continue;
            }
            // Two of the four ranks send, each two sequences to one replica, which passes them on to its second rank.
            QCOMPARE(broadcasted.bytes.value(), 2 * tokens);
            QCOMPARE(broadcasted.gather.value(), 0.0);
            const Span& group = to.groups[RankGroup::Tensor];
            const Seconds start = linkSeconds(to, Bytes{}, 0, 2) + broadcast(m.topology, group, Bytes{});
            const Seconds crossing = linkSeconds(to, Bytes(2 * tokens), 0, 2) - linkSeconds(to, Bytes{}, 0, 2);
            const Seconds passing =
                broadcast(m.topology, group, Bytes(2 * tokens)) - broadcast(m.topology, group, Bytes{});
            QVERIFY(std::abs((software.p2pLatency + start + std::max(crossing, passing)) / broadcasted.total() - 1)
                < 1e-12);
            QVERIFY(broadcasted.total() != down.total());
        }
    }

    void theProfileSaysHowToReshard()
    {
        Plan plan = piped();
        plan.strategy.stageTp = {4, 2, 2, 4};
        const Estimate gathered = estimated(plan);
        plan.training.software.resharding = ReshardMethod::Broadcast;
        const Estimate broadcasted = estimated(plan);
        QVERIFY(gathered.step != broadcasted.step);
        QVERIFY(gathered.boundaries[0].down.gather > Seconds{} && broadcasted.boundaries[0].down.gather == Seconds{});
    }

    void reshardingIsNamed()
    {
        Plan plan = piped();
        plan.strategy.stageTp = {4, 2, 2, 1};
        const Estimate e = estimated(plan);
        const auto json = toJson(e);
        QCOMPARE(json["boundaries"][0]["name"].get<std::string>(), std::string("resharding"));
        QCOMPARE(json["boundaries"][1]["name"].get<std::string>(), std::string("transfer"));
        QCOMPARE(json["boundaries"][0]["down"]["bytes"].get<double>(), e.boundaries[0].down.bytes.value());
        QCOMPARE(json["strategy"]["stage_tp"].get<std::vector<int>>(), plan.strategy.stageTp);
        const Timeline timeline = simulate(e.pipeline);
        const std::string trace = traceText("", timeline, memoryTimeline(e.memory, timeline), e.boundaries);
        QVERIFY(trace.find("Reshard activation 0") != std::string::npos
            && trace.find("Reshard gradient 0") != std::string::npos);
        QVERIFY(trace.find("Send activation 0") != std::string::npos); // between the two that are alike
        int resharded = 0;
        for (const Slice& slice : timeline.slices) {
            const BoundaryTransfer* transfer =
                transferOf(slice, Route(timeline.shape, timeline.stages, timeline.chunks), e.boundaries);
            const bool sends = slice.kind == SliceKind::SendForward || slice.kind == SliceKind::SendBackward;
            const bool reshards = slice.kind == SliceKind::ReshardForward || slice.kind == SliceKind::ReshardBackward;
            QCOMPARE(transfer != nullptr, sends || reshards);
            if (slice.kind == SliceKind::SendForward)
                QVERIFY(transfer == &e.boundaries[std::size_t(slice.stage)].down);
            if (slice.kind == SliceKind::SendBackward)
                QVERIFY(transfer == &e.boundaries[std::size_t(slice.stage) - 1].up);
            if (reshards) { // where it was received
                QVERIFY(transfer
                    == (slice.kind == SliceKind::ReshardForward ? &e.boundaries[std::size_t(slice.stage) - 1].down
                                                                : &e.boundaries[std::size_t(slice.stage)].up));
                QVERIFY(transfer->gather > Seconds{});
                ++resharded;
            }
        }
        QVERIFY(resharded > 0);
    }

    // In one piece: a list of plans that break one rule of unlike stages each, and what is said.
    void whatIsNotAllowedIsSaid()
    {
        Plan plan = piped();
        plan.strategy.recomputedLayers = {1, 1};
        QCOMPARE(refusal(plan, ProblemCode::StageListMismatch),
            "/strategy/recomputed_layers is for 2 stages, but PP is 4: give one value per stage, or none.");
        plan = withRecomputed(piped(), Recompute::Full, 9);
        QCOMPARE(refusal(plan, ProblemCode::RecomputedLayersMismatch),
            "Stage 0 recomputes 9 layers in full, but has 8: use 0 to 8.");
        plan = withRecomputed(piped(), Recompute::None, 1);
        QVERIFY(refusal(plan, ProblemCode::RecomputedLayersMismatch)
                    .startsWith("Stage 0 has no recomputation, but 1 layer to recompute in full"));
        const auto withTp = [](std::vector<int> tp) {
            Plan own = piped();
            own.strategy.stageTp = std::move(tp);
            return own;
        };
        QVERIFY(refusal(withTp({3, 2, 2, 2}), ProblemCode::UnlikeStagesUnsupported)
                    .startsWith("Stage 0 has 4 accelerators (TP x DP), which TP 3 does not divide"));
        plan = withTp({2, 1, 2, 2});
        plan.strategy.microBatch = 1;
        QVERIFY(refusal(plan, ProblemCode::UnlikeStagesUnsupported)
                    .startsWith("Stage 1 with TP 1 would work on a part of a sequence"));
        plan = withTp({4, 2, 2, 4});
        plan.strategy.rankOrder = {Axis::Tp, Axis::Cp, Axis::Ep, Axis::Pp, Axis::Dp};
        QVERIFY(refusal(plan, ProblemCode::UnlikeStagesUnsupported).contains("PP must stand last in the rank order"));
        plan = withTp({4, 2, 2, 4});
        plan.strategy.schedule = Schedule::DualPipe;
        QVERIFY(refusal(plan, ProblemCode::UnlikeStagesUnsupported).contains("two-way"));
        plan = withTp({4, 2, 2, 4});
        plan.strategy.vocabularyPlacement = VocabularyPlacement::Vocab1;
        QVERIFY(refusal(plan, ProblemCode::UnlikeStagesUnsupported).contains("share the vocabulary"));
        plan = withTp({4, 2, 2, 2});
        plan.model.tiedEmbeddings = true;
        QVERIFY(refusal(plan, ProblemCode::UnlikeStagesUnsupported).contains("tied embedding"));
        plan.strategy.schedule = Schedule::ZbV; // both ends are on one stage
        QVERIFY(refusal(plan, ProblemCode::UnlikeStagesUnsupported).isEmpty());
        plan = withTp({4, 2, 2, 2});
        plan.model.heads = plan.model.kvHeads = 6;
        QVERIFY(!refusal(plan, ProblemCode::HeadsNotDivisible).isEmpty());
        // A remedy mends it.
        plan = withTp({4, 2, 2, 2});
        plan.model.tiedEmbeddings = true;
        const std::vector<Problem> problems = check(plan);
        const Problem* problem = problemOf(problems, ProblemCode::UnlikeStagesUnsupported);
        QVERIFY(problem && !problem->remedies.empty());
        plan.strategy = problem->remedies.front().strategy;
        QVERIFY(!hasErrors(check(plan)));
    }

    /// Stages of unlike length: another TP where it suits them pays for the resharding.
    void unlikeStagesCanBeBetter()
    {
        Plan plan = piped();
        plan.strategy.stageLayers = {12, 8, 8, 4};
        const Seconds alike = estimated(plan).step;
        bool better = false;
        for (const int first : {1, 4})
            for (const int last : {1, 4}) {
                plan.strategy.stageTp = {first, 2, 2, last};
                better = better || estimated(plan).step < alike;
            }
        QVERIFY(better);
    }
};

STRATOPLAN_TEST(TestUnlikeStages)
#include "test_unlike_stages.moc"
