// SPDX-License-Identifier: Apache-2.0
#include "core/search/step_bounds.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace stratoplan::search {
namespace {

constexpr std::size_t kOffloads = 3;

/// Whether where the tensor ranks lie can make the expert groups smaller (see seconds(Collective)): then replicas
/// count, which divisions of one row of pieces have different numbers of.
bool dependsOnReplicas(const parallel::Strategy& s)
{
    return s.etp < s.tp && s.ep > s.dp * s.cp;
}

} // namespace

parallel::Strategy undividedLayers(parallel::Strategy s)
{
    return asMegatron(std::move(s));
}

Seconds MicroBatchPieces::sequence(const parallel::Strategy& s)
{
    std::optional<Seconds>& known = m_sequence[std::size_t(s.pp > 1)];
    if (!known) {
        const pricing::PricedDivision division = m_pricing.division(s);
        known = division.sequenceSeconds(m_tree.leastRanks(), m_tree.dividesVocabulary(s.pp));
        if (m_tree.dividesLayers(s.tp, s.cp))
            known =
                std::min(*known, division.dividedSequenceSeconds(m_tree.leastRanks(), m_tree.dividesVocabulary(s.pp)));
    }
    return *known;
}

pricing::PieceSeconds MicroBatchPieces::unrepeated(const parallel::Strategy& s, space::ExpertPick experts)
{
    const auto find = [&] {
        if (!pricing::dividesLayers(s))
            return m_pricing.division(s).expertPieces(m_tree.leastRanks());
        parallel::Strategy bare = undividedLayers(s);
        bare.recompute = parallel::Recompute::None;
        bare.offload = parallel::Offload::None;
        return m_pricing.division(bare).dividedPieces(m_tree.leastRanks());
    };
    if (dependsOnReplicas(s))
        return find();
    const auto place = std::size_t(experts.number) * kUnrepeatedWays + unrepeatedWay(s);
    if (m_unrepeated.size() <= place)
        m_unrepeated.resize(place + 1);
    std::optional<pricing::PieceSeconds>& known = m_unrepeated[place];
    if (!known)
        known = find();
    return *known;
}

pricing::PieceSeconds MicroBatchPieces::ofPass(parallel::Strategy s, space::ExpertPick experts)
{
    s.vocabularyPlacement = parallel::VocabularyPlacement::Ends;
    const auto find = [&] {
        return pricing::dividesLayers(s) ? m_pricing.division(undividedLayers(s)).dividedPieces(m_tree.leastRanks())
                                         : m_pricing.division(s).leastPieces(m_tree.leastRanks());
    };
    if (dependsOnReplicas(s))
        return find();
    if (m_ofPasses.size() <= std::size_t(experts.number))
        m_ofPasses.resize(std::size_t(experts.number) + 1);
    auto& ofExperts = m_ofPasses[std::size_t(experts.number)];
    ofExperts.resize(kUnrepeatedWays * kOffloads * parallel::kRecomputeKinds);
    std::optional<pricing::PieceSeconds>& known =
        ofExperts[(unrepeatedWay(s) * kOffloads + std::size_t(s.offload)) * parallel::kRecomputeKinds
            + std::size_t(s.recompute)];
    if (!known)
        known = find();
    return *known;
}

StepBounds::StepBounds(pricing::PricingContext& pricing, const space::SpaceTree& tree, const Valuation& valuation)
    : m_pricing(pricing)
    , m_tree(tree)
    , m_valuation(valuation)
{
}

double StepBounds::ofProducts(const parallel::Strategy& s)
{
    if (!m_products)
        m_products = m_pricing.productSeconds();
    const Seconds each = *m_products / (double(s.tp) * s.cp);
    return m_valuation.bound(m_pricing.division(s).stepOfSequences(each), s);
}

double StepBounds::ofSequences(const parallel::Strategy& s, int mostSequences)
{
    const Seconds each = leastSequence(s, mostSequences);
    return m_valuation.bound(m_pricing.division(s).stepOfSequences(each), s);
}

double StepBounds::ofSequences(const parallel::Strategy& s)
{
    const Seconds each = pieces(s).sequence(s);
    return m_valuation.bound(m_pricing.division(s).stepOfSequences(each), s);
}

double StepBounds::ofMicroBatch(
    parallel::Strategy s, std::span<const space::ExpertPick> experts, const LeanByKind& lean)
{
    MicroBatchPieces& known = pieces(s);
    Seconds least(INFINITY);
    for (const space::ExpertPick pick : experts) {
        s.ep = pick.ep;
        s.etp = pick.etp;
        for (std::size_t way = 0; way < kUnrepeatedWays; ++way) {
            if ((way == 1 && s.tp == 1) || (way == 2 && !m_tree.dividesLayers(s.tp, s.cp)))
                continue;
            s.sequenceParallel = way == 1;
            s.tensorPartition =
                way == 2 ? parallel::TensorPartition::SpatialTemporal : parallel::TensorPartition::Megatron;
            const pricing::PieceSeconds unrepeated = known.unrepeated(s, pick);
            for (std::size_t kind = 0; kind < lean.size(); ++kind)
                if (lean[kind] != nullptr)
                    least = std::min(least,
                        lean[kind]->busiest(
                            sharesVocabulary(space::PipelineKind(kind)) ? withoutEnds(unrepeated) : unrepeated));
        }
    }
    return ofStage(s, least);
}

double StepBounds::ofStage(const parallel::Strategy& s, Seconds microBatch) const
{
    return m_valuation.bound(m_pricing.division(undividedLayers(s)).stepOfStage(microBatch), s);
}

MicroBatchPieces& StepBounds::pieces(const parallel::Strategy& s)
{
    return m_pieces.try_emplace(std::array{s.tp, s.cp, int(s.contextMethod), s.microBatch}, m_pricing, m_tree)
        .first->second;
}

/// Of all micro-batches that there may be room for.
Seconds StepBounds::leastSequence(parallel::Strategy s, int mostSequences)
{
    const auto [known, isNew] =
        m_leastSequences.try_emplace({s.tp, s.cp, int(s.contextMethod), int(s.pp > 1)}, Seconds(INFINITY));
    for (const int size : m_tree.allMicroBatches()) {
        if (!isNew || size > mostSequences)
            break;
        s.microBatch = size;
        known->second = std::min(known->second, pieces(s).sequence(s));
    }
    return known->second;
}

} // namespace stratoplan::search
