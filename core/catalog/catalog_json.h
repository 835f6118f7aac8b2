// SPDX-License-Identifier: Apache-2.0
// Catalogue values as JSON, both ways: the entries of resources/catalog and the same values inside a plan.
// Wherever a value may stand, the id of a catalogue entry may stand instead; writing prefers the id where the
// value equals the entry. Keys are the members in snake_case, with the unit in the name (memory_gib,
// bandwidth_gb_s, latency_us, peak_tflops).
#pragma once

#include "core/catalog/catalog.h"
#include "core/catalog/embedded.h"

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace stratoplan::catalog {

/// One fault of a value. `pointer` is a JSON pointer: the one handed in, plus the way to the fault.
struct CatalogError {
    std::string pointer;
    std::string found; ///< what stands there
    std::string expected; ///< what would be right
    bool operator==(const CatalogError&) const = default;
};
/// "/nodes/0/count: found \"many\", expected a whole number >= 0".
[[nodiscard]] std::string describe(const CatalogError& error);

template <typename T>
using CatalogResult = tl::expected<T, CatalogError>;

/// Plan: keys nobody knows are left alone, members with a default may be missing.
/// Catalogue: an unknown key is an error, and so is a missing id, source, vendor, …
enum class Strictness { Plan, Catalogue };

// An object, or the id of an entry of `catalog`. `pointer` is where the value stands in its document.
// A NodeGroup may name a node of the catalogue as "preset" and override members of it.
[[nodiscard]] CatalogResult<cluster::Accelerator> parseAccelerator(const nlohmann::json& json,
    const std::string& pointer, const Catalog& catalog = shippedCatalog(), Strictness = Strictness::Plan);
[[nodiscard]] CatalogResult<cluster::Link> parseLink(const nlohmann::json& json, const std::string& pointer,
    const Catalog& catalog = shippedCatalog(), Strictness = Strictness::Plan);
[[nodiscard]] CatalogResult<cluster::NodeGroup> parseNodeGroup(const nlohmann::json& json, const std::string& pointer,
    const Catalog& catalog = shippedCatalog(), Strictness = Strictness::Plan);
[[nodiscard]] CatalogResult<cluster::SwitchGroup> parseSwitchGroup(const nlohmann::json& json,
    const std::string& pointer, const Catalog& catalog = shippedCatalog(), Strictness = Strictness::Plan);
[[nodiscard]] CatalogResult<cluster::Connection> parseConnection(const nlohmann::json& json, const std::string& pointer,
    const Catalog& catalog = shippedCatalog(), Strictness = Strictness::Plan);
[[nodiscard]] CatalogResult<cluster::Cluster> parseCluster(const nlohmann::json& json, const std::string& pointer,
    const Catalog& catalog = shippedCatalog(), Strictness = Strictness::Plan);
[[nodiscard]] CatalogResult<model::Transformer> parseTransformer(const nlohmann::json& json, const std::string& pointer,
    const Catalog& catalog = shippedCatalog(), Strictness = Strictness::Plan);
[[nodiscard]] CatalogResult<plan::SoftwareProfile> parseSoftwareProfile(const nlohmann::json& json,
    const std::string& pointer, const Catalog& catalog = shippedCatalog(), Strictness = Strictness::Plan);

// The id where the value equals an entry of `catalog`, else an object; Catalog{} always gives the object.
// parse…(toJson(x)) == x for every value that came from JSON.
[[nodiscard]] nlohmann::ordered_json toJson(
    const cluster::Accelerator& accelerator, const Catalog& catalog = shippedCatalog());
[[nodiscard]] nlohmann::ordered_json toJson(const cluster::Link& link, const Catalog& catalog = shippedCatalog());
[[nodiscard]] nlohmann::ordered_json toJson(const cluster::NodeGroup& group, const Catalog& catalog = shippedCatalog());
[[nodiscard]] nlohmann::ordered_json toJson(
    const cluster::SwitchGroup& group, const Catalog& catalog = shippedCatalog());
[[nodiscard]] nlohmann::ordered_json toJson(
    const cluster::Connection& connection, const Catalog& catalog = shippedCatalog());
[[nodiscard]] nlohmann::ordered_json toJson(const cluster::Cluster& cluster, const Catalog& catalog = shippedCatalog());
[[nodiscard]] nlohmann::ordered_json toJson(const model::Transformer& model, const Catalog& catalog = shippedCatalog());
[[nodiscard]] nlohmann::ordered_json toJson(
    const plan::SoftwareProfile& profile, const Catalog& catalog = shippedCatalog());

/// A whole catalogue from its files, in any order: "kernels.json" (kernel_json.h writes it), "accelerators.json",
/// "links.json", "nodes.json", "clusters.json", "models.json", "software.json". A file may be missing (its list stays
/// empty). The error's pointer starts with the file's name: "links.json#/entries/3/kind".
[[nodiscard]] CatalogResult<Catalog> parseCatalog(std::span<const EmbeddedFile> files);

} // namespace stratoplan::catalog
