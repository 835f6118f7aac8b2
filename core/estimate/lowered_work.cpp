// SPDX-License-Identifier: Apache-2.0
#include "core/estimate/lowered_work.h"

#include "core/workload/layer.h"

namespace stratoplan {
namespace {

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
    for (const Pass* pass : {&lowered.work.moe.forward, &lowered.work.moe.backward}) {
        for (const Operator& op : pass->operators) {
            if (op.kind != OperatorKind::GroupedMatmul) {
                lowered.besideExperts += seconds(op, machine, plan.training.software);
                continue;
            }
            const FlopsPerSecond peak = op.narrow ? machine.peak : machine.widePeak;
            lowered.expertsAtPeak += peak.value() > 0 ? op.flops / peak : Seconds{};
            if (pass == &lowered.work.moe.forward)
                lowered.expertProducts.push_back(op);
        }
    }
    forgetOperators(lowered.work);
}

Seconds expertSeconds(const LoweredWork& undivided, int ep, int etp, const Machine& machine, const SoftwareProfile& software)
{
    Pass both;
    for (std::size_t i = 0; i < undivided.expertProducts.size(); ++i) {
        Operator op = undivided.expertProducts[i];
        op.m *= double(ep) * etp; // as many tokens for fewer experts, and those of all expert TP ranks
        op.batch /= ep;
        (i == 0 ? op.n : op.k) /= etp; // the width
        both.operators.push_back(op);
        addMatmulBackward(both, op);
    }
    Seconds total{};
    for (const Operator& op : both.operators)
        total += seconds(op, machine, software);
    return total;
}

} // namespace stratoplan
