// SPDX-License-Identifier: Apache-2.0
// Inside of the pricing: the work of a micro-batch, and its computation once that is priced.
#pragma once

#include "core/pricing/price_cache.h"
#include "core/pricing/settled_plan.h"
#include "core/pricing/stage_cost.h"
#include "core/pricing/stage_kinds.h"

#include <vector>

namespace stratoplan::pricing {

/// What a micro-batch's work depends on of a strategy.
struct WorkDegrees {
    WorkDegrees() = default;
    explicit WorkDegrees(const parallel::Strategy& strategy);
    explicit WorkDegrees(const SettledPlan& settled);
    /// Of the same with undivided experts, and with the vocabulary at the ends.
    [[nodiscard]] WorkDegrees undivided() const;
    /// Of a work only the logits depend on how the vocabulary is placed, as far as bytes go.
    [[nodiscard]] WorkDegrees withEnds() const;

    int tp = 1, cp = 1, ep = 1, etp = 1;
    int microBatch = 1;
    parallel::ContextMethod contextMethod = parallel::ContextMethod::Ring;
    bool sequenceParallel = false;
    int vocabularyStages = 1; ///< that share the vocabulary
    parallel::VocabularyPlacement vocabularyPlacement = parallel::VocabularyPlacement::Ends;
    std::shared_ptr<const DividedLayers> divided{}; ///< null: as Megatron partitions them
    int division = 0; ///< the number of `divided` in its context
};
using WorkKey = Key<10>;
[[nodiscard]] WorkKey workKey(const WorkDegrees& degrees);

struct LoweredWork {
    workload::MicroBatchWork work; ///< without its operators, once its computation is priced
    bool priced = false;
    MicroBatchCompute compute{};
    Seconds besideForward{}, besideBackward{}; ///< a layer with experts without their products
    Seconds expertsAtPeak{}; ///< these, both passes at the peak rate, whatever their shape
    std::vector<workload::Operator> expertProducts{}; ///< of the forward pass: gate and up, down
    Seconds denseAtPeak{}, moeAtPeak{}, headAtPeak{}, mergeAtPeak{}; ///< all products of both passes at the peak rate
};

/// Products of the experts of a layer, forward and backward, when they are divided `ep` ways and each `etp` ways;
/// `undivided` is the work without either. By powers of two sizes are divided exactly, so that the shapes are those of
/// the divided work; for other numbers, at the peak rate.
struct ExpertSeconds {
    Seconds forward{}, backward{};
};
[[nodiscard]] ExpertSeconds expertSeconds(
    const LoweredWork& undivided, int ep, int etp, const cost::Machine& machine, const plan::SoftwareProfile& software);

/// The works of one plan, each lowered once, and priced when that is asked for: bytes are often enough to drop a
/// strategy.
class Works {
public:
    Works(const plan::Plan& plan, const cost::Machine& machine)
        : m_plan(plan)
        , m_machine(machine)
    {
    }
    [[nodiscard]] const workload::MicroBatchWork& lowered(const WorkDegrees& degrees) { return find(degrees).work; }
    [[nodiscard]] const LoweredWork& computed(const WorkDegrees& degrees);
    [[nodiscard]] std::size_t size() const { return m_works.size(); }
    void clear() { m_works.clear(); }

private:
    [[nodiscard]] LoweredWork& find(const WorkDegrees& degrees);

    plan::Plan m_plan; ///< with the degrees that were lowered or priced last
    const cost::Machine& m_machine;
    Remembered<WorkKey, LoweredWork> m_works;
};

} // namespace stratoplan::pricing
