// SPDX-License-Identifier: Apache-2.0
#include "core/estimate/stage_kinds.h"

#include <algorithm>

namespace stratoplan {

StageKinds stageKinds(const Plan& plan, const Deployment* deployment)
{
    StageKinds result;
    const std::vector<StageLayout> layouts = placeStages(plan);
    const int stages = int(layouts.size());
    const auto crosses = [&](int from) { return deployment != nullptr && boundaryCrosses(*deployment, from); };
    for (int i = 0; i < stages; ++i) {
        const StageKind kind{layouts[std::size_t(i)], crosses(i), crosses(i == 0 ? stages - 1 : i - 1), i};
        const auto known = std::find_if(result.kinds.begin(), result.kinds.end(), [&](const StageKind& other) {
            return kind.layout == other.layout && kind.crossesForward == other.crossesForward && kind.crossesBackward == other.crossesBackward;
        });
        result.kindOf.push_back(static_cast<std::uint16_t>(known - result.kinds.begin()));
        if (known == result.kinds.end())
            result.kinds.push_back(kind);
    }
    return result;
}

WorkKey workKey(const Strategy& s)
{
    WorkKey key;
    for (const int number : {s.tp, s.cp, s.ep, s.etp, s.microBatch, int(s.contextMethod), int(s.sequenceParallel)})
        key.add(number);
    return key;
}

} // namespace stratoplan
