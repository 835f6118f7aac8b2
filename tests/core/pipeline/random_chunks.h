// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/parallel/route.h"
#include "core/pipeline/pipeline.h"

#include <random>

/// Makes the chunks of every stage of a loop unlike, and the stages their sums.
inline void makeChunksUnlike(stratoplan::pipeline::PipelineWork& work, std::mt19937& random)
{
    using namespace stratoplan::pipeline;
    std::uniform_real_distribution<double> factor(0.2, 1.8);
    const int chunks = effectiveChunks(work.schedule, work.chunks);
    for (StageWork& stage : work.stages) {
        ChunkWork sum;
        for (int c = 0; c < chunks; ++c) {
            ChunkWork& own = work.chunkWork.emplace_back();
            const double size = factor(random) / chunks;
            own.forward = stage.forward * size;
            own.backward = stage.backward * (factor(random) / chunks);
            own.weightGradient = own.backward * 0.4;
            own.recompute = own.backward * 0.2;
            own.forwardTraffic = stage.forwardTraffic * size;
            sum.forward += own.forward;
            sum.backward += own.backward;
            sum.weightGradient += own.weightGradient;
            sum.recompute += own.recompute;
            sum.forwardTraffic += own.forwardTraffic;
        }
        sum.sendForward = stage.sendForward;
        sum.sendBackward = stage.sendBackward;
        static_cast<ChunkWork&>(stage) = sum;
    }
}
