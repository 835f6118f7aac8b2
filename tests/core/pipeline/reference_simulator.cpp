// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/pipeline/reference_simulator.h"

#include <algorithm>
#include <string>

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

// All micro-batches through one chunk after the other, and back.
std::vector<Operation> breadthFirst(int p, int v, int m, int stage)
{
    std::vector<Operation> order;
    for (int chunk = 0; chunk < v; ++chunk)
        for (int i = 0; i < m; ++i)
            order.push_back({'F', chunk * p + stage, i});
    for (int chunk = v - 1; chunk >= 0; --chunk)
        for (int i = 0; i < m; ++i)
            order.push_back({'B', chunk * p + stage, i});
    return order;
}

// The figures of the zero bubble paper, letter by letter.
std::vector<Operation> zeroBubble(int warmUp, int limit, int m, int stage)
{
    std::string letters(static_cast<std::size_t>(warmUp), 'F');
    const auto append = [&](const char* what, int times) {
        for (int i = 0; i < times; ++i)
            letters += what;
    };
    append("FB", limit - warmUp);
    append("WFB", m - limit);
    const int first = limit == warmUp; // a backward pass that no other has gone before
    append("B", first);
    append("WB", warmUp - first);
    append("W", limit - warmUp + first);
    std::map<char, int> counts;
    std::vector<Operation> order;
    for (const char letter : letters)
        order.push_back({letter, stage, counts[letter]++});
    return order;
}

// Never more than `most` micro-batches in flight; otherwise a forward pass as soon as that allows one.
std::vector<Operation> oneFOneB(int most, int m, int stage)
{
    std::vector<Operation> order;
    int forwards = 0;
    int backwards = 0;
    while (backwards < m) {
        if (forwards < m && forwards - backwards < most)
            order.push_back({'F', stage, forwards++});
        else
            order.push_back({'B', stage, backwards++});
    }
    return order;
}

// Megatron-LM's get_model_chunk_id and its 1F1B loop over virtual micro-batches.
std::vector<Operation> interleaved(int p, int v, int m, int stage, int ahead)
{
    const int total = m * v;
    const auto pass = [&](int k, bool forward) {
        const int inGroup = k % (p * v);
        const int chunk = forward ? inGroup / p : v - 1 - inGroup / p;
        const int microBatch = k / (p * v) * p + inGroup % p;
        return Operation{forward ? 'F' : 'B', chunk * p + stage, microBatch};
    };
    const int warmUp = std::min((p - stage - 1) * 2 + (v - 1) * p + ahead, total);
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

bool splits(const PipelineWork& work)
{
    return work.schedule == Schedule::ZbH1 || work.schedule == Schedule::ZbH2;
}

int chunksOf(const PipelineWork& work)
{
    return work.schedule == Schedule::Interleaved || work.schedule == Schedule::BreadthFirst ? work.chunks : 1;
}

/// The earliest start of everything: later and later until every input has ended before.
Result relax(const std::map<Operation, std::vector<Operation>>& before, const std::map<Operation, double>& duration)
{
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
    return result;
}

} // namespace

std::vector<Operation> program(const PipelineWork& work, int stage)
{
    const int p = static_cast<int>(work.stages.size());
    const int m = work.microBatches;
    const int ahead = work.lookahead;
    switch (work.schedule) {
    case Schedule::GPipe:
        return gpipe(m, stage);
    case Schedule::BreadthFirst:
        return breadthFirst(p, work.chunks, m, stage);
    case Schedule::EagerOneFOneB:
        return oneFOneB(2 * (p - stage) - 1 + ahead, m, stage);
    case Schedule::ZbH1:
        return zeroBubble(std::min(m, p - stage - 1 + ahead), std::min(m, p + ahead), m, stage);
    case Schedule::ZbH2:
        return zeroBubble(std::min(m, 2 * (p - stage - 1) + ahead), std::min(m, 2 * p - 1 + ahead), m, stage);
    default:
        return work.chunks > 1 ? interleaved(p, work.chunks, m, stage, ahead) : oneFOneB(p - stage + ahead, m, stage);
    }
}

