// SPDX-License-Identifier: GPL-3.0-or-later
// Every rule a plan can break, its sentence, and remedies that mend it; the values a slider offers.
#include "core/narration/problems.h"
#include "core/plan/dimensions.h"
#include "core/plan/problem.h"
#include "tests/registry.h"

#include <QTest>
#include <algorithm>
#include <functional>
#include <rapidcheck.h>
#include <set>

using namespace stratoplan::cluster;
using namespace stratoplan::model;
using namespace stratoplan::narration;
using namespace stratoplan::parallel;
using namespace stratoplan::plan;
using namespace stratoplan::units;

namespace {

/// GPT-3 175B on 1,024 A100: TP 8, PP 8, DP 16, three chunks.
Plan gpt3()
{
    Plan p;
    p.model.layers = 96;
    p.model.hidden = 12288;
    p.model.ffnHidden = 49152;
    p.model.heads = p.model.kvHeads = 96;
    p.model.headDim = 128;
    p.model.vocabulary = 51200;
    p.model.maxPositions = 2048;
    NodeGroup nodes;
    nodes.id = "nodes";
    nodes.name = "DGX A100";
    nodes.accelerator.name = "A100 SXM 80 GB";
    nodes.accelerator.memory = Bytes(80 * kGiB);
    nodes.accelerator.memoryBandwidth = BytesPerSecond(2.039e12);
    nodes.accelerator.peak[Precision::Bf16] = FlopsPerSecond(312e12);
    nodes.scaleUp.bandwidth = BytesPerSecond(300e9);
    nodes.nic.bandwidth = BytesPerSecond(25e9);
    nodes.count = 128;
    p.cluster.nodes = {nodes};
    p.training.globalBatch = 1536;
    p.strategy.tp = 8;
    p.strategy.pp = 8;
    p.strategy.dp = 16;
    p.strategy.vpp = 3;
    p.strategy.schedule = Schedule::Interleaved;
    p.strategy.sequenceParallel = true;
    p.strategy.recompute = Recompute::Selective;
    p.training.attention = AttentionKernel::Unfused;
    return p;
}

void makeSparse(Plan& p)
{
    p.model.mla = LatentAttention{};
    p.model.dsa = SparseAttention{};
    p.training.attention = AttentionKernel::Flash;
}

Plan moe()
{
    Plan p = gpt3();
    p.model.moe = MixtureOfExperts{.experts = 64, .topK = 6, .expertFfn = 2048};
    p.strategy.ep = 8;
    return p;
}

const Problem* find(const std::vector<Problem>& problems, ProblemCode code)
{
    const auto it = std::find_if(problems.begin(), problems.end(), [code](const Problem& p) { return p.code == code; });
    return it == problems.end() ? nullptr : &*it;
}

bool has(const Plan& plan, ProblemCode code)
{
    return find(check(plan), code) != nullptr;
}

struct Case {
    const char* name;
    ProblemCode code;
    Severity severity;
    const char* where;
    double found;
    double limit;
    const char* sentence;
    std::function<void(Plan&)> breakIt;
    bool mendable = true; ///< by an edit of the strategy
    bool onMoe = false;
};

Plan broken(const Case& c)
{
    Plan p = c.onMoe ? moe() : gpt3();
    c.breakIt(p);
    return p;
}

const std::vector<Case> kCases{
    {"zero TP", ProblemCode::NotPositive, Severity::Error, "/strategy/tp", 0, 0,
        "/strategy/tp is 0: it must be greater than zero.", [](Plan& p) { p.strategy.tp = 0; }},
    {"zero etp", ProblemCode::NotPositive, Severity::Error, "/strategy/etp", -1, 0,
        "/strategy/etp is −1: it must be greater than zero.", [](Plan& p) { p.strategy.etp = -1; }},
    {"no layers", ProblemCode::NotPositive, Severity::Error, "/model/layers", 0, 0,
        "/model/layers is 0: it must be greater than zero.", [](Plan& p) { p.model.layers = 0; }, false},
    {"no KV heads", ProblemCode::NotPositive, Severity::Error, "/model/kv_heads", 0, 0,
        "/model/kv_heads is 0: it must be greater than zero.", [](Plan& p) { p.model.kvHeads = 0; }, false},
    {"no network", ProblemCode::NotPositive, Severity::Error, "/cluster/nodes/0/nic/bandwidth_gb_s", 0, 0,
        "/cluster/nodes/0/nic/bandwidth_gb_s is 0: it must be greater than zero.",
        [](Plan& p) { p.cluster.nodes[0].nic = {}; }, false},
    {"more ranks than accelerators", ProblemCode::RanksExceedCluster, Severity::Error, "/strategy", 2048, 1024,
        "TP x CP x PP x DP asks for 2,048 accelerators, but the cluster has 1,024.",
        [](Plan& p) { p.strategy.dp = 32; }},
    {"one replica is too large", ProblemCode::RanksExceedCluster, Severity::Error, "/strategy", 4096, 1024,
        "TP x CP x PP x DP asks for 4,096 accelerators, but the cluster has 1,024.",
        [](Plan& p) {
            p.strategy.cp = 64;
            p.strategy.dp = 1;
        }},
    {"idle ranks", ProblemCode::RanksLeaveIdle, Severity::Warning, "/strategy", 512, 1024,
        "TP x CP x PP x DP uses 512 of 1,024 accelerators: 512 are idle.", [](Plan& p) { p.strategy.dp = 8; }},
    {"heads", ProblemCode::HeadsNotDivisible, Severity::Error, "/strategy/tp", 96, 5,
        "96 heads cannot be divided over TP 5: use 1, 2, 3, 4, 6 or 8.",
        [](Plan& p) {
            p.strategy.tp = 5;
            p.strategy.dp = 1;
            p.model.ffnHidden = 5 * 12288;
            p.strategy.sequenceParallel = false;
        }},
    {"KV heads", ProblemCode::KvHeadsNotDivisible, Severity::Error, "/strategy/tp", 12, 8,
        "12 KV heads can neither be divided nor repeated over TP 8: use 2, 3, 4, 6 or 12, or a multiple of 12.",
        [](Plan& p) { p.model.kvHeads = 12; }},
    {"FFN", ProblemCode::FfnNotDivisible, Severity::Error, "/strategy/tp", 49156, 8,
        "An FFN width of 49,156 cannot be divided over TP 8: use 1, 2, 4, 12,289 or 24,578.",
        [](Plan& p) { p.model.ffnHidden = 49156; }},
    {"expert FFN", ProblemCode::FfnNotDivisible, Severity::Error, "/strategy/etp", 2048, 3,
        "An FFN width of 2,048 cannot be divided over expert TP 3: use 1, 2, 4 or 8.",
        [](Plan& p) { p.strategy.etp = 3; }, true, true},
    {"uneven stages", ProblemCode::LayersNotDivisible, Severity::Warning, "/strategy/vpp", 96, 40,
        "96 layers cannot be divided evenly over 40 pipeline chunks: the fullest stage sets the pace.",
        [](Plan& p) { p.strategy.vpp = 5; }},
    {"too many chunks", ProblemCode::TooManyStages, Severity::Error, "/strategy/vpp", 128, 98,
        "128 pipeline chunks (PP x virtual stages) for at most 98: use fewer.", [](Plan& p) { p.strategy.vpp = 16; }},
    {"too many stages", ProblemCode::TooManyStages, Severity::Error, "/strategy/pp", 128, 96,
        "128 pipeline chunks (PP x virtual stages) for at most 96: use fewer.",
        [](Plan& p) {
            p.strategy.vpp = 1;
            p.strategy.pp = 128;
            p.strategy.dp = 1;
        }},
    {"batch", ProblemCode::BatchNotDivisible, Severity::Error, "/strategy/micro_batch", 1536, 80,
        "A global batch of 1,536 sequences cannot be divided over DP x micro-batch = 80: use a batch of 1,520 or "
        "1,600, or a DP x micro-batch that divides it.",
        [](Plan& p) {
            p.strategy.microBatch = 5;
            p.strategy.vpp = 1;
            p.strategy.schedule = Schedule::OneFOneB;
        }},
    {"interleaved batch", ProblemCode::BatchNotDivisible, Severity::Error, "/strategy/micro_batch", 1536, 640,
        "A global batch of 1,536 sequences cannot be divided over DP x micro-batch, and that again over PP to be "
        "interleaved, 640 in all: use a batch of 1,280 or 1,920, or degrees that divide it.",
        [](Plan& p) { p.strategy.microBatch = 5; }},
    {"sequence over CP", ProblemCode::SequenceNotDivisible, Severity::Error, "/strategy/cp", 2050, 4,
        "A sequence of 2,050 tokens cannot be cut into 4 equal parts: context parallelism gives each rank two, an "
        "early and a late one.",
        [](Plan& p) {
            p.training.sequenceLength = 2050;
            p.strategy.cp = 2;
            p.strategy.dp = 8;
            p.strategy.sequenceParallel = false;
        }},
    {"sequence over TP", ProblemCode::SequenceNotDivisible, Severity::Error, "/strategy/sequence_parallel", 2050, 8,
        "A sequence of 2,050 tokens cannot be cut into 8 equal parts, as sequence parallelism needs.",
        [](Plan& p) { p.training.sequenceLength = 2050; }},
    {"experts", ProblemCode::ExpertsNotDivisible, Severity::Error, "/strategy/ep", 60, 8,
        "60 experts cannot be divided over EP 8: use 3, 4, 5, 6, 10 or 12.", [](Plan& p) { p.model.moe->experts = 60; },
        true, true},
    {"expert groups", ProblemCode::ExpertGroupNotDivisible, Severity::Error, "/strategy/ep", 16, 64,
        "EP 64 does not divide DP x CP x TP / expert TP = 16: use 2, 4, 8 or 16.",
        [](Plan& p) { p.strategy.ep = 64, p.strategy.etp = p.strategy.tp; }, true, true},
    {"EP without experts", ProblemCode::ExpertParallelWithoutExperts, Severity::Error, "/strategy/ep", 4, 1,
        "EP 4 needs a mixture-of-experts model: use EP 1.", [](Plan& p) { p.strategy.ep = 4; }},
    {"interleaving a remainder", ProblemCode::InterleavingNeedsMultiple, Severity::Error, "/strategy/schedule", 12, 8,
        "12 micro-batches cannot be interleaved over PP 8: their number must be a multiple of 8.",
        [](Plan& p) { p.training.globalBatch = 192; }},
    {"chunks without a pipeline", ProblemCode::InterleavingNeedsPipeline, Severity::Error, "/strategy/vpp", 3, 1,
        "3 virtual stages need a pipeline: use PP 2 or more, or one virtual stage.",
        [](Plan& p) {
            p.strategy.pp = 1;
            p.strategy.dp = 128;
        }},
    {"chunks without interleaving", ProblemCode::ScheduleWithoutChunks, Severity::Error, "/strategy/schedule", 3, 1,
        "The schedule 1f1b runs one chunk per stage, not 3: use the interleaved schedule.",
        [](Plan& p) { p.strategy.schedule = Schedule::OneFOneB; }},
    {"chunks of a V", ProblemCode::ScheduleWithoutChunks, Severity::Error, "/strategy/schedule", 3, 2,
        "The schedule zb-v cuts each stage into 2 chunks itself, not 3: use one virtual stage.",
        [](Plan& p) { p.strategy.schedule = Schedule::ZbV; }},
    {"few for DualPipe", ProblemCode::ScheduleNeedsMicroBatches, Severity::Error, "/strategy/schedule", 12, 16,
        "The schedule dualpipe needs at least 16 micro-batches, twice as many as stages, not 12.",
        [](Plan& p) { p.strategy.schedule = Schedule::DualPipe, p.strategy.vpp = 1, p.training.globalBatch = 192; }},
    {"odd for DualPipe", ProblemCode::ScheduleNeedsEven, Severity::Error, "/strategy/schedule", 25, 2,
        "The schedule dualpipe runs half of its micro-batches each way and needs an even number of them and of "
        "stages: 25 is odd.",
        [](Plan& p) { p.strategy.schedule = Schedule::DualPipe, p.strategy.vpp = 1, p.training.globalBatch = 400; }},
    {"a divided vocabulary without room", ProblemCode::VocabularyNotScheduled, Severity::Error,
        "/strategy/vocabulary_placement", 8, 1,
        "The schedule interleaved cannot run the passes of a vocabulary divided over all stages (vocab-2): use "
        "1F1B, or leave the "
        "vocabulary at the ends.",
        [](Plan& p) { p.strategy.vocabularyPlacement = VocabularyPlacement::Vocab2; }},
    {"SP without TP", ProblemCode::SequenceParallelNeedsTp, Severity::Warning, "/strategy/sequence_parallel", 1, 2,
        "Sequence parallelism has no effect with TP 1.",
        [](Plan& p) {
            p.strategy.tp = 1;
            p.strategy.dp = 128;
            p.training.globalBatch = 1024;
        }},
    {"TP leaves the node", ProblemCode::TensorParallelLeavesNode, Severity::Warning, "/strategy/tp", 16, 8,
        "TP 16 leaves the scale-up domain of 8 accelerators: its collectives run over the network.",
        [](Plan& p) {
            p.strategy.tp = 16;
            p.strategy.dp = 8;
        }},
    {"no such precision", ProblemCode::PrecisionUnsupported, Severity::Error, "/training/precision", 0, 0,
        "A100 SXM 80 GB has no matrix rate for fp8: choose another precision.",
        [](Plan& p) { p.training.precision = Precision::Fp8; }, false},
    {"software of others", ProblemCode::SoftwareUnsupported, Severity::Error, "/training/software", 0, 0,
        "MindSpeed does not run on A100 SXM 80 GB: choose another software profile.",
        [](Plan& p) {
            p.cluster.nodes[0].accelerator.vendor = "NVIDIA";
            p.training.software.name = "MindSpeed";
            p.training.software.vendors = {"Huawei"};
        },
        false},
    {"split of layers", ProblemCode::StageLayersMismatch, Severity::Error, "/strategy/stage_layers", 95, 96,
        "The split of layers adds up to 95, but the model has 96.",
        [](Plan& p) {
            p.strategy.stageLayers = {12, 12, 12, 12, 12, 12, 12, 11};
        }},
    {"split of stages", ProblemCode::StageLayersMismatch, Severity::Error, "/strategy/stage_layers", 2, 8,
        "The split of layers is for 2 stages, but PP is 8.",
        [](Plan& p) {
            p.strategy.stageLayers = {48, 48};
        }},
    {"recomputed layers of other stages", ProblemCode::StageListMismatch, Severity::Error,
        "/strategy/recomputed_layers", 2, 8,
        "/strategy/recomputed_layers is for 2 stages, but PP is 8: give one value per stage, or none.",
        [](Plan& p) {
            p.strategy.recomputedLayers = {1, 1};
        }},
    {"more recomputed layers than layers", ProblemCode::RecomputedLayersMismatch, Severity::Error,
        "/strategy/recomputed_layers", 13, 12, "Stage 1 recomputes 13 layers in full, but has 12: use 0 to 12.",
        [](Plan& p) {
            p.strategy.recomputedLayers = {12, 13, 0, 0, 0, 0, 0, 0};
        }},
    {"stages of unlike TP and a tied table", ProblemCode::UnlikeStagesUnsupported, Severity::Error,
        "/strategy/stage_tp", 8, 4,
        "The first stage has TP 8, the last one TP 4: both hold the tied embedding, and need the same.",
        [](Plan& p) {
            p.model.tiedEmbeddings = true;
            p.strategy.microBatch = 2;
            p.strategy.stageTp = {8, 8, 8, 8, 8, 8, 8, 4};
        }},
    {"ZeRO with a pipeline", ProblemCode::ZeroWithPipeline, Severity::Warning, "/strategy/zero_stage", 3, 1,
        "With a pipeline this stack keeps gradients and gathered weights whole until the last micro-batch: ZeRO-3 "
        "takes the time and memory of ZeRO-1.",
        [](Plan& p) { p.strategy.zeroStage = 3; }},
    {"ZeRO with a pipeline, shared out anew", ProblemCode::ZeroWithPipeline, Severity::Warning, "/strategy/zero_stage",
        3, 1, "ZeRO-3 with a pipeline communicates once per micro-batch: ZeRO-1 does so once per step.",
        [](Plan& p) {
            p.strategy.zeroStage = 3;
            p.training.software.shardsEachMicroBatch = true;
        }},
    {"empty cluster", ProblemCode::EmptyCluster, Severity::Error, "/cluster/nodes", 0, 0,
        "The cluster has no accelerators: add at least one node.", [](Plan& p) { p.cluster.nodes.clear(); }, false},
    {"unlinked switch", ProblemCode::Disconnected, Severity::Warning, "/cluster/switches/0", 0, 0,
        "No cable ends at “Leaf”: it carries nothing.",
        [](Plan& p) {
            p.cluster.switches = {
                {"leaf", "Leaf", SwitchTier::Leaf, 40, 4}, {"spine", "Spine", SwitchTier::Spine, 128, 1}};
            p.cluster.connections = {{"nodes", "spine", p.cluster.nodes.front().nic, 128}};
        },
        false},
    {"leaves apart", ProblemCode::Disconnected, Severity::Error, "/cluster/switches/0", 1, 2,
        "1 cable upwards cannot join the switches of “Leaf” to one another: draw at least 2, use one "
        "switch, or state blocks of rails.",
        [](Plan& p) {
            p.cluster.switches = {
                {"leaf", "Leaf", SwitchTier::Leaf, 128, 2}, {"spine", "Spine", SwitchTier::Spine, 128, 1}};
            const Link nic = p.cluster.nodes.front().nic;
            p.cluster.connections = {{"nodes", "leaf", nic, 128}, {"leaf", "spine", nic, 1}};
        },
        false},
    {"switches of one tier", ProblemCode::Disconnected, Severity::Error, "/cluster/connections/1", 0, 0,
        "Cables between “a” and “b” cannot be priced: remove them, and link nodes to switches, and switches to a tier "
        "above.",
        [](Plan& p) {
            p.cluster.switches = {{"a", "A", SwitchTier::Leaf, 200, 1}, {"b", "B", SwitchTier::Leaf, 40, 1}};
            const Link nic = p.cluster.nodes.front().nic;
            p.cluster.connections = {{"nodes", "a", nic, 128}, {"a", "b", nic, 1}};
        },
        false},
    {"ZeRO stage", ProblemCode::OutOfRange, Severity::Error, "/strategy/zero_stage", 4, 3,
        "/strategy/zero_stage is 4: use at most 3, and no less than zero.", [](Plan& p) { p.strategy.zeroStage = 4; }},
    {"top-k", ProblemCode::OutOfRange, Severity::Error, "/model/moe/top_k", 65, 64,
        "/model/moe/top_k is 65: use at most 64, and no less than zero.", [](Plan& p) { p.model.moe->topK = 65; },
        false, true},
    {"KV heads", ProblemCode::OutOfRange, Severity::Error, "/model/kv_heads", 192, 96,
        "/model/kv_heads is 192: use at most 96, and no less than zero.", [](Plan& p) { p.model.kvHeads = 192; },
        false},
    {"parameters", ProblemCode::OutOfRange, Severity::Error, "/model", 96 * 12e14 + 96 * 4e6 * 12288 + 2 * 51200e6,
        1e15, "/model is 115 P: use at most 1,000,000,000,000,000, and no less than zero.",
        [](Plan& p) {
            p.model.hidden = 1'000'000;
            p.model.ffnHidden = 600'000'000;
        },
        false},
    {"long sequence", ProblemCode::SequenceTooLong, Severity::Error, "/training/sequence_length", 4096, 2048,
        "A sequence of 4,096 tokens is longer than the model's 2,048 learned positions.",
        [](Plan& p) {
            p.model.position = Position::Learned;
            p.training.sequenceLength = 4096;
        },
        false},
    {"sustained share", ProblemCode::NotPositive, Severity::Error, "/cluster/nodes/0/accelerator/matmul_sustained", 0,
        0, "/cluster/nodes/0/accelerator/matmul_sustained is 0: it must be greater than zero.",
        [](Plan& p) { p.cluster.nodes[0].accelerator.matmulSustained = 0; }, false},
    {"NIC share", ProblemCode::NotPositive, Severity::Error, "/cluster/nodes/0/nic/sustained", 0, 0,
        "/cluster/nodes/0/nic/sustained is 0: it must be greater than zero.",
        [](Plan& p) { p.cluster.nodes[0].nic.sustained = 0; }, false},
    {"profile constant", ProblemCode::NotPositive, Severity::Error, "/training/software/memory_factor", 0, 0,
        "/training/software/memory_factor is 0: it must be greater than zero.",
        [](Plan& p) { p.training.software.memoryFactor = 0; }, false},
    {"profile range", ProblemCode::OutOfRange, Severity::Error, "/training/software/range_low", 3, 1.35,
        "/training/software/range_low is 3: use at most 1.35, and no less than zero.",
        [](Plan& p) { p.training.software.rangeLow = 3; }, false},
    {"same id", ProblemCode::DuplicateElement, Severity::Error, "/cluster/switches/0/id", 0, 0,
        "Two elements of the cluster are called “nodes”: give each an id of its own.",
        [](Plan& p) { p.cluster.switches.emplace_back().id = "nodes"; }, false},
    {"loose cable", ProblemCode::UnknownElement, Severity::Error, "/cluster/connections/0/to", 0, 0,
        "A connection ends at “spine”, which is no element of the cluster: name a node or switch group.",
        [](Plan& p) { stratoplan::fixtures::link(p, "nodes", "spine", 1); }, false},
    {"blocks", ProblemCode::BlocksNotDivisible, Severity::Error, "/cluster/switches/0/blocks", 8, 3,
        "8 switches of “leaf” do not make 3 blocks of equal size: use a divisor.",
        [](Plan& p) {
            const Link nic = p.cluster.nodes.front().nic;
            p.cluster.switches = {{"leaf", "", SwitchTier::Leaf, 400, 8, 3}, {"top", "", SwitchTier::Spine, 2048, 1}};
            p.cluster.connections = {{"nodes", "leaf", nic, 1024}, {"leaf", "top", nic, 1024}};
        },
        false},
    {"ports", ProblemCode::PortsExceeded, Severity::Error, "/cluster/switches/0/ports", 200, 160,
        "200 cables end at the 160 ports of “Leaf”: use more switches or fewer cables.",
        [](Plan& p) {
            p.cluster.switches = {{"leaf", "Leaf", SwitchTier::Leaf, 160, 1}};
            p.cluster.connections = {{"nodes", "leaf", p.cluster.nodes.front().nic, 200}};
        },
        false},
    {"ZeRO group", ProblemCode::ShardsNotDivisible, Severity::Error, "/strategy/zero_shards", 16, 6,
        "16 replicas cannot be divided into ZeRO groups of 6: use 1, 2, 4, 8 or 16.",
        [](Plan& p) {
            p.strategy.zeroStage = 1;
            p.strategy.zeroShards = 6;
        }},
    {"selective with flash", ProblemCode::RecomputeSavesNothing, Severity::Warning, "/strategy/recompute", 0, 0,
        "Selective recomputation repeats the attention core, of which flash attention keeps nothing: it costs time "
        "and saves no memory.",
        [](Plan& p) { p.training.attention = AttentionKernel::Flash; }},
    {"sparse without latent", ProblemCode::SparseAttentionUnsupported, Severity::Error, "/model/dsa", 0, 0,
        "Sparse attention picks keys for latent attention (mla), which this model does not have: state it, or no dsa.",
        [](Plan& p) {
            p.model.dsa = SparseAttention{};
            p.training.attention = AttentionKernel::Flash;
        },
        false},
    {"sparse with window", ProblemCode::SparseAttentionUnsupported, Severity::Error, "/model/sliding_window", 0, 0,
        "Sparse attention picks its keys from the whole sequence: it does not go with a sliding window.",
        [](Plan& p) {
            makeSparse(p);
            p.model.slidingWindow = 128;
        },
        false},
    {"sparse unfused", ProblemCode::SparseAttentionUnsupported, Severity::Error, "/training/attention", 0, 0,
        "Sparse attention without a fused kernel is not modelled: use flash attention.",
        [](Plan& p) {
            makeSparse(p);
            p.training.attention = AttentionKernel::Unfused;
        },
        false},
    {"sparse by rings", ProblemCode::SparseAttentionUnsupported, Severity::Error, "/strategy/context_method", 0, 0,
        "Sparse attention picks its keys from the whole sequence, which context parallelism has to gather: use the "
        "context method \"all-gather\".",
        [](Plan& p) {
            makeSparse(p);
            p.strategy.cp = 2;
            p.strategy.dp = 8;
        }},
    {"FP8 attention in 16 bits", ProblemCode::NarrowAttention, Severity::Warning, "/training/attention", 0, 0,
        "Attention in FP8 needs the precision fp8, mxfp8 or nvfp4: here it is priced as flash attention.",
        [](Plan& p) { p.training.attention = AttentionKernel::FlashFp8; }, false},
    {"Mamba-2 groups", ProblemCode::MambaNotDivisible, Severity::Error, "/strategy/tp", 4, 8,
        "4 groups of a Mamba-2 mixer cannot be divided over TP 8: use 1, 2 or 4.",
        [](Plan& p) { p.model.mamba2 = Mamba2{.layers = 24, .ffnLayers = {}, .heads = 64, .groups = 4}; }},
    {"Mamba-2 heads", ProblemCode::MambaNotDivisible, Severity::Error, "/strategy/cp", 24, 16,
        "24 heads of a Mamba-2 mixer cannot be divided over TP times CP, 16: use 4, 6, 8, 12 or 24.",
        [](Plan& p) {
            p.model.mamba2 = Mamba2{.layers = 24, .ffnLayers = {}, .heads = 24, .groups = 8};
            p.strategy.cp = 2;
            p.strategy.dp = 8;
        }},
    {"Mamba-2 heads of groups", ProblemCode::MambaNotDivisible, Severity::Error, "/model/mamba2/groups", 20, 8,
        "20 heads of a Mamba-2 mixer cannot be divided into 8 groups: use 1, 2, 4, 5, 10 or 20.",
        [](Plan& p) { p.model.mamba2 = Mamba2{.layers = 24, .ffnLayers = {}, .heads = 20, .groups = 8}; }, false},
    {"Mamba-2 groups of context ranks", ProblemCode::MambaNotDivisible, Severity::Error, "/strategy/cp", 3, 2,
        "3 groups of a Mamba-2 mixer on each rank can neither be divided nor repeated over CP 2: use 1 or 3, or a "
        "multiple.",
        [](Plan& p) {
            p.model.mamba2 = Mamba2{.layers = 24, .ffnLayers = {}, .heads = 48, .groups = 24};
            p.strategy.cp = 2;
            p.strategy.dp = 8;
        }},
    {"Mamba-2 layers", ProblemCode::OutOfRange, Severity::Error, "/model/mamba2/layers", 60, 48,
        "/model/mamba2/layers is 60: use at most 48, and no less than zero.",
        [](Plan& p) { p.model.mamba2 = Mamba2{.layers = 60, .ffnLayers = 48, .heads = 64, .groups = 8}; }, false},
    {"Mamba-2 and prediction modules", ProblemCode::OutOfRange, Severity::Error, "/model/multi_token_prediction_depth",
        1, 0, "/model/multi_token_prediction_depth is 1: use at most 0, and no less than zero.",
        [](Plan& p) {
            p.model.mamba2 = Mamba2{.layers = 24, .ffnLayers = {}, .heads = 64, .groups = 8};
            p.model.multiTokenPredictionDepth = 1;
        },
        false},
    {"no keys", ProblemCode::NotPositive, Severity::Error, "/model/dsa/top_k", 0, 0,
        "/model/dsa/top_k is 0: it must be greater than zero.",
        [](Plan& p) {
            makeSparse(p);
            p.model.dsa->topK = 0;
        },
        false},
    {"rank order", ProblemCode::RankOrderIncomplete, Severity::Error, "/strategy/rank_order", 4, 5,
        "The rank order names 4 different axes: name each of tp, cp, ep, dp and pp once.",
        [](Plan& p) {
            p.strategy.rankOrder = {Axis::Tp, Axis::Cp, Axis::Dp, Axis::Dp, Axis::Pp};
        }},
};

/// A plan near the good one, with up to four fields of the strategy set to anything.
Plan anyPlan()
{
    Plan p = *rc::gen::arbitrary<bool>() ? moe() : gpt3();
    const auto any = [] { return *rc::gen::element(1, 2, 3, 4, 5, 6, 8, 12, 16, 24, 64, 0, -1); };
    for (int i = *rc::gen::inRange(0, 5); i > 0; --i) {
        Strategy& s = p.strategy;
        int* const fields[] = {&s.tp, &s.pp, &s.dp, &s.cp, &s.ep, &s.vpp, &s.microBatch, &s.etp, &s.zeroStage};
        *fields[*rc::gen::inRange(0, 9)] = any();
    }
    p.strategy.sequenceParallel = *rc::gen::arbitrary<bool>();
    p.training.globalBatch = *rc::gen::element(1536, 192, 100, 1);
    return p;
}

} // namespace

