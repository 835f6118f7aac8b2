// SPDX-License-Identifier: Apache-2.0
#include "core/space/leaf_order.h"

#include "core/catalog/framework_rules.h"
#include "core/plan/problem.h"

#include <algorithm>
#include <utility>

namespace stratoplan::space {
namespace {

/// Whatever its strategy.
bool isLegal(plan::Plan plan)
{
    plan.strategy = {};
    return !hasErrors(check(plan, {.remedies = false}));
}

} // namespace

LeafOrder::Variant::Variant(
    plan::Plan itsPlan, const plan::SearchSpace& space, Schedules schedules, const std::stop_token& stop)
    : plan(std::move(itsPlan))
    , tree(plan, space, topology(plan.cluster), schedules, stop)
{
}

LeafOrder::LeafOrder(
    const plan::Plan& plan, const plan::SearchSpace& space, Schedules schedules, const std::stop_token& stop)
{
    for (const model::Precision precision :
        space.precisions.empty() ? std::vector{plan.training.precision} : space.precisions) {
        plan::Plan variant = plan;
        variant.training.precision = precision;
        if ((precision != plan.training.precision && !isLegal(variant))
            || firstObjection(variant, space.framework, catalog::RuleScope::Recipe) < catalog::kFrameworkRules)
            continue;
        m_variants.push_back(std::make_unique<Variant>(std::move(variant), space, schedules, stop));
        for (const Division& division : m_variants.back()->tree.divisions()) {
            m_variants.back()->begins.push_back(m_leaves);
            m_leaves += division.leaves;
        }
    }
}

/// `take` says whether it wants the next one.
template <class Take>
void LeafOrder::eachBlock(const Variant& variant, const Division& division, std::int64_t begin, Take take)
{
    const SpaceTree& tree = variant.tree;
    for (const ExpertPick experts : tree.experts(division)) {
        const Degrees degrees = tree.degrees(division, experts);
        for (const int size : tree.microBatches(division)) {
            for (const PassPick& pass : degrees.passes) {
                const int microBatches = variant.plan.training.globalBatch / division.dp / size;
                const std::int64_t leaves = tree.splitPipelines(division.pp, microBatches, pass.kind())
                    * std::int64_t(degrees.leaves()) * tree.ways(pass, division.pp);
                if (!take(Block{degrees, size, pass, microBatches, begin, leaves}))
                    return;
                begin += leaves;
            }
        }
    }
}

parallel::Strategy LeafOrder::strategyIn(const SpaceTree& tree, const Block& block, std::int64_t place)
{
    std::int64_t left = place - block.begin;
    const auto take = [&](std::int64_t choices) { return std::exchange(left, left / choices) % choices; };
    const auto pick = [&](const auto& choices) -> const auto&
    {
        return choices[std::size_t(take(std::int64_t(choices.size())))];
    };
    parallel::Strategy s = block.degrees.strategy;
    s.microBatch = block.microBatch;
    s.rankOrder = pick(block.degrees.orders);
    const ShardingPick& sharding = pick(block.degrees.shardings);
    s.zeroStage = sharding.stage;
    s.zeroShards = sharding.shards;
    const PipelineKind kind = block.pass.kind();
    tree.splitPipeline(s.pp, block.microBatches, kind, take(tree.splitPipelines(s.pp, block.microBatches, kind)))
        .applyTo(s);
    block.pass.applyTo(s);
    if (block.pass.firstLayers)
        recomputeFirst(s, tree.layers(), pick(tree.firstLayers(s.pp)));
    return s;
}

LeafOrder::Leaf LeafOrder::leafAt(std::int64_t place) const
{
    std::size_t number = m_variants.size() - 1;
    while (number > 0 && (m_variants[number]->begins.empty() || m_variants[number]->begins.front() > place))
        --number;
    const Variant& variant = *m_variants[number];
    const auto after = std::upper_bound(variant.begins.begin(), variant.begins.end(), place);
    const auto division = std::size_t(after - variant.begins.begin()) - 1;
    Leaf result{{}, number};
    eachBlock(variant, variant.tree.divisions()[division], variant.begins[division], [&](const Block& block) {
        if (place >= block.begin + block.leaves)
            return true;
        result.strategy = strategyIn(variant.tree, block, place);
        return false;
    });
    return result;
}

void LeafOrder::visit(std::int64_t first, std::int64_t stride, const std::stop_token& stop,
    const std::function<void(std::int64_t, const Leaf&)>& take) const
{
    std::int64_t next = first;
    Leaf taken;
    for (std::size_t number = 0; number < m_variants.size(); ++number) {
        const Variant& variant = *m_variants[number];
        taken.variant = number;
        for (std::size_t i = 0; i < variant.begins.size(); ++i) {
            const Division& division = variant.tree.divisions()[i];
            if (stop.stop_requested())
                return;
            if (next >= variant.begins[i] + division.leaves)
                continue;
            eachBlock(variant, division, variant.begins[i], [&](const Block& block) {
                for (; next < block.begin + block.leaves && !stop.stop_requested(); next += stride) {
                    taken.strategy = strategyIn(variant.tree, block, next);
                    take(next, taken);
                }
                return !stop.stop_requested();
            });
        }
    }
}

} // namespace stratoplan::space
