// SPDX-License-Identifier: Apache-2.0
#include "core/catalog/frameworks.h"

#include "core/catalog/catalog_fields.h"
#include "core/catalog/framework_refusals.h"
#include "core/catalog/quote.h"
#include "core/catalog/words.h"
#include "core/units/reading.h"
#include "core/units/sentence.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace stratoplan::catalog {

using detail::FieldReader;
using detail::Need;

namespace {

std::optional<FrameworkRule> ruleFromKey(std::string_view name)
{
    for (std::size_t rule = 0; rule < kFrameworkRules; ++rule)
        if (key(FrameworkRule(rule)) == name)
            return FrameworkRule(rule);
    return std::nullopt;
}

void readRefusal(FieldReader& f, const std::string& name, FrameworkEntry& entry)
{
    std::vector<std::string_view> known;
    for (const Refusal& refusal : refusals()) {
        if (refusal.key == name)
            entry.refuses = refusal.holds;
        known.push_back(refusal.key);
    }
    if (!entry.refuses)
        f.refuse("refuses", reading::oneOf(known));
}

void readValues(FieldReader& f, const std::vector<std::string>& keys, FrameworkEntry& entry)
{
    const RuleValue* const value = valueOf(entry.rule);
    if (!value)
        return f.refuse("runs", words::kRefusesAlone);
    entry.valueOf = value->ofPlan;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        if (const std::optional<int> number = value->fromKey(keys[i]))
            entry.runs |= 1U << static_cast<unsigned>(*number);
        else
            f.refuse("runs", words::kAValueOfTheRule, i);
    }
}

} // namespace

void fields(FieldReader& f, FrameworkEntry& entry)
{
    std::string rule, refuses;
    std::vector<std::string> runs;
    f("rule", rule, Need::Always);
    f("runs", runs);
    f("refuses", refuses);
    f("limit", entry.limit, Need::Always);
    f("remedy", entry.remedy, Need::Always);
    f("source", entry.source, Need::Always);
    if (f.error())
        return;
    const auto known = ruleFromKey(rule);
    if (!known) {
        std::vector<std::string_view> rules;
        for (std::size_t i = 0; i < kFrameworkRules; ++i)
            rules.push_back(key(FrameworkRule(i)));
        return f.refuse("rule", reading::oneOf(rules));
    }
    entry.rule = *known;
    if (runs.empty() == refuses.empty())
        return f.refuse("rule", words::kRunsOrRefuses);
    if (runs.empty())
        readRefusal(f, refuses, entry);
    else
        readValues(f, runs, entry);
}

namespace {

/// A framework and what its key is.
struct NamedFramework : Framework {
    std::string id;
};

void fields(FieldReader& f, NamedFramework& framework)
{
    f("id", framework.id, Need::Always);
    f("title", framework.title, Need::Always);
    f("source", framework.source, Need::Always);
    f.skip("rules");
}

std::optional<CatalogError> readFramework(
    const nlohmann::json& value, const std::string& pointer, FrameworkCatalog& catalog)
{
    auto entry = detail::parseObject<NamedFramework>(value, pointer, Catalog{}, Strictness::Catalogue);
    if (!entry)
        return entry.error();
    const auto framework = plan::targetFrameworkFromKey(entry->id);
    if (!framework || *framework == plan::TargetFramework::Any || !catalog[std::size_t(*framework)].title.empty())
        return CatalogError{pointer + "/id", quoteText(entry->id), words::kAFrameworkThatNoOtherEntryHas};
    auto rules = detail::parseList<FrameworkEntry>(value, "rules", pointer);
    if (!rules)
        return rules.error();
    const auto late = std::ranges::adjacent_find(*rules, std::ranges::greater_equal(), &FrameworkEntry::rule);
    if (late != rules->end())
        return CatalogError{pointer + "/rules/" + std::to_string(late - rules->begin() + 1),
            filled(words::kTheRuleAfter, {{"rule", {std::string(key(late->rule))}}}),
            words::kRulesInTheirOrderEachOnce};
    entry->rules = std::move(*rules);
    catalog[std::size_t(*framework)] = std::move(*entry);
    return std::nullopt;
}

} // namespace

CatalogResult<FrameworkCatalog> parseFrameworks(const EmbeddedFile& file)
{
    const std::string root = std::string(file.name) + '#';
    const nlohmann::json document = nlohmann::json::parse(file.content, nullptr, false);
    if (document.is_discarded())
        return tl::unexpected(CatalogError{root, reading::kNotJson, reading::kJsonObject});
    if (!document.is_object() || !document.contains("license") || !document.contains("entries")
        || !document["entries"].is_array())
        return tl::unexpected(CatalogError{root, quoteJson(document), words::kLicenseAndEntries});
    FrameworkCatalog catalog;
    catalog[std::size_t(plan::TargetFramework::Any)].title = words::kAnyFramework;
    std::size_t index = 0;
    for (const nlohmann::json& value : document["entries"])
        if (const auto error = readFramework(value, root + "/entries/" + std::to_string(index++), catalog))
            return tl::unexpected(*error);
    for (const plan::TargetFramework framework : plan::kTargetFrameworks)
        if (catalog[std::size_t(framework)].title.empty())
            return tl::unexpected(CatalogError{
                root + "/entries", "nothing", filled(words::kAnEntryOf, {{"name", {std::string(key(framework))}}})});
    return catalog;
}

const FrameworkCatalog& shippedFrameworks()
{
    static const FrameworkCatalog catalog = [] {
        auto parsed = parseFrameworks(embedded::frameworks().front());
        if (!parsed) {
            std::fprintf(
                stderr, "stratoplan: the built-in frameworks are broken: %s\n", describe(parsed.error()).c_str());
            std::abort();
        }
        return *std::move(parsed);
    }();
    return catalog;
}

} // namespace stratoplan::catalog
