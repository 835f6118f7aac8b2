// SPDX-License-Identifier: Apache-2.0
// Which slices of a linear operator each rank works on at each step of each phase, what it holds meanwhile, and who
// sends it what comes next.
//
// A bit that halves a dimension appends itself to the slice's number. The primitive P over n x n ranks, n = 2^k, reads
// a row r and a column c from alternating bits and works in n steps t, all modulo n (PrimePar, ASPLOS 2024):
//
//   phase      M      N              K
//   forward    r      r + c + t      c
//   backward   r      r + c - 1      c + t
//   gradient   r + t  r + c - 1 + d  c - 1 + d       d = 1 in the last step, else 0
//
// At every step each block of every tensor is then held once, and blocks move between neighbours alone. Where a
// sequence has several primitives the first is the outermost loop, and d is 1 in the last step of all.
#pragma once

#include "core/partition/sequence.h"

#include <array>
#include <vector>

namespace stratoplan::partition {

/// O = I W; dI = dO W^T; dW = I^T dO.
enum class Phase { Forward, Backward, Gradient };
inline constexpr std::array kPhases{Phase::Forward, Phase::Backward, Phase::Gradient};

/// Gradients are divided like the tensor they are of.
enum class Tensor { Input, Weight, Output };
inline constexpr std::array kTensors{Tensor::Input, Tensor::Weight, Tensor::Output};

/// A phase makes one of the three from the other two: the output, the input's gradient, the weight's gradient.
[[nodiscard]] Tensor result(Phase phase);
[[nodiscard]] bool has(Tensor tensor, Dimension dimension);
/// The phase sums over it.
[[nodiscard]] bool isReduced(Dimension dimension, Phase phase);

class LinearPartition {
public:
    explicit LinearPartition(Sequence sequence);

    [[nodiscard]] const Sequence& sequence() const { return m_sequence; }
    [[nodiscard]] int bits() const { return m_bits; }
    [[nodiscard]] int ranks() const { return 1 << m_bits; }
    [[nodiscard]] int steps() const { return m_steps; } ///< of each phase

    /// Slices that a dimension is cut into.
    [[nodiscard]] int slices(Dimension dimension) const;
    [[nodiscard]] int slice(Dimension dimension, int rank, Phase phase, int step) const;

    /// Blocks that a tensor is cut into, and the ranks that hold each.
    [[nodiscard]] int blocks(Tensor tensor) const;
    [[nodiscard]] int copies(Tensor tensor) const { return ranks() / blocks(tensor); }
    /// The number of the block that a rank holds, or adds to.
    [[nodiscard]] int block(Tensor tensor, int rank, Phase phase, int step) const;

    struct Moment {
        Phase phase = Phase::Forward;
        int step = 0;
    };
    /// Of each rank who holds now what it holds next; itself, where it stays.
    [[nodiscard]] std::vector<int> senders(Tensor tensor, Moment now, Moment next) const;

    /// The bits whose ranks sum up what a phase makes: an all-reduce over each group of ranks that differ in these
    /// alone. The first bit of the sequence is the highest.
    [[nodiscard]] unsigned reducedBits(Phase phase) const;
    /// The bits whose ranks hold the same block of a tensor.
    [[nodiscard]] unsigned copiedBits(Tensor tensor) const;

private:
    /// Where a part's bits are, and its loop.
    struct Placed {
        Part part;
        int lowest = 0; ///< of its bits in a rank's number
        int stride = 1; ///< steps until its own step advances
    };
    [[nodiscard]] static int row(int rank, const Placed& placed);
    [[nodiscard]] static int column(int rank, const Placed& placed);

    Sequence m_sequence;
    std::vector<Placed> m_parts;
    int m_bits = 0;
    int m_steps = 1;
};

} // namespace stratoplan::partition
