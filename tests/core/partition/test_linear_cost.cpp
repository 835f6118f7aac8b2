// SPDX-License-Identifier: GPL-3.0-or-later
// Bytes that partitions of a linear operator move and keep, against worked numbers; seconds on a topology against
// closed forms.
#include "core/partition/linear_cost.h"
#include "tests/registry.h"

#include <QTest>
#include <cmath>

using namespace stratoplan;
using namespace stratoplan::partition;

namespace {

constexpr LinearSize kSmall{1, 16, 32, 64};
constexpr LinearSize kLarge{1, 1024, 4096, 16384};

/// Four accelerators in two domains: 100 GB/s inside, 10 GB/s for both ports of a domain together.
cluster::Topology twoDomains()
{
    cluster::Topology topology;
    topology.levels = {
        {"inside", 2, BytesPerSecond(100e9), Seconds(1e-6)}, {"between", 4, BytesPerSecond(10e9), Seconds(10e-6)}};
    topology.levels[1].ports = 2;
    topology.accelerators = 4;
    return topology;
}

cluster::Topology oneDomain(int ranks)
{
    cluster::Topology topology;
    topology.levels = {{"inside", ranks, BytesPerSecond(100e9), Seconds(1e-6)}};
    topology.accelerators = ranks;
    return topology;
}

cost::Machine machineOn(const cluster::Topology& topology)
{
    cost::Machine machine;
    machine.matmul = machine.peak = machine.widePeak = FlopsPerSecond(100e12);
    machine.memory = BytesPerSecond(1e12);
    machine.topology = topology;
    return machine;
}

PhaseCost priced(const char* sequence, Phase phase, const LinearSize& size, const cluster::Topology& topology,
    const cluster::Span& span)
{
    const cost::Machine machine = machineOn(topology);
    const plan::SoftwareProfile software;
    return phaseCost(LinearTraffic(LinearPartition(*parseSequence(sequence)), span), phase, size,
        {machine, software, {machine.topology, span}, {}, false});
}

PhaseCost priced(const char* sequence, Phase phase, const LinearSize& size)
{
    return priced(sequence, phase, size, oneDomain(4), {4, 4});
}

} // namespace

