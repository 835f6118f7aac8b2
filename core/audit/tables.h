// SPDX-License-Identifier: Apache-2.0
// The tables of resources/audit, as they were built in. Private to core/audit.
#pragma once

#include <string_view>

namespace stratoplan::audit {

/// By its name in the folder; throws std::logic_error for another one.
[[nodiscard]] std::string_view tableText(std::string_view name);

} // namespace stratoplan::audit
