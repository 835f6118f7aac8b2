// SPDX-License-Identifier: GPL-3.0-or-later
// What the actions of the window do.
#include "app/gui/calibrate/calibration_binding.h"
#include "app/gui/explore/explore_page.h"
#include "app/gui/files/file_controller.h"
#include "app/gui/studies/study_binding.h"
#include "app/gui/validate/validation_dialog.h"
#include "app/gui/window/about_dialog.h"
#include "app/gui/window/actions.h"
#include "app/gui/window/central_view.h"
#include "app/gui/window/import_controller.h"
#include "app/gui/window/main_window.h"
#include "app/gui/window/top_bar.h"
#include "app/gui/window/view_binding.h"
#include "core/exchange/estimate_json.h"
#include "widgets/charts/pipeline_chart.h"
#include "widgets/shell/command_palette.h"
#include "widgets/shell/message_bar.h"
#include "widgets/shell/shortcut_overlay.h"
#include "widgets/style/system_theme.h"
#include "widgets/topology/topology_view.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QMenuBar>

namespace stratoplan::gui {

void MainWindow::connectFileActions()
{
    connect(m_actions->newPlan, &QAction::triggered, this,
        [this] { m_files->newPlan(QString::fromLatin1(kFirstExample)); });
    connect(m_actions->open, &QAction::triggered, m_files, &FileController::chooseAndOpen);
    connect(m_actions, &Actions::recentFileChosen, m_files, &FileController::open);
    connect(m_actions, &Actions::exampleChosen, m_files, &FileController::openExample);
    connect(m_actions, &Actions::recentFilesCleared, this, [this] {
        session::Settings::clearRecentFiles();
        m_actions->setRecentFiles({});
    });
    connect(m_files, &FileController::recentFilesChanged, this,
        [this] { m_actions->setRecentFiles(session::Settings::recentFiles()); });
    m_actions->setRecentFiles(session::Settings::recentFiles());
    connect(m_actions->import, &QAction::triggered, m_import, &ImportController::chooseAndImport);
    connect(m_actions->openSchedule, &QAction::triggered, this, [this] { m_binding->pipeline().chooseSchedule(); });
    connect(&m_binding->pipeline(), &PipelineBinding::scheduleOpened, this, &MainWindow::showPipeline);
    connect(m_import, &ImportController::scheduleFound, this, &MainWindow::openSchedule);
    connect(m_import, &ImportController::calibrationWanted, this,
        [this] { setPerspective(session::Perspective::Calibrate); });
    connect(m_actions->save, &QAction::triggered, m_files, &FileController::save);
    connect(m_actions->saveAs, &QAction::triggered, m_files, &FileController::saveAs);
    connect(m_actions->quit, &QAction::triggered, this, &QWidget::close);
    connect(m_actions->exportPlan, &QAction::triggered, m_files, &FileController::exportPlan);
    connect(m_actions->exportEstimate, &QAction::triggered, this, [this] {
        const session::EstimatePointer estimate = m_workspace->estimate();
        if (estimate && *estimate)
            m_files->exportText(tr("estimate"), QStringLiteral("estimate.json"), tr("JSON (*.json)"),
                [estimate] { return exchange::estimateText(**estimate); });
        else
            m_view->messages().show(
                widgets::MessageKind::Error, tr("There is no estimate to export: the plan cannot be estimated."));
    });
    connect(m_actions->exportPicture, &QAction::triggered, this,
        [this] { m_files->exportPicture([this] { return grab().toImage(); }); });
    connect(&m_workspace->document(), &session::ProjectDocument::pathChanged, this, &MainWindow::updateTitle);
    connect(&m_workspace->document(), &session::ProjectDocument::cleanChanged, this, &MainWindow::updateTitle);
}

void MainWindow::connectEditActions()
{
    session::ProjectDocument& document = m_workspace->document();
    QUndoStack& stack = document.undoStack();
    const auto label = [](QAction* action, const QString& verb, const QString& text) {
        action->setText(text.isEmpty() ? verb : QStringLiteral("%1: %2").arg(verb, text));
    };
    connect(m_actions->undo, &QAction::triggered, &document, &session::ProjectDocument::undo);
    connect(m_actions->redo, &QAction::triggered, &document, &session::ProjectDocument::redo);
    connect(&stack, &QUndoStack::canUndoChanged, m_actions->undo, &QAction::setEnabled);
    connect(&stack, &QUndoStack::canRedoChanged, m_actions->redo, &QAction::setEnabled);
    connect(&stack, &QUndoStack::undoTextChanged, this,
        [this, label](const QString& text) { label(m_actions->undo, tr("&Undo"), text); });
    connect(&stack, &QUndoStack::redoTextChanged, this,
        [this, label](const QString& text) { label(m_actions->redo, tr("&Redo"), text); });
    m_actions->undo->setEnabled(false);
    m_actions->redo->setEnabled(false);
    connect(m_actions->copyPlan, &QAction::triggered, this, [this, &document] {
        if (!commitPending())
            return;
        document.release();
        QApplication::clipboard()->setText(
            QString::fromStdString(exchange::writePlan(document.plan(), document.catalog())));
        m_view->messages().show(widgets::MessageKind::Done, tr("Copied the plan as JSON."));
    });
}

void MainWindow::connectViewActions()
{
    for (const session::Perspective which : {session::Perspective::Build, session::Perspective::Explore,
             session::Perspective::Search, session::Perspective::Studies, session::Perspective::Compare,
             session::Perspective::Calibrate, session::Perspective::Present})
        connect(m_actions->perspective(which), &QAction::triggered, this, [this, which] {
            if (which == session::Perspective::Present && m_view->perspective() == session::Perspective::Present)
                leavePresentation();
            else
                setPerspective(which);
        });
    connect(m_actions->showInputs, &QAction::toggled, m_view, &CentralView::setInputsVisible);
    connect(m_actions->showDetails, &QAction::toggled, m_view, &CentralView::setDetailsVisible);
    connect(m_view, &CentralView::detailsVisibleChanged, m_actions->showDetails, &QAction::setChecked);
    connect(m_actions->showProblems, &QAction::toggled, m_view, &CentralView::setProblemsVisible);
    connect(m_actions->resetLayout, &QAction::triggered, this, [this] {
        for (QAction* action : {m_actions->showInputs, m_actions->showDetails, m_actions->showProblems})
            action->setChecked(true);
        m_view->resetSizes();
    });
    connect(&m_view->topBar(), &TopBar::panelsToggled, this, &MainWindow::togglePanels);
    connect(m_actions->loadProfile, &QAction::triggered, m_calibration, &CalibrationBinding::chooseProfile);
    connect(m_actions->validation, &QAction::triggered, this, [this] {
        connect(&ValidationDialog::openFor(*this), &ValidationDialog::planWanted, this, &MainWindow::openCase,
            Qt::UniqueConnection);
    });
    connect(m_actions->palette, &QAction::triggered, m_palette, &widgets::CommandPalette::open);
    connect(m_actions, &Actions::themeChosen, this, &MainWindow::chooseTheme);
    m_actions->setTheme(m_theme);
    connect(&widgets::SystemTheme::instance(), &widgets::SystemTheme::changed, this, &MainWindow::followSystem);
    connect(m_actions->shortcuts, &QAction::triggered, this,
        [this] { m_shortcuts->open(shortcutGroups(*menuBar(), m_view->canvas())); });
    connect(m_actions->about, &QAction::triggered, this, [this] { (new AboutDialog(this))->open(); });
    connect(m_binding, &ViewBinding::perspectiveWanted, this, &MainWindow::setPerspective);
    connect(m_binding, &ViewBinding::detailsWanted, this, [this] { m_actions->showDetails->setChecked(true); });
}

void MainWindow::openCase(const plan::Plan& plan)
{
    m_files->openNew(plan, QString::fromStdString(plan.name).replace(u'/', u'-') + QStringLiteral(".plan.json"));
    raise();
    activateWindow();
}

void MainWindow::connectPlanActions()
{
    const auto whenCommitted = [this](QAction* action, const std::function<void()>& act) {
        connect(action, &QAction::triggered, this, [this, act] {
            if (commitPending())
                act();
        });
    };
    whenCommitted(m_actions->pin, [this] { m_workspace->pins().add(false); });
    whenCommitted(m_actions->setBaseline, [this] { m_workspace->pins().add(true); });
    whenCommitted(m_actions->findBest, [this] { m_workspace->search().findBest(); });
    connect(m_actions->clearPins, &QAction::triggered, &m_workspace->pins(), &session::PinnedPlans::clear);
    connect(m_actions->stopSearch, &QAction::triggered, &m_workspace->search(), &session::PlanSearch::stop);
    connect(m_actions->adoptBest, &QAction::triggered, m_workspace.get(), &session::Workspace::adoptBest);
    connect(
        &m_workspace->search(), &session::PlanSearch::findingBestChanged, m_actions->stopSearch, &QAction::setEnabled);
    const auto updateAdoptBest = [this] {
        m_actions->adoptBest->setEnabled(m_workspace->search().best() != nullptr);
        m_actions->verify->setEnabled(m_workspace->search().isCurrent() && m_workspace->search().picture()->result
            && m_workspace->search().picture()->result->proven);
    };
    updateAdoptBest();
    connect(&m_workspace->search(), &session::PlanSearch::changed, this, updateAdoptBest);
    connect(m_actions->verify, &QAction::triggered, this, [this] {
        setPerspective(session::Perspective::Search);
        m_workspace->search().verify();
    });
    connect(&m_workspace->search(), &session::PlanSearch::outdated, this, updateAdoptBest);
    connect(&m_workspace->pins(), &session::PinnedPlans::changed, this,
        [this] { m_actions->clearPins->setEnabled(!m_workspace->document().project().pinned.empty()); });
    m_actions->clearPins->setEnabled(false);
}

void MainWindow::connectStudies()
{
    connect(m_actions->openStudy, &QAction::triggered, m_studies, &StudyBinding::chooseFiles);
    connect(m_actions->exampleStudy, &QAction::triggered, m_studies, &StudyBinding::openExample);
    connect(m_import, &ImportController::studyFound, m_studies, &StudyBinding::open);
    connect(m_studies, &StudyBinding::shown, this, [this] { setPerspective(session::Perspective::Studies); });
    connect(m_studies, &StudyBinding::planOpened, this, [this] { setPerspective(session::Perspective::Explore); });
}

void MainWindow::openSchedule(const QString& path)
{
    m_binding->pipeline().openSchedule(path);
}

void MainWindow::showPipeline()
{
    if (m_view->perspective() != session::Perspective::Present)
        setPerspective(session::Perspective::Explore);
    m_view->explore().showChart(m_view->explore().pipeline());
}

void MainWindow::openStudy(const QStringList& files)
{
    m_studies->open(files);
}

} // namespace stratoplan::gui
