// SPDX-License-Identifier: GPL-3.0-or-later
// What the panels tell of an estimate: the verdict, the problems and the details.
#include "core/plan/dimensions.h"
#include "tests/patience.h"
#include "tests/widgets/panels/panel_test.h"
#include "tests/widgets/panels/sample_plan.h"
#include "widgets/panels/details_panel.h"
#include "widgets/panels/problems_panel.h"
#include "widgets/panels/section.h"
#include "widgets/panels/verdict_bar.h"
#include "widgets/style/theme.h"

#include <QApplication>
#include <QClipboard>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>
#include <QVBoxLayout>

namespace stratoplan::widgets {

using namespace test;

class TestAnswerPanels : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { test::startPanelTest(); }
    void cleanup()
    {
        const QString warnings = test::takeQtWarnings();
        QVERIFY2(warnings.isEmpty(), qPrintable(warnings));
    }

    void verdictSaysFigures();
    void verdictSaysWhatIdleOnesCost();
    void verdictComparesWithABaseline();
    void verdictHasThreeFiguresAndAUnitEverywhere();
    void verdictAlarmsWhenItDoesNotFit();
    void verdictWithoutAnEstimateIsDashes();
    void verdictWrapsAndNeverCuts();
    void verdictShowsUpdatingOnlyWhenItTakesLong();
    void verdictIsNeverNotANumber();

    void problemsAreListedErrorsFirst();
    void remediesAreOneClick();
    void remediesKeepTheKeyboard();
    void remediesMoveIntoAMenu();
    void problemsFoldToTwoLines();
    void detailsShowRowsAndExplanation();
    void detailsStayWhereTheyWereRead();
};

namespace {

capacity::Capacity sampleRun()
{
    capacity::Capacity run;
    run.tokens = 300e9;
    run.steps = 95'367;
    run.days = {11.12, 11.4, 11.82};
    run.goodput.share = 0.95;
    run.acceleratorHours.mid = 274e3;
    run.isPriced = true;
    run.cost.mid = 548e3;
    run.energyKwh.mid = 142e3;
    return run;
}

plan::CapacityInputs sampleInputs()
{
    plan::CapacityInputs inputs;
    inputs.tokens = 300e9;
    inputs.pricePerAcceleratorHour = 2;
    inputs.goodput = 0.95;
    return inputs;
}

} // namespace

void TestAnswerPanels::verdictSaysFigures()
{
    VerdictBar bar;
    bar.setCapacityInputs(sampleInputs());
    bar.setEstimate(sampleEstimate(), sampleRun());
    const VerdictText step = bar.cell(VerdictFigure::StepTime)->content();
    QCOMPARE(step.value, QStringLiteral("9.84"));
    QCOMPARE(step.unit, QStringLiteral("s"));
    QCOMPARE(step.note, QStringLiteral("9.60–10.2 s"));
    QCOMPARE(bar.cell(VerdictFigure::Throughput)->content().value, QStringLiteral("320 k"));
    const VerdictText mfu = bar.cell(VerdictFigure::Mfu)->content();
    QCOMPARE(mfu.value + mfu.unit, QStringLiteral("50.3%"));
    QCOMPARE(mfu.details, QStringList{"HFU 51.9 %"});
    QCOMPARE(bar.cell(VerdictFigure::PerAccelerator)->content().details, QStringList{"of 312 peak"});
    const VerdictText memory = bar.cell(VerdictFigure::Memory)->content();
    QCOMPARE(memory.value, QStringLiteral("68.4"));
    QCOMPARE(memory.unit, QStringLiteral("of 80 GiB"));
    QVERIFY(std::abs(*memory.filled - 0.855) < 1e-9);
    QCOMPARE(memory.note, QStringLiteral("66.0–71.0 GiB"));
    const VerdictText run = bar.cell(VerdictFigure::Run)->content();
    QCOMPARE(run.title, QStringLiteral("300 B tokens"));
    QCOMPARE(run.value, QStringLiteral("11.4"));
    QCOMPARE(run.note, QStringLiteral("goodput 95 %"));
    QCOMPARE(run.details, QStringList{"11.1–11.8 d"});
    const VerdictText cost = bar.cell(VerdictFigure::Cost)->content();
    QCOMPARE(cost.value, QStringLiteral("$548 k"));
    QCOMPARE(cost.details, (QStringList{"274 k GPU-h", "142 MWh"}));
    bar.setEstimate(sampleEstimate(), std::nullopt);
    QCOMPARE(bar.cell(VerdictFigure::Run)->content().value, QStringLiteral("–"));
    QSignalSpy spy(&bar, &VerdictBar::figureChosen);
    bar.show();
    QTest::mouseClick(bar.cell(VerdictFigure::Mfu), Qt::LeftButton);
    QCOMPARE(spy.count(), 1);
    QCOMPARE(spy.at(0).at(0).value<VerdictFigure>(), VerdictFigure::Mfu);
}

