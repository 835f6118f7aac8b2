// SPDX-License-Identifier: Apache-2.0
// Inside of the lowering: operators by what they compute or move.
#pragma once

#include "core/workload/workload.h"

namespace stratoplan::workload {

/// `repeated`: its share among the products that per-op recomputation repeats (everyOtherProduct() says which it
/// keeps).
/// Its input is cast apart unless a norm makes it, whose kernel writes what the product reads.
[[nodiscard]] inline Operator matmul(
    std::string_view name, double m, double n, double k, double repeated = 0, bool fromNorm = false)
{
    Operator op;
    op.name = name;
    op.kind = OperatorKind::Matmul;
    op.m = m;
    op.n = n;
    op.k = k;
    op.flops = Flops(2 * m * n * k);
    op.narrow = true;
    op.cast = fromNorm ? 0 : m * k;
    op.repeated = repeated;
    return op;
}

/// Traffic through memory.
[[nodiscard]] inline Operator elementwise(
    std::string_view name, double bytes, bool backward, OperatorKind kind = OperatorKind::Elementwise)
{
    Operator op;
    op.name = name;
    op.kind = kind;
    op.traffic = Bytes(bytes);
    op.backward = backward;
    return op;
}

} // namespace stratoplan::workload
