// SPDX-License-Identifier: Apache-2.0
#include "core/exchange/trace.h"

#include "core/narration/pipelines.h"
#include "core/pipeline/timing_pass.h"
#include "core/units/sentence.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <limits>

namespace stratoplan::exchange {

namespace {

using Json = nlohmann::ordered_json;

constexpr double kMicroseconds = 1e6;
/// Times are kept as floats: where a slice follows another at once, its start may lie a few roundings before the
/// other's end.
constexpr double kRounding = 4.0 * std::numeric_limits<float>::epsilon();

enum class Track : std::uint8_t {
    Compute,
    SendForward,
    SendBackward,
    ReshardForward,
    ReshardBackward,
    GradientSync,
    Wait
};
constexpr int kTracks = static_cast<int>(Track::Wait) + 1;

struct SlicePlace {
    const char* category;
    Track track;
};

SlicePlace placeOf(pipeline::SliceKind kind)
{
    switch (kind) {
    case pipeline::SliceKind::Forward:
    case pipeline::SliceKind::Backward:
    case pipeline::SliceKind::WeightGradient:
    case pipeline::SliceKind::Recompute:
        return {"compute", Track::Compute};
    case pipeline::SliceKind::SendForward:
        return {"communication", Track::SendForward};
    case pipeline::SliceKind::SendBackward:
        return {"communication", Track::SendBackward};
    case pipeline::SliceKind::ReshardForward:
        return {"communication", Track::ReshardForward};
    case pipeline::SliceKind::ReshardBackward:
        return {"communication", Track::ReshardBackward};
    case pipeline::SliceKind::GradientSync:
        return {"communication", Track::GradientSync};
    case pipeline::SliceKind::Optimizer:
        return {"optimizer", Track::Compute};
    case pipeline::SliceKind::ParameterGather:
        return {"communication", Track::Compute};
    }
    return {"other", Track::Compute};
}

std::string nameOf(pipeline::SliceKind kind)
{
    return asSentence(std::string(narration::describe(kind)));
}

/// As the slices that it holds are called.
std::string nameOf(Track track)
{
    switch (track) {
    case Track::SendForward:
        return nameOf(pipeline::SliceKind::SendForward);
    case Track::SendBackward:
        return nameOf(pipeline::SliceKind::SendBackward);
    case Track::ReshardForward:
        return nameOf(pipeline::SliceKind::ReshardForward);
    case Track::ReshardBackward:
        return nameOf(pipeline::SliceKind::ReshardBackward);
    case Track::GradientSync:
        return nameOf(pipeline::SliceKind::GradientSync);
    case Track::Compute:
        return "Compute";
    case Track::Wait:
        break;
    }
    return "Wait";
}

/// Where a slice stands among the tracks of its stage.
struct Placed {
    const pipeline::Slice* slice = nullptr;
    int track = 0; ///< the thread of the event
    double start = 0;
    double end = 0;
};

/// The slices of one stage, by start, each on the first track of its kind that is free. Tracks beyond the first of a
/// kind are numbered on: kTracks apart.
std::vector<Placed> placed(const pipeline::Slice* first, const pipeline::Slice* last)
{
    std::vector<Placed> result;
    result.reserve(static_cast<std::size_t>(last - first));
    std::array<std::vector<std::size_t>, kTracks> latest; // by kind and number: what stands last on the track
    for (; first != last; ++first) {
        const auto kind = static_cast<std::size_t>(placeOf(first->kind).track);
        const double start = first->start;
        const double end = start + static_cast<double>(first->duration);
        std::vector<std::size_t>& tracks = latest[kind];
        std::size_t number = 0;
        while (number < tracks.size() && result[tracks[number]].end > start * (1 + kRounding))
            ++number;
        if (number < tracks.size()) {
            Placed& before = result[tracks[number]];
            before.end = std::min(before.end, std::max(before.start, start));
            tracks[number] = result.size();
        } else {
            tracks.push_back(result.size());
        }
        result.push_back({first, static_cast<int>(kind) + static_cast<int>(number) * kTracks, start, end});
    }
    return result;
}

/// Events are held as text only: there may be millions.
class TraceWriter {
public:
    explicit TraceWriter(std::string head)
        : m_text(std::move(head))
    {
    }

