// SPDX-License-Identifier: Apache-2.0
// How a group of 2^n ranks divides a linear operator in space and in time (PrimePar, ASPLOS 2024): a sequence of
// partitions, each of which takes the next bits of a rank's number. The first bit is the highest: ranks that differ in
// it are the farthest apart.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tl/expected.hpp>
#include <vector>

namespace stratoplan::partition {

/// Of O[B,M,K] = I[B,M,N] W[N,K]: sequences of a micro-batch, tokens of each, width of the input, width of the output.
enum class Dimension { B, M, N, K };
inline constexpr std::array kDimensions{Dimension::B, Dimension::M, Dimension::N, Dimension::K};

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

struct SequenceFault {
    enum class Code {
        NoPart, ///< neither a dimension nor a primitive
        TooLong, ///< a part beyond kMostBits
    } code = Code::NoPart;
    std::size_t index = 0; ///< of the part
    std::string part; ///< as it stands there
    bool operator==(const SequenceFault&) const = default;
};
/// The inverse of text().
[[nodiscard]] tl::expected<Sequence, SequenceFault> parseSequence(const std::string& text);

/// All that take so many bits, at most kMostBits: S(q) = 4 S(q - 1) + sum over k of S(q - 2 k).
[[nodiscard]] std::vector<Sequence> sequences(int bits);
[[nodiscard]] std::int64_t sequenceCount(int bits);

} // namespace stratoplan::partition
