// SPDX-License-Identifier: GPL-3.0-or-later
// Everything a person can do to the window as QActions, and the menus they stand in. Actions say what and how it is
// called; the window connects them.
#pragma once

#include "app/session/perspective.h"
#include "core/launch/launch.h"
#include "widgets/presentation/tokens.h"

#include <QKeySequence>
#include <QObject>

#include <array>
#include <optional>

class QAction;
class QActionGroup;
class QMenu;
class QMenuBar;
class QWidget;

namespace stratoplan::gui {

class Actions : public QObject {
    Q_OBJECT

public:
    /// Fills `menuBar`; shortcuts work in `window`.
    Actions(QMenuBar& menuBar, QWidget& window);

    // File
    QAction* newPlan;
    QAction* open;
    QMenu* recent;
    QMenu* examples;
    QAction* openSchedule;
    QAction* openStudy;
    QAction* exampleStudy;
    QAction* import;
    QAction* save;
    QAction* saveAs;
    QAction* quit;
    // Edit
    QAction* undo;
    QAction* redo;
    QAction* copyPlan;
    // View
    QAction* build;
    QAction* explore;
    QAction* search;
    QAction* studies;
    QAction* compare;
    QAction* partition;
    QAction* present;
    QAction* saveSlide;
    QAction* showInputs;
    QAction* showDetails;
    QAction* showProblems;
    QAction* clusterTable;
    QAction* resetLayout;
    QAction* palette;
    // Plan
    QAction* pin;
    QAction* setBaseline;
    QAction* clearPins;
    QAction* sizeRun;
    QAction* usePartition;
    QAction* pinPartition;
    QAction* backToMegatron;
    QAction* howSure;
    // Search
    QAction* findBest;
    QAction* stopSearch;
    QAction* adoptBest;
    QAction* verify;
    QAction* whichNodes;
    // Tools
    QAction* calibrate;
    QAction* loadProfile;
    QAction* audit;
    QAction* validation;
    // Export
    QAction* exportPlan;
    QAction* exportEstimate;
    QMenu* launchFiles;
    QAction* exportPicture;
    QAction* exportReport;
    QAction* exportProgram;
    // Help
    QAction* shortcuts;
    QAction* about;

    [[nodiscard]] QAction* perspective(session::Perspective which) const;

    /// Shows the files in the "Open recent" menu.
    void setRecentFiles(const QStringList& files);
    /// Ticks the theme; empty = follow the system.
    void setTheme(std::optional<widgets::ThemeKind> theme);

Q_SIGNALS:
    void recentFileChosen(const QString& path);
    void recentFilesCleared();
    void exampleChosen(const QString& name);
    void launchFormatChosen(launch::Format format);
    void themeChosen(std::optional<widgets::ThemeKind> theme);

private:
    QAction* add(QMenu* menu, const QString& text, const QKeySequence& shortcut = {}, const QString& iconName = {});
    void fillFile(QMenuBar& menuBar);
    void fillEdit(QMenuBar& menuBar);
    void fillView(QMenuBar& menuBar);
    void fillPlanAndSearch(QMenuBar& menuBar);
    void fillTools(QMenuBar& menuBar);
    void fillExportAndHelp(QMenuBar& menuBar);
    void fillThemes(QMenu* menu);
    void fillLaunchFiles();

    QWidget& m_window;
    QActionGroup* m_themes = nullptr;
};

} // namespace stratoplan::gui
