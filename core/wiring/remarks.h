// SPDX-License-Identifier: Apache-2.0
// What a text of topology leaves open, and what a cluster has no place for, as values: core/reporting makes the
// sentences.
#pragma once

#include <string>
#include <variant>
#include <vector>

namespace stratoplan::wiring {

/// Why a value was taken that a text does not state.
enum class Why {
    Unsaid, ///< nothing tells
    Links, ///< accelerators of the catalogue have so many NVLinks
    Compute, ///< detail: the compute capability or architecture
    Pcie, ///< detail: GT/s per lane
    UsualNode, ///< detail: id of the node of the catalogue that has it so
    Asked, ///< by the person, as far as the text leaves it open
    EveryPort, ///< each network port of the nodes has a cable
    NoOversubscription,
    MostPorts, ///< network ports below are unlike
    AllCables, ///< as many ports as there are cables
};

/// "accelerator=h100-sxm-80".
struct Filled {
    std::string field;
    std::string value;
    Why why{};
    std::string detail = {};
    bool operator==(const Filled&) const = default;
};

/// Pairs of a domain have unlike numbers of NVLinks: counted are those that rings through all of it use, behind a
/// switch the mean over the pairs of the accelerator that has the fewest, rounded down to 1 or more.
struct UnevenLinks {
    int domain = 0;
    int most = 0; ///< that leave an accelerator
    int counted = 0;
    bool switched = false;
    bool operator==(const UnevenLinks&) const = default;
};
/// No ring of NVLinks goes through all of a domain: counted are those of its thinnest necessary pair.
struct NoRing {
    int domain = 0;
    int counted = 0;
    bool operator==(const NoRing&) const = default;
};
/// So few NVLinks that PCIe carries more: it is taken to join the node.
struct SlowLinks {
    int counted = 0; ///< of each accelerator
    std::string link;
    int accelerators = 0; ///< of the node
    std::string pcie;
    bool operator==(const SlowLinks&) const = default;
};
/// A text has more NVLinks than the accelerator that is taken.
struct MoreLinks {
    int stated = 0;
    std::string accelerator;
    int counted = 0; ///< 0 = it has none
    std::string link = {}; ///< that is taken in their place where it has none
    bool operator==(const MoreLinks&) const = default;
};
/// Links to devices that the text does not have.
struct LinksElsewhere {
    std::vector<std::string> targets;
    bool operator==(const LinksElsewhere&) const = default;
};
/// A node has several scale-up domains.
struct DomainsInNode {
    int domain = 0; ///< that all can be cut into
    int accelerators = 0;
    std::vector<int> sizes; ///< of its domains, if unlike
    std::string link; ///< between them
    bool operator==(const DomainsInNode&) const = default;
};
/// Network ports that carry less together than those taken, or are of another kind.
struct OtherPorts {
    std::vector<std::string> names;
    int taken = 0;
    bool operator==(const OtherPorts&) const = default;
};
/// A text of the network ports that each accelerator is nearest to.
struct NearestPorts {
    std::string list; ///< "GPU0: mlx5_0 (PIX); GPU1: mlx5_1 (PIX)"
    bool operator==(const NearestPorts&) const = default;
};
/// Lines or elements that no reader knows.
struct PassedOver {
    std::vector<std::string> names;
    bool operator==(const PassedOver&) const = default;
};
/// Slurm's LinkSpeed is relative.
struct RelativeSpeed {
    std::string value;
    bool operator==(const RelativeSpeed&) const = default;
};
/// The tree has switches that not all below reach alike; cables are spread evenly over those of a tier, or of each pod.
struct SpreadEvenly {
    int switches = 0; ///< of the tier, or of a pod
    std::string tier;
    bool ofPod = false;
    bool operator==(const SpreadEvenly&) const = default;
};
/// No switch that is drawn joins all leaves.
struct NotJoined {
    int parts = 0;
    bool joinedAbove = false; ///< by switches that are left out: a network without bottleneck is taken
    bool operator==(const NotJoined&) const = default;
};
/// A network without bottleneck is taken in place of switches of so many ports.
struct WideSwitch {
    std::string tier;
    long long ports = 0;
    std::string name = {}; ///< of the first such leaf
    int line = 0;
    bool operator==(const WideSwitch&) const = default;
};
/// Tiers above three are left out.
struct TiersAbove {
    int tiers = 0;
    bool operator==(const TiersAbove&) const = default;
};
/// What the person asked for is not what the text states.
struct StatedOtherwise {
    std::string field;
    std::string stated;
    std::string asked;
    bool operator==(const StatedOtherwise&) const = default;
};

using Remark = std::variant<UnevenLinks, NoRing, SlowLinks, MoreLinks, LinksElsewhere, DomainsInNode, OtherPorts,
    NearestPorts, PassedOver, RelativeSpeed, SpreadEvenly, NotJoined, WideSwitch, TiersAbove, StatedOtherwise>;

} // namespace stratoplan::wiring
