// SPDX-License-Identifier: Apache-2.0
// Chrome's trace format as PyTorch's profiler writes it (libkineto/src/output_json.cpp: microseconds, the category of
// an event in "cat", streams and collectives in "args"), and reports of Nsight Systems as JSON, event by event.
#include "core/audit/profile_builder.h"
#include "core/units/text.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <istream>
#include <limits>

namespace stratoplan::audit {
namespace {

using Json = nlohmann::json;

constexpr int kDeepest = 64;

/// What is read of one event.
struct Record {
    std::string name, category, phase, device, collective, group;
    std::optional<double> start, duration; ///< of a trace: microseconds
    std::optional<double> nsysStart, nsysDuration; ///< seconds
    int stream = 0, size = 0;
};

/// Held to what the type has room for.
int whole(double value)
{
    constexpr double kMost = std::numeric_limits<int>::max();
    return int(std::clamp(value, -kMost, kMost));
}

/// The number behind "ProfilerStep#".
std::optional<std::int64_t> stepNumber(std::string_view name)
{
    constexpr std::string_view kBegin = "ProfilerStep#";
    if (!name.starts_with(kBegin))
        return std::nullopt;
    std::int64_t number = 0;
    const std::string_view digits = name.substr(kBegin.size());
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return error == std::errc() ? std::optional(number) : std::nullopt;
}

class TraceHandler : public nlohmann::json_sax<Json> {
public:
    bool null() override { return true; }
    bool boolean(bool /*value*/) override { return true; }
    bool number_integer(number_integer_t value) override { return number(double(value)); }
    bool number_unsigned(number_unsigned_t value) override { return number(double(value)); }
    bool number_float(number_float_t value, const string_t& /*text*/) override { return number(value); }
    bool binary(binary_t& /*value*/) override { return false; }
    bool string(string_t& value) override;
    bool start_object(std::size_t /*elements*/) override;
    bool end_object() override;
    bool start_array(std::size_t /*elements*/) override;
    bool end_array() override
    {
        --m_depth;
        m_inEvents = m_inEvents && m_depth >= m_eventsDepth;
        return true;
    }
    bool key(string_t& value) override
    {
        m_key.swap(value);
        if (m_depth == 1)
            m_rootKey = m_key;
        return true;
    }
    bool parse_error(std::size_t position, const std::string& token, const nlohmann::detail::exception& error) override;

    ProfileBuilder builder;
    ProfileFault fault;
    bool hasEvents = false; ///< a list of them

private:
    bool number(double value);
    void text(std::string& value);
    /// Of an event whose object ended.
    bool take();
    bool takeNsys();
    [[nodiscard]] bool isOfEvent() const { return m_inEvents && m_depth == m_eventsDepth + 1; }
    [[nodiscard]] bool isOfArguments() const { return m_inArguments && m_depth == m_eventsDepth + 2; }

    Record m_record;
    std::string m_key, m_rootKey;
    int m_depth = 0;
    int m_eventsDepth = 0; ///< of the list of events
    bool m_inEvents = false;
    bool m_inArguments = false;
};

bool TraceHandler::start_object(std::size_t /*elements*/)
{
    if (isOfEvent())
        m_inArguments = m_key == "args";
    if (++m_depth > kDeepest) {
        fault.code = ProfileFaultCode::TooDeep;
        return false;
    }
    if (isOfEvent())
        m_record = {};
    return true;
}

bool TraceHandler::end_object()
{
    const bool ends = isOfEvent();
    --m_depth;
    return !ends || take();
}

bool TraceHandler::start_array(std::size_t /*elements*/)
{
    m_inArguments = m_inArguments && !isOfEvent();
    const bool isList = m_depth == 0 || (m_depth == 1 && m_rootKey == "traceEvents");
    if (++m_depth > kDeepest) {
        fault.code = ProfileFaultCode::TooDeep;
        return false;
    }
    if (isList && !m_inEvents) {
        m_inEvents = hasEvents = true;
        m_eventsDepth = m_depth;
    }
    return true;
}

bool TraceHandler::parse_error(
    std::size_t /*position*/, const std::string& token, const nlohmann::detail::exception& error)
{
    const std::string_view what = error.what();
    const auto after = [&](std::string_view word) {
        std::int64_t number = 0;
        if (const std::size_t at = what.find(word); at != std::string_view::npos)
            std::from_chars(what.data() + at + word.size(), what.data() + what.size(), number);
        return number;
    };
    fault = {ProfileFaultCode::Syntax, {}, after("at line "), after(", column "), shortened(token)};
    return false;
}

bool TraceHandler::number(double value)
{
    Record& r = m_record;
    if (isOfEvent()) {
        if (m_key == "ts")
            r.start = value;
        else if (m_key == "dur")
            r.duration = value;
        else if (m_key == "Strm")
            r.stream = whole(value);
        else if (const auto unit = unitOfColumn(m_key, "Start"))
            r.nsysStart = value * *unit;
        else if (const auto length = unitOfColumn(m_key, "Duration"))
            r.nsysDuration = value * *length;
    } else if (isOfArguments()) {
        if (m_key == "device")
            r.device = std::to_string(whole(value));
        else if (m_key == "stream")
            r.stream = whole(value);
        else if (m_key == "Group size")
            r.size = whole(value);
    } else if (m_depth == 2 && m_rootKey == "distributedInfo") {
        if (m_key == "rank")
            builder.profile.rank = whole(value);
        else if (m_key == "world_size")
            builder.profile.worldSize = whole(value);
    }
    return true;
}

bool TraceHandler::string(string_t& value)
{
    double parsed = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), parsed);
    const bool isWhole = !value.empty() && error == std::errc() && end == value.data() + value.size();
    if (isWhole && std::isfinite(parsed) && m_key != "name")
        return number(parsed); // times, where a writer quotes them
    text(value);
    return true;
}

