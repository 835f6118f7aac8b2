// SPDX-License-Identifier: Apache-2.0
// A plan with all that follows from it, as one document: what was put in, where every rank stands, the estimate with
// its ranges, the whole run, and where the constants are from. It is read as any plan; what follows is worked out anew
// then, and may be compared.
#pragma once

#include "core/capacity/capacity.h"
#include "core/exchange/document.h"

#include <optional>
#include <string>
#include <string_view>

namespace stratoplan::exchange {

/// What writes it.
struct Program {
    std::string name; ///< "stratoplan"
    std::string version;
};

/// The same bytes whoever writes the same plan with the same version of the program. Fields of `original` that nobody
/// knows are kept. The estimate is that of the plan, with the software that it is for.
[[nodiscard]] std::string writeChosenPlan(const plan::Project& project, const estimate::Estimate& estimate,
    const Program& program, const catalog::Catalog& catalog, std::string_view original = {});

/// What such a document says that its plan comes to.
struct StatedAnswer {
    double step = 0; ///< seconds
    std::string version; ///< of the program that wrote it
};
/// Nothing, where a document is a plan alone.
[[nodiscard]] std::optional<StatedAnswer> statedAnswer(const Document& document);

} // namespace stratoplan::exchange
