// SPDX-License-Identifier: GPL-3.0-or-later
// What is looked up: kinds of kernels, MFU by convention, sizes that names claim, recommended settings.
#include "core/audit/kernel_names.h"
#include "core/audit/mfu.h"
#include "core/audit/name_claim.h"
#include "core/audit/settings.h"
#include "core/audit/tables.h"
#include "core/exchange/document.h"
#include "tests/core/audit/traces.h"
#include "tests/core/fixtures.h"
#include "tests/registry.h"

#include <QTest>
#include <nlohmann/json.hpp>

using namespace stratoplan;
using namespace stratoplan::audit;

namespace {

plan::Plan onH100()
{
    plan::Plan plan = fixtures::small();
    plan.cluster.nodes.front().accelerator = *catalog::shippedCatalog().accelerator("h100-sxm-80");
    return plan;
}

estimate::Estimate estimated(const plan::Plan& plan)
{
    return estimate::estimate(plan, {.remedies = false, .range = false}).value();
}

double valueOf(const MfuTable& table, const char* name)
{
    return table.values[conventionNamed(table, name).value()].mfu;
}

bool has(const std::vector<SettingFinding>& findings, Setting setting)
{
    return std::ranges::any_of(findings, [&](const SettingFinding& each) { return each.setting == setting; });
}

} // namespace

