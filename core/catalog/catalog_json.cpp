// SPDX-License-Identifier: Apache-2.0
#include "core/catalog/catalog_json.h"

#include "core/catalog/catalog_fields.h"
#include "core/catalog/words.h"
#include "core/cluster/cluster_edits.h"

namespace stratoplan::catalog {

using nlohmann::json;
using nlohmann::ordered_json;
using namespace detail;

namespace {

/// An entry by its id, or the error that names the nearest ids.
template <typename Entry>
tl::expected<const Entry*, CatalogError> lookUp(
    const json& id, const std::string& pointer, const std::vector<Entry>& entries, std::string_view what)
{
    std::vector<std::string_view> ids;
    const std::string wanted = id.is_string() ? id.get<std::string>() : std::string();
    for (const Entry& entry : entries) {
        if (entry.id == wanted && id.is_string())
            return &entry;
        ids.push_back(entry.id);
    }
    return tl::unexpected(CatalogError{pointer, quoteJson(id), expectedId(what, wanted, ids)});
}

/// A table of measured kernels that is named must exist: without it the estimate would be another one, and not say so.
template <typename T>
CatalogResult<T> withKnownKernels(
    CatalogResult<T> parsed, const json& value, const std::string& pointer, const Catalog& catalog)
{
    // An id names a whole entry of the catalogue; a catalogue without kernels has nothing to compare with.
    if (!parsed || !value.is_object() || parsed->kernels.empty() || catalog.kernels.empty())
        return parsed;
    if (const auto tables =
            lookUp(json(parsed->kernels), childPointer(pointer, "kernels"), catalog.kernels, words::kMeasuredKernels);
        !tables)
        return tl::unexpected(tables.error());
    return parsed;
}

template <typename T>
CatalogResult<T> parseEntryOr(const json& value, const std::string& pointer, const std::vector<T>& entries,
    std::string_view what, const Catalog& catalog, Strictness strictness)
{
    if (value.is_string())
        return lookUp(value, pointer, entries, what).map([](const T* entry) { return *entry; });
    return parseObject<T>(value, pointer, catalog, strictness);
}

template <typename T>
ordered_json toEntryOrObject(const T& value, const std::vector<T>& entries, const Catalog& catalog)
{
    for (const T& entry : entries)
        if (entry == value)
            return value.id;
    return toObject(value, catalog);
}

} // namespace

CatalogResult<cluster::Accelerator> parseAccelerator(
    const json& value, const std::string& pointer, const Catalog& catalog, Strictness strictness)
{
    return withKnownKernels(
        parseEntryOr(value, pointer, catalog.accelerators, words::kAnAccelerator, catalog, strictness), value, pointer,
        catalog);
}

CatalogResult<cluster::Link> parseLink(
    const json& value, const std::string& pointer, const Catalog& catalog, Strictness strictness)
{
    return withKnownKernels(
        parseEntryOr(value, pointer, catalog.links, "a link", catalog, strictness), value, pointer, catalog);
}

CatalogResult<plan::SoftwareProfile> parseSoftwareProfile(
    const json& value, const std::string& pointer, const Catalog& catalog, Strictness strictness)
{
    return parseEntryOr(value, pointer, catalog.software, words::kASoftwareProfile, catalog, strictness);
}

CatalogResult<cluster::NodeGroup> parseNodeGroup(
    const json& value, const std::string& pointer, const Catalog& catalog, Strictness strictness)
{
    if (!value.is_object())
        return tl::unexpected(notAnObject(value, pointer));
    const auto preset = value.find("preset");
    if (preset == value.end())
        return parseObject<cluster::NodeGroup>(value, pointer, catalog, strictness);
    const auto base = lookUp(*preset, childPointer(pointer, "preset"), catalog.nodes, "a node");
    if (!base)
        return tl::unexpected(base.error());
    cluster::NodeGroup group = (*base)->node;
    FieldReader reader(value, pointer, catalog, strictness);
    reader.setPartial();
    reader.skip("preset");
    fields(reader, group);
    reader.refuseUnknownKeys();
    if (reader.error())
        return tl::unexpected(*reader.error());
    if (group.torus && isValid(*group.torus)) {
        if (!value.contains("torus"))
            setScaleUpDomain(group, group.scaleUpDomain);
        else if (!value.contains("scale_up_domain"))
            setTorusAxes(group, std::vector(group.torus->axes));
    }
    return group;
}

CatalogResult<cluster::SwitchGroup> parseSwitchGroup(
    const json& value, const std::string& pointer, const Catalog& catalog, Strictness strictness)
{
    return parseObject<cluster::SwitchGroup>(value, pointer, catalog, strictness);
}

CatalogResult<cluster::Connection> parseConnection(
    const json& value, const std::string& pointer, const Catalog& catalog, Strictness strictness)
{
    return parseObject<cluster::Connection>(value, pointer, catalog, strictness);
}

CatalogResult<cluster::Cluster> parseCluster(
    const json& value, const std::string& pointer, const Catalog& catalog, Strictness strictness)
{
    if (value.is_string())
        return lookUp(value, pointer, catalog.clusters, "a cluster").map([](const ClusterPreset* preset) {
            return preset->cluster;
        });
    return parseObject<cluster::Cluster>(value, pointer, catalog, strictness);
}

CatalogResult<model::Transformer> parseTransformer(
    const json& value, const std::string& pointer, const Catalog& catalog, Strictness strictness)
{
    if (value.is_string())
        return lookUp(value, pointer, catalog.models, "a model").map([](const ModelPreset* preset) {
            return preset->model;
        });
    return parseObject<model::Transformer>(value, pointer, catalog, strictness);
}

ordered_json toJson(const cluster::Accelerator& accelerator, const Catalog& catalog)
{
    return toEntryOrObject(accelerator, catalog.accelerators, catalog);
}

ordered_json toJson(const cluster::Link& link, const Catalog& catalog)
{
    return toEntryOrObject(link, catalog.links, catalog);
}

ordered_json toJson(const plan::SoftwareProfile& profile, const Catalog& catalog)
{
    return toEntryOrObject(profile, catalog.software, catalog);
}

ordered_json toJson(const cluster::NodeGroup& group, const Catalog& catalog)
{
    for (const NodePreset& preset : catalog.nodes) {
        cluster::NodeGroup same = preset.node;
        same.id = group.id;
        same.name = group.name;
        same.count = group.count;
        same.rack = group.rack;
        if (same != group)
            continue;
        ordered_json written{{"id", group.id}, {"name", group.name}, {"preset", preset.id}, {"count", group.count}};
        if (!group.rack.empty())
            written["rack"] = group.rack;
        return written;
    }
    return toObject(group, catalog);
}

ordered_json toJson(const cluster::SwitchGroup& group, const Catalog& catalog)
{
    return toObject(group, catalog);
}

ordered_json toJson(const cluster::Connection& connection, const Catalog& catalog)
{
    return toObject(connection, catalog);
}

ordered_json toJson(const cluster::Cluster& cluster, const Catalog& catalog)
{
    for (const ClusterPreset& preset : catalog.clusters)
        if (preset.cluster == cluster)
            return preset.id;
    return toObject(cluster, catalog);
}

ordered_json toJson(const model::Transformer& model, const Catalog& catalog)
{
    for (const ModelPreset& preset : catalog.models)
        if (preset.model == model)
            return preset.id;
    return toObject(model, catalog);
}

} // namespace stratoplan::catalog
