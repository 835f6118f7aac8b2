// SPDX-License-Identifier: Apache-2.0
#include "core/catalog/catalog_fields.h"
#include "core/catalog/kernel_json.h"
#include "core/catalog/words.h"
#include "core/units/reading.h"

namespace stratoplan::catalog {

using nlohmann::json;
using namespace detail;

namespace {

/// Adopts the name and identity that a preset gives its node.
void complete(NodePreset& preset)
{
    preset.node.id = "nodes";
    preset.node.name = preset.name;
}
void complete(ClusterPreset& preset)
{
    preset.name = preset.cluster.name;
}
template <typename T>
void complete(T&)
{
}

/// {"license": …, "entries": [ … ]} into `into`; entries may refer to what `catalog` holds already.
template <typename T>
std::optional<CatalogError> parseFile(const EmbeddedFile& file, const Catalog& catalog, std::vector<T>& into)
{
    const std::string root = std::string(file.name) + "#";
    const json document = json::parse(file.content, nullptr, false);
    if (document.is_discarded())
        return CatalogError{root, reading::kNotJson, reading::kJsonObject};
    if (!document.is_object() || !document.contains("entries") || !document["entries"].is_array()
        || !document.contains("license"))
        return CatalogError{root, quoteJson(document), words::kLicenseAndEntries};
    std::size_t index = 0;
    for (const json& value : document["entries"]) {
        const std::string pointer = root + "/entries/" + std::to_string(index++);
        auto entry = parseObject<T>(value, pointer, catalog, Strictness::Catalogue);
        if (!entry)
            return entry.error();
        for (const T& other : into)
            if (other.id == entry->id)
                return CatalogError{
                    pointer + "/id", quoteJson(nlohmann::json(entry->id)), words::kAnIdThatNoOtherEntryHas};
        complete(*entry);
        into.push_back(std::move(*entry));
    }
    return std::nullopt;
}

} // namespace

CatalogResult<Catalog> parseCatalog(std::span<const EmbeddedFile> files)
{
    Catalog catalog;
    // Later kinds refer to earlier ones: nodes to accelerators and links, clusters to nodes.
    const auto read = [&](std::string_view name, auto& entries) -> std::optional<CatalogError> {
        for (const EmbeddedFile& file : files)
            if (file.name == name)
                return parseFile(file, catalog, entries);
        return std::nullopt;
    };
    std::optional<CatalogError> error;
    for (const EmbeddedFile& file : files)
        if (file.name == "kernels.json" && !error)
            error = parseKernels(file, catalog.kernels);
    if (!error)
        error = read("accelerators.json", catalog.accelerators);
    if (!error)
        error = read("links.json", catalog.links);
    if (!error)
        error = read("nodes.json", catalog.nodes);
    if (!error)
        error = read("clusters.json", catalog.clusters);
    if (!error)
        error = read("models.json", catalog.models);
    if (!error)
        error = read("software.json", catalog.software);
    if (error)
        return tl::unexpected(*error);
    return catalog;
}

} // namespace stratoplan::catalog
