// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/main_window.h"

#include "app/gui/about_dialog.h"
#include "app/gui/actions.h"
#include "app/gui/central_view.h"
#include "app/gui/command_palette.h"
#include "app/gui/file_controller.h"
#include "app/gui/message_bar.h"
#include "app/gui/plan_commands.h"
#include "app/gui/shortcut_overlay.h"
#include "app/gui/top_bar.h"
#include "app/gui/view_binding.h"
#include "core/exchange/estimate_json.h"
#include "widgets/style/theme.h"

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
    , m_workspace(std::make_unique<Workspace>(shippedCatalog(), std::move(options.functions)))
    , m_actions(new Actions(*menuBar(), *this))
    , m_view(new CentralView(shippedCatalog(), *m_actions, this))
    , m_files(new FileController(m_workspace->document(), m_view->messages(),
                                 options.recoveryDirectory.isEmpty() ? RecoveryStore::defaultDirectory() : options.recoveryDirectory, this))
    , m_binding(new ViewBinding(*m_workspace, *m_view, this))
    , m_palette(new CommandPalette([this] { return commands(); }, this))
    , m_shortcuts(new ShortcutOverlay(this))
    , m_documentName(new QLabel(this))
{
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
    delete m_binding;
    delete m_files;
    delete takeCentralWidget();
}

void MainWindow::start(const QString& path)
{
    const QString last = m_remembers ? Settings::lastFile() : QString();
    bool opened = false;
    if (!path.isEmpty())
        opened = m_files->openFirst(path);
    else if (!last.isEmpty() && QFileInfo::exists(last))
        opened = m_files->openFirst(last);
    if (!opened)
        m_files->loadExample(kFirstExample);
    if (m_remembers && m_view->messages().isHidden())
        m_files->offerRecovery();
}

bool MainWindow::isSettled() const
{
    return m_binding->isSettled();
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
        document.release();
        QApplication::clipboard()->setText(QString::fromStdString(writePlan(document.plan(), document.catalog())));
        m_view->messages().show(MessageKind::Done, tr("Copied the plan as JSON."));
    });
}

void MainWindow::connectViewActions()
{
    for (const Perspective which : {Perspective::Build, Perspective::Explore, Perspective::Compare, Perspective::Present})
        connect(m_actions->perspective(which), &QAction::triggered, this, [this, which] {
            if (which == Perspective::Present && m_view->perspective() == Perspective::Present)
                leavePresentation();
            else
                setPerspective(which);
        });
    connect(m_actions->showInputs, &QAction::toggled, m_view, &CentralView::setInputsVisible);
    connect(m_actions->showDetails, &QAction::toggled, m_view, &CentralView::setDetailsVisible);
    connect(m_actions->showProblems, &QAction::toggled, m_view, &CentralView::setProblemsVisible);
    connect(m_actions->resetLayout, &QAction::triggered, this, [this] {
        for (QAction* action : {m_actions->showInputs, m_actions->showDetails, m_actions->showProblems})
            action->setChecked(true);
        m_view->resetSizes();
    });
    connect(&m_view->topBar(), &TopBar::panelsToggled, this, &MainWindow::togglePanels);
    connect(m_actions->palette, &QAction::triggered, m_palette, &CommandPalette::open);
    connect(m_actions, &Actions::themeChosen, this, &MainWindow::chooseTheme);
    m_actions->setTheme(Settings::theme());
    connect(m_actions->shortcuts, &QAction::triggered, this, [this] { m_shortcuts->open(*menuBar()); });
    connect(m_actions->about, &QAction::triggered, this, [this] { (new AboutDialog(this))->open(); });
    connect(m_binding, &ViewBinding::perspectiveWanted, this, &MainWindow::setPerspective);
}

void MainWindow::connectPlanActions()
{
    connect(m_actions->pin, &QAction::triggered, m_workspace.get(), [this] { m_workspace->pin(false); });
    connect(m_actions->setBaseline, &QAction::triggered, m_workspace.get(), [this] { m_workspace->pin(true); });
    connect(m_actions->clearPins, &QAction::triggered, m_workspace.get(), &Workspace::clearPins);
    connect(m_actions->findBest, &QAction::triggered, m_workspace.get(), &Workspace::findBest);
    connect(m_actions->stopSearch, &QAction::triggered, m_workspace.get(), &Workspace::stopSearch);
    connect(m_actions->adoptBest, &QAction::triggered, m_workspace.get(), &Workspace::adoptBest);
    connect(m_workspace.get(), &Workspace::findingBestChanged, m_actions->stopSearch, &QAction::setEnabled);
    connect(m_workspace.get(), &Workspace::enumerationChanged, this, [this] { m_actions->adoptBest->setEnabled(m_workspace->best() != nullptr); });
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
    Settings::setTheme(theme);
    m_actions->setTheme(theme);
    applyTheme(*qApp, theme.value_or(systemTheme()));
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

void MainWindow::closeEvent(QCloseEvent* event)
{
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
    m_files->open(file);
}

void MainWindow::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Escape && m_view->perspective() == Perspective::Present)
        leavePresentation();
    else
        QMainWindow::keyPressEvent(event);
}

} // namespace stratoplan
