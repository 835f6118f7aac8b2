// SPDX-License-Identifier: Apache-2.0
// A report as one page that needs nothing beside it: styles and pictures stand inside, there is no script, and it
// prints on A4.
#pragma once

#include "core/report/report.h"

namespace stratoplan::report {

/// The same report gives the same text, to the last letter.
[[nodiscard]] std::string html(const Report& report);

} // namespace stratoplan::report
