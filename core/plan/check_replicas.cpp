// SPDX-License-Identifier: Apache-2.0
// The rules of check() about replicas with micro-batches of their own.
#include "core/plan/rules.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace stratoplan::plan {

void checkReplicas(Problems& problems, const Plan& plan)
{
    constexpr auto kWhere = "/strategy/replica_micro_batches";
    const parallel::Strategy& s = plan.strategy;
    const std::vector<int>& batches = s.replicaMicroBatches;
    if (batches.empty())
        return;
    if (int(batches.size()) != s.dp) {
        report(problems, ProblemCode::ReplicaBatchesMismatch, Severity::Error, kWhere, double(batches.size()), s.dp)
            .cause = ProblemCause::Replicas;
        return;
    }
    for (const int count : batches)
        if (count < 1)
            return requirePositive(problems, kWhere, count);
    const double sequences = std::accumulate(batches.begin(), batches.end(), 0.0) * s.microBatch;
    if (sequences != plan.training.globalBatch)
        report(problems, ProblemCode::ReplicaBatchesMismatch, Severity::Error, kWhere, sequences,
            plan.training.globalBatch);
    if (std::ranges::adjacent_find(batches, std::not_equal_to()) == batches.end())
        return;
    const auto refuse = [&](ProblemCause cause) {
        report(problems, ProblemCode::UnevenReplicasUnsupported, Severity::Error, kWhere, s.dp).cause = cause;
    };
    if (!s.stageTp.empty())
        refuse(ProblemCause::None);
    if (replicasWaitEachMicroBatch(s, plan.training.software))
        refuse(s.ep > 1 ? ProblemCause::Experts : ProblemCause::EveryMicroBatch);
}

} // namespace stratoplan::plan
