// SPDX-License-Identifier: Apache-2.0
// "Did you mean": the ids nearest to one that does not exist.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stratoplan::catalog::detail {

/// `what` as "an accelerator", the up to three nearest candidates (by edit distance) after it:
/// "the id of an accelerator, such as \"a100-sxm-80\" or \"a100-sxm-40\"".
[[nodiscard]] std::string expectedId(
    std::string_view what, std::string_view wrong, const std::vector<std::string_view>& candidates);

} // namespace stratoplan::catalog::detail
