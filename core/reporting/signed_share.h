// SPDX-License-Identifier: Apache-2.0
// An error as a share with its sign.
#pragma once

#include <string>

namespace stratoplan::reporting {

[[nodiscard]] std::string signedShare(double share); // "+3.20 %", "−12.3 %"

} // namespace stratoplan::reporting
