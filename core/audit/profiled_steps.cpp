// SPDX-License-Identifier: Apache-2.0
#include "core/audit/measured_step.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

namespace stratoplan::audit {
namespace {

std::vector<const DeviceEvent*> eventsOf(const Profile& profile, std::int32_t device)
{
    std::vector<const DeviceEvent*> events;
    for (const DeviceEvent& event : profile.events)
        if (event.device == device)
            events.push_back(&event);
    std::ranges::stable_sort(events, {}, [](const DeviceEvent* event) { return event->start; });
    return events;
}

StepWindow rangeOf(const std::vector<const DeviceEvent*>& events)
{
    StepWindow range{std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()};
    for (const DeviceEvent* event : events) {
        range.start = std::min(range.start, event->start);
        range.end = std::max(range.end, event->end);
    }
    return range;
}

/// One mark a number, by number: a profiler writes one for every device and stream that a step ran on.
std::vector<StepMark> joined(const std::vector<StepMark>& marks)
{
    std::map<std::int64_t, StepMark> known;
    for (const StepMark& mark : marks) {
        StepMark& whole = known.try_emplace(mark.number, mark).first->second;
        whole.start = std::min(whole.start, mark.start);
        whole.end = std::max(whole.end, mark.end);
    }
    std::vector<StepMark> result;
    for (const auto& [number, mark] : known)
        result.push_back(mark);
    return result;
}

/// From mark to mark. Where marks lack between two, the first of them ends by itself.
std::vector<StepWindow> windowsOfMarks(std::vector<StepMark> marks, const StepWindow& range)
{
    std::ranges::stable_sort(marks, {}, &StepMark::start);
    std::vector<StepWindow> windows;
    for (std::size_t i = 0; i + 1 < marks.size(); ++i) {
        const bool follows = marks[i + 1].number == marks[i].number + 1;
        windows.push_back({marks[i].start, follows ? marks[i + 1].start : marks[i].end, marks[i].number});
    }
    if (marks.size() == 1) {
        const StepMark& only = marks.front();
        // Of what the host launched at its end the device runs some later.
        windows.push_back({only.start, only.onDevice ? only.end : std::max(only.end, range.end), only.number});
    }
    std::erase_if(windows, [](const StepWindow& window) { return window.length() <= 0; });
    return windows;
}

/// From the end of one run of optimizer kernels to that of the next. A run ends where computation of passes begins.
std::vector<StepWindow> windowsOfOptimizer(const Profile& profile, const std::vector<const DeviceEvent*>& events)
{
    std::vector<KernelKind> kinds;
    for (const std::string& name : profile.names)
        kinds.push_back(classifyKernel(name).kind);
    std::vector<std::int64_t> ends;
    std::optional<std::int64_t> end;
    for (const DeviceEvent* event : events) {
        const KernelKind kind = kinds[event->name];
        if (kind == KernelKind::Optimizer)
            end = std::max(end.value_or(event->end), event->end);
        else if (end && (kind == KernelKind::Matmul || kind == KernelKind::Attention)) {
            ends.push_back(*end);
            end.reset();
        }
    }
    if (end)
        ends.push_back(*end);
    std::vector<StepWindow> windows;
    for (std::size_t i = 0; i + 1 < ends.size(); ++i)
        windows.push_back({ends[i], ends[i + 1], std::int64_t(i)});
    return windows;
}

std::size_t medianOf(const std::vector<StepWindow>& steps)
{
    std::vector<std::size_t> order(steps.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return steps[i].length(); });
    return order[(order.size() - 1) / 2];
}

} // namespace

std::int32_t busiestDevice(const Profile& profile)
{
    std::vector<double> busy(std::max<std::size_t>(profile.devices.size(), 1)); // a count could overflow
    for (const DeviceEvent& event : profile.events)
        busy[std::size_t(event.device)] += double(event.end - event.start);
    return std::int32_t(std::ranges::max_element(busy) - busy.begin());
}

ProfiledSteps profiledSteps(const Profile& profile, std::int32_t device)
{
    const std::vector<const DeviceEvent*> events = eventsOf(profile, device);
    const StepWindow range = rangeOf(events);
    ProfiledSteps steps;
    for (const bool onDevice : {true, false}) {
        std::vector<StepMark> marks;
        std::ranges::copy_if(
            profile.marks, std::back_inserter(marks), [&](const StepMark& mark) { return mark.onDevice == onDevice; });
        steps.source = onDevice ? StepSource::DeviceMarks : StepSource::HostMarks;
        steps.steps = windowsOfMarks(joined(marks), range);
        if (!steps.steps.empty())
            break;
    }
    if (steps.steps.empty()) {
        steps.source = StepSource::OptimizerKernels;
        steps.steps = windowsOfOptimizer(profile, events);
    }
    if (steps.steps.empty()) {
        steps.source = StepSource::WholeRange;
        steps.steps = {range};
    }
    steps.median = medianOf(steps.steps);
    return steps;
}

} // namespace stratoplan::audit
