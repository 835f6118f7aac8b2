// SPDX-License-Identifier: GPL-3.0-or-later
// Models and files that come from elsewhere, by the menu and dropped on the window.
#include "app/gui/calibrate/calibration_model.h"
#include "app/gui/calibrate/calibration_page.h"
#include "app/gui/explore/explore_page.h"
#include "app/gui/files/import_dialog.h"
#include "app/gui/window/actions.h"
#include "app/gui/window/central_view.h"
#include "core/exchange/profile.h"
#include "tests/app/gui/window/window_test.h"
#include "widgets/charts/pipeline_chart.h"
#include "widgets/charts/schedule_strip.h"
#include "widgets/shell/message_bar.h"
#include "widgets/style/theme.h"

#include <QAction>
#include <QApplication>
#include <QDropEvent>
#include <QFileDialog>
#include <QLabel>
#include <QMessageBox>
#include <QMimeData>
#include <QPushButton>
#include <QTest>
#include <QUndoStack>
#include <QUrl>

using namespace stratoplan::exchange;
using namespace stratoplan::gui;
using namespace stratoplan::plan;
using namespace stratoplan::session;
using namespace stratoplan::widgets;
using namespace stratoplan::test;

namespace {

const char* const kQwen = R"({"model_type":"qwen3","num_hidden_layers":36,"hidden_size":4096,"intermediate_size":12288,
 "num_attention_heads":32,"num_key_value_heads":8,"head_dim":128,"vocab_size":151936,"max_position_embeddings":1024})";

const char* const kJamba = R"({"model_type":"jamba","hidden_size":4096,"intermediate_size":14336,"num_hidden_layers":32,
 "num_attention_heads":32,"num_key_value_heads":8,"num_experts":16,"num_experts_per_tok":2,"vocab_size":65536,
 "attn_layer_period":8,"attn_layer_offset":4,"expert_layer_period":2,"expert_layer_offset":1,"mamba_d_conv":4,
 "mamba_d_state":16,"mamba_dt_rank":256,"mamba_expand":2,"tie_word_embeddings":false,"max_position_embeddings":1024})";

} // namespace

class TestImportWindow : public WindowTest {
    Q_OBJECT

private Q_SLOTS:
    // In one piece: one import, refused for unsaved work, and then gone through with.
    void aModelBecomesAPlanOfItsOwn()
    {
        auto window = openWindow();
        QVERIFY(settled(*window));
        Plan edited = window->workspace().plan();
        edited.strategy.tp = 4;
        window->workspace().editPlan(edited, QStringLiteral("unsaved work"));
        const QString file = saved(QStringLiteral("Qwen--Qwen3-8B_config.json"), kQwen);
        QTest::keyClick(window.get(), Qt::Key_I, Qt::ControlModifier | Qt::ShiftModifier);
        QTRY_VERIFY(window->findChild<QFileDialog*>());
        auto* chooser = window->findChild<QFileDialog*>();
        Q_EMIT chooser->fileSelected(file);
        chooser->close();
        auto* dialog = window->findChild<ImportDialog*>();
        QVERIFY(dialog && dialog->isVisible());
        QString said;
        for (QLabel* label : dialog->findChildren<QLabel*>())
            said += label->text() + u'\n';
        QVERIFY2(said.contains(QStringLiteral("Qwen3-8B")) && said.contains(QStringLiteral("8.19 B parameters"))
                && said.contains(QStringLiteral("Not in the file, taken as"))
                && said.contains(QStringLiteral("tie_word_embeddings = false")),
            qPrintable(said));
        QVERIFY2(said.contains(QStringLiteral("A new plan assumes")) && said.contains(QStringLiteral("<li>cluster: "))
                && said.contains(QStringLiteral("<li>recomputation: none")),
            qPrintable(said));
        QVERIFY(window->workspace().plan() == edited); // nothing yet
        press(*dialog, QStringLiteral("New plan"));
        QTRY_VERIFY(window->findChild<QMessageBox*>()); // unsaved work is protected as by Open
        QTest::mouseClick(window->findChild<QMessageBox*>()->button(QMessageBox::Cancel), Qt::LeftButton);
        QVERIFY(window->workspace().plan() == edited);
        QTRY_VERIFY(!window->findChild<ImportDialog*>() && !window->findChild<QMessageBox*>());
        drop(*window, {file});
        press(*window->findChild<ImportDialog*>(), QStringLiteral("New plan"));
        QTRY_VERIFY(window->findChild<QMessageBox*>());
        QTest::mouseClick(window->findChild<QMessageBox*>()->button(QMessageBox::Discard), Qt::LeftButton);
        QCOMPARE(window->workspace().plan().model.hidden, 4096);
        QCOMPARE(window->workspace().document().name(), QStringLiteral("Qwen3-8B.plan.json"));
        QVERIFY(window->workspace().document().path().isEmpty());
        QVERIFY(settled(*window));
        QVERIFY(window->workspace().estimate() && *window->workspace().estimate()
            && (*window->workspace().estimate())->fits);
    }

