// SPDX-License-Identifier: Apache-2.0
#include "core/units/text.h"
#include "core/validation/case_plan.h"

#include <array>

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
    SoftwareRule{"NeMo", "", "nemo"},
    SoftwareRule{"Megatron-Core", "", "megatron-core-2024-moe", "moe"},
    SoftwareRule{"Megatron-Core", "", "megatron-core-2024"},
    SoftwareRule{"Megatron-LM", "2025", "megatron-core-2025-plain", "overlap disabled"},
    SoftwareRule{"Megatron-LM", "2025", "megatron-core-2025"},
    SoftwareRule{"Megatron-LM", "2024", "megatron-core-2024"},
    SoftwareRule{"Megatron-LM", "2023", "megatron-core-2024"},
    SoftwareRule{"Megatron-LM", "2022", "megatron-lm-2022"},
    SoftwareRule{"Megatron-LM", "", "megatron-lm-2021"},
    SoftwareRule{"llm-foundry", "", "llm-foundry-fsdp-h100", "H100"},
    SoftwareRule{"llm-foundry", "", "llm-foundry-fsdp"},
    SoftwareRule{"torchtitan", "", "torchtitan-float8-rowwise", "rowwise"},
    SoftwareRule{"torchtitan", "", "torchtitan-async-tp", "async TP"},
    SoftwareRule{"torchtitan", "", "torchtitan-2025", "H200"}, // all its runs on H200 are of 2025
    SoftwareRule{"torchtitan", "", "torchtitan", "compile"},
    SoftwareRule{"torchtitan", "", "torchtitan-eager"},
    SoftwareRule{"InternEvo", "", "internevo"},
    SoftwareRule{"ModelLink", "", "mindspeed"},
    SoftwareRule{"MindSpeed", "", "mindspeed"},
    SoftwareRule{"PaddleNLP", "", "paddlenlp"},
    SoftwareRule{"Alpa", "", "alpa"},
    SoftwareRule{"DeepSpeed", "", "deepspeed"},
};

constexpr std::string_view kNearestProfile = "megatron-core-2024";

} // namespace

const SoftwareProfile& caseSoftware(const CaseRecord& record, const Catalog& catalog, Filled& filled)
{
    for (const SoftwareRule& rule : kSoftwareRules)
        if (containsWords(record.framework, rule.framework) && containsWords(record.version, rule.version)
            && (containsWords(record.overlap, rule.condition) || containsWords(record.modelKind, rule.condition)
                || containsWords(record.accelerator, rule.condition) || containsWords(record.precision, rule.condition)))
            if (const SoftwareProfile* profile = catalog.softwareProfile(rule.profile))
                return *profile;
    filled.add("software.profile", std::string(kNearestProfile));
    const SoftwareProfile* nearest = catalog.softwareProfile(kNearestProfile);
    return nearest ? *nearest : catalog.software.front();
}

} // namespace stratoplan
