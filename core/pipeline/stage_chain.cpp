// SPDX-License-Identifier: Apache-2.0
#include "core/pipeline/stage_chain.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace stratoplan::pipeline {
namespace {

/// Micro-batches that a stage runs forward before its first gradient, at most.
double heldBefore(const PipelineWork& work, int stage)
{
    const int p = int(work.stages.size());
    if (work.schedule == parallel::Schedule::ZbAuto) // it holds them until their weight gradients
        return zeroBubbleLimit(work.schedule, p, work.microBatches, work.lookahead, work.limit);
    const int v = effectiveChunks(work.schedule, work.chunks);
    const int warmUp = warmUpPasses(work.schedule, p, v, work.microBatches, stage, work.lookahead);
    return std::min(double(work.microBatches), double(warmUp + 1) / v);
}

} // namespace

ChainRules chainRules(const PipelineWork& work)
{
    const int p = int(work.stages.size());
    const int v = effectiveChunks(work.schedule, work.chunks);
    ChainRules rules;
    rules.microBatches = work.microBatches;
    rules.firstChunk = 1.0 / v;
    rules.splits = splitsBackward(work.schedule);
    rules.staggers = staggersSteps(work.schedule);
    if (rules.splits) {
        rules.limit = zeroBubbleLimit(work.schedule, p, work.microBatches, work.lookahead, work.limit);
        rules.weightsBefore = rules.microBatches - rules.limit;
    }
    rules.forwardFirst =
        work.schedule == parallel::Schedule::GPipe || work.schedule == parallel::Schedule::BreadthFirst;
    for (int stage = 0; stage < p; ++stage)
        rules.held.push_back(heldBefore(work, stage));
    // Of the first stage: none runs more micro-batches ahead.
    if (v == 1 && work.schedule != parallel::Schedule::ZbAuto && !rules.forwardFirst)
        rules.often = std::max(1.0, std::floor((rules.microBatches - 1) / rules.held.front()));
    rules.onStream = work.timing.path == parallel::TransferPath::Stream;
    rules.reducesInside =
        !rules.splits && work.timing.sync == parallel::SyncTime::LastBackward; // a weight gradient holds up nobody
    return rules;
}

void countChunks(int chunks, StageTerms& terms)
{
    terms.firstForward = terms.forward / chunks;
    terms.firstBackward = terms.backward / chunks;
    terms.leastForward = terms.forward;
    terms.leastBackward = terms.backward;
}

void countChunks(int chunks, const ChunkWork& first, const ChunkWork& quickest, StageTerms& terms)
{
    terms.firstForward = first.forward.value();
    terms.firstBackward = first.backward.value();
    terms.leastForward = std::min(terms.forward, quickest.forward.value() * chunks);
    terms.leastBackward = std::min(terms.backward, quickest.backward.value() * chunks);
}

// In one piece: the terms of the new prefix are made of one another, in this order.
ChainPrefix extended(const ChainRules& rules, int stage, const ChainPrefix& prefix, const StageTerms& terms)
{
    const double m = rules.microBatches;
    const double chunk = rules.firstChunk;
    const double weights = rules.splits ? std::min(terms.weightGradient, terms.backward) : 0;
    const double backward = terms.backward - weights;
    const double begin = rules.staggers ? 0 : prefix.fill;
    const double inside = rules.reducesInside ? terms.sync : 0;
    const double after = terms.sync - inside + terms.after;
    // The first transfer from above is part of the fill, the last one to there of the drain.
    const double held = rules.onStream
        ? m * (terms.sendForward + terms.receiveBackward) + (m - 1) * (terms.receiveForward + terms.sendBackward)
        : 0;
    const double down = terms.sendForward + terms.reshardForward,
                 up = terms.sendBackward + terms.reshardBackward; // until it can be used
    // What is left of a step when this stage has ended its last backward pass: upstream, or its own.
    const double left = std::max(prefix.tail + up, begin + weights + after);
    const double last = m * (terms.forward + backward) + rules.weightsBefore * weights + inside + held;
    const double whole = begin + m * (terms.forward + terms.backward) + inside + held + after;
    const double next = terms.firstForward + down;

    ChainPrefix result;
    result.fill = prefix.fill + next;
    result.tail = left + terms.firstBackward - weights + inside * chunk + next;
    result.longest = std::max({prefix.longest, left + last, whole});
    if (rules.held.empty())
        return result;

    // The way of a micro-batch through this stage, there and back. Of several chunks the last one's gradient closes the
    // first trip.
    const double forward = terms.leastForward, gradient = terms.leastBackward - weights;
    const double through = forward + down / chunk;
    result.further = rules.forwardFirst ? 0 : prefix.further + through * (1 - chunk);
    const double there = rules.forwardFirst ? forward * chunk + down : through;
    const double ahead = rules.forwardFirst ? m - chunk : std::max(0.0, m - rules.held[std::size_t(stage)]);
    const double trip = there + gradient * chunk;
    const double rest = ahead * forward + (m - chunk) * gradient + inside;
    const double ends = std::max(left + rules.weightsBefore * weights, begin + after + m * weights);
    result.once = std::max(prefix.once + up + trip, ends + prefix.further + trip + rest);
    result.longest = std::max(result.longest, result.once);
    const auto several = [&](double trips, double before) {
        const double ran = trips * rules.held[std::size_t(stage)];
        const double between = m - 1 - ran;
        // Weight gradients make room for the forward passes beyond the limit.
        const double room = std::min(between, std::max(0.0, m - rules.limit) - std::max(0.0, ran + 1 - rules.limit));
        const double ownTime = between < 0
            ? ChainPrefix::kNone
            : left + (1 + trips) * trip + between * (terms.forward + backward) + std::max(0.0, room) * weights + inside;
        return std::max(before + (1 + trips) * (up + trip), ownTime);
    };
    if (rules.often >= 1) {
        result.twice = several(1, prefix.twice);
        result.longest = std::max(result.longest, result.twice);
    }
    if (rules.often >= 2) {
        result.many = several(rules.often, prefix.many);
        result.longest = std::max(result.longest, result.many);
    }
    return result;
}

double chainSeconds(const ChainRules& rules, const std::vector<StageTerms>& stages)
{
    ChainPrefix prefix;
    for (std::size_t i = 0; i < stages.size(); ++i)
        prefix = extended(rules, int(i), prefix, stages[i]);
    return prefix.longest;
}

} // namespace stratoplan::pipeline