    void aModelReplacesTheOneOfThisPlan()
    {
        auto window = openWindow();
        QVERIFY(settled(*window));
        const Plan before = window->workspace().plan();
        drop(*window, {saved(QStringLiteral("config.json"), kQwen)});
        auto* dialog = window->findChild<ImportDialog*>();
        QVERIFY(dialog);
        press(*dialog, QStringLiteral("Use in this plan"));
        const Plan& plan = window->workspace().plan();
        QCOMPARE(plan.model.layers, 36);
        QCOMPARE(plan.training.sequenceLength, 1024); // the longest that the file states
        QVERIFY(plan.cluster == before.cluster && plan.strategy == before.strategy);
        QVERIFY(window->workspace().document().undoStack().undoText().startsWith(QStringLiteral("Import ")));
        QTest::keyClick(window.get(), Qt::Key_Z, Qt::ControlModifier);
        QVERIFY(window->workspace().plan() == before);
        QVERIFY(settled(*window));
    }

    void aTopologyReplacesTheClusterOfThisPlan()
    {
        auto window = openWindow();
        QVERIFY(settled(*window));
        const Plan before = window->workspace().plan();
        const int edits = window->workspace().document().undoStack().count();
        drop(*window,
            {saved(QStringLiteral("site.conf"),
                "SwitchName=a Nodes=n[1-8]\nSwitchName=b Nodes=n[9-16]\nSwitchName=c Switches=a,b\n")});
        auto* dialog = window->findChild<ImportDialog*>();
        QVERIFY(dialog && dialog->isVisible());
        QString said;
        for (QLabel* label : dialog->findChildren<QLabel*>())
            said += label->text() + u'\n';
        QVERIFY2(
            said.contains(QStringLiteral("16 nodes of DGX H100, 2 switches (leaf), 1 switch (spine), 128 accelerators"))
                && said.contains(QStringLiteral("<li>accelerator = h100-sxm-80 (as in the node dgx-h100)"))
                && said.contains(QStringLiteral("<li>model: Llama 3.1 70B")),
            qPrintable(said));
        QVERIFY(window->workspace().plan() == before); // nothing yet
        press(*dialog, QStringLiteral("Use in this plan"));
        const Plan& plan = window->workspace().plan();
        QCOMPARE(acceleratorCount(plan.cluster), 128);
        QCOMPARE(plan.cluster.switches.size(), std::size_t(2));
        const QString banner = window->view().messages().text();
        QVERIFY(plan.strategy.dp != before.strategy.dp);
        QVERIFY2(banner.endsWith(QStringLiteral("The plan is on site. Of its strategy changed: DP %1 → %2.")
                                     .arg(before.strategy.dp)
                                     .arg(plan.strategy.dp)),
            qPrintable(banner));
        QVERIFY(plan.model == before.model && plan.training == before.training);
        QCOMPARE(window->workspace().document().undoStack().count(), edits + 1);
        QCOMPARE(window->workspace().document().undoStack().undoText(), QStringLiteral("Import site"));
        QTest::keyClick(window.get(), Qt::Key_Z, Qt::ControlModifier);
        QVERIFY(window->workspace().plan() == before);
        QVERIFY(settled(*window));
    }

    void aTopologyBecomesAPlanOfItsOwn()
    {
        auto window = openWindow();
        QVERIFY(settled(*window));
        drop(*window, {saved(QStringLiteral("node.topo.txt"), "\tGPU0\tGPU1\nGPU0\t X \tNV18\nGPU1\tNV18\t X \n")});
        QVERIFY(window->findChild<ImportDialog*>());
        press(*window->findChild<ImportDialog*>(), QStringLiteral("New plan"));
        QCOMPARE(acceleratorCount(window->workspace().plan().cluster), 2);
        QCOMPARE(window->workspace().document().name(), QStringLiteral("node.topo.plan.json"));
        QVERIFY(settled(*window));
        MessageBar& messages = window->view().messages();
        drop(*window, {saved(QStringLiteral("cut.txt"), "\tGPU0\tGPU1\nGPU0\t X \tNV18\n")});
        QVERIFY2(messages.kind() == MessageKind::Error
                && messages.text().endsWith(QStringLiteral(
                    "cut.txt.\nline 1: found no row of GPU1, expected a row for each column of the first line")),
            qPrintable(messages.text()));
    }

    void aLaunchFileOpensAsAPlan()
    {
        auto window = openWindow();
        QVERIFY(settled(*window));
        MessageBar& messages = window->view().messages();
        const QByteArray arguments = "# WORLD_SIZE=16\n--num-layers 24\n--hidden-size 2048\n--num-attention-heads 16\n"
                                     "--seq-length 2048\n--max-position-embeddings 2048\n--vocab-size 50257\n"
                                     "--micro-batch-size 2\n--global-batch-size 64\n--bf16\n--lr 3e-4\n";
        drop(*window, {saved(QStringLiteral("gpt.args"), arguments)});
        QCOMPARE(window->workspace().plan().strategy.dp, 16);
        QCOMPARE(window->workspace().document().name(), QStringLiteral("gpt.plan.json"));
        QVERIFY2(messages.text().contains(QStringLiteral("gpt.args"))
                && messages.text().contains(QStringLiteral("Not used: --lr 3e-4.")),
            qPrintable(messages.text()));
        QVERIFY(settled(*window));
        drop(*window, {saved(QStringLiteral("bad.args"), arguments + "--tensor-model-parallel-size x\n")});
        QVERIFY2(messages.kind() == MessageKind::Error
                && messages.text().endsWith(QStringLiteral("bad.args.\nline 12, --tensor-model-parallel-size: found "
                                                           "\"x\", expected a whole number of at least 1")),
            qPrintable(messages.text()));
    }

