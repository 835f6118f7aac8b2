// SPDX-License-Identifier: Apache-2.0
#include "core/audit/measured_step.h"

#include <algorithm>
#include <map>
#include <span>

namespace stratoplan::audit {
namespace {

constexpr double kNanosecond = 1e-9;

bool isRing(Collective collective)
{
    return collective == Collective::AllReduce || collective == Collective::AllGather
        || collective == Collective::ReduceScatter || collective == Collective::Broadcast;
}

/// Whether ranks of this axis meet in groups of that size.
bool hasGroupsOf(Cause axis, int size, const parallel::Strategy& s)
{
    switch (axis) {
    case Cause::TensorParallel:
        return size == s.tp || (s.ep > 1 && s.etp > 1 && size == s.etp);
    case Cause::ContextParallel:
        return size == s.cp;
    default:
        return size == s.dp || size == s.dp * s.cp || size * s.ep == s.dp * s.cp || size == s.zeroShards
            || (s.zeroShards > 0 && size * s.zeroShards == s.dp * s.cp);
    }
}

Cause ofRing(int size, const parallel::Strategy& s)
{
    std::vector<Cause> axes;
    if (s.tp > 1)
        axes.push_back(Cause::TensorParallel);
    if (s.dp * s.cp > 1)
        axes.push_back(Cause::DataParallel);
    if (s.cp > 1 && s.contextMethod == parallel::ContextMethod::AllGather)
        axes.push_back(Cause::ContextParallel);
    if (size > 0)
        std::erase_if(axes, [&](Cause axis) { return !hasGroupsOf(axis, size, s); });
    return axes.size() == 1 ? axes.front() : Cause::OtherCommunication;
}

/// An event of the step: its moments, and what it counts for.
struct Edge {
    std::int64_t time = 0;
    Cause cause{};
    bool begins = false;
};

/// Adds what runs, moment by moment, to parts and lanes.
class Sweep {
public:
    Sweep(const StepWindow& window, std::vector<Edge> edges)
        : m_window(window)
        , m_edges(std::move(edges))
    {
        std::ranges::sort(m_edges, {}, &Edge::time);
    }

    void run(MeasuredStep& step)
    {
        std::int64_t now = m_window.start;
        for (const Edge& edge : m_edges) {
            pass(now, edge.time, step);
            now = edge.time;
            m_running[std::size_t(edge.cause)] += edge.begins ? 1 : -1;
        }
        pass(now, m_window.end, step);
        step.step = Seconds(double(m_window.length()) * kNanosecond);
        for (std::size_t i = 0; i < kCauses; ++i)
            step.causes.parts[i] = Seconds(double(m_parts[i]) * kNanosecond);
        for (std::size_t i = 0; i < kCommunications; ++i)
            step.causes.hidden[i] = Seconds(double(m_hidden[i]) * kNanosecond);
    }

private:
    /// The first of some that runs.
    [[nodiscard]] std::optional<Cause> first(std::size_t from, std::size_t count) const
    {
        for (std::size_t i = from; i < from + count; ++i)
            if (m_running[i] > 0)
                return Cause(i);
        return std::nullopt;
    }

    void pass(std::int64_t from, std::int64_t to, MeasuredStep& step)
    {
        if (to <= from)
            return;
        const auto computation = first(0, kComputations);
        const auto communication = first(kFirstCommunication, kCommunications);
        const bool copies = m_running[std::size_t(Cause::Copies)] > 0;
        const Cause cause = computation ? *computation
            : communication             ? *communication
            : copies                    ? Cause::Copies
                                        : Cause::Idle;
        m_parts[std::size_t(cause)] += to - from;
        if (computation && communication)
            m_hidden[std::size_t(*communication) - kFirstCommunication] += to - from;
        extend(step.lane, from, to, cause);
        if (communication)
            extend(step.communicationLane, from, to, *communication);
    }

