// SPDX-License-Identifier: Apache-2.0
// Why a space holds no strategy at all.
#pragma once

#include "core/search/search.h"

#include <vector>

namespace stratoplan {

/// The dimensions whose values leave nothing: each one that by itself, were it free, would let some strategy in, with
/// the rule that its values break; or, where no single one would, all that the space restricts. Empty: the space holds
/// strategies. Precondition: as of search().
[[nodiscard]] std::vector<FixedDimension> whyEmpty(
    const Plan& plan, const SearchSpace& space, const SearchOptions& options);

} // namespace stratoplan
