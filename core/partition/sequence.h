// SPDX-License-Identifier: Apache-2.0
// How a group of 2^n ranks divides a linear operator in space and in time (PrimePar, ASPLOS 2024): a sequence of
// partitions, each of which takes the next bits of a rank's number. The first bit is the highest: ranks that differ in
// it are the farthest apart.
#pragma once

#include <cstdint>
#include <string>
#include <tl/expected.hpp>
#include <vector>

namespace stratoplan::partition {

/// Of O[B,M,K] = I[B,M,N] W[N,K]: sequences of a micro-batch, tokens of each, width of the input, width of the output.
enum class Dimension { B, M, N, K };
inline constexpr int kDimensions = 4;

/// One partition of a sequence.
struct Part {
    Dimension dimension = Dimension::B; ///< halved by one bit, where `order` is 0
    int order = 0; ///< k > 0: the primitive P over 2^k x 2^k ranks, by 2 k bits and in 2^k steps
    bool operator==(const Part&) const = default;
};
using Sequence = std::vector<Part>;
inline constexpr int kMostBits = 8; ///< of a sequence that is read: 256 ranks

[[nodiscard]] int bits(const Sequence& sequence);
/// The product of those of its primitives.
[[nodiscard]] int steps(const Sequence& sequence);

/// "K,P2x2"; "-" for none.
[[nodiscard]] std::string text(const Sequence& sequence);
/// The inverse; the error is the part that is none, or the first beyond kMostBits.
[[nodiscard]] tl::expected<Sequence, std::string> parseSequence(const std::string& text);

/// All that take so many bits: S(q) = 4 S(q - 1) + sum over k of S(q - 2 k).
[[nodiscard]] std::vector<Sequence> sequences(int bits);
[[nodiscard]] std::int64_t sequenceCount(int bits);

} // namespace stratoplan::partition
