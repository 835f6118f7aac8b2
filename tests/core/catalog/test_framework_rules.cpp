// SPDX-License-Identifier: GPL-3.0-or-later
// What frameworks cannot run: of each rule a plan that breaks it and one beside it that does not, and the words for it.
#include "core/catalog/framework_rules.h"
#include "core/catalog/frameworks.h"
#include "core/narration/frameworks.h"
#include "tests/core/fixtures.h"
#include "tests/registry.h"

#include <QTest>

#include <algorithm>
#include <functional>
#include <set>

using namespace stratoplan::catalog;
using namespace stratoplan::model;
using namespace stratoplan::narration;
using namespace stratoplan::parallel;
using namespace stratoplan::plan;
using enum TargetFramework;

namespace {

bool breaks(const Plan& plan, TargetFramework framework, FrameworkRule rule)
{
    const auto broken = objections(plan, framework);
    return std::any_of(broken.begin(), broken.end(), [&](const FrameworkObjection& one) { return one.rule == rule; });
}

/// TP 4, PP 2, DP 2 in 1F1B with ZeRO-1: nothing that any framework lacks, but for what torchtitan wants of ZeRO and
/// sequence parallelism.
Plan base(TargetFramework framework)
{
    Plan plan = fixtures::small();
    plan.cluster = fixtures::cluster(4, 4);
    plan.strategy.tp = 4;
    plan.strategy.pp = 2;
    plan.strategy.dp = 2;
    plan.strategy.zeroStage = framework == TorchTitan ? 3 : 1;
    plan.strategy.sequenceParallel = framework != DeepSpeed;
    return plan;
}

void addExperts(Plan& plan)
{
    plan.model.moe = MixtureOfExperts{};
    plan.model.moe->experts = 8;
    plan.model.moe->topK = 2;
    plan.model.moe->expertFfn = 1024;
    plan.strategy.etp = plan.strategy.tp;
}

using Change = std::function<void(Plan&)>;
struct Row {
    TargetFramework framework;
    FrameworkRule rule;
    Change out; ///< of the base: breaks the rule
    Change in; ///< of that: mends it
};

using Rows = std::vector<Row>;

auto adderTo(Rows& rows)
{
    return [&rows](TargetFramework framework, FrameworkRule rule, Change out, Change in) {
        rows.push_back({framework, rule, std::move(out), std::move(in)});
    };
}

// In one piece: a table of what breaks and what keeps each rule that all frameworks have.
void addOfAll(Rows& rows)
{
    const auto add = adderTo(rows);
    for (const TargetFramework framework : {MegatronCore, DeepSpeed, TorchTitan}) {
        add(
            framework, FrameworkRule::TensorPartition,
            [](Plan& p) { p.strategy.tensorPartition = TensorPartition::SpatialTemporal; },
            [](Plan& p) { p.strategy.tensorPartition = TensorPartition::Megatron; });
        add(
            framework, FrameworkRule::StageTp,
            [](Plan& p) {
                p.strategy.stageTp = {4, 2};
            },
            [](Plan& p) {
                p.strategy.stageTp = {4, 4};
            });
        add(
            framework, FrameworkRule::StageRecompute,
            [](Plan& p) {
                p.strategy.stageRecompute = {Recompute::Full, Recompute::None};
            },
            [](Plan& p) {
                p.strategy.stageRecompute = {Recompute::Full, Recompute::Full};
            });
        add(
            framework, FrameworkRule::VocabularyPlacement,
            [](Plan& p) { p.strategy.vocabularyPlacement = VocabularyPlacement::Vocab1; },
            [](Plan& p) { p.strategy.vocabularyPlacement = VocabularyPlacement::Ends; });
        add(
            framework, FrameworkRule::TimingPass, [](Plan& p) { p.strategy.timingPass = true; },
            [](Plan& p) { p.strategy.timingPass = false; });
        add(
            framework, FrameworkRule::Schedule, [](Plan& p) { p.strategy.schedule = Schedule::ZbH1; },
            [](Plan& p) { p.strategy.schedule = Schedule::OneFOneB; });
        add(
            framework, FrameworkRule::OrderOfRanks,
            [](Plan& p) {
                p.strategy.rankOrder = {Axis::Pp, Axis::Tp, Axis::Cp, Axis::Ep, Axis::Dp};
            },
            [](Plan& p) {
                p.strategy.rankOrder = {Axis::Cp, Axis::Tp, Axis::Ep, Axis::Dp, Axis::Pp};
            }); // CP 1 has no place
    }
}

void addOfMegatronsLayers(Rows& rows)
{
    const auto add = adderTo(rows);
    add(
        MegatronCore, FrameworkRule::Precision, [](Plan& p) { p.training.precision = Precision::Int8; },
        [](Plan& p) { p.training.precision = Precision::Nvfp4; });
    add(
        MegatronCore, FrameworkRule::Optimizer, [](Plan& p) { p.training.optimizer = Optimizer::Adafactor; },
        [](Plan& p) { p.training.optimizer = Optimizer::Muon; });
    add(
        MegatronCore, FrameworkRule::ContextMethod,
        [](Plan& p) {
            p.strategy.cp = 2;
            p.model.slidingWindow = 256;
        },
        [](Plan& p) { p.strategy.contextMethod = ContextMethod::AllGather; });
    add(
        MegatronCore, FrameworkRule::ContextMethod,
        [](Plan& p) {
            p.strategy.cp = 2;
            p.model.slidingWindow = 256;
        },
        [](Plan& p) { p.model.standIn = StandIn{}; });
}

// In one piece: a table of what breaks and what keeps each rule, the changes to one plan.
void addOfMegatron(Rows& rows)
{
    const auto add = adderTo(rows);
    const Change ulysses = [](Plan& p) {
        p.strategy.tp = 2;
        p.strategy.cp = 4;
        p.strategy.pp = 1;
        p.model.kvHeads = 4;
        p.strategy.contextMethod = ContextMethod::Ulysses;
    };
    add(MegatronCore, FrameworkRule::KvHeads, ulysses, [](Plan& p) { p.model.kvHeads = 8; });
    const Change expertsInGroups = [](Plan& p) {
        addExperts(p);
        p.strategy.pp = 1;
        p.strategy.dp = 4;
        p.strategy.zeroShards = 2;
        p.strategy.etp = 2;
    };
    add(MegatronCore, FrameworkRule::ZeroShards, expertsInGroups, [](Plan& p) { p.strategy.etp = 4; });
    add(TorchTitan, FrameworkRule::ZeroShards, expertsInGroups, [](Plan& p) { p.strategy.etp = 4; });
    add(
        MegatronCore, FrameworkRule::OrderOfRanks,
        [](Plan& p) {
            p.strategy.tp = 2;
            p.strategy.cp = 2;
            p.strategy.rankOrder = {Axis::Tp, Axis::Cp, Axis::Ep, Axis::Pp, Axis::Dp};
        },
        [](Plan& p) {
            p.strategy.tp = 4;
            p.strategy.cp = 1;
        });
    const auto experts = [](bool sequenceParallel) {
        return [sequenceParallel](Plan& p) {
            addExperts(p);
            p.strategy.sequenceParallel = sequenceParallel;
        };
    };
    add(MegatronCore, FrameworkRule::SequenceParallel, experts(false), experts(true));
    add(
        MegatronCore, FrameworkRule::RecomputedLayers,
        [](Plan& p) {
            p.strategy.recompute = Recompute::Full;
            p.strategy.recomputedLayers = {2, 1};
        },
        [](Plan& p) {
            p.strategy.recomputedLayers = {2, 2};
        });
    add(
        MegatronCore, FrameworkRule::Schedule, [](Plan& p) { p.strategy.schedule = Schedule::GPipe; },
        [](Plan& p) {
            p.strategy.schedule = Schedule::Interleaved;
            p.strategy.vpp = 2;
        });
}

void addOfDeepSpeed(Rows& rows)
{
    const auto add = adderTo(rows);
    add(
        DeepSpeed, FrameworkRule::Precision, [](Plan& p) { p.training.precision = Precision::Fp8; },
        [](Plan& p) { p.training.precision = Precision::Fp16; });
    add(
        DeepSpeed, FrameworkRule::ContextMethod,
        [](Plan& p) {
            p.strategy.pp = 1;
            p.strategy.cp = 2;
        },
        [](Plan& p) { p.strategy.contextMethod = ContextMethod::Ulysses; });
    add(
        DeepSpeed, FrameworkRule::ContextWithPipeline,
        [](Plan& p) {
            p.strategy.cp = 2;
            p.strategy.contextMethod = ContextMethod::Ulysses;
        },
        [](Plan& p) { p.strategy.pp = 1; });
    add(
        DeepSpeed, FrameworkRule::KvHeads,
        [](Plan& p) {
            p.strategy.pp = p.strategy.tp = 1;
            p.strategy.cp = 8;
            p.model.heads = 24;
            p.model.kvHeads = 12;
            p.strategy.contextMethod = ContextMethod::Ulysses;
        },
        [](Plan& p) { p.model.kvHeads = 4; }); // each is copied
}

// In one piece: a table of what breaks and what keeps each rule of experts and ZeRO.
void addOfExpertsAndZero(Rows& rows)
{
    const auto add = adderTo(rows);
    const Change otherExpertTp = [](Plan& p) {
        addExperts(p);
        p.strategy.ep = 2;
        p.strategy.etp = 2;
    };
    add(DeepSpeed, FrameworkRule::ExpertTp, otherExpertTp, [](Plan& p) { p.strategy.etp = 1; });
    add(TorchTitan, FrameworkRule::ExpertTp, otherExpertTp, [](Plan& p) { p.strategy.etp = 1; });
    add(
        TorchTitan, FrameworkRule::ExpertTp,
        [](Plan& p) {
            addExperts(p);
            p.strategy.etp = 1;
        },
        [](Plan& p) { p.strategy.ep = 8; });
    add(
        DeepSpeed, FrameworkRule::ZeroStage,
        [](Plan& p) {
            addExperts(p);
            p.strategy.zeroStage = 3;
            p.strategy.pp = 1;
        },
        [](Plan& p) { p.strategy.zeroStage = 2; });
    add(
        DeepSpeed, FrameworkRule::ZeroWithPipeline, [](Plan& p) { p.strategy.zeroStage = 2; },
        [](Plan& p) { p.strategy.zeroStage = 1; });
    add(
        DeepSpeed, FrameworkRule::ZeroShards,
        [](Plan& p) {
            p.strategy.pp = 1;
            p.strategy.dp = 4;
            p.strategy.zeroStage = 2;
            p.strategy.zeroShards = 2;
        },
        [](Plan& p) { p.strategy.zeroStage = 3; });
    add(
        DeepSpeed, FrameworkRule::SequenceParallel, [](Plan& p) { p.strategy.sequenceParallel = true; },
        [](Plan& p) { p.strategy.sequenceParallel = false; });
}

void addOfLayers(Rows& rows)
{
    const auto add = adderTo(rows);
    for (const TargetFramework framework : {DeepSpeed, TorchTitan})
        add(
            framework, FrameworkRule::RecomputedLayers,
            [](Plan& p) {
                p.strategy.recompute = Recompute::Full;
                p.strategy.recomputedLayers = {1, 1};
            },
            [](Plan& p) {
                p.strategy.recomputedLayers = {4, 4};
            });
    add(
        DeepSpeed, FrameworkRule::Offload, [](Plan& p) { p.strategy.offload = Offload::Activations; },
        [](Plan& p) { p.strategy.recompute = Recompute::Full; });
    add(
        DeepSpeed, FrameworkRule::StageLayers,
        [](Plan& p) {
            p.strategy.stageLayers = {3, 5};
        },
        [](Plan& p) {
            p.strategy.stageLayers = {4, 4};
        });
    add(
        DeepSpeed, FrameworkRule::StageLayers, [](Plan& p) { p.model.layers = 9; },
        [](Plan& p) { p.model.layers = 10; });
}

// In one piece: a table of what breaks and what keeps each rule of TorchTitan.
void addOfTorchTitan(Rows& rows)
{
    const auto add = adderTo(rows);
    add(
        TorchTitan, FrameworkRule::Precision, [](Plan& p) { p.training.precision = Precision::Fp16; },
        [](Plan& p) { p.training.precision = Precision::Fp8; });
    add(
        TorchTitan, FrameworkRule::Optimizer, [](Plan& p) { p.training.optimizer = Optimizer::Sgd; },
        [](Plan& p) { p.training.optimizer = Optimizer::Adam; });
    add(
        TorchTitan, FrameworkRule::Attention,
        [](Plan& p) {
            p.training.precision = Precision::Fp8;
            p.training.attention = AttentionKernel::FlashFp8;
        },
        [](Plan& p) { p.training.precision = Precision::Bf16; });
    add(
        TorchTitan, FrameworkRule::LayerTypes, [](Plan& p) { p.model.mamba2 = Mamba2{}; },
        [](Plan& p) { p.model.mamba2 = {}; });
    add(
        TorchTitan, FrameworkRule::LayerTypes, [](Plan& p) { p.model.dsa = SparseAttention{}; },
        [](Plan& p) { p.model.dsa = {}; });
    add(
        TorchTitan, FrameworkRule::ContextMethod,
        [](Plan& p) {
            p.strategy.cp = 2;
            p.strategy.contextMethod = ContextMethod::Ulysses;
        },
        [](Plan& p) { p.strategy.contextMethod = ContextMethod::AllGather; });
    add(
        TorchTitan, FrameworkRule::KvHeads, [](Plan& p) { p.model.kvHeads = 2; }, [](Plan& p) { p.model.kvHeads = 4; });
    add(
        TorchTitan, FrameworkRule::SequenceLength, [](Plan& p) { p.training.sequenceLength = 1020; },
        [](Plan& p) { p.training.sequenceLength = 1016; });
    add(
        TorchTitan, FrameworkRule::ZeroStage, [](Plan& p) { p.strategy.zeroStage = 1; },
        [](Plan& p) { p.strategy.zeroStage = 2; });
    add(
        TorchTitan, FrameworkRule::ZeroStage, [](Plan& p) { p.strategy.zeroStage = 0; },
        [](Plan& p) { p.strategy.tp = p.strategy.pp = 1; });
    add(
        TorchTitan, FrameworkRule::ZeroShards,
        [](Plan& p) {
            p.strategy.pp = 1;
            p.strategy.cp = 4;
            p.strategy.dp = 4;
            p.strategy.zeroShards = 2;
        },
        [](Plan& p) { p.strategy.zeroShards = 8; });
    add(
        TorchTitan, FrameworkRule::SequenceParallel, [](Plan& p) { p.strategy.sequenceParallel = false; },
        [](Plan& p) { p.strategy.sequenceParallel = true; });
    add(
        TorchTitan, FrameworkRule::Offload, [](Plan& p) { p.strategy.offload = Offload::Optimizer; },
        [](Plan& p) { p.strategy.offload = Offload::None; });
    add(
        TorchTitan, FrameworkRule::Schedule, [](Plan& p) { p.strategy.schedule = Schedule::EagerOneFOneB; },
        [](Plan& p) { p.strategy.schedule = Schedule::ZbV; });
}

Rows allRows()
{
    Rows rows;
    for (const auto addSome : {addOfAll, addOfMegatronsLayers, addOfMegatron, addOfDeepSpeed, addOfExpertsAndZero,
             addOfLayers, addOfTorchTitan})
        addSome(rows);
    return rows;
}

} // namespace

