// SPDX-License-Identifier: Apache-2.0
#include "core/parallel/replica_kinds.h"

#include "core/parallel/placement.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

namespace stratoplan::parallel {

std::vector<ReplicaKind> replicaKinds(const Strategy& s, const cluster::NodeKinds& kinds)
{
    std::vector<ReplicaKind> found;
    std::map<std::pair<std::vector<cluster::KindSet>, int>, std::size_t> places;
    for (int replica = 0; replica < s.dp; ++replica) {
        ReplicaKind kind;
        if (kinds.areUnlike())
            for (int stage = 0; stage < s.pp; ++stage)
                kind.stages.push_back(kindsOfStage(s, stage, replica, kinds));
        const bool hasOwn = std::size_t(replica) < s.replicaMicroBatches.size();
        const int microBatches = hasOwn ? s.replicaMicroBatches[std::size_t(replica)] : 0;
        const auto [place, isNew] = places.try_emplace({kind.stages, microBatches}, found.size());
        if (isNew)
            found.push_back(std::move(kind));
        found[place->second].replicas.push_back(replica);
    }
    return found;
}

Strategy ofReplicas(Strategy s, const ReplicaKind& kind)
{
    if (s.replicaMicroBatches.empty())
        return s;
    int most = 0;
    for (const int replica : kind.replicas)
        most = std::max(most, s.replicaMicroBatches[std::size_t(replica)]);
    if (!kind.replicas.empty())
        std::ranges::fill(s.replicaMicroBatches, most);
    return s;
}

} // namespace stratoplan::parallel
