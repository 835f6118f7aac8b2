// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/calibration/kernel_fit.h"
#include "core/catalog/catalog.h"
#include "core/catalog/kernel_json.h"
#include "core/cost/compute.h"
#include "core/cost/machine.h"
#include "tests/core/fixtures.h"
#include "tests/registry.h"

#include <QTest>

#include <cmath>

using namespace stratoplan::calibration;
using namespace stratoplan::catalog;
using namespace stratoplan::cluster;
using namespace stratoplan::cost;
using namespace stratoplan::model;
using namespace stratoplan::plan;
using namespace stratoplan::units;
using namespace stratoplan::workload;

namespace {

constexpr int kUnits = 108;

MatmulKernels truth()
{
    MatmulKernels kernels;
    kernels.rate = FlopsPerSecond(280e12);
    kernels.memory = BytesPerSecond(1.3e12);
    kernels.tileDepth = 150;
    kernels.wholeWaves = 0.4;
    for (std::size_t m = 0; m < kMatmulKnotsM.size(); ++m) // small m runs 20 % slower than the form says
        for (std::size_t nk = 0; nk < 25; ++nk)
            kernels.correction[m * 25 + nk] = m == 0 ? 0.2f : 0;
    return kernels;
}

KernelSamples products()
{
    const MatmulKernels kernels = truth();
    KernelSamples samples;
    for (double m = 256; m <= 32768; m *= 2)
        for (double n = 128; n <= 65536; n *= 2)
            for (double k = 128; k <= 65536; k *= 2) {
                const Seconds t = matmulSeconds(m, n, k, kernels.rate, kernels.memory, kUnits, {}, &kernels);
                samples.matmul.push_back({Precision::Bf16, m, n, k, t.value() + 3e-6});
            }
    return samples;
}

} // namespace

