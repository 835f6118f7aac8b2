// SPDX-License-Identifier: Apache-2.0
#include "core/exchange/schedule_file.h"

#include "core/exchange/json_text.h"
#include "core/pipeline/deadlock.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <sstream>

namespace stratoplan::exchange {
namespace {

constexpr std::string_view kToken = "a pass such as F0, B0, I0 or W0, with its chunk as in F0.1";

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

std::string nameOf(const pipeline::PipelineStep& step, int chunks)
{
    constexpr std::string_view kLetters = "FBIW";
    std::string name(1, kLetters[static_cast<std::size_t>(step.kind)]);
    name += std::to_string(step.microBatch);
    return chunks > 1 ? name + '.' + std::to_string(step.chunk) : name;
}

/// Follows one stage through its line.
class StageReader {
public:
    explicit StageReader(const pipeline::PipelineWork& work)
        : m_work(work)
        , m_chunks(effectiveChunks(work.schedule, work.chunks))
    {
    }

    /// What is wrong with the next step, if anything: what was found, and what would be right.
    [[nodiscard]] std::optional<std::pair<std::string, std::string>> take(const pipeline::PipelineStep& step)
    {
        const std::string name = nameOf(step, m_chunks);
        if (step.microBatch >= m_work.microBatches)
            return {{name, "micro-batches 0 to " + std::to_string(m_work.microBatches - 1)}};
        if (step.chunk >= m_chunks)
            return {{name, "chunks 0 to " + std::to_string(m_chunks - 1)}};
        const int half = m_work.microBatches / 2;
        if (shape(m_work.schedule) == parallel::PipelineShape::TwoWay && (step.microBatch >= half) != (step.chunk == 1))
            return {{name,
                "micro-batches 0 to " + std::to_string(half - 1)
                    + " in chunk 0, which go down the pipeline, and the others in chunk 1"}};
        int& done = m_done[{step.chunk, step.microBatch}];
        const int needed = step.kind == pipeline::PassKind::Forward ? 0
            : step.kind == pipeline::PassKind::WeightGradient       ? 2
                                                                    : 1;
        if (done != needed)
            return {{name,
                done > needed                                         ? "every pass once"
                    : step.kind == pipeline::PassKind::WeightGradient ? "its input gradient before it"
                                                                      : "its forward pass before it"}};
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
                    return nameOf({kNext[static_cast<std::size_t>(done)], chunk, microBatch}, m_chunks);
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

std::string describe(const std::vector<pipeline::StuckPass>& stuck, int chunks)
{
    const auto name = [&](std::size_t k) {
        return "stage " + std::to_string(stuck[k].stage) + " in " + nameOf(stuck[k].pass, chunks);
    };
    if (stuck.size() == 1)
        return "a stage that waits for itself for ever: " + name(0);
    std::string text = "stages that wait for each other for ever: ";
    for (std::size_t k = 0; k < stuck.size(); ++k)
        text += (k > 0 ? ", " : "") + name(k) + " for stage " + std::to_string(stuck[(k + 1) % stuck.size()].stage);
    return text;
}

} // namespace

// In one piece: each fault is told of the line that is being read, or of the file as far as it has been.
tl::expected<std::vector<pipeline::StageProgram>, DocumentError> parseSchedule(
    std::string_view text, const pipeline::PipelineWork& work, const std::string& file)
{
    const auto fault = [&](const std::string& where, std::string found, std::string expected) {
        return tl::unexpected(
            DocumentError{DocumentError::Code::Syntax, file, where, std::move(found), std::move(expected), {}});
    };
    std::vector<pipeline::StageProgram> programs;
    std::istringstream lines{std::string(withoutByteOrderMark(text))};
    std::string line;
    for (int number = 1; std::getline(lines, line); ++number) {
        line.erase(std::min(line.find('#'), line.size()));
        std::istringstream tokens(line);
        std::string token;
        if (!(tokens >> token))
            continue;
        const std::string where = "line " + std::to_string(number);
        if (programs.size() == work.stages.size())
            return fault(where, "a line for stage " + std::to_string(programs.size()),
                std::to_string(work.stages.size()) + " lines, one per stage");
        StageReader stage(work);
        do {
            const auto step = parseStep(token);
            if (!step)
                return fault(where, '"' + token + '"', std::string(kToken));
            if (const auto wrong = stage.take(*step))
                return fault(where, wrong->first, wrong->second);
        } while (tokens >> token);
        if (const auto missing = stage.missing())
            return fault(where, "no " + *missing, "every pass of every micro-batch");
        programs.push_back(stage.takeProgram());
    }
    if (programs.size() != work.stages.size())
        return fault({}, std::to_string(programs.size()) + " lines of passes",
            std::to_string(work.stages.size()) + ", one per stage");
    pipeline::PipelineWork own = work;
    own.order = programs;
    if (const std::vector<pipeline::StuckPass> stuck = deadlock(own); !stuck.empty())
        return fault({}, describe(stuck, effectiveChunks(work.schedule, work.chunks)),
            "an order in which every input is made before it is waited for");
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
