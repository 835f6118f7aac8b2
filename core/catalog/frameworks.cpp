// SPDX-License-Identifier: Apache-2.0
#include "core/catalog/frameworks.h"

#include "core/catalog/catalog_fields.h"
#include "core/catalog/framework_refusals.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace stratoplan {

using catalog_detail::FieldReader;
using catalog_detail::Need;

namespace {

std::optional<FrameworkRule> ruleFromKey(std::string_view name)
{
    for (std::size_t rule = 0; rule < kFrameworkRules; ++rule)
        if (key(FrameworkRule(rule)) == name)
            return FrameworkRule(rule);
    return std::nullopt;
}

std::string listed(std::string words, std::string_view word)
{
    return words + (words.empty() ? "one of " : ", ") + std::string(word);
}

void readRefusal(FieldReader& f, const std::string& name, FrameworkEntry& entry)
{
    std::string known;
    for (const Refusal& refusal : refusals()) {
        if (refusal.key == name)
            entry.refuses = refusal.holds;
        known = listed(known, refusal.key);
    }
    if (!entry.refuses)
        f.refuse("refuses", known);
}

void readValues(FieldReader& f, const std::vector<std::string>& keys, FrameworkEntry& entry)
{
    const RuleValue* const value = valueOf(entry.rule);
    if (!value)
        return f.refuse("runs", "\"refuses\" with a predicate: the rule has no values");
    entry.valueOf = value->ofPlan;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        if (const std::optional<int> number = value->fromKey(keys[i]))
            entry.runs |= 1U << static_cast<unsigned>(*number);
        else
            f.refuse("runs", "a value of the rule", i);
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
        std::string rules;
        for (std::size_t i = 0; i < kFrameworkRules; ++i)
            rules = listed(rules, key(FrameworkRule(i)));
        return f.refuse("rule", rules);
    }
    entry.rule = *known;
    if (runs.empty() == refuses.empty())
        return f.refuse("rule", "beside it \"runs\" with values or \"refuses\" with a predicate");
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
    auto entry = catalog_detail::parseObject<NamedFramework>(value, pointer, Catalog{}, Strictness::Catalogue);
    if (!entry)
        return entry.error();
    const auto framework = targetFrameworkFromKey(entry->id);
    if (!framework || *framework == TargetFramework::Any || !catalog[std::size_t(*framework)].title.empty())
        return CatalogError{pointer + "/id", quoteText(entry->id), "a framework that no other entry has"};
    auto rules = catalog_detail::parseList<FrameworkEntry>(value, "rules", pointer);
    if (!rules)
        return rules.error();
    const auto late = std::ranges::adjacent_find(*rules, std::ranges::greater_equal(), &FrameworkEntry::rule);
    if (late != rules->end())
        return CatalogError{pointer + "/rules/" + std::to_string(late - rules->begin() + 1),
            "the rule after " + std::string(key(late->rule)), "rules in their order, each once"};
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
        return tl::unexpected(CatalogError{root, "text that is not JSON", "a JSON object"});
    if (!document.is_object() || !document.contains("license") || !document.contains("entries")
        || !document["entries"].is_array())
        return tl::unexpected(
            CatalogError{root, quoteJson(document), "an object with \"license\" and a list \"entries\""});
    FrameworkCatalog catalog;
    catalog[std::size_t(TargetFramework::Any)].title = "any framework";
    std::size_t index = 0;
    for (const nlohmann::json& value : document["entries"])
        if (const auto error = readFramework(value, root + "/entries/" + std::to_string(index++), catalog))
            return tl::unexpected(*error);
    for (const TargetFramework framework : kTargetFrameworks)
        if (catalog[std::size_t(framework)].title.empty())
            return tl::unexpected(
                CatalogError{root + "/entries", "nothing", "an entry of \"" + std::string(key(framework)) + '"'});
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

} // namespace stratoplan
