// SPDX-License-Identifier: GPL-3.0-or-later
// A plan to show in tests: GPT-3 175B on 128 nodes of 8 A100, and the figures of an estimate of about its size.
#pragma once

#include "core/catalog/catalog.h"
#include "core/estimate/estimate.h"
#include "core/plan/plan.h"

namespace stratoplan::test {

inline plan::Plan samplePlan()
{
    const catalog::Catalog& catalog = catalog::shippedCatalog();
    plan::Plan plan;
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
    plan.strategy.recompute = parallel::Recompute::Selective;
    plan.strategy.schedule = parallel::Schedule::Interleaved;
    return plan;
}

inline estimate::Estimate sampleEstimate()
{
    estimate::Estimate e;
    e.step = units::Seconds(9.84);
    e.stepLow = units::Seconds(9.6);
    e.stepHigh = units::Seconds(10.2);
    e.tokensPerSecond = 1536 * 2048 / 9.84;
    e.perAccelerator = units::FlopsPerSecond(157e12);
    e.mfu = 0.503;
    e.hfu = 0.519;
    e.memory.capacity = units::Bytes(80 * units::kGiB);
    e.memory.peak = units::Bytes(68.4 * units::kGiB);
    e.memory.peakLow = units::Bytes(66 * units::kGiB);
    e.memory.peakHigh = units::Bytes(71 * units::kGiB);
    e.strategy = samplePlan().strategy;
    return e;
}

} // namespace stratoplan::test
