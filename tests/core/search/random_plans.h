// SPDX-License-Identifier: GPL-3.0-or-later
// Small plans and spaces of every kind, drawn at random but the same every time.
#pragma once

#include "core/plan/problem.h"
#include "core/plan/search_space.h"
#include "tests/core/fixtures.h"

#include <random>

namespace stratoplan::searchtest {

class RandomPlans {
public:
    explicit RandomPlans(unsigned seed)
        : m_random(seed)
        , m_partitions(seed + 1000)
        , m_links(seed + 2000)
        , m_reductions(seed + 3000)
        , m_hosts(seed + 4000)
        , m_updates(seed + 5000)
        , m_tori(seed + 6000)
    {
    }

    plan::Plan plan()
    {
        plan::Plan plan;
        plan.model = model();
        plan.cluster = cluster();
        plan::Training& training = plan.training;
        training.sequenceLength = pick({512, 1024, 2048});
        plan.model.maxPositions = 4096;
        training.globalBatch = pick({4, 8, 12, 16, 24, 48});
        training.attention = oneIn(2) ? plan::AttentionKernel::Flash : plan::AttentionKernel::Unfused;
        training.precision =
            pick({model::Precision::Bf16, model::Precision::Bf16, model::Precision::Fp16, model::Precision::Fp32});
        training.fp32Gradients = oneIn(2);
        software(training.software);
        reductions(training.software);
        hosts(training.software);
        updates(plan);
        return plan;
    }

    /// Locks and ranges on some dimensions, so that the space stays small enough to price whole.
    // In one piece: a list of restrictions, drawn in an order that what the seeds stand for hangs on.
    plan::SearchSpace space(const plan::Plan& plan)
    {
        plan::SearchSpace space;
        space.name = "random";
        space.leaveIdle = oneIn(3);
        space.evenLayers = oneIn(4);
        space.shardGroups = pick({plan::ShardGroups::All, plan::ShardGroups::Domain, plan::ShardGroups::Every});
        if (oneIn(3))
            space.tp.most = pick({1, 2, 4});
        if (oneIn(2))
            space.cp.most = pick({1, 2});
        if (oneIn(4))
            space.microBatch.only = {1, 2, 3};
        if (oneIn(4))
            space.vpp.most = 2;
        if (oneIn(3))
            space.zeroStages = oneIn(2) ? std::vector{0, 1} : std::vector{1, 3};
        if (oneIn(3))
            space.recomputes = {parallel::Recompute::None, parallel::Recompute::Full};
        if (oneIn(3))
            space.recomputedLayers =
                oneIn(3) ? plan::IntChoice{1, 3, {0, 1, 3}} : plan::IntChoice{int(oneIn(3)), 100, {}};
        if (oneIn(3))
            uneven(space);
        if (oneIn(4))
            space.sequenceParallel = {oneIn(2)};
        if (oneIn(4))
            space.rankOrders = {parallel::Strategy{}.rankOrder,
                {parallel::Axis::Pp, parallel::Axis::Dp, parallel::Axis::Tp, parallel::Axis::Cp, parallel::Axis::Ep}};
        if (oneIn(4))
            space.contextMethods = {
                parallel::ContextMethod::Ring, parallel::ContextMethod::AllGather, parallel::ContextMethod::Ulysses};
        if (plan.model.moe && oneIn(2))
            space.etp = plan::IntChoice::just(1);
        if (oneIn(4))
            space.vocabularyPlacements = {parallel::VocabularyPlacement::Ends,
                pick({parallel::VocabularyPlacement::Vocab1, parallel::VocabularyPlacement::Vocab2,
                    parallel::VocabularyPlacement::Interlaced})};
        else if (oneIn(6))
            space.vocabularyPlacements = {pick({parallel::VocabularyPlacement::Vocab1,
                parallel::VocabularyPlacement::Vocab2, parallel::VocabularyPlacement::Interlaced})};
        if (oneIn(4))
            space.offloads = {
                parallel::Offload::None, pick({parallel::Offload::Activations, parallel::Offload::Optimizer})};
        if (oneIn(4))
            space.timingPasses = oneIn(2) ? std::vector{true} : std::vector{false, true};
        using enum parallel::TensorPartition;
        space.tensorPartitions = {Megatron};
        if (m_partitions() % m_dividesOneIn == 0) {
            space.tensorPartitions =
                m_partitions() % 6 == 0 ? std::vector{SpatialTemporal} : std::vector{Megatron, SpatialTemporal};
            space.contextPartitions = m_partitions() % 2 == 0;
        }
        return space;
    }

    /// Layers are divided in space and time, too, in one of so many spaces.
    void divideOneIn(unsigned n) { m_dividesOneIn = n; }

