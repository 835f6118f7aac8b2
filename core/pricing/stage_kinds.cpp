// SPDX-License-Identifier: Apache-2.0
#include "core/pricing/stage_kinds.h"

#include "core/parallel/route.h"

#include <algorithm>
#include <span>
#include <utility>

namespace stratoplan::pricing {
namespace {

class Sorter {
public:
    Sorter(parallel::Schedule schedule, const cost::Deployment* deployment)
        : m_loop(shape(schedule) == parallel::PipelineShape::Loop)
        , m_deployment(deployment)
    {
    }

    /// By stage its chunks.
    StageKinds sorted(const std::vector<std::vector<workload::StageLayout>>& stages)
    {
        const int p = int(stages.size());
        for (int i = 0; i < p; ++i) {
            StageKind kind{
                {}, {}, !m_loop && i == 0, !m_loop && i == p - 1, crosses(i), crosses(i == 0 ? p - 1 : i - 1), i};
            const std::vector<workload::StageLayout>& chunks = stages[std::size_t(i)];
            m_places.clear();
            for (std::size_t c = 0; c < chunks.size(); ++c) {
                kind.layout += chunks[c];
                if (chunks.size() > 1)
                    m_places.push_back(c > 0 && chunks[c] == chunks[c - 1] ? m_places.back() : placeOf(chunks[c]));
            }
            const auto known = std::find_if(m_result.kinds.begin(), m_result.kinds.end(), [&](const StageKind& other) {
                return kind.layout == other.layout && m_places == other.chunks && kind.first == other.first
                    && kind.last == other.last && kind.crossesForward == other.crossesForward
                    && kind.crossesBackward == other.crossesBackward && !sendsItsOwn();
            });
            const auto number = std::size_t(known - m_result.kinds.begin());
            m_result.kindOf.push_back(static_cast<std::uint16_t>(number));
            if (known == m_result.kinds.end()) {
                kind.chunks = m_places;
                sortChunks(kind);
                m_result.kinds.push_back(std::move(kind));
            }
            const std::vector<std::uint16_t>& ofKind = m_chunksOf[number];
            m_result.chunkOf.insert(m_result.chunkOf.end(), ofKind.begin(), ofKind.end());
        }
        return std::move(m_result);
    }

private:
    [[nodiscard]] int crosses(int from) const
    {
        return m_deployment != nullptr ? boundaryLevel(*m_deployment, from) : 0;
    }
    /// Whether every boundary is another one.
    [[nodiscard]] bool sendsItsOwn() const { return m_deployment != nullptr && m_deployment->sends != nullptr; }

    std::uint16_t placeOf(const workload::StageLayout& layout)
    {
        const auto known = std::find(m_result.layouts.begin(), m_result.layouts.end(), layout);
        const auto place = static_cast<std::uint16_t>(known - m_result.layouts.begin());
        if (known == m_result.layouts.end())
            m_result.layouts.push_back(layout);
        return place;
    }

    void sortChunks(StageKind& kind)
    {
        std::vector<ChunkKind>& all = m_result.chunks;
        kind.firstUnlike = all.size();
        std::vector<std::uint16_t>& places = m_chunksOf.emplace_back();
        for (std::size_t c = 0; c < kind.chunks.size(); ++c) {
            const auto begin = all.begin() + std::ptrdiff_t(kind.firstUnlike);
            const auto alike = m_loop
                ? std::find_if(begin, all.end(), [&](const ChunkKind& chunk) { return chunk.layout == kind.chunks[c]; })
                : all.end();
            places.push_back(static_cast<std::uint16_t>(alike - all.begin()));
            if (alike == all.end())
                all.push_back({kind.chunks[c], int(c), 1});
            else
                ++alike->times;
        }
        kind.unlike = all.size() - kind.firstUnlike;
    }

