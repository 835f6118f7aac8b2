// SPDX-License-Identifier: GPL-3.0-or-later
// The panels as a person uses them: one gesture, one signal with the value it leads to.
#include "core/plan/dimensions.h"
#include "tests/widgets/charts/qt_messages.h"
#include "tests/widgets/panels/sample_plan.h"
#include "widgets/panels/choice_field.h"
#include "widgets/panels/count_field.h"
#include "widgets/panels/details_panel.h"
#include "widgets/panels/field_row.h"
#include "widgets/panels/inputs_panel.h"
#include "widgets/panels/legal_slider.h"
#include "widgets/panels/link_field.h"
#include "widgets/panels/lock_button.h"
#include "widgets/panels/picker.h"
#include "widgets/panels/plan_edits.h"
#include "widgets/panels/problems_panel.h"
#include "widgets/panels/section.h"
#include "widgets/panels/strategy_recipes.h"
#include "widgets/panels/unit_field.h"
#include "widgets/panels/verdict_bar.h"
#include "widgets/presentation/dimension_words.h"
#include "widgets/style/theme.h"

#include <QAccessible>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QListWidget>
#include <QMenu>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>
#include <set>

namespace stratoplan {

using test::sampleEstimate;
using test::samplePlan;

namespace {

Plan planOf(const QSignalSpy& spy, int call)
{
    return spy.at(call).at(0).value<Plan>();
}

template <class Widget>
Widget* field(InputsPanel& panel, const char* pointer)
{
    return panel.findChild<Widget*>(QString::fromLatin1(pointer));
}

void type(EntryField& entry, const QString& text)
{
    entry.setFocus();
    entry.selectAll();
    QTest::keyClicks(&entry, text);
    QTest::keyClick(&entry, Qt::Key_Return);
}

/// Names of widgets that take the focus but tell assistive technology nothing.
QStringList namelessIn(QWidget& root)
{
    QStringList nameless;
    QList<QWidget*> all = root.findChildren<QWidget*>();
    all.prepend(&root);
    for (QWidget* widget : all) {
        if (widget->focusPolicy() == Qt::NoFocus || widget->focusProxy())
            continue;
        QAccessibleInterface* interface = QAccessible::queryAccessibleInterface(widget);
        if (!interface || interface->text(QAccessible::Name).isEmpty())
            nameless << QString::fromLatin1(widget->metaObject()->className()) + ' ' + widget->objectName();
    }
    return nameless;
}

} // namespace

class TestPanels : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        test::collectQtMessages();
        applyTheme(*qApp, ThemeKind::Light);
        QLocale::setDefault(QLocale(qEnvironmentVariable("STRATOPLAN_TEST_LOCALE", "en_US"))); // must change nothing
    }
    void cleanup()
    {
        const QStringList messages = std::exchange(test::qtMessages(), {});
        QStringList real = messages.filter(QRegularExpression("^(?!This plugin does not support)"));
        QVERIFY2(real.isEmpty(), qPrintable(real.join('\n')));
    }

    void showingAPlanTellsNothing();
    void everyFieldGivesOneEdit();
    void wrongTextIsShownBesideTheFieldAndChangesNothing();
    void aDragIsOneMergedEdit();
    void slidersSetWhatTheCoreSays();
    void expertTensorParallelismIsOfferedForExperts();
    void sharingIsOfferedWhereSeveralShare();
    void theVocabularyIsPlacedWhereThereAreStages();
    void offloadAndWhatIsInFlightAreChosen();
    void everyDimensionHasWords();
    void padlocksTellWhatTheyLock();
    void zonesAreMatchedByValue();
    void doubleClickOnALabelRestores();
    void everyLabelRestores();
    void recipesOpenByTheKeyboard();
    void pendingTextIsTaken();
    void presetsReplaceTheirPart();
    void linksCanBeReplacedAndRetuned();
    void linkNamesAreNotCut();
    void recipesBreakNoRule();
    void anEmptyClusterSaysWhatToDo();
    void severalGroupsAreEditedOneAtATime();
    void capacityIsEditedApartFromThePlan();
    void problemsLeadToFields();
    void sectionsFold();
    void everythingHasANameAndTakesTheKeyboard();
    void editsKeepThePlanSensible();

    void verdictSaysFigures();
    void verdictComparesWithABaseline();
    void verdictHasThreeFiguresAndAUnitEverywhere();
    void verdictAlarmsWhenItDoesNotFit();
    void verdictWithoutAnEstimateIsDashes();
    void verdictWrapsAndNeverCuts();
    void verdictShowsUpdatingOnlyWhenItTakesLong();
    void verdictIsNeverNotANumber();

    void problemsAreListedErrorsFirst();
    void remediesAreOneClick();
    void remediesMoveIntoAMenu();
    void problemsFoldToTwoLines();
    void detailsShowRowsAndExplanation();
    void detailsStayWhereTheyWereRead();
};

void TestPanels::showingAPlanTellsNothing()
{
    InputsPanel panel;
    QSignalSpy spy(&panel, &InputsPanel::planEdited);
    QSignalSpy capacity(&panel, &InputsPanel::capacityEdited);
    panel.setPlan(samplePlan());
    CapacityInputs inputs;
    inputs.tokens = 300e9;
    panel.setCapacity(inputs);
    for (const Dimension f : kDraggedDimensions)
        panel.setZones(f, {{1, Zone::Green, "fits"}});
    panel.setPlan(Plan{});
    panel.setPlan(samplePlan());
    QCOMPARE(spy.count(), 0);
    QCOMPARE(capacity.count(), 0);
}

