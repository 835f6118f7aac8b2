// SPDX-License-Identifier: GPL-3.0-or-later
// How large things may be: lines are at most 120 columns wide, a function takes 40 lines, or 60 where a line above it
// says why it is in one piece, a class 400 with all that defines it, and a test class fits into a file of 800. They
// read the code as .clang-format writes it: a line of its own for the brace that opens a function, and for that which
// ends it.
#pragma once

#include "tests/house/rules.h"

namespace stratoplan::house {

/// A function definition.
struct FunctionSize {
    std::string name; ///< "Plan::check", as it is written there
    int line = 0; ///< of its first, from 1
    int lines = 0; ///< with its head
    bool hasReason = false; ///< a comment above it begins "In one piece: "
};
[[nodiscard]] std::vector<FunctionSize> functionsOf(const File& file);

/// A class: its declaration and the definitions of its members.
struct ClassSize {
    std::string name;
    std::string path; ///< of its declaration
    int lines = 0;
};
/// Members stand in the folder of the header that declares the class, or in the source that does.
[[nodiscard]] std::vector<ClassSize> classesOf(const std::vector<File>& tree);

/// One thing that is too large; `what` names it without its place in the file.
struct SizeFault {
    std::string what;
    std::string text;
};
[[nodiscard]] std::vector<SizeFault> sizeFaults(const std::vector<File>& tree);

[[nodiscard]] Faults columnFaults(const File& file);

} // namespace stratoplan::house
