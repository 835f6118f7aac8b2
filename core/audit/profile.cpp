// SPDX-License-Identifier: Apache-2.0
#include "core/audit/profile.h"

#include "core/audit/profile_builder.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <istream>
#include <streambuf>
#include <string_view>
#include <zlib.h>

namespace stratoplan::audit {
namespace {

/// The text of a file, unpacked where it is gzipped.
class GzipBuffer : public std::streambuf {
public:
    explicit GzipBuffer(const std::filesystem::path& path)
        : m_file(gzopen(path.c_str(), "rb"))
    {
    }
    ~GzipBuffer() override
    {
        if (m_file != nullptr)
            gzclose(m_file);
    }
    GzipBuffer(const GzipBuffer&) = delete;
    GzipBuffer& operator=(const GzipBuffer&) = delete;

    [[nodiscard]] bool isOpen() const { return m_file != nullptr; }
    /// Its end came before its time, or it is damaged.
    [[nodiscard]] bool isBroken() const
    {
        int error = Z_OK;
        if (m_file != nullptr)
            gzerror(m_file, &error);
        return error == Z_DATA_ERROR || error == Z_BUF_ERROR;
    }

protected:
    int_type underflow() override
    {
        if (m_file == nullptr)
            return traits_type::eof();
        const int read = gzread(m_file, m_buffer.data(), unsigned(m_buffer.size()));
        if (read <= 0)
            return traits_type::eof();
        setg(m_buffer.data(), m_buffer.data(), m_buffer.data() + read);
        return traits_type::to_int_type(m_buffer.front());
    }

private:
    gzFile m_file;
    std::array<char, 1 << 16> m_buffer{};
};

} // namespace

std::int64_t nanoseconds(double value, double unit)
{
    constexpr auto kMost = double(kLastMoment);
    return std::llround(std::clamp(value * (unit * 1e9), -kMost, kMost));
}

ProfileBuilder::ProfileBuilder()
{
    profile.groups.emplace_back();
    m_groups.try_emplace({"", "", 0}, 0);
}

bool ProfileBuilder::add(DeviceEvent event, const std::string& name, const std::string& device)
{
    if (profile.events.size() == kMostDeviceEvents)
        return false;
    const auto [known, isNew] = m_names.try_emplace(name, std::uint32_t(profile.names.size()));
    if (isNew)
        profile.names.push_back(name);
    const auto [place, isNewDevice] = m_devices.try_emplace(device, std::int32_t(profile.devices.size()));
    if (isNewDevice)
        profile.devices.push_back(device);
    event.name = known->second;
    event.device = place->second;
    event.end = std::max(event.end, event.start);
    profile.events.push_back(event);
    return true;
}

std::uint32_t ProfileBuilder::group(const CollectiveGroup& group)
{
    const auto [known, isNew] =
        m_groups.try_emplace({group.collective, group.description, group.size}, std::uint32_t(profile.groups.size()));
    if (isNew)
        profile.groups.push_back(group);
    return known->second;
}

std::optional<double> unitOfColumn(std::string_view column, std::string_view begin)
{
    constexpr std::array<std::pair<std::string_view, double>, 5> kUnits{
        {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}, {"sec", 1}}};
    if (!column.starts_with(begin))
        return std::nullopt;
    column.remove_prefix(begin.size());
    for (const auto& [name, unit] : kUnits)
        if (column == std::string(" (").append(name) + ')')
            return unit;
    return std::nullopt;
}

tl::expected<Profile, ProfileFault> readProfile(std::istream& text, const std::string& file)
{
    std::int64_t lines = 0;
    int first = text.peek();
    for (; std::isspace(first) != 0 || first == 0xEF || first == 0xBB || first == 0xBF; first = text.peek())
        lines += text.get() == '\n';
    auto profile = first == '{' || first == '[' ? readTrace(text, file) : readNsysTable(text, file);
    if (!profile && profile.error().line > 0)
        profile.error().line += lines;
    if (profile && profile->events.empty())
        return tl::unexpected(ProfileFault{ProfileFaultCode::NoDeviceEvents, file});
    return profile;
}

tl::expected<Profile, ProfileFault> readProfile(const std::filesystem::path& path)
{
    std::error_code error;
    const std::string file = path.string();
    if (!std::filesystem::exists(path, error))
        return tl::unexpected(ProfileFault{ProfileFaultCode::Missing, file});
    if (std::filesystem::is_directory(path, error))
        return tl::unexpected(ProfileFault{ProfileFaultCode::Unreadable, file});
    GzipBuffer buffer(path);
    if (!buffer.isOpen())
        return tl::unexpected(ProfileFault{ProfileFaultCode::Unreadable, file});
    std::istream text(&buffer);
    auto profile = readProfile(text, file);
    if (buffer.isBroken())
        return tl::unexpected(ProfileFault{ProfileFaultCode::BrokenGzip, file});
    return profile;
}

} // namespace stratoplan::audit