void TestPanels::everyFieldGivesOneEdit()
{
    InputsPanel panel;
    panel.setPlan(samplePlan());
    panel.resize(304, 900);
    panel.show();
    panel.activateWindow();
    QSignalSpy spy(&panel, &InputsPanel::planEdited);
    const std::vector<std::pair<const char*, int>> counts{{"/model/layers", 48}, {"/model/hidden", 6144},
        {"/model/heads", 48}, {"/model/kv_heads", 8}, {"/model/ffn_hidden", 24576}, {"/model/vocabulary", 128256},
        {"/model/multi_token_prediction_depth", 1}, {"/cluster/nodes/count", 64},
        {"/cluster/nodes/accelerators_per_node", 4}, {"/cluster/nodes/nics_per_node", 4},
        {"/cluster/nodes/scale_up_domain", 2}, {"/training/global_batch", 512}, {"/training/sequence_length", 8192},
        {"/training/document_length", 512}, {"/strategy/tp", 4}, {"/strategy/pp", 4}, {"/strategy/dp", 32},
        {"/strategy/cp", 2}, {"/strategy/vpp", 2}, {"/strategy/micro_batch", 2}};
    int calls = 0;
    Plan before = samplePlan();
    for (const auto& [pointer, value] : counts) {
        auto* entry = field<CountField>(panel, pointer);
        QVERIFY2(entry, pointer);
        type(*entry, QString::number(value));
        QVERIFY2(spy.count() == ++calls, pointer);
        QVERIFY2(!(planOf(spy, calls - 1) == before), pointer);
        QVERIFY2(!spy.at(calls - 1).at(1).toString().isEmpty(), pointer);
        QCOMPARE(spy.at(calls - 1).at(2).toInt(), -1);
        QCOMPARE(entry->value(), value);
        before = planOf(spy, calls - 1);
    }
    QCOMPARE(before.model.kvHeads, 8);
    QCOMPARE(before.training.sequenceLength, 8192);
    QCOMPARE(before.training.documentLength, std::optional(512));
    QCOMPARE(before.strategy.microBatch, 2);
    for (const char* pointer : {"/training/precision", "/training/fp32_gradients", "/training/attention",
             "/strategy/zero_stage", "/strategy/recompute", "/strategy/schedule"}) {
        auto* choice = field<ChoiceField>(panel, pointer);
        QVERIFY2(choice, pointer);
        choice->setFocus();
        QTest::keyClick(choice, choice->currentIndex() > 0 ? Qt::Key_Up : Qt::Key_Down);
        QVERIFY2(spy.count() == ++calls, pointer);
        QVERIFY2(!(planOf(spy, calls - 1) == before), pointer);
        before = planOf(spy, calls - 1);
    }
    for (const char* pointer :
        {"/model/gated_mlp", "/model/tied_embeddings", "/strategy/sequence_parallel", "/strategy/timing_pass"}) {
        auto* toggle = field<ToggleSwitch>(panel, pointer);
        QVERIFY2(toggle, pointer);
        QTest::mouseClick(toggle, Qt::LeftButton);
        QVERIFY2(spy.count() == ++calls, pointer);
        QVERIFY2(!(planOf(spy, calls - 1) == before), pointer);
        before = planOf(spy, calls - 1);
    }
    // The panel shows the last plan it told: setting it again changes nothing.
    panel.setPlan(before);
    QCOMPARE(spy.count(), calls);
}

void TestPanels::wrongTextIsShownBesideTheFieldAndChangesNothing()
{
    InputsPanel panel;
    panel.setPlan(samplePlan());
    panel.resize(304, 900);
    panel.show();
    panel.activateWindow();
    QSignalSpy spy(&panel, &InputsPanel::planEdited);
    auto* hidden = field<CountField>(panel, "/model/hidden");
    auto* row = qobject_cast<FieldRow*>(hidden->parentWidget());
    QVERIFY(row);
    type(*hidden, "wide");
    QCOMPARE(spy.count(), 0);
    QVERIFY(row->error().contains("wide"));
    auto* rate = field<UnitField>(panel, "/cluster/nodes/nic/bandwidth_gb_s");
    type(*rate, "12 parsecs");
    QCOMPARE(spy.count(), 0);
    auto* linkRow = qobject_cast<FieldRow*>(rate->parentWidget()->parentWidget());
    QVERIFY(linkRow);
    QVERIFY(linkRow->error().contains("parsecs"));
    type(*rate, "400 Gb/s");
    QCOMPARE(spy.count(), 1);
    QVERIFY(linkRow->error().isEmpty());
    QCOMPARE(planOf(spy, 0).cluster.nodes.front().nic.bandwidth, BytesPerSecond(50e9));
    QVERIFY(row->error().contains("wide")); // the other field still waits to be mended
    QVERIFY(QApplication::activeModalWidget() == nullptr);
}

void TestPanels::aDragIsOneMergedEdit()
{
    InputsPanel panel;
    panel.setPlan(samplePlan());
    panel.resize(304, 1200);
    panel.show();
    panel.activateWindow();
    QVERIFY(QTest::qWaitForWindowExposed(&panel));
    QSignalSpy spy(&panel, &InputsPanel::planEdited);
    // The document answers every edit by showing its plan again, as the window does.
    connect(&panel, &InputsPanel::planEdited, &panel, [&panel](const Plan& plan) { panel.setPlan(plan); });
    LegalSlider* slider = panel.slider(Dimension::Tp);
    QVERIFY(slider);
    const auto drag = [&](int from, int to) {
        QTest::mousePress(slider, Qt::LeftButton, {}, slider->stopPosition(from).toPoint());
        for (int i = from; i != to; i += from < to ? 1 : -1)
            QTest::mouseMove(slider, slider->stopPosition(i).toPoint());
        QTest::mouseMove(slider, slider->stopPosition(to).toPoint());
        QTest::mouseRelease(slider, Qt::LeftButton, {}, slider->stopPosition(to).toPoint());
    };
    drag(0, 6);
    QVERIFY(spy.count() >= 5);
    const int firstId = spy.at(0).at(2).toInt();
    QVERIFY(firstId >= 0);
    for (const auto& call : spy)
        QCOMPARE(call.at(2).toInt(), firstId);
    const int calls = spy.count();
    drag(6, 2);
    QVERIFY(spy.count() > calls);
    QVERIFY(spy.at(calls).at(2).toInt() >= 0);
    QVERIFY(spy.at(calls).at(2).toInt() != firstId); // another drag, another step
    slider->setFocus();
    QTest::keyClick(slider, Qt::Key_Right);
    QCOMPARE(spy.last().at(2).toInt(), -1);
}

void TestPanels::slidersSetWhatTheCoreSays()
{
    InputsPanel panel;
    const Plan plan = samplePlan();
    panel.setPlan(plan);
    panel.resize(304, 1200);
    panel.show();
    QSignalSpy spy(&panel, &InputsPanel::planEdited);
    int calls = 0;
    for (const Dimension f : kDraggedDimensions) {
        LegalSlider* slider = panel.slider(f);
        if (!slider || f == Dimension::Ep || f == Dimension::Etp)
            continue;
        panel.setPlan(plan);
        std::vector<int> values;
        for (const SliderStop& stop : slider->stops())
            values.push_back(stop.value);
        QCOMPARE(values, offeredValues(plan, f));
        slider->choose(values.back() == number(f, plan.strategy) ? values.front() : values.back());
        QCOMPARE(spy.count(), ++calls);
        QCOMPARE(planOf(spy, calls - 1).strategy, withValue(plan, f, slider->value()));
    }
    QCOMPARE(calls, 6);
}

