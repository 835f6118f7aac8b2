// SPDX-License-Identifier: GPL-3.0-or-later
// The panels as a person uses them: one gesture, one signal with the value it leads to.
#include "core/cluster/cluster_edits.h"
#include "core/plan/dimensions.h"
#include "tests/finding.h"
#include "tests/patience.h"
#include "tests/widgets/panels/panel_driving.h"
#include "tests/widgets/panels/panel_test.h"
#include "tests/widgets/panels/sample_plan.h"
#include "widgets/panels/choice_field.h"
#include "widgets/panels/count_field.h"
#include "widgets/panels/details_panel.h"
#include "widgets/panels/field_row.h"
#include "widgets/panels/inputs_panel.h"
#include "widgets/panels/legal_slider.h"
#include "widgets/panels/link_field.h"
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
#include <QLineEdit>
#include <QSignalSpy>
#include <QTest>
#include <set>

namespace stratoplan::widgets {

using namespace test;

namespace {

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
    void initTestCase() { test::startPanelTest(); }
    void cleanup()
    {
        const QString warnings = test::takeQtWarnings();
        QVERIFY2(warnings.isEmpty(), qPrintable(warnings));
    }

    void showingAPlanTellsNothing();
    void everyFieldGivesOneEdit();
    void wrongTextIsShownBesideTheFieldAndChangesNothing();
    void aDragIsOneMergedEdit();
    void doubleClickOnALabelRestores();
    void everyLabelRestores();
    void countsAreRestoredWithTheirTorus();
    void pendingTextIsTaken();
    void presetsReplaceTheirPart();
    void kindsOfLayersAreTold();
    void linksCanBeReplacedAndRetuned();
    void linkNamesAreNotCut();
    void anEmptyClusterSaysWhatToDo();
    void severalGroupsAreEditedOneAtATime();
    void capacityIsEditedApartFromThePlan();
    void problemsLeadToFields();
    void sectionsFold();
    void everythingHasANameAndTakesTheKeyboard();
    void editsKeepThePlanSensible();
};

void TestPanels::showingAPlanTellsNothing()
{
    InputsPanel panel;
    QSignalSpy spy(&panel, &InputsPanel::planEdited);
    QSignalSpy capacity(&panel, &InputsPanel::capacityEdited);
    panel.setPlan(samplePlan());
    plan::CapacityInputs inputs;
    inputs.tokens = 300e9;
    panel.setCapacity(inputs);
    for (const plan::Dimension f : plan::kDraggedDimensions)
        panel.setZones(f, {{1, Zone::Green, "fits"}});
    panel.setPlan(plan::Plan{});
    panel.setPlan(samplePlan());
    QCOMPARE(spy.count(), 0);
    QCOMPARE(capacity.count(), 0);
}

// In one piece: one panel, on which edits are counted on from field to field.
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
    plan::Plan before = samplePlan();
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
    for (const char* pointer : {"/training/precision", "/training/fp32_gradients", "/training/narrow_reduction",
             "/training/narrow_gather", "/training/optimizer", "/training/attention", "/strategy/zero_stage",
             "/strategy/recompute", "/strategy/schedule"}) {
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
    QCOMPARE(planOf(spy, 0).cluster.nodes.front().nic.bandwidth, units::BytesPerSecond(50e9));
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
    connect(&panel, &InputsPanel::planEdited, &panel, [&panel](const plan::Plan& plan) { panel.setPlan(plan); });
    LegalSlider* slider = panel.slider(plan::Dimension::Tp);
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
// In one piece: one plan that is unusual in every row of the panel.
void TestPanels::everyLabelRestores()
{
    InputsPanel panel;
    plan::Plan plan = samplePlan();
    plan.strategy.cp = 2;
    plan.strategy.zeroStage = 3;
    plan.strategy.zeroShards = 2;
    plan.strategy.contextMethod = parallel::ContextMethod::AllGather;
    plan.strategy.vocabularyPlacement = parallel::VocabularyPlacement::Vocab2;
    plan.strategy.recompute = parallel::Recompute::Full;
    plan.strategy.schedule = parallel::Schedule::GPipe;
    plan.strategy.sequenceParallel = !parallel::Strategy{}.sequenceParallel;
    plan.strategy.timingPass = !parallel::Strategy{}.timingPass;
    plan.strategy.offload = parallel::Offload::Optimizer;
    plan.strategy.tensorPartition = parallel::TensorPartition::SpatialTemporal;
    plan.training.documentLength = 64;
    plan.strategy.microBatch = 3;
    plan.strategy.vpp = 2;
    plan.model.layers += 1;
    plan.strategy.stageLayers = {12, 12, 12, 12, 12, 12, 12, 13};
    plan.model.kvHeads = 8;
    plan.model.multiTokenPredictionDepth += 1;
    plan.model.vocabulary += 1;
    plan.model.gatedMlp = !plan.model.gatedMlp;
    cluster::NodeGroup& node = plan.cluster.nodes.front();
    node.accelerator.memory = units::Bytes(1e9);
    node.acceleratorsPerNode = 4;
    node.scaleUp.bandwidth = node.nic.bandwidth = units::BytesPerSecond(1e9);
    node.nicsPerNode = 3;
    plan.training.globalBatch = 7;
    plan.training.sequenceLength = 77;
    plan.training.precision = model::Precision::Fp32;
    plan.training.narrowReduction = !plan.training.narrowReduction;
    plan.training.optimizer = plan::Optimizer::Muon;
    plan.training.attention = plan::AttentionKernel::Flash1;
    plan.strategy.rankOrder = {parallel::Axis::Ep, parallel::Axis::Pp, parallel::Axis::Dp, parallel::Axis::Tp,
        parallel::Axis::Cp}; // none of those offered
    plan::CapacityInputs capacity;
    capacity.tokens = 1e9;
    capacity.pricePerAcceleratorHour = 2;
    capacity.pue = 2;
    capacity.goodput = 0.9;
    capacity.start = "2026-12-01";
    capacity.evaluationShare = 0.01;
    capacity.ramp = {16, 16, 1e9};
    capacity.purchase = plan::Purchase::Owned;
    capacity.owned = {30000, 5, 0.1, 0.12, 0.05};
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
    QCOMPARE(rows, 45);
}

void TestPanels::countsAreRestoredWithTheirTorus()
{
    const catalog::Catalog& catalog = catalog::shippedCatalog();
    const auto preset = std::ranges::find_if(
        catalog.clusters, [](const catalog::ClusterPreset& p) { return p.cluster.nodes.front().torus.has_value(); });
    QVERIFY(preset != catalog.clusters.end());
    plan::Plan plan = samplePlan();
    plan.cluster = preset->cluster;
    cluster::NodeGroup& node = plan.cluster.nodes.front();
    node.acceleratorsPerNode *= 2;
    cluster::setTorusAxes(node, {2, 2});
    InputsPanel panel;
    panel.setPlan(plan);
    panel.resize(304, 1600);
    panel.show();
    QSignalSpy spy(&panel, &InputsPanel::planEdited);
    auto* count = field<CountField>(panel, "/cluster/nodes/count");
    QTest::mouseDClick(&qobject_cast<FieldRow*>(count->parentWidget())->label(), Qt::LeftButton);
    QCOMPARE(spy.count(), 1);
    QVERIFY(planOf(spy, 0).cluster.nodes.front() == preset->cluster.nodes.front());
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

void TestPanels::kindsOfLayersAreTold()
{
    InputsPanel panel;
    plan::Plan plan = samplePlan();
    panel.setPlan(plan);
    panel.show();
    const auto shown = [&]() -> QString {
        for (const InfoRow* row : panel.findChildren<InfoRow*>())
            if (row->isVisible() && row->findChild<QLabel*>()->text() == QStringLiteral("Kinds of layers"))
                return row->value();
        return {};
    };
    QCOMPARE(shown(), QString());
    plan.model.layers = 52;
    plan.model.mamba2 = model::Mamba2{.layers = 24, .ffnLayers = 24};
    panel.setPlan(plan);
    QCOMPARE(shown(), QStringLiteral("24 Mamba-2, 4 attention, 24 FFN"));
    plan.model.mamba2->ffnLayers = {};
    panel.setPlan(plan);
    QCOMPARE(shown(), QStringLiteral("24 Mamba-2, 28 attention"));
    plan.model.mamba2 = {};
    plan.model.standIn = model::StandIn{.kind = "Gated DeltaNet", .layers = 36};
    panel.setPlan(plan);
    QCOMPARE(shown(), QStringLiteral("36 Gated DeltaNet, not modelled"));
    plan.model.standIn = {};
    plan.model.dsa.emplace().topK = 2048;
    panel.setPlan(plan);
    QCOMPARE(shown(), QStringLiteral("sparse attention, top 2,048 keys"));
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
        QTest::keyClicks(picker.openedList()->findChild<QLineEdit*>(), filter);
        QTest::keyClick(picker.openedList()->findChild<QLineEdit*>(), Qt::Key_Return);
        QTRY_VERIFY(!picker.openedList());
    };
    choose(0, "llama 3.1 405b");
    QCOMPARE(spy.count(), 1);
    QCOMPARE(planOf(spy, 0).model, catalog::shippedCatalog().model("llama3-405b")->model);
    QCOMPARE(planOf(spy, 0).training.sequenceLength, catalog::shippedCatalog().model("llama3-405b")->sequenceLength);
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
    plan::Plan plan = samplePlan();
    plan.cluster.switches = {{"leaf", "Leaf", cluster::SwitchTier::Leaf, 64, 16}};
    plan.cluster.connections = {{"nodes", "leaf", plan.cluster.nodes.front().nic, 1024}};
    InputsPanel panel;
    panel.setPlan(plan);
    panel.show();
    panel.activateWindow();
    QSignalSpy spy(&panel, &InputsPanel::planEdited);
    auto* rate = field<UnitField>(panel, "/cluster/nodes/nic/bandwidth_gb_s");
    type(*rate, "x*2");
    QCOMPARE(spy.count(), 1);
    const cluster::Cluster faster = planOf(spy, 0).cluster;
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
    plan::Plan plan = samplePlan();
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

void TestPanels::anEmptyClusterSaysWhatToDo()
{
    plan::Plan plan = samplePlan();
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
    QTest::keyClicks(picker.openedList()->findChild<QLineEdit*>(), "dgx a100 nodes,");
    QTest::keyClick(picker.openedList()->findChild<QLineEdit*>(), Qt::Key_Return);
    QCOMPARE(spy.count(), 1);
    QCOMPARE(planOf(spy, 0).cluster.nodes.size(), std::size_t(1));
    QVERIFY(field<CountField>(panel, "/cluster/nodes/count")->isVisible());
}

void TestPanels::severalGroupsAreEditedOneAtATime()
{
    plan::Plan plan = samplePlan();
    plan.cluster.nodes.push_back(catalog::shippedCatalog().node("dgx-h100")->node);
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
    UnitField& goodput = named<UnitField>(panel, "Goodput");
    UnitField& budget = named<UnitField>(panel, "Token budget");
    QCOMPARE(budget.text(), QStringLiteral("not given"));
    type(budget, "15T");
    type(named<UnitField>(panel, "Price per accelerator-hour"), "2.1");
    type(goodput, "95");
    QCOMPARE(spy.count(), 3);
    const auto inputs = spy.at(2).at(0).value<plan::CapacityInputs>();
    QCOMPARE(inputs.tokens, 15e12);
    QCOMPARE(inputs.pricePerAcceleratorHour, 2.1);
    QCOMPARE(inputs.goodput, 0.95);
    type(goodput, "120 %");
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
    QTest::mouseClick(model->findChild<SectionTitle*>(), Qt::LeftButton);
    QVERIFY(model->isCollapsed());
    QVERIFY(!field<CountField>(panel, "/model/layers")->isVisible());
    model->findChild<SectionTitle*>()->setFocus();
    QTest::keyClick(model->findChild<SectionTitle*>(), Qt::Key_Space);
    QVERIFY(!model->isCollapsed());
}

void TestPanels::everythingHasANameAndTakesTheKeyboard()
{
    QWidget window;
    auto* inputs = new InputsPanel(catalog::shippedCatalog(), &window);
    auto* verdict = new VerdictBar(&window);
    auto* problems = new ProblemsPanel(&window);
    auto* details = new DetailsPanel(&window);
    plan::Plan plan = samplePlan();
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
    const model::Transformer gpt3 = samplePlan().model;
    QCOMPARE(withHidden(gpt3, 6144).headDim, 64);
    QCOMPARE(withHidden(gpt3, 8192).headDim,
        128); // 8192 / 96 is no whole number: the heads stay as wide as they are
    QCOMPARE(withHeads(gpt3, 64).kvHeads, 64);
    QCOMPARE(withKvHeads(gpt3, 200).kvHeads, 96);
    model::Transformer grouped = gpt3;
    grouped.kvHeads = 8;
    QCOMPARE(withHeads(grouped, 64).kvHeads, 8);
    QCOMPARE(withHeads(grouped, 4).kvHeads, 4);
    model::Transformer hybrid = gpt3; // of 52: 24 mixers, 24 FFNs and 4 layers of attention
    hybrid.layers = 52;
    hybrid.mamba2 = model::Mamba2{.layers = 24, .ffnLayers = 24};
    const model::LayerModules more = layerModules(withLayers(hybrid, 104));
    QCOMPARE(std::vector({more.mamba, more.attention, more.ffn.dense}), std::vector({48, 8, 48}));
    const model::LayerModules fewer = layerModules(withLayers(hybrid, 40));
    QCOMPARE(std::vector({fewer.mamba, fewer.attention, fewer.ffn.dense}), std::vector({18, 4, 18}));
    QVERIFY(layerModules(withLayers(hybrid, 1)).mamba == 1);
    plan::Plan plan = samplePlan();
    QCOMPARE(withAcceleratorsPerNode(plan.cluster, 0, 4).nodes.front().scaleUpDomain, 4);
    plan.cluster.nodes.front().scaleUpDomain = 64;
    QCOMPARE(withAcceleratorsPerNode(plan.cluster, 0, 4).nodes.front().scaleUpDomain, 64);
    const catalog::Catalog& catalog = catalog::shippedCatalog();
    QCOMPARE(withAccelerator(plan.cluster, 0, *catalog.accelerator("h100-sxm-80"), catalog).nodes.front().scaleUp.id,
        std::string("nvlink4"));
    QCOMPARE(withValue(plan, plan::Dimension::Schedule, int(parallel::Schedule::OneFOneB)).vpp, 1);
    plan.strategy = withValue(plan, plan::Dimension::Schedule, int(parallel::Schedule::OneFOneB));
    QCOMPARE(withValue(plan, plan::Dimension::Schedule, int(parallel::Schedule::Interleaved)).vpp, 2);
    for (const plan::SoftwareProfile& profile : catalog::shippedCatalog().software) {
        const plan::Training training = withSoftware(plan.training, profile);
        QCOMPARE(training.attention == plan::AttentionKernel::Flash, profile.flashAttention);
        QCOMPARE(training.software, profile);
    }
}

} // namespace stratoplan::widgets

QTEST_MAIN(stratoplan::widgets::TestPanels)
#include "test_panels.moc"
