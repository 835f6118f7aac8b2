// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/pipeline/reference_simulator.h"

#include <algorithm>
#include <string>

using namespace stratoplan::parallel;
using namespace stratoplan::pipeline;

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

/// Operations, what they wait for and how long they take.
struct Operations {
    std::map<Operation, std::vector<Operation>> before;
    std::map<Operation, double> duration;
    std::map<int, Operation> first, last; ///< of each stage

    /// After what its stage did before, which it becomes.
    template <class Key>
    void follow(std::map<Key, Operation>& previous, const Key& place, const Operation& operation)
    {
        if (previous.contains(place))
            before[operation].push_back(previous[place]);
        previous[place] = operation;
    }
};

/// Of a pass; of several chunks no weight gradient runs on its own.
double passSeconds(const PipelineWork& work, int stage, const Operation& op)
{
    const StageWork& w = work.stages[static_cast<std::size_t>(stage)];
    const int p = static_cast<int>(work.stages.size());
    const int v = chunksOf(work);
    const bool forward = op.kind == 'F';
    if (!work.chunkWork.empty()) {
        const ChunkWork& chunk = work.chunkWork[static_cast<std::size_t>(stage * v + op.virtualStage / p)];
        return (forward ? chunk.forward : chunk.backward).value();
    }
    const double weights = splits(work) ? w.weightGradient.value() : 0;
    return op.kind == 'W' ? weights : forward ? w.forward.value() / v : (w.backward.value() - weights) / v;
}

/// `gathers`: the parameters after the step, on the way of the stage.
Result resultOf(const PipelineWork& work, const Operations& all, bool gathers)
{
    Result result = relax(all.before, all.duration);
    for (int stage = 0; stage < static_cast<int>(work.stages.size()); ++stage) {
        const StageWork& w = work.stages[static_cast<std::size_t>(stage)];
        result.lastPass.push_back(result.end.at(all.last.at(stage)));
        const double end = result.lastPass.back() + w.gradientSync.value() + w.optimizer.value()
            + (gathers ? w.parameterGather.value() : 0);
        result.makespan = std::max(result.makespan, end);
        result.longestStage = std::max(result.longestStage, end - result.start.at(all.first.at(stage)));
    }
    return result;
}

/// Two chunks on each stage: their places along the way of a micro-batch, and what their programs do.
class ChunkSimulation {
public:
    explicit ChunkSimulation(const PipelineWork& work)
        : m_work(work)
        , m_stages(static_cast<int>(work.stages.size()))
        , m_twoWay(work.schedule == Schedule::DualPipe)
        , m_length(m_twoWay ? m_stages : 2 * m_stages)
        , m_programs(stagePrograms(work.schedule, m_stages, 2, work.microBatches, work.lookahead))
    {
        for (int stage = 0; stage < m_stages; ++stage) {
            const StageProgram& program = m_programs[std::size_t(stage)];
            for (std::size_t k = 0; k < program.size(); ++k)
                m_ends[operationOf(program[k], stage)] = operationOf(program[program[k].withNext ? k + 1 : k], stage);
        }
    }

    Result run()
    {
        for (int stage = 0; stage < m_stages; ++stage) {
            std::map<std::string, Operation> previous; // on the stage, and on its links up and down
            for (std::size_t k = 0; k < m_programs[std::size_t(stage)].size(); ++k) {
                addPass(stage, k, previous);
                addSends(stage, m_programs[std::size_t(stage)][k], previous);
            }
        }
        return resultOf(m_work, m_all, false);
    }

private:
    [[nodiscard]] int stageOf(int place, bool up) const
    {
        if (m_twoWay)
            return up ? m_stages - 1 - place : place;
        return place < m_stages ? place : 2 * m_stages - 1 - place;
    }

    [[nodiscard]] Operation operationOf(const PipelineStep& s, int stage) const
    {
        const int place = s.chunk == 0 ? stage : m_twoWay ? m_stages - 1 - stage : 2 * m_stages - 1 - stage;
        return Operation{s.kind == PassKind::Forward ? 'F'
                : s.kind == PassKind::WeightGradient ? 'W'
                                                     : 'B',
            place, s.microBatch};
    }

    [[nodiscard]] Operation inputOf(const PipelineStep& s, int stage) const
    {
        const Operation o = operationOf(s, stage);
        if (o.kind == 'W')
            return Operation{'B', o.virtualStage, o.microBatch};
        const int from = o.virtualStage + (o.kind == 'F' ? -1 : 1);
        if (from < 0)
            return o; // nothing
        if (from == m_length)
            return Operation{'L', m_length, o.microBatch};
        const bool here = stageOf(from, s.chunk == 1) == stage;
        return here ? m_ends.at({o.kind, from, o.microBatch})
                    : Operation{o.kind == 'F' ? 'f' : 'b', from, o.microBatch};
    }

    [[nodiscard]] const ChunkWork& workOf(int stage, const PipelineStep& step) const
    {
        return m_work.chunkWork[std::size_t(2 * stage + step.chunk)];
    }