void TestPanels::expertTensorParallelismIsOfferedForExperts()
{
    InputsPanel panel;
    Plan plan = samplePlan();
    panel.setPlan(plan);
    panel.resize(304, 1400);
    panel.show();
    LegalSlider* slider = panel.slider(Dimension::Etp);
    QVERIFY(slider && !slider->isVisible());
    plan.model.moe = MixtureOfExperts{};
    plan.model.moe->experts = 8;
    plan.model.moe->topK = 2;
    plan.model.moe->expertFfn = 4096;
    plan.strategy.tp = 4;
    panel.setPlan(plan);
    QVERIFY(slider->isVisible());
    QSignalSpy spy(&panel, &InputsPanel::planEdited);
    slider->choose(4);
    QCOMPARE(planOf(spy, 0).strategy.etp, 4);
}

void TestPanels::sharingIsOfferedWhereSeveralShare()
{
    InputsPanel panel;
    Plan plan = samplePlan();
    plan.strategy.tp = 1;
    plan.strategy.cp = 1;
    plan.strategy.dp = 8;
    plan.strategy.zeroStage = 0;
    panel.setPlan(plan);
    panel.resize(304, 1400);
    panel.show();
    auto* shards = panel.findChild<QComboBox*>(QStringLiteral("/strategy/zero_shards"));
    auto* method = panel.findChild<QComboBox*>(QStringLiteral("/strategy/context_method"));
    QVERIFY(shards && method && !shards->isVisible() && !method->isVisible());
    plan.strategy.zeroStage = 3;
    plan.strategy.cp = 2;
    panel.setPlan(plan);
    QVERIFY(shards->isVisible() && method->isVisible());
    // Right behind what they belong to, for the eye and for Tab.
    auto* zero = panel.findChild<QComboBox*>(QStringLiteral("/strategy/zero_stage"));
    auto* recompute = panel.findChild<QComboBox*>(QStringLiteral("/strategy/recompute"));
    const auto height = [&](const QWidget* field) { return field->mapTo(&panel, QPoint()).y(); };
    QVERIFY(height(zero) < height(shards) && height(shards) < height(recompute) && height(recompute) < height(method));
    QVERIFY(QTest::qWaitForWindowActive(&panel));
    zero->setFocus();
    for (int i = 0; i < 3 && QApplication::focusWidget() != shards; ++i) {
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
        QVERIFY(QApplication::focusWidget() != recompute);
    }
    QVERIFY(shards->hasFocus());
    std::vector<int> offered;
    for (int i = 0; i < shards->count(); ++i)
        offered.push_back(shards->itemData(i).toInt());
    QCOMPARE(offered, (std::vector<int>{1, 2, 4, 8, 0})); // of 16 replicas; 0 = all
    QCOMPARE(shards->currentData().toInt(), 0);
    QCOMPARE(shards->itemText(0), QStringLiteral("1 rank"));
    QCOMPARE(shards->itemText(1), QStringLiteral("2 ranks"));
    QSignalSpy spy(&panel, &InputsPanel::planEdited);
    shards->setFocus();
    QTest::keyClick(shards, Qt::Key_Up);
    QCOMPARE(planOf(spy, 0).strategy.zeroShards, 8);
    method->setFocus();
    QTest::keyClick(method, Qt::Key_End);
    QVERIFY(planOf(spy, 1).strategy.contextMethod == ContextMethod::Ulysses);
    plan.strategy.zeroShards = 5; // breaks a rule: it stays visible
    panel.setPlan(plan);
    QCOMPARE(shards->currentData().toInt(), 5);
}

void TestPanels::theVocabularyIsPlacedWhereThereAreStages()
{
    InputsPanel panel;
    Plan plan = samplePlan();
    plan.strategy.pp = 1;
    panel.setPlan(plan);
    panel.resize(304, 1400);
    panel.show();
    auto* placement = panel.findChild<QComboBox*>(QStringLiteral("/strategy/vocabulary_placement"));
    QVERIFY(placement && !placement->isVisible());
    plan.strategy.pp = 4;
    panel.setPlan(plan);
    QVERIFY(placement->isVisible());
    QCOMPARE(placement->currentText(), QStringLiteral("at the ends"));
    QSignalSpy spy(&panel, &InputsPanel::planEdited);
    placement->setFocus();
    QTest::keyClick(placement, Qt::Key_End);
    QVERIFY(planOf(spy, 0).strategy.vocabularyPlacement == VocabularyPlacement::Interlaced);
}

void TestPanels::offloadAndWhatIsInFlightAreChosen()
{
    InputsPanel panel;
    Plan plan = samplePlan();
    plan.strategy.pp = 4;
    plan.strategy.schedule = Schedule::OneFOneB;
    panel.setPlan(plan);
    panel.resize(304, 1600);
    panel.show();
    auto* offload = panel.findChild<QComboBox*>(QStringLiteral("/strategy/offload"));
    auto* inFlight = panel.findChild<QComboBox*>(QStringLiteral("/strategy/in_flight_limit"));
    QVERIFY(offload && offload->isVisible() && inFlight
        && !inFlight->isVisible()); // a schedule by hand has a limit of its own
    QSignalSpy spy(&panel, &InputsPanel::planEdited);
    offload->setFocus();
    QTest::keyClick(offload, Qt::Key_End);
    QVERIFY(planOf(spy, 0).strategy.offload == Offload::Optimizer);
    plan.strategy.schedule = Schedule::ZbAuto;
    panel.setPlan(plan);
    QVERIFY(inFlight->isVisible());
    QCOMPARE(inFlight->currentText(), QStringLiteral("by memory"));
    spy.clear();
    inFlight->setFocus();
    QTest::keyClick(inFlight, Qt::Key_End);
    QCOMPARE(planOf(spy, 0).strategy.inFlightLimit, 8);
    plan.strategy.inFlightLimit = 5; // of a file: it is among the choices
    panel.setPlan(plan);
    QCOMPARE(inFlight->currentText(), QStringLiteral("5 micro-batches"));
}

