// SPDX-License-Identifier: GPL-3.0-or-later
// Measured kernels: read, priced by core/cost, and fitted to the constants that made them.
#include "core/calibration/own_kernels.h"
#include "core/cluster/collectives.h"
#include "core/cost/compute.h"
#include "core/reporting/runs.h"
#include "tests/registry.h"

#include <QTest>

#include <nlohmann/json.hpp>

#include <cmath>

using namespace stratoplan::calibration;
using namespace stratoplan::catalog;
using namespace stratoplan::cluster;
using namespace stratoplan::cost;
using namespace stratoplan::exchange;
using namespace stratoplan::model;
using namespace stratoplan::plan;
using namespace stratoplan::reporting;
using namespace stratoplan::units;
using namespace stratoplan::workload;

namespace {

using Json = nlohmann::json;

const SoftwareProfile& start()
{
    return *shippedCatalog().softwareProfile("torchtitan");
}

/// Kernels as this machine would run them with `truth`, each 2 % off in turn.
// In one piece: one file, one kind of kernel after the other, off by a count that runs through all of them.
Json kernelsOf(const SoftwareProfile& truth, double scaleUp = 0, double latency = 0)
{
    const NodePreset& preset = *shippedCatalog().node("dgx-h100");
    Plan plan;
    plan.cluster.nodes = {preset.node};
    plan.cluster.nodes.front().count = 1;
    plan.training.software = truth;
    plan.training.precision = Precision::Fp8;
    Link& link = plan.cluster.nodes.front().scaleUp;
    if (scaleUp > 0) {
        link.bandwidth = BytesPerSecond(scaleUp / link.sustained);
        link.latency = Seconds(latency);
    }
    const Machine m = machine(plan, shippedCatalog());
    int count = 0;
    const auto measured = [&](Seconds seconds) { return seconds.value() * (++count % 3 == 0 ? 1.02 : 0.99); };
    Json file{{"format", "stratoplan-kernels"}, {"version", 1},
        {"provenance",
            {{"gpu", "NVIDIA H100 80GB HBM3"}, {"memory_bytes", 85017755648}, {"gpus", 8}, {"gpus_per_node", 8},
                {"torch", "2.6.0"}, {"date", "2026-11-20"}, {"power_limit_w", 700.0}}}};
    for (const int tokens : {1024, 4096, 8192})
        for (const int width : {512, 1024, 4096, 8192})
            for (const char* precision : {"bf16", "fp8"}) {
                Operator op;
                op.kind = OperatorKind::Matmul;
                op.m = tokens, op.n = width, op.k = 4096;
                op.narrow = std::string(precision) == "fp8";
                file["gemm"].push_back({{"precision", precision}, {"pass", "forward"}, {"m", tokens}, {"n", width},
                    {"k", 4096}, {"seconds", measured(seconds(op, m, truth))}});
            }
    for (const int sequence : {1024, 2048, 4096, 8192})
        for (const char* pass : {"forward", "backward"}) {
            Operator op;
            op.kind = OperatorKind::FlashAttention;
            op.n = sequence + 1;
            op.k = 128;
            op.backward = std::string(pass) == "backward";
            op.flops = Flops(4.0 * sequence * (sequence + 1) / 2.0 * 16 * 128 * (op.backward ? 2.5 : 1));
            file["attention"].push_back({{"pass", pass}, {"batch", 1}, {"sequence", sequence}, {"heads", 16},
                {"head_dim", 128}, {"causal", true}, {"seconds", measured(seconds(op, m, truth))}});
        }
    for (const std::int64_t bytes : {std::int64_t{1} << 24, std::int64_t{1} << 28, std::int64_t{1} << 30}) {
        Operator op;
        op.kind = OperatorKind::Streaming;
        op.traffic = Bytes(double(bytes));
        file["memory"].push_back(
            {{"kernel", "copy"}, {"bytes", bytes}, {"seconds", measured(seconds(op, m, truth) + truth.kernelLaunch)}});
    }
    file["launch"] = {
        {{"kernel", "host"}, {"seconds", 6e-6}}, {{"kernel", "device"}, {"seconds", truth.kernelLaunch.value()}}};
    for (int power = 12; scaleUp > 0 && power <= 30; power += 3)
        file["collectives"].push_back({{"operation", "all_reduce"}, {"ranks", 8}, {"inside", 8}, {"bytes", 1 << power},
            {"seconds", measured(allReduce(m.topology, {8, 8}, Bytes(double(1 << power))))}});
    return file;
}

KernelProfile parsed(const Json& file)
{
    const auto profile = parseKernelProfile(file.dump(), "k.json");
    if (!profile)
        qWarning("%s", describe(profile.error().front()).c_str());
    return profile.value_or(KernelProfile{});
}

double after(const KernelCalibration& c, std::string_view key)
{
    for (const FittedParameter& p : c.constants)
        if (p.key == key)
            return p.after / p.unit;
    return NAN;
}

} // namespace

