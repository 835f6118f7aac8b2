// SPDX-License-Identifier: GPL-3.0-or-later
// stratoplan: the window program. Exit codes: 0 closed, 1 a bug or a picture that could not be written, 2 bad
// arguments or no display. With --report there is no window: exit codes are those of stratoplan-cli.
#include "app/gui/report/report_command.h"
#include "app/gui/window/actions.h"
#include "app/gui/window/central_view.h"
#include "app/gui/window/launch_options.h"
#include "app/gui/window/main_window.h"
#include "app/gui/window/screenshot.h"
#include "app/logging.h"
#include "widgets/style/icons.h"
#include "widgets/style/system_theme.h"
#include "widgets/style/theme.h"
#include "widgets/topology/plan_overlays.h"
#include "widgets/topology/topology_view.h"

#include <QAction>
#include <QApplication>
#include <QLocale>
#include <QScreen>

#include <clocale>
#include <cstdio>
#include <cstdlib>

using namespace stratoplan::app;
using namespace stratoplan::gui;

namespace {

/// Qt's messages go to the log; one that would abort before there is a window becomes a sentence and an exit code.
void logQtMessage(QtMsgType type, const QMessageLogContext&, const QString& message)
{
    const std::string text = message.toStdString();
    switch (type) {
    case QtDebugMsg:
        logDebug(text);
        break;
    case QtInfoMsg:
        logInfo(text);
        break;
    case QtWarningMsg:
        if (!message.contains(QStringLiteral("propagateSizeHints"))) // the offscreen platform says so of every window
            logWarning(text);
        break;
    case QtCriticalMsg:
        logError(text);
        break;
    case QtFatalMsg:
        flushLog();
        if (QCoreApplication::instance() == nullptr || QCoreApplication::startingUp()) {
            std::fprintf(stderr, "stratoplan: the display cannot be opened: %s\nWithout one, use stratoplan-cli.\n",
                text.c_str());
            std::_Exit(2);
        }
        std::fprintf(stderr, "stratoplan: %s\n", text.c_str());
        std::abort();
    }
}

void setNames()
{
    QCoreApplication::setOrganizationName(QStringLiteral("stratoplan"));
    QCoreApplication::setApplicationName(QStringLiteral("stratoplan"));
    QCoreApplication::setApplicationVersion(QStringLiteral(STRATOPLAN_VERSION));
    QGuiApplication::setDesktopFileName(QStringLiteral("stratoplan"));
}

/// Shows what the command line names.
void open(MainWindow& window, const LaunchOptions& options)
{
    if (options.size)
        window.resize(*options.size);
    else if (options.screenshot.isEmpty())
        window.resize(window.size().boundedTo(window.screen()->availableSize()));
    if (options.perspective)
        window.setPerspective(*options.perspective);
    if (options.clusterTable)
        window.actionSet().clusterTable->setChecked(true);
    window.start(options.planFile, options.example);
    if (options.exampleStudy || !options.study.isEmpty())
        window.openStudy(options.study);
    if (!options.schedule.isEmpty())
        window.openSchedule(options.schedule);
    window.show();
    stratoplan::widgets::PlanOverlays& overlays = window.view().canvas().topologyScene()->overlays();
    overlays.setAxis(options.colourBy);
    overlays.setShowsLoad(options.linkLoad);
    if (!options.select.isEmpty() && !window.select(options.select))
        logWarning("--select: the cluster has no element '" + options.select.toStdString() + "'");
}

/// A report needs no display.
void goOffscreen(const LaunchOptions& options)
{
    if (!options.report.isEmpty() && qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
}

int reportOf(const LaunchOptions& options)
{
    const int code = runReportCommand(options.planFile, options.report);
    flushLog();
    return code;
}

} // namespace

int main(int argc, char** argv)
{
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    const auto options = parseArguments(arguments);
    if (!options) {
        std::fputs(options.error().text.c_str(), options.error().code == 0 ? stdout : stderr);
        return options.error().code;
    }
    goOffscreen(*options);
    if (const std::string reason = missingDisplay(arguments); !reason.empty()) {
        std::fputs(reason.c_str(), stderr);
        return 2;
    }
    startLogging("stratoplan", options->logLevel);
    qInstallMessageHandler(logQtMessage);

    setNames();
    // The program speaks English: its numbers do too, whatever the desktop's language (widgets/presentation/numbers.h).
    QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates));
    QApplication app(argc, argv);
    std::setlocale(LC_NUMERIC, "C"); // QApplication took the desktop's
    if (!options->report.isEmpty())
        return reportOf(*options);
    QApplication::setApplicationDisplayName(QStringLiteral("Stratoplan"));
    QApplication::setWindowIcon(stratoplan::widgets::icon(QStringLiteral("cluster")));
    const bool picture = !options->screenshot.isEmpty();
    std::optional<stratoplan::widgets::ThemeKind> theme = options->theme;
    if (!theme && !picture && !options->systemTheme)
        theme = stratoplan::session::Settings::theme();
    applyTheme(app, theme.value_or(stratoplan::widgets::systemTheme()));

    // A picture shows the plan, not what the person at this machine did last.
    MainWindow window({.remembers = !picture, .theme = theme, .recoveryDirectory = {}});
    open(window, *options);
    if (picture)
        new Screenshot(window, options->screenshot, &window);
    const int code = QApplication::exec();
    flushLog();
    return code;
}