void TestPanels::everyDimensionHasWords()
{
    for (const DimensionRow& row : dimensions()) {
        const bool isShown = int(row.id) < kLockableDimensions || !row.brief.empty();
        if (!isShown || row.id == Dimension::Precision) // of the training
            continue;
        const DimensionWords& words = wordsOf(row.id);
        QVERIFY(words.name && (words.shown == Shown::Never || (words.label && words.explanation)));
        QVERIFY(!isSwitch(row) || (words.set && words.turnOff));
        std::set<QString> texts;
        if (words.shown != Shown::Never)
            for (const int choice : isSwitch(row) ? std::vector<int>() : choicesOf(row))
                QVERIFY(!choiceText(row.id, choice).isEmpty() && texts.insert(choiceText(row.id, choice)).second);
    }
    Strategy s;
    QVERIFY(rareTraits(s).isEmpty());
    s.contextMethod = ContextMethod::AllGather; // of one rank: it says nothing
    s.offload = Offload::Optimizer;
    s.stageLayers = {11, 12};
    s.rankOrder = {Axis::Tp, Axis::Pp, Axis::Cp, Axis::Ep, Axis::Dp};
    QCOMPARE(rareTraits(s), QStringLiteral("optimizer on the host · layers 11 12 · tp-pp-cp-ep-dp"));
}

void TestPanels::padlocksTellWhatTheyLock()
{
    InputsPanel panel;
    Plan plan = samplePlan();
    plan.strategy.cp = 2;
    plan.model = shippedCatalog().model("mixtral-8x7b")->model;
    panel.setPlan(plan);
    panel.resize(304, 1600);
    panel.show();
    panel.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&panel));
    QSignalSpy locks(&panel, &InputsPanel::lockEdited);
    QSignalSpy plans(&panel, &InputsPanel::planEdited);
    int shown = 0;
    for (int i = 0; i < kLockableDimensions; ++i) {
        const auto dimension = static_cast<Dimension>(i);
        auto* button = panel.findChild<LockButton*>(
            QStringLiteral("lock/") + QString::fromUtf8(key(dimension).data(), qsizetype(key(dimension).size())));
        if (!button || !button->isVisible())
            continue;
        ++shown;
        QVERIFY(!button->isLocked() && !button->accessibleName().isEmpty());
        const QString free = button->toolTip();
        QTest::mouseClick(button, Qt::LeftButton);
        QVERIFY(button->isLocked() && button->toolTip() != free);
        QCOMPARE(locks.last().at(0).value<Dimension>(), dimension);
        QCOMPARE(locks.last().at(1).toBool(), true);
        QVERIFY(locks.last().at(2).toString().startsWith(QStringLiteral("Lock ")));
        button->setFocus();
        QTest::keyClick(button, Qt::Key_Space);
        QCOMPARE(locks.last().at(1).toBool(), false);
        QVERIFY(!button->isLocked());
    }
    QCOMPARE(shown, kLockableDimensions); // all that a search can lock
    QCOMPARE(plans.count(), 0);
    locks.clear();
    panel.setLocks({Dimension::Tp});
    QVERIFY(panel.findChild<LockButton*>(QStringLiteral("lock/tp"))->isLocked());
    QVERIFY(!panel.findChild<LockButton*>(QStringLiteral("lock/pp"))->isLocked());
    QCOMPARE(locks.count(), 0);
}

void TestPanels::zonesAreMatchedByValue()
{
    InputsPanel panel;
    panel.setPlan(samplePlan());
    LegalSlider* slider = panel.slider(Dimension::Tp);
    panel.setZones(Dimension::Tp,
        {{8, Zone::Green, "best"}, {16, Zone::Amber, "leaves the node"}, {7777, Zone::Red, "an older plan"}});
    std::set<int> judged;
    for (const SliderStop& stop : slider->stops()) {
        QVERIFY(stop.value != 7777);
        if (stop.zone != Zone::Unknown)
            judged.insert(stop.value);
    }
    QCOMPARE(judged, (std::set<int>{8, 16}));
    Plan next = samplePlan();
    next.strategy.dp = 8;
    QVERIFY(slider->explain(16).contains("leaves the node"));
    panel.setPlan(samplePlan()); // the same plan
    QVERIFY(!slider->isOutdated());
    panel.setPlan(next); // nothing is claimed of it before newer verdicts come
    QVERIFY(slider->isOutdated());
    QVERIFY(!slider->explain(16).contains("leaves the node"));
    panel.setZones(Dimension::Tp, {{16, Zone::Red, "too much"}});
    QVERIFY(!slider->isOutdated());
    QVERIFY(slider->explain(16).contains("too much"));
    QVERIFY(panel.slider(Dimension::Pp)->isOutdated());
}

void TestPanels::doubleClickOnALabelRestores()
{
    InputsPanel panel;
    panel.setPlan(samplePlan());
    panel.resize(304, 1200);
    panel.show();
    panel.activateWindow();
    QSignalSpy spy(&panel, &InputsPanel::planEdited);
    auto* hidden = field<CountField>(panel, "/model/hidden");
    type(*hidden, "8192");
    QTest::mouseDClick(&qobject_cast<FieldRow*>(hidden->parentWidget())->label(), Qt::LeftButton);
    QCOMPARE(spy.count(), 2);
    QCOMPARE(planOf(spy, 1).model, samplePlan().model);
    auto* tp = field<CountField>(panel, "/strategy/tp");
    QTest::mouseDClick(&qobject_cast<FieldRow*>(tp->parentWidget())->label(), Qt::LeftButton);
    QCOMPARE(spy.count(), 3);
    QCOMPARE(planOf(spy, 2).strategy.tp, 1);
}

