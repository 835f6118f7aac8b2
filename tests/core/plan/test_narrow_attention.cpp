// SPDX-License-Identifier: GPL-3.0-or-later
// Where attention in FP8 has no kernel, or nobody knows how fast it is.
#include "core/narration/problems.h"
#include "core/plan/problem.h"
#include "tests/core/fixtures.h"
#include "tests/registry.h"

#include <QTest>
#include <algorithm>
#include <functional>

using namespace stratoplan::cluster;
using namespace stratoplan::model;
using namespace stratoplan::narration;
using namespace stratoplan::plan;
using namespace stratoplan::units;

namespace {

/// On an accelerator that runs attention in FP8.
Plan narrow()
{
    Plan p = stratoplan::fixtures::gpt3();
    p.training.attention = AttentionKernel::FlashFp8;
    p.training.precision = Precision::Fp8;
    Accelerator& accelerator = p.cluster.nodes[0].accelerator;
    accelerator.peak[Precision::Fp8] = FlopsPerSecond(624e12);
    accelerator.exponentials = FlopsPerSecond(2.4e12);
    return p;
}

/// What is said of it, errors alone.
QString refusal(const Plan& plan)
{
    for (const Problem& problem : check(plan, {.remedies = false}))
        if (problem.code == ProblemCode::NarrowAttention && problem.severity == Severity::Error)
            return QString::fromStdString(describe(problem));
    return {};
}

class TestNarrowAttention : public QObject {
    Q_OBJECT

private slots:
    void isRefusedWhereItHasNoKernel_data()
    {
        QTest::addColumn<std::function<void(Plan&)>>("change");
        QTest::addColumn<QString>("said");
        const auto add = [](const char* name, std::function<void(Plan&)> change, const char* said) {
            QTest::newRow(name) << std::move(change) << QString(said);
        };
        add(
            "as it is", [](Plan&) {}, "");
        add(
            "no exponentials", [](Plan& p) { p.cluster.nodes[0].accelerator.exponentials = {}; },
            "How fast test accelerator runs attention in FP8 is not known: use flash attention, or state "
            "exponentials_t_s and an FP8 rate of the accelerator.");
        add(
            "no FP8 beside FP4",
            [](Plan& p) {
                p.training.precision = Precision::Nvfp4;
                p.cluster.nodes[0].accelerator.peak[Precision::Nvfp4] = FlopsPerSecond(624e12);
                p.cluster.nodes[0].accelerator.peak[Precision::Fp8] = {};
            },
            "How fast test accelerator runs attention in FP8 is not known: use flash attention, or state "
            "exponentials_t_s and an FP8 rate of the accelerator.");
        add(
            "other heads", [](Plan& p) { p.model.headDim = 96; },
            "Attention in FP8 trains head dimensions of 128, and on Blackwell smaller multiples of 16, not 96: use "
            "flash attention.");
        add(
            "latent vectors", [](Plan& p) { p.model.mla = LatentAttention{}; },
            "Attention in FP8 is not priced for latent attention: use flash attention.");
        add(
            "a window", [](Plan& p) { p.model.slidingWindow = 128; },
            "Attention in FP8 is not priced over a sliding window: use flash attention.");
        add(
            "documents", [](Plan& p) { p.training.documentLength = 128; },
            "Attention in FP8 has no kernel for packed documents: use flash attention, or no document_length.");
    }

    void isRefusedWhereItHasNoKernel()
    {
        QFETCH(std::function<void(Plan&)>, change);
        QFETCH(QString, said);
        Plan plan = narrow();
        change(plan);
        QCOMPARE(refusal(plan), said);
    }

    /// The precision is told of alone: another one may have both.
    void precisionsThatTheAcceleratorLacksComeFirst()
    {
        Plan plan = narrow();
        plan.cluster.nodes[0].accelerator.peak[Precision::Fp8] = {};
        QCOMPARE(refusal(plan), QString());
        QVERIFY(hasErrors(check(plan, {.remedies = false})));
    }

    /// Blackwell has kernels of smaller heads, in multiples of 16.
    void headsDependOnTheAccelerator()
    {
        Plan plan = narrow();
        const auto isRefused = [&](int headDim) {
            plan.model.headDim = headDim;
            return !refusal(plan).isEmpty();
        };
        QVERIFY(!isRefused(128) && isRefused(64) && isRefused(256));
        plan.cluster.nodes[0].accelerator.peak[Precision::Mxfp8] = FlopsPerSecond(624e12);
        QVERIFY(!isRefused(128) && !isRefused(64) && isRefused(72) && isRefused(256));
    }
};

} // namespace

STRATOPLAN_TEST(TestNarrowAttention)
#include "test_narrow_attention.moc"
