// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/house/rules.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <regex>

namespace stratoplan::house {

namespace fs = std::filesystem;

// In one piece: a table of the folders, each on its floor.
const std::map<std::string, int>& floors()
{
    static const std::map<std::string, int> table{
        {"core/units", 10},
        {"core/model", 20},
        {"core/cluster", 21},
        {"core/parallel", 30},
        {"core/plan", 40},
        {"core/catalog", 41},
        {"core/workload", 50},
        {"core/pipeline", 60},
        {"core/cost", 61},
        {"core/partition", 62},
        {"core/pricing", 65},
        {"core/estimate", 70},
        {"core/space", 75},
        {"core/split", 75},
        {"core/search", 80},
        {"core/capacity", 80},
        {"core/launch", 81},
        {"core/sizing", 81},
        {"core/sensitivity", 81},
        {"core/narration", 82},
        {"core/wiring", 83},
        {"core/exchange", 84},
        {"core/validation", 85},
        {"core/calibration", 86},
        {"core/audit", 87},
        {"core/reporting", 88},
        {"core/report", 89},
        {"widgets/presentation", 90},
        {"widgets/style", 91},
        {"widgets/charts", 92},
        {"widgets/report", 92},
        {"widgets/panels", 92},
        {"widgets/shell", 92},
        {"widgets/topology", 93}, // its inspector is made of the panels' fields
        {"widgets/partition", 93}, // its tables are the panels'
        {"app", 98},
        {"app/session", 99},
        {"app/cli", 99},
        {"app/gui/files", 100},
        {"app/gui/audit", 101},
        {"app/gui/build", 101},
        {"app/gui/calibrate", 101},
        {"app/gui/compare", 101},
        {"app/gui/explore", 101},
        {"app/gui/partition", 101},
        {"app/gui/present", 101},
        {"app/gui/report", 101},
        {"app/gui/search", 101},
        {"app/gui/sensitivity", 101},
        {"app/gui/sizing", 101},
        {"app/gui/studies", 101},
        {"app/gui/validate", 101},
        {"app/gui/window", 102},
        {"app/gui", 103},
    };
    return table;
}

namespace {

/// "core/plan" of "core/plan/plan.h", "app/gui/files" of what lies deeper; empty for files that are not two folders
/// deep.
std::string folderOf(const std::string& path)
{
    const std::size_t first = path.find('/');
    const std::size_t second = first == std::string::npos ? first : path.find('/', first + 1);
    if (second == std::string::npos)
        return path.starts_with("app/") ? "app" : std::string(); // what both programs share
    const std::size_t third = path.find('/', second + 1);
    return path.substr(0, path.starts_with("app/gui/") && third != std::string::npos ? third : second);
}

/// A library of the core has its own, the widgets share one, and so do the rooms of the window.
std::string namespaceOf(const std::string& path)
{
    const std::string folder = folderOf(path);
    const std::string name = path.starts_with("widgets/") ? "widgets"
        : path.starts_with("app/gui/")                    ? "gui"
                                                          : folder.substr(folder.rfind('/') + 1);
    return "stratoplan::" + (name == "units" ? "inline units" : name);
}

bool isProduct(const File& file)
{
    return file.isIn("core") || file.isIn("widgets") || file.isIn("app");
}

bool endsWithAny(const std::string& path, std::initializer_list<const char*> endings)
{
    return std::any_of(endings.begin(), endings.end(), [&](const char* ending) { return path.ends_with(ending); });
}

bool isScript(const File& file)
{
    return !file.lines.empty() && file.lines.front().starts_with("#!");
}

std::string at(const File& file, int line)
{
    return file.path + ":" + std::to_string(line) + ": ";
}

bool isQt(const Include& include)
{
    static const std::regex qt("^(Q[A-Za-z]+(/.*)?|q[a-z_]+\\.h)$");
    return !include.quoted && std::regex_match(include.name, qt);
}

/// Whole modules at once: seconds of every build.
bool isUmbrella(const std::string& name)
{
    static const std::array names{"QtCore", "QtGui", "QtWidgets", "QtTest", "QtSvg", "QtConcurrent", "QtPrintSupport"};
    return std::any_of(names.begin(), names.end(),
        [&](const char* umbrella) { return name == umbrella || name == std::string(umbrella) + "/" + umbrella; });
}

bool isWidgetHeader(const std::string& name)
{
    static const std::regex widgets("^(QWidget|QApplication|QGraphics[A-Za-z]*|Q[A-Za-z]*(Button|Box|Layout|Dialog|"
                                    "View|Edit|Slider|Bar|Label|Menu))$");
    return std::regex_match(name, widgets);
}

bool isReadable(const fs::path& path)
{
    const std::string name = path.filename().string();
    return endsWithAny(name,
               {".h", ".cpp", ".txt", ".cmake", ".in", ".json", ".csv", ".md", ".svg", ".sh", ".py", ".desktop", ".xml",
                   ".qrc"})
        || !path.has_extension();
}

void readInto(std::vector<File>& files, const fs::path& root, const fs::path& path)
{
    File file{path.lexically_relative(root).generic_string(), {}};
    std::ifstream in(path);
    for (std::string line; std::getline(in, line);)
        file.lines.push_back(line);
    files.push_back(std::move(file));
}

} // namespace

bool File::isHeader() const
{
    return path.ends_with(".h");
}

bool File::isSource() const
{
    return isHeader() || path.ends_with(".cpp");
}

bool File::isIn(const std::string& folder) const
{
    return path.starts_with(folder + "/");
}

std::vector<File> readTree(const fs::path& root)
{
    std::vector<File> files;
    for (const char* folder : {"app", "core", "widgets", "resources", "tests", "packaging", ".ci"}) {
        if (!fs::exists(root / folder))
            continue;
        for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / folder)) {
            const bool ours = entry.path().string().find("__pycache__") == std::string::npos;
            if (ours && entry.is_regular_file() && isReadable(entry.path()))
                readInto(files, root, entry.path());
        }
    }
    for (const fs::directory_entry& entry : fs::directory_iterator(root)) {
        const bool worktree = entry.path().filename() == ".git"; // a file in a linked work tree
        if (!worktree && entry.is_regular_file() && isReadable(entry.path()))
            readInto(files, root, entry.path());
    }
    std::sort(files.begin(), files.end(), [](const File& a, const File& b) { return a.path < b.path; });
    return files;
}

