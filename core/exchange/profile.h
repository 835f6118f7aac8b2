// SPDX-License-Identifier: Apache-2.0
// A software profile as a document of its own ("stratoplan-profile"): what calibration saves. A plan takes the same
// object as its "software".
#pragma once

#include "core/exchange/document.h"

namespace stratoplan::exchange {

[[nodiscard]] tl::expected<plan::SoftwareProfile, DocumentErrors> parseProfile(
    std::string_view text, const catalog::Catalog& catalog, std::string_view file = {});
/// JSON text, two-space indent, trailing newline.
[[nodiscard]] std::string writeProfile(const plan::SoftwareProfile& profile);

} // namespace stratoplan::exchange
