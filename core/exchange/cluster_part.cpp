// SPDX-License-Identifier: Apache-2.0
#include "core/exchange/cluster_part.h"

#include "core/catalog/catalog_json.h"
#include "core/exchange/json_text.h"
#include "core/exchange/plan_json.h"
#include "core/exchange/schema.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <set>

namespace stratoplan::exchange {

namespace {

/// Of another document, what else is missing says nothing.
std::optional<DocumentError> otherFormat(const nlohmann::ordered_json& document)
{
    const std::string format(key(DocumentFormat::Cluster));
    const bool isTold = document.is_object() && document.contains("format");
    if (isTold && document.at("format") == format)
        return std::nullopt;
    return DocumentError{DocumentError::Code::Schema, {}, "/format",
        isTold ? catalog::quoteJson(document.at("format")) : "nothing", catalog::quoteText(format)};
}

/// What no schema can say: ids are those of one element each, and cables have both their ends.
DocumentErrors looseEnds(const cluster::Cluster& cluster)
{
    DocumentErrors errors;
    const auto fail = [&errors](const std::string& place, const std::string& found, const char* expected) {
        errors.push_back({DocumentError::Code::Schema, {}, place, catalog::quoteText(found), expected});
    };
    std::set<std::string_view> ids;
    const auto take = [&](const auto& groups, const char* list) {
        for (std::size_t i = 0; i < groups.size(); ++i)
            if (!ids.insert(groups[i].id).second)
                fail(std::string(list) + std::to_string(i) + "/id", groups[i].id, "an id of its own");
    };
    take(cluster.nodes, "/cluster/nodes/");
    take(cluster.switches, "/cluster/switches/");
    for (std::size_t i = 0; i < cluster.connections.size(); ++i) {
        const cluster::Connection& cable = cluster.connections[i];
        for (const auto& [end, id] : {std::pair("/from", &cable.from), std::pair("/to", &cable.to)})
            if (!ids.contains(*id))
                fail("/cluster/connections/" + std::to_string(i) + end, *id, "the id of nodes or switches beside it");
    }
    return errors;
}

} // namespace

tl::expected<ClusterPart, DocumentErrors> parseClusterPart(std::string_view text, const catalog::Catalog& catalog)
{
    const auto parsed = parseJson(text);
    if (!parsed)
        return tl::unexpected(DocumentErrors{parsed.error()});
    if (auto fault = otherFormat(*parsed))
        return tl::unexpected(DocumentErrors{std::move(*fault)});
    DocumentErrors faults = checkSchema(*parsed, DocumentFormat::Cluster);
    if (faults.empty())
        faults = unknownFields(*parsed, DocumentFormat::Cluster);
    if (!faults.empty())
        return tl::unexpected(std::move(faults));
    const nlohmann::json checked = *parsed;
    auto cluster = parseCluster(checked.at("cluster"), "/cluster", catalog);
    if (!cluster) {
        catalog::CatalogError& error = cluster.error();
        return tl::unexpected(DocumentErrors{{DocumentError::Code::Schema, {}, std::move(error.pointer),
            std::move(error.found), std::move(error.expected)}});
    }
    faults = looseEnds(*cluster);
    if (!faults.empty())
        return tl::unexpected(std::move(faults));
    return ClusterPart{std::move(*cluster), parseCanvas(checked)};
}

std::string writeClusterPart(const ClusterPart& part)
{
    return prettyJson({{"format", std::string(key(DocumentFormat::Cluster))}, {"version", kFormatVersion},
        {"cluster", toJson(part.cluster, catalog::Catalog{})}, {"canvas", canvasToJson(part.canvas)}});
}

} // namespace stratoplan::exchange
