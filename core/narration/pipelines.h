// SPDX-License-Identifier: Apache-2.0
// What happens in a pipeline, told to people: passes, transfers, and what idle time waits for.
#pragma once

#include "core/pipeline/pipeline.h"

#include <string>
#include <string_view>

namespace stratoplan {

[[nodiscard]] std::string_view describe(SliceKind kind); // "forward", "send activation", "gradient sync", …
[[nodiscard]] std::string describe(const Slice& slice); // "Backward 3"
/// What an idle time waits for, in a word or two: "activation", "gradient sync"; "filling" and "draining" at the ends.
[[nodiscard]] std::string_view describe(Wait::Cause cause);

} // namespace stratoplan
