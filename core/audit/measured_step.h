// SPDX-License-Identifier: Apache-2.0
// One step of a profile, by what its seconds went to. Every moment counts once: for the computation that runs, else
// for the communication that nothing hides, else for a copy, else as idle. The parts add up to the step exactly.
#pragma once

#include "core/audit/profile.h"
#include "core/parallel/strategy.h"

#include <array>
#include <string>
#include <vector>

namespace stratoplan::audit {

/// By what steps are told from one another.
enum class StepSource {
    DeviceMarks, ///< ProfilerStep annotations, as the device saw them
    HostMarks, ///< the same as the host did
    OptimizerKernels, ///< each ends with one run of them
    WholeRange, ///< one step, from the first event to the last
};

struct StepWindow {
    std::int64_t start = 0; ///< nanoseconds
    std::int64_t end = 0;
    std::int64_t number = 0; ///< of the profiler's schedule, else from 0
    [[nodiscard]] std::int64_t length() const { return end - start; }
    bool operator==(const StepWindow&) const = default;
};

struct ProfiledSteps {
    StepSource source = StepSource::WholeRange;
    std::vector<StepWindow> steps; ///< whole ones, at least one, by their start
    std::size_t median = 0; ///< of them, by length
};
/// Steps reach from one mark to the next; the last mark's own end is one only where there is no other.
/// `device` is an index into profile.devices.
[[nodiscard]] ProfiledSteps profiledSteps(const Profile& profile, std::int32_t device);
/// The device on which most was running.
[[nodiscard]] std::int32_t busiestDevice(const Profile& profile);

/// Whose communication kernels are, as far as their process group, their collective and the degrees of the plan tell.
[[nodiscard]] Cause communicationOf(
    const CollectiveGroup& group, std::string_view kernel, const parallel::Strategy& strategy);

struct KernelTotal {
    std::string name;
    Cause cause{};
    double seconds = 0; ///< of all its runs in the step, whatever ran beside them
    std::int64_t count = 0;
};

struct CollectiveTotal {
    Collective collective{};
    Cause axis{};
    double seconds = 0;
    std::int64_t count = 0;
};

struct MeasuredStep {
    Seconds step{};
    CauseSeconds causes; ///< they total the step
    StepSource source{};
    std::int64_t number = 0; ///< of the step
    std::vector<double> steps; ///< seconds of each whole step of the profile
    std::string device;
    std::vector<KernelTotal> kernels; ///< the ten that took longest
    std::vector<CollectiveTotal> collectives; ///< the longest first
    std::int64_t attentionForward = 0, attentionBackward = 0; ///< runs of fused kernels
    std::vector<LaneSlice> lane; ///< what the seconds went to, in order, without gaps
    std::vector<LaneSlice> communicationLane; ///< all communication, hidden or not
    std::optional<int> rank, worldSize;
};

/// Slices of a lane at most; more are joined, each span for what most of it is.
inline constexpr std::size_t kMostLaneSlices = 4000;

/// The step of median length. Precondition: the profile has events.
[[nodiscard]] MeasuredStep measuredStep(const Profile& profile, const parallel::Strategy& strategy);

} // namespace stratoplan::audit
