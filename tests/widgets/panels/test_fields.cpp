// SPDX-License-Identifier: GPL-3.0-or-later
// The controls the panels are made of, driven by real mouse, wheel and key events.
#include "tests/patience.h"
#include "tests/widgets/panels/panel_test.h"
#include "widgets/panels/choice_field.h"
#include "widgets/panels/count_field.h"
#include "widgets/panels/legal_slider.h"
#include "widgets/panels/picker.h"
#include "widgets/panels/unit_field.h"
#include "widgets/style/theme.h"

#include <QAccessible>
#include <QApplication>
#include <QLabel>
#include <QListWidget>
#include <QSignalSpy>
#include <QTest>
#include <QToolTip>
#include <QVBoxLayout>
#include <QWheelEvent>
#include <algorithm>
#include <cstdint>

namespace stratoplan::widgets {

namespace {

std::vector<SliderStop> eightStops()
{
    return {{1, Zone::Red, "Stage 0 is 31 GiB over."}, {2, Zone::Red, "Stage 0 is 11 GiB over."}, {4, Zone::Green, {}},
        {8, Zone::Green, {}}, {16, Zone::Amber, "TP 16 leaves the node."}, {32, Zone::Amber, {}}, {48, Zone::Red, "48"},
        {96, Zone::Red, "96"}};
}

void sendWheel(QWidget& widget, int angle, Qt::KeyboardModifiers modifiers = Qt::NoModifier)
{
    const QPointF centre = QRectF(widget.rect()).center();
    QWheelEvent event(
        centre, widget.mapToGlobal(centre), {}, {0, angle}, Qt::NoButton, modifiers, Qt::NoScrollPhase, false);
    QApplication::sendEvent(&widget, &event);
}

/// A shown window with the widget and a second focusable one to leave it for.
struct Stage {
    QWidget window;
    QLineEdit other;
    explicit Stage(QWidget& widget)
    {
        auto* layout = new QVBoxLayout(&window);
        layout->addWidget(&widget);
        layout->addWidget(&other);
        window.resize(300, 120);
        window.show();
        window.activateWindow();
        widget.setFocus();
        if (!QTest::qWaitFor([&] { return widget.hasFocus(); }))
            qFatal("the widget got no focus");
    }
    ~Stage()
    {
        const QList<QWidget*> children = window.findChildren<QWidget*>(Qt::FindDirectChildrenOnly);
        for (QWidget* child : children)
            child->setParent(nullptr); // they live on the stack of the test
    }
};

} // namespace

class TestFields : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { test::startPanelTest(); }
    void cleanup()
    {
        const QString warnings = test::takeQtWarnings();
        QVERIFY2(warnings.isEmpty(), qPrintable(warnings));
    }

    /// "not given USD / GPU-h" in a narrow field would cut the text.
    void aUnitGivesWayToTheText()
    {
        UnitField field(UnitKind::Number);
        field.setZeroText(QStringLiteral("not given"));
        field.setSuffix(QStringLiteral("USD / GPU-h"));
        Stage stage(field);
        const int unit = field.fontMetrics().horizontalAdvance(QStringLiteral("USD / GPU-h"));
        QVERIFY(field.textMargins().right() >= unit);
        field.setFixedWidth(unit + 50);
        QTRY_VERIFY(field.textMargins().right() < unit);
        field.setValue(2.5);
        QVERIFY(field.textMargins().right() >= unit);
    }

    void sliderJumpsToTheClick();
    void sliderDragsThroughStopsOnly();
    void sliderKeepsItsStopsWhileHeld();
    void sliderEscapesToTheStart();
    void sliderStepsByKeys();
    void sliderTakesTheWheelOnlyWithFocus();
    void sliderShowsAValueBesideTheStops();
    void sliderTellsWhy();
    void sliderIsASliderToAssistiveTechnology();
    void sliderEmitsOnlyStops();
    void sliderClaimsNothingWhenOutdated();

    void countReads_data();
    void countReads();
    void countRefuses_data();
    void countRefuses();
    void countSteps();
    void countLeavesUndoToTheDocument();

    void unitReads_data();
    void unitReads();
    void unitRefusesAndReverts();
    void unitSteps();
    void unitKeepsWhatIsTypedWhenTheValueChanges();