void TraceHandler::text(std::string& value)
{
    Record& r = m_record;
    if (isOfEvent()) {
        if (m_key == "name" || m_key == "Name")
            r.name.swap(value);
        else if (m_key == "cat")
            r.category.swap(value);
        else if (m_key == "ph")
            r.phase.swap(value);
        else if (m_key == "Device")
            r.device.swap(value);
    } else if (isOfArguments()) {
        if (m_key == "Collective name")
            r.collective.swap(value);
        else if (m_key == "Process Group Description")
            r.group.swap(value);
    }
}

bool TraceHandler::takeNsys()
{
    builder.profile.format = ProfileFormat::NsysJson;
    DeviceEvent event;
    event.start = nanoseconds(*m_record.nsysStart, 1);
    event.end = nanoseconds(*m_record.nsysStart + *m_record.nsysDuration, 1);
    event.stream = m_record.stream;
    event.isCopy = m_record.name.starts_with("[CUDA mem");
    return builder.add(event, m_record.name, m_record.device);
}

bool TraceHandler::take()
{
    const Record& r = m_record;
    bool hasRoom = true;
    if (r.nsysStart && r.nsysDuration) {
        hasRoom = takeNsys();
    } else if (r.start && r.duration && (r.phase.empty() || r.phase == "X")) {
        constexpr double kMicrosecond = 1e-6;
        const std::int64_t start = nanoseconds(*r.start, kMicrosecond);
        const std::int64_t end = nanoseconds(*r.start + *r.duration, kMicrosecond);
        const auto isOf = [&](std::string_view category) {
            return r.category.size() == category.size() && containsWords(r.category, category);
        };
        const bool isKernel = isOf("kernel");
        const bool isCopy = isOf("gpu_memcpy") || isOf("gpu_memset") || isOf("memcpy") || isOf("memset");
        if (isKernel || isCopy)
            hasRoom = builder.add(
                {start, end, 0, builder.group({r.collective, r.group, r.size}), 0, r.stream, isCopy}, r.name, r.device);
        else if (const auto number = stepNumber(r.name))
            builder.profile.marks.push_back({start, end, *number, isOf("gpu_user_annotation")});
    }
    if (!hasRoom) {
        fault.code = ProfileFaultCode::TooManyEvents;
        fault.limit = kMostDeviceEvents;
    }
    return hasRoom;
}

} // namespace

tl::expected<Profile, ProfileFault> readTrace(std::istream& text, const std::string& file)
{
    TraceHandler handler;
    handler.fault.code = ProfileFaultCode::Syntax;
    if (!Json::sax_parse(text, &handler)) {
        handler.fault.file = file;
        return tl::unexpected(std::move(handler.fault));
    }
    if (!handler.hasEvents)
        return tl::unexpected(ProfileFault{ProfileFaultCode::NoTrace, file});
    return std::move(handler.builder.profile);
}

} // namespace stratoplan::audit