void TestAnswerPanels::verdictSaysWhatIdleOnesCost()
{
    VerdictBar bar;
    bar.setCapacityInputs(sampleInputs());
    capacity::Capacity partly = sampleRun();
    partly.idle = 1024;
    bar.setEstimate(sampleEstimate(), partly);
    QCOMPARE(
        bar.cell(VerdictFigure::Cost)->content().details, (QStringList{"274 k GPU-h", "1,024 idle paid", "142 MWh"}));
    plan::CapacityInputs given = sampleInputs();
    given.paysForIdle = false;
    bar.setCapacityInputs(given);
    QCOMPARE(bar.cell(VerdictFigure::Cost)->content().details,
        (QStringList{"274 k GPU-h", "1,024 idle not counted", "142 MWh"}));
}

void TestAnswerPanels::verdictComparesWithABaseline()
{
    VerdictBar bar;
    bar.setCapacityInputs(sampleInputs());
    bar.setEstimate(sampleEstimate(), sampleRun());
    estimate::Estimate base = sampleEstimate();
    base.step = units::Seconds(10.45);
    base.tokensPerSecond *= 9.84 / 10.45;
    base.mfu = 0.474;
    base.perAccelerator = units::FlopsPerSecond(157.2e12);
    base.memory.peak = units::Bytes(66 * units::kGiB);
    capacity::Capacity baseRun = sampleRun();
    baseRun.days.mid = 12.1;
    baseRun.cost.mid = 520e3;
    bar.setBaseline("A", base, baseRun);
    using Tone = VerdictText::Tone;
    const auto check = [&](VerdictFigure figure, const char* delta, Tone tone) {
        const VerdictText text = bar.cell(figure)->content();
        QCOMPARE(text.delta, QString::fromUtf8(delta));
        QVERIFY(text.tone == tone);
    };
    check(VerdictFigure::StepTime, "▼ −610 ms", Tone::Good);
    check(VerdictFigure::Throughput, "▲ +6.20 %", Tone::Good);
    check(VerdictFigure::Mfu, "▲ +2.90 pp", Tone::Good);
    check(VerdictFigure::PerAccelerator, "= baseline", Tone::Neutral); // below the digits shown
    check(VerdictFigure::Memory, "▲ +2.40 GiB", Tone::Bad);
    check(VerdictFigure::Run, "▼ −16.8 h", Tone::Good);
    check(VerdictFigure::Cost, "▲ +$28.0 k", Tone::Bad);
    QVERIFY(bar.cell(VerdictFigure::StepTime)->accessibleDescription().contains("−610 ms"));
    bar.clearBaseline();
    QVERIFY(bar.cell(VerdictFigure::StepTime)->content().delta.isEmpty());
}

