// SPDX-License-Identifier: Apache-2.0
// What is worth knowing of the whole run, told to people.
#pragma once

#include <string>

namespace stratoplan::narration {

/// Why a run has no cost.
[[nodiscard]] std::string whyUnpriced();

} // namespace stratoplan::narration