class TestFrameworkRules : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyRuleHasAnExampleInAndOneOut();
    void anyFrameworkObjectsToNothing();
    void rulesAreToldInTheirOrder();
    void namesAreThoseOfFiles();
    void sentencesSayWhatWouldBeRight();
    void faultsOfTheCatalogueAreNamed_data();
    void faultsOfTheCatalogueAreNamed();
};

void TestFrameworkRules::everyRuleHasAnExampleInAndOneOut()
{
    std::set<std::pair<TargetFramework, FrameworkRule>> seen;
    for (const Row& row : allRows()) {
        const QByteArray name = QByteArray(title(row.framework).data()) + ' ' + key(row.rule).data();
        Plan plan = base(row.framework);
        QVERIFY2(objections(plan, row.framework).empty(), name.data());
        row.out(plan);
        QVERIFY2(breaks(plan, row.framework, row.rule), name.data());
        row.in(plan);
        QVERIFY2(!breaks(plan, row.framework, row.rule), name.data());
        seen.emplace(row.framework, row.rule);
    }
    for (const TargetFramework framework : kTargetFrameworks)
        for (std::size_t rule = 0; rule < kFrameworkRules; ++rule)
            QCOMPARE(
                seen.contains({framework, FrameworkRule(rule)}), !limit(framework, FrameworkRule(rule)).limit.empty());
}

