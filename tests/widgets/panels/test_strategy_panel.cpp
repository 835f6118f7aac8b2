// SPDX-License-Identifier: GPL-3.0-or-later
// The strategy among the inputs: its sliders, padlocks, zones and recipes.
#include "core/plan/dimensions.h"
#include "tests/patience.h"
#include "tests/widgets/panels/panel_driving.h"
#include "tests/widgets/panels/panel_test.h"
#include "tests/widgets/panels/sample_plan.h"
#include "widgets/panels/choice_field.h"
#include "widgets/panels/inputs_panel.h"
#include "widgets/panels/legal_slider.h"
#include "widgets/panels/lock_button.h"
#include "widgets/panels/picker.h"
#include "widgets/panels/plan_edits.h"
#include "widgets/panels/section.h"
#include "widgets/panels/strategy_recipes.h"
#include "widgets/presentation/dimension_words.h"
#include "widgets/style/theme.h"

#include <QApplication>
#include <QComboBox>
#include <QSignalSpy>
#include <QTest>
#include <set>

namespace stratoplan::widgets {

using namespace test;

class TestStrategyPanel : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { test::startPanelTest(); }
    void cleanup()
    {
        const QString warnings = test::takeQtWarnings();
        QVERIFY2(warnings.isEmpty(), qPrintable(warnings));
    }

    void slidersSetWhatTheCoreSays();
    void expertTensorParallelismIsOfferedForExperts();
    void sharingIsOfferedWhereSeveralShare();
    void theVocabularyIsPlacedWhereThereAreStages();
    void offloadAndWhatIsInFlightAreChosen();
    void sequenceParallelismRestsWhereSequencesAreDivided();
    void everyDimensionHasWords();
    void padlocksTellWhatTheyLock();
    void zonesAreMatchedByValue();
    void recipesOpenByTheKeyboard();
    void recipesBreakNoRule();
};

