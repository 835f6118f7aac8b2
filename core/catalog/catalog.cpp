// SPDX-License-Identifier: Apache-2.0
#include "core/catalog/catalog.h"

#include "core/catalog/catalog_json.h"

#include <cstdio>
#include <cstdlib>

namespace stratoplan::catalog {
namespace {

template <typename Entry>
const Entry* find(const std::vector<Entry>& entries, std::string_view id)
{
    const auto it = std::find_if(entries.begin(), entries.end(), [id](const Entry& entry) { return entry.id == id; });
    return it == entries.end() ? nullptr : &*it;
}

} // namespace

const cluster::KernelTables* Catalog::kernelTables(std::string_view id) const
{
    return id.empty() ? nullptr : find(kernels, id);
}

const cluster::Accelerator* Catalog::accelerator(std::string_view id) const
{
    return find(accelerators, id);
}

const cluster::Link* Catalog::link(std::string_view id) const
{
    return find(links, id);
}

const NodePreset* Catalog::node(std::string_view id) const
{
    return find(nodes, id);
}

const ClusterPreset* Catalog::cluster(std::string_view id) const
{
    return find(clusters, id);
}

const ModelPreset* Catalog::model(std::string_view id) const
{
    return find(models, id);
}

const plan::SoftwareProfile* Catalog::softwareProfile(std::string_view id) const
{
    return find(software, id);
}

const Catalog& shippedCatalog()
{
    static const Catalog catalog = [] {
        auto parsed = parseCatalog(embedded::catalog());
        if (!parsed) {
            std::fprintf(
                stderr, "stratoplan: the built-in catalogue is broken: %s\n", describe(parsed.error()).c_str());
            std::abort();
        }
        return *std::move(parsed);
    }();
    return catalog;
}

} // namespace stratoplan::catalog
