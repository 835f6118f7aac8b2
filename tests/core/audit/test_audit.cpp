// SPDX-License-Identifier: GPL-3.0-or-later
// A run beside its estimate: sums that close, profiles made of an estimate that explain themselves, edits by hand.
#include "core/audit/audit.h"
#include "core/exchange/document.h"
#include "core/reporting/audits.h"
#include "tests/core/audit/traces.h"
#include "tests/core/fixtures.h"
#include "tests/registry.h"

#include <QFile>
#include <QTest>

using namespace stratoplan;
using namespace stratoplan::audit;
using namespace stratoplan::traces;

namespace {

plan::Plan exampleNamed(const char* name)
{
    return exchange::parseDocument(exchange::findExample(name)->text, catalog::shippedCatalog())->project.plan;
}

plan::Plan replicated()
{
    plan::Plan plan = fixtures::small();
    plan.strategy.zeroStage = 1;
    return plan;
}

const std::string kReplicas = R"(,"Process Group Description":"DATA_PARALLEL_GROUP_WITH_CP")";
const std::string kTensors = R"(,"Process Group Description":"TENSOR_MODEL_PARALLEL_GROUP")";

/// A profile that does what the causes say, one kernel each, in microseconds.
Profile profileOfCauses(const CauseSeconds& causes, double attentionForwards = 1)
{
    std::vector<Event> events;
    double now = 0;
    const auto add = [&](Cause cause, const std::string& name, const std::string& more = {}, int stream = 7) {
        const double duration = causes[cause].value() * 1e6;
        if (duration > 0)
            events.push_back(kernel(name, now, duration, stream, more));
        now += duration;
    };
    const double hidden = causes.hiddenOf(Cause::DataParallel).value() * 1e6;
    events.push_back(kernel(kReduceScatter, 0, hidden, 20, kReplicas));
    add(Cause::Matmul, kGemm);
    const double attention = causes[Cause::Attention].value() * 1e6;
    for (int i = 0; i < int(attentionForwards); ++i)
        events.push_back(kernel(kFlashForward, now + i, 1));
    add(Cause::Attention, kFlashBackward);
    add(Cause::OtherComputation, kNorm);
    add(Cause::Optimizer, kAdam);
    add(Cause::TensorParallel, kAllReduce, kTensors, 21);
    add(Cause::DataParallel, kReduceScatter, kReplicas, 20);
    now += causes[Cause::Idle].value() * 1e6 + causes[Cause::Pipeline].value() * 1e6;
    events.push_back(mark(1, 0, std::max(now, attention)));
    return profileOf(events);
}

CauseSeconds causesOf(const plan::Plan& plan)
{
    const estimate::Estimate e = estimate::estimate(plan).value();
    return estimatedCauses(plan, e, pacingStage(e));
}

const Finding* find(const Audit& audit, FindingCode code)
{
    const auto found = std::ranges::find(audit.findings, code, &Finding::code);
    return found == audit.findings.end() ? nullptr : &*found;
}

/// Of replicated() and a profile.
Audit auditOf(const CauseSeconds& causes, double attentionForwards = 1)
{
    AuditInputs inputs;
    inputs.plan = replicated();
    inputs.profile = profileOfCauses(causes, attentionForwards);
    return audit::audit(inputs).value();
}

} // namespace

