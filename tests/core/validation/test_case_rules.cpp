// SPDX-License-Identifier: GPL-3.0-or-later
// What the rules make of a row's words and gaps.
#include "core/validation/case_plan.h"
#include "core/validation/case_words.h"
#include "core/validation/validation.h"
#include "tests/registry.h"

#include <QTest>

#include <nlohmann/json.hpp>

#include <algorithm>

using namespace stratoplan::catalog;
using namespace stratoplan::cluster;
using namespace stratoplan::model;
using namespace stratoplan::parallel;
using namespace stratoplan::plan;
using namespace stratoplan::validation;
using Json = nlohmann::json;

namespace {

const Json& row()
{
    static const Json base =
        Json::parse(R"({"id":"a/1","group":"a","software":{"framework":"Megatron-LM","version":"2021"},
 "model":{"name":"GPT","kind":"dense","layers":24,"hidden":2048,"heads":16,"vocab":51200,"seq_len":2048,
 "gated_mlp":false},
 "hardware":{"accelerator":"A100 SXM","memory_gib":80,"gpus_per_node":8,"total_gpus":64},
 "parallel":{"tp":2,"pp":4,"dp":8,"cp":1,"ep":1,"vpp":1,"sequence_parallel":false,"zero_stage":0},
 "training":{"precision":"fp16","micro_batch":2,"global_batch":128,"recompute":"full","flash_attention":false},
 "measured":{"step_s":2.5,"peak_mem_gib":null}})");
    return base;
}

struct Read {
    Plan plan;
    std::vector<std::string> filled;
    std::string refused;

    [[nodiscard]] bool lists(std::string_view note) const { return std::ranges::find(filled, note) != filled.end(); }
};

/// The row with a merge patch over it.
Read read(const char* patch)
{
    Json one = row();
    one.merge_patch(Json::parse(patch));
    const auto set = readCases(Json::array({one}).dump(), shippedCatalog());
    if (!set || set->cases.empty())
        return {{}, {}, set && !set->skipped.empty() ? set->skipped[0].reason : "not read"};
    return {set->cases[0].plan, set->cases[0].filled, {}};
}

} // namespace

