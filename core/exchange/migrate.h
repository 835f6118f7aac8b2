// SPDX-License-Identifier: Apache-2.0
// Older documents brought to the version of today, one step per version. A new version adds a step to the registry in
// migrate.cpp and a document of the old one to the tests.
#pragma once

#include "core/exchange/schema.h"

namespace stratoplan::exchange {

/// Reads "version", refuses a newer one (NewerVersion) and anything that is no version (Schema), and applies every step
/// from there to kFormatVersion. The document then says kFormatVersion.
[[nodiscard]] tl::expected<void, DocumentError> migrate(nlohmann::ordered_json& document, DocumentFormat format);

} // namespace stratoplan::exchange
