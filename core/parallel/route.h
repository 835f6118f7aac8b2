// SPDX-License-Identifier: Apache-2.0
// How the chunks of a model lie on the stages of a pipeline, and the way of a micro-batch through them.
// Loop: stage i runs the chunks i, i + p, i + 2p, … (Narayanan et al., arXiv 2104.04473). V: stage i runs the i-th
// chunk from the front and the i-th from the back, so that both ends lie on the first stage (Qi et al., arXiv
// 2405.15362). Two-way: stage i runs the i-th chunk of micro-batches that go down the pipeline and the (p - 1 - i)-th
// of those that go up; it holds the parameters of both (DeepSeek-AI, arXiv 2412.19437, section 3.2.1).
#pragma once

#include "core/parallel/strategy.h"

#include <optional>

namespace stratoplan::parallel {

enum class PipelineShape { Loop, V, TwoWay };
[[nodiscard]] PipelineShape shape(Schedule schedule);

/// Chunks a schedule really uses: v for interleaved and breadth-first, two for V-shaped and two-way schedules, else 1.
[[nodiscard]] int effectiveChunks(Schedule schedule, int chunks);

/// The way of a micro-batch: its chunk passes are numbered by virtual stage.
class Route {
public:
    /// `chunks`: as the schedule uses them.
    Route(PipelineShape shape, int stages, int chunks)
        : m_shape(shape)
        , m_stages(stages)
        , m_chunks(chunks)
    {
    }
    /// Passes of one micro-batch, forward.
    [[nodiscard]] int length() const { return m_shape == PipelineShape::TwoWay ? m_stages : m_stages * m_chunks; }
    [[nodiscard]] bool isTwoWay() const { return m_shape == PipelineShape::TwoWay; }
    [[nodiscard]] int virtualStage(int stage, int chunk) const
    {
        const bool mirrored = m_shape != PipelineShape::Loop && chunk == 1;
        if (m_shape == PipelineShape::V)
            return mirrored ? 2 * m_stages - 1 - stage : stage;
        return mirrored ? m_stages - 1 - stage : chunk * m_stages + stage;
    }
    /// A place of a chunk.
    struct Place {
        int stage = 0, chunk = 0;
    };
    /// Where the pass `passed` of a micro-batch runs; `way`: 0, or 1 for one that goes up a two-way pipeline.
    [[nodiscard]] Place at(int passed, int way = 0) const
    {
        switch (m_shape) {
        case PipelineShape::TwoWay:
            return {way == 0 ? passed : m_stages - 1 - passed, way};
        case PipelineShape::V:
            return passed < m_stages ? Place{passed, 0} : Place{2 * m_stages - 1 - passed, 1};
        case PipelineShape::Loop:
            break;
        }
        return {passed % m_stages, passed / m_stages};
    }
    /// Whether activations of a chunk travel to the stage with the next higher number, or from the last to the first.
    [[nodiscard]] bool runsDown(int chunk) const { return m_shape == PipelineShape::Loop || chunk == 0; }
    /// The stage that runs what comes after a chunk of a stage, and before it; nothing at the end and the beginning.
    [[nodiscard]] std::optional<int> next(int stage, int chunk) const { return neighbour(stage, chunk, 1); }
    [[nodiscard]] std::optional<int> previous(int stage, int chunk) const { return neighbour(stage, chunk, -1); }

private:
    [[nodiscard]] std::optional<int> neighbour(int stage, int chunk, int by) const
    {
        const int there = virtualStage(stage, chunk) + by;
        if (there < 0 || there >= length())
            return std::nullopt;
        if (m_shape == PipelineShape::TwoWay)
            return chunk == 1 ? m_stages - 1 - there : there;
        if (m_shape == PipelineShape::V)
            return there < m_stages ? there : 2 * m_stages - 1 - there;
        return there % m_stages;
    }

    PipelineShape m_shape;
    int m_stages;
    int m_chunks;
};

/// Whether the schedule exists for so many stages and micro-batches. Interleaved with v > 1: p divides m; DualPipe: p
/// and m even, m >= 2p; DualPipe-V: m >= 2p.
[[nodiscard]] bool canSchedule(Schedule schedule, int stages, int chunks, int microBatches);

} // namespace stratoplan::parallel
