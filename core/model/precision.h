// SPDX-License-Identifier: Apache-2.0
// Number formats a matrix product can run in, and their sizes.
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace stratoplan::model {

enum class Precision { Fp32, Tf32, Fp16, Bf16, Fp8, Mxfp8, Nvfp4, Int8 };

inline constexpr std::array kPrecisions{Precision::Fp32, Precision::Tf32, Precision::Fp16, Precision::Bf16,
    Precision::Fp8, Precision::Mxfp8, Precision::Nvfp4, Precision::Int8};

/// Key in files and on the command line: "bf16", "nvfp4", …
[[nodiscard]] std::string_view key(Precision precision);
[[nodiscard]] std::optional<Precision> precisionFromKey(std::string_view key);

/// Bytes of one element as stored for a matrix product; block scales of MXFP8 and NVFP4 are included.
[[nodiscard]] double bytesPerElement(Precision precision);
/// Bytes of one element of the activations and weights that stay around: FP8, FP4 and INT8 recipes keep them in BF16.
[[nodiscard]] constexpr double storageBytes(Precision precision)
{
    switch (precision) {
    case Precision::Fp32:
    case Precision::Tf32:
        return 4;
    case Precision::Fp16:
    case Precision::Bf16:
    case Precision::Fp8:
    case Precision::Mxfp8:
    case Precision::Nvfp4:
    case Precision::Int8:
        return 2;
    }
    return 0;
}

} // namespace stratoplan::model
