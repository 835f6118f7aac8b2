// SPDX-License-Identifier: GPL-3.0-or-later
// What the actions of the window do.
#include "app/gui/audit/audit_dialog.h"
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
#include <QMenuBar>

namespace stratoplan::gui {

namespace {

/// The audit of the plan as it is now; an edit that it offers is made, and audited in turn.
void openAudit(QWidget& window, session::Workspace& workspace)
{
    AuditDialog& dialog = AuditDialog::openFor(window, std::make_shared<const plan::Plan>(workspace.plan()));
    QObject::disconnect(&dialog, &AuditDialog::planWanted, &workspace, nullptr);
    QObject::connect(&dialog, &AuditDialog::planWanted, &workspace, [&](const plan::Plan& plan) {
        workspace.editPlan(plan, MainWindow::tr("Edit of an audit"));
        AuditDialog::openFor(window, std::make_shared<const plan::Plan>(plan));
    });
}

} // namespace

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
    connect(m_actions, &Actions::launchFormatChosen, m_files, &FileController::exportLaunch);
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

void MainWindow::connectViewActions()
{
    for (const session::Perspective which : {session::Perspective::Build, session::Perspective::Explore,
             session::Perspective::Search, session::Perspective::Studies, session::Perspective::Compare,
             session::Perspective::Calibrate, session::Perspective::Partition, session::Perspective::Present})
        connect(m_actions->perspective(which), &QAction::triggered, this, [this, which] {
            if (which == session::Perspective::Present && m_view->perspective() == session::Perspective::Present)
                leavePresentation();
            else
                setPerspective(which);
        });
    connect(m_actions->saveSlide, &QAction::triggered, &m_binding->present(), &PresentBinding::saveView);
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
    connect(m_actions->audit, &QAction::triggered, this, [this] { openAudit(*this, *m_workspace); });
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
    setPerspective(session::Perspective::Explore);
    m_view->explore().showChart(m_view->explore().pipeline());
}

void MainWindow::openStudy(const QStringList& files)
{
    m_studies->open(files);
}

} // namespace stratoplan::gui
