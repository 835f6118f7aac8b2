// SPDX-License-Identifier: GPL-3.0-or-later
// The window: puts the views, the actions, the files and the workspace together. What each of them does is theirs.
#pragma once

#include "app/session/settings.h"
#include "app/session/workspace.h"

#include <QMainWindow>

class QLabel;

namespace stratoplan::widgets {
class CommandPalette;
class ShortcutOverlay;
struct Command;
} // namespace stratoplan::widgets

namespace stratoplan::gui {

class Actions;
class CalibrationBinding;
class CentralView;
class FileController;
class ImportController;
class PartitionBinding;
class ReportBinding;
class StudyBinding;
class ViewBinding;

class MainWindow : public QMainWindow {
    Q_OBJECT

public:
    struct Options {
        bool remembers = true; ///< restore and keep geometry, panels, the last file and the recent ones
        std::optional<widgets::ThemeKind> theme = {}; ///< as applied; empty: follows the system
        QString recoveryDirectory; ///< empty: the default place
        session::PlannerFunctions functions = session::corePlannerFunctions();
    };

    explicit MainWindow(Options options, QWidget* parent = nullptr);
    ~MainWindow() override;

    /// What the window opens with: `path`, else the document of the last session, else the first example.
    void start(const QString& path, const QString& example = {});
    /// Files of a study, in its perspective.
    void openStudy(const QStringList& files);
    /// An order of passes beside the plan's own, in the pipeline chart.
    void openSchedule(const QString& path);
    void setPerspective(session::Perspective perspective);
    /// Selects an element or a link on the canvas, by its id in the plan or its key there ("nodes -> leaf"). False if
    /// there is none.
    bool select(const QString& key);
    /// Takes what is typed but not entered yet; false where it is wrong: then the field has the focus, and the window
    /// says so.
    bool commitPending();

    [[nodiscard]] session::Workspace& workspace() { return *m_workspace; }
    [[nodiscard]] CentralView& view() { return *m_view; }
    [[nodiscard]] Actions& actionSet() { return *m_actions; }
    [[nodiscard]] FileController& files() { return *m_files; }
    [[nodiscard]] CalibrationBinding& calibration() { return *m_calibration; }
    /// Everything asked for is on the screen.
    [[nodiscard]] bool isSettled() const;
    /// And nothing more comes by itself.
    [[nodiscard]] bool isStill() const { return isSettled() && !m_workspace->search().worker().isDrawing(); }

protected:
    void closeEvent(QCloseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    static constexpr const char* kFirstExample = "gpt3-175b-1024-a100";

    void connectFileActions();
    void connectViewActions();
    void connectStudies();
    void updateTitle();
    void togglePanels();
    void chooseTheme(std::optional<widgets::ThemeKind> theme);
    void followSystem();
    void leavePresentation() { setPerspective(m_beforePresentation); }
    void openCase(const plan::Plan& plan);
    void showPipeline();
    [[nodiscard]] std::vector<widgets::Command> commands();
    void restoreSession();
    void rememberSession();

    bool m_remembers;
    std::optional<widgets::ThemeKind> m_theme;
    bool m_mayClose = false;
    session::Perspective m_beforePresentation = session::Perspective::Explore;
    bool m_wasMaximized = false;

    std::unique_ptr<session::Workspace> m_workspace;
    Actions* m_actions;
    CentralView* m_view;
    FileController* m_files;
    ViewBinding* m_binding;
    CalibrationBinding* m_calibration;
    PartitionBinding* m_partition;
    StudyBinding* m_studies;
    ReportBinding* m_report;
    ImportController* m_import;
    widgets::CommandPalette* m_palette;
    widgets::ShortcutOverlay* m_shortcuts;
    QLabel* m_documentName;
};

} // namespace stratoplan::gui
