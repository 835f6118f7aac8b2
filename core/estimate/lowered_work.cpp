// SPDX-License-Identifier: Apache-2.0
#include "core/estimate/lowered_work.h"

namespace stratoplan {
namespace {

/// They are most of the bytes of a work, and of no use once they are priced.
void forgetOperators(MicroBatchWork& work)
{
    for (Pass* pass : {&work.dense.forward, &work.dense.backward, &work.moe.forward, &work.moe.backward, &work.embeddingForward,
             &work.embeddingBackward, &work.headForward, &work.headBackward, &work.mergeForward, &work.mergeBackward})
        pass->operators = {};
}

Seconds productsAtPeak(const Pass& forward, const Pass& backward, const Machine& machine)
{
    Seconds total{};
    for (const Pass* pass : {&forward, &backward}) {
        for (const Operator& op : pass->operators) {
            const FlopsPerSecond peak = op.narrow ? machine.peak : machine.widePeak;
            if ((op.kind == OperatorKind::Matmul || op.kind == OperatorKind::GroupedMatmul) && peak.value() > 0)
                total += op.flops / peak;
        }
    }
    return total;
}

void priceComputation(LoweredWork& lowered, const Plan& plan, const Machine& machine)
{
    lowered.priced = true;
    lowered.compute = microBatchCompute(plan, machine, lowered.work);
    for (const Pass* pass : {&lowered.work.moe.forward, &lowered.work.moe.backward}) {
        for (const Operator& op : pass->operators) {
            if (op.kind != OperatorKind::GroupedMatmul) {
                lowered.besideExperts += seconds(op, machine, plan.training.software);
                continue;
            }
            const FlopsPerSecond peak = op.narrow ? machine.peak : machine.widePeak;
            lowered.expertsAtPeak += peak.value() > 0 ? op.flops / peak : Seconds{};
        }
    }
    const MicroBatchWork& work = lowered.work;
    lowered.denseAtPeak = productsAtPeak(work.dense.forward, work.dense.backward, machine);
    lowered.moeAtPeak = productsAtPeak(work.moe.forward, work.moe.backward, machine);
    lowered.headAtPeak = productsAtPeak(work.headForward, work.headBackward, machine);
    lowered.mergeAtPeak = productsAtPeak(work.mergeForward, work.mergeBackward, machine);
    forgetOperators(lowered.work);
}

} // namespace

LoweredWork& Works::lowered(const Plan& plan)
{
    return m_works.get(workKey(plan.strategy), [&] { return LoweredWork{lowerMicroBatch(plan)}; });
}

const LoweredWork& Works::computed(const Plan& plan)
{
    LoweredWork& work = lowered(plan);
    if (!work.priced)
        priceComputation(work, plan, m_machine);
    return work;
}

} // namespace stratoplan
