// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/window/launch_options.h"

#include "core/exchange/document.h"

#include <CLI/CLI.hpp>
#include <QProcessEnvironment>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>

namespace stratoplan::gui {

namespace {

/// Options that QGuiApplication reads itself and that take a value.
constexpr std::array<std::string_view, 10> kQtOptions{"platform", "platformpluginpath", "platformtheme", "plugin",
    "style", "stylesheet", "qwindowgeometry", "qwindowtitle", "display", "geometry"};

bool isQtOption(std::string_view argument)
{
    if (!argument.starts_with('-'))
        return false;
    argument.remove_prefix(argument.starts_with("--") ? 2 : 1);
    return std::find(kQtOptions.begin(), kQtOptions.end(), argument) != kQtOptions.end();
}

std::vector<std::string> withoutQtOptions(const std::vector<std::string>& arguments)
{
    std::vector<std::string> result;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (isQtOption(arguments[i]))
            ++i;
        else
            result.push_back(arguments[i]);
    }
    return result;
}

/// "1440x900" -> 1440 x 900; the smallest window that shows its parts is 800 x 500.
std::optional<QSize> parseSize(const std::string& text)
{
    const QStringList parts = QString::fromStdString(text).split(u'x');
    if (parts.size() != 2)
        return std::nullopt;
    bool widthOk = false;
    bool heightOk = false;
    const QSize size(parts[0].toInt(&widthOk), parts[1].toInt(&heightOk));
    if (!widthOk || !heightOk || size.width() < 320 || size.height() < 240 || size.width() > 16384
        || size.height() > 16384)
        return std::nullopt;
    return size;
}

/// As they stand on the command line; "" where they do not.
struct Words {
    std::string plan;
    std::string example;
    std::vector<std::string> study;
    std::string schedule;
    std::string logLevel;
    std::string theme;
    std::string perspective;
    bool clusterTable = false;
    std::string size;
    std::string select;
    std::string colourBy;
    bool linkLoad = false;
    std::string screenshot;
    std::string report;
};

/// Files that are written without anybody at the window.
void addPictures(CLI::App& app, Words& words)
{
    app.add_option(
           "--screenshot", words.screenshot, "Write a picture of the window (PNG) when it shows everything, then exit")
        ->type_name("FILE");
    app.add_option("--report", words.report,
           "Write the report of PLAN (- for standard input), then exit: .pdf, .html, .xlsx or .csv. Needs no display")
        ->type_name("FILE")
        ->needs("PLAN");
}

void addOptions(CLI::App& app, Words& words)
{
    app.add_option("PLAN", words.plan, "Plan or project file to open");
    app.add_option("--example", words.example, "Shipped plan to open as a new document: gpt3-175b-1024-a100, …")
        ->check([](const std::string& text) {
            std::string names;
            for (const exchange::Example& each : exchange::examples())
                names += (names.empty() ? "" : ", ") + each.name;
            return exchange::findExample(text) ? std::string() : "'" + text + "' is not one of " + names;
        })
        ->excludes("PLAN");
    app.add_option("--study", words.study,
           "Answers of a study to show, as stratoplan-cli sweep writes them: one file or all parts; 'example' for the "
           "shipped ones")
        ->type_name("FILE");
    app.add_option("--schedule", words.schedule, "Schedule to compare the plan's own with: a line of passes per stage")
        ->type_name("FILE");
    app.add_option("--log-level", words.logLevel, "Least severe lines on standard error: " + app::logLevelKeys())
        ->check([](const std::string& text) {
            return app::logLevelFromKey(text) ? std::string() : "'" + text + "' is not one of " + app::logLevelKeys();
        });
    app.add_option("--theme", words.theme, "light, dark, high-contrast or system")
        ->check(CLI::IsMember({"system", "light", "dark", "high-contrast"}));
    app.add_option("--perspective", words.perspective, "Arrangement to start with")
        ->check(
            CLI::IsMember({"build", "explore", "search", "studies", "compare", "calibrate", "partition", "present"}));
    app.add_flag("--table", words.clusterTable, "Show the cluster as a table, in the build perspective");
    app.add_option("--size", words.size, "Size of the window in pixels, e.g. 1440x900")
        ->check([](const std::string& text) {
            return parseSize(text) ? std::string() : "'" + text + "' is not a size: write WIDTHxHEIGHT, e.g. 1440x900";
        });
    app.add_option("--select", words.select, "Element of the cluster to select on the canvas, by its id in the plan")
        ->type_name("ID");
    app.add_option("--colour-by", words.colourBy, "Axis of the plan that colours accelerators on the canvas")
        ->check(CLI::IsMember({"tp", "cp", "ep", "pp", "dp"}));
    app.add_flag("--link-load", words.linkLoad, "Colour links of the canvas by how long they are in use in a step");
}

LaunchOptions optionsOf(const Words& words)
{
    const std::map<std::string, widgets::ThemeKind> themes{{"light", widgets::ThemeKind::Light},
        {"dark", widgets::ThemeKind::Dark}, {"high-contrast", widgets::ThemeKind::HighContrast}};
    const std::map<std::string, session::Perspective> perspectives{{"build", session::Perspective::Build},
        {"explore", session::Perspective::Explore}, {"search", session::Perspective::Search},
        {"studies", session::Perspective::Studies}, {"compare", session::Perspective::Compare},
        {"calibrate", session::Perspective::Calibrate}, {"partition", session::Perspective::Partition},
        {"present", session::Perspective::Present}};
    LaunchOptions options;
    options.planFile = QString::fromStdString(words.plan);
    options.example = QString::fromStdString(words.example);
    options.exampleStudy = words.study == std::vector<std::string>{"example"};
    if (!options.exampleStudy)
        for (const std::string& file : words.study)
            options.study << QString::fromStdString(file);
    options.schedule = QString::fromStdString(words.schedule);
    options.logLevel = app::logLevelFromKey(words.logLevel).value_or(options.logLevel);
    if (const auto found = themes.find(words.theme); found != themes.end())
        options.theme = found->second;
    options.systemTheme = words.theme == "system";
    if (const auto found = perspectives.find(words.perspective); found != perspectives.end())
        options.perspective = found->second;
    options.clusterTable = words.clusterTable;
    if (options.clusterTable && !options.perspective)
        options.perspective = session::Perspective::Build;
    options.size = parseSize(words.size);
    options.select = QString::fromStdString(words.select);
    options.colourBy = parallel::axisFromKey(words.colourBy);
    options.linkLoad = words.linkLoad;
    options.screenshot = QString::fromStdString(words.screenshot);
    options.report = QString::fromStdString(words.report);
    return options;
}

} // namespace