    void choiceTellsOnceAndOnlyThePerson();
    void switchTellsOnceAndOnlyThePerson();
    void filterFindsEveryWord();
    void pickerFiltersByTyping();
    void pickerShowsWholeDetails();
    void pickerTakesNoHeading();
    void pickerIsFilledWhenItOpens_data();
    void pickerIsFilledWhenItOpens();
    void pickerSaysWhenThereIsNothing();
};

void TestFields::sliderJumpsToTheClick()
{
    LegalSlider slider;
    slider.setStops(eightStops());
    slider.setValue(8);
    const Stage stage(slider);
    QSignalSpy spy(&slider, &LegalSlider::valueChanged);
    QTest::mouseClick(&slider, Qt::LeftButton, {}, slider.stopPosition(5).toPoint());
    QCOMPARE(slider.value(), 32);
    QCOMPARE(spy.count(), 1);
    QCOMPARE(spy.at(0).at(0).toInt(), 32);
    QCOMPARE(spy.at(0).at(1).toBool(), true); // held at that moment
    QCOMPARE(slider.ghost(), std::optional(8));
    // Between two stops the nearer one counts.
    const QPointF between = (slider.stopPosition(1) * 2 + slider.stopPosition(2)) / 3;
    QTest::mouseClick(&slider, Qt::LeftButton, {}, between.toPoint());
    QCOMPARE(slider.value(), 2);
}

void TestFields::sliderDragsThroughStopsOnly()
{
    LegalSlider slider;
    slider.setStops(eightStops());
    slider.setValue(1);
    const Stage stage(slider);
    QSignalSpy spy(&slider, &LegalSlider::valueChanged);
    QSignalSpy started(&slider, &LegalSlider::dragStarted);
    const int from = slider.stopPosition(0).toPoint().x();
    const int to = slider.stopPosition(7).toPoint().x();
    QTest::mousePress(&slider, Qt::LeftButton, {}, {from, 11});
    for (int x = from; x <= to; ++x)
        QTest::mouseMove(&slider, {x, 11});
    QTest::mouseRelease(&slider, Qt::LeftButton, {}, {to, 11});
    QList<int> values;
    for (const auto& call : spy) {
        values << call.at(0).toInt();
        QVERIFY(call.at(1).toBool());
    }
    QCOMPARE(values, (QList<int>{2, 4, 8, 16, 32, 48, 96}));
    QCOMPARE(started.count(), 1);
    QCOMPARE(slider.ghost(), std::optional(1)); // where the drag began
    slider.setValue(4);
    QCOMPARE(slider.value(), 4); // it is let go
}

void TestFields::sliderKeepsItsStopsWhileHeld()
{
    LegalSlider slider;
    slider.setStops(eightStops());
    slider.setValue(8);
    const Stage stage(slider);
    QTest::mousePress(&slider, Qt::LeftButton, {}, slider.stopPosition(3).toPoint());
    std::vector<SliderStop> judged = eightStops();
    judged[3].zone = Zone::Amber;
    slider.setStops(judged); // same values: shown at once
    QCOMPARE(slider.stops(), judged);
    const std::vector<SliderStop> other{{3, Zone::Green, {}}, {8, Zone::Green, {}}};
    slider.setStops(other);
    QCOMPARE(slider.stops(), judged);
    slider.setValue(96); // a late answer does not tear the handle away
    QCOMPARE(slider.value(), 8);
    QTest::mouseRelease(&slider, Qt::LeftButton, {}, slider.stopPosition(3).toPoint());
    QCOMPARE(slider.stops(), other);
}

void TestFields::sliderEscapesToTheStart()
{
    LegalSlider slider;
    slider.setStops(eightStops());
    slider.setValue(8);
    const Stage stage(slider);
    QSignalSpy spy(&slider, &LegalSlider::valueChanged);
    QTest::mousePress(&slider, Qt::LeftButton, {}, slider.stopPosition(3).toPoint());
    QTest::mouseMove(&slider, slider.stopPosition(6).toPoint());
    QCOMPARE(slider.value(), 48);
    QTest::keyClick(&slider, Qt::Key_Escape);
    QCOMPARE(slider.value(), 8);
    QCOMPARE(spy.last().at(0).toInt(), 8);
    QCOMPARE(spy.last().at(1).toBool(), true); // merges with the drag
    QTest::mouseRelease(&slider, Qt::LeftButton);
}