class TestLinearCost : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// Four ranks, two bytes an element: what each receives from neighbours, or sends in a ring of all-reduces.
    void bytesAreThoseOfTheWorkedExample_data()
    {
        QTest::addColumn<QString>("sequence");
        QTest::addColumn<bool>("large");
        QTest::addColumn<QList<double>>("ring"); // forward, backward, gradient
        QTest::addColumn<QList<double>>("collective");
        QTest::newRow("primitive") << "P2x2" << false << QList<double>{1280, 2560, 1792} << QList<double>{0, 0, 0};
        QTest::newRow("column") << "K,K" << false << QList<double>{0, 0, 0} << QList<double>{0, 1536, 0};
        QTest::newRow("row") << "N,N" << false << QList<double>{0, 0, 0} << QList<double>{3072, 0, 0};
        QTest::newRow("data, sequences") << "B,B" << false << QList<double>{0, 0, 0} << QList<double>{0, 0, 6144};
        QTest::newRow("data, tokens") << "M,M" << false << QList<double>{0, 0, 0} << QList<double>{0, 0, 6144};
        QTest::newRow("primitive, large")
            << "P2x2" << true << QList<double>{35651584, 75497472, 44040192} << QList<double>{0, 0, 0};
    }
    void bytesAreThoseOfTheWorkedExample()
    {
        QFETCH(const QString, sequence);
        QFETCH(const bool, large);
        QFETCH(const QList<double>, ring);
        QFETCH(const QList<double>, collective);
        for (const Phase phase : kPhases) {
            const PhaseCost cost = priced(qPrintable(sequence), phase, large ? kLarge : kSmall);
            QCOMPARE(cost.ringBytes.value(), ring[int(phase)]);
            QCOMPARE(cost.collectiveBytes.value(), collective[int(phase)]);
        }
    }

    /// (n - 1) (I + W) / n^2 forward, ((n - 1) O + n W) / n^2 backward, ((n - 1) (I + O) + W) / n^2 for gradients.
    void primitivesMoveWhatTheirFormulaSays()
    {
        const double in = elements(Tensor::Input, kLarge), weight = elements(Tensor::Weight, kLarge),
                     out = elements(Tensor::Output, kLarge);
        for (const int order : {1, 2, 3}) {
            const double n = 1 << order;
            const Sequence sequence{{{}, order}};
            const cluster::Topology topology = oneDomain(1 << 2 * order);
            const cluster::Span all{1 << 2 * order, 1 << 2 * order};
            const auto bytes = [&](Phase phase) {
                return priced(text(sequence).c_str(), phase, kLarge, topology, all).ringBytes.value() / 2 * n * n;
            };
            QCOMPARE(bytes(Phase::Forward), (n - 1) * (in + weight));
            QCOMPARE(bytes(Phase::Backward), (n - 1) * out + n * weight);
            QCOMPARE(bytes(Phase::Gradient), (n - 1) * (in + out) + weight);
        }
    }

    void whatIsKept()
    {
        const auto kept = [](const char* sequence) {
            return linearBytes(LinearTraffic(LinearPartition(*parseSequence(sequence)), {4, 4}), kSmall, {});
        };
        QCOMPARE(kept("P2x2").weight.value(), 1024.0);
        QCOMPARE(kept("P2x2").stash.value(), 256.0);
        QCOMPARE(kept("P2x2").buffers.value(), 512.0 + 1024); // output and weight move at once
        QCOMPARE(kept("K,K").weight.value(), 1024.0);
        QCOMPARE(kept("K,K").stash.value(), 1024.0);
        QCOMPARE(kept("K,K").buffers.value(), 0.0);
        QCOMPARE(kept("N,N").stash.value(), 256.0);
        QCOMPARE(kept("M,M").weight.value(), 4096.0);
    }

    /// Blocks that stay inside a domain take its links; those that leave it share its ports.
    void movesTakeTheLinksTheyCross()
    {
        const cluster::Topology topology = twoDomains();
        const GroupPlace place{topology, {4, 2}};
        const Bytes block(1e6);
        const auto seconds = [&](const std::vector<int>& senders) {
            return moveSeconds(place, crossing(senders, place.span), block).value();
        };
        QCOMPARE(seconds({0, 1, 2, 3}), 0.0);
        QCOMPARE(seconds({1, 0, 3, 2}), 1e-6 + 1e6 / 100e9);
        QCOMPARE(seconds({2, 1, 0, 3}), 10e-6 + 1e6 / 5e9); // one rank of each domain: its own port
        QCOMPARE(seconds({2, 3, 0, 1}), 10e-6 + 1e6 / 5e9); // both: a port each
        const GroupPlace shared{topology, {4, 2, 2}};
        QCOMPARE(moveSeconds(shared, crossing({2, 3, 0, 1}, shared.span), block).value(), 10e-6 + 1e6 / 2.5e9);
    }

    /// The first bit of a sequence crosses domains, the last does not.
    void allReducesSpanTheirBits()
    {
        const cluster::Span group{8, 4, 2, 0, 1};
        QVERIFY((spanOfBits(group, 0b001) == cluster::Span{2, 2, 4, 0, 1}));
        QVERIFY((spanOfBits(group, 0b100) == cluster::Span{2, 1, 8, 0, 1}));
        QVERIFY((spanOfBits(group, 0b101) == cluster::Span{4, 2, 4, 0, 1}));
        QVERIFY((spanOfBits(group, 0b111) == cluster::Span{8, 4, 2, 0, 1}));
    }

    /// A step takes its product or its moves, whichever is longer.
    void aStepHidesTheShorterOfTwo()
    {
        const auto between = [](const LinearSize& size) {
            return priced("P2x2", Phase::Forward, size, twoDomains(), {4, 2});
        };
        for (const PhaseCost& cost : {between(kSmall), between(kLarge), priced("P2x2", Phase::Forward, kLarge)}) {
            const double step = cost.compute.value() / 2; // moves run beside the first of two
            QVERIFY(std::abs(cost.exposed.value() - std::max(0.0, cost.ring.value() - step)) < 1e-15);
            QVERIFY(std::abs(cost.total().value() - (step + std::max(step, cost.ring.value()))) < 1e-15);
        }
        QVERIFY(between(kSmall).exposed > Seconds{});
        // Tokens per rank over n bytes F / (2 bandwidth), 2,000 here.
        QCOMPARE(priced("P2x2", Phase::Forward, {1, 16384, 4096, 16384}).exposed.value(), 0.0);
    }
};

STRATOPLAN_TEST(TestLinearCost)
#include "test_linear_cost.moc"
