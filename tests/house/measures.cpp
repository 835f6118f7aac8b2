// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/house/measures.h"

#include <algorithm>
#include <map>
#include <optional>
#include <regex>

namespace stratoplan::house {

namespace {

constexpr std::size_t kMostColumns = 120;
constexpr int kMostLinesOfFunction = 40;
constexpr int kMostLinesWithReason = 70;
constexpr int kMostLinesOfClass = 400;
constexpr int kMostLinesOfTestFile = 800;

/// Without the spaces around it.
std::string stripped(const std::string& line)
{
    const std::size_t first = line.find_first_not_of(' ');
    return first == std::string::npos ? std::string() : line.substr(first, line.find_last_not_of(' ') - first + 1);
}

bool isMeasured(const File& file)
{
    return file.isSource() && (file.isIn("core") || file.isIn("widgets") || file.isIn("app") || file.isIn("tests"));
}

/// Ends what stands before the head of a function.
bool endsHead(const std::string& line)
{
    const std::string text = stripped(line);
    if (text.empty() || text.starts_with("//") || text.starts_with("#"))
        return true;
    if (text.starts_with(": ") || text.starts_with(", "))
        return false; // of the members that a constructor sets
    return text.ends_with(";") || text.ends_with("}") || text.ends_with("{") || text.ends_with(":");
}

/// "Plan::check" of the head of its definition: the name before the first bracket that is of no template.
std::string nameIn(const std::string& head)
{
    static const std::regex name("([A-Za-z_][A-Za-z0-9_]*::)*(~?[A-Za-z_][A-Za-z0-9_]*|operator[^A-Za-z0-9_ ]+)$");
    int depth = 0;
    for (std::size_t i = 0; i < head.size(); ++i) {
        depth += head[i] == '<' ? 1 : head[i] == '>' ? -1 : 0;
        std::smatch match;
        const std::string before = head.substr(0, i);
        if (head[i] == '(' && depth == 0 && std::regex_search(before, match, name))
            return match.str();
    }
    return {};
}

bool saysReason(const File& file, std::size_t head)
{
    static const std::regex reason("^// In one piece: .*[a-z].*");
    for (std::size_t i = head; i > 0 && stripped(file.lines[i - 1]).starts_with("//"); --i) {
        if (std::regex_match(stripped(file.lines[i - 1]), reason))
            return true;
    }
    return false;
}

struct Declared {
    std::string name;
    std::size_t lines = 0;
};

/// The class that a line at the left margin begins to define.
std::optional<Declared> declaredAt(const File& file, std::size_t line)
{
    static const std::regex head("^(?:class|struct) ([A-Za-z_][A-Za-z0-9_:]*)(?: final)?(?: *:[^:].*)?(?: \\{)?$");
    std::smatch match;
    if (!std::regex_match(file.lines[line], match, head) || file.lines[line].ends_with(";"))
        return std::nullopt;
    const auto end = std::find_if(file.lines.begin() + std::ptrdiff_t(line), file.lines.end(),
        [](const std::string& each) { return each.starts_with("}"); });
    return Declared{match[1].str(), std::size_t(end - file.lines.begin()) - line + 1};
}

/// Where a class is known: in the folder of a header, in a source by itself.
std::string scopeOf(const File& file)
{
    return file.isHeader() ? file.path.substr(0, file.path.rfind('/')) : file.path;
}

using ClassTable = std::map<std::pair<std::string, std::string>, ClassSize>; ///< by scope and name

/// The class that a function is a member of; of a name in a namespace, what follows it.
ClassSize* ownerOf(ClassTable& classes, const File& file, const std::string& function)
{
    const std::size_t last = function.rfind("::");
    std::string name = last == std::string::npos ? std::string() : function.substr(0, last);
    while (!name.empty()) {
        for (const std::string& scope : {file.path, file.path.substr(0, file.path.rfind('/'))}) {
            if (const auto it = classes.find({scope, name}); it != classes.end())
                return &it->second;
        }
        const std::size_t next = name.find("::");
        name = next == std::string::npos ? std::string() : name.substr(next + 2);
    }
    return nullptr;
}

bool isTestClass(const ClassSize& each)
{
    return each.path.starts_with("tests/") && each.name.starts_with("Test");
}

std::string linesText(const std::string& what, int lines, int most)
{
    return what + " takes " + std::to_string(lines) + " lines, " + std::to_string(most) + " are allowed";
}

void addFunctionFaults(std::vector<SizeFault>& faults, const File& file)
{
    for (const FunctionSize& each : functionsOf(file)) {
        const int most = each.hasReason ? kMostLinesWithReason : kMostLinesOfFunction;
        if (each.lines > most)
            faults.push_back({file.path + " " + each.name,
                file.path + ":" + std::to_string(each.line) + ": " + linesText(each.name, each.lines, most)});
        else if (each.hasReason && each.lines <= kMostLinesOfFunction)
            faults.push_back({file.path + " " + each.name,
                file.path + ":" + std::to_string(each.line) + ": " + each.name + " is short: it needs no reason"});
    }
}

} // namespace

std::vector<FunctionSize> functionsOf(const File& file)
{
    std::vector<FunctionSize> functions;
    for (std::size_t open = 0; open < file.lines.size(); ++open) {
        if (stripped(file.lines[open]) != "{")
            continue;
        const std::string end = file.lines[open].substr(0, file.lines[open].find('{')) + "}";
        const auto close = std::find_if(file.lines.begin() + std::ptrdiff_t(open), file.lines.end(),
            [&](const std::string& line) { return line.starts_with(end); });
        std::size_t head = open;
        std::string text;
        while (head > 0 && !endsHead(file.lines[head - 1]))
            text = stripped(file.lines[--head]) + " " + text;
        const auto last = std::size_t(close - file.lines.begin());
        functions.push_back(
            {nameIn(text), static_cast<int>(head) + 1, static_cast<int>(last - head) + 1, saysReason(file, head)});
        open = last; // blocks inside are no functions
    }
    return functions;
}

std::vector<ClassSize> classesOf(const std::vector<File>& tree)
{
    ClassTable classes;
    for (const File& file : tree) {
        for (std::size_t i = 0; isMeasured(file) && i < file.lines.size(); ++i) {
            if (const auto declared = declaredAt(file, i))
                classes[{scopeOf(file), declared->name}] = {declared->name, file.path, int(declared->lines)};
        }
    }
    for (const File& file : tree) {
        if (!isMeasured(file))
            continue;
        for (const FunctionSize& each : functionsOf(file)) {
            if (ClassSize* owner = ownerOf(classes, file, each.name))
                owner->lines += each.lines;
        }
    }
    std::vector<ClassSize> result;
    for (const auto& [key, each] : classes)
        result.push_back(each);
    return result;
}

std::vector<SizeFault> sizeFaults(const std::vector<File>& tree)
{
    std::vector<SizeFault> faults;
    for (const File& file : tree) {
        if (!isMeasured(file))
            continue;
        addFunctionFaults(faults, file);
        const int lines = static_cast<int>(file.lines.size());
        if (file.isIn("tests") && lines > kMostLinesOfTestFile)
            faults.push_back({file.path, linesText(file.path + ": the file", lines, kMostLinesOfTestFile)});
    }
    for (const ClassSize& each : classesOf(tree)) {
        if (!isTestClass(each) && each.lines > kMostLinesOfClass)
            faults.push_back({each.path + " " + each.name,
                each.path + ": " + linesText("class " + each.name, each.lines, kMostLinesOfClass)});
    }
    return faults;
}

Faults columnFaults(const File& file)
{
    Faults faults;
    const bool measured = isMeasured(file) || (file.path.ends_with("CMakeLists.txt") && !file.isIn("resources"))
        || (file.isSource() && file.isIn("packaging"));
    for (std::size_t i = 0; measured && i < file.lines.size(); ++i) {
        const std::string& line = file.lines[i];
        const auto columns = static_cast<std::size_t>(
            std::count_if(line.begin(), line.end(), [](char c) { return (c & 0xc0) != 0x80; })); // of UTF-8
        if (columns > kMostColumns)
            faults.push_back(file.path + ":" + std::to_string(i + 1) + ": " + std::to_string(columns) + " columns, "
                + std::to_string(kMostColumns) + " are allowed");
    }
    return faults;
}

} // namespace stratoplan::house
