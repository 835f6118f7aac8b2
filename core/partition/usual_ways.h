// SPDX-License-Identifier: Apache-2.0
// Ways to divide a layer that others take, in words: every operator along one axis, by all ranks.
#pragma once

#include "core/partition/block.h"

#include <string_view>
#include <vector>

namespace stratoplan::partition {

/// Whether Megatron-LM divides the linear operator of this name along its inputs (N), row-parallel, rather than along
/// its outputs (K), column-parallel.
[[nodiscard]] bool isRowParallel(std::string_view linear);

/// Columns, then rows (Shoeybi et al., arXiv 1909.08053); with sequence parallelism norms and residuals are cut along
/// tokens, and columns gather their inputs again for the backward pass (Korthikanti et al., arXiv 2205.05198). Over
/// 2^bits ranks.
[[nodiscard]] std::vector<parallel::OperatorPartition> megatronWays(
    const Block& block, int bits, bool sequenceParallel);

/// Sequences of the micro-batch, as data parallelism has them; tokens where there are experts. Over 2^bits ranks.
[[nodiscard]] std::vector<parallel::OperatorPartition> sequenceWays(const Block& block, int bits);

} // namespace stratoplan::partition
