// SPDX-License-Identifier: GPL-3.0-or-later
// A project to size, and searches for its size that are as small as a test needs.
#pragma once

#include "app/session/sizing_worker.h"
#include "tests/app/gui_test.h"
#include "tests/core/fixtures.h"

#include <chrono>
#include <thread>

namespace stratoplan::test {

/// A small GPT on two nodes of four accelerators below one switch, with a budget, a price and a first day.
inline plan::Project sizingProject()
{
    plan::Project project;
    plan::Plan& plan = project.plan = fixtures::small();
    plan.name = "sized";
    plan.cluster.switches = {{.id = "leaf", .name = "Leaf", .ports = 64}};
    fixtures::link(plan, "nodes", "leaf", 4);
    project.capacity.tokens = 50e9;
    project.capacity.pricePerAcceleratorHour = 2;
    project.capacity.start = "2026-12-01";
    project.canvas = {{"nodes", {10, 20}}, {"leaf", {100, 200}}};
    return project;
}

/// The core's answers, in a small space and on few nodes.
inline session::SizingFunctions quickSizes()
{
    session::SizingFunctions functions = session::coreSizingFunctions();
    functions.size = [](const session::SizingKind& kind, double days, const std::stop_token& stop,
                         const sizing::SizingProgressCallback& progress) {
        session::SearchRequest each = narrowed(kind.each);
        each.space.microBatch = plan::IntChoice::just(1);
        sizing::SizingOptions options{.days = days, .mostNodes = 16};
        options.search = each.options;
        return fewestFor(each.plan, each.space, kind.inputs, options, stop, progress);
    };
    return functions;
}

/// They tell of what they find, but end only once they are stopped.
inline session::SizingFunctions endlessSizes()
{
    session::SizingFunctions functions = quickSizes();
    functions.size = [quick = functions.size](const session::SizingKind& kind, double days, const std::stop_token& stop,
                         const sizing::SizingProgressCallback& progress) {
        auto answer = quick(kind, days, stop, progress);
        while (!stop.stop_requested())
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        return answer;
    };
    return functions;
}

} // namespace stratoplan::test