/// Whatever a row was changed to, its label brings back what was there, or the value a new plan has.
void TestPanels::everyLabelRestores()
{
    InputsPanel panel;
    Plan plan = samplePlan();
    plan.strategy.cp = 2;
    plan.strategy.zeroStage = 3;
    plan.strategy.zeroShards = 2;
    plan.strategy.contextMethod = ContextMethod::AllGather;
    plan.strategy.vocabularyPlacement = VocabularyPlacement::Vocab2;
    plan.strategy.recompute = Recompute::Full;
    plan.strategy.schedule = Schedule::GPipe;
    plan.strategy.sequenceParallel = !Strategy{}.sequenceParallel;
    plan.strategy.timingPass = !Strategy{}.timingPass;
    plan.strategy.offload = Offload::Optimizer;
    plan.training.documentLength = 64;
    plan.strategy.microBatch = 3;
    plan.strategy.vpp = 2;
    plan.model.layers += 1;
    plan.strategy.stageLayers = {12, 12, 12, 12, 12, 12, 12, 13};
    plan.model.kvHeads = 8;
    plan.model.multiTokenPredictionDepth += 1;
    plan.model.vocabulary += 1;
    plan.model.gatedMlp = !plan.model.gatedMlp;
    NodeGroup& node = plan.cluster.nodes.front();
    node.accelerator.memory = Bytes(1e9);
    node.acceleratorsPerNode = 4;
    node.scaleUp.bandwidth = BytesPerSecond(1e9);
    node.nic.bandwidth = BytesPerSecond(1e9);
    node.nicsPerNode = 3;
    plan.training.globalBatch = 7;
    plan.training.sequenceLength = 77;
    plan.training.precision = Precision::Fp32;
    plan.training.attention =
        plan.training.attention == AttentionKernel::Flash ? AttentionKernel::Unfused : AttentionKernel::Flash;
    plan.strategy.rankOrder = {Axis::Ep, Axis::Pp, Axis::Dp, Axis::Tp, Axis::Cp}; // none of those offered
    CapacityInputs capacity;
    capacity.tokens = 1e9;
    capacity.pricePerAcceleratorHour = 2;
    capacity.pue = 2;
    panel.resize(304, 1600);
    panel.show();
    QSignalSpy plans(&panel, &InputsPanel::planEdited);
    QSignalSpy capacities(&panel, &InputsPanel::capacityEdited);
    int rows = 0;
    for (FieldRow* row : panel.findChildren<FieldRow*>()) {
        panel.setPlan(plan);
        panel.setCapacity(capacity);
        if (!row->isVisible() || row->label().text() == "Expert" || row->label().text() == "Group")
            continue;
        const qsizetype before = plans.count() + capacities.count();
        QTest::mouseDClick(&row->label(), Qt::LeftButton);
        QVERIFY2(plans.count() + capacities.count() == before + 1, qPrintable(row->label().text()));
        QTest::mouseDClick(&row->label(), Qt::LeftButton); // there is nothing left to restore
        QVERIFY2(plans.count() + capacities.count() == before + 1, qPrintable(row->label().text()));
        ++rows;
    }
    QCOMPARE(rows, 35);
}

void TestPanels::recipesOpenByTheKeyboard()
{
    InputsPanel panel;
    panel.setPlan(samplePlan());
    panel.show();
    panel.activateWindow();
    Picker& recipes = panel.sections().at(3)->preset();
    recipes.setFocus();
    QTest::keyClick(&recipes, Qt::Key_Return);
    QVERIFY(recipes.openedList());
    QCOMPARE(recipes.items().size(), strategyRecipes(samplePlan()).size());
    recipes.openedList()->close();
    QTRY_VERIFY(!recipes.openedList());
    Plan none = samplePlan();
    none.cluster.nodes.clear();
    panel.setPlan(none);
    QTest::keyClick(&recipes, Qt::Key_Down);
    QVERIFY(recipes.openedList()); // it says that none fits
    QVERIFY(recipes.items().empty());
    recipes.openedList()->close();
}

void TestPanels::pendingTextIsTaken()
{
    InputsPanel panel;
    panel.setPlan(samplePlan());
    panel.resize(304, 900);
    panel.show();
    panel.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&panel));
    QSignalSpy spy(&panel, &InputsPanel::planEdited);
    QCOMPARE(panel.commitPending(), QString());
    QCOMPARE(spy.count(), 0);
    auto* batch = field<CountField>(panel, "/training/global_batch");
    batch->setFocus();
    batch->selectAll();
    QTest::keyClicks(batch, "3072");
    QCOMPARE(panel.commitPending(), QString());
    QCOMPARE(spy.count(), 1);
    QCOMPARE(planOf(spy, 0).training.globalBatch, 3072);
    QCOMPARE(batch->selectedText(), QStringLiteral("3,072"));
    auto* layers = field<CountField>(panel, "/model/layers");
    type(*layers, "many");
    batch->setFocus();
    panel.sections().front()->setCollapsed(true);
    QVERIFY(panel.commitPending().contains("many"));
    QVERIFY(!panel.sections().front()->isCollapsed());
    QVERIFY(layers->hasFocus());
    QCOMPARE(spy.count(), 1);
}

void TestPanels::presetsReplaceTheirPart()
{
    InputsPanel panel;
    panel.setPlan(samplePlan());
    panel.show();
    QSignalSpy spy(&panel, &InputsPanel::planEdited);
    const auto choose = [&](int section, const QString& filter) {
        Picker& picker = panel.sections().at(static_cast<std::size_t>(section))->preset();
        QTest::mouseClick(&picker, Qt::LeftButton);
        QVERIFY(picker.openedList());
        QTest::keyClicks(&picker.openedList()->filterField(), filter);
        QTest::keyClick(&picker.openedList()->filterField(), Qt::Key_Return);
        QTRY_VERIFY(!picker.openedList());
    };
    choose(0, "llama 3.1 405b");
    QCOMPARE(spy.count(), 1);
    QCOMPARE(planOf(spy, 0).model, shippedCatalog().model("llama3-405b")->model);
    QCOMPARE(planOf(spy, 0).training.sequenceLength, shippedCatalog().model("llama3-405b")->sequenceLength);
    QVERIFY(panel.sections().at(0)->preset().text().contains("405B"));
    choose(1, "dgx h100 nodes,");
    QCOMPARE(spy.count(), 2);
    QCOMPARE(planOf(spy, 1).cluster.nodes.front().count, 128); // as many of the new node
    QCOMPARE(planOf(spy, 1).cluster.nodes.front().id, std::string("nodes"));
    QVERIFY(planOf(spy, 1).cluster.nodes.front().accelerator.name.find("H100") != std::string::npos);
    auto* layers = field<CountField>(panel, "/model/layers");
    layers->setFocus();
    QTest::keyClick(layers, Qt::Key_Up);
    QVERIFY(panel.sections().at(0)->preset().text().contains("edited"));
}

void TestPanels::linksCanBeReplacedAndRetuned()
{
    Plan plan = samplePlan();
    plan.cluster.switches = {{"leaf", "Leaf", SwitchTier::Leaf, 64, 16}};
    plan.cluster.connections = {{"nodes", "leaf", plan.cluster.nodes.front().nic, 1024}};
    InputsPanel panel;
    panel.setPlan(plan);
    panel.show();
    panel.activateWindow();
    QSignalSpy spy(&panel, &InputsPanel::planEdited);
    auto* rate = field<UnitField>(panel, "/cluster/nodes/nic/bandwidth_gb_s");
    type(*rate, "x*2");
    QCOMPARE(spy.count(), 1);
    const Cluster faster = planOf(spy, 0).cluster;
    QCOMPARE(faster.nodes.front().nic.bandwidth, plan.cluster.nodes.front().nic.bandwidth * 2);
    QCOMPARE(faster.connections.front().link, faster.nodes.front().nic); // the drawn cables follow
    type(*field<CountField>(panel, "/cluster/nodes/count"), "64");
    QCOMPARE(planOf(spy, 1).cluster.connections.front().cables, 512);
}

