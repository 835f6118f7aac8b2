// SPDX-License-Identifier: Apache-2.0
#include "core/pricing/lowered_work.h"

#include "core/workload/layer.h"

namespace stratoplan::pricing {
namespace {

/// They are most of the bytes of a work, and of no use once they are priced.
void forgetOperators(workload::MicroBatchWork& work)
{
    for (workload::Pass* pass :
        {&work.dense.forward, &work.dense.backward, &work.moe.forward, &work.moe.backward, &work.embeddingForward,
            &work.embeddingBackward, &work.headForward, &work.headBackward, &work.mergeForward, &work.mergeBackward})
        pass->operators = {};
}

Seconds productsAtPeak(const workload::Pass& forward, const workload::Pass& backward, const cost::Machine& machine)
{
    Seconds total{};
    for (const workload::Pass* pass : {&forward, &backward}) {
        for (const workload::Operator& op : pass->operators) {
            const FlopsPerSecond peak = op.narrow ? machine.peak : machine.widePeak;
            if ((op.kind == workload::OperatorKind::Matmul || op.kind == workload::OperatorKind::GroupedMatmul)
                && peak.value() > 0)
                total += op.flops / peak * op.share;
        }
    }
    return total;
}

/// Of the plan's strategy the degrees of the work alone are settled.
void priceComputation(LoweredWork& lowered, const plan::Plan& plan, const cost::Machine& machine,
    const std::shared_ptr<const DividedLayers>& divided)
{
    lowered.priced = true;
    lowered.compute = microBatchCompute(plan, machine, lowered.work, divided);
    for (const workload::Pass* pass : {&lowered.work.moe.forward, &lowered.work.moe.backward}) {
        for (const workload::Operator& op : pass->operators) {
            if (op.kind != workload::OperatorKind::GroupedMatmul) {
                (pass == &lowered.work.moe.forward ? lowered.besideForward : lowered.besideBackward) +=
                    seconds(op, machine, plan.training.software);
                continue;
            }
            const FlopsPerSecond peak = op.narrow ? machine.peak : machine.widePeak;
            lowered.expertsAtPeak += peak.value() > 0 ? op.flops / peak * op.share : Seconds{};
            if (pass == &lowered.work.moe.forward)
                lowered.expertProducts.push_back(op);
        }
    }
    const workload::MicroBatchWork& work = lowered.work;
    lowered.denseAtPeak = productsAtPeak(work.dense.forward, work.dense.backward, machine);
    lowered.moeAtPeak = productsAtPeak(work.moe.forward, work.moe.backward, machine);
    lowered.headAtPeak = productsAtPeak(work.headForward, work.headBackward, machine);
    lowered.mergeAtPeak = productsAtPeak(work.mergeForward, work.mergeBackward, machine);
    forgetOperators(lowered.work);
}

parallel::Strategy strategyOf(const WorkDegrees& degrees)
{
    parallel::Strategy s;
    s.tp = degrees.tp;
    s.cp = degrees.cp;
    s.ep = degrees.ep;
    s.etp = degrees.etp;
    s.pp = degrees.vocabularyStages;
    s.microBatch = degrees.microBatch;
    s.contextMethod = degrees.contextMethod;
    s.sequenceParallel = degrees.sequenceParallel;
    s.vocabularyPlacement = degrees.vocabularyPlacement;
    return s;
}

} // namespace

WorkDegrees::WorkDegrees(const parallel::Strategy& s)
    : tp(s.tp)
    , cp(s.cp)
    , ep(s.ep)
    , etp(s.etp)
    , microBatch(s.microBatch)
    , contextMethod(s.contextMethod)
    , sequenceParallel(s.sequenceParallel)
{
    if (parallel::vocabularyStages(s) > 1) {
        vocabularyStages = s.pp;
        vocabularyPlacement = s.vocabularyPlacement;
    }
}

WorkDegrees::WorkDegrees(const SettledPlan& settled)
    : WorkDegrees(settled.plan.strategy)
{
    divided = settled.divided;
    division = settled.division;
}

WorkDegrees WorkDegrees::undivided() const
{
    WorkDegrees whole = withEnds();
    whole.ep = whole.etp = 1;
    return whole;
}

WorkDegrees WorkDegrees::withEnds() const
{
    WorkDegrees ends = *this;
    ends.vocabularyStages = 1;
    ends.vocabularyPlacement = parallel::VocabularyPlacement::Ends;
    return ends;
}

WorkKey workKey(const WorkDegrees& d)
{
    WorkKey key;
    for (const int number : {d.tp, d.cp, d.ep, d.etp, d.microBatch, int(d.contextMethod), int(d.sequenceParallel),
             d.vocabularyStages, int(d.vocabularyPlacement), d.division})
        key.add(number);
    return key;
}

ExpertSeconds expertSeconds(
    const LoweredWork& undivided, int ep, int etp, const cost::Machine& machine, const plan::SoftwareProfile& software)
{
    const auto power = [](int number) { return (number & (number - 1)) == 0; };
    if (!power(ep) || !power(etp))
        return {undivided.expertsAtPeak * (1.0 / 3), undivided.expertsAtPeak * (2.0 / 3)};
    ExpertSeconds total;
    workload::Pass backward;
    for (std::size_t i = 0; i < undivided.expertProducts.size(); ++i) {
        workload::Operator op = undivided.expertProducts[i];
        op.m *= double(ep) * etp; // as many tokens for fewer experts, and those of all expert TP ranks
        op.batch /= ep;
        (i == 0 ? op.n : op.k) /= etp; // the width
        total.forward += seconds(op, machine, software);
        addMatmulBackward(backward, op);
    }
    for (const workload::Operator& op : backward.operators)
        total.backward += seconds(op, machine, software);
    return total;
}

LoweredWork& Works::find(const WorkDegrees& degrees)
{
    return m_works.get(workKey(degrees), [&] {
        m_plan.strategy = strategyOf(degrees);
        LoweredWork lowered{workload::lowerMicroBatch(m_plan)};
        if (degrees.divided)
            divideWork(*degrees.divided, lowered.work);
        return lowered;
    });
}

const LoweredWork& Works::computed(const WorkDegrees& degrees)
{
    LoweredWork& work = find(degrees);
    if (!work.priced) {
        m_plan.strategy = strategyOf(degrees);
        priceComputation(work, m_plan, m_machine, degrees.divided);
    }
    return work;
}

} // namespace stratoplan::pricing