void TestAnswerPanels::verdictHasThreeFiguresAndAUnitEverywhere()
{
    const auto cellOf = [](VerdictFigure figure, const estimate::Estimate& now, const estimate::Estimate& before,
                            const plan::CapacityInputs& inputs) {
        capacity::Capacity run = sampleRun();
        run.isPriced = inputs.pricePerAcceleratorHour > 0;
        run.days = {run.days.mid, run.days.mid, run.days.mid};
        capacity::Capacity runBefore = run;
        runBefore.acceleratorHours.mid *= 2;
        return verdictText(figure, {now, run}, inputs, VerdictState{before, runBefore}, "A");
    };
    const plan::CapacityInputs inputs = sampleInputs();
    estimate::Estimate now = sampleEstimate();
    estimate::Estimate before = sampleEstimate();
    now.step = units::Seconds(0.950);
    before.step = units::Seconds(132);
    QCOMPARE(cellOf(VerdictFigure::StepTime, now, before, inputs).delta, QStringLiteral("▼ −2.18 min"));
    now.step = units::Seconds(7.32);
    before.step = units::Seconds(22.43);
    QCOMPARE(cellOf(VerdictFigure::StepTime, now, before, inputs).delta, QStringLiteral("▼ −15.1 s"));
    now.tokensPerSecond = 3.064 * before.tokensPerSecond;
    QCOMPARE(cellOf(VerdictFigure::Throughput, now, before, inputs).delta, QStringLiteral("▲ +206 %"));
    // A peak in another unit keeps it; so does a difference.
    now.perAccelerator = units::FlopsPerSecond(452e12);
    now.mfu = 452.0 / 2250;
    before.perAccelerator = units::FlopsPerSecond(148e12);
    const VerdictText perGpu = cellOf(VerdictFigure::PerAccelerator, now, before, inputs);
    QCOMPARE(perGpu.details, QStringList{"of 2.25 PFLOP/s peak"});
    QCOMPARE(perGpu.delta, QStringLiteral("▲ +304 TFLOP/s"));
    // Both ends of the range read alike: no range, and no unit alone.
    now.stepLow = units::Seconds(7.3199);
    now.stepHigh = units::Seconds(7.3201);
    QCOMPARE(cellOf(VerdictFigure::Run, now, before, inputs).details, QStringList());
    plan::CapacityInputs unpriced = inputs;
    unpriced.pricePerAcceleratorHour = 0;
    const VerdictText hours = cellOf(VerdictFigure::Cost, now, before, unpriced);
    QCOMPARE(hours.title, QStringLiteral("Accelerator time"));
    QCOMPARE(hours.delta, QStringLiteral("▼ −274 k GPU-h"));
    QVERIFY(hours.tone == VerdictText::Tone::Good);
}

void TestAnswerPanels::verdictAlarmsWhenItDoesNotFit()
{
    VerdictBar bar;
    estimate::Estimate e = sampleEstimate();
    e.fits = false;
    e.memory.peak = units::Bytes(91.3 * units::kGiB);
    bar.setEstimate(e, std::nullopt);
    const VerdictText memory = bar.cell(VerdictFigure::Memory)->content();
    QVERIFY(memory.alarm);
    QCOMPARE(memory.note, QStringLiteral("11.3 GiB over"));
    QVERIFY(*memory.filled > 1);
}

void TestAnswerPanels::verdictWithoutAnEstimateIsDashes()
{
    VerdictBar bar;
    bar.setEstimate(sampleEstimate(), std::nullopt);
    plan::Plan plan = samplePlan();
    plan.strategy.tp = 5;
    bar.setProblems(check(plan));
    for (const VerdictFigure figure : kVerdictFigures)
        QCOMPARE(bar.cell(figure)->content().value, QStringLiteral("–"));
    QVERIFY(bar.reason().contains("96 heads"));
    QVERIFY(bar.accessibleDescription() == bar.reason());
    bar.setProblems({});
    QVERIFY(!bar.reason().isEmpty());
    bar.setEstimate(sampleEstimate(), std::nullopt);
    QVERIFY(bar.reason().isEmpty());
    QCOMPARE(bar.cell(VerdictFigure::StepTime)->content().value, QStringLiteral("9.84"));
}

void TestAnswerPanels::verdictWrapsAndNeverCuts()
{
    VerdictBar bar;
    bar.setCapacityInputs(sampleInputs());
    bar.setEstimate(sampleEstimate(), sampleRun());
    bar.setBaseline("a baseline with a long name", sampleEstimate(), sampleRun());
    bar.show();
    int lastRows = 0;
    for (int width = 1600; width >= 200; width -= 50) {
        bar.resize(width, bar.heightForWidth(width));
        QCoreApplication::processEvents();
        QVERIFY(bar.rowCount() >= lastRows);
        lastRows = bar.rowCount();
        QCOMPARE(bar.height(), bar.heightForWidth(width));
        for (const VerdictFigure figure : kVerdictFigures) {
            const VerdictCell* cell = bar.cell(figure);
            QVERIFY(cell->width() >= cell->compactWidth());
            QVERIFY(bar.rect().contains(cell->geometry()));
            for (const VerdictFigure other : kVerdictFigures)
                QVERIFY(other == figure || !cell->geometry().intersects(bar.cell(other)->geometry()));
        }
    }
    QVERIFY(lastRows > 2);
    bar.resize(1600, 200);
    QCOMPARE(bar.rowCount(), 1);
}

