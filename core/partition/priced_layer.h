// SPDX-License-Identifier: Apache-2.0
// A layer whose operators are divided in given ways: what each rank runs, sends and keeps of a micro-batch.
#pragma once

#include "core/partition/layer_steps.h"
#include "core/partition/pass_price.h"

#include <string>
#include <vector>

namespace stratoplan::partition {

/// One operator, with what it hands on and what comes back.
struct PricedOperator {
    parallel::OperatorPartition chosen;
    OperatorKind kind = OperatorKind::Residual;
    LinearSize size;
    PassPrices passes;
    double parameters = 0;
    Bytes kept{}, working{};
    int alsoFrom =
        -1; ///< number of the operator whose output it takes beside that of the one before it; not a residual
    bool operator==(const PricedOperator&) const = default;
};

struct PricedLayer {
    std::vector<PricedOperator> operators;
    PassPrices passes;
    double parameters = 0;
    workload::TensorBytes kept{};
    Bytes remade{}; ///< by recomputation
    Bytes working{}; ///< the most of any operator
    bool operator==(const PricedLayer&) const = default;
};

/// What is wrong with the ways that are given.
struct WayFault {
    enum class Kind {
        Impossible, ///< the operator cannot be divided so
        Missing, ///< it has no way
        Twice, ///< it has two
        Unknown, ///< the layer has no such operator
    };
    std::string op;
    std::string way; ///< empty where none is given
    Kind kind = Kind::Impossible;
    OperatorKind operatorKind = OperatorKind::Linear; ///< of Impossible
    WayReason reason{}; ///< of Impossible
    bool operator==(const WayFault&) const = default;
};

/// Its seconds and bytes are those of the Division with these states.
[[nodiscard]] tl::expected<PricedLayer, WayFault> pricedLayer(
    const Block& block, const std::vector<parallel::OperatorPartition>& ways, const GroupPricing& pricing);

/// What a programme has chosen.
[[nodiscard]] std::vector<parallel::OperatorPartition> waysOf(const Block& block,
    const std::vector<std::vector<State>>& states, const Sequences& sequences, const Division& division, int bits);

} // namespace stratoplan::partition