/// At the width the window gives the form, a link shows its whole name, edited or not.
void TestPanels::linkNamesAreNotCut()
{
    InputsPanel panel;
    panel.resize(320, 900);
    panel.show();
    Plan plan = samplePlan();
    for (const bool edited : {false, true}) {
        plan.cluster.nodes.front().scaleUp.bandwidth *= edited ? 0.5 : 1;
        plan.cluster.nodes.front().nic.bandwidth *= edited ? 0.5 : 1;
        panel.setPlan(plan);
        QCoreApplication::processEvents();
        const QList<LinkField*> links = panel.findChildren<LinkField*>();
        QCOMPARE(links.size(), 2);
        for (const LinkField* link : links) {
            const Picker& picker = link->picker();
            QVERIFY2(picker.sizeHint().width() <= picker.width(), qPrintable(picker.text()));
            QCOMPARE(picker.text().endsWith('*'), edited);
            QCOMPARE(picker.toolTip().contains("Edited"), edited);
        }
    }
}

void TestPanels::recipesBreakNoRule()
{
    int total = 0;
    for (const ModelPreset& preset : shippedCatalog().models) {
        for (const int nodes : {1, 16, 128, 1000}) {
            Plan plan = withModel(samplePlan(), preset);
            plan.cluster = withNodeCount(plan.cluster, 0, nodes);
            plan.training.globalBatch = 8 * nodes;
            for (const StrategyRecipe& recipe : strategyRecipes(plan)) {
                plan.strategy = recipe.strategy;
                QVERIFY2(!hasErrors(check(plan)), qPrintable(recipe.name));
                QCOMPARE(rankCount(recipe.strategy), acceleratorCount(plan.cluster));
                QVERIFY(!recipe.detail.isEmpty());
                ++total;
            }
        }
    }
    QVERIFY(total > 100);
    QVERIFY(strategyRecipes(Plan{}).empty());
}

void TestPanels::anEmptyClusterSaysWhatToDo()
{
    Plan plan = samplePlan();
    plan.cluster = {};
    InputsPanel panel;
    panel.setPlan(plan);
    panel.show();
    QVERIFY(!field<CountField>(panel, "/cluster/nodes/count")->isVisible());
    const QList<ToneLabel*> labels = panel.findChildren<ToneLabel*>();
    QVERIFY(std::ranges::any_of(
        labels, [](const ToneLabel* l) { return l->isVisible() && l->text().contains("No nodes yet"); }));
    QSignalSpy spy(&panel, &InputsPanel::planEdited);
    Picker& picker = panel.sections().at(1)->preset();
    QTest::mouseClick(&picker, Qt::LeftButton);
    QTest::keyClicks(&picker.openedList()->filterField(), "dgx a100 nodes,");
    QTest::keyClick(&picker.openedList()->filterField(), Qt::Key_Return);
    QCOMPARE(spy.count(), 1);
    QCOMPARE(planOf(spy, 0).cluster.nodes.size(), std::size_t(1));
    QVERIFY(field<CountField>(panel, "/cluster/nodes/count")->isVisible());
}

void TestPanels::severalGroupsAreEditedOneAtATime()
{
    Plan plan = samplePlan();
    plan.cluster.nodes.push_back(shippedCatalog().node("dgx-h100")->node);
    plan.cluster.nodes.back().id = "newer";
    plan.cluster.nodes.back().count = 4;
    InputsPanel panel;
    panel.setPlan(plan);
    panel.show();
    panel.activateWindow();
    QSignalSpy spy(&panel, &InputsPanel::planEdited);
    ChoiceField* group = nullptr;
    for (ChoiceField* choice : panel.findChildren<ChoiceField*>()) {
        if (choice->accessibleName().contains("Group"))
            group = choice;
    }
    QVERIFY(group && group->isVisible());
    group->setFocus();
    QTest::keyClick(group, Qt::Key_Down);
    QCOMPARE(spy.count(), 0); // looking is not editing
    auto* nodes = field<CountField>(panel, "/cluster/nodes/count");
    QCOMPARE(nodes->value(), 4);
    type(*nodes, "6");
    QCOMPARE(spy.count(), 1);
    QCOMPARE(planOf(spy, 0).cluster.nodes.at(0).count, 128);
    QCOMPARE(planOf(spy, 0).cluster.nodes.at(1).count, 6);
    QCOMPARE(nodes->value(), 6);
}

void TestPanels::capacityIsEditedApartFromThePlan()
{
    InputsPanel panel;
    panel.setPlan(samplePlan());
    panel.setCapacity({});
    panel.resize(304, 1400);
    panel.show();
    panel.activateWindow();
    QSignalSpy plans(&panel, &InputsPanel::planEdited);
    QSignalSpy spy(&panel, &InputsPanel::capacityEdited);
    const auto named = [&](const QString& name) -> UnitField* {
        for (UnitField* f : panel.findChildren<UnitField*>()) {
            if (f->accessibleName() == name)
                return f;
        }
        return nullptr;
    };
    QCOMPARE(named("Token budget")->text(), QStringLiteral("not given"));
    type(*named("Token budget"), "15T");
    type(*named("Price per accelerator-hour"), "2.1");
    type(*named("Goodput"), "95");
    QCOMPARE(spy.count(), 3);
    const auto inputs = spy.at(2).at(0).value<CapacityInputs>();
    QCOMPARE(inputs.tokens, 15e12);
    QCOMPARE(inputs.pricePerAcceleratorHour, 2.1);
    QCOMPARE(inputs.goodput, 0.95);
    type(*named("Goodput"), "120 %");
    QCOMPARE(spy.count(), 3);
    QCOMPARE(plans.count(), 0);
}

