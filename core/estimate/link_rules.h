// SPDX-License-Identifier: Apache-2.0
// Links that accelerators are known to have, and what is drawn in their place.
#pragma once

#include "core/catalog/catalog.h"
#include "core/plan/problem.h"

#include <string_view>
#include <vector>

namespace stratoplan::estimate {

/// Adds what check() cannot know without the catalogue: scale-up links of it that its accelerators are nowhere bought
/// with (A100 with NVLink 4), domains larger than any that is bought, and links of a node's inside at NICs and
/// switches. Warnings, before what is less severe.
void judgeLinks(const plan::Plan& plan, const catalog::Catalog& catalog, std::vector<plan::Problem>& problems);

/// Whether that tells of the link there, "/cluster/connections/0/link".
[[nodiscard]] bool isImpossibleAt(const plan::Plan& plan, const catalog::Catalog& catalog, std::string_view where);

/// Adds edits to what is told of impossible links within and between nodes: those of nodes of the catalogue that have
/// the accelerator, at most three of each.
void addLinkRemedies(const plan::Plan& plan, const catalog::Catalog& catalog, std::vector<plan::Problem>& problems);

} // namespace stratoplan::estimate
