// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/window/main_window.h"

#include "app/gui/calibrate/calibration_binding.h"
#include "app/gui/calibrate/calibration_page.h"
#include "app/gui/files/file_controller.h"
#include "app/gui/partition/partition_binding.h"
#include "app/gui/report/report_binding.h"
#include "app/gui/studies/study_binding.h"
#include "app/gui/studies/study_page.h"
#include "app/gui/window/actions.h"
#include "app/gui/window/central_view.h"
#include "app/gui/window/import_controller.h"
#include "app/gui/window/plan_commands.h"
#include "app/gui/window/view_binding.h"
#include "core/exchange/recognise.h"
#include "widgets/shell/blocked_keys.h"
#include "widgets/shell/command_palette.h"
#include "widgets/shell/message_bar.h"
#include "widgets/shell/shortcut_overlay.h"
#include "widgets/style/system_theme.h"
#include "widgets/style/theme.h"
#include "widgets/topology/topology_view.h"

#include <QAction>
#include <QApplication>
#include <QCloseEvent>
#include <QFileInfo>
#include <QLabel>
#include <QMenuBar>
#include <QMimeData>
#include <QUrl>

#include <filesystem>

namespace stratoplan::gui {

namespace {

/// The files of a drag; none if something else is among them.
QStringList draggedFiles(const QMimeData* data)
{
    QStringList files;
    for (const QUrl& url : data->urls()) {
        if (!url.isLocalFile())
            return {};
        files << url.toLocalFile();
    }
    return files;
}

bool isStudy(const QString& path)
{
    const auto text = path.isEmpty() ? tl::unexpected(exchange::DocumentError())
                                     : exchange::readFile(std::filesystem::path(path.toStdU16String()));
    if (!text)
        return false; // whoever opens it says why
    const exchange::FileKind kind = exchange::recogniseFile(*text);
    return kind == exchange::FileKind::Study || kind == exchange::FileKind::Answers;
}

} // namespace

MainWindow::MainWindow(Options options, QWidget* parent)
    : QMainWindow(parent)
    , m_remembers(options.remembers)
    , m_theme(options.theme)
    , m_workspace(std::make_unique<session::Workspace>(catalog::shippedCatalog(), options.functions))
    , m_actions(new Actions(*menuBar(), *this))
    , m_view(new CentralView(catalog::shippedCatalog(), *m_actions, this))
    , m_files(new FileController(m_workspace->document(), m_view->messages(),
          options.recoveryDirectory.isEmpty() ? session::RecoveryStore::defaultDirectory() : options.recoveryDirectory,
          this))
    , m_binding(new ViewBinding(*m_workspace, *m_view, std::move(options.functions), this))
    , m_calibration(new CalibrationBinding(*m_workspace, m_view->calibration(), *m_files, m_view->messages(), this))
    , m_partition(new PartitionBinding(*m_workspace, m_view->partition(), *m_files, m_view->messages(), this))
    , m_studies(
          new StudyBinding(m_view->studies(), *m_files, m_view->messages(), m_workspace->document().catalog(), this))
    , m_report(new ReportBinding(*m_actions->exportReport, m_workspace->document(), *m_files, m_view->messages(), this))
    , m_import(new ImportController(*m_workspace, *m_files, *m_calibration, m_view->messages(), this))
    , m_palette(new widgets::CommandPalette([this] { return commands(); }, this))
    , m_shortcuts(new widgets::ShortcutOverlay(this))
    , m_documentName(new QLabel(this))
{
    new widgets::BlockedKeys(this);
    m_files->setRemembers(m_remembers);
    m_files->setCommit([this] { return commitPending(); });
    setCentralWidget(m_view);
    setAcceptDrops(true);
    resize(1440, 900);
    setMinimumSize(800, 560);
    m_documentName->setContentsMargins(8, 0, 12, 0);
    setTextRole(*m_documentName, widgets::TextRole::Secondary);
    menuBar()->setCornerWidget(m_documentName);
    connectFileActions();
    connectViewActions();
    connectPlanActions(
        *m_actions, *m_workspace, *m_view, *m_binding, [this] { return commitPending(); },
        [this](session::Perspective p) { setPerspective(p); });
    connectStudies();
    restoreSession();
}

void MainWindow::restoreSession()
{
    if (!m_remembers)
        return setPerspective(session::Perspective::Explore);
    const session::WindowState state = session::Settings::window();
    if (!state.geometry.isEmpty())
        restoreGeometry(state.geometry);
    m_view->restoreState(state);
    m_actions->showInputs->setChecked(state.inputs);
    m_actions->showDetails->setChecked(state.details);
    m_actions->showProblems->setChecked(state.problems);
    setPerspective(state.perspective.value_or(session::Perspective::Explore));
}

MainWindow::~MainWindow()
{
    // The views first, then the workspace that they read from.
    delete m_import;
    delete m_report;
    delete m_studies;
    delete m_partition;
    delete m_calibration;
    delete m_binding;
    delete m_files;
    delete takeCentralWidget();
}

void MainWindow::start(const QString& path, const QString& example)
{
    const QString last = m_remembers ? session::Settings::lastFile() : QString();
    bool opened = false;
    if (isStudy(path))
        openStudy({path});
    else if (!path.isEmpty())
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
    return m_binding->isSettled() && m_calibration->isSettled() && m_partition->isSettled() && m_studies->isSettled();
}

void MainWindow::updateTitle()
{
    const session::ProjectDocument& document = m_workspace->document();
    setWindowTitle(tr("%1[*] – Stratoplan").arg(document.name()));
    setWindowModified(!document.isClean());
    setWindowFilePath(document.path());
    m_documentName->setText(document.isClean() ? document.name() : document.name() + QStringLiteral(" *"));
    m_documentName->setToolTip(document.path().isEmpty() ? tr("Not saved yet") : document.path());
    menuBar()->setCornerWidget(m_documentName); // makes the bar measure it anew
    m_documentName->show();
}

void MainWindow::setPerspective(session::Perspective perspective)
{
    const session::Perspective before = m_view->perspective();
    m_actions->perspective(perspective)->setChecked(true);
    if (perspective == session::Perspective::Present && before != session::Perspective::Present) {
        m_beforePresentation = before;
        m_wasMaximized = isMaximized();
        menuBar()->hide();
        if (isVisible())
            showFullScreen();
        else
            setWindowState(windowState() | Qt::WindowFullScreen);
    } else if (perspective != session::Perspective::Present && before == session::Perspective::Present) {
        menuBar()->show();
        if (m_wasMaximized)
            showMaximized();
        else
            showNormal();
    }
    m_view->setPerspective(perspective);
    m_calibration->setActive(perspective == session::Perspective::Calibrate);
    m_partition->setActive(perspective == session::Perspective::Partition);
    if (perspective == session::Perspective::Calibrate && before != perspective)
        m_view->calibration().takeFocus(); // what is on the clipboard goes there
}

void MainWindow::togglePanels()
{
    const bool show = !m_actions->showInputs->isChecked() || !m_actions->showDetails->isChecked();
    m_actions->showInputs->setChecked(show);
    m_actions->showDetails->setChecked(show);
}

void MainWindow::chooseTheme(std::optional<widgets::ThemeKind> theme)
{
    m_theme = theme;
    session::Settings::setTheme(theme);
    m_actions->setTheme(theme);
    applyTheme(*qApp, theme.value_or(widgets::systemTheme()));
}

void MainWindow::followSystem()
{
    if (!m_theme)
        applyTheme(*qApp, widgets::systemTheme());
}

std::vector<widgets::Command> MainWindow::commands()
{
    std::vector<widgets::Command> all = widgets::commandsOf(*menuBar());
    for (widgets::Command& command :
        planCommands(*m_workspace, *m_view, [this](session::Perspective p) { setPerspective(p); }))
        all.push_back(std::move(command));
    return all;
}

void MainWindow::rememberSession()
{
    if (!m_remembers)
        return;
    if (m_view->perspective() == session::Perspective::Present)
        leavePresentation();
    session::WindowState state;
    state.geometry = saveGeometry();
    m_view->saveState(state);
    session::Settings::setWindow(state);
    session::Settings::setLastFile(m_workspace->document().path());
}

bool MainWindow::select(const QString& key)
{
    m_view->canvas().setSelection({key});
    return !m_view->canvas().selection().isEmpty();
}

bool MainWindow::commitPending()
{
    const QString wrong = m_view->commitPending();
    if (!wrong.isEmpty())
        m_view->messages().show(
            widgets::MessageKind::Error, tr("%1 Mend the field, or press Esc in it to go back.").arg(wrong));
    return wrong.isEmpty();
}

void MainWindow::closeEvent(QCloseEvent* event)
{
    if (!m_mayClose && !commitPending())
        return event->ignore();
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
    if (!draggedFiles(event->mimeData()).isEmpty())
        event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event)
{
    const QStringList files = draggedFiles(event->mimeData());
    if (files.isEmpty())
        return;
    event->acceptProposedAction();
    if (files.size() == 1)
        m_import->take(files.front());
    else
        m_studies->open(files); // nothing else is read from several files
}

void MainWindow::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Escape && m_workspace->previewed())
        m_workspace->endPreview();
    else if (event->key() == Qt::Key_Escape && m_view->perspective() == session::Perspective::Present)
        leavePresentation();
    else
        QMainWindow::keyPressEvent(event);
}

} // namespace stratoplan::gui
