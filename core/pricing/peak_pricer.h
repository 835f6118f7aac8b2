// SPDX-License-Identifier: Apache-2.0
// Inside of the pricing: peaks of memory. They depend on no link and no group's place.
#pragma once

#include "core/cost/memory.h"
#include "core/pricing/lowered_work.h"
#include "core/pricing/stage_kinds.h"
#include "core/pricing/strategy_price.h"

#include <array>

namespace stratoplan::pricing {

class PeakPricer {
public:
    /// What the fullest stage of the plan holds. `work` is that of its micro-batch.
    [[nodiscard]] StrategyPeak peak(const SettledPlan& settled, const workload::MicroBatchWork& work);

    /// Micro-batches in flight of a ZB-auto that leaves its limit open.
    [[nodiscard]] int openLimit(const SettledPlan& settled, const workload::MicroBatchWork& work, Bytes capacity);

    [[nodiscard]] std::size_t size() const { return m_kept + m_holdings.size(); } ///< entries remembered
    void clear();

private:
    /// One kind of stage and the bytes of its passes.
    struct HeldKind {
        workload::StageLayout layout;
        cost::LifetimeBytes passes; ///< beside the parameters'
    };
    /// A stage of a kind that holds more micro-batches than all stages of its kind before it.
    struct Holding {
        int stage = 0;
        double inFlight = 0;
    };
    using HeldKinds = std::vector<HeldKind>; ///< of a split
    using PassBytesKey = Key<WorkKey::kMost + 2>;
    using SplitKey = Key<5>;
    using HoldingsKey = Key<7 + PassBytesKey::kMost>;
    using HoldingsOfKinds = std::vector<std::vector<Holding>>;

    struct Split {
        SplitKey key;
        PassBytesKey passesKey;
        const StageKinds& stages;
        const HeldKinds& held;
    };
    /// What the kinds of a split hold in all without the micro-batches' activations.
    struct WholeBytes {
        SplitKey split;
        PassBytesKey passes;
        std::array<int, 7> sharding{};
        std::vector<cost::LifetimeBytes> ofKinds;
    };
    [[nodiscard]] Split split(const SettledPlan& settled, const workload::MicroBatchWork& work);
    [[nodiscard]] const std::vector<cost::LifetimeBytes>& wholeBytes(
        const plan::Plan& plan, const workload::MicroBatchWork& work, const Split& split);
    [[nodiscard]] HeldKinds hold(
        const plan::Plan& plan, const workload::MicroBatchWork& work, const StageKinds& stages);
    [[nodiscard]] static HoldingsOfKinds holdings(
        const plan::Plan& plan, const workload::MicroBatchWork& work, const StageKinds& stages, int batches);

    Remembered<SplitKey, StageKinds> m_stages;
    Remembered<PassBytesKey, Remembered<SplitKey, HeldKinds>> m_held;
    Remembered<HoldingsKey, HoldingsOfKinds> m_holdings;
    WholeBytes m_whole; ///< asked for last: schedules of one split and sharding share it
    std::size_t m_kept = 0;
};

} // namespace stratoplan::pricing
