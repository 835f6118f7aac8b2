// SPDX-License-Identifier: Apache-2.0
// A cluster as a person assembles it: groups of identical nodes ("16 of these"), groups of switches, and
// the links between groups. The form and the canvas edit this one value. topology() lowers it to the
// levels that ranks and collectives see.
#pragma once

#include "core/cluster/kernel_tables.h"
#include "core/cluster/torus.h"
#include "core/model/precision.h"
#include "core/units/quantity.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stratoplan::cluster {

/// Dense peak matrix rate by precision; zero where the accelerator lacks it.
class PeakRates {
public:
    [[nodiscard]] FlopsPerSecond operator[](model::Precision p) const { return m_rates[static_cast<std::size_t>(p)]; }
    [[nodiscard]] FlopsPerSecond& operator[](model::Precision p) { return m_rates[static_cast<std::size_t>(p)]; }
    bool operator==(const PeakRates&) const = default;

private:
    std::array<FlopsPerSecond, model::kPrecisions.size()> m_rates{};
};

struct Accelerator {
    std::string id; ///< catalogue key: "a100-sxm-80"
    std::string name; ///< "A100 SXM 80 GB"
    std::string vendor;
    Bytes memory{};
    BytesPerSecond memoryBandwidth{};
    PeakRates peak; ///< dense, without sparsity
    int computeUnits = 0; ///< SMs, CUs, cores: the wave of a tiled kernel; 0 = unknown
    FlopsPerSecond exponentials{}; ///< powers of two, of the softmax in attention; 0 = unknown
    double matmulSustained = 0.7; ///< share of the peak that long matrix products sustain
    double memorySustained = 0.8; ///< share of memoryBandwidth that streaming kernels sustain
    double watts = 0; ///< board power
    std::string source;
    std::string kernels = {}; ///< catalogue key of the measured kernels its efficiency by shape follows; empty = none
    bool operator==(const Accelerator&) const = default;
};

enum class LinkKind { NvLink, Pcie, InfiniBand, Ethernet, Slingshot, InfinityFabric, Hccs, Ici, Other };
[[nodiscard]] std::string_view key(LinkKind
        kind); // "nvlink", "pcie", "infiniband", "ethernet", "slingshot", "infinity-fabric", "hccs", "ici", "other"
/// Whether links of this kind run between nodes; those of no listed kind do (Omni-Path).
[[nodiscard]] bool isNetwork(LinkKind kind);

/// One link (a network port, or everything that leaves one accelerator inside a node), each direction.
struct Link {
    std::string id;
    std::string name;
    LinkKind kind = LinkKind::Other;
    BytesPerSecond bandwidth{}; ///< one direction, as printed in the data sheet
    double sustained = 0.8; ///< share of it that large collectives reach
    Seconds latency{}; ///< of one hop of a collective, software included
    std::string source;
    std::string kernels = {}; ///< catalogue key of the measured collectives its times by size follow; empty = none
    bool operator==(const Link&) const = default;
};

/// What large collectives reach of it, each direction.
[[nodiscard]] inline BytesPerSecond sustained(const Link& link)
{
    return link.bandwidth * link.sustained;
}

/// `count` identical nodes.
struct NodeGroup {
    std::string id; ///< unique among the elements of the cluster; "nodes"
    std::string name; ///< "DGX A100"
    Accelerator accelerator;
    int acceleratorsPerNode = 8;
    Link scaleUp; ///< per accelerator: NVLink, ICI, HCCS, PCIe
    int scaleUpDomain = 8; ///< accelerators that reach one another over scaleUp; may span nodes (NVL72)
    std::optional<Torus> torus = {}; ///< how scaleUp links those of a domain to their neighbours (ICI, NeuronLink), as
                                     ///< many as there are; without it each to each, through switches
    std::optional<Link> inNode = {}; ///< of each accelerator to those of other domains in its node (PCIe); without it
                                     ///< they reach one another over the network
    Link nic; ///< one network port
    int nicsPerNode = 8;
    Bytes hostMemory{}; ///< of one node; 0 = not stated
    BytesPerSecond hostMemoryBandwidth{}; ///< of one node; 0 = not stated
    BytesPerSecond hostLink{}; ///< of each accelerator to it while all of the node transfer, sustained in each
                               ///< direction; 0 = not stated
    double watts = 0; ///< that a whole node is rated at; 0 = not stated
    int count = 1;
    std::string rack = {}; ///< elements of one rack are drawn in one frame: "Rack 1"; nothing is priced by it
    bool operator==(const NodeGroup&) const = default;
};

