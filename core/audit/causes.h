// SPDX-License-Identifier: Apache-2.0
// What the seconds of a step go to, in words that a profile and an estimate share.
#pragma once

#include "core/units/quantity.h"

#include <array>
#include <cstddef>
#include <string_view>

namespace stratoplan::audit {

/// In the order in which a moment counts for one of them, where several things run at once: computation before the
/// communication beside it, whose exposed part is what nothing hides.
enum class Cause {
    Matmul,
    Attention, ///< its core, fused or not
    OtherComputation, ///< norms, activations, residuals, softmax of the loss, casts
    Optimizer,
    TensorParallel, ///< exposed communication of an axis
    ContextParallel,
    ExpertParallel,
    DataParallel,
    OtherCommunication, ///< exposed, of no axis that is known
    Pipeline, ///< exposed transfers between stages, and waits for other stages: a receiving kernel waits as it runs
    Copies, ///< of memory, beside which nothing runs
    Idle, ///< nothing runs on the device: it waits for the host
};
inline constexpr std::size_t kCauses = 12;
inline constexpr std::size_t kComputations = 4; ///< the first ones
inline constexpr std::size_t kFirstCommunication = kComputations;
inline constexpr std::size_t kCommunications = 6; ///< from TensorParallel to Pipeline

[[nodiscard]] std::string_view key(Cause cause); // "matmul", "attention", …
[[nodiscard]] constexpr bool isCommunication(Cause cause)
{
    return std::size_t(cause) >= kFirstCommunication && std::size_t(cause) < kFirstCommunication + kCommunications;
}

/// The parts add up to a step; what is hidden lies behind computation and is no part of it.
struct CauseSeconds {
    std::array<Seconds, kCauses> parts{}; ///< by Cause
    std::array<Seconds, kCommunications> hidden{}; ///< by Cause, from TensorParallel on
    [[nodiscard]] Seconds operator[](Cause cause) const { return parts[std::size_t(cause)]; }
    [[nodiscard]] Seconds& operator[](Cause cause) { return parts[std::size_t(cause)]; }
    [[nodiscard]] Seconds hiddenOf(Cause cause) const
    {
        return isCommunication(cause) ? hidden[std::size_t(cause) - kFirstCommunication] : Seconds{};
    }
    /// Precondition: isCommunication(cause).
    [[nodiscard]] Seconds& hiddenPart(Cause cause) { return hidden[std::size_t(cause) - kFirstCommunication]; }
    [[nodiscard]] Seconds total() const;
    [[nodiscard]] Seconds computation() const; ///< the first parts
    bool operator==(const CauseSeconds&) const = default;
};

/// What a device does for a while, of one cause.
struct LaneSlice {
    double start = 0; ///< seconds from the start of the step
    double seconds = 0;
    Cause cause = Cause::Idle;
    bool operator==(const LaneSlice&) const = default;
};

} // namespace stratoplan::audit
