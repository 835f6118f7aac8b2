// SPDX-License-Identifier: Apache-2.0
// Quantities as text for people: three significant figures, the unit always there, never NaN.
#pragma once

#include "core/units/quantity.h"

#include <string>

namespace stratoplan::inline units {

/// "9.84 s", "31.6 ms", "12.3 µs"; "–" for a value that is not finite.
[[nodiscard]] std::string format(Seconds value);
/// Binary units, as accelerator memory is counted: "68.4 GiB", "50.3 MiB".
[[nodiscard]] std::string format(Bytes value);
/// Decimal units, as links are counted: "300 GB/s".
[[nodiscard]] std::string format(BytesPerSecond value);
/// "3.12 PFLOP".
[[nodiscard]] std::string format(Flops value);
/// "157 TFLOP/s".
[[nodiscard]] std::string format(FlopsPerSecond value);
/// Three significant figures with a decimal prefix: "320 k", "1.56 G", "0.503".
[[nodiscard]] std::string formatNumber(double value);
/// "7:1", of uplinks that carry that share, above zero, of what comes from below.
[[nodiscard]] std::string formatOversubscription(double share);
/// The same for what people count in billions: parameters, tokens. "175 B".
[[nodiscard]] std::string formatCount(double value);
/// A share of one as per cent: 0.503 -> "50.3 %".
[[nodiscard]] std::string formatShare(double value);

} // namespace stratoplan::inline units
