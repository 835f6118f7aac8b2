// SPDX-License-Identifier: Apache-2.0
// Why a strategy is not the answer of a search: what binds it, in numbers, the nearest strategy that can be run, and
// what more memory, bandwidth or nodes would be worth. All as the search has it: its space, its mode, its objective and
// its headroom.
#pragma once

#include "core/catalog/framework_rules.h"
#include "core/estimate/estimate.h"
#include "core/estimate/step_terms.h"
#include "core/search/nearest.h"
#include "core/search/rescore.h"
#include "core/search/search.h"
#include "core/space/membership.h"

#include <optional>
#include <vector>

namespace stratoplan::search {

/// What keeps a strategy from being the best.
enum class Binding {
    Nothing, ///< it is the best, or as good
    Illegal, ///< it breaks a rule, or cannot be estimated
    Framework, ///< the target framework of the space does not run it
    OutOfMemory, ///< with what the headroom leaves
    MissesDeadline,
    MoreAccelerators, ///< than the best, where the fewest are looked for
    Slower, ///< it is worse by the objective
    Outside, ///< no worse than the best, but the space or the mode of the search does not have it
};
[[nodiscard]] std::string_view key(Binding binding); // "nothing", "illegal", "out_of_memory", …

/// A part of the step in which it differs from the best one, as a share of the best step. Both simulated.
struct StepPart {
    estimate::StepTerm term{};
    double share = 0;
};

struct Why {
    Binding binding = Binding::Nothing;
    std::vector<plan::Problem> problems; ///< if illegal
    std::vector<catalog::FrameworkObjection> objections; ///< of the target framework
    std::optional<space::OutsideReason> outside; ///< what the space does not have of it
    Bytes over{}; ///< more than may be used
    int stage = 0; ///< the fullest
    double bubble = 0; ///< share of the simulated step in which stages wait for one another
    int accelerators = 0; ///< it uses
    Seconds step{}; ///< in the mode of the search, or simulated if that has none for it
    Seconds simulated{};
    double slower = 0; ///< than the best, as a share of its step; steps of one kind
    double worse = 0; ///< the same by the objective
    double simulatedSlower = 0; ///< both simulated
    std::vector<StepPart> parts; ///< of that, the largest first
    std::optional<NearStrategy> nearest; ///< that is legal and fits, in the space
};

/// `best`: what the search of these options found, if it found something. Precondition: as of search(); the strategy
/// may be any.
[[nodiscard]] Why why(const plan::Plan& plan, const plan::SearchSpace& space, const SearchOptions& options,
    const parallel::Strategy& strategy, model::Precision precision, const std::optional<FoundStrategy>& best,
    const std::stop_token& stop = {});

enum class Resource { Memory, NetworkBandwidth, ScaleUpBandwidth, Nodes };

/// What a resource is worth: the best with `factor` times as much of it.
struct MarginalValue {
    Resource resource{};
    double factor = 1;
    std::optional<FoundStrategy> best; ///< nothing if stopped, or where nothing fits
    Rescored asked; ///< the strategy that is asked about, with so much
};
/// Searches again with a tenth more of each, and with twice the nodes. The strategy uses more nodes by as many more
/// replicas.
[[nodiscard]] std::vector<MarginalValue> marginalValues(const plan::Plan& plan, const plan::SearchSpace& space,
    SearchOptions options, const parallel::Strategy& strategy, model::Precision precision,
    const std::stop_token& stop = {});

} // namespace stratoplan::search
