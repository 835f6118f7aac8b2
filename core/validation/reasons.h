// SPDX-License-Identifier: Apache-2.0
// Why a measured case may lie far from its estimate: what is known of the case (resources/validation/reasons.csv), or
// that another measurement of the same configuration contradicts it. Nothing else is said.
#pragma once

#include "core/units/quantity.h"
#include "core/validation/validation.h"

#include <map>
#include <string>
#include <string_view>

namespace stratoplan::validation {

struct KnownReason {
    std::string pattern; ///< of ids; a * stands for any characters
    char sign = '*'; ///< of estimated - measured that it explains: '-', '+' or '*' for both
    std::string text;
};

/// Lines "pattern,sign,reason"; '#' begins a remark. Lines that are no reason are left out.
[[nodiscard]] std::vector<KnownReason> readReasons(std::string_view text);
/// resources/validation/reasons.csv, as it was built in.
[[nodiscard]] const std::vector<KnownReason>& shippedReasons();

/// A * in the pattern stands for any characters.
[[nodiscard]] bool matches(std::string_view id, std::string_view pattern);

/// Empty if nothing is known.
[[nodiscard]] std::string knownReason(
    std::string_view id, double error, const std::vector<KnownReason>& reasons = shippedReasons());

/// Another measurement of the same configuration.
struct Contradiction {
    Seconds here{};
    Seconds other{};
    std::string otherId;
    bool operator==(const Contradiction&) const = default;
};
/// For each case of which another measurement of the same configuration (whatever the release of the software) differs
/// by more than a tenth: the one that differs most. By id.
[[nodiscard]] std::map<std::string, Contradiction> contradictions(const CaseSet& cases);

} // namespace stratoplan::validation