class TestAudit : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// Of every shipped plan and stage: the causes total the step, and computation that of the breakdown.
    void estimatedCausesTotalTheStep()
    {
        for (const exchange::Example& example : exchange::examples()) {
            const plan::Plan plan = exampleNamed(example.name.c_str());
            const auto e = estimate::estimate(plan, {.remedies = false, .waits = false, .range = false});
            QVERIFY2(e, example.name.c_str());
            for (int stage = 0; stage < plan.strategy.pp; stage += std::max(1, plan.strategy.pp / 3)) {
                const CauseSeconds causes = estimatedCauses(plan, *e, stage);
                const pricing::Breakdown& b = e->stages[std::size_t(stage)];
                QVERIFY(std::abs(causes.total() / b.total() - 1) < 1e-9);
                QVERIFY(std::abs((causes.computation() - causes[Cause::Optimizer]) / b.compute() - 1) < 1e-9);
                QVERIFY(causes[Cause::Matmul] > b.compute() * 0.3);
            }
        }
    }

    void lanesReachOverTheStep()
    {
        const plan::Plan plan = exampleNamed("gpt3-175b-1024-a100");
        const estimate::Estimate e = estimate::estimate(plan).value();
        const std::vector<LaneSlice> lane = estimatedLane(e, 3);
        QVERIFY(!lane.empty());
        double now = 0;
        for (const LaneSlice& slice : lane) {
            QVERIFY(std::abs(slice.start - now) < 1e-5 * e.step.value() && slice.seconds > 0);
            now = slice.start + slice.seconds;
        }
        QVERIFY(std::abs(now / e.step.value() - 1) < 0.02);
    }

    void ranksLieOnTheirStages()
    {
        const parallel::Strategy s = fixtures::gpt3().strategy; // TP 8, DP 16, PP 8
        QCOMPARE(stageOfRank(s, 0).value(), 0);
        QCOMPARE(stageOfRank(s, 127).value(), 0);
        QCOMPARE(stageOfRank(s, 128).value(), 1);
        QCOMPARE(stageOfRank(s, 1023).value(), 7);
        QVERIFY(!stageOfRank(s, 1024) && !stageOfRank(s, -1));
        parallel::Strategy inner = s;
        inner.rankOrder = {
            parallel::Axis::Tp, parallel::Axis::Pp, parallel::Axis::Cp, parallel::Axis::Ep, parallel::Axis::Dp};
        QCOMPARE(stageOfRank(inner, 8).value(), 1);
        QCOMPARE(stageOfRank(inner, 64).value(), 0);
    }

    /// A profile that does just what the estimate says differs in nothing.
    void aRunAsEstimatedHasNothingToExplain()
    {
        const CauseSeconds causes = causesOf(replicated());
        const Audit audit = auditOf(causes);
        QVERIFY(std::abs(audit.measured / audit.estimate.step - 1) < 1e-4);
        QVERIFY(find(audit, FindingCode::WithinRange));
        for (const Finding& finding : audit.findings)
            QCOMPARE(finding.seconds.value(), 0.0);
        Seconds measured{}, estimated{};
        for (const CauseRow& row : audit.rows) {
            measured += *row.measured;
            estimated += row.estimated;
        }
        QVERIFY(std::abs(measured / audit.step->step - 1) < 1e-9);
        QVERIFY(std::abs(estimated / audit.estimate.step - 1) < 1e-9);
    }

    void slowProductsAreFound()
    {
        CauseSeconds causes = causesOf(replicated());
        const Seconds before = causes[Cause::Matmul];
        causes[Cause::Matmul] = before * 1.5;
        const Audit audit = auditOf(causes);
        const Finding* const finding = find(audit, FindingCode::SlowMatmul);
        QVERIFY(finding);
        QVERIFY(std::abs(finding->seconds / (before * 0.5) - 1) < 1e-3);
        QVERIFY(std::abs(finding->amount * 1.5 - 1) < 1e-3);
        QCOMPARE(int(audit.rows.front().cause), int(Cause::Matmul)); // it explains most
        QCOMPARE(int(audit.findings.front().code), int(FindingCode::SlowMatmul));
    }

    void idleDevicesAreFound()
    {
        CauseSeconds causes = causesOf(replicated());
        const Seconds more = causes.total() * 0.25;
        causes[Cause::Idle] += more;
        const Audit audit = auditOf(causes);
        const Finding* const host = find(audit, FindingCode::HostBound);
        QVERIFY(host && std::abs(host->seconds / more - 1) < 0.01);
    }

    /// All that the estimate hides is exposed: as long, but beside nothing.
    void communicationThatIsNotHiddenIsFound()
    {
        plan::Plan plan = replicated();
        plan.training.software.dpOverlap = 1;
        plan.training.software.dpExposedFloor = 0.05;
        plan.cluster.nodes.front().nic.bandwidth = units::BytesPerSecond(2e9);
        CauseSeconds causes = causesOf(plan);
        const Seconds hidden = causes.hiddenOf(Cause::DataParallel);
        QVERIFY(hidden > causes.total() * 0.02);
        causes.hiddenPart(Cause::DataParallel) = Seconds{};
        causes[Cause::DataParallel] += hidden;
        AuditInputs inputs;
        inputs.plan = plan;
        inputs.profile = profileOfCauses(causes);
        const Audit audit = audit::audit(inputs).value();
        const Finding* const finding = find(audit, FindingCode::NotOverlapped);
        QVERIFY(finding && int(finding->cause) == int(Cause::DataParallel));
        QVERIFY(std::abs(finding->seconds / hidden - 1) < 1e-3);
        QCOMPARE(finding->amount, 0.0);
        QVERIFY(!find(audit, FindingCode::SlowCommunication));
        CauseSeconds slow = causesOf(plan);
        slow[Cause::DataParallel] = slow[Cause::DataParallel] + causes.total() * 0.3;
        inputs.profile = profileOfCauses(slow);
        QVERIFY(find(audit::audit(inputs).value(), FindingCode::SlowCommunication));
    }

    /// Attention that runs forward twice for each backward pass is recomputed; then products are not called slow.
    void recomputationIsFound()
    {
        plan::Plan plan = replicated();
        plan.strategy.recompute = parallel::Recompute::Full;
        const Audit audit = auditOf(causesOf(plan), 2);
        const Finding* const finding = find(audit, FindingCode::Recomputes);
        QVERIFY(finding && fixtures::near(finding->amount, 2));
        QVERIFY(!find(audit, FindingCode::SlowMatmul) && !find(audit, FindingCode::SlowAttention));
        QVERIFY(!find(auditOf(causesOf(plan), 1), FindingCode::Recomputes));
    }

    void whatIsStatedIsTheMeasuredStep()
    {
        AuditInputs inputs;
        inputs.plan = replicated();
        inputs.stated = Seconds(100);
        const Audit audit = audit::audit(inputs).value();
        QCOMPARE(audit.measured.value(), 100.0);
        QCOMPARE(int(audit.origin), int(StepOrigin::Stated));
        QCOMPARE(audit.mfu.step.value(), 100.0);
        QVERIFY(!audit.step && !audit.rows.empty() && !audit.rows.front().measured);
        inputs.stated.reset();
        inputs.mfu = quotedMfu("10 %");
        inputs.mfuConvention = "causal";
        const Audit quoted = audit::audit(inputs).value();
        QCOMPARE(int(quoted.origin), int(StepOrigin::Mfu));
        const auto value = conventionNamed(quoted.mfu, "causal");
        QVERIFY(fixtures::near(quoted.mfu.values[value.value()].mfu, 0.1));
        QVERIFY(std::ranges::find(quoted.quotedMatches.matching, *value) != quoted.quotedMatches.matching.end());
    }

    /// Each edit changes one thing, and its gain is the difference of two estimates; no neighbour gains more.
    void editsAreTheBestNeighbours()
    {
        plan::Plan plan = fixtures::small();
        plan.strategy.recompute = parallel::Recompute::Full;
        plan.training.attention = plan::AttentionKernel::Unfused;
        const estimate::Estimate e = estimate::estimate(plan).value();
        const std::vector<PlanEdit> edits = bestEdits(plan, e);
        QCOMPARE(edits.size(), std::size_t{3});
        double before = 1e9;
        for (const PlanEdit& edit : edits) {
            QVERIFY(edit.gain.value() > 0 && edit.gain.value() <= before);
            before = edit.gain.value();
            const estimate::Estimate then = estimate::estimate(edit.plan).value();
            QVERIFY(then.fits && fixtures::near(then.step.value(), edit.step.value()));
            QVERIFY(fixtures::near((e.step - then.step).value(), edit.gain.value()));
        }
        for (const space::Neighbour& neighbour : space::neighbours(plan, plan.strategy)) {
            plan::Plan other = plan;
            other.strategy = neighbour.strategy;
            const auto then = estimate::estimate(other, {.remedies = false, .range = false});
            if (then && then->fits)
                QVERIFY((e.step - then->step).value() <= edits.front().gain.value() * (1 + 1e-9));
        }
        QVERIFY(std::ranges::any_of(edits, [](const PlanEdit& edit) { return !edit.change; })); // fused attention
    }

    void everyFindingHasItsSentence()
    {
        for (int i = 0; !key(FindingCode(i)).empty(); ++i) {
            const std::string text =
                reporting::describe(Finding{FindingCode(i), Cause::DataParallel, Seconds(1.5), 2, 0.5});
            QVERIFY2(text.ends_with('.') && text.find('{') == std::string::npos, text.c_str());
        }
        for (int i = 0; !key(Setting(i)).empty(); ++i) {
            const std::string text = reporting::describe(SettingFinding{Setting(i), "name", "False", "True", "s", 1});
            QVERIFY2(text.ends_with('.') && text.find('{') == std::string::npos, text.c_str());
        }
    }

    /// The shipped example: its log and its profile are read, and agree with one another.
    void theShippedExampleIsAudited()
    {
        AuditInputs inputs;
        inputs.plan = exampleNamed("llama-70b-512-h100");
        QFile file(STRATOPLAN_AUDITS "/example.log");
        QVERIFY(file.open(QIODevice::ReadOnly));
        const auto log = loggedRun(file.readAll().toStdString(), "example.log", inputs.plan, "plan");
        QVERIFY(log);
        inputs.log = *log;
        const auto profile = readProfile(std::filesystem::path(STRATOPLAN_AUDITS "/example-profile.json"));
        QVERIFY(profile);
        inputs.profile = *profile;
        const Audit audit = audit::audit(inputs).value();
        QCOMPARE(int(audit.origin), int(StepOrigin::Log));
        QVERIFY(std::abs(audit.step->step / audit.measured - 1) < 0.05);
        QCOMPARE(audit.step->steps.size(), std::size_t{2});
        QVERIFY(!audit.findings.empty() && audit.edits.size() <= 3);
        const std::string verdict = reporting::verdict(audit);
        QVERIFY2(verdict.find("from the log") != std::string::npos, verdict.c_str());
    }
};

STRATOPLAN_TEST(TestAudit)
#include "test_audit.moc"
