// SPDX-License-Identifier: GPL-3.0-or-later
// Seconds between operators: closed forms of what moves, of gathers and of sums.
#include "core/partition/hand_over.h"
#include "core/partition/states.h"
#include "tests/core/fixtures.h"
#include "tests/registry.h"

#include <QTest>
#include <algorithm>
#include <bit>

using namespace stratoplan;
using namespace stratoplan::partition;

namespace {

constexpr std::array<int, kAxes> kMost{8, 8, 8, 8};
const Bytes kWhole(1e9);

/// Domains of two under leaves of four.
cluster::Topology threeLevels()
{
    cluster::Topology topology;
    topology.levels = {{"inside", 2, BytesPerSecond(100e9), Seconds(1e-6)},
        {"leaf", 4, BytesPerSecond(40e9), Seconds(5e-6)}, {"between", 16, BytesPerSecond(10e9), Seconds(10e-6)}};
    topology.levels[1].ports = 2;
    return topology;
}

/// Those in pods of eight.
cluster::Topology fourLevels()
{
    cluster::Topology topology = threeLevels();
    topology.levels[2].size = 8;
    topology.levels.push_back({"core", 16, BytesPerSecond(4e9), Seconds(15e-6)});
    return topology;
}

/// 100 GB/s inside a domain of two, 10 GB/s for both ports of a domain together.
cluster::Topology twoDomains()
{
    cluster::Topology topology;
    topology.levels = {
        {"inside", 2, BytesPerSecond(100e9), Seconds(1e-6)}, {"between", 4, BytesPerSecond(10e9), Seconds(10e-6)}};
    topology.levels[1].ports = 2;
    return topology;
}

/// A group of one domain, closed rings.
std::pair<cluster::Topology, cluster::Span> onTorus(std::vector<int> axes, cluster::RankRun group)
{
    const cluster::Torus torus{std::move(axes)};
    cluster::Topology topology;
    topology.levels = {{"inside", int(sizeOf(torus)), BytesPerSecond(100e9), Seconds(1e-6)}};
    topology.levels[0].torus = torus;
    return {topology, {.size = group.size, .inside = group.size, .box = boxOf(torus, group)}};
}

Layout outputOf(const char* sequence)
{
    const LinearPartition partition(*parseSequence(sequence));
    return layoutOf(partition, Tensor::Output, Phase::Forward, partition.steps() - 1);
}

Layout inputOf(const char* sequence)
{
    return layoutOf(LinearPartition(*parseSequence(sequence)), Tensor::Input, Phase::Forward, 0);
}

} // namespace

