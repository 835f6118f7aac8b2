// SPDX-License-Identifier: GPL-3.0-or-later
// The pipeline chart in the program: what it compares with, what the details say of what is marked, and trace files.
#include "app/gui/explore/pipeline_binding.h"
#include "core/pipeline/program.h"
#include "tests/app/gui_test.h"
#include "tests/finding.h"
#include "widgets/charts/pipeline_chart.h"
#include "widgets/charts/schedule_strip.h"
#include "widgets/presentation/gantt_text.h"
#include "widgets/presentation/text.h"
#include "widgets/shell/message_bar.h"

#include <QApplication>
#include <QFile>
#include <QFileDialog>
#include <QLineEdit>
#include <QMenu>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>
#include <nlohmann/json.hpp>

using namespace stratoplan::catalog;
using namespace stratoplan::estimate;
using namespace stratoplan::gui;
using namespace stratoplan::parallel;
using namespace stratoplan::pipeline;
using namespace stratoplan::plan;
using namespace stratoplan::search;
using namespace stratoplan::session;
using namespace stratoplan::units;
using namespace stratoplan::widgets;
using namespace stratoplan::test;

namespace {

/// The chart with a workspace around it, and no window.
struct Bench {
    static PlannerFunctions functions()
    {
        PlannerFunctions core = corePlannerFunctions();
        core.zones = [](const Plan&, const std::stop_token&) { return StrategyZones(); };
        core.improvements = [](const Plan&, const std::stop_token&) { return std::vector<Improvement>(); };
        core.searching.search = [](const SearchRequest&, const std::stop_token&, const SearchProgressCallback&) {
            return SearchResult();
        };
        core.searching.sample = [](const SearchRequest&, const std::stop_token&, const SampleCallback&) {};
        return core;
    }

    explicit Bench(PlannerFunctions planner = functions())
        : workspace(shippedCatalog(), std::move(planner))
    {
        chart.resize(900, 400);
        chart.show();
    }
    void open(std::string_view example = "gpt3-175b-1024-a100")
    {
        workspace.document().load(exampleDocument(example), {});
    }
    [[nodiscard]] bool settled()
    {
        return QTest::qWaitFor(
            [this] { return workspace.planner().isIdle() && !workspace.isUpdating() && workspace.estimate(); }, 20000);
    }
    [[nodiscard]] QToolButton* button() const { return menuButton(chart); }
    [[nodiscard]] QStringList choices() const
    {
        QStringList names;
        for (const QAction* action : button()->menu()->actions())
            names << action->text();
        return names;
    }
    void choose(const QString& name) const
    {
        for (QAction* action : button()->menu()->actions()) {
            if (action->text() == name) {
                action->trigger();
                return;
            }
        }
        QFAIL(qPrintable(name + QStringLiteral(" is not offered")));
    }
    /// "name<tab>value" lines.
    [[nodiscard]] QString details() const
    {
        QStringList lines;
        for (const DetailSection& section : binding.details()) {
            lines << section.title << section.text << section.remark;
            for (const DetailRow& row : section.rows)
                lines << row.name + u'\t' + row.value;
        }
        return lines.join(u'\n');
    }

    Workspace workspace;
    PipelineChart chart;
    MessageBar messages;
    PipelineBinding binding{workspace, chart, messages, nullptr};
};

const QString kZbH1 = QStringLiteral("ZB-H1");

Strategy inOneChunk(const Plan& plan, Schedule schedule)
{
    Strategy strategy = plan.strategy;
    strategy.schedule = schedule;
    strategy.vpp = 1;
    return strategy;
}

/// The order in which a schedule runs the plan, as a file has it.
QByteArray orderOf(Plan plan, Schedule schedule)
{
    plan.strategy = inOneChunk(plan, schedule);
    QByteArray text("# made by a test\n");
    for (const StageProgram& stage : programsOf(estimate(plan)->pipeline)) {
        for (const PipelineStep& step : stage)
            text += "FBIW"[static_cast<std::size_t>(step.kind)] + QByteArray::number(step.microBatch) + ' ';
        text += '\n';
    }
    return text;
}

/// What the same plan takes with that schedule as its own.
Timeline timelineOf(Plan plan, Schedule schedule)
{
    plan.strategy = inOneChunk(plan, schedule);
    return GanttIndex(simulate(estimate(plan)->pipeline)).timeline();
}

void write(const QString& path, const QByteArray& text)
{
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write(text) == text.size());
}

} // namespace

