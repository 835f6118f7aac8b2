// SPDX-License-Identifier: Apache-2.0
#include "core/pipeline/v_shaped.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <deque>

namespace stratoplan::pipeline::detail {
namespace {

/// Appends passes of two phases: the chunk nearer to its end of the pipeline, and the one nearer to the middle.
class PhaseWriter {
public:
    PhaseWriter(bool mirrored, int offset)
        : m_mirrored(mirrored)
        , m_offset(offset)
    {
    }

    void forward(int phase, bool withNext = false) { append(PassKind::Forward, phase, m_forward, withNext); }
    void backward(int phase) { append(PassKind::Backward, phase, m_backward, false); }
    void inputGradient(int phase)
    {
        append(PassKind::InputGradient, phase, m_backward, false);
        m_due.push_back(m_program.back());
        m_due.back().kind = PassKind::WeightGradient;
    }
    void backward(int phase, bool split) { split ? inputGradient(phase) : backward(phase); }
    void weightGradient()
    {
        m_program.push_back(m_due.front());
        m_due.pop_front();
    }
    [[nodiscard]] StageProgram take() { return std::move(m_program); }

private:
    void append(PassKind kind, int phase, std::array<int, 2>& counts, bool withNext)
    {
        const int chunk = m_mirrored ? 1 - phase : phase;
        // Micro-batches of the second direction are numbered after those of the first.
        m_program.push_back({kind, chunk, counts[static_cast<std::size_t>(phase)]++ + chunk * m_offset, withNext});
    }

    bool m_mirrored;
    int m_offset;
    std::array<int, 2> m_forward{}, m_backward{};
    std::deque<PipelineStep> m_due;
    StageProgram m_program;
};

} // namespace

// The eight phases of DeepSeek's implementation. DualPipe-V is the half of it that lies on one side of the middle: the
// second phase goes on with the micro-batches of the first.
// In one piece: the eight phases of one order.
StageProgram dualPipeProgram(parallel::Schedule schedule, int stages, int microBatches, int stage)
{
    const bool twoWay = shape(schedule) == parallel::PipelineShape::TwoWay;
    const int half = twoWay ? stages / 2 : stages;
    const int perWay = twoWay ? microBatches / 2 : microBatches;
    const int rank = twoWay ? std::min(stage, stages - 1 - stage) : stage;
    const int behind = half - 1 - rank;
    PhaseWriter out(twoWay && stage >= half, twoWay ? perWay : 0);
    const auto repeat = [](int times, const auto& body) {
        for (int i = 0; i < times; ++i)
            body(i);
    };
    repeat(2 * behind, [&](int) { out.forward(0); });
    repeat(rank + 1, [&](int) {
        out.forward(0);
        out.forward(1);
    });
    repeat(behind, [&](int) {
        out.inputGradient(1);
        out.weightGradient();
        out.forward(1);
    });
    repeat(perWay - 2 * half + rank + 1, [&](int i) {
        out.forward(0, i > 0 || behind > 0); // the middle stages do not overlap their first pair
        out.backward(1);
        out.forward(1, true);
        out.backward(0);
    });
    repeat(behind, [&](int) {
        out.backward(1);
        out.forward(1, true);
        out.backward(0);
    });
    const int backwards = rank + 1;
    repeat(backwards, [&](int i) {
        out.backward(1, i > backwards / 2 || (i == backwards / 2 && rank % 2 == 1));
        out.backward(0, i >= backwards / 2);
    });
    repeat(behind, [&](int) {
        out.weightGradient();
        out.inputGradient(0);
    });
    repeat(rank + 1, [&](int) { out.weightGradient(); });
    return out.take();
}

} // namespace stratoplan::pipeline::detail