class TestPlan : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aGoodPlanHasNoProblems()
    {
        QCOMPARE(check(gpt3()), std::vector<Problem>{});
        QCOMPARE(check(moe()), std::vector<Problem>{});
    }

    void microBatchesDivide()
    {
        Plan p = gpt3();
        QCOMPARE(microBatches(p), 96);
        p.strategy.microBatch = 5;
        QCOMPARE(microBatches(p), 0);
        p.strategy.microBatch = 0;
        QCOMPARE(microBatches(p), 0);
        p.strategy.microBatch = p.strategy.dp = 1 << 30;
        QCOMPARE(microBatches(p), 0);
    }

    void rules_data()
    {
        QTest::addColumn<int>("index");
        for (std::size_t i = 0; i < kCases.size(); ++i)
            QTest::newRow(kCases[i].name) << static_cast<int>(i);
    }
    void rules()
    {
        QFETCH(const int, index);
        const Case& c = kCases[static_cast<std::size_t>(index)];
        const std::vector<Problem> problems = check(broken(c));
        const Problem* problem = find(problems, c.code);
        QVERIFY(problem != nullptr);
        QCOMPARE(problem->severity, c.severity);
        QCOMPARE(problem->where, c.where);
        QCOMPARE(problem->found, c.found);
        QCOMPARE(problem->limit, c.limit);
        QCOMPARE(QString::fromStdString(describe(*problem)), QString(c.sentence));
        // Nothing else is wrong with an error, so that the sentence a person reads is the cause.
        const auto errors = std::count_if(
            problems.begin(), problems.end(), [](const Problem& p) { return p.severity == Severity::Error; });
        QCOMPARE(errors, c.severity == Severity::Error ? 1 : 0);
        QCOMPARE(hasErrors(problems), c.severity == Severity::Error);
    }

    void remediesMend_data() { rules_data(); }
    void remediesMend()
    {
        QFETCH(const int, index);
        const Case& c = kCases[static_cast<std::size_t>(index)];
        const Plan plan = broken(c);
        const std::vector<Problem> problems = check(plan);
        const Problem* problem = find(problems, c.code);
        QVERIFY(problem != nullptr);
        QCOMPARE(!problem->remedies.empty(), c.mendable);
        for (const Remedy& remedy : problem->remedies) {
            QVERIFY(!describe(remedy).empty());
            QVERIFY2(!has(mended(plan, remedy), c.code), describe(remedy).c_str());
            QVERIFY2(!hasErrors(check(mended(plan, remedy))), describe(remedy).c_str());
        }
    }

    // In one piece: a list of broken plans, and the first remedy of each.
    void remediesPutTheMostSensibleFirst()
    {
        const auto first = [](ProblemCode code, const std::function<void(Plan&)>& change) {
            Plan p = gpt3();
            change(p);
            const std::vector<Problem> problems = check(p);
            const Problem* problem = find(problems, code);
            return problem != nullptr && !problem->remedies.empty()
                ? QString::fromStdString(describe(problem->remedies.front()))
                : QString();
        };
        QCOMPARE(first(ProblemCode::HeadsNotDivisible, [](Plan& p) { p.strategy.tp = 7; }), QString("Use TP 8"));
        QCOMPARE(first(ProblemCode::RanksExceedCluster, [](Plan& p) { p.strategy.dp = 32; }), QString("Use DP 16"));
        QCOMPARE(first(ProblemCode::RanksLeaveIdle, [](Plan& p) { p.strategy.dp = 8; }), QString("Use DP 16"));
        QCOMPARE(first(ProblemCode::BatchNotDivisible, [](Plan& p) { p.strategy.microBatch = 5; }),
            QString("Use micro-batch 4"));
        // What no division near the present one serves is mended by the batch, not by leaving the cluster idle.
        Plan prime = gpt3();
        prime.training.globalBatch = 1511;
        for (const Problem& problem : check(prime)) {
            for (const Remedy& remedy : problem.remedies)
                QVERIFY2(remedy.strategy.dp * 2 >= prime.strategy.dp, describe(remedy).c_str());
        }
        const auto batchOf1512 = [](Plan& p) {
            p.training.globalBatch = 1512;
            p.strategy.vpp = 1;
            p.strategy.schedule = Schedule::OneFOneB;
        };
        QCOMPARE(first(ProblemCode::BatchNotDivisible, batchOf1512), QString("Use a batch of 1,504"));
        QCOMPARE(first(ProblemCode::ScheduleWithoutChunks, [](Plan& p) { p.strategy.schedule = Schedule::GPipe; }),
            QString("Use the interleaved schedule"));
        QCOMPARE(first(ProblemCode::VocabularyNotScheduled,
                     [](Plan& p) { p.strategy.vocabularyPlacement = VocabularyPlacement::Vocab1; }),
            QString("Use the 1F1B schedule"));
        QCOMPARE(first(ProblemCode::TensorParallelLeavesNode,
                     [](Plan& p) {
                         p.strategy.tp = 16;
                         p.strategy.dp = 8;
                     }),
            QString("Use TP 8, DP 16"));
    }

    void whereADividedVocabularyRuns()
    {
        const auto runs = [](VocabularyPlacement placement, Schedule schedule, int pp) {
            Plan p = gpt3();
            p.strategy.vpp = 1;
            p.strategy.dp *= p.strategy.pp / pp;
            p.strategy.pp = pp;
            p.strategy.schedule = schedule;
            p.strategy.vocabularyPlacement = placement;
            return find(check(p, {.remedies = false}), ProblemCode::VocabularyNotScheduled) == nullptr;
        };
        using enum VocabularyPlacement;
        for (const VocabularyPlacement placement : {Ends, Vocab1, Vocab2, Interlaced})
            QVERIFY(runs(placement, Schedule::OneFOneB, 8) && runs(placement, Schedule::GPipe, 1));
        for (const Schedule schedule :
            {Schedule::EagerOneFOneB, Schedule::ZbH1, Schedule::ZbH2, Schedule::ZbV, Schedule::VHalf, Schedule::VMin})
            QVERIFY(runs(Vocab1, schedule, 8) && runs(Vocab2, schedule, 8) && !runs(Interlaced, schedule, 8));
        for (const Schedule schedule :
            {Schedule::GPipe, Schedule::Interleaved, Schedule::BreadthFirst, Schedule::DualPipe, Schedule::DualPipeV})
            QVERIFY(runs(Ends, schedule, 8) && !runs(Vocab1, schedule, 8) && !runs(Interlaced, schedule, 8));
    }

    void checkHoldsForAnyStrategy()
    {
        QVERIFY(rc::check(
            "errors come first, every problem has a sentence, every remedy removes its problem and brings no error",
            [] {
                const Plan plan = anyPlan();
                const std::vector<Problem> problems = check(plan);
                RC_ASSERT(std::is_sorted(problems.begin(), problems.end(),
                    [](const Problem& a, const Problem& b) { return a.severity < b.severity; }));
                for (const Problem& problem : problems) {
                    RC_ASSERT(!describe(problem).empty());
                    RC_ASSERT(!key(problem.code).empty());
                    RC_ASSERT(problem.where.starts_with("/"));
                    RC_ASSERT(problem.remedies.size() <= 3U);
                    for (const Remedy& remedy : problem.remedies) {
                        const std::vector<Problem> left = check(mended(plan, remedy), {.remedies = false});
                        const bool isOfSizes =
                            problem.code == ProblemCode::NotPositive || problem.code == ProblemCode::OutOfRange;
                        RC_ASSERT(isOfSizes || std::ranges::none_of(left, [&](const Problem& l) {
                            return l.severity == Severity::Error && !find(problems, l.code);
                        }));
                        const bool isIdle = problem.code == ProblemCode::RanksLeaveIdle; // fewer idle is an edit, too
                        RC_ASSERT(std::ranges::none_of(left, [&](const Problem& p) {
                            return p.code == problem.code && p.where == problem.where
                                && !(isIdle && p.found > problem.found);
                        }));
                    }
                }
            }));
    }

    void withoutRemediesTheProblemsAreTheSame()
    {
        Plan p = gpt3();
        p.strategy.tp = 7;
        std::vector<Problem> full = check(p);
        for (Problem& problem : full)
            problem.remedies.clear();
        QCOMPARE(check(p, {.remedies = false}), full);
    }

    void codesHaveDifferentKeys()
    {
        std::set<std::string_view> keys;
        constexpr int last = static_cast<int>(ProblemCode::VocabularyNotScheduled);
        for (int i = 0; i <= last; ++i)
            keys.insert(key(static_cast<ProblemCode>(i)));
        QCOMPARE(keys.size(), std::size_t{last + 1});
        QVERIFY(!keys.contains(""));
        QCOMPARE(key(ProblemCode::NotEstimable), "not_estimable");
        QCOMPARE(key(Severity::Warning), "warning");
    }

    void sentencesAboutMemory()
    {
        Problem p;
        p.code = ProblemCode::OutOfMemory;
        p.found = 91.3 * kGiB;
        p.limit = 80 * kGiB;
        p.stage = 0;
        QCOMPARE(describe(p), "Stage 0 needs 91.3 GiB per accelerator of 80.0 GiB: 11.3 GiB too much.");
        p.code = ProblemCode::MemoryPressure;
        p.found = 76 * kGiB;
        QCOMPARE(describe(p),
            "Stage 0 needs 76.0 GiB per accelerator of 80.0 GiB: little is left for fragmentation and peaks.");
    }

    void groupedQueriesMayBeRepeated()
    {
        Plan p = gpt3();
        p.model.heads = 128;
        p.model.kvHeads = 8;
        p.strategy.tp = 16;
        p.strategy.dp = 8;
        QVERIFY(!has(p, ProblemCode::KvHeadsNotDivisible));
        p.model.kvHeads = 2;
        QVERIFY(!has(p, ProblemCode::KvHeadsNotDivisible));
        p.model.kvHeads = 12;
        QVERIFY(has(p, ProblemCode::KvHeadsNotDivisible));
    }

    void latentAttentionHasNoKvHeads()
    {
        Plan p = gpt3();
        p.model.mla = LatentAttention{};
        p.model.kvHeads = p.model.headDim = 0;
        QVERIFY(!hasErrors(check(p)));
    }

    void sparseAttentionGoesWithGatheredKeys()
    {
        Plan p = gpt3();
        makeSparse(p);
        QVERIFY(!has(p, ProblemCode::SparseAttentionUnsupported));
        // Its indexer keeps what selective recomputation frees.
        p.training.software.selectiveRecompute = SelectiveRecompute::AttentionCore;
        QVERIFY(!has(p, ProblemCode::RecomputeSavesNothing));
        p.strategy.cp = 2;
        p.strategy.dp = 8;
        p.strategy.contextMethod = ContextMethod::Ulysses;
        QVERIFY(has(p, ProblemCode::SparseAttentionUnsupported));
        p.strategy.contextMethod = ContextMethod::AllGather;
        QVERIFY(!hasErrors(check(p)));
    }

    void embeddingAndOutputMayStandAlone()
    {
        Plan p = gpt3();
        p.model.layers = 126;
        p.strategy.pp = 16;
        p.strategy.dp = 8;
        p.strategy.vpp = 8;
        const std::vector<Problem> problems = check(p);
        QVERIFY(!hasErrors(problems));
        QVERIFY(find(problems, ProblemCode::LayersNotDivisible) != nullptr);
    }

    void aDrawnFabricWithoutGapsIsFine()
    {
        Plan p = gpt3();
        p.cluster.switches = {
            {"leaf", "Leaf", SwitchTier::Leaf, 40, 32}, {"spine", "Spine", SwitchTier::Spine, 40, 20}};
        const Link nic = p.cluster.nodes.front().nic;
        p.cluster.connections = {{"nodes", "leaf", nic, 1024}, {"spine", "leaf", nic, 640}};
        QVERIFY(!has(p, ProblemCode::Disconnected));
        p.cluster.connections.pop_back();
        QVERIFY(has(p, ProblemCode::Disconnected));
    }

    void slidersOfferLegalAndReachableValues()
    {
        using Values = std::vector<int>;
        const Plan p = gpt3();
        QCOMPARE(offeredValues(p, Dimension::Tp), (Values{1, 2, 4, 8, 16, 32, 64}));
        QCOMPARE(offeredValues(p, Dimension::Pp), (Values{1, 2, 4, 8, 16, 32, 64}));
        QCOMPARE(offeredValues(p, Dimension::Vpp), (Values{1, 2, 3, 4, 6, 12}));
        QCOMPARE(offeredValues(p, Dimension::Ep), (Values{1}));
        QCOMPARE(offeredValues(p, Dimension::ZeroStage), (Values{0, 1, 2, 3}));
        QCOMPARE(offeredValues(p, Dimension::MicroBatch), (Values{1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64}));
        QCOMPARE(offeredValues(moe(), Dimension::Ep), (Values{1, 2, 4, 8, 16, 32, 64}));
        Plan experts = moe();
        experts.strategy.tp = 8;
        experts.model.moe->expertFfn = 1028;
        QCOMPARE(offeredValues(experts, Dimension::Etp), (Values{1, 2, 4}));
        Strategy shared;
        shared.dp = 6;
        shared.cp = 2;
        QCOMPARE(shardValues(shared), (Values{1, 2, 3, 4, 6, 12}));
        QCOMPARE(offeredValues(p, Dimension::Dp).front(), 1);
        QCOMPARE(offeredValues(p, Dimension::Dp).back(), 1024);
        Plan odd = p;
        odd.cluster.nodes[0].count = 24; // 192 accelerators
        odd.strategy.tp = 5;
        QCOMPARE(offeredValues(odd, Dimension::Tp), (Values{1, 2, 3, 4, 5, 6, 8, 12, 16, 24, 32, 48, 64, 96}));
    }

    void slidersHoldForAnyPlan()
    {
        QVERIFY(rc::check("rising, with the current value, and set values read back", [] {
            const Plan plan = anyPlan();
            for (const Dimension field : kDraggedDimensions) {
                const std::vector<int> values = offeredValues(plan, field);
                RC_ASSERT(std::is_sorted(values.begin(), values.end()));
                RC_ASSERT(std::adjacent_find(values.begin(), values.end()) == values.end());
                RC_ASSERT(std::binary_search(values.begin(), values.end(), number(field, plan.strategy)));
                const int v = *rc::gen::inRange(1, 4);
                RC_ASSERT(number(field, withValue(plan, field, v)) == v);
            }
        }));
    }

    void aDegreeGivesTheRestToData()
    {
        const Plan p = gpt3();
        QCOMPARE(withValue(p, Dimension::Tp, 4).dp, 32);
        QCOMPARE(withValue(p, Dimension::Pp, 16).dp, 8);
        QCOMPARE(withValue(p, Dimension::Cp, 2).dp, 8);
        QCOMPARE(withValue(p, Dimension::Tp, 3).dp, 42); // 1,008 of 1,024
        QCOMPARE(withValue(p, Dimension::Pp, 1024).dp, 1);
        const Strategy dp = withValue(p, Dimension::Dp, 4);
        QCOMPARE(dp.tp * dp.pp, 64);
        Plan split = p;
        split.strategy.stageLayers = {11, 12, 12, 12, 12, 12, 12, 13};
        QVERIFY(withValue(split, Dimension::Pp, 4).stageLayers.empty());
        QVERIFY(!withValue(split, Dimension::Tp, 4).stageLayers.empty());
        split.strategy.recomputedLayers.assign(8, 3);
        split.strategy.stageTp.assign(8, 8);
        QVERIFY(withValue(split, Dimension::Pp, 4).recomputedLayers.empty());
        QVERIFY(withValue(split, Dimension::Tp, 4).stageTp.empty());
    }

    void virtualStagesBringTheirSchedule()
    {
        Plan p = gpt3();
        QCOMPARE(withValue(p, Dimension::Vpp, 1).schedule, Schedule::OneFOneB);
        p.strategy.schedule = Schedule::OneFOneB;
        p.strategy.vpp = 1;
        QCOMPARE(withValue(p, Dimension::Vpp, 2).schedule, Schedule::Interleaved);
        p.strategy.schedule = Schedule::ZbV;
        QCOMPARE(withValue(p, Dimension::Vpp, 2).schedule, Schedule::ZbV);
    }
};

STRATOPLAN_TEST(TestPlan)
#include "test_plan.moc"
