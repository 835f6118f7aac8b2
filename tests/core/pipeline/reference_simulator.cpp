// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/pipeline/reference_simulator.h"

#include <algorithm>

using namespace stratoplan;

namespace reference {

namespace {

std::vector<Operation> gpipe(int m, int stage)
{
    std::vector<Operation> order;
    for (int i = 0; i < m; ++i)
        order.push_back({'F', stage, i});
    for (int i = 0; i < m; ++i)
        order.push_back({'B', stage, i});
    return order;
}

// Never more than p - i micro-batches in flight; otherwise a forward pass as soon as that allows one.
std::vector<Operation> oneFOneB(int p, int m, int stage)
{
    std::vector<Operation> order;
    int forwards = 0;
    int backwards = 0;
    while (backwards < m) {
        if (forwards < m && forwards - backwards < p - stage)
            order.push_back({'F', stage, forwards++});
        else
            order.push_back({'B', stage, backwards++});
    }
    return order;
}

// Megatron-LM's get_model_chunk_id and its 1F1B loop over virtual micro-batches.
std::vector<Operation> interleaved(int p, int v, int m, int stage)
{
    const int total = m * v;
    const auto pass = [&](int k, bool forward) {
        const int inGroup = k % (p * v);
        const int chunk = forward ? inGroup / p : v - 1 - inGroup / p;
        const int microBatch = k / (p * v) * p + inGroup % p;
        return Operation{forward ? 'F' : 'B', chunk * p + stage, microBatch};
    };
    const int warmUp = std::min((p - stage - 1) * 2 + (v - 1) * p, total);
    std::vector<Operation> order;
    for (int k = 0; k < warmUp; ++k)
        order.push_back(pass(k, true));
    for (int k = 0; k < total - warmUp; ++k) {
        order.push_back(pass(k + warmUp, true));
        order.push_back(pass(k, false));
    }
    for (int k = total - warmUp; k < total; ++k)
        order.push_back(pass(k, false));
    return order;
}

int chunksOf(const PipelineWork& work)
{
    return work.schedule == Schedule::Interleaved ? work.chunks : 1;
}

} // namespace

std::vector<Operation> program(const PipelineWork& work, int stage)
{
    const int p = static_cast<int>(work.stages.size());
    if (work.schedule == Schedule::GPipe)
        return gpipe(work.microBatches, stage);
    if (work.schedule == Schedule::Interleaved && work.chunks > 1)
        return interleaved(p, work.chunks, work.microBatches, stage);
    return oneFOneB(p, work.microBatches, stage);
}

Result simulate(const PipelineWork& work)
{
    const int p = static_cast<int>(work.stages.size());
    const int v = chunksOf(work);
    std::map<Operation, std::vector<Operation>> before;
    std::map<Operation, double> duration;
    std::map<int, Operation> last;
    for (int stage = 0; stage < p; ++stage) {
        const StageWork& w = work.stages[static_cast<std::size_t>(stage)];
        std::map<char, Operation> previous; // on the stage ('P') and on each of its links
        for (const Operation& op : program(work, stage)) {
            const bool forward = op.kind == 'F';
            duration[op] = (forward ? w.forward : w.backward).value() / v;
            if (previous.contains('P'))
                before[op].push_back(previous['P']);
            previous['P'] = op;
            last[stage] = op;
            if (forward && op.virtualStage > 0)
                before[op].push_back({'f', op.virtualStage - 1, op.microBatch});
            if (!forward)
                before[op].push_back(op.virtualStage + 1 < p * v ? Operation{'b', op.virtualStage + 1, op.microBatch}
                                                                 : Operation{'F', op.virtualStage, op.microBatch});
            if (forward ? op.virtualStage + 1 < p * v : op.virtualStage > 0) {
                const Operation send{forward ? 'f' : 'b', op.virtualStage, op.microBatch};
                duration[send] = (forward ? w.sendForward : w.sendBackward).value();
                before[send].push_back(op);
                if (previous.contains(send.kind))
                    before[send].push_back(previous[send.kind]);
                previous[send.kind] = send;
            }
        }
    }
    Result result;
    for (const auto& [op, seconds] : duration)
        result.start[op] = 0;
    for (bool moved = true; moved;) {
        moved = false;
        for (const auto& [op, inputs] : before) {
            for (const Operation& input : inputs) {
                const double end = result.start.at(input) + duration.at(input);
                if (end > result.start.at(op)) {
                    result.start.at(op) = end;
                    moved = true;
                }
            }
        }
    }
    for (const auto& [op, start] : result.start)
        result.end[op] = start + duration.at(op);
    for (int stage = 0; stage < p; ++stage) {
        const StageWork& w = work.stages[static_cast<std::size_t>(stage)];
        result.lastBackward.push_back(result.end.at(last.at(stage)));
        result.makespan = std::max(result.makespan, result.lastBackward.back() + w.gradientSync.value() + w.optimizer.value());
    }
    return result;
}

} // namespace reference
