// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/settings.h"

#include <QSettings>

#include <array>
#include <utility>

namespace stratoplan::session {

namespace {

const QString kRecent = QStringLiteral("recentFiles");
const QString kTheme = QStringLiteral("theme");
const QString kLastFile = QStringLiteral("lastFile");
const QString kWindow = QStringLiteral("window");

template <class Value>
using Names = std::vector<std::pair<Value, QString>>;

const Names<widgets::ThemeKind>& themeNames()
{
    static const Names<widgets::ThemeKind> names{{widgets::ThemeKind::Light, QStringLiteral("light")},
        {widgets::ThemeKind::Dark, QStringLiteral("dark")},
        {widgets::ThemeKind::HighContrast, QStringLiteral("high-contrast")}};
    return names;
}

const Names<Perspective>& perspectiveNames()
{
    // Present is left out: a session never starts in full screen.
    static const Names<Perspective> names{{Perspective::Build, QStringLiteral("build")},
        {Perspective::Explore, QStringLiteral("explore")}, {Perspective::Search, QStringLiteral("search")},
        {Perspective::Studies, QStringLiteral("studies")}, {Perspective::Compare, QStringLiteral("compare")},
        {Perspective::Calibrate, QStringLiteral("calibrate")}, {Perspective::Partition, QStringLiteral("partition")}};
    return names;
}

template <class Value>
std::optional<Value> valueOf(const Names<Value>& names, const QString& name)
{
    for (const auto& [value, text] : names) {
        if (text == name)
            return value;
    }
    return std::nullopt;
}

template <class Value>
QString nameOf(const Names<Value>& names, std::optional<Value> value)
{
    for (const auto& [candidate, text] : names) {
        if (candidate == value)
            return text;
    }
    return {};
}

} // namespace

QStringList Settings::recentFiles()
{
    return QSettings().value(kRecent).toStringList();
}

void Settings::addRecentFile(const QString& path)
{
    QStringList files = recentFiles();
    files.removeAll(path);
    files.prepend(path);
    QSettings().setValue(kRecent, QStringList(files.mid(0, kRecentFiles)));
}

void Settings::removeRecentFile(const QString& path)
{
    QStringList files = recentFiles();
    files.removeAll(path);
    QSettings().setValue(kRecent, files);
}

void Settings::clearRecentFiles()
{
    QSettings().remove(kRecent);
}

std::optional<widgets::ThemeKind> Settings::theme()
{
    return valueOf(themeNames(), QSettings().value(kTheme).toString());
}

void Settings::setTheme(std::optional<widgets::ThemeKind> theme)
{
    QSettings().setValue(kTheme, nameOf(themeNames(), theme));
}

WindowState Settings::window()
{
    QSettings settings;
    settings.beginGroup(kWindow);
    return {
        .geometry = settings.value(QStringLiteral("geometry")).toByteArray(),
        .columns = settings.value(QStringLiteral("columns")).toByteArray(),
        .charts = settings.value(QStringLiteral("charts")).toByteArray(),
        .chartRow = settings.value(QStringLiteral("chartRow")).toByteArray(),
        .inputs = settings.value(QStringLiteral("inputs"), true).toBool(),
        .details = settings.value(QStringLiteral("details"), true).toBool(),
        .problems = settings.value(QStringLiteral("problems"), true).toBool(),
        .clusterTable = settings.value(QStringLiteral("clusterTable"), false).toBool(),
        .perspective = valueOf(perspectiveNames(), settings.value(QStringLiteral("perspective")).toString()),
    };
}

void Settings::setWindow(const WindowState& state)
{
    QSettings settings;
    settings.beginGroup(kWindow);
    settings.setValue(QStringLiteral("geometry"), state.geometry);
    settings.setValue(QStringLiteral("columns"), state.columns);
    settings.setValue(QStringLiteral("charts"), state.charts);
    settings.setValue(QStringLiteral("chartRow"), state.chartRow);
    settings.setValue(QStringLiteral("inputs"), state.inputs);
    settings.setValue(QStringLiteral("details"), state.details);
    settings.setValue(QStringLiteral("problems"), state.problems);
    settings.setValue(QStringLiteral("clusterTable"), state.clusterTable);
    settings.setValue(QStringLiteral("perspective"), nameOf(perspectiveNames(), state.perspective));
}

QString Settings::lastFile()
{
    return QSettings().value(kLastFile).toString();
}

void Settings::setLastFile(const QString& path)
{
    QSettings().setValue(kLastFile, path);
}

} // namespace stratoplan::session