class TestKernels : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theConstantsThatMadeTheKernelsAreFound()
    {
        SoftwareProfile truth = start();
        truth.matmulFactor *= 0.88;
        truth.memoryFactor *= 0.9;
        truth.flashForward = 0.65;
        truth.flashBackward = 0.4;
        truth.fp8Factor = 1.5;
        truth.kernelLaunch = Seconds(4e-6);
        const KernelProfile kernels = parsed(kernelsOf(truth, 250e9, 5e-6));
        QCOMPARE(kernels.kernels.size(), std::size_t(24 + 8 + 3 + 1 + 7));
        QCOMPARE(kernels.hostLaunchSeconds.value(), 6e-6);
        const KernelCalibration c = calibrateKernels(kernels, start(), shippedCatalog());
        QVERIFY(c.known && c.converged && !c.stopped);
        const auto near = [&](const char* key, double value, double within) {
            const bool right = std::abs(after(c, key) / value - 1) < within;
            if (!right)
                qWarning("%s: %g, expected %g", key, after(c, key), value);
            return right;
        };
        QVERIFY(near("matmul_factor", truth.matmulFactor, 0.03) && near("memory_factor", truth.memoryFactor, 0.05)
            && near("flash_forward", 0.65, 0.06) && near("flash_backward", 0.4, 0.04) && near("fp8_factor", 1.5, 0.05)
            && near("kernel_launch_us", 4, 0.1) && near("scale_up_gb_s", 250, 0.05));
        QCOMPARE(c.errors.size(), std::size_t(6));
        for (const KernelErrors& e : c.errors) {
            QVERIFY2(e.after.meanAbs < 0.06 && e.after.meanAbs < e.before.meanAbs, describe(e.kind).data());
            QVERIFY2(e.leftOut.n == e.after.n && e.leftOut.meanAbs < e.before.meanAbs, describe(e.kind).data());
        }
        QVERIFY(std::abs(c.accelerator.matmulSustained
                        / (shippedCatalog().node("dgx-h100")->node.accelerator.matmulSustained * c.profile.matmulFactor)
                    - 1)
            < 1e-9);
        QVERIFY(c.scaleUp && !c.nic);
        QVERIFY2(c.profile.source.find("NVIDIA H100 80GB HBM3 (PyTorch 2.6.0, 700 W, 2026-11-20)") != std::string::npos,
            c.profile.source.c_str());
        QCOMPARE(c.profile.id, std::string("torchtitan-measured"));
        QCOMPARE(c.profile.elementwiseForward, start().elementwiseForward); // no kernel speaks of it
    }

    void whatWasNotMeasuredStays()
    {
        SoftwareProfile truth = start();
        truth.matmulFactor *= 0.8;
        truth.memoryFactor *= 0.7;
        Json file = kernelsOf(truth);
        file.erase("memory");
        file.erase("attention");
        const KernelCalibration c = calibrateKernels(parsed(file), start(), shippedCatalog());
        QCOMPARE(c.profile.memoryFactor, start().memoryFactor);
        QCOMPARE(c.profile.flashForward, start().flashForward);
        QVERIFY(c.profile.matmulFactor < 0.9 * start().matmulFactor);
        QCOMPARE(c.errors.size(), std::size_t(2)); // products and launches
    }

    void anUnknownAcceleratorIsMeasuredAgainstItsBest()
    {
        Json file = kernelsOf(start());
        file["provenance"]["gpu"] = "Acme X1";
        const KernelCalibration c = calibrateKernels(parsed(file), start(), shippedCatalog());
        QVERIFY(!c.known && !c.warnings.empty());
        QVERIFY(describe(c.warnings.front()).starts_with("Acme X1 (79.2 GiB) is not in the catalogue"));
        QVERIFY(c.errors.front().after.meanAbs < 0.2);
    }

    void aSliceSaysNothing()
    {
        Json file = kernelsOf(start());
        QVERIFY(!measuredSlice(parsed(file)));
        file["provenance"]["gpu"] = "NVIDIA H100 80GB HBM3 MIG 1g.10gb";
        file["provenance"]["memory_bytes"] = 10500000000;
        const auto slice = measuredSlice(parsed(file));
        QVERIFY(slice && describeSlice(*slice).find("a slice of a GPU with 9.78 GiB") != std::string::npos);
    }

    void acceleratorsAreKnownByTheirDriversName_data()
    {
        QTest::addColumn<QByteArray>("gpu");
        QTest::addColumn<double>("gib");
        QTest::addColumn<QByteArray>("id");
        QTest::addColumn<int>("units");
        QTest::newRow("h100") << QByteArray("NVIDIA H100 80GB HBM3") << 79.2 << QByteArray("h100-sxm-80") << 132;
        QTest::newRow("h100 pcie") << QByteArray("NVIDIA H100 PCIe") << 79.1 << QByteArray("h100-pcie-80") << 114;
        QTest::newRow("h200") << QByteArray("NVIDIA H200") << 139.8 << QByteArray("h200-sxm-141") << 0;
        QTest::newRow("a100 40") << QByteArray("NVIDIA A100-SXM4-40GB") << 39.4 << QByteArray("a100-sxm-40") << 0;
        QTest::newRow("a100 pcie") << QByteArray("NVIDIA A100-PCIE-40GB") << 39.4 << QByteArray("a100-pcie-40") << 0;
        QTest::newRow("v100") << QByteArray("Tesla V100-SXM2-32GB") << 31.7 << QByteArray("v100-sxm-32") << 0;
        QTest::newRow("gb200") << QByteArray("NVIDIA GB200") << 184.0 << QByteArray("gb200-186") << 0;
        QTest::newRow("none") << QByteArray("NVIDIA GeForce RTX 4090") << 24.0 << QByteArray() << 128;
        QTest::newRow("slice") << QByteArray("NVIDIA H100 80GB HBM3 MIG 1g.10gb") << 9.8 << QByteArray() << 16;
        QTest::newRow("half the units") << QByteArray("NVIDIA H100 80GB HBM3") << 79.2 << QByteArray() << 60;
        QTest::newRow("half the memory") << QByteArray("NVIDIA H100 80GB HBM3") << 39.6 << QByteArray() << 132;
    }
    void acceleratorsAreKnownByTheirDriversName()
    {
        QFETCH(QByteArray, gpu);
        QFETCH(double, gib);
        QFETCH(QByteArray, id);
        QFETCH(int, units);
        const Accelerator* found = acceleratorNamed(gpu.toStdString(), Bytes(gib * kGiB), units, shippedCatalog());
        QCOMPARE(QByteArray(found ? found->id.c_str() : ""), id);
    }

    void faultsAreToldByPlace_data()
    {
        QTest::addColumn<QByteArray>("pointer");
        QTest::addColumn<QByteArray>("value");
        QTest::addColumn<QByteArray>("told");
        QTest::newRow("seconds") << QByteArray("/gemm/0/seconds") << QByteArray("0")
                                 << QByteArray("k.json: /gemm/0/seconds: found 0");
        QTest::newRow("pass") << QByteArray("/attention/0/pass") << QByteArray("\"sideways\"")
                              << QByteArray("/attention/0/pass: found \"sideways\", expected one of");
        QTest::newRow("gpu") << QByteArray("/provenance/gpu") << QByteArray("7")
                             << QByteArray("/provenance/gpu: found 7");
        QTest::newRow("version") << QByteArray("/version") << QByteArray("9")
                                 << QByteArray("/version: found 9, expected 1");
        QTest::newRow("ranks") << QByteArray("/gemm") << QByteArray("{}")
                               << QByteArray("/gemm: found an object, expected an array");
    }
    void faultsAreToldByPlace()
    {
        QFETCH(QByteArray, pointer);
        QFETCH(QByteArray, value);
        QFETCH(QByteArray, told);
        Json file = kernelsOf(start());
        file[Json::json_pointer(pointer.toStdString())] = Json::parse(value.toStdString());
        const auto profile = parseKernelProfile(file.dump(), "k.json");
        QVERIFY(!profile);
        QVERIFY2(QByteArray::fromStdString(describe(profile.error().front())).contains(told),
            describe(profile.error().front()).c_str());
    }

    void anEmptyProfileIsRefused()
    {
        const auto profile = parseKernelProfile(
            R"({"format": "stratoplan-kernels", "version": 1, "provenance": {"gpu": "x"}})", "k.json");
        QVERIFY(!profile);
        QCOMPARE(describe(profile.error().front()),
            std::string("k.json: found no measured kernel, expected gemm, attention, memory or collectives with at "
                        "least one entry"));
    }
};

STRATOPLAN_TEST(TestKernels)
#include "test_kernels.moc"
