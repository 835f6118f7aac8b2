// SPDX-License-Identifier: Apache-2.0
#include "core/partition/layer_steps.h"

#include <algorithm>

namespace stratoplan::partition {

LayerSteps::LayerSteps(const Block& block, Layouts& layouts)
    : m_block(block)
    , m_layouts(layouts)
    , m_tensors(std::size_t(block.size()))
{
    for (const BlockEdge& edge : block.edges) {
        auto known = std::find_if(m_handOvers.begin(), m_handOvers.end(),
            [&](const std::unique_ptr<HandOver>& handOver) { return handOver->whole() == edge.bytes; });
        if (known == m_handOvers.end())
            known = m_handOvers.insert(m_handOvers.end(), std::make_unique<HandOver>(layouts, edge.bytes));
        m_tensors[std::size_t(edge.from)].push_back({edge, known->get()});
        const std::pair pair{edge.from, edge.to};
        if (edge.to != edge.from + 1 && std::find(m_skips.begin(), m_skips.end(), pair) == m_skips.end())
            m_skips.push_back(pair);
    }
}

Step LayerSteps::between(int from, const State& sender, int to, const State& receiver)
{
    return step(from, sender, to, receiver,
        [](HandOver& handOver, const Sums& now, int next) { return handOver.seconds(now, next); });
}

Step LayerSteps::least(int from, const State& sender, int to, const State& receiver)
{
    return step(from, sender, to, receiver,
        [](HandOver& handOver, const Sums& now, int next) { return handOver.least(now, next); });
}

template <class Price>
Step LayerSteps::step(int from, const State& sender, int to, const State& receiver, Price price) const
{
    Step step;
    double extra = 0, senders = 0; // seconds, and bytes where only the sender keeps its output
    for (const Tensor& tensor : m_tensors[std::size_t(from)]) {
        if (tensor.edge.to != to)
            continue;
        const std::size_t input = std::size_t(tensor.edge.input);
        const double forward = price(*tensor.handOver, sender.makes, receiver.wants[input]);
        const double backward = price(*tensor.handOver, receiver.gives[input], sender.makes.layout);
        step.seconds += forward * (1 + repeated(tensor, from, to)) + backward;
        step.remade += tensor.edge.remade.value() * m_layouts.share(receiver.wants[input]);
        if (tensor.edge.kept <= Bytes{})
            continue;
        step.kept += tensor.edge.kept.value() * m_layouts.share(receiver.wants[input]);
        senders += tensor.edge.kept.value() * m_layouts.share(sender.makes.layout);
        extra += forward;
    }
    step.secondsAgain = step.seconds + extra;
    step.keptAgain = sender.makes.bits == 0 ? senders : step.kept;
    return step;
}

/// A product's input that is not kept is handed over once more when its sender is repeated.
double LayerSteps::repeated(const Tensor& tensor, int from, int to) const
{
    const BlockOperator& first = m_block.operators[std::size_t(from)];
    const BlockOperator& second = m_block.operators[std::size_t(to % m_block.size())];
    const bool again = second.kind == OperatorKind::Linear && tensor.edge.kept <= Bytes{};
    return again ? first.repeated : std::min(first.repeated, second.repeated);
}

PassPrices LayerSteps::passes(int from, const State& sender, int to, const State& receiver, bool again)
{
    PassPrices passes;
    for (const Tensor& tensor : m_tensors[std::size_t(from)]) {
        if (tensor.edge.to != to)
            continue;
        const std::size_t input = std::size_t(tensor.edge.input);
        HandOver& handOver = *tensor.handOver;
        PassPrice forward, backward;
        forward.exposed = Seconds(handOver.seconds(sender.makes, receiver.wants[input]));
        forward.collective = handOver.bytes(sender.makes, receiver.wants[input]);
        backward.exposed = Seconds(handOver.seconds(receiver.gives[input], sender.makes.layout));
        backward.collective = handOver.bytes(receiver.gives[input], sender.makes.layout);
        if (again && tensor.edge.kept > Bytes{})
            backward += forward;
        passes += {forward, backward, forward.times(repeated(tensor, from, to))};
    }
    return passes;
}

void LayerSteps::addKept(
    int from, const State& sender, int to, const State& receiver, bool again, workload::TensorBytes& kept) const
{
    const bool senders = again && sender.makes.bits == 0;
    for (const Tensor& tensor : m_tensors[std::size_t(from)])
        if (tensor.edge.to == to)
            kept[std::size_t(tensor.edge.keptAs)] += tensor.edge.kept
                * m_layouts.share(senders ? sender.makes.layout : receiver.wants[std::size_t(tensor.edge.input)]);
}

std::uint32_t LayerSteps::againBit(int from, int to) const
{
    return 1U << (to % m_block.size() + (to == from + 1 ? 0 : kMostOperators));
}

Division priced(const Block& block, LayerSteps& steps, const std::vector<std::vector<State>>& states,
    const ChosenStates& chosen, std::uint32_t again)
{
    Division all;
    all.states = chosen;
    all.again = again;
    const auto stateOf = [&](int op) -> const State& {
        const std::size_t number = std::size_t(op % block.size());
        return states[number][std::size_t(chosen[number])];
    };
    const auto add = [&](int from, int to) {
        const Step step = steps.between(from, stateOf(from), to, stateOf(to));
        const bool twice = (again & steps.againBit(from, to)) != 0;
        all.seconds += twice ? step.secondsAgain : step.seconds;
        all.kept += twice ? step.keptAgain : step.kept;
        all.remade += step.remade;
    };
    for (int op = 0; op < block.size(); ++op) {
        const State& state = stateOf(op);
        all.seconds += state.seconds;
        all.parameters += state.parameters;
        all.kept += state.kept;
        all.remade += state.remade;
        all.working = std::max(all.working, state.working);
        add(op, op + 1);
    }
    for (const auto& [from, to] : steps.skips())
        add(from, to);
    return all;
}

} // namespace stratoplan::partition
