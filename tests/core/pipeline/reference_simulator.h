// SPDX-License-Identifier: GPL-3.0-or-later
// A second simulator, written for plainness: named operations in maps, and start times relaxed until none moves.
// It shares no code with core/pipeline, its orders included, so that agreement means something.
#pragma once

#include "core/pipeline/pipeline.h"

#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace reference {

struct Operation {
    char kind = 'F'; ///< F, B, W; f, b: the transfer that follows; g, h: what its receiver reshards; L: the loss,
                     ///< behind the last stage
    int virtualStage = 0;
    int microBatch = 0;
    auto operator<=>(const Operation&) const = default;
};

struct Result {
    std::map<Operation, double> start;
    std::map<Operation, double> end;
    std::vector<double> lastPass; ///< its end, per stage
    double makespan = 0;
    double longestStage = 0; ///< from its first pass to the end of its step
};

/// The passes stage `stage` runs, by the textbook rule of each schedule.
std::vector<Operation> program(const stratoplan::pipeline::PipelineWork& work, int stage);

Result simulate(const stratoplan::pipeline::PipelineWork& work);

/// The same for two chunks per stage with work of their own: V-shaped and two-way pipelines, in the order of
/// core/pipeline, whose oracles are the published closed forms.
Result simulateChunks(const stratoplan::pipeline::PipelineWork& work);

} // namespace reference
