// SPDX-License-Identifier: Apache-2.0
#include "core/units/text.h"
#include "core/validation/case_plan.h"
#include "core/validation/case_words.h"

#include <algorithm>
#include <cctype>
#include <string>

namespace stratoplan::validation {
namespace {

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

/// What is known of the framework, if anything is.
const StackWords* stackOf(const CaseRecord& r, std::string_view framework)
{
    const auto any = [](const std::vector<std::string>& words, const auto&... texts) {
        return words.empty()
            || std::ranges::any_of(words, [&](const std::string& word) { return (containsWords(texts, word) || ...); });
    };
    const std::vector<StackWords>& stacks = shippedCaseWords().stacks;
    const auto found = std::ranges::find_if(stacks, [&](const StackWords& stack) {
        return names(framework, stack.framework) && r.version.starts_with(stack.version)
            && any(stack.accelerators, r.accelerator) && any(stack.words, r.overlap, r.precision);
    });
    if (found == stacks.end())
        return nullptr;
    return found->like.empty() ? &*found : stackOf(r, found->like);
}

const plan::SoftwareProfile* profileOf(const CaseRecord& r, const StackWords* stack, const catalog::Catalog& catalog)
{
    if (!stack)
        return nullptr;
    const bool experts = containsWords(r.modelKind, "moe") && !stack->ofExperts.empty();
    return catalog.softwareProfile(experts ? stack->ofExperts : stack->profile);
}

/// Of a stack that nobody knows: what is usual for how it shards and for the generation of its accelerators.
const plan::SoftwareProfile* nearestProfile(const CaseRecord& r, const catalog::Catalog& catalog)
{
    if (containsWords(r.fsdp, "FSDP"))
        return catalog.softwareProfile("torchtitan");
    if (containsWords(r.accelerator, "Ascend") || containsWords(r.accelerator, "Atlas"))
        return catalog.softwareProfile("mindspeed");
    if (containsWords(r.accelerator, "V100"))
        return catalog.softwareProfile("megatron-lm-2021");
    return profileOf(r, stackOf(r, "Megatron-Core"), catalog);
}

} // namespace

const plan::SoftwareProfile& caseSoftware(const CaseRecord& record, const catalog::Catalog& catalog, Filled& filled)
{
    if (const plan::SoftwareProfile* profile = profileOf(record, stackOf(record, record.framework), catalog))
        return *profile;
    const plan::SoftwareProfile* nearest = nearestProfile(record, catalog);
    filled.add("software.profile", nearest ? nearest->id : catalog.software.front().id);
    return nearest ? *nearest : catalog.software.front();
}

} // namespace stratoplan::validation
