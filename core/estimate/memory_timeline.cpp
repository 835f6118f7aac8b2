// SPDX-License-Identifier: Apache-2.0
#include "core/estimate/memory_timeline.h"

#include "core/cost/fleet.h"
#include "core/pricing/priced_stages.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <span>
#include <utility>

namespace stratoplan::estimate {
namespace {

/// Follows one stage from pass to pass.
class Follower {
public:
    Follower(const StageMemory& memory, int stage, const pipeline::Timeline& timeline)
        : m_bytes(memory.byLifetime)
        , m_chunks(timeline.chunks)
        , m_microBatches(timeline.microBatches)
        , m_splits(std::size_t(timeline.chunks) * std::size_t(timeline.microBatches))
    {
        const parallel::Route route(timeline.shape, timeline.stages, timeline.chunks);
        m_inFlight.resize(std::size_t(timeline.chunks));
        m_shares.assign(std::size_t(timeline.chunks), 1.0 / timeline.chunks);
        if (timeline.shape != parallel::PipelineShape::Loop)
            m_shares = {memory.firstChunkShare, 1 - memory.firstChunkShare};
        for (int chunk = 0; chunk < timeline.chunks; ++chunk)
            m_predicts.push_back(!route.next(stage, chunk).has_value());
        m_curve.peak.stage = stage;
        m_curve.points.push_back({Seconds{}, held()});
        m_curve.peak.bytes = held();
    }

    /// All slices of the stage, before it follows them: it has to know whose gradients of weights run on their own.
    void expect(std::span<const pipeline::Slice> slices)
    {
        m_curve.points.reserve(2 * slices.size() + 1);
        for (const pipeline::Slice& slice : slices)
            if (slice.kind == pipeline::SliceKind::WeightGradient)
                m_splits[passOf(slice)] = true;
    }

    void run(const pipeline::Slice& slice)
    {
        const bool predicts = slice.chunk < m_chunks && m_predicts[std::size_t(slice.chunk)];
        switch (slice.kind) {
        case pipeline::SliceKind::Forward:
            ++m_inFlight[std::size_t(slice.chunk)];
            m_predictions += predicts;
            pass(
                slice, cost::PeakMoment::Loss, m_bytes.pass + (predicts || sharesLoss(slice) ? m_bytes.loss : Bytes{}));
            break;
        case pipeline::SliceKind::Recompute:
        case pipeline::SliceKind::Backward:
            if (!m_backward) // a repeated forward pass opens the backward pass it belongs to
                m_predictions -= predicts;
            m_backward = slice.kind == pipeline::SliceKind::Recompute;
            m_inFlight[std::size_t(slice.chunk)] -= frees(slice); // from its end on
            pass(slice, cost::PeakMoment::Backward,
                m_bytes.pass + m_bytes.backward + (frees(slice) ? bytesOf(slice.chunk) : Bytes{}));
            break;
        case pipeline::SliceKind::WeightGradient:
            --m_inFlight[std::size_t(slice.chunk)];
            pass(slice, cost::PeakMoment::Backward, m_bytes.pass + bytesOf(slice.chunk));
            break;
        case pipeline::SliceKind::Optimizer:
            pass(slice, cost::PeakMoment::Optimizer, m_bytes.optimizer);
            break;
        default:
            break;
        }
    }

    [[nodiscard]] StageMemoryCurve take() { return std::move(m_curve); }

private:
    /// Whether the activations of a micro-batch go with the slice: the gradients of weights need them too.
    [[nodiscard]] bool frees(const pipeline::Slice& slice) const
    {
        return slice.kind == pipeline::SliceKind::WeightGradient
            || (slice.kind == pipeline::SliceKind::Backward && !m_splits[passOf(slice)]);
    }
    /// A stage without the end of the model has a loss where the vocabulary is divided: it works on it beside its last
    /// chunk.
    [[nodiscard]] bool sharesLoss(const pipeline::Slice& slice) const
    {
        return slice.chunk == m_chunks - 1 && std::ranges::find(m_predicts, true) == m_predicts.end();
    }
    [[nodiscard]] std::size_t passOf(const pipeline::Slice& slice) const
    {
        return std::size_t(slice.chunk) * std::size_t(m_microBatches) + std::size_t(slice.microBatch);
    }
    /// Activations of one pass through a chunk.
    [[nodiscard]] Bytes bytesOf(int chunk) const { return m_bytes.microBatch * m_shares[std::size_t(chunk)]; }
    /// Micro-batches held, in units of a whole stage's activations.
    [[nodiscard]] double microBatches() const
    {
        double sum = 0;
        for (std::size_t chunk = 0; chunk < m_inFlight.size(); ++chunk)
            sum += m_inFlight[chunk] * m_shares[chunk];
        return sum;
    }
    [[nodiscard]] Bytes held() const
    {
        return m_bytes.step + m_bytes.microBatch * microBatches() + m_bytes.prediction * m_predictions;
    }