void TestPanels::problemsLeadToFields()
{
    InputsPanel panel;
    panel.setPlan(samplePlan());
    panel.resize(304, 300);
    panel.show();
    panel.activateWindow();
    panel.sections().at(3)->setCollapsed(true);
    QVERIFY(panel.showField("/strategy/zero_stage"));
    QVERIFY(!panel.sections().at(3)->isCollapsed());
    QTRY_VERIFY(field<ChoiceField>(panel, "/strategy/zero_stage")->hasFocus());
    QVERIFY(panel.showField("/cluster/nodes/0/nic/bandwidth_gb_s"));
    QVERIFY(panel.showField("/cluster/nodes/0/accelerator/memory_gib"));
    QVERIFY(panel.showField("/strategy/rank_order"));
    QVERIFY(!panel.showField("/strategy/stage_layers"));
    QVERIFY(!panel.showField(""));
}

void TestPanels::sectionsFold()
{
    InputsPanel panel;
    panel.setPlan(samplePlan());
    panel.resize(304, 900);
    panel.show();
    Section* model = panel.sections().front();
    QTest::mouseClick(&model->titleButton(), Qt::LeftButton);
    QVERIFY(model->isCollapsed());
    QVERIFY(!field<CountField>(panel, "/model/layers")->isVisible());
    model->titleButton().setFocus();
    QTest::keyClick(&model->titleButton(), Qt::Key_Space);
    QVERIFY(!model->isCollapsed());
}

void TestPanels::everythingHasANameAndTakesTheKeyboard()
{
    QWidget window;
    auto* inputs = new InputsPanel(shippedCatalog(), &window);
    auto* verdict = new VerdictBar(&window);
    auto* problems = new ProblemsPanel(&window);
    auto* details = new DetailsPanel(&window);
    Plan plan = samplePlan();
    plan.strategy.tp = 5;
    inputs->setPlan(plan);
    verdict->setEstimate(sampleEstimate(), std::nullopt);
    problems->setProblems(check(plan));
    problems->setExpanded(true);
    details->setSections({{"Stage 3", {{"Start", "1.48 s"}}, "By the book.", {}}});
    inputs->setGeometry(0, 100, 304, 1400);
    verdict->setGeometry(0, 0, 1400, 72);
    problems->setGeometry(400, 1200, 1000, 200);
    details->setGeometry(1000, 100, 260, 400);
    window.resize(1400, 1500);
    window.show();
    window.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&window));
    QCOMPARE(namelessIn(window).join('\n'), QString());
    // Tab reaches every visible widget that wants it.
    std::set<QWidget*> wanted;
    for (QWidget* widget : window.findChildren<QWidget*>()) {
        if ((widget->focusPolicy() & Qt::TabFocus) && widget->isVisible() && widget->isEnabled()
            && !widget->focusProxy())
            wanted.insert(widget);
    }
    std::set<QWidget*> reached;
    for (std::size_t i = 0; i < 2 * wanted.size() + 4; ++i) {
        QTest::keyClick(QApplication::focusWidget() ? QApplication::focusWidget() : &window, Qt::Key_Tab);
        reached.insert(QApplication::focusWidget());
    }
    for (QWidget* widget : wanted)
        QVERIFY2(
            reached.contains(widget), qPrintable(widget->accessibleName() + ' ' + widget->metaObject()->className()));
    QVERIFY(wanted.size() > 40);
}

void TestPanels::editsKeepThePlanSensible()
{
    const Transformer gpt3 = samplePlan().model;
    QCOMPARE(withHidden(gpt3, 6144).headDim, 64);
    QCOMPARE(withHidden(gpt3, 8192).headDim, 128); // 8192 / 96 is no whole number: the heads stay as wide as they are
    QCOMPARE(withHeads(gpt3, 64).kvHeads, 64);
    QCOMPARE(withKvHeads(gpt3, 200).kvHeads, 96);
    Transformer grouped = gpt3;
    grouped.kvHeads = 8;
    QCOMPARE(withHeads(grouped, 64).kvHeads, 8);
    QCOMPARE(withHeads(grouped, 4).kvHeads, 4);
    Plan plan = samplePlan();
    QCOMPARE(withAcceleratorsPerNode(plan.cluster, 0, 4).nodes.front().scaleUpDomain, 4);
    plan.cluster.nodes.front().scaleUpDomain = 64;
    QCOMPARE(withAcceleratorsPerNode(plan.cluster, 0, 4).nodes.front().scaleUpDomain, 64);
    QCOMPARE(withValue(plan, Dimension::Schedule, int(Schedule::OneFOneB)).vpp, 1);
    plan.strategy = withValue(plan, Dimension::Schedule, int(Schedule::OneFOneB));
    QCOMPARE(withValue(plan, Dimension::Schedule, int(Schedule::Interleaved)).vpp, 2);
    for (const SoftwareProfile& profile : shippedCatalog().software) {
        const Training training = withSoftware(plan.training, profile);
        QCOMPARE(training.attention == AttentionKernel::Flash, profile.flashAttention);
        QCOMPARE(training.software, profile);
    }
}

namespace {

Capacity sampleRun()
{
    Capacity run;
    run.steps = 95'367;
    run.days = 11.4;
    run.acceleratorHours = 274e3;
    run.cost = 548e3;
    run.energyKwh = 142e3;
    return run;
}

CapacityInputs sampleInputs()
{
    CapacityInputs inputs;
    inputs.tokens = 300e9;
    inputs.pricePerAcceleratorHour = 2;
    inputs.goodput = 0.95;
    return inputs;
}

} // namespace

void TestPanels::verdictSaysFigures()
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