void TestFields::sliderStepsByKeys()
{
    LegalSlider slider;
    slider.setStops(eightStops());
    slider.setValue(8);
    const Stage stage(slider);
    QSignalSpy spy(&slider, &LegalSlider::valueChanged);
    QTest::keyClick(&slider, Qt::Key_Right);
    QCOMPARE(slider.value(), 16);
    QTest::keyClick(&slider, Qt::Key_Left, Qt::ShiftModifier);
    QCOMPARE(slider.value(), 8);
    QTest::keyClick(&slider, Qt::Key_End);
    QCOMPARE(slider.value(), 96);
    QTest::keyClick(&slider, Qt::Key_Up); // at the end: nothing to tell
    QTest::keyClick(&slider, Qt::Key_Home);
    QCOMPARE(slider.value(), 1);
    QTest::keyClick(&slider, Qt::Key_Down);
    QCOMPARE(spy.count(), 4);
    for (const auto& call : spy)
        QVERIFY(!call.at(1).toBool());
}

void TestFields::sliderTakesTheWheelOnlyWithFocus()
{
    LegalSlider slider;
    slider.setStops(eightStops());
    slider.setValue(8);
    Stage stage(slider);
    QSignalSpy spy(&slider, &LegalSlider::valueChanged);
    sendWheel(slider, 120);
    QCOMPARE(slider.value(), 16);
    for (int i = 0; i < 4; ++i)
        sendWheel(slider, -30); // a fine wheel: four quarters make a notch
    QCOMPARE(slider.value(), 8);
    QCOMPARE(spy.count(), 2);
    stage.other.setFocus();
    sendWheel(slider, 120);
    QCOMPARE(slider.value(), 8);
}

void TestFields::sliderShowsAValueBesideTheStops()
{
    LegalSlider slider;
    slider.setStops(eightStops());
    slider.setValue(12);
    const Stage stage(slider);
    QCOMPARE(slider.value(), 12);
    QSignalSpy spy(&slider, &LegalSlider::valueChanged);
    QTest::keyClick(&slider, Qt::Key_Right);
    QCOMPARE(slider.value(), 16);
    slider.setValue(12);
    QTest::keyClick(&slider, Qt::Key_Left);
    QCOMPARE(slider.value(), 8);
    slider.setValue(12);
    // Touching the handle where it is does not move it.
    const QPointF between = (slider.stopPosition(3) + slider.stopPosition(4)) / 2;
    QTest::mouseClick(&slider, Qt::LeftButton, {}, between.toPoint());
    QCOMPARE(slider.value(), 12);
    QCOMPARE(spy.count(), 2);
}

void TestFields::sliderTellsWhy()
{
    LegalSlider slider;
    slider.setStops(eightStops());
    slider.setValue(8);
    const Stage stage(slider);
    QTest::mouseMove(&slider, slider.stopPosition(1).toPoint());
    QTRY_COMPARE(QToolTip::text(), QStringLiteral("2 · breaks a rule or the memory\nStage 0 is 11 GiB over."));
    QTest::mouseMove(&slider, slider.stopPosition(3).toPoint());
    QTRY_COMPARE(QToolTip::text(), QStringLiteral("8 · fits"));
    QVERIFY(slider.explain(16).contains("reservation"));
    QVERIFY(slider.explain(7).startsWith("7"));
    slider.setOutdated(true); // what is read follows
    QTRY_COMPARE(QToolTip::text(), QStringLiteral("8 · being worked out"));
    slider.setOutdated(false);
    QTRY_COMPARE(QToolTip::text(), QStringLiteral("8 · fits"));
    QToolTip::hideText();
}

void TestFields::sliderIsASliderToAssistiveTechnology()
{
    LegalSlider slider;
    slider.setAccessibleName("Tensor parallel");
    slider.setStops(eightStops());
    slider.setValue(8);
    const Stage stage(slider);
    QAccessibleInterface* interface = QAccessible::queryAccessibleInterface(&slider);
    QVERIFY(interface);
    QCOMPARE(interface->role(), QAccessible::Slider);
    QCOMPARE(interface->text(QAccessible::Name), QStringLiteral("Tensor parallel"));
    QCOMPARE(interface->text(QAccessible::Value), QStringLiteral("8 · fits"));
    QAccessibleValueInterface* value = interface->valueInterface();
    QVERIFY(value);
    QCOMPARE(value->currentValue().toInt(), 8);
    QCOMPARE(value->minimumValue().toInt(), 1);
    QCOMPARE(value->maximumValue().toInt(), 96);
    QSignalSpy spy(&slider, &LegalSlider::valueChanged);
    value->setCurrentValue(30);
    QCOMPARE(slider.value(), 32);
    QCOMPARE(spy.count(), 1);
}

