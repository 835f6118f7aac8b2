// SPDX-License-Identifier: GPL-3.0-or-later
// Plans built by hand for tests, independent of the shipped catalogue.
#pragma once

#include "core/plan/plan.h"
#include "core/plan/search_space.h"

#include <algorithm>
#include <cmath>

namespace stratoplan::fixtures {

inline bool near(double a, double b)
{
    return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b));
}

/// The same, of numbers of which zero is one.
inline bool close(double a, double b)
{
    return std::abs(a - b) <= 1e-9 * std::max({1.0, std::abs(a), std::abs(b)});
}

/// The default space without partitions in space and time: each strategy with one has a programme of its own to solve.
inline plan::SearchSpace megatronSpace()
{
    plan::SearchSpace space = plan::defaultSpace();
    space.tensorPartitions = {parallel::TensorPartition::Megatron};
    return space;
}

inline model::Transformer gpt(int layers, int hidden, int heads, int vocabulary = 51200, int positions = 2048)
{
    model::Transformer model;
    model.name = "GPT";
    model.layers = layers;
    model.hidden = hidden;
    model.ffnHidden = 4 * hidden;
    model.heads = model.kvHeads = heads;
    model.headDim = hidden / heads;
    model.vocabulary = vocabulary;
    model.maxPositions = positions;
    model.tiedEmbeddings = true;
    model.linearBias = true;
    model.dropout = true;
    model.norm = model::Norm::Layer;
    model.position = model::Position::Learned;
    return model;
}

/// Nodes of eight A100-like accelerators: 312 TFLOP/s, 2 TB/s, NVLink 300 GB/s, 8 x 25 GB/s to the network.
inline cluster::Cluster cluster(int nodes, int perNode = 8)
{
    cluster::NodeGroup group;
    group.id = "nodes";
    group.name = "test node";
    cluster::Accelerator& a = group.accelerator;
    a.id = a.name = "test accelerator";
    a.memory = units::Bytes(80 * units::kGiB);
    a.memoryBandwidth = units::BytesPerSecond(2.0e12);
    a.peak[model::Precision::Fp32] = units::FlopsPerSecond(19.5e12);
    a.peak[model::Precision::Fp16] = a.peak[model::Precision::Bf16] = units::FlopsPerSecond(312e12);
    a.computeUnits = 108;
    a.matmulSustained = 0.8;
    group.acceleratorsPerNode = group.scaleUpDomain = group.nicsPerNode = perNode;
    group.scaleUp = {"nvlink", "NVLink", cluster::LinkKind::NvLink, units::BytesPerSecond(300e9), 0.8,
        units::Seconds(10e-6), "test"};
    group.nic = {
        "hdr", "HDR", cluster::LinkKind::InfiniBand, units::BytesPerSecond(25e9), 0.8, units::Seconds(10e-6), "test"};
    group.count = nodes;
    return {"test cluster", {group}, {}, {}};
}

/// Cables of the NIC's kind.
inline void link(plan::Plan& plan, const char* from, const char* to, int cables)
{
    plan.cluster.connections.push_back({from, to, plan.cluster.nodes.front().nic, cables});
}

/// GPT-3 175B on 1,024 accelerators, TP 8, PP 8, DP 16, three chunks, as in Korthikanti et al.
inline plan::Plan gpt3()
{
    plan::Plan plan;
    plan.name = "GPT-3 175B";
    plan.model = gpt(96, 12288, 96);
    plan.cluster = cluster(128);
    plan.training.globalBatch = 1536;
    plan.training.sequenceLength = 2048;
    plan.strategy.tp = 8;
    plan.strategy.pp = 8;
    plan.strategy.dp = 16;
    plan.strategy.vpp = 3;
    plan.strategy.schedule = parallel::Schedule::Interleaved;
    plan.strategy.sequenceParallel = true;
    plan.strategy.recompute = parallel::Recompute::Selective;
    plan.strategy.zeroStage = 1;
    return plan;
}

/// A small model on two nodes of four: quick to price, every axis can be used.
inline plan::Plan small()
{
    plan::Plan plan;
    plan.name = "small";
    plan.model = gpt(8, 1024, 16, 32000, 1024);
    plan.cluster = cluster(2, 4);
    plan.training.globalBatch = 64;
    plan.training.sequenceLength = 1024;
    plan.strategy.dp = 8;
    return plan;
}

} // namespace stratoplan::fixtures

namespace fixtures = stratoplan::fixtures;
