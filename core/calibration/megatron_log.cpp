// SPDX-License-Identifier: Apache-2.0
#include "core/calibration/megatron_log.h"

#include "core/calibration/run_text.h"
#include "core/units/trimmed.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <utility>

namespace stratoplan::calibration {

namespace {

using namespace text;

constexpr std::size_t kDottedWidth = 46; ///< names so long are printed with one dot or none

bool isNameCharacter(char c)
{
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

/// "  tensor_model_parallel_size ...................... 8", whatever a launcher printed before it.
std::optional<std::pair<std::string, std::string>> dottedArgument(std::string_view line)
{
    std::size_t dots = line.find(" ..");
    while (dots != std::string_view::npos) {
        std::size_t end = dots + 1;
        while (end < line.size() && line[end] == '.')
            ++end;
        std::size_t start = dots;
        while (start > 0 && isNameCharacter(line[start - 1]))
            --start;
        const bool whole =
            start < dots && (start == 0 || line[start - 1] == ' ' || line[start - 1] == '\t' || line[start - 1] == ':');
        if (whole && (end == line.size() || line[end] == ' '))
            return std::pair(std::string(line.substr(start, dots - start)), std::string(trimmed(line.substr(end))));
        dots = line.find(" ..", end);
    }
    return std::nullopt;
}

/// The same with a name so long that one dot or none fits behind it; only to be asked among arguments.
std::optional<std::pair<std::string, std::string>> longArgument(std::string_view line)
{
    line = trimmed(line);
    for (std::size_t start = 0; start < line.size();) {
        std::size_t end = start;
        while (end < line.size() && isNameCharacter(line[end]))
            ++end;
        if (end - start >= kDottedWidth && end < line.size() && line[end] == ' ') {
            std::string_view value = trimmed(line.substr(end));
            if (value.starts_with(". "))
                value = trimmed(value.substr(1));
            return std::pair(std::string(line.substr(start, end - start)), std::string(value));
        }
        start = std::max(end, start) + 1;
    }
    return std::nullopt;
}

/// "name: value" between two bars.
struct Field {
    std::string name;
    std::string value;
};

std::vector<Field> fieldsOf(std::string_view text)
{
    std::vector<Field> fields;
    while (!text.empty()) {
        const std::size_t bar = std::min(text.find('|'), text.size());
        const std::string_view part = trimmed(text.substr(0, bar));
        if (const std::size_t colon = part.rfind(':'); colon != std::string_view::npos) {
            std::string name;
            for (const char c : trimmed(part.substr(0, colon)))
                name += c == '_' ? ' ' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
            fields.push_back({std::move(name), std::string(trimmed(part.substr(colon + 1)))});
        }
        text.remove_prefix(std::min(bar + 1, text.size()));
    }
    return fields;
}

std::optional<std::string> valueOf(const std::vector<Field>& fields, std::string_view name)
{
    const auto found =
        std::find_if(fields.begin(), fields.end(), [&](const Field& field) { return field.name == name; });
    return found == fields.end() ? std::nullopt : std::optional(found->value);
}

/// The number at the beginning of a value: "6.29 s", "623.1MODEL_TFLOP/s/GPU".
std::optional<double> leadingNumber(std::string_view value)
{
    const std::size_t end = std::min(value.find_first_not_of("0123456789.eE+-"), value.size());
    if (end < value.size() && value[end] == ',')
        return std::nullopt; // "52728,1" is not 52728
    return wholeNumber(value.substr(0, end));
}

/// How the eras call the time of a step, and its unit.
struct TimeName {
    std::string_view name;
    double scale;
};
constexpr std::array kTimeNames{
    TimeName{"elapsed time per iteration (ms)", 1e-3},
    TimeName{"elapsed time per iteration (s)", 1},
    TimeName{"train step timing in s", 1},
    TimeName{"iteration time (ms)", 1e-3},
    TimeName{"iteration time (s)", 1},
};

constexpr const char* kReserved = "max reserved";
constexpr const char* kAllocated = "max allocated";

class LogReader {
public:
    MegatronLog read(std::string_view text)
    {
        m_log.sections.emplace_back();
        std::string clean;
        for (const Line& line : linesOf(text)) {
            std::string_view content = line.text;
            if (content.find('\x1b') != std::string_view::npos) {
                clean = withoutEscapes(content);
                content = clean;
            }
            readLine(line.number, content);
        }
        std::erase_if(m_log.sections, [](const LogSection& section) {
            return section.arguments.empty() && section.steps.empty() && section.memory.empty();
        });
        return std::move(m_log);
    }

private:
    void readLine(int number, std::string_view line)
    {
        if (line.find("- arguments -") != std::string_view::npos) {
            beginSection();
            m_amongArguments = true;
        } else if (line.find("- end of arguments -") != std::string_view::npos) {
            m_amongArguments = false;
        } else if (const auto head =
                       line.find("iteration") == std::string_view::npos ? std::nullopt : iterationHead(line)) {
            m_amongArguments = false;
            readStep(number, *head);
        } else if (line.find("memory (MB)") != std::string_view::npos) {
            readMemory(number, line);
        } else if (line.find("using world size:") != std::string_view::npos) {
            readWorld(number, line);
        } else if (line.find("padded vocab (size:") != std::string_view::npos) {
            readVocabulary(number, line);
        } else if (auto argument = dottedArgument(line)) {
            keep(number, std::move(*argument));
        } else if (auto longer = m_amongArguments ? longArgument(line) : std::nullopt) {
            keep(number, std::move(*longer));
        }
    }

    LogSection& section() { return m_log.sections.back(); }

    void beginSection()
    {
        constexpr std::size_t kOfWorldLine = 8; // "using world size" comes before the arguments of the same start
        if (!section().steps.empty())
            m_log.sections.emplace_back();
        else if (section().arguments.size() > kOfWorldLine)
            section().arguments.clear();
        m_starts = true;
    }

    void keep(int number, std::pair<std::string, std::string> argument)
    {
        if (!section().steps.empty() && m_amongArguments)
            m_log.sections.emplace_back();
        LogArgument value{std::move(argument.second), number};
        if (m_amongArguments)
            section().arguments.insert_or_assign(std::move(argument.first), std::move(value));
        else if (section().steps.empty()) // others print their settings likewise, under names that mean something else
            section().arguments.try_emplace(std::move(argument.first), std::move(value));
    }

    /// "using world size: 64, data-parallel size: 8, …": for logs whose arguments are missing.
    void readWorld(int number, std::string_view line)
    {
        if (!section().steps.empty())
            m_log.sections.emplace_back();
        m_starts = true;
        constexpr std::array kNames{std::pair("world size:", "world_size"),
            std::pair("data-parallel size:", "data_parallel_size"),
            std::pair("data-parallel-size:", "data_parallel_size"),
            std::pair("context-parallel size:", "context_parallel_size"),
            std::pair("pipeline-model-parallel size:", "pipeline_model_parallel_size"),
            std::pair("tensor-model-parallel size:", "tensor_model_parallel_size")};
        for (const auto& [text, name] : kNames) {
            const std::size_t found = line.find(text);
            if (found == std::string_view::npos)
                continue;
            const std::string_view value = trimmed(line.substr(found + std::string_view(text).size()));
            const std::string_view digits =
                value.substr(0, std::min(value.find_first_not_of("0123456789"), value.size()));
            if (!digits.empty())
                section().arguments.try_emplace(name, LogArgument{std::string(digits), number});
        }
    }

    /// " > padded vocab (size: 50257) with 943 dummy tokens (new size: 51200)".
    void readVocabulary(int number, std::string_view line)
    {
        const std::string_view value = trimmed(line.substr(line.find("(size:") + 6));
        const std::string_view digits = value.substr(0, std::min(value.find_first_not_of("0123456789"), value.size()));
        if (!digits.empty() && section().steps.empty())
            section().arguments.insert_or_assign("vocabulary", LogArgument{std::string(digits), number});
    }

    void readMemory(int number, std::string_view line)
    {
        const std::size_t found = line.find("memory (MB)");
        const std::vector<Field> fields = fieldsOf(line.substr(found + 11));
        // "max allocated" leaves out what the allocator holds back in fragments and caches.
        const auto reserved = valueOf(fields, kReserved);
        const auto value = reserved ? reserved : valueOf(fields, kAllocated);
        const auto megabytes = value ? leadingNumber(*value) : std::nullopt;
        if (!megabytes || *megabytes <= 0) {
            if (value)
                fault(number,
                    {.code = RunFaultCode::ReportedPeak, .name = reserved ? kReserved : kAllocated, .text = *value});
            else
                fault(number, {.code = RunFaultCode::ReportWithoutPeak});
            return;
        }
        LogMemory memory{number, 0, *megabytes / 1024, reserved.has_value()}; // Megatron's MB are MiB
        if (const std::size_t rank = line.find("[Rank "); rank < found)
            std::from_chars(line.data() + rank + 6, line.data() + found, memory.rank);
        section().memory.push_back(memory);
    }

    void readStep(int number, const IterationHead& head)
    {
        const std::vector<Field> fields = fieldsOf(head.rest);
        m_starts |= std::exchange(m_total, head.total) != head.total; // a run of another length
        LogStep step;
        step.line = number;
        step.iteration = head.iteration;
        const TimeName* timed = nullptr;
        for (const TimeName& name : kTimeNames)
            if (!timed && valueOf(fields, name.name))
                timed = &name;
        if (!timed) {
            fault(number, {.code = RunFaultCode::StepWithoutTime, .found = head.iteration});
            return;
        }
        const std::string text = *valueOf(fields, timed->name);
        const auto time = leadingNumber(text);
        if (!time || *time <= 0) {
            const auto meant = commaNumber(text);
            RunFault unread{.code = RunFaultCode::StepTime, .name = std::string(timed->name), .text = text};
            if (meant.decimals && !meant.thousands) {
                unread.code = RunFaultCode::StepTimeWithComma;
                unread.wanted = *meant.decimals;
            }
            fault(number, std::move(unread));
            return;
        }
        step.seconds = *time * timed->scale;
        if (!readBatch(number, fields, step))
            return;
        for (const char* name : {"number of skipped iterations", "number of nan iterations"})
            if (const auto count = valueOf(fields, name))
                step.bad |= leadingNumber(*count).value_or(0) > 0;
        for (const char* name : {"throughput per gpu (tflop/s/gpu)", "tflops"})
            if (const auto rate = valueOf(fields, name); rate && !step.teraflops)
                step.teraflops = leadingNumber(*rate);
        keep(step);
    }

    bool readBatch(int number, const std::vector<Field>& fields, LogStep& step)
    {
        for (const char* name : {"consumed samples", "consumed train samples"})
            if (const auto samples = valueOf(fields, name))
                step.consumedSamples = leadingNumber(*samples);
        const auto text = valueOf(fields, "global batch size");
        if (!text)
            return true;
        const auto batch = wholeNumber(*text);
        if (!batch || *batch < 1 || *batch > double(kLargestCount) || *batch != std::floor(*batch)) {
            fault(number,
                {.code = RunFaultCode::GlobalBatch,
                    .text = *text,
                    .expected = {ExpectedValue::Kind::WholeNumber, 1, kLargestCount}});
            return false;
        }
        step.globalBatch = static_cast<int>(*batch);
        return true;
    }

    void keep(LogStep step)
    {
        std::vector<LogStep>& steps = section().steps;
        if (!steps.empty() && steps.back().iteration == step.iteration && steps.back().seconds == step.seconds)
            return; // one line that several ranks printed
        step.firstOfStart = std::exchange(m_starts, false) || steps.empty() || step.iteration <= steps.back().iteration;
        steps.push_back(step);
    }

    void fault(int line, RunFault fault)
    {
        fault.place = "line " + std::to_string(line);
        m_log.faulty.push_back({fault.place, fault, line});
    }

    MegatronLog m_log;
    bool m_amongArguments = false;
    bool m_starts = true;
    std::int64_t m_total = 0; ///< iterations that the run is to have
};

} // namespace

MegatronLog parseMegatronLog(std::string_view text)
{
    return LogReader().read(text);
}

} // namespace stratoplan::calibration