// In one piece: one slider under every kind of input in turn, drawn at random.
void TestFields::sliderEmitsOnlyStops()
{
    std::uint32_t state = 20240607;
    LegalSlider slider;
    const Stage stage(slider);
    std::vector<SliderStop> stops = eightStops();
    slider.setStops(stops);
    const auto pick = [&state](int below) {
        state = state * 1664525u + 1013904223u; // Numerical Recipes; the same run every time
        return static_cast<int>((state >> 8) % static_cast<std::uint32_t>(below));
    };
    int emitted = 0;
    int strays = 0;
    connect(&slider, &LegalSlider::valueChanged, &slider, [&](int value) {
        ++emitted;
        strays += std::ranges::find(slider.stops(), value, &SliderStop::value) == slider.stops().end();
    });
    constexpr Qt::Key kKeys[] = {Qt::Key_Left, Qt::Key_Right, Qt::Key_Up, Qt::Key_Down, Qt::Key_Home, Qt::Key_End,
        Qt::Key_PageUp, Qt::Key_Escape};
    for (int i = 0; i < 3000; ++i) {
        const QPoint at(pick(slider.width() + 40) - 20, pick(slider.height()));
        switch (pick(8)) {
        case 0:
            QTest::mousePress(&slider, Qt::LeftButton, {}, at);
            break;
        case 1:
            QTest::mouseRelease(&slider, Qt::LeftButton, {}, at);
            break;
        case 2:
        case 3: {
            QMouseEvent move(QEvent::MouseMove, at, slider.mapToGlobal(at), Qt::NoButton, Qt::NoButton, Qt::NoModifier);
            QApplication::sendEvent(&slider, &move);
            break;
        }
        case 4:
            QTest::keyClick(&slider, kKeys[pick(8)]);
            break;
        case 5:
            sendWheel(slider, 30 * (pick(17) - 8));
            break;
        case 6:
            slider.setValue(1 + pick(120));
            break;
        default: {
            std::vector<SliderStop> next;
            for (int value = 1 + pick(3), n = pick(12); n > 0; --n, value += 1 + pick(9))
                next.push_back({value, Zone(pick(4)), {}});
            slider.setStops(next);
        }
        }
    }
    QVERIFY(emitted > 300);
    QCOMPARE(strays, 0);
}

void TestFields::sliderClaimsNothingWhenOutdated()
{
    LegalSlider slider;
    slider.setStops(eightStops());
    slider.setValue(8);
    const Stage stage(slider);
    const QImage judged = slider.grab().toImage();
    slider.setOutdated(true);
    QVERIFY(slider.grab().toImage() != judged);
    QVERIFY(!slider.explain(2).contains("over"));
    QVERIFY(!slider.explain(8).contains("fits"));
    slider.setOutdated(false);
    QCOMPARE(slider.grab().toImage(), judged);
    QVERIFY(slider.explain(2).contains("over"));
}

void TestFields::countReads_data()
{
    QTest::addColumn<QString>("typed");
    QTest::addColumn<int>("expected");
    QTest::addColumn<QString>("shown");
    QTest::newRow("plain") << "4096" << 4096 << "4,096";
    QTest::newRow("grouped") << "12,288" << 12288 << "12,288";
    QTest::newRow("arithmetic") << "3*512" << 1536 << "1,536";
    QTest::newRow("current") << "x*2" << 128 << "128";
    QTest::newRow("suffix") << "1.5k" << 1500 << "1,500";
    QTest::newRow("spaces") << "  96 " << 96 << "96";
}

void TestFields::countReads()
{
    QFETCH(QString, typed);
    QFETCH(int, expected);
    QFETCH(QString, shown);
    CountField field;
    field.setValue(64);
    Stage stage(field);
    QSignalSpy spy(&field, &CountField::valueChanged);
    field.selectAll();
    QTest::keyClicks(&field, typed);
    QCOMPARE(spy.count(), 0); // not before it is committed
    QTest::keyClick(&field, Qt::Key_Return);
    QCOMPARE(field.value(), expected);
    QCOMPARE(field.text(), shown);
    QCOMPARE(spy.count(), 1);
    stage.other.setFocus(); // leaving commits nothing new
    QCOMPARE(spy.count(), 1);
}