void TestAnswerPanels::verdictShowsUpdatingOnlyWhenItTakesLong()
{
    VerdictBar bar;
    bar.setEstimate(sampleEstimate(), std::nullopt);
    bar.show();
    bar.setUpdating(true);
    QVERIFY(!bar.isUpdatingShown());
    bar.setUpdating(false);
    QTest::qWait(180);
    QVERIFY(!bar.isUpdatingShown());
    bar.setUpdating(true);
    QTRY_VERIFY(bar.isUpdatingShown());
    QCOMPARE(bar.cell(VerdictFigure::StepTime)->content().value, QStringLiteral("9.84")); // the last picture stays
    bar.setUpdating(false);
    QVERIFY(!bar.isUpdatingShown());
}

void TestAnswerPanels::verdictIsNeverNotANumber()
{
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    for (const double value : {0.0, kNan, kInfinity, -1.0, 1e300}) {
        estimate::Estimate e = sampleEstimate();
        e.step = e.stepLow = e.stepHigh = units::Seconds(value);
        e.tokensPerSecond = e.mfu = e.hfu = value;
        e.perAccelerator = units::FlopsPerSecond(value);
        e.memory.peak = e.memory.capacity = units::Bytes(value);
        capacity::Capacity run;
        run.days = run.cost = run.acceleratorHours = run.energyKwh = capacity::Spread{value, value, value};
        for (const VerdictFigure figure : kVerdictFigures) {
            const VerdictState state{e, run};
            const VerdictState base{sampleEstimate(), sampleRun()};
            for (const auto& text : {verdictText(figure, state, sampleInputs(), base, "A"),
                     verdictText(figure, base, sampleInputs(), state, "B")}) {
                const QString sentence = text.sentence();
                QVERIFY2(
                    !sentence.contains("nan", Qt::CaseInsensitive) && !sentence.contains("inf", Qt::CaseInsensitive),
                    qPrintable(sentence));
                QVERIFY(!text.value.isEmpty());
                QVERIFY(!text.filled || std::isfinite(*text.filled));
            }
        }
    }
}

namespace {

std::vector<plan::Problem> someProblems()
{
    plan::Problem note;
    note.code = plan::ProblemCode::SequenceParallelNeedsTp;
    note.severity = plan::Severity::Note;
    plan::Problem warning;
    warning.code = plan::ProblemCode::MemoryPressure;
    warning.severity = plan::Severity::Warning;
    warning.found = 75 * units::kGiB;
    warning.limit = 80 * units::kGiB;
    plan::Problem error;
    error.code = plan::ProblemCode::HeadsNotDivisible;
    error.where = "/strategy/tp";
    error.found = 96;
    error.limit = 5;
    parallel::Strategy four;
    four.tp = 4;
    parallel::Strategy eight;
    eight.tp = 8;
    error.remedies = {
        {plan::EditKind::Value, plan::Dimension::Tp, four}, {plan::EditKind::Value, plan::Dimension::Tp, eight}};
    return {note, warning, error};
}

} // namespace

void TestAnswerPanels::problemsAreListedErrorsFirst()
{
    ProblemsPanel panel;
    panel.resize(900, 64);
    panel.show();
    QVERIFY(panel.summary() == "Nothing breaks a rule");
    panel.setAside(QStringLiteral("1 thing to check on the canvas"));
    QVERIFY(panel.summary() == "Nothing breaks a rule · 1 thing to check on the canvas");
    QVERIFY(panel.accessibleDescription() == panel.summary());
    panel.setAside({});
    QVERIFY(panel.summary() == "Nothing breaks a rule");
    panel.setProblems(someProblems());
    QCOMPARE(panel.problems().front().severity, plan::Severity::Error);
    QCOMPARE(panel.summary(), QStringLiteral("1 error · 1 warning"));
    const QList<ProblemRow*> rows = panel.findChildren<ProblemRow*>();
    QCOMPARE(rows.size(), 3);
    const QList<ProblemSentence*> sentences = panel.findChildren<ProblemSentence*>();
    QVERIFY(sentences.front()->accessibleName().startsWith("Error: 96 heads"));
    QSignalSpy spy(&panel, &ProblemsPanel::problemActivated);
    QTest::mouseClick(sentences.front(), Qt::LeftButton);
    QCOMPARE(spy.count(), 1);
    QCOMPARE(spy.at(0).at(0).value<plan::Problem>().where, std::string("/strategy/tp"));
}

