// SPDX-License-Identifier: GPL-3.0-or-later
// The log of both programs: lines on standard error from the level asked for, and everything from "info" up in a
// rotating file, $XDG_STATE_HOME/stratoplan/PROGRAM.log (~/.local/state without it). Never on standard output.
// A thin own header: the logging library stays out of the files that log.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace stratoplan::app {

enum class LogLevel { Trace, Debug, Info, Warning, Error, Off };

/// "trace", "debug", "info", "warning" (or "warn"), "error", "off".
[[nodiscard]] std::optional<LogLevel> logLevelFromKey(std::string_view key);
/// All keys, for a usage message: "trace, debug, info, warning, error, off".
[[nodiscard]] std::string logLevelKeys();

/// Call once, first thing in main(), before any thread starts. A folder that cannot be written is told once as a
/// warning; the program goes on without the file.
void startLogging(std::string_view program, LogLevel standardErrorLevel);
/// Writes out what is buffered.
void flushLog();

/// For what a person has been told on standard error already: to the file only. Safe from any thread.
void logToFile(LogLevel level, std::string_view message);

/// Safe from any thread, before and after startLogging().
void log(LogLevel level, std::string_view message);
inline void logDebug(std::string_view message)
{
    log(LogLevel::Debug, message);
}
inline void logInfo(std::string_view message)
{
    log(LogLevel::Info, message);
}
inline void logWarning(std::string_view message)
{
    log(LogLevel::Warning, message);
}
inline void logError(std::string_view message)
{
    log(LogLevel::Error, message);
}

} // namespace stratoplan::app
