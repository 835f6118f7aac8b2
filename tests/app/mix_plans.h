// SPDX-License-Identifier: GPL-3.0-or-later
// A project with nodes of two groups, and searches of mixes of them that are as small as a test needs.
#pragma once

#include "app/session/mix_worker.h"
#include "tests/app/gui_test.h"
#include "tests/core/fixtures.h"

#include <atomic>
#include <chrono>
#include <thread>

namespace stratoplan::test {

/// A small GPT on two nodes of "old" and four of "new", twice as fast, two accelerators each, below one switch.
inline plan::Project unlikeProject()
{
    plan::Project project;
    plan::Plan& plan = project.plan = fixtures::small();
    plan.name = "unlike";
    plan.training.globalBatch = 48;
    plan.cluster = fixtures::cluster(2, 2);
    cluster::NodeGroup& old = plan.cluster.nodes.front();
    old.id = "old";
    old.name = "Old node";
    cluster::NodeGroup fresh = old;
    fresh.id = "new";
    fresh.name = "New node";
    fresh.count = 4;
    for (const model::Precision precision : model::kPrecisions)
        fresh.accelerator.peak[precision] *= 2;
    fresh.accelerator.memoryBandwidth *= 2;
    plan.cluster.nodes.push_back(fresh);
    plan.cluster.switches = {{.id = "leaf", .name = "Leaf", .ports = 64}};
    fixtures::link(plan, "old", "leaf", 4);
    fixtures::link(plan, "new", "leaf", 8);
    plan.strategy = {};
    plan.strategy.dp = 12;
    project.canvas = {{"old", {0, 0}}, {"new", {200, 0}}, {"leaf", {100, 200}}};
    return project;
}

/// The core's answers, in a small space.
inline session::MixFunctions quickMixes()
{
    session::MixFunctions functions = session::coreMixFunctions();
    functions.search = [core = functions.search](const session::MixRequest& request, const std::stop_token& stop,
                           const std::function<void(const search::MixProgress&)>& progress) {
        return core({narrowed(request.each), request.mixes}, stop, progress);
    };
    return functions;
}

/// At first they tell of all but the fastest mix, of the slowest not yet its best; of all once they are released.
inline session::MixFunctions mixesInTwoParts(const std::atomic<bool>& released)
{
    session::MixFunctions functions = quickMixes();
    functions.search = [&released, quick = functions.search](const session::MixRequest& request,
                           const std::stop_token& stop,
                           const std::function<void(const search::MixProgress&)>& progress) {
        search::MixResult result = quick(request, stop, {});
        std::vector<search::FoundMix> slower(result.front.begin() + 1, result.front.end());
        slower.back().best.step *= 1.5;
        slower.back().perStep *= 1.5;
        progress({result.mixes, 1, 0, slower});
        while (!released && !stop.stop_requested())
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        return result;
    };
    return functions;
}

/// They tell of what they find, but end only once they are stopped.
inline session::MixFunctions endlessMixes()
{
    session::MixFunctions functions = quickMixes();
    functions.search = [quick = functions.search](const session::MixRequest& request, const std::stop_token& stop,
                           const std::function<void(const search::MixProgress&)>& progress) {
        search::MixResult result = quick(request, stop, progress);
        while (!stop.stop_requested())
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        result.proven = false;
        return result;
    };
    return functions;
}

} // namespace stratoplan::test