void TestStrategyPanel::slidersSetWhatTheCoreSays()
{
    InputsPanel panel;
    const plan::Plan plan = samplePlan();
    panel.setPlan(plan);
    panel.resize(304, 1200);
    panel.show();
    QSignalSpy spy(&panel, &InputsPanel::planEdited);
    int calls = 0;
    for (const plan::Dimension f : plan::kDraggedDimensions) {
        LegalSlider* slider = panel.slider(f);
        if (!slider || f == plan::Dimension::Ep || f == plan::Dimension::Etp)
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

void TestStrategyPanel::expertTensorParallelismIsOfferedForExperts()
{
    InputsPanel panel;
    plan::Plan plan = samplePlan();
    panel.setPlan(plan);
    panel.resize(304, 1400);
    panel.show();
    LegalSlider* slider = panel.slider(plan::Dimension::Etp);
    QVERIFY(slider && !slider->isVisible());
    plan.model.moe = model::MixtureOfExperts{};
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

// In one piece: one panel, shown plans that share more and more.
void TestStrategyPanel::sharingIsOfferedWhereSeveralShare()
{
    InputsPanel panel;
    plan::Plan plan = samplePlan();
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
    QVERIFY(planOf(spy, 1).strategy.contextMethod == parallel::ContextMethod::Ulysses);
    plan.strategy.zeroShards = 5; // breaks a rule: it stays visible
    panel.setPlan(plan);
    QCOMPARE(shards->currentData().toInt(), 5);
}

void TestStrategyPanel::theVocabularyIsPlacedWhereThereAreStages()
{
    InputsPanel panel;
    plan::Plan plan = samplePlan();
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
    QVERIFY(planOf(spy, 0).strategy.vocabularyPlacement == parallel::VocabularyPlacement::Interlaced);
}

void TestStrategyPanel::offloadAndWhatIsInFlightAreChosen()
{
    InputsPanel panel;
    plan::Plan plan = samplePlan();
    plan.strategy.pp = 4;
    plan.strategy.schedule = parallel::Schedule::OneFOneB;
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
    QVERIFY(planOf(spy, 0).strategy.offload == parallel::Offload::Optimizer);
    plan.strategy.schedule = parallel::Schedule::ZbAuto;
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

/// By a spatial-temporal partition; what it was comes back.
void TestStrategyPanel::sequenceParallelismRestsWhereSequencesAreDivided()
{
    InputsPanel panel;
    plan::Plan plan = samplePlan();
    panel.setPlan(plan);
    panel.resize(304, 1400);
    panel.show();
    auto* toggle = panel.findChild<ToggleSwitch*>(QStringLiteral("/strategy/sequence_parallel"));
    QVERIFY(toggle && toggle->isEnabled() && toggle->isChecked());
    const QString usual = toggle->toolTip();
    plan.strategy = spatialTemporal(plan.strategy);
    panel.setPlan(plan);
    QVERIFY(!toggle->isEnabled() && toggle->isChecked());
    QVERIFY2(toggle->toolTip().startsWith(QStringLiteral("No effect on a spatial-temporal partition")),
        qPrintable(toggle->toolTip()));
    QSignalSpy spy(&panel, &InputsPanel::planEdited);
    QTest::mouseClick(toggle, Qt::LeftButton);
    QCOMPARE(spy.count(), 0);
    plan.strategy = asMegatron(plan.strategy);
    panel.setPlan(plan);
    QVERIFY(toggle->isEnabled() && toggle->toolTip() == usual);
    QTest::mouseClick(toggle, Qt::LeftButton);
    QCOMPARE(spy.count(), 1);
    QVERIFY(!planOf(spy, 0).strategy.sequenceParallel);
}

void TestStrategyPanel::everyDimensionHasWords()
{
    for (const plan::DimensionRow& row : plan::dimensions()) {
        const bool isShown = int(row.id) < plan::kLockableDimensions || !row.brief.empty();
        if (!isShown || row.id == plan::Dimension::Precision) // of the training
            continue;
        const DimensionWords& words = wordsOf(row.id);
        QVERIFY(words.name && words.label && words.explanation);
        QVERIFY(!isSwitch(row) || (words.set && words.turnOff));
        std::set<QString> texts;
        for (const int choice : isSwitch(row) ? std::vector<int>() : choicesOf(row))
            QVERIFY(!choiceText(row.id, choice).isEmpty() && texts.insert(choiceText(row.id, choice)).second);
    }
    parallel::Strategy s;
    QVERIFY(rareTraits(s).isEmpty());
    s.contextMethod = parallel::ContextMethod::AllGather; // of one rank: it says nothing
    s.offload = parallel::Offload::Optimizer;
    s.stageLayers = {11, 12};
    s.rankOrder = {parallel::Axis::Tp, parallel::Axis::Pp, parallel::Axis::Cp, parallel::Axis::Ep, parallel::Axis::Dp};
    QCOMPARE(rareTraits(s), QStringLiteral("optimizer on the host · layers 11 12 · tp-pp-cp-ep-dp"));
}

// In one piece: one panel, on which locks are counted on from padlock to padlock.
void TestStrategyPanel::padlocksTellWhatTheyLock()
{
    InputsPanel panel;
    plan::Plan plan = samplePlan();
    plan.strategy.cp = 2;
    plan.model = catalog::shippedCatalog().model("mixtral-8x7b")->model;
    panel.setPlan(plan);
    panel.resize(304, 1600);
    panel.show();
    panel.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&panel));
    QSignalSpy locks(&panel, &InputsPanel::lockEdited);
    QSignalSpy plans(&panel, &InputsPanel::planEdited);
    int shown = 0;
    for (int i = 0; i < plan::kLockableDimensions; ++i) {
        const auto dimension = static_cast<plan::Dimension>(i);
        auto* button = panel.findChild<LockButton*>(
            QStringLiteral("lock/") + QString::fromUtf8(key(dimension).data(), qsizetype(key(dimension).size())));
        if (!button || !button->isVisible())
            continue;
        ++shown;
        QVERIFY(!button->isLocked() && !button->accessibleName().isEmpty());
        const QString free = button->toolTip();
        QTest::mouseClick(button, Qt::LeftButton);
        QVERIFY(button->isLocked() && button->toolTip() != free);
        QCOMPARE(locks.last().at(0).value<plan::Dimension>(), dimension);
        QCOMPARE(locks.last().at(1).toBool(), true);
        QVERIFY(locks.last().at(2).toString().startsWith(QStringLiteral("Lock ")));
        button->setFocus();
        QTest::keyClick(button, Qt::Key_Space);
        QCOMPARE(locks.last().at(1).toBool(), false);
        QVERIFY(!button->isLocked());
    }
    QCOMPARE(shown, plan::kLockableDimensions); // all that a search can lock
    QCOMPARE(plans.count(), 0);
    locks.clear();
    panel.setLocks({plan::Dimension::Tp});
    QVERIFY(panel.findChild<LockButton*>(QStringLiteral("lock/tp"))->isLocked());
    QVERIFY(!panel.findChild<LockButton*>(QStringLiteral("lock/pp"))->isLocked());
    QCOMPARE(locks.count(), 0);
}

void TestStrategyPanel::zonesAreMatchedByValue()
{
    InputsPanel panel;
    panel.setPlan(samplePlan());
    LegalSlider* slider = panel.slider(plan::Dimension::Tp);
    panel.setZones(plan::Dimension::Tp,
        {{8, Zone::Green, "best"}, {16, Zone::Amber, "leaves the node"}, {7777, Zone::Red, "an older plan"}});
    std::set<int> judged;
    for (const SliderStop& stop : slider->stops()) {
        QVERIFY(stop.value != 7777);
        if (stop.zone != Zone::Unknown)
            judged.insert(stop.value);
    }
    QCOMPARE(judged, (std::set<int>{8, 16}));
    plan::Plan next = samplePlan();
    next.strategy.dp = 8;
    QVERIFY(slider->explain(16).contains("leaves the node"));
    panel.setPlan(samplePlan()); // the same plan
    QVERIFY(!slider->isOutdated());
    panel.setPlan(next); // nothing is claimed of it before newer verdicts come
    QVERIFY(slider->isOutdated());
    QVERIFY(!slider->explain(16).contains("leaves the node"));
    panel.setZones(plan::Dimension::Tp, {{16, Zone::Red, "too much"}});
    QVERIFY(!slider->isOutdated());
    QVERIFY(slider->explain(16).contains("too much"));
    QVERIFY(panel.slider(plan::Dimension::Pp)->isOutdated());
}

void TestStrategyPanel::recipesOpenByTheKeyboard()
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
    plan::Plan none = samplePlan();
    none.cluster.nodes.clear();
    panel.setPlan(none);
    QTest::keyClick(&recipes, Qt::Key_Down);
    QVERIFY(recipes.openedList()); // it says that none fits
    QVERIFY(recipes.items().empty());
    recipes.openedList()->close();
}

void TestStrategyPanel::recipesBreakNoRule()
{
    int total = 0;
    for (const catalog::ModelPreset& preset : catalog::shippedCatalog().models) {
        for (const int nodes : {1, 16, 128, 1000}) {
            plan::Plan plan = withModel(samplePlan(), preset);
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
    QVERIFY(strategyRecipes(plan::Plan{}).empty());
}

} // namespace stratoplan::widgets

QTEST_MAIN(stratoplan::widgets::TestStrategyPanel)
#include "test_strategy_panel.moc"
