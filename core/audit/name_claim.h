// SPDX-License-Identifier: Apache-2.0
// Whether a model has the parameters that its name claims: a "7B" that is 768 wide has not.
#pragma once

#include "core/model/transformer.h"

#include <optional>
#include <string>
#include <string_view>

namespace stratoplan::audit {

struct ClaimedSize {
    std::string text; ///< as it stands in the name: "7B", "8x7B"
    double parameters = 0;
    bool isOfExperts = false; ///< "8x7B": experts share the rest, so that there are fewer in all
};
/// The first size in a name: a number before M, B or T, with nothing of a word beside it.
[[nodiscard]] std::optional<ClaimedSize> claimedSize(std::string_view name);

struct NameMismatch {
    ClaimedSize claimed;
    double parameters = 0; ///< that it has, all of them
};
/// Nothing where the name claims none, or all parameters or those that a token uses are as many as names round to:
/// three quarters to 1.35 times, of "8x7B" half to 1.1 times.
[[nodiscard]] std::optional<NameMismatch> nameMismatch(const model::Transformer& model);

} // namespace stratoplan::audit
