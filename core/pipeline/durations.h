// SPDX-License-Identifier: Apache-2.0
// What each chunk pass of a pipeline takes and where it goes on, private to core/pipeline.
#pragma once

#include "core/pipeline/pipeline.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace stratoplan::pipeline::detail {

inline constexpr double kNotYet = -1; ///< before all times

/// What a chunk does that has its own work; nothing where those of a stage have equal shares of it.
inline const ChunkWork* ownChunk(const PipelineWork& work, std::size_t stage, int chunk)
{
    if (work.chunkWork.empty())
        return nullptr;
    const std::size_t index =
        stage * static_cast<std::size_t>(effectiveChunks(work.schedule, work.chunks)) + static_cast<std::size_t>(chunk);
    return &work.chunkWork[work.chunkOf.empty() ? index : work.chunkOf[index]];
}

/// Whether some stage divides boundary tensors otherwise than one that sends to it.
inline bool reshards(const PipelineWork& work)
{
    return std::any_of(work.stages.begin(), work.stages.end(),
        [](const StageWork& stage) { return (stage.reshardForward + stage.reshardBackward).value() > 0; });
}

/// One chunk of one stage, in seconds.
struct ChunkDurations {
    double forward = 0;
    double backward = 0; ///< whole
    double weightGradient = 0; ///< of it
    double recompute = 0; ///< of it
    double sendForward = 0, sendBackward = 0;
    double reshardForward = 0, reshardBackward = 0; ///< of what it sends, by the receiving stage
    double forwardTraffic = 0, backwardTraffic = 0; ///< of the passes, the input gradient alone: what a partner hides
    std::size_t virtualStage = 0;
    int next = -1, previous = -1; ///< stages; -1: the ends of the pipeline
    bool hasNext = false, hasPrevious = false;
    bool nextIsHere = false, previousIsHere = false; ///< on the same stage
    bool down = true; ///< the direction of activations
};

class Durations {
public:
    explicit Durations(const PipelineWork& work)
        : m_chunks(effectiveChunks(work.schedule, work.chunks))
        , m_route(shape(work.schedule), static_cast<int>(work.stages.size()), m_chunks)
    {
        m_table.reserve(work.stages.size() * static_cast<std::size_t>(m_chunks));
        for (int i = 0; i < static_cast<int>(work.stages.size()); ++i)
            for (int c = 0; c < m_chunks; ++c)
                m_table.push_back(chunkOf(work, i, c));
    }

    [[nodiscard]] int chunks() const { return m_chunks; }
    [[nodiscard]] const parallel::Route& route() const { return m_route; }
    [[nodiscard]] const ChunkDurations& chunk(std::size_t stage, int chunk) const
    {
        return m_table[stage * static_cast<std::size_t>(m_chunks) + static_cast<std::size_t>(chunk)];
    }
    [[nodiscard]] double durationOf(std::size_t stage, const PipelineStep& step) const
    {
        const ChunkDurations& d = chunk(stage, step.chunk);
        switch (step.kind) {
        case PassKind::Forward:
            return d.forward;
        case PassKind::Backward:
            return d.backward;
        case PassKind::InputGradient:
            return d.backward - d.weightGradient;
        case PassKind::WeightGradient:
            break;
        }
        return d.weightGradient;
    }

    /// Seconds that a pass of the stage takes less when it runs together with one the other way: its traffic hides
    /// behind what the other computes (DeepSeek-V3, arXiv 2412.19437, section 3.2.1).
    [[nodiscard]] double hiddenBehind(std::size_t stage, const PipelineStep& pass, const PipelineStep& partner) const
    {
        return std::min(traffic(stage, pass), durationOf(stage, partner) - traffic(stage, partner));
    }
    [[nodiscard]] double savedTogether(std::size_t stage, const PipelineStep& first, const PipelineStep& second) const
    {
        return hiddenBehind(stage, first, second) + hiddenBehind(stage, second, first);
    }
    /// What step `k` of the stage's program takes.
    [[nodiscard]] double inProgram(std::size_t stage, const StageProgram& program, std::size_t k) const
    {
        const PipelineStep& pass = program[k];
        if (pass.withNext)
            return durationOf(stage, pass) - hiddenBehind(stage, pass, program[k + 1]);
        return durationOf(stage, pass)
            - (k > 0 && program[k - 1].withNext ? hiddenBehind(stage, pass, program[k - 1]) : 0);
    }
    /// Recomputation in a backward pass of `seconds`: what a partner hides shortens both parts alike.
    [[nodiscard]] double recomputed(std::size_t stage, const PipelineStep& backward, double seconds) const
    {
        const double alone = durationOf(stage, backward);
        return alone > 0 ? chunk(stage, backward.chunk).recompute * (seconds / alone) : 0;
    }

private:
    [[nodiscard]] double traffic(std::size_t stage, const PipelineStep& pass) const
    {
        const ChunkDurations& d = chunk(stage, pass.chunk);
        return pass.kind == PassKind::Forward ? d.forwardTraffic : d.backwardTraffic;
    }

    [[nodiscard]] ChunkDurations chunkOf(const PipelineWork& work, int i, int c) const
    {
        const auto stage = static_cast<std::size_t>(i);
        const ChunkWork* const chunkWork = ownChunk(work, stage, c);
        const ChunkWork& w = chunkWork != nullptr ? *chunkWork : work.stages[stage];
        // Every micro-batch passes one of two chunks in a two-way schedule, and all of them in others.
        const double parts =
            chunkWork != nullptr || shape(work.schedule) == parallel::PipelineShape::TwoWay ? 1 : m_chunks;
        ChunkDurations d;
        d.forward = w.forward.value() / parts;
        d.backward = w.backward.value() / parts;
        d.weightGradient = std::min(w.weightGradient.value() / parts, d.backward);
        d.recompute = std::min(w.recompute.value() / parts, d.backward - d.weightGradient);
        d.forwardTraffic = std::min(w.forwardTraffic.value() / parts, d.forward);
        d.backwardTraffic = std::min(w.backwardTraffic.value() / parts, d.backward - d.weightGradient);
        d.virtualStage = static_cast<std::size_t>(m_route.virtualStage(i, c));
        d.down = m_route.runsDown(c);
        const auto next = m_route.next(i, c);
        const auto previous = m_route.previous(i, c);
        d.hasNext = next.has_value();
        d.hasPrevious = previous.has_value();
        d.next = next.value_or(-1);
        d.previous = previous.value_or(-1);
        // A loop of one stage hands on over its link to itself, as it always did; a turn of a V is no transfer.
        const bool loop = shape(work.schedule) == parallel::PipelineShape::Loop;
        d.nextIsHere = !loop && d.next == i;
        d.previousIsHere = !loop && d.previous == i;
        // The stages' own transfers are those of a loop: with the stage after it, and with the one before.
        const ChunkWork& transfers = loop ? work.stages[stage] : w;
        const bool swapped = chunkWork == nullptr && !d.down;
        d.sendForward = (swapped ? transfers.sendBackward : transfers.sendForward).value();
        d.sendBackward = (swapped ? transfers.sendForward : transfers.sendBackward).value();
        d.reshardForward = (swapped ? transfers.reshardBackward : transfers.reshardForward).value();
        d.reshardBackward = (swapped ? transfers.reshardForward : transfers.reshardBackward).value();
        return d;
    }

    int m_chunks;
    parallel::Route m_route;
    std::vector<ChunkDurations> m_table;
};

} // namespace stratoplan::pipeline::detail
