// SPDX-License-Identifier: Apache-2.0
// What happens in a pipeline, told to people: passes, transfers, and what idle time waits for.
#pragma once

#include "core/pipeline/pipeline.h"

#include <string>
#include <string_view>

namespace stratoplan::narration {

[[nodiscard]] std::string_view describe(pipeline::SliceKind kind); // "forward", "send activation", "gradient sync", …
[[nodiscard]] std::string describe(const pipeline::Slice& slice); // "Backward 3"
/// What an idle time waits for, in a word or two: "activation", "gradient sync"; "filling" and "draining" at the ends.
[[nodiscard]] std::string_view describe(pipeline::Wait::Cause cause);

} // namespace stratoplan::narration