class TestKernelFit : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void findsTheKernelsThatMadeTheSamples()
    {
        const KernelTables tables = fitKernels(products(), kUnits);
        QCOMPARE(tables.matmul.size(), 1U);
        const MatmulKernels& k = tables.matmul.front();
        QVERIFY2(k.fit.error < 0.01, qPrintable(QString::number(k.fit.error)));
        QCOMPARE(k.fit.kernels, 8 * 10 * 10);
        // Any product of training size, launch aside, comes out as it was made.
        for (const auto [m, n, c] :
            {std::array{4096., 12288., 4096.}, std::array{8192., 5120., 20480.}, std::array{3000., 3000., 3000.}}) {
            const MatmulKernels made = truth();
            const double wanted = matmulSeconds(m, n, c, made.rate, made.memory, kUnits, {}, &made).value();
            const double found = matmulSeconds(m, n, c, k.rate, k.memory, kUnits, {}, &k).value();
            QVERIFY2(std::abs(found / wanted - 1) < 0.03, qPrintable(QString("%1 %2").arg(found).arg(wanted)));
        }
    }

    /// A table whose products outran the chip would be one of casts or launches taken off twice.
    void fitsStayBelowThePeak()
    {
        PeakRates peak;
        peak[Precision::Bf16] = FlopsPerSecond(270e12); // the samples were made at 280
        QVERIFY(fitKernels(products(), kUnits).matmul.front().rate > peak[Precision::Bf16]);
        QVERIFY(fitKernels(products(), kUnits, peak).matmul.front().rate <= peak[Precision::Bf16]);
    }

    /// Of no stack, on no accelerator, at no shape of a training step.
    void noPricedProductPassesThePeak()
    {
        Plan plan = fixtures::small();
        for (const Accelerator& a : shippedCatalog().accelerators)
            for (const SoftwareProfile& profile : shippedCatalog().software)
                for (const Precision precision : {Precision::Bf16, Precision::Fp8, Precision::Nvfp4}) {
                    plan.cluster.nodes[0].accelerator = a;
                    plan.training.software = profile;
                    plan.training.precision = precision;
                    const Machine m = machine(plan, shippedCatalog());
                    for (const auto [rows, n, k] : {std::array{8192., 1024., 8192.}, std::array{4096., 28672., 8192.},
                             std::array{16384., 6144., 16384.}})
                        for (const OperatorKind kind : {OperatorKind::Matmul, OperatorKind::GroupedMatmul}) {
                            Operator op;
                            op.kind = kind;
                            op.m = rows;
                            op.n = n;
                            op.k = k;
                            op.narrow = true;
                            op.flops = Flops(2 * rows * n * k);
                            QVERIFY2(op.flops / seconds(op, m, profile) <= m.peak,
                                qPrintable(QString("%1 %2").arg(a.id.c_str(), profile.id.c_str())));
                        }
                }
    }

    void readsThePublishedTables()
    {
        KernelSamples samples;
        QVERIFY(addSamples(
            "dtype,m,n,k,microseconds,kernel\nbfloat16,256,512,1024,3.5,x\nfp8_block,256,512,1024,9,x\r\n", samples));
        QVERIFY(addSamples(
            "dtype,batch,seq_len,heads,kv_heads,head_dim,window,microseconds,kernel\nbfloat16,1,512,8,8,128,0,20,x\n"
            "bfloat16,1,512,8,8,128,128,9,x\n",
            samples));
        QVERIFY(addSamples("op,gpus,elements_fp16,microseconds,nccl\nalltoall,8,1024,11.5,2.2\n", samples));
        QVERIFY(addSamples(
            "dtype,tokens,hidden,expert_ffn,top_k,experts,tp,ep,distribution,microseconds,kernel\n"
            "bfloat16,512,2048,768,8,128,1,1,balanced,300,x\nbfloat16,512,2048,768,8,128,1,8,balanced,300,x\n",
            samples));
        QCOMPARE(samples.matmul.size(), 1U);
        QCOMPARE(samples.matmul[0].seconds, 3.5e-6);
        QCOMPARE(samples.attention.size(), 1U);
        QCOMPARE(samples.experts.size(), 1U);
        QCOMPARE(samples.collectives.size(), 1U);
        QCOMPARE(samples.collectives[0].bytes, 2048.0);
        QVERIFY(samples.collectives[0].op == CollectiveOp::AllToAll);
    }

    void namesTheLineThatCannotBeRead()
    {
        KernelSamples samples;
        const auto header = addSamples("a,b,c\n1,2,3\n", samples);
        QVERIFY(!header);
        QCOMPARE(header.error().line, 1);
        const auto cell =
            addSamples("dtype,m,n,k,microseconds\nbfloat16,256,512,1024,3.5\nbfloat16,x,512,1024,3.5\n", samples);
        QVERIFY(!cell);
        QCOMPARE(cell.error().line, 3);
        QCOMPARE(cell.error().text, std::string("x"));
        const auto missing = addSamples("dtype,m,n,k,microseconds\nbfloat16,256\n", samples);
        QVERIFY(!missing);
        QCOMPARE(missing.error().line, 2);
    }

    void shippedTablesSurviveTheirFile()
    {
        const std::vector<KernelTables>& shipped = shippedCatalog().kernels;
        QCOMPARE(shipped.size(), 8U);
        const std::string text = kernelsText(shipped);
        std::vector<KernelTables> again;
        const EmbeddedFile file{"kernels.json", text};
        QVERIFY(!parseKernels(file, again));
        QVERIFY(again == shipped);
        QCOMPARE(kernelsText(again), text);
    }

    void brokenTablesAreNamed()
    {
        std::vector<KernelTables> into;
        const auto fault = [&](std::string text) {
            const EmbeddedFile file{"kernels.json", text};
            const auto error = parseKernels(file, into);
            return error ? error->pointer : std::string();
        };
        QCOMPARE(fault("{"), std::string("kernels.json#"));
        QCOMPARE(fault("{}"), std::string("kernels.json#/entries"));
        QCOMPARE(fault(R"({"entries":[{"id":3}]})"), std::string("kernels.json#/entries/0/id"));
        QCOMPARE(fault(R"({"entries":[{"id":"x","name":"x","source":"x","matmul":[{"precision":"bf99"}]}]})"),
            std::string("kernels.json#/entries/0/matmul/0/precision"));
    }

    /// The factors of the profiles are those of endless depth; at the depths of real layers FP8 stays below twice the
    /// rate of 16 bits.
    void realNarrowProductsStayBelowThePeakRatio()
    {
        for (const SoftwareProfile& profile : shippedCatalog().software)
            for (const Accelerator& a : shippedCatalog().accelerators) {
                const KernelTables* tables = shippedCatalog().kernelTables(a.kernels);
                const MatmulKernels* wide = tables ? tables->products(Precision::Bf16) : nullptr;
                const MatmulKernels* narrow = tables ? tables->products(Precision::Fp8) : nullptr;
                if (!wide || !narrow)
                    continue;
                const FlopsPerSecond rate = a.peak[Precision::Bf16] * a.matmulSustained;
                const BytesPerSecond memory = a.memoryBandwidth;
                const Seconds slow = matmulSeconds(8192, 8192, 8192, rate, memory, a.computeUnits, {}, wide);
                const Seconds fast =
                    matmulSeconds(8192, 8192, 8192, rate * profile.fp8Factor, memory, a.computeUnits, {}, narrow);
                QVERIFY2(slow / fast < 2.15,
                    qPrintable(QString("%1 %2 %3").arg(a.id.c_str(), profile.id.c_str()).arg(slow / fast)));
            }
    }

    void everyReferenceOfTheCatalogueExists()
    {
        const Catalog& catalog = shippedCatalog();
        int referring = 0;
        for (const Accelerator& a : catalog.accelerators) {
            referring += !a.kernels.empty();
            QVERIFY2(a.kernels.empty() || catalog.kernelTables(a.kernels) != nullptr, a.id.c_str());
        }
        for (const Link& l : catalog.links)
            for (const CollectiveOp op : kCollectiveOps) { // a curve that is missing cannot be looked up
                const KernelTables* tables = catalog.kernelTables(l.kernels);
                QVERIFY2(l.kernels.empty()
                        || (tables && std::ranges::count(tables->collectives, op, &CollectiveCurve::op) > 1),
                    l.id.c_str());
            }
        QVERIFY(referring >= 12);
        QVERIFY(catalog.kernelTables("") == nullptr);
    }
};

STRATOPLAN_TEST(TestKernelFit)
#include "test_kernel_fit.moc"