    int number(int below) { return std::uniform_int_distribution<int>(0, below - 1)(m_random); }
    bool oneIn(int n) { return number(n) == 0; }
    double real(double low, double high) { return std::uniform_real_distribution<double>(low, high)(m_random); }

private:
    /// The first and the last stage with other layers than their even share, at times all of them.
    void uneven(plan::SearchSpace& space)
    {
        space.firstStageFewer = oneIn(4) ? plan::IntChoice{1, 1, {1, -2}} : plan::IntChoice{-number(3), number(3), {}};
        space.lastStageFewer =
            oneIn(4) ? plan::IntChoice::just(number(3) - 1) : plan::IntChoice{-number(3), number(4), {}};
    }

    template <class Value>
    Value pick(std::initializer_list<Value> values)
    {
        return values.begin()[number(int(values.size()))];
    }

    model::Transformer model()
    {
        // One by one: compilers differ in the order in which they evaluate arguments.
        const int heads = pick({4, 8, 12});
        const int hidden = pick({512, 768, 1024, 4096});
        const int layers = pick({2, 3, 4, 6, 8, 14});
        model::Transformer model = fixtures::gpt(layers, hidden, heads, 32000, 4096);
        model.headDim = model.hidden / model.heads;
        if (oneIn(3))
            model.kvHeads = model.heads / 2;
        model.tiedEmbeddings = oneIn(2);
        model.gatedMlp = oneIn(2);
        model.dropout = oneIn(2);
        if (oneIn(4)) {
            model.moe = model::MixtureOfExperts{};
            model.moe->experts = pick({4, 8});
            model.moe->topK = 2;
            model.moe->expertFfn = model.hidden;
            model.moe->leadingDenseLayers = oneIn(2) ? 1 : 0;
            model.moe->sharedExperts = oneIn(2) ? 1 : 0;
            model.multiTokenPredictionDepth = oneIn(3) ? 1 : 0;
        }
        return model;
    }

    cluster::Cluster cluster()
    {
        const int perNode = pick({1, 2, 4});
        const int nodes = pick({1, 2, 3, 4});
        cluster::Cluster cluster = fixtures::cluster(nodes, perNode);
        cluster::NodeGroup& group = cluster.nodes.front();
        // From what hardly holds a layer to what holds the model many times over.
        group.accelerator.memory = units::Bytes(units::kGiB * std::exp(real(std::log(1.5), std::log(60.0))));
        group.scaleUp.bandwidth = units::BytesPerSecond(std::exp(real(std::log(5e9), std::log(900e9))));
        group.nic.bandwidth = units::BytesPerSecond(std::exp(real(std::log(1e9), std::log(100e9))));
        group.nicsPerNode = pick({1, group.acceleratorsPerNode});
        for (cluster::Link* const link : {&group.scaleUp, &group.nic})
            link->latency = units::Seconds(std::exp(onLinks(std::log(1e-7), std::log(1e-3))));
        if (nodes > 1 && std::uniform_int_distribution<int>(0, 1)(m_links) == 1)
            addLeaves(cluster);
        if (m_tori() % 3 == 0)
            setTorus(group);
        if (oneIn(2)) {
            group.hostLink = units::BytesPerSecond(std::exp(real(std::log(1e9), std::log(60e9))));
            group.hostMemory = units::Bytes(units::kGiB * std::exp(real(std::log(1.0), std::log(500.0))));
            group.hostMemoryBandwidth = units::BytesPerSecond(100e9);
        }
        return cluster;
    }

    /// Each node, or all of them, of up to three axes.
    void setTorus(cluster::NodeGroup& group)
    {
        if (m_tori() % 2 == 0)
            group.scaleUpDomain = group.acceleratorsPerNode * group.count;
        group.torus = cluster::Torus{{}, cluster::kTorusWraps[m_tori() % cluster::kTorusWraps.size()]};
        int left = group.scaleUpDomain;
        for (const int size : {2, 2}) {
            const bool isAxis = left % size == 0 && m_tori() % 2 == 0;
            group.torus->axes.push_back(isAxis ? size : 1);
            left /= group.torus->axes.back();
        }
        group.torus->axes.push_back(left);
    }

    /// Two leaves whose uplinks carry an eighth of what their nodes may send, or nearly all of it.
    void addLeaves(cluster::Cluster& cluster)
    {
        const cluster::NodeGroup& group = cluster.nodes.front();
        const int cables = group.count * group.nicsPerNode;
        cluster::Link uplink = group.nic;
        uplink.bandwidth = group.nic.bandwidth * onLinks(0.125, 0.95) * cables / 2;
        cluster.switches = {
            {"leaf", "Leaf", cluster::SwitchTier::Leaf, 64, 2}, {"spine", "Spine", cluster::SwitchTier::Spine, 64, 1}};
        cluster.connections = {{group.id, "leaf", group.nic, cables}, {"leaf", "spine", uplink, 2}};
    }