    void extend(std::vector<LaneSlice>& lane, std::int64_t from, std::int64_t to, Cause cause) const
    {
        const double start = double(from - m_window.start) * kNanosecond;
        const double length = double(to - from) * kNanosecond;
        if (!lane.empty() && lane.back().cause == cause && lane.back().start + lane.back().seconds >= start - 1e-12)
            lane.back().seconds = start + length - lane.back().start;
        else
            lane.push_back({start, length, cause});
    }

    StepWindow m_window;
    std::vector<Edge> m_edges;
    std::array<int, kCauses> m_running{};
    std::array<std::int64_t, kCauses> m_parts{};
    std::array<std::int64_t, kCommunications> m_hidden{};
};

/// Of so many spans of equal length what most of each is, neighbours that are alike in one.
std::vector<LaneSlice> coarsened(const std::vector<LaneSlice>& lane, double step)
{
    if (lane.size() <= kMostLaneSlices)
        return lane;
    constexpr std::size_t kSpans = kMostLaneSlices / 2;
    const double span = step / double(kSpans);
    std::vector<std::array<double, kCauses>> shares(kSpans);
    for (const LaneSlice& slice : lane) {
        const double end = slice.start + slice.seconds;
        for (auto i = std::size_t(slice.start / span); i < kSpans && double(i) * span < end; ++i)
            shares[i][std::size_t(slice.cause)] +=
                std::min(end, double(i + 1) * span) - std::max(slice.start, double(i) * span);
    }
    std::vector<LaneSlice> result;
    for (std::size_t i = 0; i < kSpans; ++i) {
        const auto most = std::ranges::max_element(shares[i]);
        if (*most <= 0)
            continue;
        const auto cause = Cause(most - shares[i].begin());
        const double start = double(i) * span;
        if (!result.empty() && result.back().cause == cause
            && start - result.back().start - result.back().seconds < span / 2)
            result.back().seconds = start + span - result.back().start;
        else
            result.push_back({start, span, cause});
    }
    return result;
}

/// What each kernel of a profile counts for, worked out once a name and group.
class EventCauses {
public:
    EventCauses(const Profile& profile, const parallel::Strategy& strategy)
        : m_profile(profile)
        , m_strategy(strategy)
    {
        for (const std::string& name : profile.names)
            m_names.push_back(classifyKernel(name));
    }

    [[nodiscard]] const KernelName& name(const DeviceEvent& event) const { return m_names[event.name]; }

    [[nodiscard]] Cause operator()(const DeviceEvent& event)
    {
        if (event.isCopy)
            return Cause::Copies;
        switch (m_names[event.name].kind) {
        case KernelKind::Matmul:
            return Cause::Matmul;
        case KernelKind::Attention:
            return Cause::Attention;
        case KernelKind::Optimizer:
            return Cause::Optimizer;
        case KernelKind::Copies:
            return Cause::Copies;
        case KernelKind::OtherComputation:
            return Cause::OtherComputation;
        case KernelKind::Communication:
            break;
        }
        const auto [known, isNew] = m_known.try_emplace({event.name, event.group}, Cause{});
        if (isNew)
            known->second = communicationOf(m_profile.groups[event.group], m_profile.names[event.name], m_strategy);
        return known->second;
    }

private:
    const Profile& m_profile;
    const parallel::Strategy& m_strategy;
    std::vector<KernelName> m_names;
    std::map<std::pair<std::uint32_t, std::uint32_t>, Cause> m_known;
};

/// Kernels and collectives by what all their runs took.
class Totals {
public:
    explicit Totals(const Profile& profile)
        : m_profile(profile)
    {
    }

    void add(const DeviceEvent& event, Cause cause, double seconds)
    {
        KernelTotal& kernel = m_kernels[event.name];
        kernel.cause = cause;
        kernel.seconds += seconds;
        ++kernel.count;
        if (!isCommunication(cause))
            return;
        const std::string& named = m_profile.groups[event.group].collective;
        const Collective collective = collectiveOf(named.empty() ? m_profile.names[event.name] : named);
        CollectiveTotal& total = m_collectives[{collective, cause}];
        total = {collective, cause, total.seconds + seconds, total.count + 1};
    }

