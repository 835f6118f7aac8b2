// SPDX-License-Identifier: Apache-2.0
#include "core/pipeline/alternating.h"

#include "core/pipeline/engine.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace stratoplan::pipeline::detail {
namespace {

/// Round u of stage i runs forward pass u - s i and backward pass u - w + i, where they exist: w the first stage's
/// warm-up, s = 1, or 0 where a stage warms up with just one pass more than the next. Then a forward pass needs what
/// the stage before has sent one round before (s = 0: in the same round), the first stage what the last one has, a
/// backward pass what the next stage has sent one round before, and the last stage what the first one has, or the loss
/// of the forward pass `lookahead` rounds before. All stages order their passes alike: by groups of p micro-batches,
/// chunk by chunk.
class Rounds {
public:
    explicit Rounds(const PipelineWork& work)
        : m_work(work)
        , m_stages(std::ptrdiff_t(work.stages.size()))
        , m_chunks(effectiveChunks(work.schedule, work.chunks))
        , m_passes(std::ptrdiff_t{work.microBatches} * m_chunks)
        , m_skew(work.schedule == parallel::Schedule::EagerOneFOneB || m_chunks > 1 ? 1 : 0)
        , m_warmUp((m_skew + 1) * (m_stages - 1) + (m_chunks - 1) * m_stages + work.lookahead)
        , m_period(m_chunks > 1 ? m_chunks * m_stages : 1)
        , m_unlike(!work.chunkWork.empty())
        , m_losses(work.lookahead + 1)
        , m_loss(work.loss.value())
        , m_times(std::size_t((kArrays + (m_unlike ? 2 * m_chunks : 0)) * m_stages + m_losses))
    {
        double* array = m_times.data();
        for (double** each : {&m_forward, &m_backward, &m_sendForward, &m_sendBackward, &m_sentActivation,
                 &m_sentGradient, &m_activation, &m_gradient, &m_free, &m_down, &m_up})
            *each = std::exchange(array, array + m_stages);
        for (double** each : {&m_forwardOf, &m_backwardOf})
            *each = std::exchange(array, array + (m_unlike ? m_chunks * m_stages : 0));
        m_lost = array;
        if (work.timing.onePort)
            m_up = m_down;
        for (std::ptrdiff_t i = 0; i < m_stages; ++i) {
            const StageWork& stage = work.stages[std::size_t(i)];
            if (m_unlike) {
                for (std::ptrdiff_t c = 0; c < m_chunks; ++c) {
                    const ChunkWork& chunkWork = *ownChunk(work, std::size_t(i), int(c));
                    m_forwardOf[c * m_stages + i] = chunkWork.forward.value();
                    m_backwardOf[(m_chunks - 1 - c) * m_stages + i] = chunkWork.backward.value();
                }
            }
            m_forward[i] = m_unlike ? m_forwardOf[i] : stage.forward.value() / double(m_chunks);
            m_backward[i] = m_unlike ? m_backwardOf[i] : stage.backward.value() / double(m_chunks);
            m_sendForward[i] = stage.sendForward.value();
            m_sendBackward[i] = stage.sendBackward.value();
        }
    }

    Rounds(const Rounds&) = delete; // it points into itself
    Rounds& operator=(const Rounds&) = delete;

    std::optional<AlternatingStep> step(Leap leap, double mostRounds)
    {
        AlternatingStep result;
        std::ptrdiff_t ran = 0;
        std::ptrdiff_t compared = m_warmUp; // from this round on every stage runs both passes
        for (std::ptrdiff_t round = 0; round < m_passes + m_warmUp; ++round) {
            if (double(++ran) > mostRounds)
                return std::nullopt;
            runForward(round);
            runBackward(round);
            advance(m_ahead);
            if (round + m_stages > m_warmUp)
                advance(m_back);
            if (leap == Leap::Never || result.leapt || round != compared)
                continue;
            const std::ptrdiff_t skipped = leapFrom(round);
            result.leapt = skipped > 0;
            round += skipped;
            compared += m_period;
        }
        for (std::ptrdiff_t i = 0; i < m_stages; ++i) {
            result.seconds = std::max(result.seconds, endAfter(m_free[i], m_work.stages[std::size_t(i)]));
        }
        return result;
    }

private:
    static constexpr std::ptrdiff_t kArrays = 11; ///< but for those by chunk