void TestFields::countRefuses_data()
{
    QTest::addColumn<QString>("typed");
    QTest::addColumn<QString>("hint");
    QTest::newRow("letters") << "many"
                             << "many";
    QTest::newRow("fraction") << "12.5"
                              << "whole";
    QTest::newRow("decimal comma") << "2,75"
                                   << "2,75";
    QTest::newRow("too large") << "5000"
                               << "1,024";
    QTest::newRow("zero") << "0"
                          << "from 1";
    QTest::newRow("division by zero") << "8/0"
                                      << "8/0";
    QTest::newRow("nothing") << ""
                             << "number";
}

void TestFields::countRefuses()
{
    QFETCH(QString, typed);
    QFETCH(QString, hint);
    CountField field;
    field.setRange(1, 1024);
    field.setValue(64);
    Stage stage(field);
    QSignalSpy spy(&field, &CountField::valueChanged);
    field.selectAll();
    QTest::keyClick(&field, Qt::Key_Delete);
    QTest::keyClicks(&field, typed);
    stage.other.setFocus(); // leaving commits as well
    QCOMPARE(spy.count(), 0);
    QCOMPARE(field.value(), 64);
    QVERIFY2(field.error().contains(hint), qPrintable(field.error()));
    QCOMPARE(field.text(), typed); // what was typed stays, to be mended
    QVERIFY(field.accessibleDescription() == field.error());
    field.setFocus();
    QTest::keyClick(&field, Qt::Key_Escape);
    QCOMPARE(field.text(), QStringLiteral("64"));
    QVERIFY(field.error().isEmpty());
    QCOMPARE(spy.count(), 0);
}

void TestFields::countSteps()
{
    CountField field;
    field.setStep(128);
    field.setValue(1000);
    const Stage stage(field);
    QSignalSpy spy(&field, &CountField::valueChanged);
    QTest::keyClick(&field, Qt::Key_Up);
    QCOMPARE(field.value(), 1024); // onto the grid
    sendWheel(field, 240);
    QCOMPARE(field.value(), 1280);
    QTest::keyClick(&field, Qt::Key_Down, Qt::ShiftModifier);
    QCOMPARE(field.value(), 1279);
    QTest::keyClick(&field, Qt::Key_PageDown);
    QCOMPARE(field.value(), 639);
    QTest::keyClick(&field, Qt::Key_PageUp);
    QCOMPARE(field.value(), 1278);
    QCOMPARE(spy.count(), 5);
    field.setRange(1, 1300);
    QTest::keyClick(&field, Qt::Key_PageUp);
    QCOMPARE(field.value(), 1300);
}

void TestFields::countLeavesUndoToTheDocument()
{
    CountField field;
    field.setValue(64);
    const Stage stage(field);
    const auto offered = [&] {
        QKeyEvent event(QEvent::ShortcutOverride, Qt::Key_Z, Qt::ControlModifier);
        event.ignore();
        QApplication::sendEvent(&field, &event);
        return event.isAccepted();
    };
    QVERIFY(!offered());
    QTest::keyClicks(&field, "12");
    QVERIFY(offered()); // now it undoes the typing
}