class TestAuditTables : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void kernelsAreKnown_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<int>("kind");
        QTest::addColumn<int>("pass");
        const auto row = [](const std::string& name, KernelKind kind, AttentionPass pass = AttentionPass::None) {
            QTest::newRow(name.c_str()) << QString::fromStdString(name) << int(kind) << int(pass);
        };
        row(traces::kGemm, KernelKind::Matmul);
        row("ampere_bf16_s16816gemm_bf16_128x256_ldg8_f2f_stages_64x3_tn", KernelKind::Matmul);
        row("sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64", KernelKind::Matmul);
        row("void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu>", KernelKind::Matmul);
        row("Cijk_Ailk_Bljk_BBS_BH_MT256x256x32", KernelKind::Matmul);
        row("void cublasLt::splitKreduce_kernel<32, 16>", KernelKind::Matmul);
        row(traces::kFlashForward, KernelKind::Attention, AttentionPass::Forward);
        row(traces::kFlashBackward, KernelKind::Attention, AttentionPass::Backward);
        row("void flash::flash_bwd_dot_do_o_kernel<true>", KernelKind::Attention);
        row("cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16", KernelKind::Attention,
            AttentionPass::Forward);
        row("void cutlass::device_kernel<flash::FlashAttnBwdSm90<cutlass::gemm>>", KernelKind::Attention,
            AttentionPass::Backward);
        row(traces::kAdam, KernelKind::Optimizer);
        row(traces::kAllReduce, KernelKind::Communication);
        row("void deep_ep::internode::dispatch<true>", KernelKind::Communication);
        row(traces::kNorm, KernelKind::OtherComputation);
        row("void at::native::elementwise_kernel<128, 2, gpu_kernel_impl::{lambda(int)#2}>",
            KernelKind::OtherComputation);
        row("triton_red_fused__to_copy_mean_mul_pow_rsqrt_3", KernelKind::OtherComputation);
        row("[CUDA memcpy Device-to-Host]", KernelKind::Copies);
    }
    void kernelsAreKnown()
    {
        QFETCH(const QString, name);
        QFETCH(const int, kind);
        QFETCH(const int, pass);
        const KernelName kernel = classifyKernel(name.toStdString());
        QCOMPARE(int(kernel.kind), kind);
        QCOMPARE(int(kernel.pass), pass);
    }

    void collectivesAreKnown()
    {
        QCOMPARE(int(collectiveOf(traces::kAllReduce)), int(Collective::AllReduce));
        QCOMPARE(int(collectiveOf("_reduce_scatter_base")), int(Collective::ReduceScatter));
        QCOMPARE(int(collectiveOf("_allgather_base")), int(Collective::AllGather));
        QCOMPARE(int(collectiveOf("all_to_allv")), int(Collective::AllToAll));
        QCOMPARE(int(collectiveOf(traces::kSendRecv)), int(Collective::SendRecv));
        QCOMPARE(int(collectiveOf("ncclDevKernel_Generic")), int(Collective::Unknown));
    }

    /// 6 N by hand; attention in full and half differ by 6 L h s^2 a sequence; a sparse peak halves every share.
    void conventionsAreWorkedOut()
    {
        const plan::Plan plan = onH100();
        const MfuTable table = mfuTable(plan, estimated(plan), Seconds(2));
        const double ranks = 8, step = 2,
                     peak = plan.cluster.nodes.front().accelerator.peak[model::Precision::Bf16].value();
        const double tokens = 64 * 1024;
        const auto share = [&](double flops) { return flops / (ranks * step * peak); };
        const double sixN = 6.0 * double(parameters(plan.model).active) * tokens;
        QVERIFY(fixtures::near(valueOf(table, "6n"), share(sixN)));
        const double scores = 12.0 * 8 * 1024 * 1024 * tokens;
        QVERIFY(fixtures::near(valueOf(table, "6n-attention"), share(sixN + scores)));
        QVERIFY(fixtures::near(valueOf(table, "full") - valueOf(table, "causal"), share(maskedFlops(plan).value())));
        for (const auto& [convention, flops] : table.flops) {
            const std::string name(key(convention));
            QVERIFY(fixtures::near(valueOf(table, name.c_str()), 2 * valueOf(table, (name + "/sparse").c_str())));
            QVERIFY(fixtures::near(valueOf(table, name.c_str()), share(flops.value())));
        }
        const double fp8 = plan.cluster.nodes.front().accelerator.peak[model::Precision::Fp8].value();
        QVERIFY(fixtures::near(valueOf(table, "full") * peak, valueOf(table, "full/fp8") * fp8));
        QVERIFY(!conventionNamed(table, "half") && !conventionNamed(table, "full/int4"));
        QVERIFY(!conventionNamed(table, "full-recomputed")); // nothing is
    }

    void theTableAgreesWithTheEstimate()
    {
        plan::Plan plan = onH100();
        plan.strategy.recompute = parallel::Recompute::Full;
        const estimate::Estimate e = estimated(plan);
        const MfuTable table = mfuTable(plan, e, e.step);
        QVERIFY(fixtures::near(valueOf(table, "full"), e.mfu));
        QVERIFY(fixtures::near(valueOf(table, "causal"), e.mfu * e.causalShare));
        QVERIFY(fixtures::near(valueOf(table, "full-recomputed"), e.hfu));
    }

    /// Half of the ranks run on accelerators of half the peak: three quarters of it on average.
    void unlikeAcceleratorsHaveTheirMean()
    {
        plan::Plan plan = onH100();
        const estimate::Estimate e = estimated(plan);
        const double alike = valueOf(mfuTable(plan, e, e.step), "full");
        cluster::NodeGroup slow = plan.cluster.nodes.front();
        slow.id = "slow";
        slow.count = plan.cluster.nodes.front().count = 1;
        slow.accelerator.peak[model::Precision::Bf16] *= 0.5;
        plan.cluster.nodes.push_back(slow);
        QVERIFY(fixtures::near(valueOf(mfuTable(plan, e, e.step), "full"), alike / 0.75));
    }

    void quotedNumbersHaveTheirRounding()
    {
        const auto percent = quotedMfu("43 %");
        QVERIFY(percent && fixtures::near(percent->mfu, 0.43) && fixtures::near(percent->rounding, 0.005));
        const auto decimal = quotedMfu("43.1%");
        QVERIFY(decimal && fixtures::near(decimal->mfu, 0.431) && fixtures::near(decimal->rounding, 0.0005));
        const auto share = quotedMfu("0.43");
        QVERIFY(share && fixtures::near(share->mfu, 0.43) && fixtures::near(share->rounding, 0.005));
        QVERIFY(fixtures::near(quotedMfu("43")->mfu, 0.43));
        for (const char* wrong : {"", "much", "-1", "0", "1e5", "0.4.3", "%"})
            QVERIFY2(!quotedMfu(wrong), wrong);
    }

    /// Every value of a table is found by itself, as it would be printed, and leads back to its step.
    void quotedValuesAreFound()
    {
        const plan::Plan plan = onH100();
        const MfuTable table = mfuTable(plan, estimated(plan), Seconds(1.7));
        for (std::size_t i = 0; i < table.values.size(); ++i) {
            const QuotedMfu quoted{table.values[i].mfu, 1e-6};
            const MfuMatches found = matches(table, quoted);
            QVERIFY(std::ranges::find(found.matching, i) != found.matching.end());
            QVERIFY(fixtures::near(stepOf(table, i, quoted.mfu).value(), 1.7));
            QVERIFY(fixtures::near(stepOf(table, i, quoted.mfu / 2).value(), 3.4));
        }
        const MfuMatches none = matches(table, {0.999, 1e-6});
        QVERIFY(none.matching.empty());
        const auto highest = std::ranges::max_element(table.values, {}, &MfuValue::mfu);
        QCOMPARE(none.nearest, std::size_t(highest - table.values.begin()));
    }

    void namesClaimSizes()
    {
        const auto claimed = [](const char* name) { return claimedSize(name) ? claimedSize(name)->parameters : 0; };
        QCOMPARE(claimed("Llama-2-7b-hf"), 7e9);
        QCOMPARE(claimed("GPT-3 175B"), 175e9);
        QCOMPARE(claimed("Mixtral 8x7B"), 56e9);
        QCOMPARE(claimed("Llama 3.1 405B"), 405e9);
        QCOMPARE(claimed("GPT-3 350M"), 350e6);
        QCOMPARE(claimed("Qwen3-235B-A22B"), 235e9);
        for (const char* none : {"GPT-2 XL", "model 7", "512 H100", "v2Beta", "8k", "DeepSeek-V3", ""})
            QCOMPARE(claimed(none), 0.0);
    }

    void everyModelOfTheCatalogueIsWhatItIsCalled()
    {
        for (const catalog::ModelPreset& preset : catalog::shippedCatalog().models)
            QVERIFY2(!nameMismatch(preset.model), preset.model.name.c_str());
    }

    void aNarrowSevenBillionIsTold()
    {
        model::Transformer model = fixtures::gpt(12, 768, 12);
        model.name = "my-llama-7B";
        const auto mismatch = nameMismatch(model);
        QVERIFY(mismatch && mismatch->claimed.text == "7B");
        QVERIFY(fixtures::near(mismatch->parameters, double(parameters(model).total)));
        model.name = "my-llama-125M";
        QVERIFY(!nameMismatch(model));
    }

    void settingsDiffer()
    {
        plan::Plan plan = fixtures::small();
        plan.strategy.tp = 2;
        plan.strategy.dp = 4;
        plan.strategy.sequenceParallel = false;
        plan.training.attention = plan::AttentionKernel::Unfused;
        const auto findings = differingSettings(plan, estimated(plan), {});
        QVERIFY(has(findings, Setting::SequenceParallel) && has(findings, Setting::DistributedOptimizer));
        QVERIFY(has(findings, Setting::FusedAttention) && !has(findings, Setting::OverlapGradientReduction));
        const auto stated = differingSettings(plan, estimated(plan),
            {{"overlap_grad_reduce", "False"}, {"sequence_parallel", "True"}, {"timing_log_level", "2"}});
        QVERIFY(has(stated, Setting::OverlapGradientReduction) && !has(stated, Setting::SequenceParallel));
        QVERIFY(has(stated, Setting::Timers));
        for (const SettingFinding& each : stated)
            QVERIFY(!each.source.empty() && !each.found.empty());
    }

    void tensorParallelismBeyondTheDomainIsTold()
    {
        plan::Plan plan = fixtures::small(); // nodes of four
        plan.strategy.tp = 8;
        plan.strategy.dp = 1;
        plan.strategy.sequenceParallel = true;
        QVERIFY(has(differingSettings(plan, estimated(plan), {}), Setting::TensorParallelInDomain));
        plan.strategy.tp = 4;
        plan.strategy.dp = 2;
        QVERIFY(!has(differingSettings(plan, estimated(plan), {}), Setting::TensorParallelInDomain));
    }

    /// Full recomputation of a model that fits without any: what it would save is the difference of two estimates.
    void recomputationWithRoomIsTold()
    {
        plan::Plan plan = fixtures::small();
        plan.strategy.recompute = parallel::Recompute::Full;
        const auto findings = differingSettings(plan, estimated(plan), {});
        const auto found = std::ranges::find(findings, Setting::LessRecomputation, &SettingFinding::setting);
        QVERIFY(found != findings.end());
        plan::Plan without = plan;
        without.strategy.recompute = parallel::Recompute::None;
        QCOMPARE(found->recommended, std::string("none"));
        QVERIFY(fixtures::near(found->amount, (estimated(plan).step - estimated(without).step).value()));
    }

    void everyEntryHasItsSource()
    {
        for (const char* const name : {"kernels.json", "settings.json", "sparse_peaks.json"}) {
            const nlohmann::json table = nlohmann::json::parse(tableText(name));
            const char* const list = table.contains("settings") ? "settings"
                : table.contains("kernels")                     ? "kernels"
                                                                : "entries";
            for (const nlohmann::json& entry : table.at(list))
                QVERIFY2(entry.at("source").get<std::string>().size() > 8, name);
        }
        const nlohmann::json peaks = nlohmann::json::parse(tableText("sparse_peaks.json"));
        for (const nlohmann::json& entry : peaks.at("entries"))
            for (const nlohmann::json& id : entry.at("accelerators"))
                QVERIFY2(catalog::shippedCatalog().accelerator(id.get<std::string>()), id.dump().c_str());
    }
};

STRATOPLAN_TEST(TestAuditTables)
#include "test_audit_tables.moc"