    double onLinks(double low, double high) { return std::uniform_real_distribution<double>(low, high)(m_links); }

    void software(plan::SoftwareProfile& profile)
    {
        const double shares[] = {0, 0.3, 0.9};
        const auto share = [&] { return shares[number(3)]; };
        profile.dpOverlap = share();
        profile.fsdpHidden = share();
        profile.tpOverlap = share();
        profile.epOverlap = share();
        profile.p2pExposed = share();
        profile.sequenceParallelRegather = share();
        profile.scatterGather = oneIn(2);
        profile.recomputeEarlyStop = oneIn(2);
        profile.hostForward = profile.hostBackward = units::Seconds(oneIn(2) ? 0 : 2e-3);
        profile.shardBroadcast = units::Seconds(oneIn(3) ? 1e-3 : 0);
        profile.selectiveRecompute = oneIn(3) ? plan::SelectiveRecompute::EveryOtherProduct
            : oneIn(2)                        ? plan::SelectiveRecompute::Modules
                                              : plan::SelectiveRecompute::AttentionCore;
        profile.reserve = units::Bytes(oneIn(2) ? 0 : 1e9);
        profile.flatGradientBytes = oneIn(3) ? 2 : 0;
        profile.reduceBuckets = units::Bytes(oneIn(3) ? 1e9 : 0);
        profile.narrowCaches = oneIn(2);
        profile.expertOutputsStay = oneIn(2);
    }

    void reductions(plan::SoftwareProfile& profile)
    {
        profile.reducesWhole = m_reductions() % 3 == 0;
        profile.shardsEachMicroBatch = m_reductions() % 2 == 0;
        profile.hostPerCollective = units::Seconds(m_reductions() % 3 == 0 ? 3e-4 : 0);
        profile.shardSlice = units::Seconds(m_reductions() % 4 == 0 ? 1e-5 : 0);
        profile.gradientBucket = units::Bytes(m_reductions() % 3 == 0 ? 25 * units::kMiB : 0);
    }

    /// What the host calls, and what hides behind passes.
    void hosts(plan::SoftwareProfile& profile)
    {
        using enum parallel::SyncTime;
        profile.hostPerExpert = units::Seconds(m_hosts() % 3 == 0 ? 1e-4 : 0);
        profile.hostPerTpDoubling = units::Seconds(m_hosts() % 3 == 0 ? 2e-4 : 0);
        profile.hostBackward = profile.hostForward * (m_hosts() % 3 == 0 ? 2.0 : 1.0);
        profile.gradientAccumulationBytes = std::array{1.0, 0.0, 8.0}[m_hosts() % 3];
        profile.dpExposedFloor = std::array{profile.dpExposedFloor, 0.0, 0.3}[m_hosts() % 3];
        profile.overlapContention = std::array{profile.overlapContention, 0.0, 0.3}[m_hosts() % 3];
        profile.gradientSync = std::array{AfterPasses, AfterPasses, LastBackward, Asynchronous}[m_hosts() % 4];
    }

    void updates(plan::Plan& plan)
    {
        plan::Training& training = plan.training;
        training.narrowReduction = m_updates() % 4 == 0;
        training.narrowGather = m_updates() % 2 == 0;
        training.software.offloadStreamsGradients = m_updates() % 2 == 0;
        training.software.bucketParameters = m_updates() % 2 == 0 ? 1e7 : 0;
        training.software.bucketParametersPerReplica = 4e6;
        if (training.precision == model::Precision::Bf16 && m_updates() % 3 == 0) {
            training.precision = model::Precision::Fp8; // which alone gathers otherwise
            for (cluster::NodeGroup& group : plan.cluster.nodes)
                group.accelerator.peak[model::Precision::Fp8] = group.accelerator.peak[model::Precision::Bf16] * 2;
        }
        if (m_updates() % 2 == 0)
            training.optimizer = plan::kOptimizers[m_updates() % plan::kOptimizers.size()];
    }

    std::mt19937 m_random;
    // Apart, so that all else stays as it was:
    std::mt19937 m_partitions;
    std::mt19937 m_links;
    std::mt19937 m_reductions;
    std::mt19937 m_hosts;
    std::mt19937 m_updates;
    std::mt19937 m_tori;
    unsigned m_dividesOneIn = 10; ///< they take long
};

} // namespace stratoplan::searchtest