void TestFields::unitReads_data()
{
    QTest::addColumn<int>("kind");
    QTest::addColumn<double>("current");
    QTest::addColumn<QString>("typed");
    QTest::addColumn<double>("expected");
    QTest::addColumn<QString>("shown");
    const auto row = [](const char* name, UnitKind kind, double current, const char* typed, double expected,
                         const char* shown) {
        QTest::newRow(name) << int(kind) << current << QString(typed) << expected << QString(shown);
    };
    row("bit rate", UnitKind::BitRate, 25e9, "400 Gb/s", 50e9, "400 Gb/s");
    row("bare bit rate", UnitKind::BitRate, 25e9, "800", 100e9, "800 Gb/s");
    row("bytes as bit rate", UnitKind::BitRate, 25e9, "50 GB/s", 50e9, "400 Gb/s");
    row("double the bit rate", UnitKind::BitRate, 25e9, "x*2", 50e9, "400 Gb/s");
    row("bandwidth", UnitKind::Bandwidth, 300e9, "3.35 TB/s", 3.35e12, "3.35 TB/s");
    row("bare bandwidth", UnitKind::Bandwidth, 300e9, "450", 450e9, "450 GB/s");
    row("memory", UnitKind::Memory, 0, "80 GiB", 80 * 1024.0 * 1024 * 1024, "80 GiB");
    row("rate", UnitKind::FlopRate, 0, "989 TFLOPS", 989e12, "989 TFLOP/s");
    row("tokens", UnitKind::Tokens, 0, "15T", 15e12, "15 T");
    row("billions", UnitKind::Tokens, 0, "300 B", 300e9, "300 B");
    row("share", UnitKind::Share, 1, "95 %", 0.95, "95 %");
    row("bare share", UnitKind::Share, 1, "0.9", 0.9, "90 %");
    row("seconds", UnitKind::Time, 0, "5 ms", 0.005, "5 ms");
    row("number", UnitKind::Number, 2, "x+0.5", 2.5, "2.5");
    row("decimal point", UnitKind::Number, 2, "2.75", 2.75, "2.75");
    row("four figures", UnitKind::Bandwidth, 300e9, "112.5", 112.5e9, "112.5 GB/s");
    row("PUE", UnitKind::Number, 1, "1.125", 1.125, "1.125");
    row("budget", UnitKind::Tokens, 0, "14.835 T", 14.835e12, "14.835 T");
    row("odd share", UnitKind::Share, 1, "97.25 %", 0.9725, "97.25 %");
    row("third", UnitKind::Number, 1, "1/3", 1 / 3.0, "0.333333");
    row("apostrophe", UnitKind::Bandwidth, 1e9, "1'200", 1200e9, "1.2 TB/s");
}

void TestFields::unitReads()
{
    QFETCH(int, kind);
    QFETCH(double, current);
    QFETCH(QString, typed);
    QFETCH(double, expected);
    QFETCH(QString, shown);
    UnitField field{UnitKind(kind)};
    field.setValue(current);
    const Stage stage(field);
    QSignalSpy spy(&field, &UnitField::valueChanged);
    field.selectAll();
    QTest::keyClicks(&field, typed);
    QTest::keyClick(&field, Qt::Key_Return);
    QCOMPARE(field.error(), QString());
    QCOMPARE(spy.count(), 1);
    QVERIFY2(std::abs(field.value() - expected) <= 1e-9 * expected, qPrintable(QString::number(field.value())));
    QCOMPARE(field.text(), shown);
    QTest::keyClick(&field, Qt::Key_Return); // what is shown is the value
    QCOMPARE(spy.count(), 1);
}

void TestFields::unitRefusesAndReverts()
{
    UnitField field(UnitKind::BitRate);
    field.setValue(25e9);
    field.setRange(1e6, 1e13);
    Stage stage(field);
    QSignalSpy spy(&field, &UnitField::valueChanged);
    QSignalSpy errors(&field, &EntryField::errorChanged);
    for (const char* typed : {"12 parsecs", "fast", "1 b/s", "--", "80 GiB"}) {
        field.selectAll();
        QTest::keyClicks(&field, typed);
        QTest::keyClick(&field, Qt::Key_Return);
        QVERIFY2(!field.error().isEmpty(), typed);
        QVERIFY(field.text() == typed);
    }
    QCOMPARE(spy.count(), 0);
    QTest::keyClicks(&field, "x"); // mending clears the mark at once
    QVERIFY(field.error().isEmpty());
    QTest::keyClick(&field, Qt::Key_Escape);
    QCOMPARE(field.text(), QStringLiteral("200 Gb/s"));
    QCOMPARE(spy.count(), 0);
    QVERIFY(errors.count() > 0);
}

void TestFields::unitSteps()
{
    UnitField field(UnitKind::Bandwidth);
    field.setValue(300e9);
    const Stage stage(field);
    QTest::keyClick(&field, Qt::Key_Up);
    QCOMPARE(field.text(), QStringLiteral("310 GB/s"));
    QTest::keyClick(&field, Qt::Key_Up, Qt::ShiftModifier);
    QCOMPARE(field.text(), QStringLiteral("311 GB/s"));
    sendWheel(field, -120);
    QCOMPARE(field.text(), QStringLiteral("310 GB/s"));
    QTest::keyClick(&field, Qt::Key_PageUp);
    QCOMPARE(field.text(), QStringLiteral("620 GB/s"));
}