void TestFrameworkRules::anyFrameworkObjectsToNothing()
{
    for (const Row& row : allRows()) {
        Plan plan = base(row.framework);
        row.out(plan);
        QVERIFY(objections(plan, Any).empty());
        QCOMPARE(firstObjection(plan, Any, scope(row.rule)), kFrameworkRules);
    }
}

void TestFrameworkRules::rulesAreToldInTheirOrder()
{
    for (const Row& row : allRows()) {
        Plan plan = base(row.framework);
        row.out(plan);
        const auto broken = objections(plan, row.framework);
        QVERIFY(
            std::is_sorted(broken.begin(), broken.end(), [](const auto& a, const auto& b) { return a.rule < b.rule; }));
        for (const FrameworkObjection& one : broken)
            QVERIFY(firstObjection(plan, row.framework, scope(one.rule)) <= std::size_t(one.rule));
    }
}

void TestFrameworkRules::namesAreThoseOfFiles()
{
    for (const TargetFramework framework : kTargetFrameworks)
        QCOMPARE(targetFrameworkFromKey(key(framework)), std::optional(framework));
    QCOMPARE(targetFrameworkFromKey("megatron"), std::nullopt);
    std::set<std::string_view> keys;
    for (std::size_t rule = 0; rule < kFrameworkRules; ++rule)
        keys.insert(key(FrameworkRule(rule)));
    QCOMPARE(keys.size(), kFrameworkRules);
}

