// SPDX-License-Identifier: Apache-2.0
// V-Half and V-Min on a grid of equal passes (Qi et al., arXiv 2405.15362, section 3 and appendix A): the four passes
// of a micro-batch on a stage keep the places of the building block, a further micro-batch follows every six passes,
// and weight gradients take the places that stay free. When the last micro-batch has entered, places become free: what
// is left moves up as far as its inputs and the stage's own peak allow.
#include "core/pipeline/v_shaped.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <tuple>

namespace stratoplan::pipeline::detail {
namespace {

constexpr int kPeriod = 6;
constexpr int kPasses = 4; ///< forward through both chunks, input gradients of the second and the first
constexpr std::int8_t kFree = -1;

using Block = std::array<int, kPasses>;

/// Places of the first micro-batch. Looking ahead, its gradients come a period later for each further forward pass.
Block building(parallel::Schedule schedule, int p, int i, int lookahead)
{
    const int ahead = kPeriod * lookahead;
    if (schedule == parallel::Schedule::VMin) {
        const int gap = p % 3 == 0 ? 2 : 0;
        return {i, 2 * p - i - 1, 2 * p + gap + i + ahead, 4 * p + gap - i - 1 + ahead};
    }
    const int gap = p % 2 == 0 ? 3 : 0;
    return {2 * i, 3 * p - i - 2, 3 * p + gap + 2 * i - 1 + ahead, 6 * p + gap - i - 2 + ahead};
}

/// Micro-batches after which a pipeline has warmed up and shows its steady state before it drains.
int enough(int stages, int lookahead)
{
    return stages + lookahead + 8;
}

using ChunkCounts = std::array<int, 2>;

/// What a stage holds after `place`.
struct Held {
    int place = -1;
    ChunkCounts chunks{}; ///< from forward pass to weight gradient
    int due = 0; ///< weight gradients
    int weighed = -1; ///< place of the input gradient whose weight gradient ran last
};

/// What a stage has held at one time or another, of both chunks: whatever share of its activations each has, nothing
/// that stays under it takes more memory.
class Ceiling {
public:
    void add(const ChunkCounts& held)
    {
        m_second.resize(std::max(m_second.size(), std::size_t(held[0]) + 1));
        for (std::size_t first = 0; first <= std::size_t(held[0]); ++first)
            m_second[first] = std::max(m_second[first], held[1]);
    }
    [[nodiscard]] bool holds(const ChunkCounts& held) const
    {
        return std::size_t(held[0]) < m_second.size() && held[1] <= m_second[std::size_t(held[0])];
    }

private:
    std::vector<int> m_second; ///< by micro-batches of the first chunk: those of the second at most
};

/// The places of one stage.
class Row {
public:
    Row(const Block& block, int microBatches)
        : m_passes(static_cast<std::size_t>(block.back() + kPeriod * (microBatches - 1) + 1), kFree)
    {
        for (int k = 0; k < kPasses; ++k)
            for (int j = 0; j < microBatches; ++j)
                m_passes[static_cast<std::size_t>(block[std::size_t(k)] + kPeriod * j)] = static_cast<std::int8_t>(k);
    }

    [[nodiscard]] int length() const { return static_cast<int>(m_passes.size()); }
    [[nodiscard]] std::int8_t operator[](int place) const { return m_passes[static_cast<std::size_t>(place)]; }
    [[nodiscard]] bool isFree(int place) const { return (*this)[place] == kFree; }
    void move(int from, int to)
    {
        std::swap(m_passes[static_cast<std::size_t>(from)], m_passes[static_cast<std::size_t>(to)]);
    }

    /// Goes on to `place`, and tells `sink` of what is held after each forward pass; until that returns false.
    template <class Sink>
    bool hold(Held& held, int place, Sink&& sink) const
    {
        while (held.place < place) {
            const std::int8_t pass = (*this)[++held.place];
            if (pass == kFree) {
                if (held.due > 0)
                    weigh(held);
            } else if (pass < 2) {
                ++held.chunks[std::size_t(pass)];
                if (!sink(held.chunks))
                    return false;
            } else {
                ++held.due;
            }
        }
        return true;
    }
    [[nodiscard]] Ceiling ceiling() const
    {
        Ceiling ceiling;
        Held held;
        hold(held, length() - 1, [&](const ChunkCounts& chunks) {
            ceiling.add(chunks);
            return true;
        });
        return ceiling;
    }
    [[nodiscard]] bool staysUnder(const Ceiling& ceiling, Held from) const
    {
        return hold(from, length() - 1, [&](const ChunkCounts& chunks) { return ceiling.holds(chunks); });
    }

private:
    void weigh(Held& held) const
    {
        do
            ++held.weighed; // weight gradients run in the order of their input gradients
        while ((*this)[held.weighed] < 2);
        --held.chunks[std::size_t(3 - (*this)[held.weighed])];
        --held.due;
    }

    std::vector<std::int8_t> m_passes;
};

class Grid {
public:
    Grid(parallel::Schedule schedule, int stages, int microBatches, int lookahead)
        : m_stages(stages)
        , m_microBatches(microBatches)
        , m_entered(kPeriod * (microBatches - 1))
        , m_warm(building(schedule, stages, 0, lookahead).back())
    {
        for (int i = 0; i < stages; ++i) {
            const Block block = building(schedule, stages, i, lookahead);
            m_rows.emplace_back(block, microBatches);
            for (int k = 0; k < kPasses; ++k)
                for (int j = 0; j < microBatches; ++j)
                    m_places.push_back(block[std::size_t(k)] + kPeriod * j);
        }
    }