void TestFields::unitKeepsWhatIsTypedWhenTheValueChanges()
{
    UnitField field(UnitKind::Bandwidth);
    field.setValue(300e9);
    Stage stage(field);
    field.selectAll();
    QTest::keyClicks(&field, "45");
    field.setValue(600e9); // an undo elsewhere, say
    QCOMPARE(field.text(), QStringLiteral("45"));
    QTest::keyClick(&field, Qt::Key_Escape);
    QCOMPARE(field.text(), QStringLiteral("600 GB/s"));
    stage.other.setFocus();
    field.setValue(100e9);
    QCOMPARE(field.text(), QStringLiteral("100 GB/s"));
}

void TestFields::choiceTellsOnceAndOnlyThePerson()
{
    ChoiceField field;
    field.addChoice("none", 0);
    field.addChoice("selective", 1);
    field.addChoice("full", 2);
    Stage stage(field);
    QSignalSpy spy(&field, &ChoiceField::keyChosen);
    field.setKey(2);
    QCOMPARE(field.currentText(), QStringLiteral("full"));
    QCOMPARE(spy.count(), 0);
    QTest::keyClick(&field, Qt::Key_Up);
    QCOMPARE(spy.count(), 1);
    QCOMPARE(spy.at(0).at(0).toInt(), 1);
    stage.other.setFocus();
    sendWheel(field, 120);
    QCOMPARE(field.key(), 1);
    QCOMPARE(spy.count(), 1);
}

void TestFields::switchTellsOnceAndOnlyThePerson()
{
    ToggleSwitch field;
    const Stage stage(field);
    QSignalSpy spy(&field, &QCheckBox::toggled);
    field.setOn(true);
    QCOMPARE(spy.count(), 0);
    QTest::mouseClick(&field, Qt::LeftButton);
    QCOMPARE(spy.count(), 1);
    QTest::keyClick(&field, Qt::Key_Space);
    QCOMPARE(spy.count(), 2);
    QVERIFY(field.isChecked());
}

namespace {
std::vector<PickerItem> someItems()
{
    return {{"a100", "A100 SXM 80 GB", "NVIDIA", "312 TFLOP/s", {}}, {"mi300x", "MI300X", "AMD", "1,307 TFLOP/s", {}},
        {"h100", "H100 SXM 80 GB", "NVIDIA", "989 TFLOP/s", {}}, {"tpu-v5p", "TPU v5p", "Google", "459 TFLOP/s", {}}};
}
} // namespace

void TestFields::filterFindsEveryWord()
{
    const auto ids = [](const std::vector<PickerItem>& items) {
        QStringList result;
        for (const PickerItem& item : items)
            result << item.id;
        return result;
    };
    QCOMPARE(
        ids(filtered(someItems(), "")), (QStringList{"a100", "h100", "mi300x", "tpu-v5p"})); // groups stay together
    QCOMPARE(ids(filtered(someItems(), "nvidia 80")), (QStringList{"a100", "h100"}));
    QCOMPARE(ids(filtered(someItems(), "989")), QStringList{"h100"});
    QCOMPARE(ids(filtered(someItems(), "xyz")), QStringList{});
}

void TestFields::pickerFiltersByTyping()
{
    Picker picker(Picker::Look::Field);
    picker.setItems(someItems());
    picker.setCurrent("a100", "A100 SXM 80 GB");
    const Stage stage(picker);
    QSignalSpy spy(&picker, &Picker::picked);
    QTest::keyClick(&picker, Qt::Key_Down);
    QVERIFY(picker.openedList());
    QListWidget& list = *picker.openedList()->findChild<QListWidget*>();
    QCOMPARE(list.currentItem()->text(), QStringLiteral("A100 SXM 80 GB"));
    QLineEdit& filter = *picker.openedList()->findChild<QLineEdit*>();
    QTest::keyClick(&filter, Qt::Key_Down); // headings are stepped over
    QCOMPARE(list.currentItem()->text(), QStringLiteral("H100 SXM 80 GB"));
    QTest::keyClick(&filter, Qt::Key_Down);
    QCOMPARE(list.currentItem()->text(), QStringLiteral("MI300X"));
    QTest::keyClicks(&filter, "tpu");
    QCOMPARE(list.currentItem()->text(), QStringLiteral("TPU v5p"));
    QTest::keyClicks(&filter, "zzz");
    QTest::keyClick(&filter, Qt::Key_Return); // nothing to take
    QCOMPARE(spy.count(), 0);
    filter.setText("mi300");
    QTest::keyClick(&filter, Qt::Key_Return);
    QCOMPARE(spy.count(), 1);
    QCOMPARE(spy.at(0).at(0).toString(), QStringLiteral("mi300x"));
    QTRY_VERIFY(!picker.openedList());
    QTest::mouseClick(&picker, Qt::LeftButton);
    QVERIFY(picker.openedList());
    QTest::keyClick(picker.openedList()->findChild<QLineEdit*>(), Qt::Key_Escape);
    QTRY_VERIFY(!picker.openedList());
    QCOMPARE(spy.count(), 1);
}

