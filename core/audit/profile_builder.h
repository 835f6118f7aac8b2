// SPDX-License-Identifier: Apache-2.0
// Collects what readers of all formats find. Private to core/audit.
#pragma once

#include "core/audit/profile.h"

#include <map>
#include <tuple>
#include <unordered_map>

namespace stratoplan::audit {

/// Nanoseconds before and behind which there are no moments: neither the time between two nor a time behind one
/// overflows.
inline constexpr std::int64_t kLastMoment = 4'000'000'000'000'000'000;

/// A nanosecond count from a number of some unit, which is held to what a count can be.
[[nodiscard]] std::int64_t nanoseconds(double value, double unit);

class ProfileBuilder {
public:
    ProfileBuilder();
    /// Whether there is room for it.
    [[nodiscard]] bool add(DeviceEvent event, const std::string& name, const std::string& device);
    [[nodiscard]] std::uint32_t group(const CollectiveGroup& group);

    Profile profile;

private:
    std::unordered_map<std::string, std::uint32_t> m_names;
    std::map<std::tuple<std::string, std::string, int>, std::uint32_t> m_groups;
    std::unordered_map<std::string, std::int32_t> m_devices;
};

/// "Start (ns)": the unit in seconds, of columns that begin so; nothing for others.
[[nodiscard]] std::optional<double> unitOfColumn(std::string_view column, std::string_view begin);

// Of a text in their format; `file` is for messages.
[[nodiscard]] tl::expected<Profile, ProfileFault> readTrace(std::istream& text, const std::string& file);
[[nodiscard]] tl::expected<Profile, ProfileFault> readNsysTable(std::istream& text, const std::string& file);

} // namespace stratoplan::audit
