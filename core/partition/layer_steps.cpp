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
    const BlockOperator& first = m_block.operators[std::size_t(from)];
    const BlockOperator& second = m_block.operators[std::size_t(to % m_block.size())];
    Step step;
    double extra = 0, senders = 0; // seconds, and bytes where only the sender keeps its output
    for (const Tensor& tensor : m_tensors[std::size_t(from)]) {
        if (tensor.edge.to != to)
            continue;
        const std::size_t input = std::size_t(tensor.edge.input);
        const double forward = tensor.handOver->seconds(sender.makes, receiver.wants[input]);
        const double backward = tensor.handOver->seconds(receiver.gives[input], sender.makes.layout);
        // A product's input that is not kept is handed over once more when its sender is repeated.
        const bool again = second.kind == OperatorKind::Linear && tensor.edge.kept <= Bytes{};
        const double repeated = again ? first.repeated : std::min(first.repeated, second.repeated);
        step.seconds += forward * (1 + repeated) + backward;
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

double LayerSteps::leastOnward(int op, const State& state)
{
    double least = 0;
    for (const Tensor& tensor : m_tensors[std::size_t(op)])
        least += tensor.handOver->leastSeconds(state.makes);
    return least;
}

double LayerSteps::leastBack(int op, const State& state)
{
    double least = 0;
    for (const std::vector<Tensor>& tensors : m_tensors)
        for (const Tensor& tensor : tensors)
            if (tensor.edge.to == op)
                least += tensor.handOver->leastSeconds(state.gives[std::size_t(tensor.edge.input)]);
    return least;
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
    };
    for (int op = 0; op < block.size(); ++op) {
        const State& state = stateOf(op);
        all.seconds += state.seconds;
        all.parameters += state.parameters;
        all.kept += state.kept;
        all.working = std::max(all.working, state.working);
        add(op, op + 1);
    }
    for (const auto& [from, to] : steps.skips())
        add(from, to);
    return all;
}

} // namespace stratoplan::partition
