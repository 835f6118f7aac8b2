// SPDX-License-Identifier: Apache-2.0
#include "core/search/prune_rule.h"

namespace stratoplan {

std::string_view key(PruneRule rule)
{
    constexpr std::array<std::string_view, kPruneRules> kKeys{"out_of_memory", "division_bound", "micro_batch_bound",
        "pipeline_bound", "same_closed_form", "same_placement", "more_recomputation", "closed_form_bound", "objective"};
    return kKeys[static_cast<std::size_t>(rule)];
}

std::string_view describe(PruneRule rule)
{
    constexpr std::array<std::string_view, kPruneRules> kWords{
        "need more memory than there is",
        "compute too long, even without communication and bubbles",
        "compute and communicate within their layers too long, even without bubbles",
        "have too long a pipeline, even without gradient synchronisation",
        "take as long as another schedule that needs less memory",
        "place all groups of ranks as another rank order does",
        "recompute more layers than one that takes too long",
        "cannot be fast enough however their pipeline runs",
        "miss the deadline or use more accelerators than needed",
    };
    return kWords[static_cast<std::size_t>(rule)];
}

} // namespace stratoplan
