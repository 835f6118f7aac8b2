// SPDX-License-Identifier: Apache-2.0
#include "core/estimate/lowered_work.h"

namespace stratoplan {
namespace {

/// Computation of a pass in which products of experts run at the peak rate, whatever their shape.
Seconds atPeak(const Pass& pass, const Machine& machine, const SoftwareProfile& software)
{
    Seconds total{};
    for (const Operator& op : pass.operators) {
        const FlopsPerSecond peak = op.narrow ? machine.peak : machine.widePeak;
        const bool experts = op.kind == OperatorKind::GroupedMatmul;
        total += !experts ? seconds(op, machine, software) : peak.value() > 0 ? op.flops / peak : Seconds{};
    }
    return total;
}

/// They are most of the bytes of a work, and of no use once they are priced.
void forgetOperators(MicroBatchWork& work)
{
    for (Pass* pass : {&work.dense.forward, &work.dense.backward, &work.moe.forward, &work.moe.backward, &work.embeddingForward,
             &work.embeddingBackward, &work.headForward, &work.headBackward, &work.mergeForward, &work.mergeBackward})
        pass->operators = {};
}

} // namespace

void priceComputation(LoweredWork& lowered, const Plan& plan, const Machine& machine)
{
    lowered.priced = true;
    lowered.compute = microBatchCompute(plan, machine, lowered.work);
    for (const Pass* pass : {&lowered.work.moe.forward, &lowered.work.moe.backward})
        lowered.leastExperts += atPeak(*pass, machine, plan.training.software);
    forgetOperators(lowered.work);
}

} // namespace stratoplan
