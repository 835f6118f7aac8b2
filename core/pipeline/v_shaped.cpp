// SPDX-License-Identifier: Apache-2.0
#include "core/pipeline/v_shaped.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <deque>
#include <string_view>

namespace stratoplan::pipeline::detail {
namespace {

/// Appends passes by letter: F and f forward through the first and the second chunk, b and B the input gradients of the
/// second and the first, W the oldest weight gradient that is due. What the micro-batches do not reach for is left out.
class LetterWriter {
public:
    explicit LetterWriter(int microBatches)
        : m_microBatches(microBatches)
    {
        m_program.reserve(6 * static_cast<std::size_t>(microBatches));
    }

    void write(std::string_view letters, int times = 1)
    {
        for (; times > 0; --times)
            for (const char letter : letters)
                write(letter);
    }

    [[nodiscard]] bool left(char letter) const { return count(letter) < m_microBatches; }
    [[nodiscard]] int left(int chunk) const { return m_microBatches - m_forward[static_cast<std::size_t>(chunk)]; }
    [[nodiscard]] bool weightsDue() const { return !m_due.empty(); }
    [[nodiscard]] StageProgram take() { return std::move(m_program); }

private:
    [[nodiscard]] int count(char letter) const
    {
        switch (letter) {
        case 'F':
            return m_forward[0];
        case 'f':
            return m_forward[1];
        case 'B':
            return m_backward[0];
        default:
            return m_backward[1];
        }
    }

    void write(char letter)
    {
        if (letter == 'W') {
            if (m_due.empty())
                return;
            m_program.push_back(m_due.front());
            m_due.pop_front();
            return;
        }
        if (!left(letter))
            return;
        const bool forward = letter == 'F' || letter == 'f';
        const int chunk = letter == 'F' || letter == 'B' ? 0 : 1;
        int& counter = (forward ? m_forward : m_backward)[static_cast<std::size_t>(chunk)];
        m_program.push_back({forward ? PassKind::Forward : PassKind::InputGradient, chunk, counter});
        if (!forward)
            m_due.push_back({PassKind::WeightGradient, chunk, counter});
        ++counter;
    }

    int m_microBatches;
    std::array<int, 2> m_forward{}, m_backward{};
    std::deque<PipelineStep> m_due;
    StageProgram m_program;
};

} // namespace

// Phases of arXiv 2405.15362, figure 4, on a grid of equal passes: fill until 2p halves are held, keep them, drain.
StageProgram zbVProgram(int stages, int microBatches, int stage, int lookahead)
{
    const int behind = stages - 1 - stage;
    LetterWriter out(microBatches);
    out.write("F", 2 * behind);
    out.write("Ff", stage + 1 + lookahead);
    out.write("bWf", behind);
    while (out.left('F'))
        out.write("bWFBWf");
    out.write("bWBWf", out.left(1));
    while (out.left('b'))
        out.write("bB");
    while (out.left('B'))
        out.write("WB");
    while (out.weightsDue())
        out.write("W");
    return out.take();
}

double mostHeld(const StageProgram& program, double firstShare)
{
    std::array<int, 2> held{}; // whole numbers: no rounding adds up
    double most = 0;
    for (const PipelineStep& step : program) {
        int& ofChunk = held[static_cast<std::size_t>(step.chunk)];
        ofChunk += step.kind == PassKind::Forward;
        most = std::max(most, held[0] * firstShare + held[1] * (1 - firstShare));
        ofChunk -= step.kind == PassKind::Backward || step.kind == PassKind::WeightGradient;
    }
    return most;
}

} // namespace stratoplan::pipeline::detail
