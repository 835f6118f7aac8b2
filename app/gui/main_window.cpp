// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/main_window.h"

#include "app/gui/about_dialog.h"
#include "app/gui/actions.h"
#include "app/gui/calibration_binding.h"
#include "app/gui/calibration_page.h"
#include "app/gui/central_view.h"
#include "app/gui/command_palette.h"
#include "app/gui/file_controller.h"
#include "app/gui/import_controller.h"
#include "app/gui/message_bar.h"
#include "app/gui/plan_commands.h"
#include "app/gui/shortcut_overlay.h"
#include "app/gui/top_bar.h"
#include "app/gui/validation_dialog.h"
#include "app/gui/view_binding.h"
#include "core/exchange/estimate_json.h"
#include "widgets/panels/inputs_panel.h"
#include "widgets/style/system_theme.h"
#include "widgets/style/theme.h"
#include "widgets/topology/cluster_inspector.h"
#include "widgets/topology/topology_view.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QCloseEvent>
#include <QFileInfo>
#include <QLabel>
#include <QMenuBar>
#include <QMimeData>
#include <QUrl>

namespace stratoplan {

namespace {

constexpr const char* kFirstExample = "gpt3-175b-1024-a100";

/// The one local file of a drag; empty if there is none or more.
QString draggedFile(const QMimeData* data)
{
    const QList<QUrl> urls = data->urls();
    return urls.size() == 1 ? urls.front().toLocalFile() : QString();
}

} // namespace

MainWindow::MainWindow(Options options, QWidget* parent)
    : QMainWindow(parent)
    , m_remembers(options.remembers)
    , m_theme(options.theme)
    , m_workspace(std::make_unique<Workspace>(shippedCatalog(), std::move(options.functions)))
    , m_actions(new Actions(*menuBar(), *this))
    , m_view(new CentralView(shippedCatalog(), *m_actions, this))
    , m_files(new FileController(m_workspace->document(), m_view->messages(),
                                 options.recoveryDirectory.isEmpty() ? RecoveryStore::defaultDirectory() : options.recoveryDirectory, this))
    , m_binding(new ViewBinding(*m_workspace, *m_view, this))
    , m_calibration(new CalibrationBinding(*m_workspace, m_view->calibration(), *m_files, m_view->messages(), this))
    , m_import(new ImportController(*m_workspace, *m_files, *m_calibration, m_view->messages(), this))
    , m_palette(new CommandPalette([this] { return commands(); }, this))
    , m_shortcuts(new ShortcutOverlay(this))
    , m_documentName(new QLabel(this))
{
    m_files->setRemembers(m_remembers);
    m_files->setCommit([this] { return commitPending(); });
    setCentralWidget(m_view);
    setAcceptDrops(true);
    resize(1440, 900);
    setMinimumSize(800, 560);
    m_documentName->setContentsMargins(8, 0, 12, 0);
    setTextRole(*m_documentName, TextRole::Secondary);
    menuBar()->setCornerWidget(m_documentName);
    connectFileActions();
    connectEditActions();
    connectViewActions();
    connectPlanActions();
    if (m_remembers) {
        const WindowState state = Settings::window();
        if (!state.geometry.isEmpty())
            restoreGeometry(state.geometry);
        m_view->restoreState(state);
        m_actions->showInputs->setChecked(state.inputs);
        m_actions->showDetails->setChecked(state.details);
        m_actions->showProblems->setChecked(state.problems);
        setPerspective(state.perspective.value_or(Perspective::Explore));
    } else {
        setPerspective(Perspective::Explore);
    }
}

MainWindow::~MainWindow()
{
    // The views first, then the workspace that they read from.
    delete m_import;
    delete m_calibration;
    delete m_binding;
    delete m_files;
    delete takeCentralWidget();
}

void MainWindow::start(const QString& path, const QString& example)
{
    const QString last = m_remembers ? Settings::lastFile() : QString();
    bool opened = false;
    if (!path.isEmpty())
        opened = m_files->openFirst(path);
    else if (example.isEmpty() && !last.isEmpty() && QFileInfo::exists(last))
        opened = m_files->openFirst(last);
    if (!opened)
        m_files->loadExample(example.isEmpty() ? std::string(kFirstExample) : example.toStdString());
    if (m_remembers)
        m_files->offerRecovery();
}

bool MainWindow::isSettled() const
{
    return m_binding->isSettled() && m_calibration->isSettled();
}

void MainWindow::connectFileActions()
{
    connect(m_actions->newPlan, &QAction::triggered, this, [this] { m_files->openExample(QString::fromLatin1(kFirstExample)); });
    connect(m_actions->open, &QAction::triggered, m_files, &FileController::chooseAndOpen);
    connect(m_actions, &Actions::recentFileChosen, m_files, &FileController::open);
    connect(m_actions, &Actions::exampleChosen, m_files, &FileController::openExample);
    connect(m_actions, &Actions::recentFilesCleared, this, [this] {
        Settings::clearRecentFiles();
        m_actions->setRecentFiles({});
    });
    connect(m_files, &FileController::recentFilesChanged, this, [this] { m_actions->setRecentFiles(Settings::recentFiles()); });
    m_actions->setRecentFiles(Settings::recentFiles());
    connect(m_actions->import, &QAction::triggered, m_import, &ImportController::chooseAndImport);
    connect(m_import, &ImportController::calibrationWanted, this, [this] { setPerspective(Perspective::Calibrate); });
    connect(m_actions->save, &QAction::triggered, m_files, &FileController::save);
    connect(m_actions->saveAs, &QAction::triggered, m_files, &FileController::saveAs);
    connect(m_actions->quit, &QAction::triggered, this, &QWidget::close);
    connect(m_actions->exportPlan, &QAction::triggered, m_files, &FileController::exportPlan);
    connect(m_actions->exportEstimate, &QAction::triggered, this, [this] {
        const EstimatePointer estimate = m_workspace->estimate();
        if (estimate && *estimate)
            m_files->exportText(tr("estimate"), QStringLiteral("estimate.json"), tr("JSON (*.json)"), [estimate] { return estimateText(**estimate); });
        else
            m_view->messages().show(MessageKind::Error, tr("There is no estimate to export: the plan cannot be priced."));
    });
    connect(m_actions->exportPicture, &QAction::triggered, this, [this] { m_files->exportPicture([this] { return grab().toImage(); }); });
    connect(&m_workspace->document(), &ProjectDocument::pathChanged, this, &MainWindow::updateTitle);
    connect(&m_workspace->document(), &ProjectDocument::cleanChanged, this, &MainWindow::updateTitle);
}

void MainWindow::connectEditActions()
{
    ProjectDocument& document = m_workspace->document();
    QUndoStack& stack = document.undoStack();
    const auto label = [](QAction* action, const QString& verb, const QString& text) {
        action->setText(text.isEmpty() ? verb : QStringLiteral("%1: %2").arg(verb, text));
    };
    connect(m_actions->undo, &QAction::triggered, &document, &ProjectDocument::undo);
    connect(m_actions->redo, &QAction::triggered, &document, &ProjectDocument::redo);
    connect(&stack, &QUndoStack::canUndoChanged, m_actions->undo, &QAction::setEnabled);
    connect(&stack, &QUndoStack::canRedoChanged, m_actions->redo, &QAction::setEnabled);
    connect(&stack, &QUndoStack::undoTextChanged, this, [this, label](const QString& text) { label(m_actions->undo, tr("&Undo"), text); });
    connect(&stack, &QUndoStack::redoTextChanged, this, [this, label](const QString& text) { label(m_actions->redo, tr("&Redo"), text); });
    m_actions->undo->setEnabled(false);
    m_actions->redo->setEnabled(false);
    connect(m_actions->copyPlan, &QAction::triggered, this, [this, &document] {
        if (!commitPending())
            return;
        document.release();
        QApplication::clipboard()->setText(QString::fromStdString(writePlan(document.plan(), document.catalog())));
        m_view->messages().show(MessageKind::Done, tr("Copied the plan as JSON."));
    });
}

void MainWindow::connectViewActions()
{
    for (const Perspective which : {Perspective::Build, Perspective::Explore, Perspective::Search, Perspective::Compare, Perspective::Calibrate, Perspective::Present})
        connect(m_actions->perspective(which), &QAction::triggered, this, [this, which] {
            if (which == Perspective::Present && m_view->perspective() == Perspective::Present)
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
    connect(m_actions->validation, &QAction::triggered, this,
        [this] { connect(&ValidationDialog::openFor(*this), &ValidationDialog::planWanted, this, &MainWindow::openCase, Qt::UniqueConnection); });
    connect(m_actions->palette, &QAction::triggered, m_palette, &CommandPalette::open);
    connect(m_actions, &Actions::themeChosen, this, &MainWindow::chooseTheme);
    m_actions->setTheme(m_theme);
    connect(&SystemTheme::instance(), &SystemTheme::changed, this, &MainWindow::followSystem);
    connect(m_actions->shortcuts, &QAction::triggered, this, [this] { m_shortcuts->open(shortcutGroups(*menuBar(), m_view->canvas())); });
    connect(m_actions->about, &QAction::triggered, this, [this] { (new AboutDialog(this))->open(); });
    connect(m_binding, &ViewBinding::perspectiveWanted, this, &MainWindow::setPerspective);
    connect(m_binding, &ViewBinding::detailsWanted, this, [this] { m_actions->showDetails->setChecked(true); });
}

void MainWindow::openCase(const Plan& plan)
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
    whenCommitted(m_actions->pin, [this] { m_workspace->pin(false); });
    whenCommitted(m_actions->setBaseline, [this] { m_workspace->pin(true); });
    whenCommitted(m_actions->findBest, [this] { m_workspace->findBest(); });
    connect(m_actions->clearPins, &QAction::triggered, m_workspace.get(), &Workspace::clearPins);
    connect(m_actions->stopSearch, &QAction::triggered, m_workspace.get(), &Workspace::stopSearch);
    connect(m_actions->adoptBest, &QAction::triggered, m_workspace.get(), &Workspace::adoptBest);
    connect(m_workspace.get(), &Workspace::findingBestChanged, m_actions->stopSearch, &QAction::setEnabled);
    const auto updateAdoptBest = [this] {
        m_actions->adoptBest->setEnabled(m_workspace->best() != nullptr);
        m_actions->verify->setEnabled(m_workspace->searchIsCurrent() && m_workspace->search()->result && m_workspace->search()->result->proven);
    };
    updateAdoptBest();
    connect(m_workspace.get(), &Workspace::searchChanged, this, updateAdoptBest);
    connect(m_actions->verify, &QAction::triggered, this, [this] {
        setPerspective(Perspective::Search);
        m_workspace->verify();
    });
    connect(m_workspace.get(), &Workspace::searchOutdated, this, updateAdoptBest);
    connect(m_workspace.get(), &Workspace::pinsChanged, this,
            [this] { m_actions->clearPins->setEnabled(!m_workspace->document().project().pinned.empty()); });
    m_actions->clearPins->setEnabled(false);
}

void MainWindow::updateTitle()
{
    const ProjectDocument& document = m_workspace->document();
    setWindowTitle(tr("%1[*] – Stratoplan").arg(document.name()));
    setWindowModified(!document.isClean());
    setWindowFilePath(document.path());
    m_documentName->setText(document.isClean() ? document.name() : document.name() + QStringLiteral(" *"));
    m_documentName->setToolTip(document.path().isEmpty() ? tr("Not saved yet") : document.path());
    menuBar()->setCornerWidget(m_documentName); // makes the bar measure it anew
    m_documentName->show();
}

void MainWindow::setPerspective(Perspective perspective)
{
    const Perspective before = m_view->perspective();
    m_actions->perspective(perspective)->setChecked(true);
    if (perspective == Perspective::Present && before != Perspective::Present) {
        m_beforePresentation = before;
        m_wasMaximized = isMaximized();
        menuBar()->hide();
        if (isVisible())
            showFullScreen();
        else
            setWindowState(windowState() | Qt::WindowFullScreen);
    } else if (perspective != Perspective::Present && before == Perspective::Present) {
        menuBar()->show();
        if (m_wasMaximized)
            showMaximized();
        else
            showNormal();
    }
    m_view->setPerspective(perspective);
    m_calibration->setActive(perspective == Perspective::Calibrate);
    if (perspective == Perspective::Calibrate && before != perspective)
        m_view->calibration().takeFocus(); // what is on the clipboard goes there
}

void MainWindow::leavePresentation()
{
    setPerspective(m_beforePresentation);
}

void MainWindow::togglePanels()
{
    const bool show = !m_actions->showInputs->isChecked() || !m_actions->showDetails->isChecked();
    m_actions->showInputs->setChecked(show);
    m_actions->showDetails->setChecked(show);
}

void MainWindow::chooseTheme(std::optional<ThemeKind> theme)
{
    m_theme = theme;
    Settings::setTheme(theme);
    m_actions->setTheme(theme);
    applyTheme(*qApp, theme.value_or(systemTheme()));
}

void MainWindow::followSystem()
{
    if (!m_theme)
        applyTheme(*qApp, systemTheme());
}

std::vector<Command> MainWindow::commands()
{
    std::vector<Command> all = commandsOf(*menuBar());
    for (Command& command : planCommands(*m_workspace, *m_view, [this](Perspective p) { setPerspective(p); }))
        all.push_back(std::move(command));
    return all;
}

void MainWindow::rememberSession()
{
    if (!m_remembers)
        return;
    if (m_view->perspective() == Perspective::Present)
        leavePresentation();
    WindowState state;
    state.geometry = saveGeometry();
    m_view->saveState(state);
    Settings::setWindow(state);
    Settings::setLastFile(m_workspace->document().path());
}

bool MainWindow::select(const QString& key)
{
    m_view->canvas().setSelection({key});
    return !m_view->canvas().selection().isEmpty();
}

bool MainWindow::commitPending()
{
    QString wrong;
    if (m_view->inputs().isVisible())
        wrong = m_view->inputs().commitPending();
    if (wrong.isEmpty() && m_view->inspector().isVisible())
        wrong = m_view->inspector().commitPending();
    if (!wrong.isEmpty())
        m_view->messages().show(MessageKind::Error, tr("%1 Mend the field, or press Esc in it to go back.").arg(wrong));
    return wrong.isEmpty();
}

void MainWindow::closeEvent(QCloseEvent* event)
{
    if (!m_mayClose && !commitPending()) {
        event->ignore();
        return;
    }
    m_workspace->document().release();
    if (m_mayClose || m_workspace->document().isClean()) {
        rememberSession();
        m_files->forgetRecovery();
        event->accept();
        return;
    }
    event->ignore();
    m_files->whenSafe([this] {
        m_mayClose = true;
        close();
    });
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event)
{
    if (!draggedFile(event->mimeData()).isEmpty())
        event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event)
{
    const QString file = draggedFile(event->mimeData());
    if (file.isEmpty())
        return;
    event->acceptProposedAction();
    m_import->take(file);
}

void MainWindow::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Escape && m_workspace->previewed())
        m_workspace->endPreview();
    else if (event->key() == Qt::Key_Escape && m_view->perspective() == Perspective::Present)
        leavePresentation();
    else
        QMainWindow::keyPressEvent(event);
}

} // namespace stratoplan
