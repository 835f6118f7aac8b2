// SPDX-License-Identifier: Apache-2.0
// A strategy that comes alone: asked about, or taken over from an answer.
#pragma once

#include "core/exchange/document.h"

namespace stratoplan::exchange {

/// The plan with the strategy that a JSON text holds: an object of members of a plan's "strategy", or a document or an
/// entry of a front that has them under that name. What it leaves out stays as it is; "precision", which a search may
/// choose with a strategy, is that of the training. Errors: those of a plan's strategy, and members that no strategy
/// has.
[[nodiscard]] tl::expected<plan::Plan, DocumentErrors> withStrategy(
    const plan::Plan& plan, std::string_view text, const catalog::Catalog& catalog, std::string_view file = {});

} // namespace stratoplan::exchange