tl::expected<LaunchOptions, LaunchEnd> parseArguments(const std::vector<std::string>& arguments)
{
    CLI::App app("Stratoplan: plan how to train large transformers on clusters.", "stratoplan");
    app.set_version_flag("--version", "stratoplan " STRATOPLAN_VERSION);
    Words words;
    addOptions(app, words);
    addPictures(app, words);
    try {
        std::vector<std::string> rest = withoutQtOptions(arguments);
        std::reverse(rest.begin(), rest.end()); // CLI11 takes them last first
        app.parse(rest);
    } catch (const CLI::CallForHelp&) {
        return tl::unexpected(LaunchEnd{0, app.help()});
    } catch (const CLI::CallForVersion& version) {
        return tl::unexpected(LaunchEnd{0, std::string(version.what()) + "\n"});
    } catch (const CLI::ParseError& error) {
        return tl::unexpected(LaunchEnd{2, std::string("stratoplan: ") + error.what() + "\nTry: stratoplan --help\n"});
    }
    return optionsOf(words);
}

std::string missingDisplay(const std::vector<std::string>& arguments)
{
#ifdef Q_OS_LINUX
    const auto set = [](const char* name) { return !qEnvironmentVariableIsEmpty(name); };
    const bool chosen = std::any_of(
        arguments.begin(), arguments.end(), [](std::string_view a) { return a == "-platform" || a == "--platform"; });
    if (!chosen && !set("QT_QPA_PLATFORM") && !set("DISPLAY") && !set("WAYLAND_DISPLAY"))
        return "stratoplan: no display: neither DISPLAY nor WAYLAND_DISPLAY is set.\n"
               "Without one, use stratoplan-cli, e.g.: stratoplan-cli estimate PLAN\n";
#else
    static_cast<void>(arguments);
#endif
    return {};
}

} // namespace stratoplan::gui
