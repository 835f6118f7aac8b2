// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cluster/collectives.h"
#include "core/cluster/kernel_tables.h"
#include "tests/registry.h"

#include <QTest>

#include <cmath>

using namespace stratoplan::cluster;
using namespace stratoplan::units;

namespace {

std::size_t knot(std::size_t m, std::size_t n, std::size_t k)
{
    return (m * kMatmulKnotsNK.size() + n) * kMatmulKnotsNK.size() + k;
}

CollectiveCurve curve(CollectiveOp op, int ranks, double latency, double share)
{
    return {op, ranks, Seconds(latency), Seconds(2 * latency), Bytes(4e6), share, {}};
}

/// Rising op, then ranks, as the catalogue sorts them.
std::vector<CollectiveCurve> curves()
{
    return {curve(CollectiveOp::AllReduce, 2, 10e-6, 0.8), curve(CollectiveOp::AllReduce, 4, 14e-6, 1.0),
        curve(CollectiveOp::AllReduce, 8, 22e-6, 1.2), curve(CollectiveOp::AllGather, 8, 16e-6, 1.0)};
}

double seconds(CollectiveOp op, int ranks, double bytes)
{
    return collectiveSeconds(curves(), op, ranks, Bytes(bytes), BytesPerSecond(200e9)).value();
}

} // namespace

class TestKernelTables : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void correctionIsExactOnKnotsAndLinearBetween()
    {
        MatmulKernels kernels;
        for (std::size_t i = 0; i < kernels.correction.size(); ++i)
            kernels.correction[i] = float(i);
        QCOMPARE(matmulCorrection(kernels, 1024, 2048, 8192), double(knot(1, 2, 3)));
        // Halfway between two knots of k, in log2.
        QCOMPARE(matmulCorrection(kernels, 1024, 2048, 4096), double(knot(1, 2, 2)) + 0.5);
        QCOMPARE(matmulCorrection(kernels, 2048, 2048, 2048), (double(knot(1, 2, 2)) + double(knot(2, 2, 2))) / 2);
        // Beyond the outer knots the table is constant.
        QCOMPARE(matmulCorrection(kernels, 1, 1, 1), 0.0);
        QCOMPARE(matmulCorrection(kernels, 1e9, 1e9, 1e9), double(kMatmulKnots - 1));
    }

    void attentionReachesHalfItsRateAtTheRamp()
    {
        const AttentionKernels kernels{FlopsPerSecond(1e14), 1000, {64, 128, 256}, {0.6, 1.0, 1.2}, 2, {}};
        QCOMPARE(attentionShape(kernels, 1000, 128), 0.5);
        QCOMPARE(attentionShape(kernels, 1e12, 64), 0.6 * (1e12 / (1e12 + 1000)));
        QCOMPARE(attentionShape(kernels, 1000, 96), 0.5 * 0.8);
        QCOMPARE(attentionShape(kernels, 1000, 32), 0.5 * 0.6);
        QCOMPARE(attentionShape(kernels, 1000, 512), 0.5 * 1.2);
        QVERIFY(attentionShape(kernels, 4096, 128) > attentionShape(kernels, 2048, 128));
        const AttentionKernels one{FlopsPerSecond(1e14), 500, {128}, {1.0}, 2, {}};
        QCOMPARE(attentionShape(one, 500, 64), 0.5);
    }

    void collectivesFollowTheirCurve()
    {
        // latency + ramp · b/(b + half) + 2 (n-1)/n b / (rate · share)
        QCOMPARE(seconds(CollectiveOp::AllReduce, 4, 4e6), 14e-6 + 28e-6 * 0.5 + 1.5 * 4e6 / 200e9);
        QCOMPARE(seconds(CollectiveOp::AllGather, 8, 4e6), 16e-6 + 32e-6 * 0.5 + 0.875 * 4e6 / 200e9);
        QCOMPARE(seconds(CollectiveOp::AllReduce, 1, 4e6), 0.0);
        // A group of a size that was not measured lies between its neighbours; a larger one has more latency than the
        // largest.
        const double three = seconds(CollectiveOp::AllReduce, 3, 1e3);
        QVERIFY(three > seconds(CollectiveOp::AllReduce, 2, 1e3) && three < seconds(CollectiveOp::AllReduce, 4, 1e3));
        QVERIFY(seconds(CollectiveOp::AllReduce, 16, 1e3) > seconds(CollectiveOp::AllReduce, 8, 1e3));
        QCOMPARE(seconds(CollectiveOp::AllReduce, 16, 1e12),
            30e-6 + 60e-6 * (1e12 / (1e12 + 4e6)) + 2 * 15.0 / 16 * 1e12 / (200e9 * 1.2));
    }

    void aDomainWithCurvesUsesThemAndNamedAlgorithmsDoNot()
    {
        const std::vector<CollectiveCurve> measured = curves();
        Topology topology;
        topology.accelerators = 16;
        topology.levels.resize(2);
        topology.levels[0].size = 8;
        topology.levels[0].bandwidth = BytesPerSecond(200e9);
        topology.levels[0].latency = Seconds(2e-6);
        topology.levels[1] = topology.levels[0];
        topology.levels[1].size = 16;
        const Span inside{8, 8, 1};
        const Span outside{16, 8, 1};
        const Seconds ring = allReduce(topology, inside, Bytes(1e8), CollectiveAlgorithm::Ring);
        const Seconds across = allReduce(topology, outside, Bytes(1e8));
        topology.levels[0].curves = &measured;
        QCOMPARE(allReduce(topology, inside, Bytes(1e8)).value(), seconds(CollectiveOp::AllReduce, 8, 1e8));
        QCOMPARE(allReduce(topology, inside, Bytes(1e8), CollectiveAlgorithm::Ring).value(), ring.value());
        QCOMPARE(allReduce(topology, outside, Bytes(1e8)).value(), across.value());
    }
};

STRATOPLAN_TEST(TestKernelTables)
#include "test_kernel_tables.moc"
