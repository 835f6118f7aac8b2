// SPDX-License-Identifier: Apache-2.0
// `nsys stats --report cuda_gpu_trace --format csv`: what nsys says of its work, a heading, and a line for each kernel
// and copy. The unit stands in the heading: nanoseconds, or what --timeunit asked for.
#include "core/audit/profile_builder.h"
#include "core/units/csv.h"
#include "core/units/text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <istream>

namespace stratoplan::audit {
namespace {

struct NsysColumns {
    std::optional<std::size_t> start, duration, stream, device, name;
    double startUnit = 1e-9, durationUnit = 1e-9;
};

NsysColumns columnsOf(const std::vector<std::string>& heading)
{
    NsysColumns columns;
    for (std::size_t i = 0; i < heading.size(); ++i) {
        if (const auto unit = unitOfColumn(heading[i], "Start")) {
            columns.start = i;
            columns.startUnit = *unit;
        } else if (const auto length = unitOfColumn(heading[i], "Duration")) {
            columns.duration = i;
            columns.durationUnit = *length;
        } else if (heading[i] == "Strm") {
            columns.stream = i;
        } else if (heading[i] == "Device") {
            columns.device = i;
        } else if (heading[i] == "Name") {
            columns.name = i;
        }
    }
    return columns;
}

std::optional<double> numberOf(const std::string& cell)
{
    double value = 0;
    const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    const bool isWhole = !cell.empty() && error == std::errc() && end == cell.data() + cell.size();
    return isWhole && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

class NsysReader {
public:
    explicit NsysReader(const std::string& file)
        : m_file(file)
    {
        m_builder.profile.format = ProfileFormat::NsysCsv;
    }

    /// Of one line; a fault, or nothing.
    std::optional<ProfileFault> take(const std::string& text, std::int64_t line)
    {
        if (m_heading.empty())
            return takeHeading(text);
        const std::vector<std::string> cells = csvCells(text);
        if (cells.size() < m_heading.size()) // a blank line, or what nsys says at the end
            return std::nullopt;
        const auto fault = [&](std::size_t column) {
            return ProfileFault{ProfileFaultCode::Cell, m_file, line, 0, shortened(cells[column]), m_heading[column]};
        };
        const auto start = numberOf(cells[*m_columns.start]);
        if (!start)
            return fault(*m_columns.start);
        const auto duration = numberOf(cells[*m_columns.duration]);
        if (!duration || *duration < 0)
            return fault(*m_columns.duration);
        DeviceEvent event;
        event.start = nanoseconds(*start, m_columns.startUnit);
        event.end = std::min(event.start + nanoseconds(*duration, m_columns.durationUnit), kLastMoment);
        event.stream = m_columns.stream ? std::atoi(cells[*m_columns.stream].c_str()) : 0;
        const std::string& name = cells[*m_columns.name];
        event.isCopy = name.starts_with("[CUDA mem");
        if (!m_builder.add(event, name, m_columns.device ? cells[*m_columns.device] : std::string()))
            return ProfileFault{ProfileFaultCode::TooManyEvents, m_file, line, 0, {}, {}, kMostDeviceEvents};
        return std::nullopt;
    }

    tl::expected<Profile, ProfileFault> finish()
    {
        if (m_heading.empty())
            return tl::unexpected(ProfileFault{ProfileFaultCode::NoTrace, m_file});
        return std::move(m_builder.profile);
    }

private:
    std::optional<ProfileFault> takeHeading(const std::string& text)
    {
        std::vector<std::string> cells = csvCells(text);
        const NsysColumns columns = columnsOf(cells);
        if (!columns.start && !columns.duration)
            return std::nullopt; // before it
        for (const auto& [column, name] : {std::pair(columns.start, "Start (ns)"),
                 std::pair(columns.duration, "Duration (ns)"), std::pair(columns.name, "Name")})
            if (!column)
                return ProfileFault{ProfileFaultCode::NoColumn, m_file, 0, 0, shortened(text), name};
        m_columns = columns;
        m_heading = std::move(cells);
        return std::nullopt;
    }

    const std::string& m_file;
    ProfileBuilder m_builder;
    NsysColumns m_columns;
    std::vector<std::string> m_heading;
};

} // namespace

tl::expected<Profile, ProfileFault> readNsysTable(std::istream& text, const std::string& file)
{
    NsysReader reader(file);
    std::int64_t number = 0;
    for (std::string line; std::getline(text, line);) {
        ++number;
        if (!line.empty() && line.back() == '\r')
            line.pop_back();
        if (auto fault = reader.take(line, number))
            return tl::unexpected(std::move(*fault));
    }
    return reader.finish();
}

} // namespace stratoplan::audit
