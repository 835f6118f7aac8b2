// SPDX-License-Identifier: Apache-2.0
// What a text says of nodes and of their network, in the same terms for every format.
#pragma once

#include "core/wiring/wiring.h"

#include <map>

namespace stratoplan::wiring {

inline constexpr int kMostGroups = 64; ///< of nodes, and of leaves: estimates of many unlike groups take long
inline constexpr int kMostAccelerators = 1'000'000; ///< of a text: the most replicas that a plan may have

inline constexpr int kMostCables = 100'000'000; ///< between two groups, as there

/// Accelerators of a node that NVLinks, or their like, join.
struct Domain {
    int size = 1;
    int links = 0; ///< that leave each accelerator and collectives use
    int most = 0; ///< that leave an accelerator
    bool even = true; ///< the same between all pairs
    bool ring = true; ///< one goes through all of it
    bool switched = false; ///< links lead to switches that all share
    bool operator==(const Domain&) const = default;
};

struct Port {
    std::string name;
    cluster::LinkKind kind = cluster::LinkKind::Other;
    double gigabits = 0; ///< per second; 0 = not stated
    std::string link = {}; ///< id in the catalogue of what is of no listed kind, or of a vendor
};

/// Nodes that are alike, as a text of a single node shows them.
struct DescribedNode {
    int count = 1;
    int accelerators = 0;
    std::vector<Domain> domains = {}; ///< empty: the text says nothing of links between accelerators
    bool spansNodes = false; ///< the domain is one of all nodes
    bool isXgmi = false; ///< links are those of AMD
    std::string device = {}; ///< PCI vendor and device; empty: not stated
    std::string compute = {}; ///< capability or architecture; empty: not stated
    double gigatransfers = 0; ///< per second and lane of the accelerators' PCIe; 0 = not stated
    int lanes = 0;
    std::vector<Port> ports = {};
};

struct DescribedNodes {
    std::vector<DescribedNode> kinds; ///< unlike each other
    std::vector<Remark> remarks;
};

/// How many are of each kind, in the order in which the text states these.
using NodesOfKinds = std::vector<std::pair<std::size_t, int>>;

/// A network of nodes that are given as groups of the cluster.
struct DescribedNetwork {
    struct Leaf {
        NodesOfKinds nodes;
        std::vector<int> parents = {}; ///< among `uppers`
        int uplinks = 0; ///< cables; 0 = not stated
        std::string name = {}; ///< of the switch
        int line = 0; ///< that names it first
    };
    struct Upper {
        cluster::SwitchTier tier = cluster::SwitchTier::Spine;
        std::vector<int> parents; ///< among `uppers`, of a tier above
        std::string name = {};
    };
    std::vector<cluster::NodeGroup> kinds = {}; ///< count and id are of no account
    std::vector<Leaf> leaves = {}; ///< in the order in which they are stated: ranks follow it
    std::vector<Upper> uppers = {};
    bool isJoinedAbove = false; ///< by switches of tiers that are left out
};

/// Groups of nodes of what a text shows, and what of them is filled in. Errors: more than a plan can have.
[[nodiscard]] tl::expected<ImportedCluster, Fault> lowered(
    const DescribedNodes& described, const Options& options, const catalog::Catalog& catalog);
/// More accelerators than a plan can have.
[[nodiscard]] std::optional<Fault> faultOfSize(const cluster::Cluster& cluster);
/// A node of which a text says nothing but that it is there. The rest is filled in, and listed.
[[nodiscard]] cluster::NodeGroup usualNode(
    const Options& options, const catalog::Catalog& catalog, std::vector<Filled>& filled);
/// Groups of nodes and switches, and the cables between them; adds to `imported`. The nodes alone where what joins them
/// is left out, or a switch would be wider than a plan can have it.
[[nodiscard]] std::optional<Fault> draw(const DescribedNetwork& network, ImportedCluster& imported);
/// The nodes alone: a network without bottleneck is assumed.
[[nodiscard]] std::optional<Fault> listNodes(const DescribedNetwork& network, ImportedCluster& imported);

/// The first node of the catalogue with that accelerator; null without any.
[[nodiscard]] const catalog::NodePreset* nodeWith(
    const cluster::Accelerator& accelerator, const catalog::Catalog& catalog);

// The readers. Preconditions: UTF-8 without byte order mark.
[[nodiscard]] tl::expected<DescribedNodes, Fault> readSmiMatrix(std::string_view text);
[[nodiscard]] tl::expected<DescribedNodes, Fault> readNcclXml(std::string_view text);
[[nodiscard]] tl::expected<ImportedCluster, Fault> readSlurmTree(
    std::string_view text, const Options& options, const catalog::Catalog& catalog);
[[nodiscard]] tl::expected<ImportedCluster, Fault> readNodeTable(
    std::string_view text, const Options& options, const catalog::Catalog& catalog);
[[nodiscard]] bool looksLikeSmiMatrix(std::string_view text);
[[nodiscard]] bool looksLikeSlurmTree(std::string_view text);
[[nodiscard]] bool looksLikeNodeTable(std::string_view text);

} // namespace stratoplan::wiring