    /// Moves up what lies behind the last entry of a micro-batch and behind the warm-up.
    void drawTogether()
    {
        std::vector<std::tuple<int, int, int, int>> behind; // place, stage, pass, micro-batch
        const int last = std::max(m_entered, m_warm - 1);
        for (int i = 0; i < m_stages; ++i)
            for (int k = 0; k < kPasses; ++k)
                for (int j = 0; j < m_microBatches; ++j)
                    if (place(i, k, j) > last)
                        behind.emplace_back(place(i, k, j), i, k, j);
        std::sort(behind.begin(), behind.end());
        std::vector<Ceiling> ceilings;
        std::vector<Held> before(m_rows.size());
        for (std::size_t i = 0; i < m_rows.size(); ++i) {
            ceilings.push_back(m_rows[i].ceiling());
            const int unmoved = std::min(last - kPeriod, m_rows[i].length() - 1); // no pass moves further than that
            m_rows[i].hold(before[i], unmoved, [](const ChunkCounts&) { return true; });
        }
        for (const auto& [from, i, k, j] : behind) {
            Row& row = m_rows[std::size_t(i)];
            for (int to = earliest(i, k, j); to < from; ++to) {
                if (!row.isFree(to))
                    continue;
                row.move(from, to);
                if (row.staysUnder(ceilings[std::size_t(i)], before[std::size_t(i)])) {
                    place(i, k, j) = to;
                    break;
                }
                row.move(to, from);
            }
        }
    }

    /// With `more` micro-batches than the grid has, in its steady state.
    [[nodiscard]] StageProgram program(int stage, int more) const
    {
        const Row& row = m_rows[std::size_t(stage)];
        const int steady = m_entered - 2 * kPeriod; // begin of the period that is repeated
        StageProgram program;
        program.reserve(static_cast<std::size_t>(6 * (m_microBatches + more)));
        std::array<int, kPasses> counts{};
        std::deque<PipelineStep> due;
        std::size_t periodBegin = 0;
        const auto write = [&](int position) {
            const std::int8_t pass = position < row.length() ? row[position] : kFree;
            if (pass != kFree) {
                const bool forward = pass < 2;
                const int chunk = forward ? pass : 3 - pass;
                program.push_back(
                    {forward ? PassKind::Forward : PassKind::InputGradient, chunk, counts[std::size_t(pass)]++});
                if (!forward)
                    due.push_back({PassKind::WeightGradient, chunk, program.back().microBatch});
            } else if (!due.empty()) {
                program.push_back(due.front());
                due.pop_front();
            }
        };
        for (int position = 0; position < row.length() || !due.empty(); ++position) {
            if (position == steady)
                periodBegin = program.size();
            write(position);
            if (more > 0 && position == steady + kPeriod - 1) {
                repeat(program, periodBegin, more);
                for (int& count : counts)
                    count += more;
                for (PipelineStep& step : due)
                    step.microBatch += more;
            }
        }
        return program;
    }

private:
    [[nodiscard]] int& place(int i, int k, int j)
    {
        return m_places[std::size_t((i * kPasses + k) * m_microBatches + j)];
    }

    /// The first place after its inputs and after the same pass of the micro-batch before.
    [[nodiscard]] int earliest(int i, int k, int j)
    {
        int after = j > 0 ? place(i, k, j - 1) : -1;
        if (k > 0)
            after = std::max(after, place(i, k - 1, j));
        const bool down = k % 2 == 0;
        if (down ? i > 0 : i + 1 < m_stages)
            after = std::max(after, place(down ? i - 1 : i + 1, k, j));
        return after + 1;
    }

    static void repeat(StageProgram& program, std::size_t begin, int times)
    {
        const StageProgram period(program.begin() + static_cast<std::ptrdiff_t>(begin), program.end());
        for (int n = 1; n <= times; ++n) {
            for (PipelineStep step : period) {
                step.microBatch += n;
                program.push_back(step);
            }
        }
    }

    int m_stages;
    int m_microBatches;
    int m_entered; ///< place at which the last micro-batch enters the first stage
    int m_warm; ///< place at which the first one leaves it
    std::vector<Row> m_rows;
    std::vector<int> m_places; ///< by stage, pass and micro-batch
};

} // namespace

std::vector<StageProgram> blockPrograms(parallel::Schedule schedule, int stages, int microBatches, int lookahead)
{
    assert(schedule == parallel::Schedule::VHalf || schedule == parallel::Schedule::VMin);
    const int gridded = std::min(microBatches, enough(stages, lookahead));
    Grid grid(schedule, stages, gridded, lookahead);
    grid.drawTogether();
    std::vector<StageProgram> programs;
    programs.reserve(static_cast<std::size_t>(stages));
    for (int i = 0; i < stages; ++i)
        programs.push_back(grid.program(i, microBatches - gridded));
    return programs;
}

double blockPeak(parallel::Schedule schedule, int stages, int microBatches, int stage, int lookahead, double firstShare)
{
    const Row row(building(schedule, stages, stage, lookahead), std::min(microBatches, enough(stages, lookahead)));
    std::array<int, 2> held{};
    std::deque<std::size_t> due; // chunks of weight gradients
    double most = 0;
    for (int place = 0; place < row.length(); ++place) {
        const std::int8_t pass = row[place];
        if (pass == kFree && !due.empty()) {
            --held[due.front()];
            due.pop_front();
        } else if (pass == 0 || pass == 1) {
            ++held[static_cast<std::size_t>(pass)];
            most = std::max(most, held[0] * firstShare + held[1] * (1 - firstShare));
        } else if (pass != kFree) {
            due.push_back(static_cast<std::size_t>(3 - pass));
        }
    }
    return most;
}

} // namespace stratoplan::pipeline::detail
