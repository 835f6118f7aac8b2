// SPDX-License-Identifier: GPL-3.0-or-later
// A plan to show in tests: GPT-3 175B on 128 nodes of 8 A100, and the figures of an estimate of about its size.
#pragma once

#include "core/catalog/catalog.h"
#include "core/estimate/estimate.h"
#include "core/plan/plan.h"

namespace stratoplan::test {

inline Plan samplePlan()
{
    const Catalog& catalog = shippedCatalog();
    Plan plan;
    plan.model = catalog.model("gpt3-175b")->model;
    plan.cluster.nodes = {catalog.node("dgx-a100-80")->node};
    plan.cluster.nodes.front().id = "nodes";
    plan.cluster.nodes.front().count = 128;
    plan.training.globalBatch = 1536;
    plan.training.software = catalog.software.front();
    plan.strategy.tp = 8;
    plan.strategy.pp = 8;
    plan.strategy.dp = 16;
    plan.strategy.vpp = 3;
    plan.strategy.zeroStage = 1;
    plan.strategy.sequenceParallel = true;
    plan.strategy.recompute = Recompute::Selective;
    plan.strategy.schedule = Schedule::Interleaved;
    return plan;
}

inline Estimate sampleEstimate()
{
    Estimate e;
    e.step = Seconds(9.84);
    e.stepLow = Seconds(9.6);
    e.stepHigh = Seconds(10.2);
    e.tokensPerSecond = 1536 * 2048 / 9.84;
    e.perAccelerator = FlopsPerSecond(157e12);
    e.mfu = 0.503;
    e.hfu = 0.519;
    e.memory.capacity = Bytes(80 * kGiB);
    e.memory.peak = Bytes(68.4 * kGiB);
    e.memory.peakLow = Bytes(66 * kGiB);
    e.memory.peakHigh = Bytes(71 * kGiB);
    e.strategy = samplePlan().strategy;
    return e;
}

} // namespace stratoplan::test
