// SPDX-License-Identifier: Apache-2.0
// Kernels measured on a person's own GPU, as packaging/measure-kernels writes them ("stratoplan-kernels"): each the
// work that core/cost prices, and its seconds. Format: resources/schema/kernel-profile.schema.json.
#pragma once

#include "core/exchange/document.h"
#include "core/workload/workload.h"

#include <optional>

namespace stratoplan::exchange {

enum class KernelKind { Matmul, AttentionForward, AttentionBackward, Memory, Launch, Collective };

struct MeasuredKernel {
    KernelKind kind{};
    std::string id; ///< "gemm bf16 wgrad 4096 x 4096 x 8192"
    std::string shape; ///< kernels of one shape are left out together
    workload::Operator work; ///< of all but collectives
    std::string operation; ///< of a collective: "all_reduce", …
    int ranks = 1, inside = 1;
    Bytes bytes{};
    double seconds = 0;
};

struct KernelProfile {
    std::string gpu;
    std::string provenance; ///< "torch 2.6.0, CUDA 12.6, driver 560.35, 700 W, 2026-11-20"
    int gpusPerNode = 8;
    int gpus = 1;
    Bytes memory{};
    int computeUnits = 0;
    std::vector<MeasuredKernel> kernels;
    std::optional<double> hostLaunchSeconds; ///< told, not fitted
    std::vector<std::string> skipped;
};

[[nodiscard]] tl::expected<KernelProfile, DocumentErrors> parseKernelProfile(
    std::string_view text, std::string_view file = {});

} // namespace stratoplan::exchange
