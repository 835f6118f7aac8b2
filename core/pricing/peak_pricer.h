// SPDX-License-Identifier: Apache-2.0
// Inside of the strategy pricer: peaks of memory. They depend on no link and no group's place.
#pragma once

#include "core/cost/memory.h"
#include "core/pricing/stage_kinds.h"
#include "core/pricing/strategy_pricer.h"

#include <array>

namespace stratoplan {

class PeakPricer {
public:
    /// What the fullest stage of the plan holds. `work` is that of its micro-batch, `splitNumber` tells its layers per
    /// stage from those of other plans.
    [[nodiscard]] StrategyPeak peak(const Plan& plan, const MicroBatchWork& work, int splitNumber);

    /// Micro-batches in flight of a ZB-auto that leaves its limit open.
    [[nodiscard]] int openLimit(const Plan& plan, const MicroBatchWork& work, int splitNumber, Bytes capacity);

    [[nodiscard]] std::size_t size() const { return m_kept + m_holdings.size(); } ///< entries remembered
    void clear();

private:
    /// One kind of stage and the bytes of its passes.
    struct HeldKind {
        StageLayout layout;
        LifetimeBytes passes; ///< beside the parameters'
    };
    /// A stage of a kind that holds more micro-batches than all stages of its kind before it.
    struct Holding {
        int stage = 0;
        double inFlight = 0;
    };
    using PassBytesKey = Key<10>;
    using SplitKey = Key<5>;
    using HoldingsKey = Key<17>;
    using HoldingsOfKinds = std::vector<std::vector<Holding>>;

    struct Split {
        SplitKey key;
        PassBytesKey passesKey;
        const StageKinds& stages;
        const std::vector<HeldKind>& kinds;
    };
    Split split(const Plan& plan, const MicroBatchWork& work, int splitNumber);
    /// What the kinds hold in all, without the micro-batches' activations. Schedules of one split and sharding share
    /// it.
    const std::vector<LifetimeBytes>& wholeBytes(
        const Plan& plan, const MicroBatchWork& work, const std::vector<HeldKind>& kinds);
    [[nodiscard]] std::vector<HeldKind> hold(const Plan& plan, const MicroBatchWork& work, const StageKinds& stages);
    [[nodiscard]] static HoldingsOfKinds holdings(
        const Plan& plan, const MicroBatchWork& work, const StageKinds& stages, int batches);

    Remembered<SplitKey, StageKinds> m_stages;
    Remembered<PassBytesKey, Remembered<SplitKey, std::vector<HeldKind>>> m_held;
    Remembered<HoldingsKey, HoldingsOfKinds> m_holdings;
    std::size_t m_kept = 0;
    // The last answer of wholeBytes().
    std::vector<LifetimeBytes> m_whole;
    const std::vector<HeldKind>* m_wholeOf = nullptr;
    std::array<int, 7> m_wholeSharding{};
};

} // namespace stratoplan