class TestHandOver : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// From columns to tokens over four ranks in two domains: each rank lacks 3/16, a third of it from its neighbour.
    void theSlowerLinkCounts()
    {
        const cluster::Topology topology = twoDomains();
        const auto seconds = [&](const cluster::Span& span) {
            Layouts layouts({topology, span}, kMost);
            return HandOver(layouts, kWhole).seconds(layouts.number(outputOf("K,K")), layouts.number(inputOf("M,M")));
        };
        const double across = 2 * 2.0 / 16; // of both ranks of a domain
        QVERIFY(fixtures::near(seconds({4, 2}), 10e-6 + across * 1e9 / 10e9));
        QVERIFY(fixtures::near(seconds({4, 4}), 1e-6 + 3.0 / 16 * 1e9 / 100e9));
    }

    void whatIsThereTakesNothing()
    {
        const cluster::Topology topology = twoDomains();
        Layouts layouts({topology, {4, 2}}, kMost);
        HandOver handOver(layouts, kWhole);
        QCOMPARE(handOver.seconds(layouts.number(outputOf("K,K")), layouts.number(inputOf("N,N"))), 0.0);
        QCOMPARE(handOver.seconds(layouts.number(Layout{2}), layouts.number(inputOf("M,N"))), 0.0);
    }

    /// What only joins is a gather over the bits that it joins.
    void whatJoinsIsGathered()
    {
        const cluster::Topology topology = twoDomains();
        Layouts layouts({topology, {4, 2}}, kMost);
        HandOver handOver(layouts, kWhole);
        const int tokens = layouts.number(inputOf("M,M"));
        QCOMPARE(handOver.seconds(tokens, layouts.number(Layout{2})), allGather(topology, {4, 2}, kWhole).value());
        QCOMPARE(handOver.seconds(tokens, layouts.number(inputOf("M,K"))),
            allGather(topology, spanOfBits({4, 2}, 1), kWhole * 0.5).value());
    }

    /// Sums that the next operator wants cut along tokens are scattered as they are made; those that it wants whole
    /// are reduced everywhere, or scattered and gathered.
    void sumsAreMadeWhereTheyAreWanted()
    {
        const cluster::Topology topology = twoDomains();
        Layouts layouts({topology, {4, 2}}, kMost);
        HandOver handOver(layouts, kWhole);
        const Sums row = layouts.sums(outputOf("N,N"), 3);
        QCOMPARE(row.ways, 3);
        const double scatter = reduceScatter(topology, {4, 2}, kWhole).value();
        QCOMPARE(handOver.seconds(row, layouts.number(inputOf("M,M"))), scatter);
        QCOMPARE(handOver.seconds(row, layouts.number(outputOf("B,B"))), scatter);
        QCOMPARE(handOver.seconds(row, layouts.number(Layout{2})),
            std::min(
                allReduce(topology, {4, 2}, kWhole).value(), scatter + allGather(topology, {4, 2}, kWhole).value()));
        QCOMPARE(handOver.least(row, layouts.number(inputOf("M,M"))), scatter);
        QCOMPARE(layouts.sums(outputOf("K,K"), 0).ways, 0);
    }

    /// From every output to every input of sequences, and back, whatever the levels of links between.
    void noneTakesLessThanItsShapes()
    {
        for (const auto& [topology, span] : {std::pair{twoDomains(), cluster::Span{8, 8}}, {twoDomains(), {8, 2}},
                 {twoDomains(), {8, 1}}, {twoDomains(), {16, 4}}, {threeLevels(), {16, 2, 1, {{{4, 1}}}}},
                 {fourLevels(), {16, 2, 1, {{{4, 1}, {8, 2}}}}}, onTorus({4, 4}, {8, 1}), onTorus({4, 4}, {8, 2}),
                 onTorus({2, 8}, {16, 1}), onTorus({5, 4}, {8, 1})}) {
            Layouts layouts({topology, span}, kMost);
            const Sequences sequences(std::countr_zero(unsigned(span.size)), layouts);
            HandOver handOver(layouts, kWhole);
            double least = 0, seconds = 0;
            const auto compare = [&](const Sums& now, int next) {
                const double bound = handOver.least(now, next), taken = handOver.seconds(now, next);
                QVERIFY(bound <= taken * (1 + 1e-12));
                least += bound;
                seconds += taken;
            };
            for (const Sequences::Entry& sender : sequences.all())
                for (const Sequences::Entry& receiver : sequences.all()) {
                    compare(sender.makes, receiver.wants);
                    compare(receiver.gives, sender.makes.layout);
                }
            // On a torus the bits of a domain are not alike, and those that suit best count.
            QVERIFY(least > (span.box.isPlaced() ? 0.25 : 0.5) * seconds);
        }
    }

    /// Nothing is cut finer than it can be.
    void sumsAreScatteredAsFarAsAxesGo()
    {
        const cluster::Topology topology = twoDomains();
        Layouts layouts({topology, {4, 2}}, {0, 1, 8, 8});
        QCOMPARE(layouts.sums(outputOf("N,N"), 3).ways, 1); // channels
        QCOMPARE(layouts.sums(outputOf("N,K"), 2).ways, 2); // and tokens
    }
};

STRATOPLAN_TEST(TestHandOver)
#include "test_hand_over.moc"
