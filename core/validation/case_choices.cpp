// SPDX-License-Identifier: Apache-2.0
#include "core/validation/case_choices.h"

#include "core/estimate/estimate.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace stratoplan::validation {
namespace {

/// Values that a field may have had: chunks and micro-batches from the smallest on, recomputation from the cheapest.
/// One: it is not open.
struct OpenValues {
    std::vector<int> chunks, microBatches;
    std::vector<parallel::Recompute> recompute;
    [[nodiscard]] bool none() const { return chunks.size() == 1 && microBatches.size() == 1 && recompute.size() == 1; }
};

/// Chunks a stage may be cut into. Frameworks outside Megatron's family do not interleave unless their source says so,
/// nor does Megatron-LM before it published how (2104.04473).
std::vector<int> openChunks(const CaseRecord& r, const plan::Plan& plan)
{
    const parallel::Strategy& s = plan.strategy;
    const bool named = s.schedule == parallel::Schedule::Interleaved;
    const std::string& id = plan.training.software.id;
    const bool interleaves = id.starts_with("megatron-core") || id == "megatron-lm-2022" || id == "nemo";
    const bool unnamed = r.schedule.empty() && s.schedule == parallel::Schedule::OneFOneB && interleaves;
    if (r.vpp || s.pp < 2 || plan.model.layers % s.pp != 0 || !(named || unnamed))
        return {s.vpp};
    const int perStage = plan.model.layers / s.pp;
    std::vector<int> values;
    for (int v = r.schedule.empty() ? 1 : 2; v <= perStage; ++v)
        if (perStage % v == 0)
            values.push_back(v);
    return values.empty() ? std::vector{s.vpp} : values;
}

std::vector<int> openMicroBatches(const CaseRecord& r, const plan::Plan& plan)
{
    if (r.microBatch || r.gradAccum || !r.globalBatch)
        return {plan.strategy.microBatch};
    constexpr int kMost = 16; ///< sequences: no published run of a large model has more
    const int perRank = std::max(1, *r.globalBatch / plan.strategy.dp);
    std::vector<int> values;
    for (int b = 1; b <= kMost && perRank % b == 0; b *= 2)
        values.push_back(b);
    return values;
}

/// Recomputation, where the source does not name it. Beside Grace no run recomputes whole layers: what there is no room
/// for travels to the host, hidden behind the passes.
std::vector<parallel::Recompute> openRecompute(const CaseRecord& r, const plan::Plan& plan)
{
    using enum parallel::Recompute;
    if (!r.recompute.empty())
        return {plan.strategy.recompute};
    constexpr double kPciExpress = 128e9; // bytes a second; Grace has 450e9
    if (plan.cluster.nodes.front().hostLink.value() > kPciExpress)
        return {None, Selective};
    return {None, Selective, Full};
}

struct Candidate {
    std::size_t chunks = 0, microBatch = 0; ///< places among the open values
    CasePlan read;
    double seconds = 0; ///< of the measured global batch
};

class Choices {
public:
    /// `leastScale`: batchScale as read by rule.
    Choices(const CaseRecord& record, const PlanReader& read, OpenValues open, double leastScale)
        : m_record(record)
        , m_read(read)
        , m_open(std::move(open))
        , m_leastScale(leastScale)
    {
    }

