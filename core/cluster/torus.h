// SPDX-License-Identifier: Apache-2.0
// Accelerators that are linked to their neighbours along up to four axes: a torus where the axes close into rings, a
// mesh where they do not. Ranks lie on it in their order, along the first axis first. What a collective gets of the
// links depends on the axes that its group spans: bandwidths are shares of an accelerator's, which is the sum over all
// of its links, one way: 1/k for each of k axes, half of that in each direction.
// Formulas: J. Austin et al., "How to Scale Your Model" (Google DeepMind, 2025), sections 2 and 3; Jouppi et al., arXiv
// 2304.01433.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stratoplan::cluster {

inline constexpr std::size_t kMostTorusAxes = 4;
inline constexpr int kLongestTorusAxis = 1024; ///< accelerators

/// Which axes of a torus, or of a slice of it, close into rings.
enum class TorusWrap {
    EveryAxis,
    CubesOf4, ///< all, where each is a multiple of four: optical switches close the faces of whole cubes (TPU v4, v5p)
    AxesOf16, ///< those of sixteen: the cables of a whole pod (TPU v5e, v6e)
    None,
};
inline constexpr std::array kTorusWraps{
    TorusWrap::EveryAxis, TorusWrap::CubesOf4, TorusWrap::AxesOf16, TorusWrap::None};
[[nodiscard]] std::string_view key(TorusWrap wrap); // "every_axis", "cubes_of_4", "axes_of_16", "none"

struct Torus {
    std::vector<int> axes; ///< accelerators along each, that of neighbouring ranks first; one to kMostTorusAxes
    TorusWrap wrap = TorusWrap::EveryAxis;
    bool operator==(const Torus&) const = default;
};

/// Whether it has one to kMostTorusAxes axes of 1 to kLongestTorusAxis accelerators, as all else here takes for
/// granted.
[[nodiscard]] bool isValid(const Torus& torus);
/// Accelerators of all of it.
[[nodiscard]] long long sizeOf(const Torus& torus);
[[nodiscard]] bool isClosed(const Torus& torus, std::size_t axis);
/// "4×4×4"
[[nodiscard]] std::string axesText(const std::vector<int>& axes);
/// The most compact box of exactly so many accelerators that fits into it, of whole cubes where they are closed; its
/// axes rise, those of a power of two first, as most groups along them are. Nothing where none does.
[[nodiscard]] std::optional<Torus> boxOfAll(const Torus& torus, int accelerators);
/// The part of it that so many accelerators are given: the box of all, or else that of the next number that has one,
/// with none of its axes closed, as rings end where accelerators are missing; nor are they where cables alone close
/// those of the whole (EveryAxis). All of it for as many as it has or more.
[[nodiscard]] Torus slice(const Torus& torus, int accelerators);

/// Ranks whose numbers are `stride` apart.
struct RankRun {
    int size = 1;
    int stride = 1;
};

/// Ranks of a group along one axis.
struct AxisRun {
    int ranks = 0; ///< 0: where the group lies is not known
    int sharing = 1; ///< like groups that use the same links at the same time, this one included
    bool isClosed = false; ///< they go all around the ring
    bool operator==(const AxisRun&) const = default;
};

/// Ranks of a group by axis; without a place each question below is answered for the best place there is.
struct TorusBox {
    std::array<AxisRun, kMostTorusAxes> axes{};
    [[nodiscard]] bool isPlaced() const { return axes[0].ranks > 0; }
    bool operator==(const TorusBox&) const = default;
};
/// One number for each axis, unlike for unlike boxes.
[[nodiscard]] std::array<int, kMostTorusAxes> numbersOf(const TorusBox& box);

/// Where a group lies that has these two nested runs of ranks on one torus, the inner one first. What fills no box is a
/// line along one axis.
[[nodiscard]] TorusBox boxOf(const Torus& torus, RankRun inner, RankRun outer = {});
/// Ranks one after the other, open at both ends.
[[nodiscard]] TorusBox lineOf(int ranks, int sharing = 1);
/// Where the ranks of a group of a power of two lie that differ in these bits of their number in the group alone.
[[nodiscard]] TorusBox boxOfBits(const TorusBox& box, unsigned bits);

/// What a group of n ranks uses of the links inside a domain.
struct LinkUse {
    double hops = 0; ///< that a block makes one after the other on its way to all ranks
    double rings = 1; ///< share of the bandwidth of rings along every axis at once
    double ring = 1; ///< of one ring through all ranks
    double send = 1; ///< of what a rank sends to the next
    double exchange = 0; ///< of an all-to-all: seconds over those of one block, which a rank has for each other one, at
                         ///< full bandwidth
};
/// Of a domain where each reaches each other at full bandwidth.
[[nodiscard]] LinkUse switchedUse(int ranks);
/// On a torus. Along an axis of k, of n ranks: closed, n/2 hops and 1/k; open, n - 1 hops and 1/2k, as every byte goes
/// over the last link in one direction. Exchange, by the bisection: n/8 bytes over each link of a closed ring for each
/// byte that a rank has in all, n/4 in the middle of an open one; the slowest axis counts.
[[nodiscard]] LinkUse torusUse(std::size_t axes, const TorusBox& box, int ranks);

} // namespace stratoplan::cluster
