// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/output.h"
#include "app/cli/table.h"
#include "core/catalog/catalog.h"

#include <nlohmann/json.hpp>

#include <array>
#include <functional>

namespace stratoplan::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Entry {
    std::string id;
    std::string name;
};

/// One list of the catalogue.
struct Kind {
    std::string_view key;
    std::string_view use; ///< where a plan names its entries
    std::function<std::vector<Entry>(const catalog::Catalog&)> entries;
};

template <class Entries>
std::vector<Entry> named(const Entries& entries)
{
    std::vector<Entry> list;
    for (const auto& entry : entries)
        list.push_back({entry.id, entry.name});
    return list;
}

const std::array<Kind, 6>& kinds()
{
    static const std::array<Kind, 6> kKinds{{
        {"accelerators", "the accelerator of a node group",
            [](const catalog::Catalog& catalog) { return named(catalog.accelerators); }},
        {"links", "links between accelerators, nodes and switches",
            [](const catalog::Catalog& catalog) { return named(catalog.links); }},
        {"nodes", "the preset of a node group", [](const catalog::Catalog& catalog) { return named(catalog.nodes); }},
        {"clusters", "a whole cluster", [](const catalog::Catalog& catalog) { return named(catalog.clusters); }},
        {"models", "a model",
            [](const catalog::Catalog& catalog) {
                std::vector<Entry> list;
                for (const catalog::ModelPreset& preset : catalog.models)
                    list.push_back({preset.id, preset.model.name});
                return list;
            }},
        {"software", "training.software, and --profile",
            [](const catalog::Catalog& catalog) { return named(catalog.software); }},
    }};
    return kKinds;
}

} // namespace

int runCatalog(const CatalogArguments& arguments)
{
    std::string keys;
    for (const Kind& kind : kinds())
        keys += (keys.empty() ? "" : ", ") + std::string(kind.key);
    Json json = Json::object();
    std::string text;
    for (const Kind& kind : kinds()) {
        if (!arguments.kind.empty() && arguments.kind != kind.key)
            continue;
        Table table({Align::Left, Align::Left});
        Json list = Json::array();
        for (const Entry& entry : kind.entries(catalog::shippedCatalog())) {
            table.row({entry.id, entry.name});
            list.push_back({{"id", entry.id}, {"name", entry.name}});
        }
        json[std::string(kind.key)] = std::move(list);
        text +=
            (text.empty() ? "" : "\n") + std::string(kind.key) + ", for " + std::string(kind.use) + '\n' + table.text();
    }
    if (json.empty())
        return refuse("KIND", '"' + arguments.kind + '"', "one of " + keys, arguments.json);
    return arguments.json ? deliverJson(json) : deliver(text);
}

} // namespace stratoplan::cli