class TestPipelineBinding : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { failOnWarnings(); }
    void cleanup() { QCOMPARE(Warnings::instance().take(), QStringList()); }

    void offersWhatThePlanCouldRun()
    {
        Bench bench;
        QVERIFY(bench.button()->isHidden());
        bench.open();
        QVERIFY(bench.settled());
        QCOMPARE(
            &bench.chart.scene().index(), &bench.workspace.timeline()->index); // made ready by the planner, not again
        const QStringList names = bench.choices();
        QVERIFY(
            names.contains(QStringLiteral("1F1B")) && names.contains(kZbH1) && names.contains(QStringLiteral("GPipe")));
        QVERIFY2(names.contains(QStringLiteral("ZB-V")) && names.contains(QStringLiteral("DualPipe")),
            qPrintable(names.join(u','))); // whatever its chunks
        QVERIFY(!names.contains(QStringLiteral("interleaved 1F1B"))); // its own
        const Plan& plan = bench.workspace.plan();
        for (const PipelineAlternative& alternative : pipelineAlternatives(plan)) {
            const Plan other = withAlternative(plan, alternative);
            QVERIFY2(estimate(other).has_value(), qPrintable(alternativeText(alternative, plan)));
            QVERIFY(alternativeOf(other) == alternative);
        }
        Plan single = plan;
        single.strategy.pp = 1;
        QVERIFY(pipelineAlternatives(single).empty());
    }

    void comparesAndFollowsThePlan()
    {
        Bench bench;
        bench.open();
        QVERIFY(bench.settled());
        QSignalSpy marked(&bench.binding, &PipelineBinding::marked);
        bench.choose(kZbH1);
        QVERIFY(bench.settled());
        QVERIFY(bench.chart.scene().isComparing());
        QCOMPARE(bench.chart.scene().shown(1).name, kZbH1);
        QVERIFY(marked.last().first().toBool());
        QVERIFY2(
            bench.details().contains(QStringLiteral("ZB-H1 against interleaved 1F1B")), qPrintable(bench.details()));
        Plan other = bench.workspace.plan();
        other.strategy.schedule = Schedule::ZbH1;
        other.strategy.vpp = 1;
        const auto priced = estimate(other);
        QVERIFY(priced.has_value());
        QVERIFY(bench.chart.scene().index(1).timeline() == GanttIndex(simulate(priced->pipeline)).timeline());
        // The plan changes, and both timelines with it.
        const Seconds before = bench.chart.scene().index(1).timeline().step;
        Strategy slower = bench.workspace.plan().strategy;
        slower.recompute = Recompute::Full;
        bench.workspace.editStrategy(slower, QStringLiteral("recompute"));
        QVERIFY(bench.settled());
        QVERIFY(bench.chart.scene().isComparing());
        QVERIFY(bench.chart.scene().index(1).timeline().step > before);
        QVERIFY(bench.chart.scene().difference()->firstStep == bench.workspace.timeline()->timeline().step);
        // A schedule that becomes the plan's own is nothing to compare with.
        slower.schedule = Schedule::ZbH1;
        slower.vpp = 1;
        bench.workspace.editStrategy(slower, QStringLiteral("schedule"));
        QVERIFY(bench.settled());
        QVERIFY(!bench.chart.scene().isComparing());
        QVERIFY(bench.details().isEmpty());
    }

    void endsWithNothing()
    {
        Bench bench;
        bench.open();
        QVERIFY(bench.settled());
        bench.choose(kZbH1);
        QVERIFY(bench.settled());
        bench.choose(QStringLiteral("Nothing"));
        QVERIFY(bench.settled());
        QVERIFY(!bench.chart.scene().isComparing());
        QVERIFY(bench.details().isEmpty());
        bench.choose(kZbH1);
        QVERIFY(bench.settled());
        bench.open("llama3-405b-16384-h100"); // another document starts without
        QVERIFY(bench.settled());
        QVERIFY(!bench.chart.scene().isComparing());
        QVERIFY(!bench.chart.isEmpty());
    }

    void saysWhyAPlanCannotBeCompared()
    {
        PlannerFunctions functions = Bench::functions();
        functions.estimate = [](const Plan& plan, const std::stop_token&) -> EstimateResult {
            if (plan.strategy.schedule != Schedule::ZbH1)
                return estimate(plan);
            Problem problem;
            problem.code = ProblemCode::NotEstimable;
            problem.cause = ProblemCause::NotFinite;
            return tl::unexpected(std::vector<Problem>{problem});
        };
        Bench bench(functions);
        bench.open();
        QVERIFY(bench.settled());
        bench.choose(kZbH1);
        QVERIFY(bench.settled());
        QVERIFY(!bench.chart.scene().isComparing() && !bench.chart.isEmpty());
        QVERIFY2(
            bench.messages.text().contains(kZbH1) && bench.messages.text().contains(QStringLiteral("no finite number")),
            qPrintable(bench.messages.text()));
        QVERIFY(bench.button()->menu()->actions().front()->isChecked()); // nothing
    }

    void saysWhenAStepIsTooLongToDraw()
    {
        PlannerFunctions functions = Bench::functions();
        functions.timeline = [](const Estimate&) -> TimelinePointer { return nullptr; };
        Bench bench(functions);
        bench.open();
        QVERIFY(bench.settled());
        QVERIFY(bench.chart.isEmpty());
        QVERIFY(bench.chart.emptyText().contains(QStringLiteral("five million")));
        QVERIFY(bench.button()->isHidden());
    }

    void tellsOfWhatIsMarked()
    {
        Bench bench;
        bench.open();
        QVERIFY(bench.settled());
        const GanttIndex& index = bench.chart.scene().index();
        bench.chart.marks().select(GanttRef{0, index.lane(1, LaneKind::SendForward).slice.front()});
        QString said = bench.details();
        for (const char* expected : {"Stage 1 · send activation · micro-batch 0", "To\tstage 2",
                 "Bytes per rank\t6.00 MiB", "Link\tInfiniBand HDR", "Duration\t"})
            QVERIFY2(said.contains(QString::fromUtf8(expected)), qPrintable(said));
        const auto& slices = index.timeline().slices;
        const auto sync = std::find_if(slices.begin(), slices.end(),
            [](const Slice& s) { return s.stage == 1 && s.kind == SliceKind::GradientSync; });
        QVERIFY(sync != slices.end());
        bench.chart.marks().select(GanttRef{0, static_cast<std::uint32_t>(sync - slices.begin())});
        said = bench.details();
        for (const char* expected : {"Stage 1 · gradient sync", "Between\t16 replicas", "Bytes per rank\t10.", " GiB"})
            QVERIFY2(said.contains(QString::fromUtf8(expected)), qPrintable(said));
        // The first pass of a stage ends the filling of the pipeline: it began when the stage before had sent.
        bench.chart.marks().select(GanttRef{0, index.lane(1, LaneKind::Work).slice.front()});
        said = bench.details();
        QVERIFY2(said.contains(QStringLiteral("Filling\t"))
                && said.contains(QStringLiteral("Ended by stage 0 · send activation · micro-batch 0")),
            qPrintable(said));
        QVERIFY(said.contains(QStringLiteral("critical path")));
        QVERIFY2(said.contains(QStringLiteral("Stage 1 over the step"))
                && said.contains(QStringLiteral("Exposed gradient sync\t")),
            qPrintable(said));
        bench.chart.marks().selectArea({{1, 2}, 0, 3});
        said = bench.details();
        QVERIFY2(said.contains(QStringLiteral("Area of stages 0–3")) && said.contains(QStringLiteral("Length\t1.00 s"))
                && said.contains(QStringLiteral("Forward (")),
            qPrintable(said));
        bench.chart.marks().clear();
        QVERIFY(bench.details().isEmpty());
    }

    void tellsOfWhatIsMarkedInBoth()
    {
        Bench bench;
        bench.open();
        QVERIFY(bench.settled());
        bench.choose(kZbH1);
        QVERIFY(bench.settled());
        bench.chart.marks().select(GanttRef{1, bench.chart.scene().index(1).lane(2, LaneKind::Work).slice[5]});
        QVERIFY(bench.details().contains(QStringLiteral("One micro-batch on stage 2")));
        bench.chart.marks().selectArea({{1, 2}, 0, 3}); // of both
        const QString said = bench.details();
        QCOMPARE(said.count(QStringLiteral("Sums by kind, ")), 2);
        QVERIFY2(
            said.contains(QStringLiteral("Sums by kind, ZB-H1")) && said.contains(QStringLiteral("Weight gradient (")),
            qPrintable(said));
        bench.chart.marks().clear();
        QVERIFY(bench.details().contains(QStringLiteral("ZB-H1 against"))); // what is still on the screen
    }

    void tellsOfWaits()
    {
        Bench bench;
        bench.open();
        QVERIFY(bench.settled());
        const Timeline& timeline = bench.chart.scene().index().timeline();
        const auto last = std::find_if(timeline.waits.begin(), timeline.waits.end(),
            [](const Wait& w) { return w.cause == Wait::Cause::CoolDown; });
        QVERIFY(last != timeline.waits.end());
        bench.chart.marks().select(GanttRef{0, bench.chart.scene().index().indexOf(*last), true});
        QString said = bench.details();
        for (const QString& expected :
            {QStringLiteral("Stage %1 · idle").arg(last->stage), QStringLiteral("Start\t%1").arg(text(last->start)),
                QStringLiteral("Duration\t%1").arg(text(last->duration)), QStringLiteral("Cause\t"),
                QStringLiteral("lasts until the step ends"), QStringLiteral("over the step")})
            QVERIFY2(said.contains(expected), qPrintable(expected + u'\n' + said));
        const auto ended =
            std::find_if(timeline.waits.begin(), timeline.waits.end(), [](const Wait& w) { return w.endedBy >= 0; });
        QVERIFY(ended != timeline.waits.end());
        bench.chart.marks().select(GanttRef{0, bench.chart.scene().index().indexOf(*ended), true});
        said = bench.details();
        QVERIFY2(said.contains(QStringLiteral("Ended by ")
                     + titleOf(timeline.slices[static_cast<std::size_t>(ended->endedBy)], timeline)),
            qPrintable(said));
    }

    // In one piece: one schedule follows its plan through several edits.
    void aScheduleFromAFileFollowsThePlan()
    {
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("order.txt"));
        Bench bench;
        bench.open();
        bench.workspace.editStrategy(inOneChunk(bench.workspace.plan(), Schedule::GPipe), QStringLiteral("schedule"));
        QVERIFY(bench.settled());
        write(path, orderOf(bench.workspace.plan(), Schedule::OneFOneB));
        QSignalSpy opened(&bench.binding, &PipelineBinding::scheduleOpened);
        bench.binding.openSchedule(path);
        QVERIFY(bench.settled());
        QCOMPARE(opened.size(), 1);
        const ScheduleStrip& strip = *bench.chart.findChild<ScheduleStrip*>();
        QVERIFY2(bench.chart.scene().isComparing() && !strip.isWrong(), qPrintable(strip.text()));
        // The order of 1F1B is 1F1B, wherever it was read.
        QVERIFY(bench.chart.scene().index(1).timeline() == timelineOf(bench.workspace.plan(), Schedule::OneFOneB));
        QVERIFY(bench.chart.scene().index(1).timeline().peakInFlight
            != bench.chart.scene().index(0).timeline().peakInFlight);
        QCOMPARE(bench.chart.scene().shown(0).name, QStringLiteral("GPipe"));
        QCOMPARE(bench.chart.scene().shown(1).name, QStringLiteral("file order.txt"));
        for (const char* expected : {"order.txt: step ", "idle", "at most 8 micro-batches in flight", "memory peak "})
            QVERIFY2(strip.text().contains(QString::fromUtf8(expected)), qPrintable(strip.text()));
        QVERIFY2(bench.chart.note().contains(QStringLiteral("file order.txt")),
            qPrintable(bench.chart.note())); // and so in every export
        QVERIFY2(bench.details().contains(QStringLiteral("file order.txt against GPipe")), qPrintable(bench.details()));
        // Timed anew with the plan.
        const Seconds before = bench.chart.scene().index(1).timeline().step;
        Strategy slower = bench.workspace.plan().strategy;
        slower.recompute = Recompute::Full;
        bench.workspace.editStrategy(slower, QStringLiteral("recompute"));
        QVERIFY(bench.settled());
        QVERIFY(bench.chart.scene().index(1).timeline().step > before);
        QVERIFY(bench.chart.scene().index(1).timeline() == timelineOf(bench.workspace.plan(), Schedule::OneFOneB));
        // It does not fit fewer micro-batches, and says so where it stands, until it fits again.
        Strategy larger = slower;
        larger.microBatch *= 2;
        bench.workspace.editStrategy(larger, QStringLiteral("micro-batch"));
        QVERIFY(bench.settled());
        QVERIFY(!bench.chart.scene().isComparing() && !bench.chart.isEmpty());
        QVERIFY2(
            strip.isWrong() && strip.text().contains(QStringLiteral("does not fit the plan as it is now: line 2: ")),
            qPrintable(strip.text()));
        bench.workspace.document().undo();
        QVERIFY(bench.settled());
        QVERIFY(bench.chart.scene().isComparing() && !strip.isWrong());
        press(strip, QStringLiteral("Close"));
        QVERIFY(bench.settled());
        QVERIFY(!bench.chart.scene().isComparing() && strip.isHidden() && bench.details().isEmpty());
    }

    // In one piece: a list of files that are no schedule of one plan, and what is said of each.
    void sayWhatIsWrongWithAScheduleFile()
    {
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("order.txt"));
        Bench bench;
        bench.open();
        bench.workspace.editStrategy(inOneChunk(bench.workspace.plan(), Schedule::GPipe), QStringLiteral("schedule"));
        QVERIFY(bench.settled());
        const ScheduleStrip& strip = *bench.chart.findChild<ScheduleStrip*>();
        const auto opened = [&](const QByteArray& text) {
            write(path, text);
            bench.binding.openSchedule(path);
            return bench.settled() && strip.isWrong() && !bench.chart.scene().isComparing();
        };
        QVERIFY2(opened("F0 B1\n"), qPrintable(strip.text()));
        QCOMPARE(strip.text(), QStringLiteral("order.txt: line 1: found B1, expected its forward pass before it."));
        const QByteArray order = orderOf(bench.workspace.plan(), Schedule::GPipe);
        const QByteArray trimmed = order.trimmed();
        QVERIFY2(opened(trimmed.left(trimmed.lastIndexOf(' '))), qPrintable(strip.text())); // without the last pass
        QVERIFY2(strip.text().contains(QStringLiteral("line 9: found no B95, expected every pass")),
            qPrintable(strip.text()));
        // Stage 0 asks for a gradient before it sends what stage 1 wants first.
        QByteArray stuck("F0 B0");
        for (int i = 1; i < 96; ++i)
            stuck += " F" + QByteArray::number(i) + " B" + QByteArray::number(i);
        QVERIFY2(opened(stuck + '\n' + order.split('\n').mid(2).join('\n')), qPrintable(strip.text()));
        QVERIFY2(strip.text().contains(QStringLiteral("wait for each other for ever"))
                && strip.text().contains(QStringLiteral("stage 0 in B0")),
            qPrintable(strip.text()));
        // Mended and read again.
        write(path, order);
        press(strip, QStringLiteral("Read again"));
        QVERIFY(bench.settled());
        QVERIFY2(bench.chart.scene().isComparing() && !strip.isWrong(), qPrintable(strip.text()));
        // A choice of the menu ends it.
        bench.choose(QStringLiteral("Nothing"));
        QVERIFY(bench.settled());
        QVERIFY(!bench.chart.scene().isComparing() && strip.isHidden());
        bench.binding.openSchedule(folder.filePath(QStringLiteral("none.txt")));
        QVERIFY2(
            bench.messages.kind() == MessageKind::Error && bench.messages.text().contains(QStringLiteral("none.txt")),
            qPrintable(bench.messages.text()));
        QVERIFY(strip.isHidden());
        bench.binding.openSchedule(path);
        bench.open("llama3-405b-16384-h100"); // another document starts without
        QVERIFY(bench.settled());
        QVERIFY(!bench.chart.scene().isComparing() && strip.isHidden());
    }

    // In one piece: one trace is written, read back and held against the chart.
    void writesTraces()
    {
        QTemporaryDir folder;
        Bench bench;
        bench.open();
        QVERIFY(bench.settled());
        const auto save = [&](const QString& path) {
            Q_EMIT bench.chart.traceWanted(0);
            auto* dialog = bench.chart.window()->findChild<QFileDialog*>();
            QVERIFY(dialog);
            dialog->findChild<QLineEdit*>()->setText(path);
            QMetaObject::invokeMethod(dialog, "accept");
            QTRY_VERIFY(!bench.messages.text().isEmpty());
            QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        };
        const QString path = folder.filePath(QStringLiteral("step.json"));
        save(path);
        QVERIFY2(
            bench.messages.kind() == MessageKind::Done && bench.messages.text().contains(QStringLiteral("Perfetto")),
            qPrintable(bench.messages.text()));
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const auto trace = nlohmann::json::parse(file.readAll().toStdString());
        const auto& events = trace.at("traceEvents");
        const auto slices =
            std::count_if(events.begin(), events.end(), [](const auto& event) { return event.at("ph") == "X"; });
        const Timeline& drawn = bench.chart.scene().index().timeline();
        QCOMPARE(static_cast<std::size_t>(slices), drawn.slices.size() + drawn.waits.size());
        const auto sized = std::count_if(events.begin(), events.end(),
            [](const auto& event) { return event.contains("args") && event.at("args").contains("bytes"); });
        const auto transfers = std::count_if(drawn.slices.begin(), drawn.slices.end(),
            [](const Slice& s) { return s.kind == SliceKind::SendForward || s.kind == SliceKind::SendBackward; });
        QVERIFY(transfers > 0);
        QCOMPARE(sized, transfers);
        // Of what is compared, and named after it.
        bench.choose(kZbH1);
        QVERIFY(bench.settled());
        bench.messages.clear();
        const QString other = folder.filePath(QStringLiteral("other.json"));
        Q_EMIT bench.chart.traceWanted(1);
        auto* dialog = bench.chart.window()->findChild<QFileDialog*>();
        QVERIFY(dialog);
        dialog->findChild<QLineEdit*>()->setText(other);
        QMetaObject::invokeMethod(dialog, "accept");
        QTRY_VERIFY(!bench.messages.text().isEmpty());
        QFile otherFile(other);
        QVERIFY(otherFile.open(QIODevice::ReadOnly));
        const QByteArray text = otherFile.readAll();
        const auto otherTrace = nlohmann::json::parse(text.toStdString());
        const auto& otherEvents = otherTrace.at("traceEvents");
        const Timeline& second = bench.chart.scene().index(1).timeline();
        QCOMPARE(static_cast<std::size_t>(std::count_if(
                     otherEvents.begin(), otherEvents.end(), [](const auto& event) { return event.at("ph") == "X"; })),
            second.slices.size() + second.waits.size());
        QVERIFY(text.contains(", ZB-H1"));
    }
};

QTEST_MAIN(TestPipelineBinding)
#include "test_pipeline_binding.moc"