    void othersStandInForLayersThatAreNotModelled()
    {
        auto window = openWindow();
        QVERIFY(settled(*window));
        MessageBar& messages = window->view().messages();
        drop(*window, {saved(QStringLiteral("jamba.json"), kJamba)});
        QCOMPARE(messages.kind(), MessageKind::Offer);
        QVERIFY2(messages.text().contains(QStringLiteral("state-space (Mamba) layers, which are not modelled")),
            qPrintable(messages.text()));
        QVERIFY(!window->findChild<ImportDialog*>());
        press(messages, QStringLiteral("Import with stand-ins"));
        auto* dialog = window->findChild<ImportDialog*>();
        QVERIFY(dialog);
        press(*dialog, QStringLiteral("Use in this plan"));
        QCOMPARE(window->workspace().plan().model.standIn.value_or(stratoplan::model::StandIn{}).layers, 28);
        QVERIFY(settled(*window));
    }

    // In one piece: a list of files dropped on one window, and what becomes of each.
    void otherKindsAreRefusedOrTakenForWhatTheyAre()
    {
        auto window = openWindow();
        QVERIFY(settled(*window));
        const Plan before = window->workspace().plan();
        MessageBar& messages = window->view().messages();
        drop(*window, {saved(QStringLiteral("mamba.json"), R"({"model_type":"falcon_h1","ssm_state_size":128})")});
        QVERIFY2(messages.kind() == MessageKind::Error
                && messages.text().contains(QStringLiteral("state-space (Mamba) layers")),
            qPrintable(messages.text()));
        QCOMPARE(messages.text().count(QStringLiteral("mamba.json")), 1);
        QVERIFY2(messages.text().endsWith(QStringLiteral(
                     "\nThe model uses state-space (Mamba) layers (ssm_state_size), which Stratoplan does not model.")),
            qPrintable(messages.text()));
        QVERIFY(!window->findChild<ImportDialog*>());
        drop(*window, {saved(QStringLiteral("notes.txt"), "Dear diary,\nit runs.\n")});
        QVERIFY2(messages.text().contains(QStringLiteral("notes.txt"))
                && messages.text().contains(QStringLiteral("no table or log of runs")),
            qPrintable(messages.text()));
        QVERIFY(window->workspace().plan() == before);

        drop(*window, {saved(QStringLiteral("empty.txt"), "")});
        QVERIFY2(messages.text().contains(QStringLiteral("found an empty file")), qPrintable(messages.text()));
        drop(*window, {saved(QStringLiteral("wide.txt"), QByteArray("\xFF\xFES\0w\0", 6))});
        QVERIFY2(messages.text().contains(QStringLiteral("found UTF-16 or binary data")), qPrintable(messages.text()));

        SoftwareProfile profile = before.training.software;
        profile.id = "mine";
        profile.name = "My stack";
        drop(*window, {saved(QStringLiteral("profile.json"), QByteArray::fromStdString(writeProfile(profile)))});
        QCOMPARE(window->workspace().plan().training.software.name, std::string("My stack"));
        QTest::keyClick(window.get(), Qt::Key_Z, Qt::ControlModifier);
        QVERIFY(window->workspace().plan() == before);

        drop(*window, {saved(QStringLiteral("order.txt"), "# one stage too few\nF0 B0\n")});
        QCOMPARE(window->view().perspective(), Perspective::Explore);
        QVERIFY(settled(*window));
        const ScheduleStrip& strip = *window->view().explore().pipeline().findChild<ScheduleStrip*>();
        QVERIFY2(strip.isVisible() && strip.isWrong() && strip.text().startsWith(QStringLiteral("order.txt: line 2: ")),
            qPrintable(strip.text()));

        drop(*window, {saved(QStringLiteral("rows.csv"), "name,tp,pp,accelerators,step_ms\nrun,8,8,512,20000\n")});
        QCOMPARE(window->view().perspective(), Perspective::Calibrate);
        QVERIFY(settled(*window));
        QCOMPARE(window->view().calibration().rows().rowCount(), 1);
        drop(*window,
            {saved(QStringLiteral("train.log"),
                " iteration 10/ 20 | elapsed time per iteration (ms): 20000.0 | global batch size: 1536 |\n")});
        QVERIFY(settled(*window));
        QCOMPARE(window->view().calibration().rows().rowCount(), 2);
    }
};

int main(int argc, char** argv)
{
    failOnWarnings();
    QApplication application(argc, argv);
    applyTheme(application, ThemeKind::Light);
    TestImportWindow test;
    return QTest::qExec(&test, argc, argv);
}
#include "test_import_window.moc"