    /// With the least recomputation under which any fits: the fewest chunks, then the smallest micro-batch, of those
    /// whose step is about as short as the shortest. Nothing where none fits.
    [[nodiscard]] std::optional<CasePlan> best() const
    {
        constexpr double kAlike = 0.02; // nobody sweeps further for less
        for (std::size_t r = 0; r < m_open.recompute.size(); ++r) {
            std::vector<Candidate> fitting = candidates(m_open.recompute[r]);
            if (fitting.empty())
                continue;
            const double least = std::ranges::min(fitting, {}, &Candidate::seconds).seconds;
            Candidate& chosen =
                *std::ranges::find_if(fitting, [&](const Candidate& c) { return c.seconds <= least * (1 + kAlike); });
            std::optional<Candidate> more; // of recomputation
            if (r + 1 < m_open.recompute.size())
                more = priced(chosen.chunks, chosen.microBatch, m_open.recompute[r + 1]);
            std::tie(chosen.read.nearLow, chosen.read.nearHigh) = near(chosen, fitting, more);
            note(chosen.read);
            return std::move(chosen.read);
        }
        return std::nullopt;
    }

private:
    /// Steps of the values next to those of `chosen`, over its own: the least, at most 1, and the most.
    static std::pair<double, double> near(
        const Candidate& chosen, const std::vector<Candidate>& fitting, const std::optional<Candidate>& more)
    {
        const auto apart = [](std::size_t a, std::size_t b) { return a > b ? a - b : b - a; };
        std::pair<double, double> span(1, 1);
        const auto widen = [&](const Candidate& other) {
            span.first = std::min(span.first, other.seconds / chosen.seconds);
            span.second = std::max(span.second, other.seconds / chosen.seconds);
        };
        for (const Candidate& other : fitting)
            if (apart(other.chunks, chosen.chunks) + apart(other.microBatch, chosen.microBatch) == 1)
                widen(other);
        if (more)
            widen(*more);
        return span;
    }

    void note(CasePlan& chosen) const
    {
        std::vector<std::string>& notes = chosen.filled;
        const parallel::Strategy& s = chosen.plan.strategy;
        const auto add = [&](const std::string& field, const std::string& value) {
            std::erase_if(notes, [&](const std::string& note) { return note.starts_with(field); });
            notes.push_back(field + value);
        };
        if (m_open.chunks.size() > 1)
            add("parallel.vpp=", std::to_string(s.vpp));
        if (m_open.chunks.size() > 1 && m_record.schedule.empty())
            add("parallel.schedule=", std::string(key(s.schedule)));
        if (m_open.microBatches.size() > 1)
            add("training.micro_batch=", std::to_string(s.microBatch));
        if (m_open.recompute.size() > 1)
            add("training.recompute=", std::string(key(s.recompute)));
    }

    /// Those that fit.
    [[nodiscard]] std::vector<Candidate> candidates(parallel::Recompute recompute) const
    {
        std::vector<Candidate> result;
        for (std::size_t v = 0; v < m_open.chunks.size(); ++v)
            for (std::size_t b = 0; b < m_open.microBatches.size(); ++b)
                if (auto candidate = priced(v, b, recompute))
                    result.push_back(std::move(*candidate));
        return result;
    }

    [[nodiscard]] std::optional<Candidate> priced(std::size_t v, std::size_t b, parallel::Recompute recompute) const
    {
        CaseRecord record = m_record;
        if (m_open.chunks.size() > 1)
            record.vpp = m_open.chunks[v];
        if (m_open.microBatches.size() > 1)
            record.microBatch = m_open.microBatches[b];
        if (m_open.recompute.size() > 1)
            record.recompute = std::string(key(recompute));
        auto read = m_read(record);
        // A batch that has to be rounded up further is not the one that ran: no pipeline of rounds takes it.
        if (!read || read->batchScale < m_leastScale)
            return std::nullopt;
        // Without ranges, which come from measured cases, this one perhaps among them.
        const auto answer = estimate::estimate(read->plan, {.remedies = false, .range = false});
        if (!answer)
            return std::nullopt;
        // The run did fit, whatever its peak is told to be; more than that is nobody's choice.
        constexpr double kPeakAtMost = 1.1; // of what it was
        const estimate::Memory& memory = answer->memory;
        if (memory.peak > memory.capacity * (v + b == 0 ? kPeakAtMost : 1))
            return std::nullopt;
        const double seconds = answer->step.value() * read->batchScale;
        return Candidate{v, b, std::move(*read), seconds};
    }

    const CaseRecord& m_record;
    const PlanReader& m_read;
    OpenValues m_open;
    double m_leastScale;
};

} // namespace

tl::expected<CasePlan, std::string> chosenPlan(const CaseRecord& record, const PlanReader& read)
{
    auto byRule = read(record);
    if (!byRule || !record.status.empty())
        return byRule;
    OpenValues open{
        openChunks(record, byRule->plan), openMicroBatches(record, byRule->plan), openRecompute(record, byRule->plan)};
    if (open.none())
        return byRule;
    auto best = Choices(record, read, std::move(open), byRule->batchScale).best();
    return best ? std::move(*best) : byRule;
}

} // namespace stratoplan::validation
