// SPDX-License-Identifier: GPL-3.0-or-later
// Ranges from measured cases: what holds whatever the cases are, and what the shipped ones say of real plans.
#include "core/catalog/catalog.h"
#include "core/estimate/estimate.h"
#include "core/estimate/range.h"
#include "core/narration/estimates.h"
#include "tests/core/fixtures.h"
#include "tests/registry.h"

#include <QTest>

#include <algorithm>
#include <functional>
#include <random>
#include <set>

using namespace stratoplan::catalog;
using namespace stratoplan::estimate;
using namespace stratoplan::model;
using namespace stratoplan::narration;
using namespace stratoplan::parallel;
using namespace stratoplan::plan;

namespace {

EvidenceRow rowLike(const Plan& plan, std::string id, double residual)
{
    EvidenceRow row;
    row.id = std::move(id);
    row.source = "lab";
    row.group = "a shape";
    row.software = plan.training.software.id;
    row.accelerator = acceleratorOf(plan);
    row.traits = traitsOf(plan);
    row.residual = residual;
    row.residualBySource = residual;
    return row;
}

const Plan& measuredPlan()
{
    static const Plan measured = [] {
        Plan plan = fixtures::gpt3();
        plan.training.software.id = "stack";
        plan.training.software.name = "the stack";
        return plan;
    }();
    return measured;
}

/// Eleven cases like the plan, and another source that scatters more.
std::vector<EvidenceRow> cases(const Plan& plan, double shift = 0)
{
    std::vector<EvidenceRow> rows;
    for (int i = -5; i <= 5; ++i) {
        rows.push_back(rowLike(plan, "near/" + std::to_string(i), shift + 0.01 * i));
        rows.push_back(rowLike(plan, "other/" + std::to_string(i), 0.06 * i));
        rows.back().software = "other";
        rows.back().source = "elsewhere";
    }
    return rows;
}

double width(const RangeFactors& range)
{
    return range.high / range.low;
}

bool says(const std::vector<Extrapolation>& found, const std::string& words)
{
    return std::any_of(found.begin(), found.end(),
        [&](const Extrapolation& one) { return describe(one).find(words) != std::string::npos; });
}

Plan presetPlan(const char* software)
{
    Plan plan = measuredPlan();
    if (const SoftwareProfile* profile = shippedCatalog().softwareProfile(software))
        plan.training.software = *profile;
    return plan;
}

} // namespace

