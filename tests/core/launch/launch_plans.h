// SPDX-License-Identifier: GPL-3.0-or-later
// Plans whose launch files tests look at: the shipped examples, and strategies drawn at random over small models of
// every kind.
#pragma once

#include "core/exchange/document.h"
#include "core/plan/problem.h"
#include "tests/core/fixtures.h"

#include <random>
#include <string>
#include <vector>

namespace stratoplan::launchtest {

inline plan::Project example(const std::string& name)
{
    return exchange::parseDocument(exchange::findExample(name)->text, catalog::shippedCatalog())->project;
}

class DrawnPlans {
public:
    explicit DrawnPlans(unsigned seed)
        : m_random(seed)
    {
    }

    /// Without errors.
    plan::Project next()
    {
        for (;;) {
            plan::Project project;
            project.plan = fixtures::small();
            project.plan.cluster = fixtures::cluster(16, 4);
            for (const model::Precision precision : model::kPrecisions)
                project.plan.cluster.nodes.front().accelerator.peak[precision] = units::FlopsPerSecond(312e12);
            addModel(project.plan.model);
            addTraining(project.plan.training);
            addDegrees(project.plan.strategy);
            addRest(project.plan.strategy);
            project.capacity.tokens = oneIn(2) ? 1e9 : 0;
            if (!plan::hasErrors(plan::check(project.plan)))
                return project;
        }
    }

private:
    bool oneIn(unsigned n) { return m_random() % n == 0; }
    template <typename T>
    T pick(std::initializer_list<T> values)
    {
        return *(values.begin() + m_random() % values.size());
    }

    void addModel(model::Transformer& m)
    {
        m.layers = pick({6, 7, 8, 12, 13});
        m.kvHeads = pick({16, 8, 4});
        m.gatedMlp = oneIn(2);
        m.tiedEmbeddings = oneIn(2);
        m.linearBias = oneIn(2);
        m.position = pick({model::Position::Rotary, model::Position::Learned});
        m.maxPositions = 4096;
        m.multiTokenPredictionDepth = oneIn(4) ? 1 : 0;
        if (oneIn(2)) {
            m.moe = model::MixtureOfExperts{};
            m.moe->expertFfn = 1024;
            m.moe->leadingDenseLayers = pick({0, 1});
            m.moe->layerInterval = pick({1, 1, 2});
            m.moe->sharedExperts = pick({0, 1});
            m.moe->routerBias = oneIn(2);
        }
        if (oneIn(4))
            m.mla = model::LatentAttention{};
        if (m.mla && oneIn(2))
            m.dsa = model::SparseAttention{};
        if (oneIn(5)) {
            m.slidingWindow = 512;
            m.slidingWindowInterval = pick({1, 2});
        }
        m.qkNorm = oneIn(3);
        m.parallelBlock = oneIn(8);
    }

    void addTraining(plan::Training& t)
    {
        t.globalBatch = pick({32, 64, 96});
        t.precision = oneIn(2) ? model::Precision::Bf16 : model::kPrecisions[m_random() % model::kPrecisions.size()];
        t.narrowGather = oneIn(2);
        t.software.currentScaling = oneIn(2);
        t.fp32Gradients = oneIn(2);
        t.narrowReduction = oneIn(3);
        t.optimizer = plan::kOptimizers[m_random() % plan::kOptimizers.size()];
        t.attention = plan::kAttentionKernels[m_random() % plan::kAttentionKernels.size()];
        t.software.dpOverlap = pick({0.0, 0.5});
        t.software.tpOverlap = pick({0.0, 0.5});
        t.software.epOverlap = pick({0.0, 0.5});
        t.software.expertOverlap = pick({0.0, 0.5});
        t.software.dispatchOnce = oneIn(2);
        t.software.optimizerStateBytes = pick({12.0, 8.0});
        t.software.selectiveRecompute = pick({plan::SelectiveRecompute::AttentionCore,
            plan::SelectiveRecompute::Modules, plan::SelectiveRecompute::EveryOtherProduct});
    }

    void addDegrees(parallel::Strategy& s)
    {
        s = {};
        s.tp = pick({1, 2, 4});
        s.pp = pick({1, 2, 3, 4});
        s.cp = pick({1, 1, 2});
        s.dp = pick({1, 2, 4, 8});
        s.ep = pick({1, 2, 4});
        s.etp = pick({1, s.tp});
        s.microBatch = pick({1, 2});
        s.schedule = parallel::Schedule(m_random() % 13);
        s.vpp = pick({1, 1, 2, 3});
        s.contextMethod =
            pick({parallel::ContextMethod::Ring, parallel::ContextMethod::AllGather, parallel::ContextMethod::Ulysses});
    }

    void addRest(parallel::Strategy& s)
    {
        s.zeroStage = int(m_random() % 4);
        s.zeroShards = pick({0, 0, 2, 4});
        s.sequenceParallel = s.tp > 1 && oneIn(2);
        s.recompute = pick({parallel::Recompute::None, parallel::Recompute::Selective, parallel::Recompute::Full});
        s.offload = pick({parallel::Offload::None, parallel::Offload::None, parallel::Offload::Activations,
            parallel::Offload::Optimizer});
        s.timingPass = oneIn(4);
        if (oneIn(4))
            std::swap(s.rankOrder[3], s.rankOrder[4]);
        if (oneIn(4))
            s.stageRecompute.assign(std::size_t(s.pp), parallel::Recompute::Selective);
        if (oneIn(4) && s.recompute == parallel::Recompute::Full)
            s.recomputedLayers.assign(std::size_t(s.pp), 1);
    }

    std::mt19937 m_random;
};

} // namespace stratoplan::launchtest