/// A detail that has the room is never cut, whatever fractions of a pixel its letters take.
void TestFields::pickerShowsWholeDetails()
{
    const QFontMetrics metrics(qApp->font());
    for (const char* detail :
        {"DP 1,024", "3,072 GPUs", "125 TFLOP/s fp16", "24,576 GPUs", "TP 8 · PP 4 · DP 32 · VPP 4", "72 GPUs"}) {
        const PickerColumns columns =
            pickerColumns(metrics.horizontalAdvance("Selene"), QString::fromUtf8(detail), metrics, 320);
        QCOMPARE(
            metrics.elidedText(QString::fromUtf8(detail), Qt::ElideRight, columns.detail), QString::fromUtf8(detail));
        QVERIFY(columns.name >= metrics.horizontalAdvance("Selene"));
        QVERIFY(columns.name + columns.detail <= 320);
    }
    const PickerColumns narrow = pickerColumns(500, "3,072 GPUs", metrics, 300); // a long name keeps two thirds
    QVERIFY(narrow.name >= 200 && narrow.name + narrow.detail <= 300);
    QCOMPARE(pickerColumns(100, {}, metrics, 300).name, 300);
}

void TestFields::pickerTakesNoHeading()
{
    Picker picker(Picker::Look::Field);
    picker.setItems(someItems());
    picker.setCurrent("a100", "A100 SXM 80 GB");
    const Stage stage(picker);
    QSignalSpy spy(&picker, &Picker::picked);
    picker.openList();
    QListWidget& list = *picker.openedList()->findChild<QListWidget*>();
    int heading = -1;
    for (int row = list.count() - 1; row > 0; --row) {
        if (list.item(row)->text() == "AMD")
            heading = row;
    }
    QVERIFY(heading > 0);
    QTest::mouseClick(list.viewport(), Qt::LeftButton, {}, list.visualItemRect(list.item(heading)).center());
    QCOMPARE(spy.count(), 0);
    QVERIFY(picker.openedList());
    QTest::mouseClick(list.viewport(), Qt::LeftButton, {}, list.visualItemRect(list.item(heading + 1)).center());
    QCOMPARE(spy.count(), 1);
    QCOMPARE(spy.at(0).at(0).toString(), QStringLiteral("mi300x"));
}

void TestFields::pickerIsFilledWhenItOpens_data()
{
    QTest::addColumn<int>("key");
    QTest::newRow("Return") << int(Qt::Key_Return);
    QTest::newRow("Down") << int(Qt::Key_Down);
    QTest::newRow("F4") << int(Qt::Key_F4);
    QTest::newRow("Space") << int(Qt::Key_Space);
}

void TestFields::pickerIsFilledWhenItOpens()
{
    QFETCH(int, key);
    Picker picker(Picker::Look::Header);
    picker.setCurrent({}, "Recipes");
    connect(&picker, &Picker::aboutToOpen, &picker, [&] { picker.setItems(someItems()); });
    const Stage stage(picker);
    QTest::keyClick(&picker, Qt::Key(key));
    QVERIFY(picker.openedList());
    QVERIFY(picker.openedList()->findChild<QListWidget*>()->count() > 4);
    picker.openedList()->close();
}

void TestFields::pickerSaysWhenThereIsNothing()
{
    Picker picker(Picker::Look::Header);
    const Stage stage(picker);
    picker.openList();
    QVERIFY(!picker.openedList());
    picker.setEmptyText("No recipe fits.");
    picker.openList();
    QVERIFY(picker.openedList());
    const QList<QLabel*> labels = picker.openedList()->findChildren<QLabel*>();
    QVERIFY(std::ranges::any_of(
        labels, [](const QLabel* label) { return label->isVisible() && label->text() == "No recipe fits."; }));
    picker.openedList()->close();
}

} // namespace stratoplan::widgets

QTEST_MAIN(stratoplan::widgets::TestFields)
#include "test_fields.moc"
