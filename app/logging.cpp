// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/logging.h"

#include "core/units/named.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <spdlog/sinks/rotating_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <vector>

namespace stratoplan::app {

namespace {

constexpr std::size_t kFileBytes = std::size_t{1} << 20;
constexpr std::size_t kFiles = 3;
std::atomic<bool> started = false; // until then the library would write to standard output
std::shared_ptr<spdlog::logger> fileOnly; // set once, before started; empty without a file

constexpr NameTable<LogLevel, 6> kKeys{{{LogLevel::Trace, "trace"}, {LogLevel::Debug, "debug"},
    {LogLevel::Info, "info"}, {LogLevel::Warning, "warning"}, {LogLevel::Error, "error"}, {LogLevel::Off, "off"}}};

spdlog::level::level_enum toSpdlog(LogLevel level)
{
    switch (level) {
    case LogLevel::Trace:
        return spdlog::level::trace;
    case LogLevel::Debug:
        return spdlog::level::debug;
    case LogLevel::Info:
        return spdlog::level::info;
    case LogLevel::Warning:
        return spdlog::level::warn;
    case LogLevel::Error:
        return spdlog::level::err;
    case LogLevel::Off:
        break;
    }
    return spdlog::level::off;
}

/// The state folder of the XDG base directory specification, which ignores relative values; empty if there is no home.
std::filesystem::path stateFolder()
{
    const auto absolute = [](const char* variable) {
        const char* const value = std::getenv(variable);
        return value && value[0] == '/' ? std::filesystem::path(value) : std::filesystem::path();
    };
    if (const auto state = absolute("XDG_STATE_HOME"); !state.empty())
        return state / "stratoplan";
    if (const auto home = absolute("HOME"); !home.empty())
        return home / ".local/state/stratoplan";
    return {};
}

std::shared_ptr<spdlog::sinks::sink> fileSink(const std::filesystem::path& file)
{
    // The specification asks for folders that only their owner may enter.
    const auto old = ::umask(077);
    std::error_code error;
    std::filesystem::create_directories(file.parent_path(), error);
    ::umask(old);
    if (error)
        throw std::filesystem::filesystem_error("cannot create the folder", file.parent_path(), error);
    return std::make_shared<spdlog::sinks::rotating_file_sink_mt>(file.string(), kFileBytes, kFiles);
}

} // namespace

std::optional<LogLevel> logLevelFromKey(std::string_view key)
{
    return valueIn(kKeys, key == "warn" ? "warning" : key);
}

std::string logLevelKeys()
{
    std::string text;
    for (const auto& [level, name] : kKeys)
        text.append(text.empty() ? "" : ", ").append(name);
    return text;
}

void startLogging(std::string_view program, LogLevel standardErrorLevel)
{
    const std::string name(program);
    auto standardError = std::make_shared<spdlog::sinks::stderr_sink_mt>();
    standardError->set_level(toSpdlog(standardErrorLevel));
    standardError->set_pattern("%n: %l: %v");
    std::vector<spdlog::sink_ptr> sinks{standardError};

    std::string trouble;
    const std::filesystem::path folder = stateFolder();
    if (folder.empty()) {
        trouble = "no log file: neither XDG_STATE_HOME nor HOME names a folder";
    } else {
        try {
            auto file = fileSink(folder / (name + ".log"));
            file->set_level(std::min(toSpdlog(LogLevel::Info), toSpdlog(standardErrorLevel)));
            file->set_pattern("%Y-%m-%dT%H:%M:%S.%e%z %P %l %v");
            fileOnly = std::make_shared<spdlog::logger>(name, file);
            fileOnly->set_level(spdlog::level::trace);
            fileOnly->flush_on(spdlog::level::warn);
            fileOnly->set_error_handler([](const std::string&) {});
            sinks.push_back(std::move(file));
        } catch (const std::exception& fault) { // boundary of the logging library
            trouble = std::string("no log file: ") + fault.what();
        }
    }
    auto logger = std::make_shared<spdlog::logger>(name, sinks.begin(), sinks.end());
    logger->set_level(std::min(toSpdlog(LogLevel::Info), toSpdlog(standardErrorLevel)));
    logger->flush_on(spdlog::level::warn);
    // A full disk must neither stop the program nor fill standard error with the library's own complaints.
    logger->set_error_handler([](const std::string&) {});
    spdlog::set_default_logger(std::move(logger));
    started = true;
    if (!trouble.empty())
        logWarning(trouble);
}

void flushLog()
{
    if (started)
        spdlog::default_logger_raw()->flush();
}

void logToFile(LogLevel level, std::string_view message)
{
    if (started && fileOnly)
        fileOnly->log(toSpdlog(level), spdlog::string_view_t(message.data(), message.size()));
}

void log(LogLevel level, std::string_view message)
{
    if (started)
        spdlog::default_logger_raw()->log(toSpdlog(level), spdlog::string_view_t(message.data(), message.size()));
    else if (level >= LogLevel::Warning && level != LogLevel::Off)
        std::fprintf(stderr, "%.*s\n", static_cast<int>(message.size()), message.data());
}

} // namespace stratoplan::app
