// SPDX-License-Identifier: Apache-2.0
// The arguments of Megatron-LM for what is kept for the backward pass, and where.
#include "core/launch/draft.h"

#include <algorithm>

namespace stratoplan::launch {
namespace {

constexpr std::string_view kGranularity = "--recompute-granularity", kModules = "--recompute-modules";

void addSelective(Draft& draft, const plan::Plan& plan)
{
    draft.text(kGranularity, "selective");
    Words modules;
    const bool byModule = plan.training.software.selectiveRecompute == plan::SelectiveRecompute::Modules;
    if (byModule) {
        modules.push_back("layernorm");
        if (hasExperts(plan))
            modules.push_back("moe_act");
        if (plan.model.mla)
            modules.push_back("mla_up_proj");
    }
    if (!byModule || !isFlash(plan.training.attention))
        modules.push_back("core_attn");
    draft.set(kModules, modules);
    if (plan.training.software.selectiveRecompute == plan::SelectiveRecompute::EveryOtherProduct)
        draft.remark(Gap::SelectiveRecompute, plan.training.software.name, "--recompute-modules core_attn");
}

void addFull(Draft& draft, std::string_view method, int layers)
{
    draft.text(kGranularity, "full");
    draft.text("--recompute-method", method);
    draft.number("--recompute-num-layers", layers);
}

/// Layers of the chunks that are recomputed in full, where some of a stage are and others not.
struct Block {
    int layers = 0; ///< the most
    bool isAlike = true; ///< every chunk has as many, or all that it holds
};

Block blockOf(const plan::Plan& plan)
{
    const parallel::Strategy& s = plan.strategy;
    Block block;
    std::vector<std::pair<int, int>> chunks; ///< recomputed, held
    for (int stage = 0; stage < s.pp; ++stage) {
        const std::vector<int> layers = chunkLayers(s, plan.model.layers, stage);
        const std::vector<parallel::StageRecompute> all = chunkRecompute(s, stage, layers);
        for (std::size_t i = 0; i < all.size(); ++i) {
            chunks.emplace_back(all[i].full, layers[i]);
            block.layers = std::max(block.layers, all[i].full);
        }
    }
    block.isAlike = std::all_of(chunks.begin(), chunks.end(),
        [&](const auto& chunk) { return chunk.first == std::min(block.layers, chunk.second); });
    return block;
}

void addRecompute(Draft& draft, const plan::Plan& plan)
{
    const parallel::Strategy& s = plan.strategy;
    const unsigned kinds = recomputeKinds(s);
    const auto holds = [&](parallel::Recompute kind) { return (kinds >> unsigned(kind) & 1U) != 0; };
    const Block block = blockOf(plan);
    if (!s.recomputedLayers.empty() && block.layers > 0 && kinds != 1U << unsigned(parallel::Recompute::Full)) {
        addFull(draft, "block", block.layers);
        if (holds(parallel::Recompute::Selective))
            draft.remark(Gap::MixedRecompute, std::to_string(block.layers));
        if (!block.isAlike)
            draft.remark(Gap::ChunkRecompute,
                std::to_string(*std::max_element(s.recomputedLayers.begin(), s.recomputedLayers.end())),
                "--recompute-num-layers " + std::to_string(block.layers));
        return;
    }
    if (holds(parallel::Recompute::Full))
        addFull(draft, "uniform", 1);
    else if (holds(parallel::Recompute::Selective))
        addSelective(draft, plan);
}

void addOffload(Draft& draft, const plan::Plan& plan)
{
    const parallel::Strategy& s = plan.strategy;
    const bool isAdam =
        plan.training.optimizer != plan::Optimizer::Muon && plan.training.optimizer != plan::Optimizer::Sgd;
    if (s.offload == parallel::Offload::Optimizer && !isAdam)
        draft.remark(Gap::Offloaded, std::string(key(plan.training.optimizer)));
    else if (s.offload == parallel::Offload::Optimizer) {
        draft.flag("--use-distributed-optimizer"); // which alone is moved
        draft.flag("--optimizer-cpu-offload");
        draft.set("--optimizer-offload-fraction", 1.0);
        draft.flag("--use-precision-aware-optimizer");
        if (s.zeroStage == 0)
            draft.remark(Gap::Offloaded, "optimizer", "--use-distributed-optimizer");
    }
    if (s.offload != parallel::Offload::Activations)
        return;
    draft.flag("--fine-grained-activation-offloading");
    Words modules{"attn_norm", "qkv_linear", "core_attn", "attn_proj", "mlp_norm"};
    if (hasExperts(plan))
        modules.insert(modules.end(), {"expert_fc1", "moe_act"});
    draft.set("--offload-modules", modules);
    draft.remark(Gap::Offloaded, "activations", "--offload-modules " + textOf(modules));
}

} // namespace

void addMemory(Draft& draft, const plan::Plan& plan)
{
    addRecompute(draft, plan);
    addOffload(draft, plan);
}

} // namespace stratoplan::launch
