// SPDX-License-Identifier: GPL-3.0-or-later
// What the commands share: exit codes, the answer on standard output, complaints on standard error.
#pragma once

#include "app/logging.h"
#include "core/exchange/document.h"
#include "core/plan/problem.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace stratoplan::cli {

enum ExitCode { kAnswered = 0, kBug = 1, kBadInput = 2, kStopped = 3 };

/// Writes an answer to standard output, at once. kStopped if it cannot be delivered; silently if the reader has gone,
/// as `head` does.
[[nodiscard]] int deliver(std::string_view text, int exitCode = kAnswered);
/// The same for one JSON object. Throws std::logic_error if a number in it is not finite.
[[nodiscard]] int deliverJson(const nlohmann::ordered_json& object, int exitCode = kAnswered);

/// Control characters as \xNN: a file that is told of must not write to the terminal.
[[nodiscard]] std::string printable(std::string_view text);

/// One line on standard error, control characters escaped, with the program's name before it, and in the log file.
void complain(std::string_view message, app::LogLevel level = app::LogLevel::Error);

/// Every error as a line, and all of them as the "problems" of an answer.
[[nodiscard]] nlohmann::ordered_json tell(const exchange::DocumentErrors& errors);
/// Every error as a line, and with `json` also as { "problems": [ … ] } on standard output. Returns kBadInput.
int refuse(const exchange::DocumentErrors& errors, bool json);
int refuse(const exchange::DocumentError& error, bool json);
/// Problems of a plan, warnings included. `file` is how the person named the plan.
int refuse(const std::vector<plan::Problem>& problems, const std::string& file, bool json);
/// A bad argument. `where` is the flag or argument, "--schedule".
int refuse(const std::string& where, const std::string& found, const std::string& expected, bool json);

/// Whether a file can be written, asked before the work that is for it; none is asked for where `file` is empty. The
/// exit code of the refusal, or kAnswered.
[[nodiscard]] int checkOutput(const std::string& file, bool json);
/// The same of what would not replace the file that was read: that one, by whatever name, is refused. Either may be
/// "-".
[[nodiscard]] int checkOutputBeside(const std::string& read, const std::string& file, bool json);
/// Writes the file. The exit code of the refusal, or kAnswered.
[[nodiscard]] int writeOutput(const std::string& file, std::string_view text, bool json);

} // namespace stratoplan::cli