std::vector<Include> includesOf(const File& file)
{
    static const std::regex pattern("^\\s*#\\s*include\\s*([<\"])([^>\"]+)[>\"].*$");
    std::vector<Include> includes;
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
        std::smatch match;
        if (std::regex_match(file.lines[i], match, pattern))
            includes.push_back({static_cast<int>(i) + 1, match[2].str(), match[1].str() == "\""});
    }
    return includes;
}

Faults floorFaults(const File& file)
{
    Faults faults;
    if (!file.isSource() || !isProduct(file))
        return faults;
    const std::string own = folderOf(file.path);
    const auto ownFloor = floors().find(own);
    if (ownFloor == floors().end())
        return {file.path + ": the folder has no floor in the house"};
    for (const Include& include : includesOf(file)) {
        const std::string folder = folderOf(include.name);
        const auto floor = floors().find(folder);
        if (!include.quoted || floor == floors().end() || folder == own)
            continue;
        if (floor->second >= ownFloor->second || folder == "app/cli") // nobody's floor but its own
            faults.push_back(
                at(file, include.line) + own + " may not include " + folder + ", which does not stand below it");
    }
    return faults;
}

Faults foreignFaults(const File& file)
{
    Faults faults;
    if (!file.isSource())
        return faults;
    const bool test = file.isIn("tests");
    const bool documents = file.isIn("core/exchange") || file.isIn("core/catalog") || file.isIn("core/validation")
        || file.isIn("core/launch") || file.isIn("core/audit");
    for (const Include& include : includesOf(file)) {
        const auto fault = [&](const char* rule) {
            faults.push_back(at(file, include.line) + include.name + ": " + rule);
        };
        if (isQt(include) && (file.isIn("core") || file.isIn("app/cli")))
            fault("Qt is not allowed here");
        if (isQt(include) && isUmbrella(include.name))
            fault("name the classes, not the whole module");
        if (isQt(include) && file.isIn("widgets/presentation") && isWidgetHeader(include.name))
            fault("presentation works without widgets");
        if (isQt(include) && file.isIn("app/session") && isWidgetHeader(include.name))
            fault("the session knows no window");
        // One header wraps QCustomPlot, which is written with Qt's keywords; it costs the same seconds to include.
        const bool plot = include.name.ends_with("qcustomplot.h") || include.name == "widgets/charts/qcp.h";
        if (plot && file.path != "widgets/charts/qcp.h"
            && (file.isHeader() || !(file.isIn("widgets") || file.isIn("tests/widgets"))))
            fault("only in .cpp files of widgets");
        if (include.name.starts_with("nlohmann/") && file.isIn("core") && !documents)
            fault("only where documents are read and written");
        if (!test && isProduct(file) && include.quoted && include.name.starts_with("tests/"))
            fault("the product does not include its tests");
    }
    return faults;
}

