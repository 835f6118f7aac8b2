// SPDX-License-Identifier: Apache-2.0
// Names as Slurm lists them: "gpu[001-016,20],a[1-2]b[3-4],login".
#pragma once

#include "core/wiring/wiring.h"

#include <string>
#include <string_view>
#include <vector>

namespace stratoplan::wiring {

/// In their order. The column of an error counts from the start of the text. Errors: brackets that do not close or hold
/// no ranges, ranges that run backwards, an empty name, more than `most` names; as many are never made.
[[nodiscard]] tl::expected<std::vector<std::string>, Fault> expandHostlist(std::string_view text, int most);

} // namespace stratoplan::wiring