Result simulate(const PipelineWork& work)
{
    const int p = static_cast<int>(work.stages.size());
    const int v = chunksOf(work);
    std::map<Operation, std::vector<Operation>> before;
    std::map<Operation, double> duration;
    std::map<int, Operation> first, last;
    for (int stage = 0; stage < p; ++stage) {
        const StageWork& w = work.stages[static_cast<std::size_t>(stage)];
        std::map<char, Operation> previous; // on the stage ('P') and on each of its links
        for (const Operation& op : program(work, stage)) {
            const bool forward = op.kind == 'F';
            const double weights = splits(work) ? w.weightGradient.value() : 0;
            duration[op] = op.kind == 'W' ? weights
                : forward                 ? w.forward.value() / v
                                          : (w.backward.value() - weights) / v;
            if (!work.chunkWork.empty()) { // of several chunks no weight gradient runs on its own
                const ChunkWork& chunk = work.chunkWork[static_cast<std::size_t>(stage * v + op.virtualStage / p)];
                duration[op] = (forward ? chunk.forward : chunk.backward).value();
            }
            if (previous.contains('P'))
                before[op].push_back(previous['P']);
            previous['P'] = op;
            last[stage] = op;
            first.try_emplace(stage, op);
            if (op.kind == 'W') {
                before[op].push_back({'B', op.virtualStage, op.microBatch});
                continue;
            }
            if (forward && op.virtualStage > 0)
                before[op].push_back({'g', op.virtualStage - 1, op.microBatch});
            if (!forward)
                before[op].push_back({op.virtualStage + 1 < p * v ? 'h' : 'L', op.virtualStage + 1, op.microBatch});
            if (forward && op.virtualStage + 1 == p * v) {
                const Operation loss{'L', p * v, op.microBatch};
                duration[loss] = work.loss.value();
                before[loss].push_back(op);
            }
            if (forward ? op.virtualStage + 1 < p * v : op.virtualStage > 0) {
                const Operation send{forward ? 'f' : 'b', op.virtualStage, op.microBatch};
                duration[send] = (forward ? w.sendForward : w.sendBackward).value();
                before[send].push_back(op);
                const char link = work.timing.onePort ? 'p' : send.kind;
                if (previous.contains(link))
                    before[send].push_back(previous[link]);
                previous[link] = send;
                const Operation reshard{forward ? 'g' : 'h', op.virtualStage, op.microBatch};
                duration[reshard] = (forward ? w.reshardForward : w.reshardBackward).value();
                before[reshard].push_back(send);
                if (previous.contains(reshard.kind))
                    before[reshard].push_back(previous[reshard.kind]);
                previous[reshard.kind] = reshard;
            }
        }
    }
    Result result = relax(before, duration);
    for (int stage = 0; stage < p; ++stage) {
        const StageWork& w = work.stages[static_cast<std::size_t>(stage)];
        result.lastPass.push_back(result.end.at(last.at(stage)));
        const double end =
            result.lastPass.back() + w.gradientSync.value() + w.optimizer.value() + w.parameterGather.value();
        result.makespan = std::max(result.makespan, end);
        result.longestStage = std::max(result.longestStage, end - result.start.at(first.at(stage)));
    }
    return result;
}