Faults licenceFaults(const File& file)
{
    // What the core embeds is under the licence of the core.
    static constexpr std::array embedded{"resources/audit", "resources/catalog", "resources/examples",
        "resources/launch", "resources/schema", "resources/torch", "resources/validation"};
    const bool apache = file.isIn("core")
        || std::any_of(embedded.begin(), embedded.end(), [&](const char* folder) { return file.isIn(folder); });
    const std::string licence = apache ? "Apache-2.0" : "GPL-3.0-or-later";
    const bool code = file.isSource() || isScript(file)
        || endsWithAny(
            file.path, {"CMakeLists.txt", ".cmake", ".py", ".sh", ".svg", ".in", ".clang-format", ".clang-tidy"});
    const bool document = file.isIn("resources") && file.path.ends_with(".md");
    const bool table = file.isIn("resources") && file.path.ends_with(".csv");
    const bool json = file.isIn("resources") && file.path.ends_with(".json");
    if (!code && !document && !table && !json)
        return {};
    // A schema has no member for it, but a comment.
    const std::regex wanted(
        json ? "(?:SPDX-License-Identifier: |\"license\"\\s*:\\s*\")([^\"\\s]+)\"" : "SPDX-License-Identifier: (\\S+)");
    const std::size_t head = std::min<std::size_t>(file.lines.size(), 5);
    for (std::size_t i = 0; i < head; ++i) {
        std::smatch match;
        if (!std::regex_search(file.lines[i], match, wanted))
            continue;
        if (match[1].str() == licence)
            return {};
        return {at(file, static_cast<int>(i) + 1) + "is " + match[1].str() + ", files here are " + licence};
    }
    return {file.path + ": no licence in its first lines, expected " + licence};
}

Faults headerFaults(const File& file)
{
    static const std::regex lowerSnake("^[a-z0-9_]+\\.(h|cpp)$");
    Faults faults;
    if (!file.isSource())
        return faults;
    if (!std::regex_match(fs::path(file.path).filename().string(), lowerSnake))
        faults.push_back(file.path + ": file names are lower_snake");
    if (file.isHeader() && std::find(file.lines.begin(), file.lines.end(), "#pragma once") == file.lines.end())
        faults.push_back(file.path + ": no #pragma once");
    for (const Include& include : includesOf(file)) {
        const bool generated = include.name.ends_with(".moc") || include.name.starts_with("moc_");
        if (include.quoted && !generated && include.name.find('/') == std::string::npos)
            faults.push_back(
                at(file, include.line) + include.name + ": write the path from the root, or <…> for other libraries");
    }
    return faults;
}

Faults namespaceFaults(const File& file)
{
    static const std::regex opens("^namespace (stratoplan\\S*( units\\S*)?) \\{$");
    static const std::regex foreign("^([^{]*;|template <>)$");
    Faults faults;
    if (!file.isSource() || !isProduct(file))
        return faults;
    const std::string own = namespaceOf(file.path);
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
        std::smatch match;
        if (!std::regex_match(file.lines[i], match, opens))
            continue;
        const std::string name = match[1].str();
        if (name == own || name.starts_with(own + "::"))
            continue;
        // A name of another folder may be declared, and its template specialised.
        std::size_t next = i + 1;
        while (next < file.lines.size() && file.lines[next].empty())
            ++next;
        if (next == file.lines.size() || !std::regex_match(file.lines[next], foreign))
            faults.push_back(at(file, static_cast<int>(i) + 1) + "is " + name + ", files here are of " + own);
    }
    return faults;
}

Faults localeFaults(const File& file)
{
    static const std::regex reads("\\b(strto(d|f|ld)|sto(d|f|ld)|atof|[fs]*scanf)\\s*\\(");
    static const std::regex writes("printf.*\"[^\"]*%[-+ #0-9.*']*L?[aefgAEFG]");
    Faults faults;
    if (!file.isSource() || !isProduct(file))
        return faults;
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
        if (std::regex_search(file.lines[i], reads) || std::regex_search(file.lines[i], writes))
            faults.push_back(at(file, static_cast<int>(i) + 1)
                + "follows the decimal point of the locale: use std::to_chars, std::from_chars");
    }
    return faults;
}

Faults nameFaults(const File& file)
{
    static const std::regex names("\\b(one|own|of|told)\\b");
    static const std::regex notCode("'(?:[^'\\\\]|\\\\.)'|\"(?:[^\"\\\\]|\\\\.)*\"|//.*");
    Faults faults;
    if (!file.isSource() || !isProduct(file))
        return faults;
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
        if (!std::regex_search(file.lines[i], names))
            continue;
        const std::string code = std::regex_replace(file.lines[i], notCode, "\"\"");
        std::smatch match;
        if (std::regex_search(code, match, names))
            faults.push_back(
                at(file, static_cast<int>(i) + 1) + "\"" + match.str() + "\" does not say what it is the name of");
    }
    return faults;
}

Faults leftoverFaults(const File& file)
{
    // Put together here, so that this file is not its own fault.
    static const std::array leftovers{std::string("TO") + "DO", std::string("FIX") + "ME", std::string("XX") + "X",
        std::string("/wo") + "rk/", std::string("/ho") + "me/"};
    Faults faults;
    if (file.path.ends_with("LICENSE"))
        return faults;
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
        for (const std::string& leftover : leftovers) {
            if (file.lines[i].find(leftover) != std::string::npos)
                faults.push_back(at(file, static_cast<int>(i) + 1) + "holds \"" + leftover + "\"");
        }
    }
    return faults;
}

} // namespace stratoplan::house
