// SPDX-License-Identifier: GPL-3.0-or-later
// The rules of the house (architecture: floors, licences, includes) as functions on one file of the tree. Each returns
// the sentences that say what is wrong; none if all is well.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace stratoplan::house {

/// One text file of the tree.
struct File {
    std::string path; ///< from the root of the tree: "core/plan/plan.h"
    std::vector<std::string> lines;

    [[nodiscard]] bool isSource() const; ///< C++ header or source
    [[nodiscard]] bool isHeader() const;
    [[nodiscard]] bool isIn(const std::string& folder) const; ///< below "core/plan"
};

/// An #include line: its number (from 1), the name, and whether it is written in quotes.
struct Include {
    int line = 0;
    std::string name;
    bool quoted = false;
};

[[nodiscard]] std::vector<File> readTree(const std::filesystem::path& root);
[[nodiscard]] std::vector<Include> includesOf(const File& file);

/// Floors of the house, lowest first; a folder includes folders of lower numbers and itself.
[[nodiscard]] const std::map<std::string, int>& floors();

using Faults = std::vector<std::string>;
[[nodiscard]] Faults floorFaults(const File& file); ///< a folder includes only what stands below it
[[nodiscard]] Faults foreignFaults(const File& file); ///< Qt, JSON and plotting headers only where they may stand
[[nodiscard]] Faults licenceFaults(const File& file); ///< SPDX line of the right licence
[[nodiscard]] Faults headerFaults(const File& file); ///< #pragma once, includes from the root, file names
[[nodiscard]] Faults namespaceFaults(const File& file); ///< what a folder declares is in the namespace of its name
[[nodiscard]] Faults localeFaults(const File& file); ///< numbers read and written as the locale pleases
[[nodiscard]] Faults nameFaults(const File& file); ///< names that do not say what they are
[[nodiscard]] Faults leftoverFaults(const File& file); ///< notes to self, paths of somebody's machine

} // namespace stratoplan::house
