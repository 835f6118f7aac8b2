// SPDX-License-Identifier: Apache-2.0
// What a profiler saw a device do: PyTorch's profiler (Kineto) and Chrome's trace format, plain or gzipped, and what
// `nsys stats --report cuda_gpu_trace` writes as CSV or JSON. Read as a stream: of a file only the events of devices
// are kept, 40 bytes each.
#pragma once

#include "core/audit/kernel_names.h"

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace stratoplan::audit {

/// One kernel or copy.
struct DeviceEvent {
    std::int64_t start = 0; ///< nanoseconds
    std::int64_t end = 0; ///< not before its start
    std::uint32_t name = 0; ///< index into Profile::names
    std::uint32_t group = 0; ///< of communication: index into Profile::groups
    std::int32_t device = 0; ///< index into Profile::devices
    std::int32_t stream = 0;
    bool isCopy = false;
};

/// What is told of collectives that run in one way.
struct CollectiveGroup {
    std::string collective; ///< as the profiler calls it; else empty
    std::string description; ///< of its process group; else empty
    int size = 0; ///< ranks of it; 0 = not told
    bool operator==(const CollectiveGroup&) const = default;
};

/// "ProfilerStep#7" of the profiler's schedule.
struct StepMark {
    std::int64_t start = 0; ///< nanoseconds
    std::int64_t end = 0;
    std::int64_t number = 0;
    bool onDevice = false; ///< as the device saw it, else as the host did
};

enum class ProfileFormat { ChromeTrace, NsysCsv, NsysJson };

struct Profile {
    ProfileFormat format = ProfileFormat::ChromeTrace;
    std::vector<DeviceEvent> events; ///< in the order of the file
    std::vector<std::string> names;
    std::vector<CollectiveGroup> groups; ///< the first one is empty
    std::vector<std::string> devices; ///< as the file names them
    std::vector<StepMark> marks;
    std::optional<int> rank; ///< of the process that was profiled
    std::optional<int> worldSize;
};

enum class ProfileFaultCode {
    Missing,
    Unreadable,
    BrokenGzip,
    Syntax, ///< text: what the parser last read
    TooDeep,
    NoTrace, ///< neither a trace nor a table of an Nsight report
    NoColumn, ///< text: the column that is missing
    Cell, ///< text: what stands there, column
    NoDeviceEvents,
    TooManyEvents, ///< limit
};

struct ProfileFault {
    ProfileFaultCode code{};
    std::string file;
    std::int64_t line = 0; ///< from 1; 0: the whole file
    std::int64_t column = 0; ///< from 1, bytes; 0: the whole line
    std::string text = {};
    std::string name = {}; ///< of a column
    std::int64_t limit = 0;
};

inline constexpr std::size_t kMostDeviceEvents = 20'000'000;

[[nodiscard]] tl::expected<Profile, ProfileFault> readProfile(const std::filesystem::path& path);
/// The same of a text that is not compressed; `file` is for messages.
[[nodiscard]] tl::expected<Profile, ProfileFault> readProfile(std::istream& text, const std::string& file);

} // namespace stratoplan::audit
