// SPDX-License-Identifier: GPL-3.0-or-later
// Networks as nobody would draw them: several groups of each tier, blocks, rails, slow cables, most of them joined.
#pragma once

#include "core/cluster/cluster.h"

#include <algorithm>
#include <random>
#include <string>

namespace stratoplan::test {

/// Of up to three groups of nodes like `kind`, at most `mostNodes` each.
inline cluster::Cluster randomDrawing(std::mt19937& random, const cluster::NodeGroup& kind, int mostNodes)
{
    const auto upTo = [&](int most) { return int(random() % unsigned(most + 1)); };
    const auto cable = [&](int slower) {
        cluster::Link link = kind.nic;
        link.bandwidth *= slower > 0 ? 0.5 : 1;
        return link;
    };
    cluster::Cluster c{"random", {}, {}, {}};
    for (int i = 0; i <= upTo(2); ++i) {
        c.nodes.push_back(kind);
        c.nodes.back().id = c.nodes.back().name = "nodes" + std::to_string(i);
        c.nodes.back().count = 1 + upTo(mostNodes - 1);
    }
    const auto add = [&](cluster::SwitchTier tier, const char* name, int groups, int most) {
        for (int i = 0; i < groups; ++i) {
            const int blocks = 1 + upTo(most - 1), each = 1 + (upTo(2) > 1 ? 1 : 0);
            c.switches.push_back({name + std::to_string(i), name, tier, 4096, blocks * each, upTo(1) * blocks});
        }
    };
    add(cluster::SwitchTier::Leaf, "leaf", 1 + upTo(2), 4);
    add(cluster::SwitchTier::Spine, "spine", upTo(2), 2);
    add(cluster::SwitchTier::Core, "core", upTo(1), 1);
    for (const cluster::SwitchGroup& s : c.switches) {
        for (const cluster::NodeGroup& n : c.nodes)
            if (s.tier == cluster::SwitchTier::Leaf ? upTo(2) > 0 : upTo(9) == 0)
                c.connections.push_back({n.id, s.id, cable(upTo(1)), 1 + upTo(9 * n.count)});
        for (const cluster::SwitchGroup& below : c.switches)
            if (s.tier > below.tier && upTo(3) > 0)
                c.connections.push_back({below.id, s.id, cable(0), 1 + upTo(40)});
    }
    return c;
}

} // namespace stratoplan::test