void TestFrameworkRules::sentencesSayWhatWouldBeRight()
{
    Plan plan = base(MegatronCore);
    plan.strategy.schedule = Schedule::ZbH1;
    QCOMPARE(describe(objections(plan, MegatronCore).front()),
        "Schedule zb-h1: Megatron-Core 0.20 runs 1F1B and interleaving alone; use 1f1b or interleaved.");
    for (const Row& row : allRows()) {
        Plan other = base(row.framework);
        row.out(other);
        for (const FrameworkObjection& one : objections(other, row.framework))
            QVERIFY(!foundBy(one).empty() && !one.limit.empty() && !one.remedy.empty() && !one.source.empty());
    }
}

void TestFrameworkRules::faultsOfTheCatalogueAreNamed_data()
{
    QTest::addColumn<QByteArray>("rule");
    QTest::addColumn<QByteArray>("message");
    const auto row = [](const char* name, const char* keys, const char* message) {
        const QByteArray words = R"(, "limit": "l", "remedy": "r", "source": "s"})";
        QTest::newRow(name) << '{' + QByteArray(keys) + words << "frameworks#/entries/0/rules" + QByteArray(message);
    };
    row("rule", R"("rule": "tp", "runs": ["1"])", "/0/rule: found \"tp\", expected one of tensor_partition, stage_tp");
    row("value", R"("rule": "schedule", "runs": ["1f1b", "2f2b"])",
        "/0/runs/1: found \"2f2b\", expected a value of the rule");
    row("predicate", R"("rule": "schedule", "refuses": "all")",
        "/0/refuses: found \"all\", expected one of stage_tp, stage_recompute");
    row("no values", R"("rule": "stage_tp", "runs": ["1"])", "/0/runs: found an array of 1, expected \"refuses\" with");
    row("neither", R"("rule": "schedule")", "/0/rule: found \"schedule\", expected beside it \"runs\" with values");
    row("both", R"("rule": "schedule", "runs": ["1f1b"], "refuses": "stage_tp")", "/0/rule: found \"schedule\"");
    row("key", R"("rule": "schedule", "runs": ["1f1b"], "why": "")", "/0/why: found the unknown key \"why\"");
    row("twice", R"("rule": "schedule", "runs": ["1f1b"], "limit": "l", "remedy": "r", "source": "s"},
        {"rule": "schedule", "runs": ["1f1b"])",
        "/1: found the rule after schedule, expected rules in their order");
}

void TestFrameworkRules::faultsOfTheCatalogueAreNamed()
{
    QFETCH(const QByteArray, rule);
    QFETCH(const QByteArray, message);
    const QByteArray text =
        R"({"license": "", "entries": [{"id": "deepspeed", "title": "D", "source": "S", "rules": [)" + rule + "]}]}";
    const auto parsed = parseFrameworks({"frameworks", {text.data(), std::size_t(text.size())}});
    QVERIFY(!parsed);
    const QByteArray told(describe(parsed.error()).c_str());
    QVERIFY2(told.startsWith(message), told.data());
}

STRATOPLAN_TEST(TestFrameworkRules)
#include "test_framework_rules.moc"
