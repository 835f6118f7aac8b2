// SPDX-License-Identifier: Apache-2.0
#include "core/cost/machine.h"

#include <algorithm>

namespace stratoplan::cost {
namespace {

/// The precision the wide (not FP8/FP4) products run in on this accelerator.
model::Precision widePrecision(model::Precision training, const cluster::Accelerator& accelerator)
{
    if (training == model::Precision::Fp32 || training == model::Precision::Tf32 || training == model::Precision::Fp16)
        return training;
    return accelerator.peak[model::Precision::Bf16].value() > 0 ? model::Precision::Bf16 : model::Precision::Fp16;
}

double narrowFactor(model::Precision training, const plan::SoftwareProfile& software)
{
    switch (training) {
    case model::Precision::Fp8:
    case model::Precision::Mxfp8:
    case model::Precision::Int8: // as much faster than 16 bits
        return software.fp8Factor;
    case model::Precision::Nvfp4:
        return software.nvfp4Factor;
    default:
        return 1;
    }
}

/// The precision whose measured products stand for those of FP8 and FP4 recipes.
model::Precision narrowPrecision(model::Precision training)
{
    if (training == model::Precision::Nvfp4 || training == model::Precision::Int8)
        return training;
    return model::Precision::Fp8;
}

void addKernels(model::Precision training, const std::string& accelerator, const catalog::Catalog& catalog, Machine& m)
{
    if (!m.topology.levels.empty())
        if (const cluster::KernelTables* link = catalog.kernelTables(m.topology.levels[0].kernels);
            link && !link->collectives.empty())
            m.topology.levels[0].curves = &link->collectives;
    m.kernels = catalog.kernelTables(accelerator);
    if (m.kernels == nullptr || training == model::Precision::Fp32 || training == model::Precision::Tf32)
        return;
    m.wideProducts = m.kernels->products(model::Precision::Bf16);
    if (m.wideProducts != nullptr)
        m.matmul = std::min(m.matmul, m.wideProducts->rate); // no stack runs products faster than they run alone
    m.narrowProducts = m.kernels->products(narrowPrecision(training));
}

int usualVersion(const cluster::KernelTables* kernels, const plan::SoftwareProfile& software)
{
    if (software.flashVersion > 0)
        return software.flashVersion;
    return kernels != nullptr ? kernels->attention.version : cluster::AttentionKernels{}.version;
}

struct FlashRates {
    double forward, backward;
};

/// Of an older version of FlashAttention over a newer one, long causal sequences at head dimension 128: "around 2x"
/// from 1 to 2 (arXiv 2307.08691, abstract); 335 of 616 and 322 of 561 TFLOP/s from 2 to 3 on H100 (arXiv 2407.08608,
/// figures 5 and 6).
FlashRates flashRates(plan::AttentionKernel asked, int usual)
{
    FlashRates rates{1, 1};
    for (int version = flashVersion(asked); version > 0 && version < usual; ++version) {
        rates.forward *= version == 1 ? 0.5 : 335.0 / 616;
        rates.backward *= version == 1 ? 0.5 : 322.0 / 561;
    }
    return rates;
}

/// Bytes through memory to cast one element from 16 bits for the products that read it forward and backward. The kernel
/// reads it, and writes it row by row and, for gradients of weights, column by column: Hopper's FP8 products read
/// operands in one layout only, and blocks of MXFP8 and NVFP4 run along what is summed over. Blackwell's per-tensor FP8
/// products read either layout. NVFP4 scales a whole tensor, too: it is read before to find its largest element
/// (Transformer Engine, docs/examples/fp8_primer and nvfp4; 2509.25149, section 4). XLA fuses casts to INT8 (AQT).
double castBytes(const plan::Training& training, const cluster::Accelerator& accelerator)
{
    constexpr double kRead = 2, kScales = 2.0 / 32, kNvfp4 = 0.5 + 1.0 / 16;
    switch (training.precision) {
    case model::Precision::Fp8:
        return kRead * (training.software.currentScaling ? 2 : 1)
            + (accelerator.peak[model::Precision::Mxfp8].value() > 0 ? 1 : 2);
    case model::Precision::Mxfp8:
        return kRead + 2 + kScales;
    case model::Precision::Nvfp4:
        return 2 * kRead + 2 * kNvfp4;
    default:
        return 0;
    }
}

} // namespace

/// Bytes a parameter and micro-batch: a pass of its own over gradient and sum moves no fewer (2 + 2 in 16 bits).
constexpr double kFusedAccumulation = 4;

Machine machine(const plan::Plan& plan, const catalog::Catalog& catalog)
{
    std::vector<std::size_t> groups;
    for (std::size_t i = 0; i < plan.cluster.nodes.size(); ++i)
        if (takesPart(plan.cluster.nodes[i]))
            groups.push_back(i);
    return machine(plan, catalog, groups);
}

// In one piece: one pass over the nodes: of each rate the lowest counts.
Machine machine(const plan::Plan& plan, const catalog::Catalog& catalog, const std::vector<std::size_t>& groups)
{
    const plan::SoftwareProfile& software = plan.training.software;
    Machine m;
    m.topology = topology(plan.cluster, groups);
    m.domain = m.topology.levels.empty() ? 1 : std::max(1, m.topology.levels.front().size);
    m.elementBytes = storageBytes(plan.training.precision);
    for (const std::size_t place : groups)
        m.castBytes = std::max(m.castBytes, castBytes(plan.training, plan.cluster.nodes[place].accelerator));
    if (software.gradientAccumulationBytes < kFusedAccumulation)
        m.gradientSumBytes = 2 * (plan.training.fp32Gradients ? 4 : m.elementBytes);
    m.narrowFactor = narrowFactor(plan.training.precision, software);
    m.narrowBytes = plan.training.precision == model::Precision::Nvfp4 ? 0.5 : 1;
    const std::string* kernels = nullptr;
    bool first = true;
    for (const std::size_t place : groups) {
        const cluster::NodeGroup& group = plan.cluster.nodes[place];
        const cluster::Accelerator& a = group.accelerator;
        // A stack's factor was fitted on other accelerators: on none does it pass the peak.
        const FlopsPerSecond matmul = a.peak[widePrecision(plan.training.precision, a)]
            * std::min(1.0, a.matmulSustained * software.matmulFactor);
        const BytesPerSecond memory = a.memoryBandwidth * std::min(1.0, a.memorySustained * software.memoryFactor);
        FlopsPerSecond peak = a.peak[plan.training.precision];
        if (peak.value() <= 0)
            peak = a.peak[widePrecision(plan.training.precision, a)];
        if (first || matmul < m.matmul)
            kernels = &a.kernels;
        m.matmul = first ? matmul : std::min(m.matmul, matmul);
        m.memory = first ? memory : std::min(m.memory, memory);
        m.peak = first ? peak : std::min(m.peak, peak);
        const FlopsPerSecond widePeak = a.peak[widePrecision(plan.training.precision, a)];
        m.widePeak = first ? widePeak : std::min(m.widePeak, widePeak);
        const FlopsPerSecond eightBits = a.peak[model::Precision::Fp8];
        m.narrowAttention = first ? eightBits : std::min(m.narrowAttention, eightBits);
        m.exponentials = first ? a.exponentials : std::min(m.exponentials, a.exponentials);
        m.computeUnits = first ? a.computeUnits : std::min(m.computeUnits, a.computeUnits);
        const double perNode = std::max(1, group.acceleratorsPerNode);
        m.hostLink = first ? group.hostLink : std::min(m.hostLink, group.hostLink);
        m.hostMemory =
            first ? group.hostMemoryBandwidth / perNode : std::min(m.hostMemory, group.hostMemoryBandwidth / perNode);
        m.hostCapacity = first ? group.hostMemory / perNode : std::min(m.hostCapacity, group.hostMemory / perNode);
        first = false;
    }
    if (kernels != nullptr)
        addKernels(plan.training.precision, *kernels, catalog, m);
    const auto [forward, backward] = flashRates(plan.training.attention, usualVersion(m.kernels, software));
    m.flashForward = forward;
    m.flashBackward = backward;
    return m;
}

} // namespace stratoplan::cost
