// SPDX-License-Identifier: GPL-3.0-or-later
// Every code has a sentence, every place of a pattern a word, and a number the noun that it asks for.
#include "core/narration/estimates.h"
#include "core/narration/frameworks.h"
#include "core/narration/mixes.h"
#include "core/narration/problems.h"
#include "core/narration/searches.h"
#include "core/narration/spaces.h"
#include "core/plan/dimensions.h"
#include "core/units/named.h"
#include "core/units/sentence.h"
#include "tests/registry.h"

#include <QTest>
#include <set>

using namespace stratoplan::catalog;
using namespace stratoplan::estimate;
using namespace stratoplan::narration;
using namespace stratoplan::parallel;
using namespace stratoplan::plan;
using namespace stratoplan::search;
using namespace stratoplan::space;
using namespace stratoplan::units;

class TestNarration : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void patternsAreFilled()
    {
        QCOMPARE(filled("{a} of {b head|heads}", {{"a", {"one"}}, {"b", numberWord(1)}}), "one of 1 head");
        QCOMPARE(filled("{b KV head|KV heads}.", {{"b", numberWord(1024)}}), "1,024 KV heads.");
        QCOMPARE(filled("nothing", {}), "nothing");
        QCOMPARE(filled("{unknown}{", {}), "");
    }

    void numbersAskForTheirNoun()
    {
        QCOMPARE(countedAccelerators(1), "1 accelerator");
        QCOMPARE(countedAccelerators(1024), "1,024 accelerators");
        QCOMPARE(countedStrategies(1), "1 strategy");
        QCOMPARE(countedStrategies(0), "0 strategies");
        QCOMPARE(numberWord(-3).text, "−3");
        QCOMPARE(numberWord(0.5).text, "0.500");
        QCOMPARE(alternatives({"1", "2", "4"}), "1, 2 or 4");
    }

    void mixesAreToldFirstStagesFirst()
    {
        stratoplan::cluster::Cluster cluster;
        cluster.nodes.resize(2);
        cluster.nodes[0].id = "old";
        cluster.nodes[1].name = "DGX H100";
        QCOMPARE(describe(cluster, NodeMix{{1, 0}, {1024, 1}}), "1,024 × DGX H100, 1 × old");
        MixResult result{.proven = true, .mixes = 1, .leftOut = 0, .searched = 1, .strategies = 1234, .seconds = 2};
        QCOMPARE(outcome(result),
            "Proven: 1 mix of nodes, 1 searched (1,234 strategies), 0 left out as others are faster and cheaper than "
            "they can be, in 2.00 s");
        result.proven = false;
        QVERIFY(outcome(result).starts_with("Stopped: 1 mix of nodes, 1 searched"));
    }

    void everyProblemHasAWholeSentence()
    {
        for (const ProblemCode code : allValues<ProblemCode>()) {
            Problem problem;
            problem.code = code;
            problem.found = 6;
            problem.limit = 4;
            problem.detail = "A";
            problem.other = "B";
            for (int cause = 0; cause <= int(ProblemCause::Chunks); ++cause) {
                problem.cause = ProblemCause(cause);
                const std::string told = describe(problem);
                QVERIFY2(told.ends_with('.') && told.find_first_of("{}") == std::string::npos, told.c_str());
            }
        }
    }

    void everyRemedyIsTold()
    {
        std::set<std::string> told;
        for (int edit = 0; edit <= int(EditKind::NoPartitionsNamed); ++edit) {
            const Remedy remedy{EditKind(edit), Dimension::Ep, Strategy{}};
            told.insert(describe(remedy));
            QVERIFY(describe(remedy).find('{') == std::string::npos);
        }
        QCOMPARE(told.size(), std::size_t(EditKind::NoPartitionsNamed) + 1);
        const Remedy remedy{EditKind::FullRecomputation, {}, Strategy{}, RemedyGain{Bytes(14.2 * kGiB), 0.031}};
        QCOMPARE(describe(remedy), "Use full recomputation: −14.2 GiB, step +3.1 %");
    }

    void everyExtrapolationIsTold()
    {
        std::set<std::string> told;
        for (int code = 0; code <= int(ExtrapolationCode::AboveCases); ++code) {
            const Extrapolation one{.code = ExtrapolationCode(code),
                .accelerator = "H100",
                .vendor = "NVIDIA",
                .optimizer = Optimizer::Muon,
                .imbalance = 1.25,
                .software = "NeMo",
                .traits = {},
                .extent = Extent::Tp,
                .bound = 8,
                .value = 16};
            told.insert(describe(one));
        }
        QCOMPARE(told.size(), std::size_t(ExtrapolationCode::AboveCases) + 1);
        QVERIFY(told.contains("Measured up to TP 8 with this software, this plan has 16."));
        QVERIFY(told.contains("No measured case with no recomputation in NeMo."));
        QVERIFY(told.contains("No measured case on accelerators of NVIDIA."));
        QVERIFY(told.contains("No measured case that updates by Muon."));
        QVERIFY(told.contains("No measured case states how unevenly its experts are used, here 1.25 x the mean."));
        QVERIFY(told.contains("No measured case with BF16 in NeMo."));
    }

    void everyChangeIsTold()
    {
        QCOMPARE(
            describe(StrategyChange{ChangeCode::Number, Dimension::MicroBatch, 2, 4}), "micro-batch 2 instead of 4");
        QCOMPARE(describe(StrategyChange{ChangeCode::TwoNumbers, Dimension::Tp, 8, 4, Dimension::Dp, 2, 4}),
            "TP 8 and DP 2 instead of 4 and 4");
        QCOMPARE(describe(StrategyChange{ChangeCode::Choice, Dimension::ZeroStage, 1, 0}), "ZeRO-1 instead of ZeRO-0");
        QCOMPARE(describe(StrategyChange{ChangeCode::Off, Dimension::SequenceParallel, 0, 1}),
            "without sequence parallelism");
        QCOMPARE(describe(StrategyChange{
                     ChangeCode::ScheduleInOneChunk, Dimension::Schedule, int(Schedule::ZbV), int(Schedule::OneFOneB)}),
            "schedule zb-v with one chunk a stage instead of 1f1b");
        QCOMPARE(describe(std::vector{StrategyChange{ChangeCode::EvenLayers}, StrategyChange{ChangeCode::FewerOnLast}}),
            "layers spread evenly; a layer fewer on the last stage");
    }

    void searchesEndInOneSentence()
    {
        SearchResult result;
        result.space = 1234;
        result.unvisited = 617;
        SearchOptions options;
        QCOMPARE(outcome(result, options),
            "stopped with 50.0 % of 1,234 strategies decided, before any was found that fits");
        result.best = FoundStrategy{};
        result.best->step = Seconds(3);
        result.gap = 0.1;
        options.objective = Objective::TokensPerCost;
        QCOMPARE(outcome(result, options),
            "stopped with 50.0 % of 1,234 strategies decided: 3.00 s is the best found, what was not reached may be up "
            "to "
            "10.0 % cheaper");
        result.proven = true;
        result.space = 1;
        QCOMPARE(outcome(result, options), "proven: nothing among 1 strategy beats 3.00 s");
        result.space = 0;
        QCOMPARE(outcome(result, options), "no strategy is left to try");
    }

    void whyIsToldOfWhoIsAsked()
    {
        Why why;
        why.binding = Binding::MoreAccelerators;
        why.accelerators = 8;
        QCOMPARE(describe(why, Asked::It, {}, FoundStrategy{}), "It uses 8 accelerators, where 1 is enough.");
        why.binding = Binding::OutOfMemory;
        why.over = Bytes(3 * kGiB);
        QCOMPARE(describe(why, Asked::PlansOwn, {}, {}),
            "The plan's own strategy needs 3.00 GiB more than there is, on stage 0.");
        QCOMPARE(describe(why, Asked::Other, {.headroom = 0.1}, {}),
            "The strategy asked about needs 3.00 GiB more than is left with 10.0 % free, on stage 0.");
    }

    void rulesAndTermsHaveWords()
    {
        for (std::size_t rule = 0; rule < kPruneRules; ++rule)
            QVERIFY(!describe(PruneRule(rule)).empty());
        for (std::size_t rule = 0; rule < kFrameworkRules; ++rule)
            QVERIFY(!describe(FrameworkRule(rule)).empty());
        for (std::size_t term = 0; term < kStepTerms; ++term)
            QVERIFY(!describe(StepTerm(term)).empty());
        for (const FixedReason reason : {FixedReason::Locked, FixedReason::EvenLayers, FixedReason::WholeCluster,
                 FixedReason::NoClosedForm, FixedReason::Unasked})
            QVERIFY(!describe(FixedDimension{SpacePart::OpenSchedules, {}, reason}).reason.empty());
    }
};

STRATOPLAN_TEST(TestNarration)
#include "test_narration.moc"