    bool m_loop;
    const cost::Deployment* m_deployment;
    StageKinds m_result;
    std::vector<std::uint16_t> m_places; ///< of the chunks of the stage in hand
    std::vector<std::vector<std::uint16_t>> m_chunksOf; ///< by kind, then chunk
};

} // namespace

StageKinds stageKinds(const plan::Plan& plan, const cost::Deployment* deployment)
{
    return Sorter(plan.strategy.schedule, deployment).sorted(workload::placeChunks(plan));
}

StageKinds stageKinds(const std::vector<std::vector<workload::StageLayout>>& chunks, const cost::Deployment& deployment)
{
    return Sorter(deployment.plan.strategy.schedule, &deployment).sorted(chunks);
}

StageKinds stageKinds(const std::vector<ChunkShares>& stages, const cost::Deployment& deployment)
{
    std::vector<std::vector<workload::StageLayout>> layouts;
    for (const ChunkShares& chunks : stages) {
        std::vector<workload::StageLayout>& stage = layouts.emplace_back();
        for (const StageShare& share : chunks) {
            workload::StageLayout& layout = stage.emplace_back();
            layout.denseLayers = share.denseLayers;
            layout.moeLayers = share.moeLayers;
            layout.predictionModules = share.predictionModules;
        }
    }
    layouts.front().front().embedding = true;
    layouts.back().back().head = true;
    return Sorter(parallel::Schedule::Interleaved, &deployment).sorted(layouts);
}

PricedKinds priceKinds(const plan::Plan& plan, const cost::Deployment& deployment, const workload::MicroBatchWork& work,
    MicroBatchCost cost, const StageKinds& split)
{
    addShardTraffic(deployment, work, cost);
    const parallel::Schedule schedule = plan.strategy.schedule;
    std::vector<StagePasses> plain; // by layout of a chunk
    plain.reserve(split.layouts.size());
    for (const workload::StageLayout& layout : split.layouts)
        plain.push_back(plainPasses(deployment, cost, work, layout));
    PricedKinds priced;
    priced.kinds.reserve(split.kinds.size());
    priced.chunks.reserve(split.chunks.size());
    for (const StageKind& kind : split.kinds) {
        PricedKinds::Kind& ofStages = priced.kinds.emplace_back();
        ofStages.layout = kind.layout;
        countParameters(plan, work, ofStages.layout);
        if (kind.chunks.empty()) {
            ofStages.passes = stagePasses(deployment, cost, ofStages.layout, work.boundary, kind.stage);
            continue;
        }
        const auto chunks = std::span(split.chunks).subspan(kind.firstUnlike, kind.unlike);
        Seconds all{};
        for (const ChunkKind& chunk : chunks)
            all += window(plain[chunk.layout]) * chunk.times;
        const Sends sends = sendsOf(deployment, work.boundary, kind.stage);
        StagePasses first, last; // in a loop any but the first sends as the last one does
        for (const ChunkKind& chunk : chunks) {
            StagePasses passes = plain[chunk.layout];
            addTraffic(deployment, cost, split.layouts[chunk.layout], sends, kind.stage, chunk.chunk,
                all - window(passes), passes);
            addChunks(schedule, passes, chunk.times, ofStages.passes);
            priced.chunks.push_back(chunkWork(passes));
            if (chunk.chunk == 0)
                first = passes;
            last = passes;
        }
        setTransfers(schedule, first, last, ofStages.passes);
    }
    return priced;
}

std::vector<int> stageNumbers(const parallel::Strategy& s)
{
    std::vector<int> numbers = s.stageLayers;
    for (int stage = 0; mixesRecompute(s) && stage < s.pp; ++stage) {
        const parallel::StageRecompute recompute = stageRecompute(s, stage);
        numbers.insert(numbers.end(), {-1 - int(recompute.others), recompute.full});
    }
    return numbers;
}

int vocabularyNumber(const parallel::Strategy& s)
{
    constexpr int kPlacements = 4;
    return vocabularyStages(s) > 1 ? s.pp * kPlacements + int(s.vocabularyPlacement) : 0;
}

} // namespace stratoplan::pricing