void TestAnswerPanels::remediesAreOneClick()
{
    ProblemsPanel panel;
    panel.resize(900, 64);
    panel.setProblems(someProblems());
    panel.show();
    panel.activateWindow();
    QSignalSpy spy(&panel, &ProblemsPanel::remedyChosen);
    // The window answers a remedy by showing the problems that are left: the clicked row goes away under the click.
    connect(&panel, &ProblemsPanel::remedyChosen, &panel, [&panel] { panel.setProblems({}); });
    const QList<RemedyButton*> buttons = panel.findChildren<RemedyButton*>();
    const auto eight = std::ranges::find_if(buttons, [](const RemedyButton* b) { return b->text() == "Use TP 8"; });
    QVERIFY(eight != buttons.end() && (*eight)->isVisible());
    QTest::mouseClick(*eight, Qt::LeftButton);
    QCOMPARE(spy.count(), 1);
    QCOMPARE(spy.at(0).at(0).value<plan::Remedy>().strategy.tp, 8);
    QCOMPARE(spy.at(0).at(1).toString(), QStringLiteral("Use TP 8"));
    QTRY_COMPARE(panel.findChildren<ProblemRow*>().size(), 0);
    panel.setProblems(someProblems());
    const QList<RemedyButton*> again = panel.findChildren<RemedyButton*>();
    again.front()->setFocus();
    QTest::keyClick(again.front(), Qt::Key_Space);
    QCOMPARE(spy.count(), 2);
}

/// Return presses a remedy, too, and the keyboard stays where the problems are: not on what a second press would start.
void TestAnswerPanels::remediesKeepTheKeyboard()
{
    QWidget window;
    auto* layout = new QVBoxLayout(&window);
    auto* before = new QPushButton(QStringLiteral("Find the best"));
    auto* panel = new ProblemsPanel;
    layout->addWidget(before);
    layout->addWidget(panel);
    window.resize(900, 120);
    panel->setProblems(someProblems());
    window.show();
    QVERIFY(QTest::qWaitForWindowActive(&window));
    QSignalSpy spy(panel, &ProblemsPanel::remedyChosen);
    connect(panel, &ProblemsPanel::remedyChosen, panel, [panel] {
        std::vector<plan::Problem> left = someProblems();
        left.erase(left.begin());
        panel->setProblems(left);
    });
    for (const Qt::Key key : {Qt::Key_Return, Qt::Key_Enter, Qt::Key_Space}) {
        panel->setProblems(someProblems());
        QTRY_COMPARE(panel->findChildren<ProblemRow*>().size(), 3);
        RemedyButton* remedy = panel->findChildren<RemedyButton*>().front();
        remedy->setFocus();
        QVERIFY(remedy->hasFocus());
        QTest::keyClick(remedy, key);
        QTRY_COMPARE(panel->findChildren<ProblemRow*>().size(), 2);
        QVERIFY(panel->hasFocus());
        QTest::keyClick(panel, Qt::Key_Tab);
        QVERIFY(panel->isAncestorOf(QApplication::focusWidget()));
    }
    QCOMPARE(spy.count(), 3);
}

void TestAnswerPanels::remediesMoveIntoAMenu()
{
    ProblemsPanel panel;
    panel.setProblems(someProblems());
    panel.resize(420, 64);
    panel.show();
    QCoreApplication::processEvents();
    QSignalSpy spy(&panel, &ProblemsPanel::remedyChosen);
    RemedyButton* more = nullptr;
    for (RemedyButton* button : panel.findChildren<RemedyButton*>()) {
        if (button->isVisible())
            more = button;
    }
    QVERIFY(more && more->text().startsWith("Fix"));
    QTest::mouseClick(more, Qt::LeftButton);
    auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
    QVERIFY(menu);
    QCOMPARE(menu->actions().size(), 2);
    menu->actions().at(0)->trigger();
    menu->close();
    QCOMPARE(spy.count(), 1);
    QCOMPARE(spy.at(0).at(0).value<plan::Remedy>().strategy.tp, 4);
}