    void forward(std::ptrdiff_t i, double arrival) { m_free[i] = std::max(m_free[i], arrival) + m_forward[i]; }
    void backward(std::ptrdiff_t i, double arrival) { m_free[i] = std::max(m_free[i], arrival) + m_backward[i]; }
    void sendActivation(std::ptrdiff_t i)
    {
        m_activation[i] = m_down[i] = std::max(m_free[i], m_down[i]) + m_sendForward[i];
    }
    void sendGradient(std::ptrdiff_t i) { m_gradient[i] = m_up[i] = std::max(m_free[i], m_up[i]) + m_sendBackward[i]; }

    /// Where a stage is in its passes one way: by groups of p micro-batches.
    struct Place {
        std::ptrdiff_t inGroup = 0;
        std::ptrdiff_t chunk = 0; ///< in the order of the passes
    };
    void advance(Place& place) const
    {
        if (++place.inGroup < m_stages)
            return;
        place.inGroup = 0;
        place.chunk = place.chunk + 1 < m_chunks ? place.chunk + 1 : 0;
    }
    /// The chunk of the stage at the other end, p - 1 passes behind.
    [[nodiscard]] std::ptrdiff_t chunkBehind(const Place& place) const
    {
        return place.inGroup + 1 == m_stages ? place.chunk : (place.chunk > 0 ? place.chunk : m_chunks) - 1;
    }
    /// Where stages have unlike chunks one of them comes to its next one in each round. Most are alike: what is not
    /// written can be read at once.
    void turn(const Place& place, std::ptrdiff_t stage, double* seconds, const double* ofChunk) const
    {
        if (!m_unlike)
            return;
        const double next = ofChunk[place.chunk * m_stages + stage];
        if (seconds[stage] != next)
            seconds[stage] = next;
    }

    void runForward(std::ptrdiff_t round)
    {
        std::shift_right(m_lost, m_lost + m_losses, 1);
        const std::ptrdiff_t end = m_stages - 1;
        *m_lost = m_free[end]; // nobody asks for it unless there is a loss
        if (m_skew == 1)
            std::swap(m_activation, m_sentActivation);
        else if (round >= m_passes)
            return;
        const double* const arrived = m_skew == 1 ? m_sentActivation : m_activation;
        const std::ptrdiff_t first = m_skew == 1 ? std::max(std::ptrdiff_t{0}, round - m_passes + 1) : 0;
        const std::ptrdiff_t last = m_skew == 1 ? std::min(end, round) : end;
        turn(m_ahead, m_ahead.inGroup, m_forward, m_forwardOf);
        if (first == 0) {
            forward(0, m_ahead.chunk > 0 ? arrived[end] : 0);
            sendActivation(0);
        }
        for (std::ptrdiff_t i = std::max(first, std::ptrdiff_t{1}); i <= std::min(last, end - 1); ++i) {
            forward(i, arrived[i - 1]);
            sendActivation(i);
        }
        if (first > end || last < end)
            return;
        forward(end, arrived[end - 1]);
        if (chunkBehind(m_ahead) < m_chunks - 1) {
            sendActivation(end);
        } else {
            *m_lost = m_free[end] + m_loss;
            m_activation[end] = m_free[end]; // nobody asks for it
        }
    }

    void runBackward(std::ptrdiff_t round)
    {
        std::swap(m_gradient, m_sentGradient);
        const double* const arrived = m_sentGradient;
        const std::ptrdiff_t end = m_stages - 1;
        const std::ptrdiff_t first = std::max(std::ptrdiff_t{0}, m_warmUp - round);
        const std::ptrdiff_t last = std::min(end, m_passes - 1 + m_warmUp - round);
        turn(m_back, end - m_back.inGroup, m_backward, m_backwardOf);
        if (first == 0) {
            backward(0, arrived[1]);
            if (chunkBehind(m_back) < m_chunks - 1) // gradients come back from the last chunk on
                sendGradient(0);
            else
                m_gradient[0] = m_free[0]; // nobody asks for it
        }
        for (std::ptrdiff_t i = std::max(first, std::ptrdiff_t{1}); i <= std::min(last, end - 1); ++i) {
            backward(i, arrived[i + 1]);
            sendGradient(i);
        }
        if (first > end || last < end)
            return;
        backward(end, m_back.chunk == 0 ? m_lost[m_losses - 1] : arrived[0]);
        sendGradient(end);
    }