    /// Holds `extra` on top of what stays after the slice while it runs.
    void pass(const pipeline::Slice& slice, cost::PeakMoment moment, Bytes extra)
    {
        const Seconds start = std::max(Seconds(double(slice.start)), m_curve.points.back().at);
        const Seconds end = std::max(Seconds(double(slice.start) + double(slice.duration)), start);
        const Bytes most = held() + extra;
        MemoryPeak& peak = m_curve.peak;
        if (most > peak.bytes * (1 + 1e-12)) { // sums of the same parts in another order are no new peak
            const bool heldToTheEnd = frees(slice);
            peak = {peak.stage, start, end - start, most, moment, slice.microBatch, slice.chunk,
                microBatches() + (heldToTheEnd ? m_shares[std::size_t(slice.chunk)] : 0)};
        }
        add(start, most);
        add(end, held());
    }

    void add(Seconds at, Bytes bytes)
    {
        std::vector<MemoryPoint>& points = m_curve.points;
        if (points.back().at == at)
            points.back().bytes = bytes;
        else if (points.back().bytes != bytes)
            points.push_back({at, bytes});
        // A point that was moved onto its predecessor's height says nothing.
        if (points.size() > 1 && points.back().bytes == points[points.size() - 2].bytes)
            points.pop_back();
    }

    const cost::LifetimeBytes& m_bytes;
    int m_chunks;
    int m_microBatches;
    std::vector<bool> m_splits; ///< by chunk and micro-batch: the gradient of weights runs on its own
    std::vector<bool> m_predicts; ///< chunks that end the model
    bool m_backward = false; ///< its repeated forward pass has run
    std::vector<int> m_inFlight; ///< passes, by chunk
    std::vector<double> m_shares; ///< of the stage's activations, by chunk
    int m_predictions = 0;
    StageMemoryCurve m_curve;
};

} // namespace

MemoryTimeline memoryTimeline(const Memory& memory, const pipeline::Timeline& timeline)
{
    assert(!memory.stages.empty() && int(memory.stages.size()) == timeline.stages);
    MemoryTimeline result;
    result.makespan = timeline.makespan;
    result.stages.reserve(memory.stages.size());
    auto slice = timeline.slices.begin();
    for (int stage = 0; stage < timeline.stages; ++stage) {
        const auto end =
            std::find_if(slice, timeline.slices.end(), [stage](const pipeline::Slice& s) { return s.stage != stage; });
        Follower follower(memory.stages[std::size_t(stage)], stage, timeline);
        follower.expect(std::span(slice, end));
        for (; slice != end; ++slice)
            follower.run(*slice);
        result.stages.push_back(follower.take());
        // The stage that fills most of what it has.
        StageMemoryCurve& curve = result.stages.back();
        curve.capacity = memory.stages[std::size_t(stage)].capacity;
        if (cost::fillsMore({curve.peak.bytes, curve.capacity}, {result.peak().bytes, result.capacity()}))
            result.peakStage = stage;
    }
    return result;
}

std::optional<MemoryPeak> memoryPeak(const Estimate& estimate)
{
    if (timelineSlices(estimate.pipeline) > pipeline::kMostSlices)
        return std::nullopt;
    return memoryTimeline(estimate.memory, simulate(estimate.pipeline)).peak();
}

Bytes heldAt(const MemoryTimeline& timeline, int stage, Seconds at)
{
    const std::vector<MemoryPoint>& points = timeline.stages[std::size_t(stage)].points;
    const auto after =
        std::upper_bound(points.begin(), points.end(), at, [](Seconds t, const MemoryPoint& p) { return t < p.at; });
    return after == points.begin() ? Bytes{} : std::prev(after)->bytes;
}

std::vector<cost::MemoryLedger> memoryLedgers(
    const plan::Plan& asked, const Estimate& estimate, const catalog::Catalog& catalog)
{
    plan::Plan plan = asked;
    plan.strategy = estimate.settled;
    cost::Fleet fleet(plan, catalog);
    const cost::Machine& machine = fleet.whole(plan.strategy).machine;
    std::vector<cost::MemoryLedger> ledgers;
    ledgers.reserve(std::size_t(plan.strategy.pp));
    std::map<int, workload::Workload> workloads; // by TP
    for (int i = 0; i < plan.strategy.pp; ++i) {
        const plan::Plan planOfStage = pricing::stagePlan(plan, i);
        auto known = workloads.find(planOfStage.strategy.tp);
        if (known == workloads.end())
            known =
                workloads.try_emplace(planOfStage.strategy.tp, pricing::lowered(planOfStage, machine).workload).first;
        ledgers.push_back(cost::memoryLedger(planOfStage, known->second, i));
    }
    return ledgers;
}

} // namespace stratoplan::estimate