    void finish(MeasuredStep& step)
    {
        for (auto& [name, total] : m_kernels) {
            total.name = m_profile.names[name];
            step.kernels.push_back(std::move(total));
        }
        for (const auto& [place, total] : m_collectives)
            step.collectives.push_back(total);
        std::ranges::stable_sort(step.kernels, std::ranges::greater(), &KernelTotal::seconds);
        std::ranges::stable_sort(step.collectives, std::ranges::greater(), &CollectiveTotal::seconds);
        constexpr std::size_t kShown = 10;
        step.kernels.resize(std::min(step.kernels.size(), kShown));
    }

private:
    const Profile& m_profile;
    std::map<std::uint32_t, KernelTotal> m_kernels;
    std::map<std::pair<Collective, Cause>, CollectiveTotal> m_collectives;
};

} // namespace

Cause communicationOf(const CollectiveGroup& group, std::string_view kernel, const parallel::Strategy& s)
{
    if (const auto axis = axisOfGroup(group.description))
        return *axis;
    const Collective named = collectiveOf(group.collective);
    const Collective collective = named == Collective::Unknown ? collectiveOf(kernel) : named;
    const bool ringContext = s.cp > 1 && s.contextMethod == parallel::ContextMethod::Ring;
    const bool exchangesContext = s.cp > 1 && s.contextMethod == parallel::ContextMethod::Ulysses;
    if (isRing(collective))
        return ofRing(group.size, s);
    if (collective == Collective::AllToAll && (s.ep > 1) != exchangesContext)
        return s.ep > 1 ? Cause::ExpertParallel : Cause::ContextParallel;
    if (collective == Collective::SendRecv) { // NCCL runs exchanges between all as such, too
        const bool exchanges = named == Collective::Unknown && (s.ep > 1 || exchangesContext);
        if (int(s.pp > 1) + int(ringContext) + int(exchanges) == 1)
            return s.pp > 1                ? Cause::Pipeline
                : ringContext || s.ep == 1 ? Cause::ContextParallel
                                           : Cause::ExpertParallel;
    }
    return Cause::OtherCommunication;
}

MeasuredStep measuredStep(const Profile& profile, const parallel::Strategy& strategy)
{
    const std::int32_t device = busiestDevice(profile);
    const ProfiledSteps steps = profiledSteps(profile, device);
    const StepWindow& window = steps.steps[steps.median];
    MeasuredStep step;
    step.source = steps.source;
    step.number = window.number;
    step.device = profile.devices[std::size_t(device)];
    step.rank = profile.rank;
    step.worldSize = profile.worldSize;
    for (const StepWindow& each : steps.steps)
        step.steps.push_back(double(each.length()) * kNanosecond);
    EventCauses causes(profile, strategy);
    Totals totals(profile);
    std::vector<Edge> edges;
    for (const DeviceEvent& event : profile.events) {
        const std::int64_t start = std::max(event.start, window.start), end = std::min(event.end, window.end);
        if (event.device != device || end <= start)
            continue;
        const Cause cause = causes(event);
        edges.push_back({start, cause, true});
        edges.push_back({end, cause, false});
        totals.add(event, cause, double(end - start) * kNanosecond);
        step.attentionForward += causes.name(event).pass == AttentionPass::Forward;
        step.attentionBackward += causes.name(event).pass == AttentionPass::Backward;
    }
    Sweep(window, std::move(edges)).run(step);
    totals.finish(step);
    step.lane = coarsened(step.lane, step.step.value());
    step.communicationLane = coarsened(step.communicationLane, step.step.value());
    return step;
}

} // namespace stratoplan::audit