class TestCaseRules : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // In one piece: a list of words of sources, and what each is taken for.
    void wordsOfTheSourceAreUnderstood()
    {
        const auto schedule = [](const char* words) {
            return read(Json{{"parallel", {{"schedule", words}}}}.dump().c_str()).plan.strategy;
        };
        QCOMPARE(schedule("zb-h1").schedule, Schedule::ZbH1);
        QCOMPARE(schedule("ZB-H2").schedule, Schedule::ZbH2);
        QCOMPARE(schedule("zero bubble").schedule, Schedule::ZbH1);
        for (const auto& [words, perStage] : {std::pair{"ZB-1p", 1}, {"ZB-2p", 2}}) {
            const Strategy s = schedule(words);
            QCOMPARE(s.schedule, Schedule::ZbAuto);
            QCOMPARE(s.inFlightLimit, perStage * s.pp);
        }
        QCOMPARE(schedule("interleaved 1F1B").schedule, Schedule::OneFOneB); // one chunk per stage
        QCOMPARE(schedule("non-interleaved 1F1B").vpp, 1);
        QCOMPARE(schedule("GPipe").schedule, Schedule::GPipe);
        const auto precision = [](const char* words) {
            return read(Json{{"training", {{"precision", words}}}}.dump().c_str()).plan.training.precision;
        };
        QCOMPARE(precision("bf16 + float8 linear"), Precision::Fp8);
        QCOMPARE(precision("bf16 (fp32 grad accumulation)"), Precision::Bf16);
        QCOMPARE(precision("bfloat16"), Precision::Bf16);
        QCOMPARE(precision("TF32"), Precision::Tf32);
        const auto recompute = [](const Json& words) {
            return read(Json{{"training", {{"recompute", words}}}}.dump().c_str()).plan.strategy.recompute;
        };
        for (const char* full : {"full", "uniform", "block", "full activation checkpointing"})
            QCOMPARE(recompute(full), Recompute::Full);
        QCOMPARE(recompute(true), Recompute::Full);
        for (const char* none : {"none", "no activation recomputation", "off"})
            QCOMPARE(recompute(none), Recompute::None);
        QCOMPARE(recompute("activation checkpointing"), Recompute::Full);
        for (const char* selective : {"selective (layer)", "core_attn", "moe_act", "layernorm"})
            QCOMPARE(recompute(selective), Recompute::Selective);
        QCOMPARE(recompute(false), Recompute::None);
        const auto kernel = [](const Json& words) {
            return read(Json{{"training", {{"flash_attention", words}}}}.dump().c_str()).plan.training.attention;
        };
        QCOMPARE(kernel("v1"), AttentionKernel::Flash1);
        QCOMPARE(kernel("FA2"), AttentionKernel::Flash2);
        QCOMPARE(kernel("FlashAttention-3"), AttentionKernel::Flash3);
        QCOMPARE(kernel("cuDNN 9 fused"), AttentionKernel::Flash);
        QCOMPARE(kernel("sdpa (torch 2.1)"), AttentionKernel::Flash);
        QCOMPARE(kernel("TE 1.13 fused"), AttentionKernel::Flash);
        QCOMPARE(kernel("flash_attn 2.5"), AttentionKernel::Flash2);
        for (const char* unfused : {"none", "unfused", "fused softmax", "vanilla"})
            QCOMPARE(kernel(unfused), AttentionKernel::Unfused);
    }

    void attentionInFp8IsTakenWhereItIsStated()
    {
        const auto kernel = [](const char* accelerator, const char* precision) {
            const Json words{{"hardware", {{"accelerator", accelerator}}},
                {"training", {{"precision", precision}, {"flash_attention", true}}}};
            return read(words.dump().c_str()).plan.training.attention;
        };
        QCOMPARE(kernel("B200 SXM", "nvfp4 (linear layers; attention in fp8)"), AttentionKernel::FlashFp8);
        QCOMPARE(kernel("B200 SXM", "nvfp4"), AttentionKernel::Flash);
        QCOMPARE(kernel("MI355X", "fp8 (attention in fp8)"), AttentionKernel::Flash); // how fast is not known
    }

    /// Megatron-Bridge's recipes divide the optimizer over the replicas; biases of GPT-OSS are in no field.
    void whatARecipeAlwaysDoesIsTaken()
    {
        const Read one = read(
            R"({"software":{"framework":"Megatron-Bridge","version":"26.04"},"parallel":{"zero_stage":null},
            "model":{"name":"GPT-OSS 120B"}})");
        QCOMPARE(one.plan.strategy.zeroStage, 1);
        QVERIFY(one.plan.model.linearBias);
        QVERIFY(one.lists("parallel.zero_stage=1"));
    }

    void shardingIsReadFromTheWrapper()
    {
        const auto stage = [](const char* fsdp, int pp) {
            return read(Json{{"parallel", {{"fsdp", fsdp}, {"zero_stage", nullptr}, {"pp", pp}, {"dp", 32 / pp}}}}
                            .dump()
                            .c_str());
        };
        for (const auto& [words, expected] : {std::pair("FSDP2", 3), {"HSDP", 3}, {"ZeRO-3", 3}, {"SHARD_GRAD_OP", 2},
                 {"ZeRO-2", 2}, {"none (DDP)", 0}, {"NO_SHARD", 0}, {"FSDP2 (reshard_after_forward=False)", 3}})
            QCOMPARE(stage(words, 1).plan.strategy.zeroStage, expected);
        const Read piped = stage("FSDP", 4); // stays whole between micro-batches: the model's rule, not the reader's
        QCOMPARE(piped.plan.strategy.zeroStage, 3);
        QCOMPARE(effectiveZeroStage(piped.plan), 1);
        // A group is named, or hybrid sharding stays in the node.
        QCOMPARE(stage("FSDP2, shard group 16", 1).plan.strategy.zeroShards, 16);
        QCOMPARE(stage("HSDP", 1).plan.strategy.zeroShards, 4); // TP 2 in nodes of eight
    }

    void aDegreeThatStandsOpenIsWhatTheOthersLeave()
    {
        const auto degrees = [](const char* patch) {
            const Strategy s = read(patch).plan.strategy;
            return std::array{s.tp, s.pp, s.dp};
        };
        QCOMPARE(degrees(R"({"parallel":{"dp":null}})"), (std::array{2, 4, 8}));
        QCOMPARE(degrees(R"({"parallel":{"tp":null}})"), (std::array{2, 4, 8}));
        QCOMPARE(degrees(R"({"parallel":{"pp":null}})"), (std::array{2, 4, 8}));
        QCOMPARE(degrees(R"({"parallel":{"tp":null,"pp":null}})"), (std::array{8, 1, 8}));
        QCOMPARE(degrees(R"({"parallel":{"tp":null,"dp":null}})"), (std::array{1, 4, 16}));
        const Read part = read(R"({"parallel":{"dp":2}})");
        QVERIFY(part.lists("hardware.total_gpus used=16"));
        QVERIFY(read("{}").filled.size() < part.filled.size());
    }

    void batchesOfAnInterleavedScheduleAreRounded()
    {
        // Eight micro-batches and four stages go; five are priced as eight and scaled.
        Json odd = row();
        odd.merge_patch(Json::parse(R"({"parallel":{"schedule":"VPP","vpp":2},"training":{"global_batch":80}})"));
        const auto set = readCases(Json::array({odd}).dump(), shippedCatalog());
        QVERIFY(set && set->cases.size() == 1);
        QCOMPARE(set->cases[0].plan.training.globalBatch, 128);
        QCOMPARE(set->cases[0].batchScale, 80.0 / 128);
    }

    void layersOfStagesAreReadFromRemarks()
    {
        const auto layers = [](const char* notes) {
            return read(Json{{"notes", notes}}.dump().c_str()).plan.strategy.stageLayers;
        };
        QCOMPARE(layers("by cost (a layer 4h^2): layers per stage [7, 7, 6, 4], head on stage 3."),
            (std::vector<int>{7, 7, 6, 4}));
        QVERIFY(layers("layers per stage [7, 7, 6, 5]").empty()); // not of 24 layers
        QVERIFY(layers("layers per stage [12, 12]").empty());
        QVERIFY(layers("layers per stage are unknown").empty());
        for (const char* wrong : {"[7, 7, 6,", "[7, 7, 6, 4", "[7,, 7, 10]", "[7, 7, 6, 3, 1]", "[-1, 8, 8, 9]",
                 "[7, 7, 6, 4,", "[7, 7, 6, 4, 0]", "[7, 7, 6, 4, 5]", "[2147483647, 2147483647, 2, 24]",
                 "[99999999999, 7, 6, 4]", "[]", "["})
            QVERIFY2(layers(("layers per stage " + std::string(wrong)).c_str()).empty(), wrong);
        QVERIFY(layers(("layers per stage [" + std::string(100000, '1')).c_str()).empty());
    }

    /// Whatever words stand around them; the stack decides where nothing is stated.
    void acceleratorsOfOtherMakers()
    {
        const auto of = [](const char* accelerator, const char* framework, const char* precision) {
            return read(Json{{"hardware", {{"accelerator", accelerator}, {"memory_gib", nullptr}}},
                            {"software", {{"framework", framework}, {"version", "2024"}}},
                            {"training", {{"precision", precision}}}}
                            .dump()
                            .c_str())
                .plan;
        };
        for (const auto& [printed, id] :
            {std::pair("Gaudi2", "gaudi2-96"), {"Intel Gaudi 3", "gaudi3-128"}, {"MI325X", "mi325x-256"},
                {"AMD Instinct MI350X", "mi350x-288"}, {"TPU v6e", "tpu-v6e"}, {"Trillium", "tpu-v6e"},
                {"TPU7x", "tpu7x"}, {"AWS Trainium2", "trainium2-96"}, {"AWS Trainium", "trainium1-32"}})
            QCOMPARE(of(printed, "HomeGrown", "bf16").cluster.nodes.front().accelerator.id, std::string(id));
        const Plan integers = of("TPU v5e", "PAX", "int8 (AQT quantised matrix products)");
        QCOMPARE(integers.training.precision, Precision::Int8);
        QCOMPARE(integers.training.software.id, std::string("jax-xla"));
        QCOMPARE(of("TPU v5p", "HomeGrown", "bf16").training.software.id, std::string("jax-xla"));
        QCOMPARE(
            of("Gaudi2", "Gaudi Megatron-DeepSpeed", "bf16").training.software.id, std::string("megatron-deepspeed"));
        // What runs on a vendor's parts, not what a port of another vendor's stack is called.
        QCOMPARE(of("AWS Trainium2", "NeuronX NeMo Megatron", "bf16").training.software.id, std::string("jax-xla"));
        QCOMPARE(of("TPU v5p", "Megatron-LM", "bf16").training.software.id, std::string("jax-xla"));
        QCOMPARE(of("Ascend 910B", "Megatron-LM", "bf16").training.software.id, std::string("mindspeed"));
        QCOMPARE(of("Intel Gaudi 3", "HomeGrown", "bf16").training.software.id, std::string("pytorch-eager"));
    }

    void reductionsAreAsStated()
    {
        const auto software = [](const char* overlap) {
            return read(
                Json{{"software", {{"framework", "NeMo"}}}, {"parallel", {{"overlap", overlap}}}}.dump().c_str())
                .plan.training.software;
        };
        const SoftwareProfile usual = software("");
        QVERIFY(usual.dpOverlap > 0 && !usual.reducesWhole);
        QCOMPARE(software("gradients all-reduced in 25 MB buckets (DDP)").gradientBucket.value(),
            25 * stratoplan::units::kMiB);
        const SoftwareProfile whole =
            software("gradients all-reduced whole after the passes, parameters gathered, neither overlapped");
        QVERIFY(whole.reducesWhole);
        QCOMPARE(whole.gradientBucket.value(), 0.0);
        QCOMPARE(whole.dpOverlap, 0.0);
        QCOMPARE(software("gradient reduction not overlapped (DDP default)").dpOverlap, 0.0);
    }

    void gradientsAreOfTheirStatedPrecision()
    {
        const auto wide = [](const char* precision, const char* overlap, const char* framework = "Megatron-LM") {
            return read(Json{{"software", {{"framework", framework}, {"version", "2021"}}},
                            {"training", {{"precision", precision}}}, {"parallel", {{"overlap", overlap}}}}
                            .dump()
                            .c_str())
                .plan.training.fp32Gradients;
        };
        QVERIFY(wide("bf16", "none", "Megatron-Core"));
        QVERIFY(!wide("bf16", "gradient reduce overlapped, bf16 gradient reduction"));
        QVERIFY(!wide("bf16", "gradients reduced in bf16; parameters gathered in FP8"));
        QVERIFY(!wide("bf16", "not overlapped (DDP default, bf16 gradients)"));
        QVERIFY(!wide("fp16", "none"));
        QVERIFY(!wide("bf16", "none", "Lightspeed")); // eager PyTorch
        QVERIFY(wide("bf16", "fp32 gradients all-reduced in 25 MB buckets", "Lightspeed"));
        QVERIFY(wide("bf16 (fp32 grad accumulation)", "none", "Lightspeed"));
    }

    void profilesFollowTheFrameworkHowEverItIsSpelt()
    {
        const auto profile = [](const char* framework, const Json& version, const char* accelerator,
                                 const char* kind = "dense") {
            Json patch{{"software", {{"framework", framework}, {"version", version}}},
                {"hardware", {{"accelerator", accelerator}, {"memory_gib", nullptr}}}, {"model", {{"kind", kind}}}};
            if (std::string_view(kind) == "moe")
                patch["model"].update({{"experts", 8}, {"top_k", 2}});
            return read(patch.dump().c_str());
        };
        const auto id = [&](auto... what) { return profile(what...).plan.training.software.id; };
        QCOMPARE(id("torchtitan", nullptr, "H200 SXM"), std::string("torchtitan-2025"));
        QCOMPARE(id("torchtitan", "2025", "H100 SXM"), std::string("torchtitan-2025"));
        QCOMPARE(id("torchtitan", "2024-2025", "H100 SXM"), std::string("torchtitan-eager"));
        QCOMPARE(id("Nemotron", nullptr, "A100"), std::string("pytorch-eager")); // and not NeMo
        QCOMPARE(id("Megatron-Core", "2024", "GB200"), std::string("megatron-core-2025"));
        QCOMPARE(id("Megatron-LM", "2024", "H200"), std::string("nemo"));
        QCOMPARE(id("InternEvo", nullptr, "A800"), std::string("internevo"));
        QCOMPARE(id("Megatron Bridge", nullptr, "GB200"), std::string("megatron-core-2025"));
        QCOMPARE(id("Megatron Core", nullptr, "A100"), std::string("megatron-core-2024"));
        QCOMPARE(id("Megatron-LM", "core_r0.8", "A100"), std::string("megatron-core-2024"));
        QCOMPARE(id("Megatron-LM", "2024", "H100"), std::string("nemo"));
        QCOMPARE(id("Megatron-LM", nullptr, "V100"), std::string("megatron-lm-2021"));
        QCOMPARE(id("NeMo AutoModel (FSDP2)", "2025", "H100", "moe"), std::string("megatron-core-2024-moe"));
        QCOMPARE(id("NeMo (Megatron-Core)", "25.04.00", "H100 SXM"), std::string("megatron-core-2025"));
        QCOMPARE(id("NeMo (Megatron-Core)", "24.07", "H100 SXM"), std::string("nemo"));
        QCOMPARE(id("NeMo (Megatron-Core)", "24.09", "H100 SXM"), std::string("megatron-core-2025")); // NeMo 2
        QCOMPARE(id("NeMo", nullptr, "GB200"), std::string("megatron-core-2025")); // there were none before
        QCOMPARE(id("NeMo", "MLPerf Training v5.1 (2025-11)", "H200"), std::string("megatron-core-2025"));
        QCOMPARE(id("NeMo (Megatron)", "MLPerf Training v3.0 (2023-06), v1.17", "H100 SXM"), std::string("nemo"));
        QCOMPARE(id("NeMo", "NGC 25.04", "H100 SXM"), std::string("megatron-core-2025"));
        QCOMPARE(id("NeMo", "2025-03, Ubuntu 22.04", "H100 SXM"), std::string("megatron-core-2025"));
        const Read unknown = profile("Lightspeed", "3", "B200");
        QCOMPARE(unknown.plan.training.software.id, std::string("pytorch-eager"));
        QVERIFY(unknown.lists("software.profile=pytorch-eager"));
        QVERIFY(filledWeight(unknown.filled) >= int(unknown.filled.size()) + 5);
    }

    /// The table of stacks and nodes names what the catalogue has.
    void everyWordStandsForAnEntry()
    {
        const CaseWords& words = shippedCaseWords();
        for (const StackWords& stack : words.stacks) {
            QVERIFY2(stack.like.empty() != stack.profile.empty(), stack.framework.c_str());
            for (const std::string& id : {stack.profile, stack.ofExperts})
                QVERIFY2(id.empty() || shippedCatalog().softwareProfile(id), id.c_str());
        }
        for (const NodeWords& one : words.nodes)
            QVERIFY2(shippedCatalog().node(one.node), one.node.c_str());
    }

    void expertsComeFromTheNameOrTheRule()
    {
        const Read named = read(
            R"({"model":{"name":"Qwen3 30B-A3B","kind":"moe","layers":48,"hidden":2048,"heads":null,"gated_mlp":true,
            "experts":128,"top_k":8,"moe_ffn":null}})");
        QCOMPARE(named.plan.model.moe->expertFfn, 768);
        QCOMPARE(named.plan.model.headDim, 128);
        QVERIFY(named.lists("model.moe_ffn=768"));
        const Read wide = read(R"({"model":{"kind":"moe","experts":8,"ffn_hidden":8192}})");
        QCOMPARE(wide.plan.model.moe->topK, 2);
        QCOMPARE(wide.plan.model.moe->expertFfn, 8192);
        const Read fine = read(R"({"model":{"kind":null,"experts":64,"ffn_hidden":8192}})");
        QVERIFY(fine.lists("model.kind=moe"));
        QCOMPARE(fine.plan.model.moe->topK, 8);
        QCOMPARE(fine.plan.model.moe->expertFfn, 1024);
    }

    void attentionIsReadFromTheRemarkOrTheName()
    {
        const Transformer printed =
            read(R"x({"model":{"attention":"MLA (q_lora 1024, kv_lora 256, rope 32)"}})x").plan.model;
        QVERIFY(printed.mla && printed.mla->queryRank == 1024 && printed.mla->kvRank == 256
            && printed.mla->ropeHeadDim == 32);
        const Read cut = read(R"({"model":{"name":"DeepSeek-V2 60B"}})");
        QVERIFY(cut.plan.model.mla && cut.plan.model.mla->queryRank == 1536);
        QVERIFY(cut.lists("model.attention=MLA, as DeepSeek-V2 236B"));
        QVERIFY(!read(R"({"model":{"name":"DeepSeek-V2 60B","attention":"GQA"}})").plan.model.mla);
        const Transformer windowed =
            read(R"x({"model":{"attention":"sliding window (4096), full every 6"}})x").plan.model;
        QCOMPARE(windowed.slidingWindow, std::optional(4096));
        QCOMPARE(windowed.slidingWindowInterval, 6);
        QCOMPARE(read(R"x({"model":{"attention":"GQA, sliding window attention (4096)"}})x").plan.model.slidingWindow,
            std::optional(4096));
    }

    /// The GPT of 24 layers has 1.3 billion parameters.
    void layersAreCountedFromTheParameters()
    {
        const double billions = double(parameters(read("{}").plan.model).total) / 1e9;
        const Read counted = read(Json{{"model", {{"layers", nullptr}, {"params_b", billions}}}}.dump().c_str());
        QCOMPARE(counted.plan.model.layers, 24);
        QVERIFY(counted.lists("model.layers=24"));
        QCOMPARE(read(R"({"model":{"layers":null}})").refused,
            std::string("neither model.layers nor model.params_b is stated"));
    }

    void headsFitTheTensorRanks()
    {
        const Read one = read(R"({"model":{"hidden":13824,"heads":null},"parallel":{"tp":8,"dp":2}})");
        QVERIFY(one.plan.model.heads % 8 == 0 && 13824 % one.plan.model.heads == 0);
        QVERIFY(std::abs(one.plan.model.heads - 108) <= 12);
    }

    void hardwareIsReadFromItsName()
    {
        QCOMPARE(
            read(R"({"hardware":{"accelerator":"A100 40GB","memory_gib":null}})").plan.cluster.nodes[0].accelerator.id,
            std::string("a100-sxm-40"));
        QCOMPARE(read(R"({"hardware":{"accelerator":"V100","memory_gib":null},"training":{"precision":null}})")
                     .plan.training.precision,
            Precision::Fp16);
        const auto network = [](const char* words) {
            const NodeGroup node =
                read(Json{{"hardware", {{"accelerator", "H100 SXM"}, {"inter", words}}}}.dump().c_str())
                    .plan.cluster.nodes[0];
            return node.nic.bandwidth.value() * 8 * node.nicsPerNode / 1e9; // Gbit/s
        };
        QCOMPARE(network("25 Gb/s Ethernet"), 25.0);
        QCOMPARE(network("8x NDR InfiniBand"), 3200.0);
        QCOMPARE(network("4x200 Gbps RoCE per node"), 800.0);
        QCOMPARE(network("200 Gb/s RDMA per GPU"), 1600.0);
        QCOMPARE(network("2x200 Gb/s per GPU"), 3200.0);
        QCOMPARE(network("Mellanox 8x HDR"), 1600.0);
        QCOMPARE(read(R"x({"hardware":{"accelerator":"A100 (40GB)","memory_gib":null}})x")
                     .plan.cluster.nodes[0]
                     .accelerator.id,
            std::string("a100-sxm-40"));
        const NodeGroup stated = read(R"({"hardware":{"node":"jean-zay-a100"}})").plan.cluster.nodes[0];
        QCOMPARE(stated.nic, shippedCatalog().node("jean-zay-a100")->node.nic);
        QCOMPARE(read(R"({"hardware":{"node":"nowhere"}})").refused,
            std::string("hardware.node \"nowhere\" is not in the catalogue"));
        QVERIFY(read(R"({"hardware":{"accelerator":"H100 SXM","inter":"a fast network"}})")
                    .lists("hardware.inter=dgx-h100, as no rate is stated"));
    }

    /// Documents packed into a sequence attend to themselves: less attention, the rest of the step stays.
    void packedExamplesAreShortDocuments()
    {
        const Read packed = read(R"({"notes":"SFT, packed sequences."})");
        QCOMPARE(packed.plan.training.documentLength, std::optional(256));
        QVERIFY(packed.lists("training.document_length=256"));
        QVERIFY(!read("{}").plan.training.documentLength);
        const Read stated = read(R"({"training":{"document_length":512}})");
        QCOMPARE(stated.plan.training.documentLength, std::optional(512));
        QVERIFY(!stated.lists("training.document_length=512"));
        QVERIFY(!read(R"({"notes":"Documents are packed."})")
                     .plan.training.documentLength); // of pre-training, however long they are
    }
};

STRATOPLAN_TEST(TestCaseRules)
#include "test_case_rules.moc"
