// SPDX-License-Identifier: Apache-2.0
// A picture as SVG, to stand inside a page.
#pragma once

#include "core/report/picture.h"

namespace stratoplan::report {

/// The same picture gives the same text, to the last letter.
[[nodiscard]] std::string svg(const Picture& picture);
/// & < > and " as entities.
[[nodiscard]] std::string escaped(std::string_view text);

} // namespace stratoplan::report
