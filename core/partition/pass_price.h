// SPDX-License-Identifier: Apache-2.0
// One pass of a micro-batch through operators that a group divides, on each rank.
#pragma once

#include "core/cost/communication.h"

namespace stratoplan::partition {

struct PassPrice {
    Seconds compute{};
    Seconds weightGradient{}; ///< of it: products that make gradients of weights, and their addition
    Seconds exposed{}; ///< traffic that the group waits for
    Seconds hidden{}; ///< moves that products hide, and blocks of a ring behind attention
    cost::Overlap context{}; ///< of both, what ranks of context parallelism exchange
    Bytes ring{}; ///< that a rank gets from neighbours while it works
    Bytes collective{}; ///< that a rank gets to sum up, to gather and to hand over
    [[nodiscard]] Seconds total() const { return compute + exposed; }
    PassPrice& operator+=(const PassPrice& other)
    {
        compute += other.compute;
        weightGradient += other.weightGradient;
        exposed += other.exposed;
        hidden += other.hidden;
        context += other.context;
        ring += other.ring;
        collective += other.collective;
        return *this;
    }
    [[nodiscard]] PassPrice times(double share) const
    {
        return {compute * share, weightGradient * share, exposed * share, hidden * share,
            {context.exposed * share, context.hidden * share}, ring * share, collective * share};
    }
    bool operator==(const PassPrice&) const = default;
};

/// Of a layer or a part of it. What recomputation repeats runs before the backward pass.
struct PassPrices {
    PassPrice forward, backward, repeated;
    PassPrices& operator+=(const PassPrices& other)
    {
        forward += other.forward;
        backward += other.backward;
        repeated += other.repeated;
        return *this;
    }
    [[nodiscard]] PassPrice all() const
    {
        PassPrice sum = forward;
        sum += backward;
        sum += repeated;
        return sum;
    }
    [[nodiscard]] Seconds total() const { return forward.total() + backward.total() + repeated.total(); }
    bool operator==(const PassPrices&) const = default;
};

} // namespace stratoplan::partition