Result simulateChunks(const PipelineWork& work)
{
    const int p = static_cast<int>(work.stages.size());
    const bool twoWay = work.schedule == Schedule::DualPipe;
    const int length = twoWay ? p : 2 * p;
    const auto programs = stagePrograms(work.schedule, p, 2, work.microBatches, work.lookahead);
    const auto stageOf = [&](int place, bool up) {
        return twoWay ? (up ? p - 1 - place : place) : place < p ? place : 2 * p - 1 - place;
    };
    std::map<Operation, std::vector<Operation>> before;
    std::map<Operation, double> duration;
    std::map<int, Operation> first, last;
    const auto operationOf = [&](const PipelineStep& s, int stage) {
        const int place = s.chunk == 0 ? stage : twoWay ? p - 1 - stage : 2 * p - 1 - stage;
        return Operation{s.kind == PassKind::Forward ? 'F'
                : s.kind == PassKind::WeightGradient ? 'W'
                                                     : 'B',
            place, s.microBatch};
    };
    std::map<Operation, Operation> ends; // forward passes, and what ends them: their partner in a pair
    for (int stage = 0; stage < p; ++stage) {
        const StageProgram& program = programs[std::size_t(stage)];
        for (std::size_t k = 0; k < program.size(); ++k)
            ends[operationOf(program[k], stage)] = operationOf(program[program[k].withNext ? k + 1 : k], stage);
    }
    for (int stage = 0; stage < p; ++stage) {
        std::map<std::string, Operation> previous; // on the stage, and on its links up and down
        for (std::size_t k = 0; k < programs[std::size_t(stage)].size(); ++k) {
            const PipelineStep& step = programs[std::size_t(stage)][k];
            const bool up = step.chunk == 1;
            const auto operation = [&](const PipelineStep& s) { return operationOf(s, stage); };
            const ChunkWork& w = work.chunkWork[std::size_t(2 * stage + step.chunk)];
            const Operation op = operation(step);
            const int place = op.virtualStage;
            const auto inputsOf = [&](const PipelineStep& s) {
                const Operation o = operation(s);
                if (o.kind == 'W')
                    return Operation{'B', o.virtualStage, o.microBatch};
                const int from = o.virtualStage + (o.kind == 'F' ? -1 : 1);
                if (from < 0)
                    return o; // nothing
                if (from == length)
                    return Operation{'L', length, o.microBatch};
                const bool here = stageOf(from, s.chunk == 1) == stage;
                return here ? ends.at({o.kind, from, o.microBatch})
                            : Operation{o.kind == 'F' ? 'f' : 'b', from, o.microBatch};
            };
            duration[op] = op.kind == 'F'         ? w.forward.value()
                : op.kind == 'W'                  ? w.weightGradient.value()
                : step.kind == PassKind::Backward ? w.backward.value()
                                                  : (w.backward - w.weightGradient).value();
            if (k > 0
                && programs[std::size_t(stage)][k - 1].withNext) { // what each computes hides what the other sends
                const PipelineStep& partner = programs[std::size_t(stage)][k - 1];
                const ChunkWork& other = work.chunkWork[std::size_t(2 * stage + partner.chunk)];
                const ChunkWork& f = op.kind == 'F' ? w : other;
                const ChunkWork& b = op.kind == 'F' ? other : w;
                const Operation partnerOp = operation(partner);
                const double forward = f.forward.value();
                const double backward = op.kind == 'F' ? duration.at(partnerOp) : duration.at(op);
                duration[op] -= std::min(f.forwardTraffic.value(), backward - b.backwardTraffic.value())
                    + std::min(b.backwardTraffic.value(), forward - f.forwardTraffic.value());
            }
            if (previous.contains("stage"))
                before[op].push_back(previous["stage"]);
            previous["stage"] = op;
            last[stage] = op;
            first.try_emplace(stage, op);
            if (inputsOf(step) != op)
                before[op].push_back(inputsOf(step));
            const Operation done = ends.at(op);
            if (step.withNext)
                before[op].push_back(inputsOf(programs[std::size_t(stage)][k + 1]));
            if (op.kind == 'W')
                continue;
            if (op.kind == 'F' && place + 1 == length) {
                duration[{'L', length, op.microBatch}] = work.loss.value();
                before[{'L', length, op.microBatch}].push_back(done);
            }
            const int to = place + (op.kind == 'F' ? 1 : -1);
            if (to < 0 || to == length || stageOf(to, up) == stage)
                continue;
            const Operation send{op.kind == 'F' ? 'f' : 'b', place, op.microBatch};
            duration[send] = (op.kind == 'F' ? w.sendForward : w.sendBackward).value();
            before[send].push_back(done);
            const std::string link = work.timing.onePort ? "port" : stageOf(to, up) > stage ? "down" : "up";
            if (previous.contains(link))
                before[send].push_back(previous[link]);
            previous[link] = send;
        }
    }
    Result result = relax(before, duration);
    for (int stage = 0; stage < p; ++stage) {
        const StageWork& w = work.stages[std::size_t(stage)];
        result.lastPass.push_back(result.end.at(last.at(stage)));
        const double end = result.lastPass.back() + w.gradientSync.value() + w.optimizer.value();
        result.makespan = std::max(result.makespan, end);
        result.longestStage = std::max(result.longestStage, end - result.start.at(first.at(stage)));
    }
    return result;
}

} // namespace reference
