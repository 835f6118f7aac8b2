// SPDX-License-Identifier: Apache-2.0
#include "core/parallel/strategy.h"

#include "core/parallel/route.h"
#include "core/units/named.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <queue>
#include <utility>

namespace stratoplan::parallel {

namespace {

constexpr NameTable<Recompute, 3> kRecompute{
    {{Recompute::None, "none"}, {Recompute::Selective, "selective"}, {Recompute::Full, "full"}}};
constexpr NameTable<Schedule, 13> kSchedules{{
    {Schedule::GPipe, "gpipe"},
    {Schedule::OneFOneB, "1f1b"},
    {Schedule::Interleaved, "interleaved"},
    {Schedule::EagerOneFOneB, "eager-1f1b"},
    {Schedule::BreadthFirst, "breadth-first"},
    {Schedule::ZbH1, "zb-h1"},
    {Schedule::ZbH2, "zb-h2"},
    {Schedule::ZbAuto, "zb-auto"},
    {Schedule::ZbV, "zb-v"},
    {Schedule::VHalf, "v-half"},
    {Schedule::VMin, "v-min"},
    {Schedule::DualPipe, "dualpipe"},
    {Schedule::DualPipeV, "dualpipe-v"},
}};
constexpr NameTable<TensorPartition, 2> kPartitions{
    {{TensorPartition::Megatron, "megatron"}, {TensorPartition::SpatialTemporal, "spatial-temporal"}}};
constexpr NameTable<Offload, 3> kOffloads{
    {{Offload::None, "none"}, {Offload::Activations, "activations"}, {Offload::Optimizer, "optimizer"}}};
constexpr NameTable<ContextMethod, 3> kContextMethods{
    {{ContextMethod::Ring, "ring"}, {ContextMethod::AllGather, "all-gather"}, {ContextMethod::Ulysses, "ulysses"}}};
constexpr NameTable<VocabularyPlacement, 4> kVocabularyPlacements{
    {{VocabularyPlacement::Ends, "ends"}, {VocabularyPlacement::Vocab1, "vocab-1"},
        {VocabularyPlacement::Vocab2, "vocab-2"}, {VocabularyPlacement::Interlaced, "interlaced"}}};
constexpr NameTable<Axis, 5> kAxes{
    {{Axis::Tp, "tp"}, {Axis::Cp, "cp"}, {Axis::Ep, "ep"}, {Axis::Dp, "dp"}, {Axis::Pp, "pp"}}};

} // namespace

std::string_view key(Recompute value)
{
    return nameIn(kRecompute, value);
}
std::string_view key(Schedule value)
{
    return nameIn(kSchedules, value);
}
std::string_view key(TensorPartition value)
{
    return nameIn(kPartitions, value);
}
std::string_view key(Offload value)
{
    return nameIn(kOffloads, value);
}
std::string_view key(ContextMethod value)
{
    return nameIn(kContextMethods, value);
}
std::string_view key(VocabularyPlacement value)
{
    return nameIn(kVocabularyPlacements, value);
}
std::string_view key(Axis value)
{
    return nameIn(kAxes, value);
}

std::optional<Recompute> recomputeFromKey(std::string_view key)
{
    return valueIn(kRecompute, key);
}
std::optional<Schedule> scheduleFromKey(std::string_view key)
{
    return valueIn(kSchedules, key);
}
std::optional<Axis> axisFromKey(std::string_view key)
{
    return valueIn(kAxes, key);
}

Strategy spatialTemporal(Strategy strategy, std::vector<OperatorPartition> operators)
{
    strategy.tensorPartition = TensorPartition::SpatialTemporal;
    strategy.operatorPartitions = std::move(operators);
    return strategy;
}

Strategy asMegatron(Strategy strategy)
{
    strategy.tensorPartition = TensorPartition::Megatron;
    strategy.operatorPartitions.clear();
    return strategy;
}

void makeStagesAlike(Strategy& s)
{
    s.stageLayers.clear();
    s.stageRecompute.clear();
    s.recomputedLayers.clear();
    s.stageTp.clear();
}

void recomputeAll(Strategy& s, Recompute recompute)
{
    s.recompute = recompute;
    s.stageRecompute.clear();
    s.recomputedLayers.clear();
}

StageRecompute stageRecompute(const Strategy& s, int stage)
{
    const auto index = static_cast<std::size_t>(stage);
    StageRecompute result{index < s.stageRecompute.size() ? s.stageRecompute[index] : s.recompute, 0};
    if (index >= s.recomputedLayers.size())
        return result;
    if (result.others == Recompute::Full)
        result.others = Recompute::None;
    result.full = s.recomputedLayers[index];
    return result;
}

std::vector<StageRecompute> chunkRecompute(const Strategy& s, int stage, const std::vector<int>& layers)
{
    if (shape(s.schedule) == PipelineShape::TwoWay)
        return {stageRecompute(s, stage), stageRecompute(s, s.pp - 1 - stage)};
    return shareRecompute(stageRecompute(s, stage), layers);
}

std::vector<StageRecompute> shareRecompute(const StageRecompute& whole, const std::vector<int>& layers)
{
    std::vector<StageRecompute> chunks(layers.size(), {whole.others, 0});
    int left = whole.full;
    for (bool any = true; any && left > 0;) { // one to each in turn
        any = false;
        for (std::size_t c = 0; c < layers.size() && left > 0; ++c) {
            if (chunks[c].full >= layers[c])
                continue;
            ++chunks[c].full;
            --left;
            any = true;
        }
    }
    return chunks;
}

unsigned recomputeKinds(const Strategy& s)
{
    if (!mixesRecompute(s))
        return 1U << unsigned(s.recompute);
    unsigned kinds = 0;
    for (int stage = 0; stage < s.pp; ++stage) {
        const StageRecompute recompute = stageRecompute(s, stage);
        kinds |= 1U << unsigned(recompute.others);
        if (recompute.full > 0)
            kinds |= 1U << unsigned(Recompute::Full);
    }
    return kinds;
}

Strategy stageStrategy(const Strategy& s, int stage)
{
    Strategy result = s;
    const auto index = static_cast<std::size_t>(stage);
    if (index >= s.stageTp.size() || s.stageTp[index] < 1)
        return result;
    result.tp = s.stageTp[index];
    result.dp = static_cast<int>(std::int64_t{s.tp} * s.dp / result.tp);
    result.microBatch =
        static_cast<int>(std::int64_t{s.microBatch} * result.tp / s.tp); // at most d b, as dp is at least 1
    result.stageTp.clear();
    result.sequenceParallel = s.sequenceParallel && result.tp > 1;
    return result;
}

int vocabularyLookahead(const Strategy& strategy)
{
    if (strategy.pp == 1)
        return 0;
    switch (strategy.vocabularyPlacement) {
    case VocabularyPlacement::Ends:
        return 0;
    case VocabularyPlacement::Vocab1:
        return 2;
    case VocabularyPlacement::Vocab2:
        return 1;
    case VocabularyPlacement::Interlaced:
        return strategy.pp / 2;
    }
    return 0;
}

std::vector<int> balancedStageLayers(int layers, const std::vector<double>& beside)
{
    // Layers are alike: each goes to the stage that has least to do.
    const auto busier = [](const std::pair<double, int>& a, const std::pair<double, int>& b) {
        return a.first != b.first ? a.first > b.first : a.second < b.second;
    };
    std::priority_queue<std::pair<double, int>, std::vector<std::pair<double, int>>, decltype(busier)> stages(busier);
    for (std::size_t i = 0; i < beside.size(); ++i)
        stages.emplace(beside[i], int(i));
    std::vector<int> result(beside.size());
    for (int layer = 0; layer < layers && !result.empty(); ++layer) {
        const int stage = stages.top().second;
        stages.pop();
        const int count = ++result[std::size_t(stage)];
        stages.emplace(beside[std::size_t(stage)] + count, stage);
    }
    return result;
}

std::vector<int> stageLayers(const Strategy& strategy, int layers)
{
    const int stages = std::max(1, strategy.pp);
    if (static_cast<int>(strategy.stageLayers.size()) == stages)
        return strategy.stageLayers;
    const int spare = layers % stages;
    std::vector<int> result(static_cast<std::size_t>(stages), layers / stages);
    if (shape(strategy.schedule) == PipelineShape::V && spare > 0) {
        // The first stage of a V has both ends: where layers do not divide it gets up to two fewer than the fullest,
        // and no stage more.
        const int fewer = stages - spare; // than one more each
        for (int& count : result)
            ++count;
        result.front() -= std::min({fewer, 2, result.front()});
        for (int i = 0; i < fewer - std::min(fewer, 2); ++i)
            --result[static_cast<std::size_t>(stages - 1 - i)];
        return result;
    }
    const int firstSpare = (stages - spare) / 2;
    std::for_each_n(result.begin() + firstSpare, spare, [](int& count) { ++count; });
    return result;
}

std::vector<int> chunkLayers(const Strategy& strategy, int layers, int stage)
{
    return chunkLayers(strategy, stageLayers(strategy, layers), stage);
}

std::vector<int> chunkLayers(const Strategy& strategy, const std::vector<int>& perStage, int stage)
{
    const int ownLayers = perStage[static_cast<std::size_t>(stage)];
    const PipelineShape layout = shape(strategy.schedule);
    if (layout == PipelineShape::TwoWay)
        return {ownLayers, perStage[perStage.size() - 1 - static_cast<std::size_t>(stage)]};
    const int chunks = layout == PipelineShape::V ? 2 : std::max(1, strategy.vpp);
    std::vector<int> result(static_cast<std::size_t>(chunks), ownLayers / chunks);
    const int spare = ownLayers % chunks;
    if (layout == PipelineShape::V)
        return {ownLayers / 2 + spare, ownLayers / 2};
    // The chunks that also hold the embedding (first of the first stage) or the output projection (last of the last
    // stage) are the last to get a spare layer.
    const bool last = stage == strategy.pp - 1 && stage != 0;
    for (int i = 0; i < spare; ++i)
        ++result[static_cast<std::size_t>(last ? i : chunks - 1 - i)];
    return result;
}

} // namespace stratoplan::parallel