void TestPanels::verdictComparesWithABaseline()
{
    VerdictBar bar;
    bar.setCapacityInputs(sampleInputs());
    bar.setEstimate(sampleEstimate(), sampleRun());
    Estimate base = sampleEstimate();
    base.step = Seconds(10.45);
    base.tokensPerSecond *= 9.84 / 10.45;
    base.mfu = 0.474;
    base.perAccelerator = FlopsPerSecond(157.2e12);
    base.memory.peak = Bytes(66 * kGiB);
    Capacity baseRun = sampleRun();
    baseRun.days = 12.1;
    baseRun.cost = 520e3;
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

void TestPanels::verdictHasThreeFiguresAndAUnitEverywhere()
{
    const auto cellOf = [](VerdictFigure figure, const Estimate& now, const Estimate& before,
                            const CapacityInputs& inputs) {
        Capacity run = sampleRun();
        Capacity runBefore = sampleRun();
        runBefore.acceleratorHours *= 2;
        return verdictText(figure, {now, run}, inputs, VerdictState{before, runBefore}, "A");
    };
    const CapacityInputs inputs = sampleInputs();
    Estimate now = sampleEstimate();
    Estimate before = sampleEstimate();
    now.step = Seconds(0.950);
    before.step = Seconds(132);
    QCOMPARE(cellOf(VerdictFigure::StepTime, now, before, inputs).delta, QStringLiteral("▼ −2.18 min"));
    now.step = Seconds(7.32);
    before.step = Seconds(22.43);
    QCOMPARE(cellOf(VerdictFigure::StepTime, now, before, inputs).delta, QStringLiteral("▼ −15.1 s"));
    now.tokensPerSecond = 3.064 * before.tokensPerSecond;
    QCOMPARE(cellOf(VerdictFigure::Throughput, now, before, inputs).delta, QStringLiteral("▲ +206 %"));
    // A peak in another unit keeps it; so does a difference.
    now.perAccelerator = FlopsPerSecond(452e12);
    now.mfu = 452.0 / 2250;
    before.perAccelerator = FlopsPerSecond(148e12);
    const VerdictText perGpu = cellOf(VerdictFigure::PerAccelerator, now, before, inputs);
    QCOMPARE(perGpu.details, QStringList{"of 2.25 PFLOP/s peak"});
    QCOMPARE(perGpu.delta, QStringLiteral("▲ +304 TFLOP/s"));
    // Both ends of the range read alike: no range, and no unit alone.
    now.stepLow = Seconds(7.3199);
    now.stepHigh = Seconds(7.3201);
    QCOMPARE(cellOf(VerdictFigure::Run, now, before, inputs).details, QStringList());
    CapacityInputs unpriced = inputs;
    unpriced.pricePerAcceleratorHour = 0;
    const VerdictText hours = cellOf(VerdictFigure::Cost, now, before, unpriced);
    QCOMPARE(hours.title, QStringLiteral("Accelerator time"));
    QCOMPARE(hours.delta, QStringLiteral("▼ −274 k GPU-h"));
    QVERIFY(hours.tone == VerdictText::Tone::Good);
}

void TestPanels::verdictAlarmsWhenItDoesNotFit()
{
    VerdictBar bar;
    Estimate e = sampleEstimate();
    e.fits = false;
    e.memory.peak = Bytes(91.3 * kGiB);
    bar.setEstimate(e, std::nullopt);
    const VerdictText memory = bar.cell(VerdictFigure::Memory)->content();
    QVERIFY(memory.alarm);
    QCOMPARE(memory.note, QStringLiteral("11.3 GiB over"));
    QVERIFY(*memory.filled > 1);
}

void TestPanels::verdictWithoutAnEstimateIsDashes()
{
    VerdictBar bar;
    bar.setEstimate(sampleEstimate(), std::nullopt);
    Plan plan = samplePlan();
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

void TestPanels::verdictWrapsAndNeverCuts()
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

void TestPanels::verdictShowsUpdatingOnlyWhenItTakesLong()
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

void TestPanels::verdictIsNeverNotANumber()
{
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    for (const double value : {0.0, kNan, kInfinity, -1.0, 1e300}) {
        Estimate e = sampleEstimate();
        e.step = e.stepLow = e.stepHigh = Seconds(value);
        e.tokensPerSecond = e.mfu = e.hfu = value;
        e.perAccelerator = FlopsPerSecond(value);
        e.memory.peak = e.memory.capacity = Bytes(value);
        Capacity run;
        run.days = run.cost = run.acceleratorHours = run.energyKwh = value;
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

std::vector<Problem> someProblems()
{
    Problem note;
    note.code = ProblemCode::SequenceParallelNeedsTp;
    note.severity = Severity::Note;
    Problem warning;
    warning.code = ProblemCode::MemoryPressure;
    warning.severity = Severity::Warning;
    warning.found = 75 * kGiB;
    warning.limit = 80 * kGiB;
    Problem error;
    error.code = ProblemCode::HeadsNotDivisible;
    error.where = "/strategy/tp";
    error.found = 96;
    error.limit = 5;
    Strategy four;
    four.tp = 4;
    Strategy eight;
    eight.tp = 8;
    error.remedies = {{EditKind::Value, Dimension::Tp, four}, {EditKind::Value, Dimension::Tp, eight}};
    return {note, warning, error};
}

} // namespace

void TestPanels::problemsAreListedErrorsFirst()
{
    ProblemsPanel panel;
    panel.resize(900, 64);
    panel.show();
    QVERIFY(panel.summary() == "Nothing breaks a rule");
    panel.setProblems(someProblems());
    QCOMPARE(panel.problems().front().severity, Severity::Error);
    QCOMPARE(panel.summary(), QStringLiteral("1 error · 1 warning"));
    const QList<ProblemRow*> rows = panel.findChildren<ProblemRow*>();
    QCOMPARE(rows.size(), 3);
    const QList<ProblemSentence*> sentences = panel.findChildren<ProblemSentence*>();
    QVERIFY(sentences.front()->accessibleName().startsWith("Error: 96 heads"));
    QSignalSpy spy(&panel, &ProblemsPanel::problemActivated);
    QTest::mouseClick(sentences.front(), Qt::LeftButton);
    QCOMPARE(spy.count(), 1);
    QCOMPARE(spy.at(0).at(0).value<Problem>().where, std::string("/strategy/tp"));
}

void TestPanels::remediesAreOneClick()
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
    QCOMPARE(spy.at(0).at(0).value<Strategy>().tp, 8);
    QCOMPARE(spy.at(0).at(1).toString(), QStringLiteral("Use TP 8"));
    QTRY_COMPARE(panel.findChildren<ProblemRow*>().size(), 0);
    panel.setProblems(someProblems());
    const QList<RemedyButton*> again = panel.findChildren<RemedyButton*>();
    again.front()->setFocus();
    QTest::keyClick(again.front(), Qt::Key_Space);
    QCOMPARE(spy.count(), 2);
}

void TestPanels::remediesMoveIntoAMenu()
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
    QCOMPARE(spy.at(0).at(0).value<Strategy>().tp, 4);
}

void TestPanels::problemsFoldToTwoLines()
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
    QVERIFY(panel.isExpanded());
    QVERIFY(panel.height() > empty);
    std::vector<Problem> two = someProblems();
    two.pop_back();
    panel.setProblems(two);
    QVERIFY(!toggle->isVisible());
    QCOMPARE(panel.height(), empty);
}

void TestPanels::detailsStayWhereTheyWereRead()
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

void TestPanels::detailsShowRowsAndExplanation()
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

} // namespace stratoplan

QTEST_MAIN(stratoplan::TestPanels)
#include "test_panels.moc"
