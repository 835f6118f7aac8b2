// SPDX-License-Identifier: Apache-2.0
// The split of a V-shaped or two-way pipeline, priced as an estimate prices it. Its stages are those of the model: of a
// two-way pipeline each lies on two accelerators, and shares them with the stage as far from the other end.
#pragma once

#include "core/cost/fleet.h"
#include "core/split/fold_split.h"
#include "core/split/split_chain.h"
#include "core/split/split_layout.h"
#include "core/split/split_polish.h"

#include <map>
#include <string>

namespace stratoplan::split {

class FoldOptions;

class FoldSplit {
public:
    /// `replicas`: those of one kind; by default each stage waits for the slowest of all its ranks.
    FoldSplit(const plan::Plan& plan, const StageSplitOptions& options, const parallel::ReplicaKind& replicas = {});

    [[nodiscard]] ChainAnswer best(const std::stop_token& stop) const;
    /// Chains to polish: the least bound, the one whose busiest stage is fastest, and the plan's own split.
    [[nodiscard]] std::vector<std::optional<std::vector<ChainStage>>> starts(
        const ChainAnswer& best, const std::stop_token& stop) const;
    [[nodiscard]] PolishSpace moves() const;
    [[nodiscard]] StageSplit split(const std::vector<ChainStage>& chain) const;

private:
    void placeStages(const parallel::ReplicaKind& replicas);
    [[nodiscard]] ChainAnswer best(const pipeline::FoldedRules& rules, const std::stop_token& stop) const;
    [[nodiscard]] FoldSpace space(const pipeline::FoldedRules& rules) const; ///< refers to them
    [[nodiscard]] int kind(int first, int count) const;
    [[nodiscard]] std::array<parallel::StageRecompute, 2> sharedOut(
        const FoldChunks& fold, const parallel::StageRecompute& whole) const;
    /// Those that need be looked at; `shortest`: of those that fit, the one with least work among them.
    [[nodiscard]] std::vector<FoldOption> options(
        const pipeline::FoldedRules& rules, const FoldChunks& fold, double longest, bool shortest) const;
    [[nodiscard]] FoldOption option(const pipeline::FoldedRules& rules, const FoldChunks& fold,
        const std::array<parallel::StageRecompute, 2>& recompute, const std::array<std::int64_t, 2>& ids = {}) const;
    void addV(const pipeline::FoldedRules& rules, const FoldChunks& fold, FoldOptions& found) const;
    void addTwoWay(const pipeline::FoldedRules& rules, const FoldChunks& fold, FoldOptions& found) const;
    [[nodiscard]] std::array<workload::StageLayout, 2> placed(
        const FoldChunks& fold, const std::array<parallel::StageRecompute, 2>& recompute) const;
    [[nodiscard]] double leastBytes(const FoldChunks& fold) const;
    [[nodiscard]] const SplitLayout& layout(int stage) const { return *m_layoutOf[std::size_t(stage)]; }
    /// Bytes of a stage as if it had the most room.
    [[nodiscard]] double inMostRoom(int stage, double bytes) const
    {
        return bytes * (m_limit / m_limits[std::size_t(stage)]);
    }
    /// The place's stages with these chunks.
    [[nodiscard]] pipeline::FoldedStage stageOf(
        int stage, bool mirrored, const std::array<workload::StageLayout, 2>& chunks, FoldOption& option) const;
    void put(std::vector<ChainStage>& chain, int place, const FoldPlace& choice) const;
    [[nodiscard]] std::vector<ChainStage> planSplit() const;
    [[nodiscard]] std::vector<FoldChunks> chunksOf(const std::vector<ChainStage>& chain) const;
    [[nodiscard]] bool settle(std::vector<ChainStage>& chain) const;
    [[nodiscard]] double boundOf(const pipeline::FoldedRules& rules, const std::vector<ChainStage>& chain) const;

    const plan::Plan& m_plan;
    const StageSplitOptions& m_options;
    cost::Fleet m_fleet;
    double m_stretch;
    int m_microBatches;
    std::map<const cost::StageMachine*, SplitLayout> m_layouts;
    std::vector<const SplitLayout*> m_layoutOf; ///< by stage
    cost::StageSends m_sends; ///< of all of them, where they run on several machines
    std::vector<double> m_limits; ///< by stage
    double m_limit; ///< the most of them
    pipeline::FoldedRules m_rules;
    mutable std::map<std::string, int> m_kinds; ///< by dense and MoE layers in order
    mutable std::map<std::array<int, 3>, std::optional<FoldOption>>
        m_shortest; ///< that fits, by place and kinds of its layers
};

} // namespace stratoplan::split
