// SPDX-License-Identifier: Apache-2.0
#include "core/exchange/schedule_file.h"

#include "core/exchange/json_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <sstream>

namespace stratoplan::exchange {
namespace {

/// F, B, I or W, the micro-batch, and the chunk after a point.
std::optional<pipeline::PipelineStep> parseStep(std::string_view token)
{
    constexpr std::string_view kLetters = "FBIW";
    pipeline::PipelineStep step;
    const std::size_t letter = token.empty() ? std::string_view::npos : kLetters.find(token.front());
    if (letter == std::string_view::npos)
        return std::nullopt;
    step.kind = static_cast<pipeline::PassKind>(letter);
    const char* const end = token.data() + token.size();
    auto [next, error] = std::from_chars(token.data() + 1, end, step.microBatch);
    if (error != std::errc{} || step.microBatch < 0)
        return std::nullopt;
    if (next != end) {
        if (*next != '.')
            return std::nullopt;
        const auto chunk = std::from_chars(next + 1, end, step.chunk);
        if (chunk.ec != std::errc{} || chunk.ptr != end || step.chunk < 0)
            return std::nullopt;
    }
    return step;
}

/// Follows one stage through its line.
class StageReader {
public:
    explicit StageReader(const pipeline::PipelineWork& work)
        : m_work(work)
        , m_chunks(effectiveChunks(work.schedule, work.chunks))
    {
    }

    /// What is wrong with the next step, if anything.
    [[nodiscard]] std::optional<ScheduleFault> take(const pipeline::PipelineStep& step)
    {
        using enum ScheduleFaultCode;
        const auto fault = [&](ScheduleFaultCode code, int limit = 0) {
            return ScheduleFault{.code = code, .text = passName(step, m_chunks), .limit = limit};
        };
        if (step.microBatch >= m_work.microBatches)
            return fault(MicroBatch, m_work.microBatches - 1);
        if (step.chunk >= m_chunks)
            return fault(Chunk, m_chunks - 1);
        const int half = m_work.microBatches / 2;
        if (shape(m_work.schedule) == parallel::PipelineShape::TwoWay && (step.microBatch >= half) != (step.chunk == 1))
            return fault(WrongWay, half - 1);
        int& done = m_done[{step.chunk, step.microBatch}];
        const int needed = step.kind == pipeline::PassKind::Forward ? 0
            : step.kind == pipeline::PassKind::WeightGradient       ? 2
                                                                    : 1;
        if (done != needed)
            return fault(done > needed                                ? PassTwice
                    : step.kind == pipeline::PassKind::WeightGradient ? NoInputGradient
                                                                      : NoForwardPass);
        done = step.kind == pipeline::PassKind::Backward ? 3 : needed + 1;
        m_program.push_back(step);
        return std::nullopt;
    }

    /// The first pass that the line lacks.
    [[nodiscard]] std::optional<std::string> missing() const
    {
        const bool twoWay = shape(m_work.schedule) == parallel::PipelineShape::TwoWay;
        for (int chunk = 0; chunk < m_chunks; ++chunk) {
            const int half = m_work.microBatches / 2;
            const int first = twoWay && chunk == 1 ? half : 0;
            const int end = twoWay && chunk == 0 ? half : m_work.microBatches;
            for (int microBatch = first; microBatch < end; ++microBatch) {
                const auto found = m_done.find({chunk, microBatch});
                const int done = found == m_done.end() ? 0 : found->second;
                constexpr std::array kNext{
                    pipeline::PassKind::Forward, pipeline::PassKind::Backward, pipeline::PassKind::WeightGradient};
                if (done < 3)
                    return passName({kNext[static_cast<std::size_t>(done)], chunk, microBatch}, m_chunks);
            }
        }
        return std::nullopt;
    }

    [[nodiscard]] pipeline::StageProgram takeProgram() { return std::move(m_program); }

private:
    const pipeline::PipelineWork& m_work;
    int m_chunks;
    std::map<std::pair<int, int>, int> m_done; ///< by chunk and micro-batch: forward, input gradient, weight gradient
    pipeline::StageProgram m_program;
};

} // namespace

std::string passName(const pipeline::PipelineStep& pass, int chunks)
{
    constexpr std::string_view kLetters = "FBIW";
    std::string name(1, kLetters[static_cast<std::size_t>(pass.kind)]);
    name += std::to_string(pass.microBatch);
    return chunks > 1 ? name + '.' + std::to_string(pass.chunk) : name;
}

// In one piece: each fault is told of the line that is being read, or of the file as far as it has been.
tl::expected<std::vector<pipeline::StageProgram>, ScheduleFault> parseSchedule(
    std::string_view text, const pipeline::PipelineWork& work)
{
    using enum ScheduleFaultCode;
    const auto stages = std::int64_t(work.stages.size());
    std::vector<pipeline::StageProgram> programs;
    std::istringstream lines{std::string(withoutByteOrderMark(text))};
    std::string line;
    for (int number = 1; std::getline(lines, line); ++number) {
        const auto fault = [number](ScheduleFault found) {
            found.line = number;
            return tl::unexpected(std::move(found));
        };
        line.erase(std::min(line.find('#'), line.size()));
        std::istringstream tokens(line);
        std::string token;
        if (!(tokens >> token))
            continue;
        if (std::ssize(programs) == stages)
            return fault({.code = MoreStages, .found = stages, .limit = stages});
        StageReader stage(work);
        do {
            const auto step = parseStep(token);
            if (!step)
                return fault({.code = UnknownPass, .text = token});
            if (auto wrong = stage.take(*step))
                return fault(std::move(*wrong));
        } while (tokens >> token);
        if (const auto missing = stage.missing())
            return fault({.code = PassMissing, .text = *missing});
        programs.push_back(stage.takeProgram());
    }
    if (std::ssize(programs) != stages)
        return tl::unexpected(ScheduleFault{.code = FewerStages, .found = std::ssize(programs), .limit = stages});
    pipeline::PipelineWork ordered = work;
    ordered.order = programs;
    if (std::vector<pipeline::StuckPass> stuck = deadlock(ordered); !stuck.empty())
        return tl::unexpected(ScheduleFault{
            .code = Deadlock, .stuck = std::move(stuck), .chunks = effectiveChunks(work.schedule, work.chunks)});
    return programs;
}

bool looksLikeSchedule(std::string_view text)
{
    constexpr std::string_view kBlanks = " \t\r\n";
    text = withoutByteOrderMark(text);
    for (;;) {
        text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
        if (!text.starts_with('#'))
            break;
        text.remove_prefix(std::min(text.find('\n'), text.size()));
    }
    return parseStep(text.substr(0, text.find_first_of(" \t\r\n#"))).has_value();
}

} // namespace stratoplan::exchange
