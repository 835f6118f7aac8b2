// SPDX-License-Identifier: Apache-2.0
#include "core/units/text.h"
#include "core/validation/case_plan.h"
#include "core/validation/case_words.h"

#include <algorithm>
#include <cctype>
#include <regex>
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

/// Of the run, at the earliest: the last of the year of a release that its version names ("25.04", "NGC 25.04"), the
/// year itself ("2024-12", "v5.1 (2025-11)") and that in which its accelerator came to market; 0: none is known.
int yearOf(const CaseRecord& r)
{
    static const std::regex year("(^|[^0-9])(20[0-9]{2})([^0-9]|$)"),
        release("(^|[^0-9.])(2[0-9])\\.[0-9]{2}([^0-9]|$)");
    std::smatch found;
    int latest = 0;
    if (std::regex_search(r.version, found, release))
        latest = 2000 + std::stoi(found[2]);
    if (std::regex_search(r.version, found, year))
        latest = std::max(latest, std::stoi(found[2]));
    for (const GenerationWords& generation : shippedCaseWords().generations)
        if (containsWords(r.accelerator, generation.accelerator))
            latest = std::max(latest, generation.year);
    return latest;
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
            && (stack.since == 0 || yearOf(r) >= stack.since) && any(stack.accelerators, r.accelerator)
            && any(stack.words, r.overlap, r.precision);
    });
    if (found == stacks.end())
        return nullptr;
    return found->like.empty() ? &*found : stackOf(r, found->like);
}

/// Nothing where none is known, or where what is known does not run on the vendor's accelerators: a port has its own
/// code.
const plan::SoftwareProfile* profileOf(
    const CaseRecord& r, const StackWords* stack, std::string_view vendor, const catalog::Catalog& catalog)
{
    if (!stack)
        return nullptr;
    const bool experts = containsWords(r.modelKind, "moe") && !stack->ofExperts.empty();
    const plan::SoftwareProfile* profile = catalog.softwareProfile(experts ? stack->ofExperts : stack->profile);
    return profile && runsOn(*profile, vendor) ? profile : nullptr;
}

/// Of a stack that nobody knows: the vendor's own, eager PyTorch, or a compiler of whole graphs, whichever runs there.
const plan::SoftwareProfile* nearestProfile(std::string_view vendor, const catalog::Catalog& catalog)
{
    const plan::SoftwareProfile* first = nullptr;
    for (const char* const id : {"pytorch-eager", "mindspeed", "jax-xla"}) {
        const plan::SoftwareProfile* profile = catalog.softwareProfile(id);
        if (!profile || !runsOn(*profile, vendor))
            continue;
        const bool isOwn = profile->vendors.size() == 1;
        if (isOwn || !first)
            first = profile;
    }
    return first ? first : catalog.softwareProfile("pytorch-eager");
}

} // namespace

const plan::SoftwareProfile& caseSoftware(
    const CaseRecord& record, std::string_view vendor, const catalog::Catalog& catalog, Filled& filled)
{
    if (const plan::SoftwareProfile* profile = profileOf(record, stackOf(record, record.framework), vendor, catalog))
        return *profile;
    const plan::SoftwareProfile* nearest = nearestProfile(vendor, catalog);
    filled.add("software.profile", nearest ? nearest->id : catalog.software.front().id);
    return nearest ? *nearest : catalog.software.front();
}

} // namespace stratoplan::validation
