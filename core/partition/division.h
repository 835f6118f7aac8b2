// SPDX-License-Identifier: Apache-2.0
// A way to divide all operators of a layer, and what it takes.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <tuple>
#include <vector>

namespace stratoplan::partition {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr int kMostOperators = 13;
/// By operator of a layer, the number of one of its states.
using ChosenStates = std::array<std::int16_t, kMostOperators>;

/// Of one layer on each rank.
struct Division {
    double seconds = 0; ///< of a micro-batch: both passes, and what is repeated
    double parameters = 0;
    double kept = 0; ///< bytes of a micro-batch
    double remade = 0; ///< bytes that recomputation makes again before the layer is differentiated
    double working = 0; ///< bytes: the most of any operator
    ChosenStates states{};
    std::uint32_t again = 0; ///< inputs that are handed over again for the backward pass instead of being kept
};

/// Costs are sums in some order: what differs by less is the same. Narrower than what bounds leave room for
/// (KnownDivisions), so that none of those that tie is left out.
inline constexpr double kSameCost = 1 + 1e-13;

/// Of divisions that cost the same, the one that is taken, whatever was looked for before: the leaner one, and of
/// equals that with the first states. What is added to both leaves their order.
[[nodiscard]] inline bool comesBefore(const Division& a, const Division& b)
{
    return std::tie(a.parameters, a.kept, a.remade, a.states, a.again)
        < std::tie(b.parameters, b.kept, b.remade, b.states, b.again);
}

/// Bytes of a stage at one moment: linear in what its layers hold.
struct MemoryForm {
    double ofParameter = 0; ///< bytes for each of a layer's parameters on a rank, states of the optimizer included
    double ofKept = 0; ///< for each byte that a layer keeps of a micro-batch
    double fixed = 0;
    double ofBeside = 1; ///< for each byte that a layer makes again, or needs to work
    bool operator==(const MemoryForm&) const = default;
    [[nodiscard]] double layers(double parameters, double kept, double remade) const
    {
        return ofParameter * parameters + ofKept * kept + ofBeside * remade;
    }
};

/// The most of all stages and moments.
[[nodiscard]] inline double peak(const std::vector<MemoryForm>& forms, const Division& division)
{
    double most = 0;
    for (const MemoryForm& form : forms)
        most = std::max(most,
            form.fixed + form.layers(division.parameters, division.kept, division.remade)
                + form.ofBeside * division.working);
    return most;
}

} // namespace stratoplan::partition