    void add(const Json& event)
    {
        m_text += m_separator;
        m_text += event.dump(-1, ' ', false, Json::error_handler_t::replace);
        m_separator = ',';
    }
    void label(const char* what, int stage, int track, const std::string& name)
    {
        add({{"name", what}, {"ph", "M"}, {"pid", stage}, {"tid", track}, {"args", {{"name", name}}}});
    }
    /// Viewers order processes and threads by this, not by number or name.
    void order(const char* what, int stage, int track, int place)
    {
        add({{"name", what}, {"ph", "M"}, {"pid", stage}, {"tid", track}, {"args", {{"sort_index", place}}}});
    }
    [[nodiscard]] std::string finish() &&
    {
        if (m_separator == '[')
            m_text += m_separator;
        m_text += "]}\n";
        return std::move(m_text);
    }

private:
    std::string m_text;
    char m_separator = '[';
};

void addSlice(TraceWriter& writer, const Placed& event, const cost::BoundaryTransfer* transfer)
{
    const pipeline::Slice& slice = *event.slice;
    const SlicePlace place = placeOf(slice.kind);
    Json arguments = Json::object();
    std::string title = nameOf(slice.kind);
    if (transfer) {
        if (transfer->reshards && transfer->gather <= Seconds{}) // on the way there
            title = nameOf(slice.kind == pipeline::SliceKind::SendForward ? pipeline::SliceKind::ReshardForward
                                                                          : pipeline::SliceKind::ReshardBackward);
        arguments["bytes"] = transfer->bytes.value();
    }
    if (slice.microBatch >= 0) {
        arguments["micro_batch"] = slice.microBatch;
        arguments["chunk"] = slice.chunk;
        title += ' ' + std::to_string(slice.microBatch);
    }
    writer.add({{"name", std::move(title)}, {"cat", place.category}, {"ph", "X"}, {"ts", event.start * kMicroseconds},
        {"dur", (event.end - event.start) * kMicroseconds}, {"pid", slice.stage}, {"tid", event.track},
        {"args", std::move(arguments)}});
}

void addWait(TraceWriter& writer, const pipeline::Wait& wait, const pipeline::Timeline& timeline)
{
    Json arguments{{"cause", key(wait.cause)}};
    if (wait.endedBy >= 0) {
        const pipeline::Slice& end = timeline.slices[static_cast<std::size_t>(wait.endedBy)];
        arguments["ended_by"] = narration::describe(end);
        arguments["ended_by_stage"] = end.stage;
    }
    writer.add({{"name", "Wait: " + std::string(key(wait.cause))}, {"cat", "wait"}, {"ph", "X"},
        {"ts", wait.start.value() * kMicroseconds}, {"dur", wait.duration.value() * kMicroseconds}, {"pid", wait.stage},
        {"tid", static_cast<int>(Track::Wait)}, {"args", std::move(arguments)}});
}

void addStage(TraceWriter& writer, int stage, const std::vector<Placed>& events, const pipeline::Timeline& timeline,
    const std::vector<pricing::StageBoundary>& boundaries)
{
    writer.label("process_name", stage, 0, "Stage " + std::to_string(stage));
    writer.order("process_sort_index", stage, 0, stage);
    std::vector<int> tracks;
    for (const Placed& event : events)
        tracks.push_back(event.track);
    const auto waitsHere = [&](const pipeline::Wait& wait) { return wait.stage == stage; };
    if (std::any_of(timeline.waits.begin(), timeline.waits.end(), waitsHere))
        tracks.push_back(static_cast<int>(Track::Wait));
    std::sort(tracks.begin(), tracks.end());
    tracks.erase(std::unique(tracks.begin(), tracks.end()), tracks.end());
    for (const int track : tracks) {
        const int number = track / kTracks;
        const std::string name = nameOf(Track(track % kTracks));
        writer.label("thread_name", stage, track, number > 0 ? name + ' ' + std::to_string(number + 1) : name);
        writer.order("thread_sort_index", stage, track, track % kTracks * static_cast<int>(tracks.size()) + number);
    }
    const parallel::Route route(timeline.shape, timeline.stages, timeline.chunks);
    for (const Placed& event : events)
        addSlice(writer, event, transferOf(*event.slice, route, boundaries));
}

} // namespace

std::string traceText(const std::string& planName, const pipeline::Timeline& timeline,
    const estimate::MemoryTimeline& memory, const std::vector<pricing::StageBoundary>& boundaries)
{
    const Json about{{"plan", planName}, {"step_s", timeline.step.value()}};
    TraceWriter writer(R"({"displayTimeUnit":"ms","otherData":)"
        + about.dump(-1, ' ', false, Json::error_handler_t::replace) + R"(,"traceEvents":)");
    const pipeline::Slice* from = timeline.slices.data();
    const pipeline::Slice* const end = from + timeline.slices.size();
    for (int stage = 0; stage < timeline.stages; ++stage) {
        const pipeline::Slice* const to =
            std::find_if(from, end, [&](const pipeline::Slice& s) { return s.stage != stage; });
        addStage(writer, stage, placed(from, to), timeline, boundaries);
        from = to;
    }
    for (const pipeline::Wait& wait : timeline.waits)
        addWait(writer, wait, timeline);
    for (std::size_t stage = 0; stage < memory.stages.size(); ++stage) {
        for (const estimate::MemoryPoint& point : memory.stages[stage].points)
            writer.add({{"name", "Memory"}, {"ph", "C"}, {"ts", point.at.value() * kMicroseconds}, {"pid", stage},
                {"tid", 0}, {"args", {{"GiB", point.bytes.value() / kGiB}}}});
    }
    return std::move(writer).finish();
}

} // namespace stratoplan::exchange
