// SPDX-License-Identifier: Apache-2.0
// Inside of check(): the rules without their remedies, and what a remedy has to do, whoever proposes it.
#pragma once

#include "core/cluster/fabric.h"
#include "core/plan/problem.h"

#include <cstddef>
#include <functional>
#include <map>
#include <stop_token>

namespace stratoplan::plan {

using Problems = std::vector<Problem>;

/// Refers to what it adds.
Problem& report(Problems& problems, ProblemCode code, Severity severity, std::string where, double found,
    double limit = 0, std::string detail = {});
void requirePositive(Problems& problems, std::string_view where, double value);
/// That a strategy asks for, however many.
[[nodiscard]] double ranksOf(const parallel::Strategy& s);

/// What is apart in the part of one cluster that ranks use, found once for each number of its groups: among hundreds of
/// these it takes long.
class KnownGaps {
public:
    [[nodiscard]] const std::vector<cluster::Gap>& gapsOf(const cluster::Cluster& used);

private:
    std::map<std::size_t, std::vector<cluster::Gap>> m_byGroups;
};

/// Sizes and rates that times are divided by.
void checkClusterSizes(Problems& problems, const cluster::Cluster& cluster);
/// "/cluster/nodes/0/torus"
[[nodiscard]] std::string placeOfTorus(std::size_t group);
/// Every accelerator in use runs the software.
void checkSoftware(Problems& problems, const Plan& plan);
/// Links between what they cannot join: warnings, as they are priced at the rate that they have.
void checkLinks(Problems& problems, const cluster::Cluster& cluster);
/// Ids, ends and ports of the drawing, and ranks that it does not join.
void checkElements(Problems& problems, const Plan& plan, KnownGaps& known);
/// NCCL, RCCL, HCCL and their like each join the accelerators of one vendor.
void checkVendors(Problems& problems, const cluster::Cluster& cluster);
/// Micro-batches that replicas have of their own.
void checkReplicas(Problems& problems, const Plan& plan);
/// Every accelerator in use multiplies matrices in the training precision.
void checkPrecision(Problems& problems, const Plan& plan);

/// What is told of single stages: lists of the right length, layers that are there, and degrees that their devices
/// allow. False: they leave no strategy to ask for a stage.
bool checkStages(Problems& problems, const Plan& plan);

/// Every broken rule, in the order of the rules, without remedies. `known`: of this cluster.
[[nodiscard]] std::vector<Problem> brokenRules(const Plan& plan, KnownGaps& known);

/// Whether an edit removes a problem and adds no error to `all`, those of the plan as it is. `known`: of its cluster.
[[nodiscard]] bool mends(
    const Plan& plan, const Remedy& remedy, const Problem& problem, const std::vector<Problem>& all, KnownGaps& known);

/// Shows each problem that edits are to be looked for. Of a network in many parts a few are joined at a time: each edit
/// is a cluster, and hundreds of them more than anybody chooses from.
void eachToMend(std::vector<Problem>& problems, const std::function<void(Problem&)>& findEdits);

/// Micro-batches of a replica come in multiples of this: PP where stages are interleaved.
[[nodiscard]] int microBatchUnit(const parallel::Strategy& s);

inline constexpr std::size_t kMostRemedies = 3; ///< offered of one problem by whoever looks for them

/// Shows one after another the edits of the strategy, the batch or the cluster that mend `problem`, each once, most
/// sensible first, until `take` has enough and says false, or it is asked to stop.
void eachRemedy(const Plan& plan, const Problem& problem, const std::vector<Problem>& all, KnownGaps& known,
    const std::function<bool(Remedy)>& take, const std::stop_token& stop = {});
/// The first of them.
[[nodiscard]] std::vector<Remedy> remediesFor(
    const Plan& plan, const Problem& problem, const std::vector<Problem>& all, KnownGaps& known);

} // namespace stratoplan::plan
