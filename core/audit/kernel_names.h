// SPDX-License-Identifier: Apache-2.0
// What a kernel is, by its name, and what a process group is, by its description: resources/audit/kernels.json, whose
// entries are tried in their order.
#pragma once

#include "core/audit/causes.h"

#include <optional>
#include <string_view>

namespace stratoplan::audit {

enum class KernelKind { Matmul, Attention, OtherComputation, Optimizer, Communication, Copies };
/// Of attention alone.
enum class AttentionPass { None, Forward, Backward };
enum class Collective { Unknown, AllReduce, AllGather, ReduceScatter, AllToAll, SendRecv, Broadcast };

struct KernelName {
    KernelKind kind = KernelKind::OtherComputation;
    AttentionPass pass = AttentionPass::None; ///< none of kernels that prepare or finish one
    bool operator==(const KernelName&) const = default;
};

[[nodiscard]] KernelName classifyKernel(std::string_view name);
/// Of a kernel's name or of the name of a collective.
[[nodiscard]] Collective collectiveOf(std::string_view name);
[[nodiscard]] std::string_view key(Collective collective); // "all_reduce", …; "unknown"
/// The communication that a process group is for: TensorParallel to DataParallel, or Pipeline.
[[nodiscard]] std::optional<Cause> axisOfGroup(std::string_view description);

} // namespace stratoplan::audit
