// SPDX-License-Identifier: Apache-2.0
// Makes the kernel tables of an accelerator (core/cluster/kernel_tables.h) from measured kernels and collectives.
// Used by `stratoplan-cli calibrate --kernels` on the files that ai-dynamo/aiconfigurator publishes, and on a person's
// own.
#pragma once

#include "core/cluster/cluster.h"

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace stratoplan::calibration {

/// Y[m,n] = X[m,k] W[k,n].
struct MatmulSample {
    model::Precision precision = model::Precision::Bf16;
    double m = 0, n = 0, k = 0;
    double seconds = 0;
};
/// Causal forward attention.
struct AttentionSample {
    double batch = 0, sequence = 0, heads = 0, headDim = 0;
    double seconds = 0;
    int version = 2; ///< of FlashAttention, or the one that the kernel is like
};
/// Forward of all experts on one device: gate and up, activation, down.
struct ExpertSample {
    double tokens = 0, hidden = 0, expertFfn = 0, topK = 0, experts = 0;
    double seconds = 0;
};
struct CollectiveSample {
    cluster::CollectiveOp op = cluster::CollectiveOp::AllReduce;
    int ranks = 0;
    double bytes =
        0; ///< whole buffer of an all-reduce, gathered one of all-gather and reduce-scatter, local one of all-to-all
    double seconds = 0;
};

struct KernelSamples {
    std::vector<MatmulSample> matmul;
    std::vector<AttentionSample> attention;
    std::vector<ExpertSample> experts;
    std::vector<CollectiveSample> collectives;
};

/// A table of kernels that cannot be read.
struct KernelTableError {
    enum class Code { Heading, NoValue, NotANumber } code{};
    int line = 0;
    std::string text = {}; ///< the heading, or the cell
    std::string column = {};
};

/// Adds the rows of one comma-separated table, known by its header: matrix products (dtype,m,n,k,microseconds),
/// attention (dtype,batch,seq_len,heads,kv_heads,head_dim,window,microseconds), experts
/// (dtype,tokens,hidden,expert_ffn,top_k,experts,tp,ep, distribution,microseconds), collectives
/// (op,gpus,elements_fp16,microseconds). Rows that no table is made of (block-scaled FP8, attention windows, experts
/// spread over devices) are passed over.
[[nodiscard]] tl::expected<void, KernelTableError> addSamples(std::string_view text, KernelSamples& samples);

/// Fits every part that has samples. `computeUnits` and `peak`: of the accelerator; no product passes its peak, where
/// that is known.
[[nodiscard]] cluster::KernelTables fitKernels(
    const KernelSamples& samples, int computeUnits, const cluster::PeakRates& peak = {});

} // namespace stratoplan::calibration