enum class SwitchTier { Leaf, Spine, Core };
[[nodiscard]] std::string_view key(SwitchTier tier); // "leaf", "spine", "core"

/// Of a switch, in a plan document.
inline constexpr int kMostPorts = 100'000;

/// `count` identical switches.
struct SwitchGroup {
    std::string id;
    std::string name;
    SwitchTier tier = SwitchTier::Leaf;
    int ports = 40;
    int count = 1;
    /// The switches of a block serve nodes, or switches below, of their own; nodes have cables to every leaf of their
    /// block (rails). 0: each leaf is a block of its own, all spines are one, all core switches are one.
    int blocks = 0;
    /// The switches sum up what passes them, and the stack lets them (SHARP; NCCL with NCCL_COLLNET_ENABLE=1).
    bool reduces = false;
    std::string rack = {}; ///< as of nodes
    bool operator==(const SwitchGroup&) const = default;
};

/// Cables between two groups, taken together: `cables` links in all, spread evenly.
struct Connection {
    std::string from; ///< id of a node or switch group
    std::string to;
    Link link;
    int cables = 1;
    bool operator==(const Connection&) const = default;
};

[[nodiscard]] inline bool endsAt(const Connection& connection, std::string_view id)
{
    return connection.from == id || connection.to == id;
}

struct Cluster {
    std::string name;
    std::vector<NodeGroup> nodes;
    std::vector<SwitchGroup> switches; ///< empty: a non-blocking fabric is assumed
    std::vector<Connection> connections;
    bool operator==(const Cluster&) const = default;
};

/// A group of no nodes, or of nodes without accelerators, takes no part in training.
[[nodiscard]] bool takesPart(const NodeGroup& group);
[[nodiscard]] int acceleratorCount(const Cluster& cluster);
[[nodiscard]] int nodeCount(const Cluster& cluster);
/// Accelerators of the smallest scale-up domain of the groups that take part; 1 without any.
[[nodiscard]] int smallestDomain(const Cluster& cluster);
/// The same of accelerators that reach one another without the network: of a domain, or of a node that joins its
/// domains.
[[nodiscard]] int smallestIsland(const Cluster& cluster);
/// Memory of its smallest accelerator that takes part; infinite without any.
[[nodiscard]] Bytes smallestMemory(const Cluster& cluster);
/// Of its largest; 0 without any.
[[nodiscard]] Bytes largestMemory(const Cluster& cluster);

/// One level of the machine as ranks see it, innermost first.
struct TopologyLevel {
    std::string name; ///< "NVLink 3", "InfiniBand HDR"
    int size = 1; ///< accelerators inside one unit of this level
    BytesPerSecond bandwidth{}; ///< of one unit of the level below (an accelerator, a node), each direction, sustained
    Seconds latency{};
    double ports =
        1; ///< independent ports `bandwidth` is spread over; one rank drives one unless there are more ports than ranks
    int alignment = 0; ///< its units begin at multiples of so many accelerators; 0: of `size`, as units of one size do
    bool isBypassed = false; ///< what leaves its units does not go over it: it joins the domains of a node alone
    bool reduces = false; ///< all switches that it goes over sum up what passes them
    std::string kernels = {}; ///< of its link: catalogue key of measured collectives
    const std::vector<CollectiveCurve>* curves =
        nullptr; ///< those collectives, where the caller looked them up; not owned
    std::optional<Torus> torus = {}; ///< of level 0: how its units are linked, or part of what they are a slice of;
                                     ///< `bandwidth` is that of all their links
    bool operator==(const TopologyLevel&) const = default;
};

/// Levels that a topology has at the most.
inline constexpr std::size_t kMostLevels = 6;

/// The cluster as a tree of levels: [0] the scale-up domain (bandwidth per accelerator), the node where its domains are
/// joined within it, the network (bandwidth of all NICs of one unit below together), then what lies behind
/// oversubscribed uplinks of leaves, and of pods, if there are any. Groups of unlike nodes take the slowest value of
/// each kind. A cluster of one domain has no level 1; an empty one no level.
struct Topology {
    std::vector<TopologyLevel> levels;
    int accelerators = 0;
    bool operator==(const Topology&) const = default;
};
[[nodiscard]] Topology topology(const Cluster& cluster);
/// The same as ranks on some groups of nodes see it (by place, those that take part), while those of all others
/// communicate, too.
[[nodiscard]] Topology topology(const Cluster& cluster, const std::vector<std::size_t>& groups);

} // namespace stratoplan::cluster