void TestAnswerPanels::problemsFoldToTwoLines()
{
    ProblemsPanel panel;
    panel.resize(900, 64);
    panel.show();
    const int empty = panel.height();
    panel.setProblems(someProblems());
    QCOMPARE(panel.height(), empty); // the strip does not jump
    auto* toggle = panel.findChild<QToolButton*>();
    QVERIFY(toggle && toggle->isVisible());
    QCOMPARE(toggle->text(), QStringLiteral("1 more"));
    QTest::mouseClick(toggle, Qt::LeftButton);
    QVERIFY(panel.height() > empty);
    std::vector<plan::Problem> two = someProblems();
    two.pop_back();
    panel.setProblems(two);
    QVERIFY(!toggle->isVisible());
    QCOMPARE(panel.height(), empty);
}

void TestAnswerPanels::detailsStayWhereTheyWereRead()
{
    DetailsPanel panel;
    const auto sections = [](const QString& value, int rows) {
        std::vector<DetailSection> result;
        for (int i = 0; i < 6; ++i) {
            DetailSection section{QStringLiteral("Section %1").arg(i), {}, {}, {}};
            for (int k = 0; k < rows; ++k)
                section.rows.push_back({QStringLiteral("Row %1").arg(k), value});
            result.push_back(section);
        }
        return result;
    };
    panel.resize(220, 200);
    panel.setSections(sections("1.00 s", 6));
    panel.show();
    QVERIFY(QTest::qWaitForWindowExposed(&panel));
    panel.verticalScrollBar()->setValue(150);
    QCOMPARE(panel.verticalScrollBar()->value(), 150);
    const QWidget* body = panel.widget();
    panel.setSections(sections("2.00 s", 6));
    QCOMPARE(panel.widget(), body); // the same labels with other texts
    QCOMPARE(panel.verticalScrollBar()->value(), 150);
    QVERIFY(panel.plainText().contains("2.00 s"));
    bool found = false;
    for (const QLabel* each : panel.findChildren<QLabel*>()) {
        QVERIFY(each->text() != "1.00 s");
        found = found || each->text() == "2.00 s";
    }
    QVERIFY(found);
    panel.setSections(sections("3.00 s", 7));
    QCoreApplication::processEvents();
    QCOMPARE(panel.verticalScrollBar()->value(), 150);
    panel.setSections({{"Another thing", {{"Start", "1.48 s"}}, {}, {}}});
    QCoreApplication::processEvents();
    QCOMPARE(panel.verticalScrollBar()->value(), 0);
}

void TestAnswerPanels::detailsShowRowsAndExplanation()
{
    DetailsPanel panel;
    panel.resize(256, 400);
    panel.show();
    const auto shows = [&](const QString& text) {
        const QList<QLabel*> labels = panel.findChildren<QLabel*>();
        return std::ranges::any_of(labels, [&](const QLabel* l) { return l->isVisible() && l->text().contains(text); });
    };
    QVERIFY(shows("Click a bar"));
    panel.setSections({{"Stage 3 · backward", {{"Start", "1.48 s"}, {"Duration", "31.6 ms"}}, {}, {}},
        {"How was this computed?", {}, "2 × forward GEMMs.", {}}});
    QVERIFY(shows("31.6 ms") && shows("How was this computed?") && shows("GEMMs"));
    QVERIFY(!shows("Click a bar"));
    panel.setFocus();
    QTest::keySequence(&panel, QKeySequence::Copy);
    QVERIFY(QGuiApplication::clipboard()->text().contains("Duration\t31.6 ms"));
    panel.setSections({{"Step", {{"Check", "0"}}, {}, {}}});
    QVERIFY(!shows("How was this computed?"));
    QCOMPARE(panel.horizontalScrollBar()->maximum(), 0); // long values wrap instead
    panel.clear();
    QVERIFY(shows("Click a bar"));
}

} // namespace stratoplan::widgets

QTEST_MAIN(stratoplan::widgets::TestAnswerPanels)
#include "test_answer_panels.moc"
