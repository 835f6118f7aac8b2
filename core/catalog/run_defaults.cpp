// SPDX-License-Identifier: Apache-2.0
#include "core/catalog/run_defaults.h"

#include "core/catalog/catalog_fields.h"
#include "core/catalog/words.h"
#include "core/units/named.h"
#include "core/units/reading.h"
#include "core/units/sentence.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace stratoplan::catalog {

using detail::FieldReader;
using detail::Need;

namespace {

constexpr NameTable<RunConstant, kRunConstants> kRunConstantNames{{{RunConstant::AcceleratorMtbf, "accelerator_mtbf_h"},
    {RunConstant::NodeMtbf, "node_mtbf_h"}, {RunConstant::NicMtbf, "nic_mtbf_h"}, {RunConstant::Restart, "restart_s"},
    {RunConstant::Repair, "repair_h"}, {RunConstant::StorageOfNode, "storage_bytes_per_s_of_node"},
    {RunConstant::BlockingShare, "blocking_share"}, {RunConstant::PowerShare, "power_share"},
    {RunConstant::PowerOverBoards, "power_over_boards"}, {RunConstant::FailureSpread, "failure_spread"},
    {RunConstant::RateSpread, "rate_spread"}, {RunConstant::MemoryRateSpread, "memory_rate_spread"},
    {RunConstant::LinkRateSpread, "link_rate_spread"}, {RunConstant::LatencySpread, "latency_spread"},
    {RunConstant::RestartSpread, "restart_spread"}, {RunConstant::StorageSpread, "storage_spread"},
    {RunConstant::PowerSpread, "power_spread"}, {RunConstant::PriceSpread, "price_spread"}}};

} // namespace

// Found by the namespace of what they read.
static void fields(FieldReader& f, RunDefault& constant)
{
    f("id", constant.id, Need::Always);
    f("value", constant.value, Need::Always);
    f("source", constant.source, Need::Always);
    f("date", constant.date, Need::Always);
}

static void fields(FieldReader& f, GridRegion& grid)
{
    f("id", grid.id, Need::Always);
    f("name", grid.name, Need::Always);
    f("g_per_kwh", grid.intensity, Need::Always);
    f("source", grid.source, Need::Always);
    f("date", grid.date, Need::Always);
}

static void fields(FieldReader& f, ListPrice& price)
{
    f("accelerator", price.accelerator, Need::Always);
    f("per_hour", price.perHour, Need::Always);
    f("currency", price.currency, Need::Always);
    f("source", price.source, Need::Always);
    f("date", price.date, Need::Always);
}

std::string_view key(RunConstant constant)
{
    return nameIn(kRunConstantNames, constant);
}

const ListPrice* RunDefaults::price(std::string_view accelerator) const
{
    const auto known = std::ranges::find(prices, accelerator, &ListPrice::accelerator);
    return known != prices.end() ? &*known : nullptr;
}

CatalogResult<RunDefaults> parseRunDefaults(const EmbeddedFile& file)
{
    const std::string root = std::string(file.name) + '#';
    const nlohmann::json document = nlohmann::json::parse(file.content, nullptr, false);
    if (document.is_discarded() || !document.is_object())
        return tl::unexpected(CatalogError{root, reading::kNotJson, reading::kJsonObject});
    auto constants = detail::parseList<RunDefault>(document, "entries", root);
    if (!constants)
        return tl::unexpected(constants.error());
    RunDefaults defaults;
    for (const auto& [constant, name] : kRunConstantNames) {
        const auto entry = std::ranges::find(*constants, name, &RunDefault::id);
        if (entry == constants->end())
            return tl::unexpected(
                CatalogError{root + "/entries", "nothing", filled(words::kAnEntryOf, {{"name", {std::string(name)}}})});
        defaults.constants.push_back(*entry);
    }
    auto grids = detail::parseList<GridRegion>(document, "grids", root);
    if (!grids)
        return tl::unexpected(grids.error());
    auto prices = detail::parseList<ListPrice>(document, "prices", root);
    if (!prices)
        return tl::unexpected(prices.error());
    defaults.grids = std::move(*grids);
    defaults.prices = std::move(*prices);
    return defaults;
}

const RunDefaults& shippedRunDefaults()
{
    static const RunDefaults defaults = [] {
        auto parsed = parseRunDefaults(embedded::runs().front());
        if (!parsed) {
            std::fprintf(
                stderr, "stratoplan: the built-in defaults of runs are broken: %s\n", describe(parsed.error()).c_str());
            std::abort();
        }
        return *std::move(parsed);
    }();
    return defaults;
}

} // namespace stratoplan::catalog
