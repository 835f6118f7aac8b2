// SPDX-License-Identifier: Apache-2.0
#include "core/units/run_headings.h"

#include "core/units/trimmed.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <span>

namespace stratoplan::inline units {
namespace {

constexpr std::array<std::string_view, 20> kTitles{"id", "tp", "pp", "dp", "cp", "ep", "etp", "vpp", "micro_batch",
    "zero_stage", "sequence_parallel", "recompute", "schedule", "global_batch", "sequence_length", "nodes",
    "accelerators", "step_s", "peak_gib", "allocator_gib"};
constexpr std::size_t kMeasured = 3; ///< the last of them

struct Alias {
    std::string_view words; ///< of a heading
    std::string_view column;
};
constexpr std::array kAliases{
    Alias{"name", "id"},
    Alias{"run", "id"},
    Alias{"label", "id"},
    Alias{"tensor_parallel", "tp"},
    Alias{"tensor_model_parallel_size", "tp"},
    Alias{"pipeline_parallel", "pp"},
    Alias{"pipeline_model_parallel_size", "pp"},
    Alias{"data_parallel", "dp"},
    Alias{"data_parallel_size", "dp"},
    Alias{"context_parallel", "cp"},
    Alias{"context_parallel_size", "cp"},
    Alias{"expert_parallel", "ep"},
    Alias{"expert_model_parallel_size", "ep"},
    Alias{"expert_tensor_parallel_size", "etp"},
    Alias{"virtual_stages", "vpp"},
    Alias{"vp", "vpp"},
    Alias{"mbs", "micro_batch"},
    Alias{"micro_batch_size", "micro_batch"},
    Alias{"microbatch", "micro_batch"},
    Alias{"gbs", "global_batch"},
    Alias{"global_batch_size", "global_batch"},
    Alias{"batch", "global_batch"},
    Alias{"seq", "sequence_length"},
    Alias{"seq_len", "sequence_length"},
    Alias{"seq_length", "sequence_length"},
    Alias{"sequence", "sequence_length"},
    Alias{"sp", "sequence_parallel"},
    Alias{"zero", "zero_stage"},
    Alias{"recomputation", "recompute"},
    Alias{"gpus", "accelerators"},
    Alias{"world_size", "accelerators"},
    Alias{"step", "step_s"},
    Alias{"step_time", "step_s"},
    Alias{"iteration_time", "step_s"},
    Alias{"time", "step_s"},
    Alias{"seconds", "step_s"},
    Alias{"time_per_iteration", "step_s"},
    Alias{"elapsed_time_per_iteration", "step_s"},
    Alias{"measured", "step_s"},
    Alias{"peak", "peak_gib"},
    Alias{"peak_memory", "peak_gib"},
    Alias{"memory", "peak_gib"},
    Alias{"peak_mem", "peak_gib"},
    Alias{"allocator", "allocator_gib"},
    Alias{"max_allocated", "allocator_gib"},
    Alias{"max_reserved", "allocator_gib"},
    Alias{"max_memory_allocated", "allocator_gib"},
    Alias{"max_memory_reserved", "allocator_gib"},
};

std::string inLowerCase(std::string_view text)
{
    std::string result(text);
    for (char& c : result)
        c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return result;
}

/// Whether a heading means one of these columns.
bool means(std::string_view text, std::span<const std::string_view> titles)
{
    const std::string words = runHeadingOf(text).words;
    const std::string_view withoutUnit = std::string_view(words).substr(0, words.rfind('_')); // "step_ms"
    return std::ranges::any_of(titles,
        [&](std::string_view title) { return runColumnOf(words) == title || runColumnOf(withoutUnit) == title; });
}

} // namespace

RunHeading runHeadingOf(std::string_view text)
{
    RunHeading heading;
    const std::size_t open = text.find_first_of("([");
    if (open != std::string_view::npos) {
        const std::size_t close = text.find_first_of(")]", open);
        heading.unit =
            inLowerCase(trimmed(text.substr(open + 1, close == std::string_view::npos ? close : close - open - 1)));
        text = text.substr(0, open);
    }
    for (const char c : trimmed(text)) {
        const bool joins = c == ' ' || c == '-' || c == '_';
        if (!joins)
            heading.words += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        else if (!heading.words.ends_with('_'))
            heading.words += '_';
    }
    while (heading.words.ends_with('_'))
        heading.words.pop_back();
    return heading;
}

std::string_view runColumnOf(std::string_view words)
{
    const auto alias = std::ranges::find(kAliases, words, &Alias::words);
    return alias == kAliases.end() ? words : alias->column;
}

std::vector<std::string_view> runColumnAliases()
{
    std::vector<std::string_view> aliases;
    for (const Alias& alias : kAliases)
        aliases.push_back(alias.words);
    return aliases;
}

std::vector<std::string_view> runColumnTitles()
{
    return {kTitles.begin(), kTitles.end()};
}

bool isRunHeading(std::string_view text)
{
    return means(text, kTitles);
}

bool isMeasuredHeading(std::string_view text)
{
    return means(text, std::span(kTitles).last(kMeasured));
}

} // namespace stratoplan::inline units
