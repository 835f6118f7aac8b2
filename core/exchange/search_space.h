// SPDX-License-Identifier: Apache-2.0
// Search spaces as files: ranges and locks of a person (resources/schema/search-space.schema.json).
#pragma once

#include "core/exchange/document.h"
#include "core/plan/search_space.h"

namespace stratoplan::exchange {

/// The space that a search of `plan` is to walk through. A field that is not known is an error: a misspelt lock would
/// lock nothing.
[[nodiscard]] tl::expected<plan::SearchSpace, DocumentErrors> parseSearchSpace(
    std::string_view text, const plan::Plan& plan, std::string_view file = {});

} // namespace stratoplan::exchange
