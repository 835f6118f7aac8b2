// SPDX-License-Identifier: Apache-2.0
// Texts that say how machines are wired, as a cluster: the matrix of `nvidia-smi topo -m`, the XML of NCCL and RCCL,
// the topology.conf of Slurm, and a table of nodes. A reader takes what its text says (described.h); nodes and network
// are then made of that and of the catalogue, and what the text leaves open is listed.
#pragma once

#include "core/catalog/catalog.h"
#include "core/wiring/remarks.h"

#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace stratoplan::wiring {

enum class Format { SmiMatrix, NcclXml, SlurmTree, NodeTable };
[[nodiscard]] std::string_view key(Format format); // "nvidia-smi", "nccl", "slurm", "nodes"

/// Looks at the first lines only: a text may be meant as a format and be broken, which its reader then says.
[[nodiscard]] std::optional<Format> recognise(std::string_view text);

/// What is wrong with a text, and where.
struct Fault {
    int line = 0; ///< from 1; 0 = the whole text
    int column = 0; ///< in bytes from 1, colours left out; 0 = the whole line
    std::string found;
    std::string expected;
    bool operator==(const Fault&) const = default;
};

/// What no reader takes: nothing at all, a text beyond all measure, wide characters, bytes that are no UTF-8.
[[nodiscard]] std::optional<Fault> faultOfText(std::string_view text);

/// What a person says of what a text leaves open. Parts are those of the catalogue handed in; null: not said.
struct Options {
    const catalog::NodePreset* node = nullptr;
    const cluster::Accelerator* accelerator = nullptr;
    const cluster::Link* nic = nullptr;
    int nodes = 0; ///< alike, for the texts of a single node; 0 = not said
};

struct ImportedCluster {
    Format format{};
    cluster::Cluster cluster;
    std::vector<Filled> filled; ///< what the text does not say
    std::vector<Remark> remarks; ///< what it says and the cluster has otherwise, or has no place for
};

/// `name` is that of the cluster, e.g. of its file.
[[nodiscard]] tl::expected<ImportedCluster, Fault> importCluster(std::string_view text, Format format,
    std::string_view name, const Options& options, const catalog::Catalog& catalog);

/// Of a table of nodes, in the order of the documentation.
struct TableColumn {
    std::string_view name;
    std::string_view meaning;
};
[[nodiscard]] const std::vector<TableColumn>& tableColumns();

inline constexpr int kMostNodes = 100'000; ///< of a text

} // namespace stratoplan::wiring
