// SPDX-License-Identifier: Apache-2.0
#include "core/units/text.h"
#include "core/validation/case_plan.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>

namespace stratoplan {
namespace {

struct SoftwareRule {
    std::string_view framework, version;
    std::string_view profile;
    std::string_view condition = {}; ///< words in what the source says of overlap, the model kind, the accelerator or the precision
};

constexpr std::array kSoftwareRules{
    SoftwareRule{"BigScience", "", "megatron-deepspeed-2021"},
    SoftwareRule{"Megatron-DeepSpeed", "", "megatron-deepspeed"},
    SoftwareRule{"Megatron-Bridge", "26.06", "megatron-core-2026-moe", "moe"},
    SoftwareRule{"Megatron-Bridge", "26.08", "megatron-core-2026-moe", "moe"},
    SoftwareRule{"Megatron-Bridge", "", "megatron-core-2025-moe", "moe"},
    SoftwareRule{"Megatron-Bridge", "", "megatron-core-2025"},
    SoftwareRule{"zero bubble", "", "zero-bubble"},
    SoftwareRule{"vocabulary parallelism", "", "megatron-core-2024"},
    SoftwareRule{"AutoModel", "", "megatron-core-2024-moe", "moe"}, // its runs with FSDP and EP are those measured nearest
    SoftwareRule{"AutoModel", "", "torchtitan"}, // PyTorch with FSDP2 and compiled kernels, not Megatron
    SoftwareRule{"NeMo", "", "nemo"},
    SoftwareRule{"Megatron-Core", "", "megatron-core-2024-moe", "moe"},
    SoftwareRule{"Megatron-Core", "", "nemo", "H100"}, // NeMo runs Megatron-Core; the profile of its A100 runs knows no Hopper
    SoftwareRule{"Megatron-Core", "", "megatron-core-2024"},
    SoftwareRule{"Megatron-LM", "2025", "megatron-core-2025-plain", "overlap disabled"},
    SoftwareRule{"Megatron-LM", "2025", "megatron-core-2025"},
    SoftwareRule{"Megatron-LM", "2024", "nemo", "H100"},
    SoftwareRule{"Megatron-LM", "2024", "megatron-core-2024"},
    SoftwareRule{"Megatron-LM", "core", "megatron-core-2024", "A100"},
    SoftwareRule{"Megatron-LM", "2023", "megatron-core-2024"},
    SoftwareRule{"Megatron-LM", "2022", "megatron-lm-2022"},
    SoftwareRule{"Megatron-LM", "2021", "megatron-lm-2021"},
    SoftwareRule{"Megatron-LM", "2020", "megatron-lm-2021"},
    SoftwareRule{"Megatron-LM", "", "megatron-lm-2021", "V100"},
    SoftwareRule{"Megatron-LM", "", "megatron-lm-2021", "A100"},
    SoftwareRule{"llm-foundry", "", "llm-foundry-fsdp-h100", "H100"},
    SoftwareRule{"llm-foundry", "", "llm-foundry-fsdp"},
    SoftwareRule{"torchtitan", "", "torchtitan-float8-rowwise", "rowwise"},
    SoftwareRule{"torchtitan", "", "torchtitan-async-tp", "async TP"},
    SoftwareRule{"torchtitan", "", "torchtitan-2025", "H200"}, // all its runs on H200 are of 2025
    SoftwareRule{"torchtitan", "", "torchtitan", "compile"},
    SoftwareRule{"torchtitan", "", "torchtitan-eager"},
    SoftwareRule{"InternEvo", "", "internevo"},
    SoftwareRule{"InternLM", "", "internevo"},
    SoftwareRule{"ModelLink", "", "mindspeed"},
    SoftwareRule{"MindSpeed", "", "mindspeed"},
    SoftwareRule{"MindFormers", "", "mindspeed"},
    SoftwareRule{"PaddleNLP", "", "paddlenlp"},
    SoftwareRule{"Alpa", "", "alpa"},
    SoftwareRule{"DeepSpeed", "", "deepspeed"},
};

/// Whether `text` names `part`, whatever stands between its words: "Megatron Core", "Megatron-Core".
bool names(std::string_view text, std::string_view part)
{
    const auto letters = [](std::string_view from) {
        std::string result;
        std::ranges::copy_if(from, std::back_inserter(result), [](unsigned char c) { return std::isalnum(c) != 0; });
        return result;
    };
    return part.empty() || containsWords(letters(text), letters(part));
}

/// Of a stack that no rule knows: what is usual for how it shards and for the generation of its accelerators.
std::string_view nearestProfile(const CaseRecord& r)
{
    const auto on = [&](auto... words) { return (containsWords(r.accelerator, words) || ...); };
    const bool moe = containsWords(r.modelKind, "moe");
    if (containsWords(r.fsdp, "FSDP"))
        return "torchtitan";
    if (on("Ascend", "Atlas"))
        return "mindspeed";
    if (on("B200", "B300", "GB200", "GB300"))
        return moe ? "megatron-core-2025-moe" : "megatron-core-2025";
    if (on("H100", "H200", "H800", "H20"))
        return moe ? "megatron-core-2024-moe" : "nemo";
    if (on("V100"))
        return "megatron-lm-2021";
    return moe ? "megatron-core-2024-moe" : "megatron-core-2024";
}

} // namespace

const SoftwareProfile& caseSoftware(const CaseRecord& record, const Catalog& catalog, Filled& filled)
{
    const auto under = [&](std::string_view condition) {
        return condition.empty() || containsWords(record.overlap, condition) || containsWords(record.modelKind, condition)
            || containsWords(record.accelerator, condition) || containsWords(record.precision, condition);
    };
    for (const SoftwareRule& rule : kSoftwareRules) {
        const bool version = rule.version.empty() || containsWords(record.version, rule.version);
        if (names(record.framework, rule.framework) && version && under(rule.condition))
            if (const SoftwareProfile* profile = catalog.softwareProfile(rule.profile))
                return *profile;
    }
    const std::string_view usual = nearestProfile(record);
    const SoftwareProfile* nearest = catalog.softwareProfile(usual);
    filled.add("software.profile", nearest ? nearest->id : catalog.software.front().id);
    return nearest ? *nearest : catalog.software.front();
}

} // namespace stratoplan