class TestRange : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// Peaks of memory have evidence of their own; times say nothing of them.
    void peaksHaveTheirOwnRange()
    {
        const Plan& plan = measuredPlan();
        std::vector<EvidenceRow> rows = cases(plan);
        for (EvidenceRow row : cases(plan, 0.3)) {
            row.memory = true;
            row.id += " peak";
            rows.push_back(row);
        }
        const RangeFactors time = Evidence(rows).asMeasured(plan);
        const RangeFactors peak = Evidence(rows, Measure::PeakMemory).asMeasured(plan);
        QVERIFY(time.high < 1.2 && peak.high > 1.25);
        QVERIFY(std::abs(time.median - 1) < 0.02 && peak.median > 1.2);
        const auto answer = estimate(fixtures::gpt3());
        QVERIFY(
            answer && answer->memory.peakLow < answer->memory.peak && answer->memory.peakHigh > answer->memory.peak);
        const auto without = estimate(fixtures::gpt3(), {.range = false});
        QVERIFY(without && without->memory.peakLow == without->memory.peak
            && without->memory.peakHigh == without->memory.peak);
    }

    void rowsComeBackAsWritten()
    {
        Plan plan = measuredPlan();
        plan.strategy.zeroStage = 3;
        plan.training.precision = Precision::Mxfp8;
        std::vector<EvidenceRow> rows = cases(plan);
        rows.front().weight = 8;
        rows.back().memory = true;
        rows.back().weight = 0;
        rows.front().filled = 3;
        rows.front().residualBySource = -0.1234;
        const auto read = readEvidence(writeEvidence(rows));
        QVERIFY(read);
        QVERIFY(*read == rows);
        QCOMPARE(writeEvidence(*read), writeEvidence(rows));
    }

    void faultyRowsSayWhichLine_data()
    {
        QTest::addColumn<QByteArray>("from");
        QTest::addColumn<QByteArray>("to");
        QTest::newRow("heading") << QByteArray("id,source") << QByteArray("name,source");
        QTest::newRow("word for number") << QByteArray("96,12288") << QByteArray("96,wide");
        QTest::newRow("nothing of an extent") << QByteArray("96,12288") << QByteArray("96,0");
        QTest::newRow("unknown precision") << QByteArray("bf16") << QByteArray("bf17");
        QTest::newRow("of what") << QByteArray("time,near") << QByteArray("mood,near");
        QTest::newRow("a cell too few") << QByteArray("lab,a shape") << QByteArray("lab");
        QTest::newRow("not finite") << QByteArray(",-0.05,-0.05\n") << QByteArray(",nan,-0.05\n");
    }
    void faultyRowsSayWhichLine()
    {
        QFETCH(const QByteArray, from);
        QFETCH(const QByteArray, to);
        QByteArray text = QByteArray::fromStdString(writeEvidence(cases(measuredPlan())));
        QVERIFY(text.contains(from));
        text.replace(text.indexOf(from), from.size(), to);
        const auto read = readEvidence(text.toStdString());
        QVERIFY(!read);
        QVERIFY2(read.error().starts_with("line "), read.error().c_str());
    }

    void theRangeHoldsTheEstimateAndTheMedianOfWhatIsMeasured()
    {
        const Plan plan = measuredPlan();
        std::mt19937 random(3);
        for (const double shift : {-0.3, -0.04, 0.0, 0.02, 0.3}) {
            const Evidence evidence(cases(plan, shift));
            for (int i = 0; i < 50; ++i) {
                RangeQuery query = rangeQuery(plan);
                for (int& extent : query.traits.extents)
                    extent = std::max(1, extent >> random() % 4 << random() % 4);
                query.filled = static_cast<int>(random() % 5);
                const RangeFactors range = evidence.range(query);
                QVERIFY(range.low <= range.median && range.median <= range.high);
                QVERIFY(range.low <= 1 && range.high >= 1 && range.low > 0);
            }
        }
    }

    void aPlanThatWasMeasuredHasTheErrorOfItsCases()
    {
        const RangeFactors range = Evidence(cases(measuredPlan(), 0.1)).range(rangeQuery(measuredPlan()));
        QVERIFY(range.median > 1.07 && range.median < 1.11);
        QVERIFY(range.low == 1 && range.high > range.median && range.high < 1.25);
    }

    void theRangeWidensWithDistance_data()
    {
        QTest::addColumn<int>("extent");
        for (const Extent extent :
            {Extent::Layers, Extent::Hidden, Extent::Heads, Extent::Sequence, Extent::Accelerators, Extent::MicroBatch,
                Extent::MicroBatches, Extent::Tp, Extent::Pp, Extent::Dp, Extent::Cp, Extent::Ep, Extent::Vpp})
            QTest::addRow("extent %d", static_cast<int>(extent)) << static_cast<int>(extent);
    }
    void theRangeWidensWithDistance()
    {
        QFETCH(const int, extent);
        const Evidence evidence(cases(measuredPlan()));
        RangeQuery query = rangeQuery(measuredPlan());
        double before = 0;
        for (int doublings = 0; doublings < 6; ++doublings) {
            const double now = width(evidence.range(query));
            QVERIFY(now > before);
            before = now;
            query.traits.extents[static_cast<std::size_t>(extent)] *= 2;
        }
    }

    void anotherKindWidensTheRange()
    {
        const Evidence evidence(cases(measuredPlan()));
        const RangeQuery same = rangeQuery(measuredPlan());
        const double own = width(evidence.range(same));
        std::vector<RangeQuery> others(10, same);
        others[0].accelerator = "another accelerator";
        others[1].traits.precision = Precision::Fp8;
        others[2].traits.precision = Precision::Fp16;
        others[3].traits.recompute = Recompute::Full;
        others[4].traits.schedule = Schedule::GPipe;
        others[5].traits.zeroStage = 3;
        others[6].traits.flash = !same.traits.flash;
        others[7].traits.latentAttention = true;
        others[8].traits.slidingWindow = true;
        others[9].traits.sequenceParallel = !same.traits.sequenceParallel;
        for (std::size_t i = 0; i < others.size(); ++i)
            QVERIFY2(width(evidence.range(others[i])) > own, qPrintable(QString::number(i)));
    }

    void everyFieldFilledInWidensTheRange()
    {
        const Evidence evidence(cases(measuredPlan()));
        RangeQuery query = rangeQuery(measuredPlan());
        double before = 0;
        for (query.filled = 0; query.filled < 8; ++query.filled) {
            const double now = width(evidence.range(query));
            QVERIFY(now > before);
            before = now;
        }
        // Cases with fields filled in themselves count for less than what they missed by.
        std::vector<EvidenceRow> guessed = cases(measuredPlan());
        for (EvidenceRow& row : guessed)
            row.filled = 6;
        QVERIFY(width(Evidence(guessed).range(rangeQuery(measuredPlan())))
            < width(evidence.range(rangeQuery(measuredPlan()))));
    }

    void farFromEverythingItIsAtLeastTheSpreadBetweenSources()
    {
        const Evidence evidence(cases(measuredPlan()));
        RangeQuery query = rangeQuery(measuredPlan());
        for (int& extent : query.traits.extents)
            extent *= 64;
        const RangeFactors far = evidence.range(query);
        query.software = "never measured";
        const RangeFactors unknown = evidence.range(query);
        QVERIFY(!evidence.knows("never measured") && evidence.knows("stack"));
        QVERIFY(far.low <= unknown.low && far.high >= unknown.high);
        QVERIFY(unknown.high > 1.1 && unknown.low < 0.9);
    }

    void aCaseSaysNothingOfItsOwnRange()
    {
        std::vector<EvidenceRow> rows = cases(measuredPlan());
        const RangeFactors without = Evidence(rows).range(rangeQuery(measuredPlan()));
        rows.push_back(rowLike(measuredPlan(), "wild", 2));
        rows.back().residualBySource = 0;
        rows.back().weight = 4;
        const Evidence evidence(rows);
        const RangeQuery query = rangeQuery(measuredPlan());
        QVERIFY(evidence.range(query).high > 2 * without.high);
        QVERIFY(evidence.without("wild").range(query).high < 1.1 * without.high);
    }

    void rowsThatOthersStandForAndThoseOfMemorySayNothing()
    {
        std::vector<EvidenceRow> rows = cases(measuredPlan());
        const RangeFactors without = Evidence(rows).range(rangeQuery(measuredPlan()));
        rows.push_back(rowLike(measuredPlan(), "stood for", 2));
        rows.back().weight = 0;
        rows.push_back(rowLike(measuredPlan(), "memory", 2));
        rows.back().memory = true;
        QVERIFY(Evidence(rows).range(rangeQuery(measuredPlan())) == without);
    }

    void theOrderOfTheRowsIsNothing()
    {
        std::vector<EvidenceRow> rows = cases(measuredPlan());
        const Evidence evidence(rows);
        RangeQuery query = rangeQuery(measuredPlan());
        query.traits.extents[static_cast<std::size_t>(Extent::Accelerators)] *= 2;
        std::shuffle(rows.begin(), rows.end(), std::mt19937(5));
        QVERIFY(Evidence(rows).range(query) == evidence.range(query));
    }

    /// Whatever no case has widens the range, and is told: each by as much, a vendor of whom nothing was measured more
    /// than another part of one that was.
    void unmeasuredKindsWiden()
    {
        Plan plan = measuredPlan();
        plan.cluster.nodes[0].accelerator.id = "h100-sxm-80";
        plan.cluster.nodes[0].accelerator.vendor = "NVIDIA";
        plan.model.moe = MixtureOfExperts{};
        const Evidence evidence(cases(plan));
        const auto widthOf = [&](const Plan& changed) { return std::log(width(evidence.asMeasured(changed))); };
        const auto with = [&](const std::function<void(Plan&)>& change) {
            Plan changed = plan;
            change(changed);
            return changed;
        };
        const double usual = widthOf(plan);
        const std::vector<std::pair<const char*, Plan>> kinds{
            {"offloads", with([](Plan& p) { p.strategy.offload = Offload::Optimizer; })},
            {"updates by SGD", with([](Plan& p) { p.training.optimizer = Optimizer::Sgd; })},
            {"in space and time", with([](Plan& p) { p.strategy.tensorPartition = TensorPartition::SpatialTemporal; })},
            {"unevenly its experts", with([](Plan& p) { p.model.moe->imbalance = 1.2; })},
        };
        for (const auto& [words, changed] : kinds) {
            QVERIFY2(std::abs(widthOf(changed) / usual - 1.2) < 1e-9, words);
            QVERIFY2(says(evidence.extrapolations(changed, shippedCatalog()), words), words);
            QVERIFY2(!says(evidence.extrapolations(plan, shippedCatalog()), words), words);
        }
        const auto onPart = [&](const char* id, const char* vendor) {
            return with([&](Plan& p) {
                p.cluster.nodes[0].accelerator.id = id;
                p.cluster.nodes[0].accelerator.vendor = vendor;
            });
        };
        const double another = widthOf(onPart("b300-sxm-270", "NVIDIA")), other = widthOf(onPart("mi355x-288", "AMD"));
        QVERIFY(another > 1.3 * usual && other > another);
        QCOMPARE(other, widthOf(onPart("no such chip", "")));
        QVERIFY(!says(evidence.extrapolations(onPart("b300-sxm-270", "NVIDIA"), shippedCatalog()), "of NVIDIA"));
        QVERIFY(says(evidence.extrapolations(onPart("mi355x-288", "AMD"), shippedCatalog()), "accelerators of AMD"));
        QVERIFY(
            says(evidence.extrapolations(onPart("no such chip", ""), shippedCatalog()), "vendor that is not stated"));
    }

    /// Constants that are not the catalogue's; one of 0 switches something off, as sources say of their runs.
    void editedConstantsWiden()
    {
        Plan plan = presetPlan("megatron-core-2024");
        plan.cluster.nodes[0].accelerator = *shippedCatalog().accelerator("a100-sxm-80");
        const auto shipped = estimate(plan);
        plan.training.software.dpOverlap = 0;
        QVERIFY(!says(estimate(plan)->extrapolates, "are edited"));
        plan.training.software.matmulFactor *= 1.05;
        const auto edited = estimate(plan);
        QVERIFY(says(edited->extrapolates, "Constants of Megatron Core (2024) are edited"));
        QVERIFY(edited->stepHigh / edited->stepLow > 1.02 * (shipped->stepHigh / shipped->stepLow));
        plan.training.software.base = plan.training.software.id;
        plan.training.software.id = "mine"; // and so are those that take the ranges of another
        QVERIFY(says(estimate(plan)->extrapolates, "Constants of Megatron Core (2024) are edited"));
        plan.training.software.base.clear(); // a profile of its own states its range
        QVERIFY(!says(estimate(plan)->extrapolates, "are edited"));
    }

    /// Runs of one's own on an accelerator that no shipped case has take back what its being unmeasured adds.
    void runsOnAnAcceleratorMeasureIt()
    {
        Plan plan = presetPlan("megatron-core-2024");
        plan.cluster.nodes[0].accelerator = *shippedCatalog().accelerator("mi300x-192");
        const auto width = [&] {
            const auto e = estimate(plan);
            return std::log(e->stepHigh / e->stepLow);
        };
        SoftwareProfile& software = plan.training.software;
        const double shipped = width();
        software.base = software.id;
        software.id = "mine";
        software.rangeLow = software.rangeHigh = 1;
        software.calibratedOn =
            CalibratedOn{5, 1, {std::string(acceleratorOf(plan))}, extentsOf(plan), extentsOf(plan)};
        const double ofRuns = width();
        software.calibratedOn->accelerators = {"somebody-elses"};
        QVERIFY(ofRuns < 0.9 * shipped);
        QVERIFY(ofRuns < 0.9 * width());
    }

    void noEvidenceIsNoCrash()
    {
        const Evidence none({});
        QVERIFY(none.range(rangeQuery(measuredPlan())) == RangeFactors{});
        const auto sentences = none.extrapolations(measuredPlan(), shippedCatalog());
        QCOMPARE(sentences.size(), std::size_t{3}); // stack, accelerator, its vendor
        QVERIFY(says(sentences, "the stack"));
    }

    void extrapolationsSpeakOfWhatWasNotMeasured()
    {
        Plan plan = measuredPlan();
        const Evidence evidence(cases(plan));
        QVERIFY(evidence.extrapolations(plan, shippedCatalog()).empty());
        plan.strategy.dp *= 16;
        plan.training.globalBatch *= 16;
        QVERIFY(says(evidence.extrapolations(plan, shippedCatalog()),
            "Measured up to 1,024 accelerators with this software, this plan has 16,384."));
        plan.strategy.cp = 2;
        QVERIFY(says(evidence.extrapolations(plan, shippedCatalog()),
            "No measured case with context parallelism in the stack."));
        plan.training.precision = Precision::Fp8;
        QVERIFY(says(evidence.extrapolations(plan, shippedCatalog()), "No measured case with FP8 in the stack."));
        plan.model.mla = LatentAttention{};
        QVERIFY(says(evidence.extrapolations(plan, shippedCatalog()),
            "No measured case with multi-head latent attention (MLA) on test accelerator."));
        const RangeFactors latent = evidence.range(rangeQuery(plan));
        plan.model.dsa = SparseAttention{};
        QVERIFY(says(evidence.extrapolations(plan, shippedCatalog()), "No measured case with sparse attention."));
        const RangeFactors sparse = evidence.range(rangeQuery(plan));
        QVERIFY(sparse.low <= latent.low && sparse.high > latent.high);
        plan.model.dsa.reset();
        plan.model.mamba2 = Mamba2{.layers = 1, .ffnLayers = 1, .heads = 8};
        QVERIFY(says(
            evidence.extrapolations(plan, shippedCatalog()), "No measured case with state-space (Mamba-2) layers."));
        plan.model.mamba2.reset();
        plan.cluster.nodes.front().accelerator.id = plan.cluster.nodes.front().accelerator.name = "H100 SXM";
        QVERIFY(says(evidence.extrapolations(plan, shippedCatalog()), "No measured case on H100 SXM."));
        QVERIFY(says(evidence.extrapolations(plan, shippedCatalog()),
            "No measured case with multi-head latent attention (MLA) on H100 SXM."));
    }

    void sixteenBitFormatsAreOneKindOfMeasurement()
    {
        Plan plan = measuredPlan();
        const Evidence evidence(cases(plan));
        plan.training.precision = plan.training.precision == Precision::Bf16 ? Precision::Fp16 : Precision::Bf16;
        QVERIFY(evidence.extrapolations(plan, shippedCatalog()).empty());
    }

    void everyShippedProfileButTheUnmeasuredHasEvidence()
    {
        // Fitted to nothing, or (Alpa's) set by hand to the one run there is.
        const std::set<std::string> unmeasured{"pytorch-eager", "jax-xla", "deepspeed", "alpa"};
        for (const SoftwareProfile& software : shippedCatalog().software)
            QCOMPARE(shippedEvidence().times.knows(software.id), !unmeasured.contains(software.id));
    }

    void estimatesCarryTheRangeOfTheShippedCases()
    {
        const Plan plan = presetPlan("megatron-lm-2021");
        const auto answer = estimate(plan);
        QVERIFY(answer);
        const RangeFactors range = shippedEvidence().times.range(rangeQuery(plan));
        QCOMPARE(answer->stepLow.value(), answer->step.value() * range.low);
        QCOMPARE(answer->stepHigh.value(), answer->step.value() * range.high);
        QVERIFY(says(answer->extrapolates, "No measured case on test accelerator."));
        const auto guessed = estimate(plan, {.filled = 6});
        QVERIFY(guessed && guessed->stepHigh > answer->stepHigh && guessed->stepLow < answer->stepLow);
        const auto bare = estimate(plan, {.range = false});
        QVERIFY(bare && bare->stepLow == bare->step && bare->stepHigh == bare->step && bare->extrapolates.empty());
        QCOMPARE(bare->step, answer->step);
    }

    // In one piece: one calibrated plan, asked where it was run, where its runs scatter, and away from them.
    void aCalibratedProfileKeepsTheEvidenceOfItsBase()
    {
        Plan plan = measuredPlan();
        const Evidence evidence(cases(plan, 0.1));
        const RangeFactors base = evidence.range(plan);
        plan.training.software.id = "stack-calibrated";
        plan.training.software.base = "stack";
        plan.training.software.rangeLow = 0.999;
        plan.training.software.rangeHigh = 1.001;
        plan.training.software.calibratedOn =
            CalibratedOn{5, 1.5, {std::string(acceleratorOf(plan))}, extentsOf(plan), extentsOf(plan)};
        QCOMPARE(outside(*plan.training.software.calibratedOn, plan), 0.0);
        const RangeFactors own = evidence.range(plan);
        // As wide as the base's, about what the runs said rather than about the bias of the base.
        QVERIFY(std::abs(std::log(width(own)) - std::log(width(base))) < 0.02);
        QVERIFY(own.low < 1 && own.high > 1 && own.high < base.high);
        QVERIFY(evidence.extrapolations(plan, shippedCatalog()).empty());

        // Never narrower than the person's own residuals.
        Plan scattered = plan;
        scattered.training.software.rangeLow = 0.7;
        scattered.training.software.rangeHigh = 1.6;
        QVERIFY(evidence.range(scattered).low <= 0.7 && evidence.range(scattered).high >= 1.6);

        // Away from the runs it reaches back to where the base would be: 1 / 1.5 of it.
        Plan away = plan;
        away.model = fixtures::gpt(24, 2048, 16);
        away.strategy.tp = 1;
        const double leaves = outside(*away.training.software.calibratedOn, away);
        QVERIFY(leaves > 0.8 && leaves < 1);
        QVERIFY(evidence.range(away).low < own.low * std::pow(1.5, -0.8));
        Plan larger = plan;
        larger.cluster.nodes.front().count *= 4;
        larger.strategy.dp *= 4;
        larger.training.globalBatch *= 4;
        const std::vector<Extrapolation> sentences = evidence.extrapolations(larger, shippedCatalog());
        QVERIFY(says(sentences, "Calibrated to runs with at most 1,024 accelerators, this plan has 4,096."));
        QVERIFY(says(
            sentences, "Measured up to 1,024 accelerators with this software")); // what the base leaves open stays open
        QVERIFY(evidence.range(larger).low < own.low);
        larger.cluster.nodes.front().accelerator.id = "another";
        QVERIFY(says(evidence.extrapolations(larger, shippedCatalog()),
            "None of the runs that this profile was calibrated to was on these accelerators."));
        QVERIFY(evidence.range(larger).low < evidence.range(away).low * 1.5);

        // A base without a measured case: what the profile states among the runs, the spread between sources away from
        // them.
        for (Plan* one : {&plan, &away})
            one->training.software.base = "nobody's";
        QCOMPARE(evidence.range(plan).low, 0.999);
        QVERIFY(evidence.range(away).low < 0.9 && evidence.range(away).high > 1.1);
    }

    void aProfileOfOnesOwnStatesItsRange()
    {
        Plan plan = presetPlan("nemo");
        plan.training.software.id = "nemo-of-ours";
        plan.training.software.rangeLow = 0.97;
        plan.training.software.rangeHigh = 1.04;
        const auto answer = estimate(plan);
        QVERIFY(answer);
        QCOMPARE(answer->stepLow.value(), answer->step.value() * 0.97);
        QCOMPARE(answer->stepHigh.value(), answer->step.value() * 1.04);
        QVERIFY(says(answer->extrapolates, "No shipped measured case with"));
    }
};

STRATOPLAN_TEST(TestRange)
#include "test_range.moc"