    /// The times that rounds to come depend on. Without chunks nothing is sent from the last stage on and from the
    /// first one back.
    [[nodiscard]] std::vector<std::span<double>> state() const
    {
        const std::ptrdiff_t ends = m_chunks > 1 ? 0 : 1;
        const auto part = [](double* array, std::ptrdiff_t first, std::ptrdiff_t last) {
            return std::span(array + first, array + last);
        };
        std::vector<std::span<double>> parts{part(m_free, 0, m_stages), part(m_activation, 0, m_stages - ends),
            part(m_gradient, ends, m_stages), part(m_lost, 0, m_losses)};
        if (m_up == m_down)
            parts.push_back(part(m_down, 0, m_stages));
        else
            parts.insert(parts.end(), {part(m_down, 0, m_stages - ends), part(m_up, ends, m_stages)});
        return parts;
    }

    /// Rounds that are left out after this one, if the whole state has moved by one time since it was kept: a round is
    /// made of sums and maxima alone, so that as many more periods move it as far again. It may repeat only every so
    /// many periods: it is kept anew after 1, 2, 4, … of them, which finds any number (Brent, BIT 20, 1980).
    std::ptrdiff_t leapFrom(std::ptrdiff_t round)
    {
        if (3 * (m_passes - 1 - round) < 2 * m_passes)
            return 0;
        const std::vector<std::span<double>> parts = state();
        std::vector<double> now;
        now.reserve(m_times.size());
        for (const std::span<double> part : parts)
            now.insert(now.end(), part.begin(), part.end());
        ++m_periods;
        const double shift = m_kept.empty() ? 0 : shiftSince(now);
        if (shift > 0) {
            const std::ptrdiff_t repeated = m_periods * m_period;
            const std::ptrdiff_t times = (m_passes - 1 - round) / repeated;
            if (3 * times * repeated < 2 * m_passes)
                return 0;
            for (const std::span<double> part : parts)
                for (double& time : part)
                    time += shift * double(times);
            return times * repeated;
        }
        if (m_kept.empty() || m_periods == m_keptFor) {
            m_kept = std::move(now);
            m_keptFor *= 2;
            m_periods = 0;
        }
        return 0;
    }

    /// By how much the state has moved since it was kept; 0 if not all of it has moved as far. Repeated as often as a
    /// pipeline is long, the difference that is let pass stays below 1e-12 of its time.
    [[nodiscard]] double shiftSince(const std::vector<double>& now) const
    {
        double least = now.front() - m_kept.front(), most = least;
        for (std::size_t i = 1; i < now.size(); ++i) {
            least = std::min(least, now[i] - m_kept[i]);
            most = std::max(most, now[i] - m_kept[i]);
        }
        return most - least <= 1e-12 * most ? most : 0;
    }

    const PipelineWork& m_work;
    std::ptrdiff_t m_stages, m_chunks;
    std::ptrdiff_t m_passes; ///< of a stage, forward
    std::ptrdiff_t m_skew, m_warmUp, m_period;
    bool m_unlike; ///< chunks of a stage
    std::ptrdiff_t m_losses; ///< rounds whose losses are kept
    double m_loss;
    std::vector<double> m_times; ///< all arrays
    double *m_forward, *m_backward; ///< by stage: seconds of the chunk that it is at
    double *m_forwardOf, *m_backwardOf; ///< by chunk in the order of the passes, then stage
    Place m_ahead; ///< of the first stage's forward passes
    Place m_back; ///< of the last stage's backward passes
    double *m_sendForward, *m_sendBackward; ///< by stage
    double *m_sentActivation, *m_sentGradient, *m_activation,
        *m_gradient; ///< by stage: arrival of what it sent a round ago, and in this one
    double *m_free, *m_down,
        *m_up; ///< by stage: when it is free, and its links to the next stage and to the one before
    double* m_lost; ///< by rounds ago: when the gradient of the last stage's output is there
    std::vector<double> m_kept; ///< the state some periods ago
    std::ptrdiff_t m_periods = 0; ///< since then
    std::ptrdiff_t m_keptFor = 1;
};

} // namespace

bool alternates(const PipelineWork& work)
{
    switch (work.schedule) {
    case parallel::Schedule::OneFOneB:
    case parallel::Schedule::EagerOneFOneB:
    case parallel::Schedule::Interleaved:
        return work.stages.size() > 1 && work.order.empty() && runsOnLinks(work) && !reshards(work);
    default:
        return false;
    }
}

std::optional<AlternatingStep> alternatingStep(const PipelineWork& work, Leap leap, double mostRounds)
{
    assert(alternates(work) && runsThrough(work));
    return Rounds(work).step(leap, mostRounds);
}

} // namespace stratoplan::pipeline::detail
