// SPDX-License-Identifier: Apache-2.0
#include "core/search/prune_rule.h"

namespace stratoplan::search {

std::string_view key(PruneRule rule)
{
    constexpr std::array<std::string_view, kPruneRules> kKeys{"out_of_memory", "division_bound", "micro_batch_bound",
        "pipeline_bound", "same_closed_form", "same_placement", "more_recomputation", "closed_form_bound", "objective"};
    return kKeys[static_cast<std::size_t>(rule)];
}

} // namespace stratoplan::search
