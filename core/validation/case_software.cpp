// SPDX-License-Identifier: Apache-2.0
#include "core/units/text.h"
#include "core/validation/case_plan.h"

#include <array>
#include <cctype>
#include <string>

namespace stratoplan {
namespace {

struct SoftwareRule {
    std::string_view framework, version;
    std::string_view profile; ///< "" = that of Megatron-Core on the accelerator
    std::string_view condition =
        {}; ///< words in what the source says of overlap, the model kind, the accelerator or the precision
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
    SoftwareRule{
        "AutoModel", "", "megatron-core-2024-moe", "moe"}, // its runs with FSDP and EP are those measured nearest
    SoftwareRule{"AutoModel", "", "torchtitan"}, // PyTorch with FSDP2 and compiled kernels, not Megatron
    SoftwareRule{"NeMo", "", "nemo"},
    SoftwareRule{"Megatron-Core", "", ""},
    SoftwareRule{"Megatron-LM", "2025", "megatron-core-2025-plain", "overlap disabled"},
    SoftwareRule{"Megatron-LM", "2025", "megatron-core-2025"},
    SoftwareRule{"Megatron-LM", "2024", ""},
    SoftwareRule{"Megatron-LM", "2023", ""},
    SoftwareRule{"Megatron-LM", "core", ""},
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
    SoftwareRule{"torchtitan", "", "torchtitan-eager", "without torch.compile"},
    SoftwareRule{"torchtitan", "", "torchtitan-eager", "no compile"},
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

/// Whether `text` names `part` as whole words, whatever stands between them: "Megatron Core", "Megatron-Core".
bool names(std::string_view text, std::string_view part)
{
    const auto words = [](std::string_view from) {
        std::string result = " ";
        for (const char c : from)
            result += std::isalnum(static_cast<unsigned char>(c)) ? c : ' ';
        return result + ' ';
    };
    return containsWords(words(text), words(part));
}

/// Megatron-Core on the generation of the accelerator; NeMo's runs are those of Hopper.
std::string_view megatronCore(const CaseRecord& r)
{
    const auto on = [&](auto... names) { return (containsWords(r.accelerator, names) || ...); };
    const bool moe = containsWords(r.modelKind, "moe");
    if (on("B200", "B300"))
        return moe ? "megatron-core-2025-moe" : "megatron-core-2025";
    if (on("H100", "H200", "H800", "H20") && !moe)
        return "nemo";
    return moe ? "megatron-core-2024-moe" : "megatron-core-2024";
}

/// Of a stack that no rule knows: what is usual for how it shards and for the generation of its accelerators.
std::string_view nearestProfile(const CaseRecord& r)
{
    if (containsWords(r.fsdp, "FSDP"))
        return "torchtitan";
    if (containsWords(r.accelerator, "Ascend") || containsWords(r.accelerator, "Atlas"))
        return "mindspeed";
    return containsWords(r.accelerator, "V100") ? "megatron-lm-2021" : megatronCore(r);
}

} // namespace

const SoftwareProfile& caseSoftware(const CaseRecord& record, const Catalog& catalog, Filled& filled)
{
    const auto under = [&](std::string_view condition) {
        return condition.empty() || containsWords(record.overlap, condition)
            || containsWords(record.modelKind, condition) || containsWords(record.accelerator, condition)
            || containsWords(record.precision, condition);
    };
    for (const SoftwareRule& rule : kSoftwareRules) {
        const bool version = rule.version.empty() || containsWords(record.version, rule.version);
        if (names(record.framework, rule.framework) && version && under(rule.condition))
            if (const SoftwareProfile* profile =
                    catalog.softwareProfile(rule.profile.empty() ? megatronCore(record) : rule.profile))
                return *profile;
    }
    const std::string_view usual = nearestProfile(record);
    const SoftwareProfile* nearest = catalog.softwareProfile(usual);
    filled.add("software.profile", nearest ? nearest->id : catalog.software.front().id);
    return nearest ? *nearest : catalog.software.front();
}

} // namespace stratoplan
