// SPDX-License-Identifier: Apache-2.0
#include "core/partition/priced_layer.h"

#include <algorithm>

namespace stratoplan::partition {
namespace {

/// The ways in the order of the operators.
tl::expected<std::vector<const parallel::OperatorPartition*>, WayFault> inOrder(
    const Block& block, const std::vector<parallel::OperatorPartition>& ways)
{
    for (const parallel::OperatorPartition& way : ways)
        if (std::ranges::find(block.operators, way.op, &BlockOperator::name) == block.operators.end())
            return tl::unexpected(WayFault{way.op, way.sequence, WayFault::Kind::Unknown});
    std::vector<const parallel::OperatorPartition*> ordered;
    for (const BlockOperator& op : block.operators) {
        const auto known = std::ranges::find(ways, op.name, &parallel::OperatorPartition::op);
        if (known == ways.end())
            return tl::unexpected(WayFault{std::string(op.name), {}, WayFault::Kind::Missing});
        ordered.push_back(&*known);
    }
    for (const parallel::OperatorPartition& way : ways)
        if (std::ranges::find(ordered, &way) == ordered.end())
            return tl::unexpected(WayFault{way.op, way.sequence, WayFault::Kind::Twice});
    return ordered;
}

class LayerPrice {
public:
    LayerPrice(const Block& block, const GroupPricing& pricing)
        : m_block(block)
        , m_steps(block, pricing.layouts)
    {
    }

    void addOperator(const BlockOperator& op, const parallel::OperatorPartition& way, const PricedState& priced)
    {
        m_layer.operators.push_back({way, op.kind, op.size, priced.passes, priced.state.parameters,
            Bytes(priced.state.kept), Bytes(priced.state.working)});
        m_states.push_back(priced.state);
        m_layer.parameters += priced.state.parameters;
        m_layer.remade += Bytes(priced.state.remade);
        m_layer.kept[std::size_t(op.keptAs)] += Bytes(priced.state.kept);
        m_layer.working = std::max(m_layer.working, Bytes(priced.state.working));
    }

    [[nodiscard]] PricedLayer finish()
    {
        for (int op = 0; op < m_block.size(); ++op)
            hand(op, op + 1);
        for (const auto& [from, to] : m_steps.skips()) {
            hand(from, to);
            if (m_block.operators[std::size_t(from)].kind != OperatorKind::Residual)
                m_layer.operators[std::size_t(to)].alsoFrom = from;
        }
        for (const PricedOperator& op : m_layer.operators)
            m_layer.passes += op.passes;
        return std::move(m_layer);
    }

private:
    void hand(int from, int to)
    {
        const std::size_t receiver = std::size_t(to % m_block.size());
        const parallel::OperatorPartition& way = m_layer.operators[receiver].chosen;
        const bool again = to == from + 1 ? way.againFromBefore : way.againFromSkip;
        const State &sender = m_states[std::size_t(from)], &next = m_states[receiver];
        const Step step = m_steps.between(from, sender, to, next);
        PricedOperator& op = m_layer.operators[std::size_t(from)];
        op.passes += m_steps.passes(from, sender, to, next, again);
        m_layer.operators[receiver].kept += Bytes(again ? step.keptAgain : step.kept);
        m_layer.remade += Bytes(step.remade);
        m_steps.addKept(from, sender, to, next, again, m_layer.kept);
    }

    const Block& m_block;
    LayerSteps m_steps;
    std::vector<State> m_states;
    PricedLayer m_layer;
};

} // namespace

tl::expected<PricedLayer, WayFault> pricedLayer(
    const Block& block, const std::vector<parallel::OperatorPartition>& ways, const GroupPricing& pricing)
{
    const auto ordered = inOrder(block, ways);
    if (!ordered)
        return tl::unexpected(ordered.error());
    LayerPrice price(block, pricing);
    for (std::size_t i = 0; i < block.operators.size(); ++i) {
        const BlockOperator& op = block.operators[i];
        const parallel::OperatorPartition& way = *(*ordered)[i];
        const std::optional<PricedState> priced = pricedState(block, op, way.sequence, pricing);
        if (!priced)
            return tl::unexpected(WayFault{way.op, way.sequence, WayFault::Kind::Impossible, op.kind,
                againstWay(block, op, way.sequence, pricing.bits)});
        price.addOperator(op, way, *priced);
    }
    return price.finish();
}

std::vector<parallel::OperatorPartition> waysOf(const Block& block, const std::vector<std::vector<State>>& states,
    const Sequences& sequences, const Division& division, int bits)
{
    std::vector<parallel::OperatorPartition> ways;
    for (std::size_t i = 0; i < block.operators.size(); ++i) {
        const BlockOperator& op = block.operators[i];
        const State& state = states[i][std::size_t(division.states[i])];
        const auto again = [&](int shift) { return (division.again >> (int(i) + shift) & 1) != 0; };
        ways.push_back(
            {std::string(op.name), describe(op, state.way, sequences, bits), again(0), again(kMostOperators)});
    }
    return ways;
}

} // namespace stratoplan::partition
