// SPDX-License-Identifier: Apache-2.0
#include "core/model/precision.h"

namespace stratoplan::model {

namespace {

struct Format {
    std::string_view key;
    double elementBytes;
};

constexpr Format formatOf(Precision precision)
{
    switch (precision) {
    case Precision::Fp32:
        return {"fp32", 4};
    case Precision::Tf32:
        return {"tf32", 4};
    case Precision::Fp16:
        return {"fp16", 2};
    case Precision::Bf16:
        return {"bf16", 2};
    case Precision::Fp8:
        return {"fp8", 1};
    case Precision::Mxfp8:
        return {"mxfp8", 1 + 1.0 / 32}; // one E8M0 scale per 32 elements
    case Precision::Nvfp4:
        return {"nvfp4", 0.5 + 1.0 / 16}; // one E4M3 scale per 16 elements
    case Precision::Int8:
        return {"int8", 1}; // products of quantized operands (AQT, arXiv 2105.03536); scales are per channel
    }
    return {};
}

} // namespace

std::string_view key(Precision precision)
{
    return formatOf(precision).key;
}

std::optional<Precision> precisionFromKey(std::string_view key)
{
    for (const Precision precision : kPrecisions) {
        if (formatOf(precision).key == key)
            return precision;
    }
    return std::nullopt;
}

double bytesPerElement(Precision precision)
{
    return formatOf(precision).elementBytes;
}

} // namespace stratoplan::model