    [[nodiscard]] double secondsOf(int stage, const PipelineStep& step) const
    {
        const ChunkWork& w = workOf(stage, step);
        return step.kind == PassKind::Forward       ? w.forward.value()
            : step.kind == PassKind::WeightGradient ? w.weightGradient.value()
            : step.kind == PassKind::Backward       ? w.backward.value()
                                                    : (w.backward - w.weightGradient).value();
    }

    /// Of a pair: what each computes hides what the other sends.
    [[nodiscard]] double hidden(int stage, const PipelineStep& step, const PipelineStep& partner) const
    {
        const bool isForward = step.kind == PassKind::Forward;
        const ChunkWork& f = workOf(stage, isForward ? step : partner);
        const ChunkWork& b = workOf(stage, isForward ? partner : step);
        const double backward = secondsOf(stage, isForward ? partner : step);
        return std::min(f.forwardTraffic.value(), backward - b.backwardTraffic.value())
            + std::min(b.backwardTraffic.value(), f.forward.value() - f.forwardTraffic.value());
    }

    void addPass(int stage, std::size_t k, std::map<std::string, Operation>& previous)
    {
        const StageProgram& program = m_programs[std::size_t(stage)];
        const PipelineStep& step = program[k];
        const Operation op = operationOf(step, stage);
        m_all.duration[op] = secondsOf(stage, step);
        if (k > 0 && program[k - 1].withNext)
            m_all.duration[op] -= hidden(stage, step, program[k - 1]);
        m_all.follow(previous, std::string("stage"), op);
        m_all.last[stage] = op;
        m_all.first.try_emplace(stage, op);
        if (inputOf(step, stage) != op)
            m_all.before[op].push_back(inputOf(step, stage));
        if (step.withNext)
            m_all.before[op].push_back(inputOf(program[k + 1], stage));
    }

    void addSends(int stage, const PipelineStep& step, std::map<std::string, Operation>& previous)
    {
        const Operation op = operationOf(step, stage);
        const ChunkWork& w = workOf(stage, step);
        const bool up = step.chunk == 1;
        if (op.kind == 'W')
            return;
        if (op.kind == 'F' && op.virtualStage + 1 == m_length) {
            m_all.duration[{'L', m_length, op.microBatch}] = m_work.loss.value();
            m_all.before[{'L', m_length, op.microBatch}].push_back(m_ends.at(op));
        }
        const int to = op.virtualStage + (op.kind == 'F' ? 1 : -1);
        if (to < 0 || to == m_length || stageOf(to, up) == stage)
            return;
        const Operation send{op.kind == 'F' ? 'f' : 'b', op.virtualStage, op.microBatch};
        m_all.duration[send] = (op.kind == 'F' ? w.sendForward : w.sendBackward).value();
        m_all.before[send].push_back(m_ends.at(op));
        m_all.follow(previous,
            std::string(m_work.timing.onePort ? "port"
                    : stageOf(to, up) > stage ? "down"
                                              : "up"),
            send);
    }

    const PipelineWork& m_work;
    int m_stages;
    bool m_twoWay;
    int m_length;
    std::vector<StageProgram> m_programs;
    std::map<Operation, Operation> m_ends; ///< forward passes, and what ends them: their partner in a pair
    Operations m_all;
};

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

// In one piece: all that a pass waits for.
Result simulate(const PipelineWork& work)
{
    const int p = static_cast<int>(work.stages.size());
    const int v = chunksOf(work);
    Operations all;
    for (int stage = 0; stage < p; ++stage) {
        const StageWork& w = work.stages[static_cast<std::size_t>(stage)];
        std::map<char, Operation> previous; // on the stage ('P') and on each of its links
        for (const Operation& op : program(work, stage)) {
            const bool forward = op.kind == 'F';
            all.duration[op] = passSeconds(work, stage, op);
            all.follow(previous, 'P', op);
            all.last[stage] = op;
            all.first.try_emplace(stage, op);
            if (op.kind == 'W') {
                all.before[op].push_back({'B', op.virtualStage, op.microBatch});
                continue;
            }
            if (forward && op.virtualStage > 0)
                all.before[op].push_back({'g', op.virtualStage - 1, op.microBatch});
            if (!forward)
                all.before[op].push_back({op.virtualStage + 1 < p * v ? 'h' : 'L', op.virtualStage + 1, op.microBatch});
            if (forward && op.virtualStage + 1 == p * v) {
                const Operation loss{'L', p * v, op.microBatch};
                all.duration[loss] = work.loss.value();
                all.before[loss].push_back(op);
            }
            if (forward ? op.virtualStage + 1 < p * v : op.virtualStage > 0) {
                const Operation send{forward ? 'f' : 'b', op.virtualStage, op.microBatch};
                all.duration[send] = (forward ? w.sendForward : w.sendBackward).value();
                all.before[send].push_back(op);
                all.follow(previous, work.timing.onePort ? 'p' : send.kind, send);
                const Operation reshard{forward ? 'g' : 'h', op.virtualStage, op.microBatch};
                all.duration[reshard] = (forward ? w.reshardForward : w.reshardBackward).value();
                all.before[reshard].push_back(send);
                all.follow(previous, reshard.kind, reshard);
            }
        }
    }
    return resultOf(work, all, true);
}

Result simulateChunks(const PipelineWork& work)
{
    return ChunkSimulation(work).run();
}

} // namespace reference
