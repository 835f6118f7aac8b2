// SPDX-License-Identifier: Apache-2.0
// A transformer layer as a graph of whole operators, one micro-batch of them, for a group to divide.
#pragma once

#include "core/partition/layout.h"
#include "core/partition/linear_moves.h"
#include "core/plan/plan.h"
#include "core/workload/layer.h"

#include <string_view>
#include <vector>

namespace stratoplan::partition {

enum class OperatorKind {
    Linear, ///< along its four dimensions, and by primitives
    Residual, ///< adds a branch to the stream; along batch, tokens and channels
    Norm, ///< the same; statistics are summed up where channels are cut
    Activation, ///< of the FFN; along batch, tokens and channels
    FusedAttention, ///< along batch, queries and heads
    Scores, ///< queries times keys: along batch, queries, heads and keys
    Softmax, ///< along batch, queries and heads
    Context, ///< scores times values: along batch, queries, heads and keys, over which it sums
    Experts, ///< to which each rank sends its tokens; the router is theirs, and what they take is priced elsewhere.
             ///< Adds what shared ones make
};

/// Of whole tensors, as if one rank had the layer to itself.
struct BlockOperator {
    std::string_view name;
    OperatorKind kind = OperatorKind::Residual;
    LinearSize size; ///< of a linear one; of the others b, m, k channels or heads, n keys
    std::vector<workload::Operator> forward{},
        backward{}; ///< of all but linear ones and experts; each rank has a share
    double repeated = 0; ///< of its forward pass, the most that recomputation repeats of any of these
    bool castsInput = false; ///< of a linear one in FP8 and FP4 recipes: no norm writes it as the product reads it
    double parameters = 0; ///< of a linear one divided like its weight, else on every rank
    Bytes kept{}; ///< for its backward pass, beside what its inputs keep
    Bytes remade{}; ///< that recomputation makes again before that
    workload::KeptTensor keptAs = workload::KeptTensor::NormInputs; ///< of what a layer keeps, where it counts
    Bytes gradients{}; ///< alive while it is differentiated
};

/// Of context parallelism: what attention exchanges with ranks that have other pieces of the sequences, whose place in
/// their group is the same. Of fused attention at once; else a half of it belongs to the scores, another one to the
/// context, with a half of what is between them to hide behind.
struct BlockContext {
    parallel::ContextMethod method = parallel::ContextMethod::Ring;
    int ranks = 1;
    int parts = 1; ///< operators that share the exchange out
    workload::ContextTensors tensors{}; ///< whole, of all parts
    std::vector<workload::Operator> between{}, betweenBackward{}; ///< the parts
    bool isRepeated = false; ///< by recomputation
};

/// A tensor from one operator to another.
struct BlockEdge {
    int from = 0, to = 0;
    int input = 0; ///< of the receiver
    Bytes bytes{};
    Bytes kept{}; ///< of it for the backward pass
    Bytes remade{}; ///< of it, by recomputation
    workload::KeptTensor keptAs = workload::KeptTensor::ColumnInputs;
};

/// The operators in the order in which they run; the first is the residual that the layer before ends with, and so
/// that this one does. Its edges lead from it, and to number `size()` in its stead.
struct Block {
    std::vector<BlockOperator> operators;
    std::vector<BlockEdge> edges;
    BlockContext context;
    int keyValueHeads = 1;
    bool causal =
        false; ///< later queries see more keys: attention passes over those that are masked, and sees all others
    double element = 2; ///< bytes
    bool narrow = false; ///< products run in the low precision of FP8 and FP4 recipes
    double weightGradient = 2; ///< bytes of an element that is summed up
    int microBatches = 1;
    bool runsOthersBetween = false; ///< micro-batches, between a forward pass and its backward pass: of pipelines
    [[nodiscard]] int size() const { return int(operators.size()); }
};

/// Precondition: check(plan) has no errors; no latent attention. The layer keeps, and repeats, what `recompute` says.
[[nodiscard]] Block block(const plan::Plan& plan, bool experts, parallel::Recompute recompute);

} // namespace stratoplan::partition
