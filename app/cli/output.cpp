// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/output.h"

#include "core/exchange/estimate_json.h"
#include "core/exchange/json_text.h"
#include "core/narration/problems.h"
#include "core/units/unseen.h"

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <unistd.h>

namespace stratoplan::cli {

namespace {

using Json = nlohmann::ordered_json;

std::string_view key(exchange::DocumentError::Code code)
{
    switch (code) {
    case exchange::DocumentError::Code::Syntax:
        return "syntax";
    case exchange::DocumentError::Code::Schema:
    case exchange::DocumentError::Code::LayersNotModelled:
        return "schema";
    case exchange::DocumentError::Code::UnknownEntry:
        return "unknown_entry";
    case exchange::DocumentError::Code::NewerVersion:
        return "newer_version";
    case exchange::DocumentError::Code::Unreadable:
        return "unreadable";
    case exchange::DocumentError::Code::Unwritable:
        return "unwritable";
    case exchange::DocumentError::Code::UnknownField:
        return "unknown_field";
    }
    return "unknown";
}

void requireFinite(const Json& value, const std::string& place)
{
    if (value.is_number_float() && !std::isfinite(value.get<double>()))
        throw std::logic_error("the answer is not a number at " + place);
    if (value.is_structured()) {
        for (const auto& [name, member] : value.items())
            requireFinite(member, place + '/' + name);
    }
}

int refuseWith(const Json& problems, bool json)
{
    if (!json)
        return kBadInput;
    return deliverJson(Json{{"problems", problems}}, kBadInput);
}

} // namespace

std::string printable(std::string_view text)
{
    static constexpr char kHex[] = "0123456789abcdef";
    std::string result;
    for (const char c : withUnseenEscaped(text)) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte >= 0x20 && byte != 0x7F)
            result += c;
        else
            (result += "\\x") += {kHex[byte >> 4], kHex[byte & 15]};
    }
    return result;
}

int deliver(std::string_view text, int exitCode)
{
    while (!text.empty()) {
        const ssize_t written = ::write(STDOUT_FILENO, text.data(), text.size());
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0) {
            if (errno != EPIPE)
                complain(std::string("standard output: found \"") + std::strerror(errno)
                    + "\", expected a place that can be written");
            return kStopped;
        }
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    return exitCode;
}

int deliverJson(const Json& object, int exitCode)
{
    requireFinite(object, {});
    return deliver(exchange::prettyJson(object), exitCode);
}

void complain(std::string_view message, app::LogLevel level)
{
    const std::string line = printable(message);
    std::fprintf(stderr, "stratoplan-cli: %s\n", line.c_str());
    logToFile(level, line);
}

Json tell(const exchange::DocumentErrors& errors)
{
    Json problems = Json::array();
    for (const exchange::DocumentError& error : errors) {
        complain(describe(error));
        problems.push_back({{"code", std::string(key(error.code))}, {"severity", "error"}, {"where", error.pointer},
            {"message", describe(error)}, {"file", error.file}, {"found", error.found}, {"expected", error.expected},
            {"remedies", Json::array()}});
    }
    return problems;
}

int refuse(const exchange::DocumentErrors& errors, bool json)
{
    return refuseWith(tell(errors), json);
}

int refuse(const exchange::DocumentError& error, bool json)
{
    return refuse(exchange::DocumentErrors{error}, json);
}

int refuse(const std::vector<plan::Problem>& problems, const std::string& file, bool json)
{
    Json list = Json::array();
    for (const plan::Problem& problem : problems) {
        const std::string where = file + (problem.where.empty() ? "" : ": " + problem.where);
        complain(where + ": " + narration::describe(problem) + " [" + std::string(plan::key(problem.code)) + ']',
            problem.severity == plan::Severity::Error ? app::LogLevel::Error : app::LogLevel::Warning);
        for (const plan::Remedy& remedy : problem.remedies)
            complain(where + ": remedy: " + narration::describe(remedy));
        list.push_back(exchange::toJson(problem));
    }
    return refuseWith(list, json);
}

int refuse(const std::string& where, const std::string& found, const std::string& expected, bool json)
{
    const std::string message = where + ": found " + found + ", expected " + expected;
    complain(message);
    return refuseWith(Json::array({{{"code", "argument"}, {"severity", "error"}, {"where", where}, {"message", message},
                          {"found", found}, {"expected", expected}, {"remedies", Json::array()}}}),
        json);
}

int checkOutput(const std::string& file, bool json)
{
    const auto writable = file.empty() ? tl::expected<void, exchange::DocumentError>() : exchange::checkWritable(file);
    return writable ? kAnswered : refuse(writable.error(), json);
}

int checkOutputBeside(const std::string& read, const std::string& file, bool json)
{
    if (file == "-")
        return kAnswered;
    std::error_code ignored; // what cannot be compared is not the same file
    if (read != "-" && !file.empty() && std::filesystem::equivalent(read, file, ignored))
        return refuse(
            "--output", '"' + file + '"', "another file than the one that is read, which it would overwrite", json);
    return checkOutput(file, json);
}

int writeOutput(const std::string& file, std::string_view text, bool json)
{
    const auto written = exchange::writeFileAtomically(file, text);
    return written ? kAnswered : refuse(written.error(), json);
}

} // namespace stratoplan::cli
