// SPDX-License-Identifier: GPL-3.0-or-later
// Arguments that cannot be read: where, what was found, what would be right.
#pragma once

#include <CLI/CLI.hpp>

#include <optional>
#include <string>

namespace stratoplan::cli {

/// The first word that is no flag, if it is no command. The exit code, or nothing.
[[nodiscard]] std::optional<int> refuseCommand(const CLI::App& program, int argc, char** argv);
/// The exit code.
[[nodiscard]] int refuseArguments(const CLI::App& program, const CLI::ParseError& fault, bool json);

[[nodiscard]] bool wantsJson(int argc, char** argv);
/// "a plan or project file" of "A plan or project file"; names such as JSON keep their capitals.
[[nodiscard]] std::string lowerFirst(std::string text);

} // namespace stratoplan::cli
