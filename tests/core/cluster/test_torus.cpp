// SPDX-License-Identifier: GPL-3.0-or-later
// Where groups lie on a torus, and what their collectives take of its links.
#include "core/cluster/cluster_edits.h"
#include "core/cluster/collectives.h"
#include "tests/core/fixtures.h"
#include "tests/registry.h"

#include <QTest>
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <rapidcheck.h>

using namespace stratoplan;
using namespace stratoplan::cluster;
using namespace stratoplan::units;

namespace {

constexpr double kBandwidth = 600e9, kHop = 1e-6, kBytes = 3e9;

/// As many nodes of four as hold it, twice where there is a network, too.
Topology pod(const Torus& torus, int pods = 1, double network = 50e9)
{
    Cluster c = fixtures::cluster(int(sizeOf(torus)) / 4 * pods, 4);
    NodeGroup& group = c.nodes.front();
    group.torus = torus;
    group.scaleUpDomain = int(sizeOf(torus));
    group.scaleUp.bandwidth = BytesPerSecond(kBandwidth);
    group.scaleUp.sustained = 1;
    group.scaleUp.latency = Seconds(kHop);
    group.scaleUp.kernels.clear();
    group.nic.bandwidth = BytesPerSecond(network);
    return topology(c);
}

Span onOne(const Torus& torus, RankRun inner, RankRun outer = {})
{
    const int size = inner.size * outer.size;
    return {.size = size, .inside = size, .box = boxOf(torus, inner, outer)};
}

const Torus kCube{{4, 4, 4}, TorusWrap::CubesOf4};

/// Of all groups like one of nested runs, everybody sending a block to everybody of its group: the most blocks that go
/// over one link in one direction, axis after axis, the shorter way around closed ones.
class Routed {
public:
    Routed(const Torus& torus, RankRun inner, RankRun outer)
        : m_torus(torus)
    {
        const int ranks = int(sizeOf(torus));
        for (int from = 0; from < ranks; ++from)
            for (int i = 0; i < inner.size; ++i)
                for (int o = 0; o < outer.size; ++o)
                    send(from, moved(moved(from, inner, i), outer, o));
    }
    [[nodiscard]] double most() const
    {
        double most = 0;
        for (const auto& [link, blocks] : m_blocks)
            most = std::max(most, blocks);
        return most;
    }

private:
    static int moved(int rank, RankRun run, int to) { return rank + (to - rank / run.stride % run.size) * run.stride; }
    void send(int from, int to)
    {
        int below = 1;
        for (std::size_t axis = 0; axis < m_torus.axes.size(); ++axis) {
            const int size = m_torus.axes[axis], start = from / below % size, end = to / below % size;
            const int up = (end - start + size) % size, down = size - up;
            const bool closed = isClosed(m_torus, axis);
            const double upwards = !closed ? (end > start ? 1 : 0) : up < down ? 1 : up == down ? 0.5 : 0;
            if (up > 0)
                for (const auto& [share, steps, isUp] : {std::tuple(upwards, closed ? up : end - start, true),
                         {1 - upwards, closed ? down : start - end, false}})
                    walk(from, below, size, share, share > 0 ? steps : 0, isUp, axis);
            from += (end - start) * below;
            below *= size;
        }
    }
    void walk(int from, int below, int size, double share, int steps, bool isUp, std::size_t axis)
    {
        for (int step = 0; step < steps; ++step) {
            m_blocks[{from, axis, isUp}] += share;
            const int at = from / below % size;
            from += ((at + (isUp ? 1 : size - 1)) % size - at) * below;
        }
    }

    const Torus& m_torus;
    std::map<std::tuple<int, std::size_t, bool>, double> m_blocks;
};

Torus anyTorus()
{
    Torus torus;
    torus.wrap = *rc::gen::elementOf(std::vector<TorusWrap>(kTorusWraps.begin(), kTorusWraps.end()));
    const int axes = *rc::gen::inRange(1, 4);
    for (int axis = 0; axis < axes; ++axis)
        torus.axes.push_back(*rc::gen::element(1, 2, 3, 4, 6, 8, axes < 3 ? 16 : 4));
    return torus;
}

int anyDivisor(int number)
{
    const int tried = *rc::gen::inRange(1, number + 1);
    return std::gcd(tried, number);
}

struct Group {
    Torus torus;
    RankRun inner, outer;
};

/// Two runs inside one torus, a gap between them or not.
Group anyGroup()
{
    Group group{anyTorus(), {}, {}};
    const int ranks = int(sizeOf(group.torus));
    group.inner.stride = anyDivisor(ranks);
    group.inner.size = anyDivisor(ranks / group.inner.stride);
    const int extent = group.inner.stride * group.inner.size, gap = anyDivisor(ranks / extent);
    group.outer.stride = extent * gap;
    group.outer.size = anyDivisor(ranks / group.outer.stride);
    return group;
}

int ranksOf(const TorusBox& box)
{
    int ranks = 1;
    for (const AxisRun& run : box.axes)
        ranks *= std::max(1, run.ranks);
    return ranks;
}

} // namespace

class TestTorus : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// "How to Scale Your Model", section 3: gathers in V/W, W the bandwidth of the axes that are spanned in both
    /// directions, or in hops.
    void ringsHaveTheAxesThatTheySpan()
    {
        const Topology t = pod(kCube);
        QCOMPARE(t.levels.size(), 1U);
        const auto gather = [&](RankRun inner) { return allGather(t, onOne(kCube, inner), Bytes(kBytes)).value(); };
        QVERIFY(fixtures::near(gather({4, 1}), 2 * kHop + 3.0 / 4 * kBytes / (kBandwidth / 3)));
        QVERIFY(fixtures::near(gather({4, 16}), 2 * kHop + 3.0 / 4 * kBytes / (kBandwidth / 3)));
        QVERIFY(fixtures::near(gather({16, 1}), 4 * kHop + 15.0 / 16 * kBytes / (kBandwidth * 2 / 3)));
        QVERIFY(fixtures::near(gather({64, 1}), 6 * kHop + 63.0 / 64 * kBytes / kBandwidth));
        // Half of an axis is a line: all goes over its links in one direction.
        QVERIFY(fixtures::near(gather({2, 1}), kHop + 1.0 / 2 * kBytes / (kBandwidth / 6)));
        // Every second of an axis: a ring, whose links the other half uses, too.
        QVERIFY(fixtures::near(gather({2, 2}), kHop + 1.0 / 2 * kBytes / (kBandwidth / 6)));
        // An axis and half of the next.
        QVERIFY(fixtures::near(gather({8, 1}), 3 * kHop + 7.0 / 8 * kBytes / (kBandwidth * (1.0 / 3 + 1.0 / 6))));
    }

    void smallSlicesAreMeshes()
    {
        const Torus torus{{2, 2, 4}, TorusWrap::CubesOf4};
        const Span all = onOne(torus, {16, 1});
        QVERIFY(fixtures::near(
            allGather(pod(torus), all, Bytes(kBytes)).value(), 5 * kHop + 15.0 / 16 * kBytes / (kBandwidth / 2)));
        Torus closed = torus;
        closed.wrap = TorusWrap::EveryAxis;
        QVERIFY(fixtures::near(allGather(pod(closed), onOne(closed, {16, 1}), Bytes(kBytes)).value(),
            4 * kHop + 15.0 / 16 * kBytes / kBandwidth));
    }

    /// The same, all-to-all: a quarter of the all-gather of all bytes on one closed axis; n/8 blocks a link.
    void exchangesAreLimitedByTheBisection()
    {
        const Torus ring{{16}, TorusWrap::EveryAxis}, line{{16}, TorusWrap::None};
        const auto exchange = [](const Torus& torus, double local) {
            return allToAll(pod(torus), onOne(torus, {int(sizeOf(torus)), 1}), Bytes(local)).value();
        };
        QVERIFY(fixtures::near(exchange(ring, kBytes), 8 * kHop + 16 * kBytes / 4 / kBandwidth));
        QVERIFY(fixtures::near(exchange(line, kBytes), 15 * kHop + 2 * 16 * kBytes / 4 / kBandwidth));
        QVERIFY(fixtures::near(exchange(kCube, kBytes), 6 * kHop + 4 * kBytes / 8 / (kBandwidth / 6)));
        // The longest axis counts.
        const Torus slab{{4, 4, 8}, TorusWrap::EveryAxis};
        QVERIFY(fixtures::near(exchange(slab, kBytes), 8 * kHop + 8 * kBytes / 8 / (kBandwidth / 6)));
    }

    void exchangesLoadTheLinksThatTheyAreRoutedOver()
    {
        int compared = 0;
        QVERIFY(rc::check("the most blocks over a link, by routing each of them", [&] {
            const Group group = anyGroup();
            const int ranks = group.inner.size * group.outer.size;
            const TorusBox box = boxOf(group.torus, group.inner, group.outer);
            RC_PRE(ranks > 1 && sizeOf(group.torus) <= 512);
            RC_ASSERT(ranksOf(box) == ranks);
            if (box == lineOf(ranks, box.axes[0].sharing))
                return; // no box: not routed so
            ++compared;
            const std::size_t axes = group.torus.axes.size();
            const double blocks = Routed(group.torus, group.inner, group.outer).most();
            RC_ASSERT(fixtures::near(torusUse(axes, box, ranks).exchange, 2 * double(axes) * blocks));
        }));
        QVERIFY(compared > 20);
    }

    void messagesGoOverOneLink()
    {
        const Topology t = pod(kCube);
        const auto send = [&](const Span& span) { return pointToPoint(t, span, Bytes(kBytes)).value(); };
        QVERIFY(fixtures::near(send(onOne(kCube, {4, 16})), kHop + kBytes / (kBandwidth / 6)));
        // Two apart: those of the rank between go over the same link.
        QVERIFY(fixtures::near(send(onOne(kCube, {2, 2})), kHop + kBytes / (kBandwidth / 12)));
    }

    void slicesAreTheMostCompactBoxes()
    {
        const auto sliced = [](std::vector<int> axes, TorusWrap wrap, int accelerators) {
            return slice(Torus{std::move(axes), wrap}, accelerators).axes;
        };
        using Axes = std::vector<int>;
        // docs.cloud.google.com/tpu/docs/v5p: shapes by number of chips.
        for (const auto& [chips, axes] : std::map<int, Axes>{{4, {1, 2, 2}}, {8, {2, 2, 2}}, {32, {2, 4, 4}},
                 {64, {4, 4, 4}}, {128, {4, 4, 8}}, {256, {4, 8, 8}}, {512, {8, 8, 8}}, {1024, {8, 8, 16}},
                 {2048, {8, 16, 16}}, {4096, {16, 16, 16}}, {6144, {16, 16, 24}}})
            QCOMPARE(sliced({16, 20, 28}, TorusWrap::CubesOf4, chips), axes);
        // docs.cloud.google.com/tpu/docs/v5e
        for (const auto& [chips, axes] : std::map<int, Axes>{
                 {4, {2, 2}}, {8, {2, 4}}, {16, {4, 4}}, {32, {4, 8}}, {64, {8, 8}}, {128, {8, 16}}, {256, {16, 16}}})
            QCOMPARE(sliced({16, 16}, TorusWrap::AxesOf16, chips), axes);
        QCOMPARE(sliced({16, 20, 28}, TorusWrap::CubesOf4, 192), (Axes{4, 4, 12})); // of whole cubes
        QCOMPARE(sliced({4, 4, 4}, TorusWrap::None, 61), (Axes{4, 4, 4})); // 61 to 63 have no box of their own
        for (const TorusWrap wrap : {TorusWrap::EveryAxis, TorusWrap::CubesOf4}) { // rings end where hosts are missing
            QVERIFY(slice(Torus{{4, 4, 4}, wrap}, 60) == (Torus{{4, 4, 4}, TorusWrap::None}));
            QVERIFY(slice(Torus{{4, 4, 4}, wrap}, 64) == (Torus{{4, 4, 4}, wrap}));
        }
        QCOMPARE(sliced({4, 2, 8}, TorusWrap::None, 64), (Axes{4, 2, 8})); // all of it, as it is
        QCOMPARE(sliced({4, 4}, TorusWrap::None, 100), (Axes{4, 4}));
    }

    void wrapsAreThoseOfTheHardware()
    {
        const auto closed = [](std::vector<int> axes, TorusWrap wrap) {
            const Torus torus{std::move(axes), wrap};
            std::vector<bool> all;
            for (std::size_t axis = 0; axis < torus.axes.size(); ++axis)
                all.push_back(isClosed(torus, axis));
            return all;
        };
        using Closed = std::vector<bool>;
        QCOMPARE(closed({4, 4, 8}, TorusWrap::CubesOf4), (Closed{true, true, true}));
        QCOMPARE(closed({2, 2, 4}, TorusWrap::CubesOf4), (Closed{false, false, false}));
        QCOMPARE(closed({8, 16}, TorusWrap::AxesOf16), (Closed{false, true}));
        QCOMPARE(closed({4, 4}, TorusWrap::EveryAxis), (Closed{true, true}));
        QCOMPARE(closed({16, 16}, TorusWrap::None), (Closed{false, false}));
    }

    void partsOfGroupsLieInTheirBoxes()
    {
        const Torus torus{{8, 4}, TorusWrap::EveryAxis};
        const TorusBox box = boxOf(torus, {16, 1}); // three bits of the first axis, one of the second
        QVERIFY((boxOfBits(box, 0b1111) == box));
        QVERIFY((boxOfBits(box, 0b0111) == boxOf(torus, {8, 1})));
        QVERIFY((boxOfBits(box, 0b0011) == boxOf(torus, {4, 1})));
        QVERIFY((boxOfBits(box, 0b0110) == boxOf(torus, {4, 2})));
        QVERIFY((boxOfBits(box, 0b1000) == boxOf(torus, {2, 8})));
        QVERIFY((boxOfBits(box, 0b1100) == boxOf(torus, {2, 4}, {2, 8})));
        QVERIFY((boxOfBits(TorusBox{}, 0b11) == TorusBox{}));
        for (unsigned bits = 1; bits < 16; ++bits) // a part has no more links than the whole
            QVERIFY(torusUse(2, boxOfBits(box, bits), 1 << std::popcount(bits)).rings <= torusUse(2, box, 16).rings);
    }

    void numbersTellBoxesApart()
    {
        QVERIFY(rc::check([] {
            const Group one = anyGroup(), other = anyGroup();
            const TorusBox a = boxOf(one.torus, one.inner, one.outer), b = boxOf(other.torus, other.inner, other.outer);
            RC_ASSERT((a == b) == (numbersOf(a) == numbersOf(b)));
        }));
        QVERIFY(numbersOf(lineOf(1'000'000)) != numbersOf(lineOf(999'999)));
    }

    void ofEveryGroup()
    {
        QVERIFY(rc::check("n = 1 is free, AR = RS + AG, bandwidth never hurts, no place beats the best", [] {
            const Group group = anyGroup();
            RC_PRE(sizeOf(group.torus) % 4 == 0);
            const Topology t = pod(group.torus);
            Topology faster = t;
            faster.levels[0].bandwidth = t.levels[0].bandwidth * (1 + *rc::gen::inRange(0, 100) / 10.0);
            const Span span = onOne(group.torus, group.inner, group.outer);
            const Span anywhere{.size = span.size, .inside = span.inside};
            const Bytes bytes(std::pow(10.0, *rc::gen::inRange(0, 11)));
            RC_ASSERT(fixtures::near(allReduce(t, span, bytes).value(),
                (reduceScatter(t, span, bytes) + allGather(t, span, bytes)).value()));
            const auto ring = [](const auto& on, const Span& of, Bytes all) {
                return allGather(on, of, all, CollectiveAlgorithm::Ring);
            };
            const auto gather = [](const auto& on, const Span& of, Bytes all) { return allGather(on, of, all); };
            const auto exchange = [](const auto& on, const Span& of, Bytes all) { return allToAll(on, of, all); };
            const auto judge = [&](const auto& seconds) {
                const Seconds taken = seconds(t, span, bytes);
                RC_ASSERT((span.size == 1) == (taken == Seconds{}));
                RC_ASSERT(seconds(faster, span, bytes) <= taken);
                RC_ASSERT(seconds(t, anywhere, bytes).value() <= taken.value() * (1 + 1e-12));
            };
            judge(ring), judge(gather), judge(exchange), judge(&broadcast), judge(&pointToPoint);
            RC_ASSERT(gather(t, span, bytes).value() <= ring(t, span, bytes).value() * (1 + 1e-12));
            // No faster than through switches, but for the hops.
            Topology switched = t;
            switched.levels[0].torus.reset();
            switched.levels[0].latency = Seconds(0);
            RC_ASSERT(gather(switched, span, bytes).value() <= gather(t, span, bytes).value() * (1 + 1e-12));
            RC_ASSERT(exchange(switched, span, bytes).value() <= exchange(t, span, bytes).value() * (1 + 1e-12));
        }));
    }

    void podsAreLeftLast()
    {
        const Topology t = pod(kCube, 4);
        Span span{.size = 64, .inside = 16, .sharingUplink = 4, .box = boxOf(kCube, {16, 1})};
        const auto gather = [&](CollectiveAlgorithm algorithm) {
            return allGather(t, span, Bytes(kBytes), algorithm).value();
        };
        const double outer = allGather(t, {.size = 4, .inside = 1, .sharingUplink = 64}, Bytes(kBytes)).value();
        const double inner = allGather(pod(kCube), onOne(kCube, {16, 1}), Bytes(kBytes)).value();
        QVERIFY(gather(CollectiveAlgorithm::Hierarchical) > inner);
        QVERIFY(gather(CollectiveAlgorithm::Hierarchical) < inner + outer * 1.1);
        QVERIFY(gather(CollectiveAlgorithm::Hierarchical) <= gather(CollectiveAlgorithm::Ring));
        // A ring through the pods has one axis inside at the best, however fast the network.
        const Topology fast = pod(kCube, 4, 1e15);
        QVERIFY(allGather(fast, span, Bytes(1e12), CollectiveAlgorithm::Ring).value()
            >= 63.0 / 64 * 1e12 / (kBandwidth / 3));
    }

    void topologiesHaveTheTorusThatTheyArePartOf()
    {
        Cluster c = fixtures::cluster(256, 4);
        c.nodes[0].scaleUpDomain = 4096;
        c.nodes[0].torus = Torus{{16, 16, 16}, TorusWrap::CubesOf4};
        const TopologyLevel domain = topology(c).levels[0];
        QCOMPARE(domain.torus, c.nodes[0].torus);
        QCOMPARE(slice(*domain.torus, domain.size).axes, (std::vector{8, 8, 16}));
        c.nodes[0].torus = Torus{{0, 3}, TorusWrap::None}; // at odds with everything: as if there were none
        QVERIFY(!topology(c).levels[0].torus);
        c.nodes[0].torus = Torus{{4, 4, 4}, TorusWrap::CubesOf4};
        QVERIFY(!topology(c).levels[0].torus);
    }

    void editsKeepDomainAndTorusTogether()
    {
        NodeGroup group;
        setTorusAxes(group, {4, 4, 8});
        QCOMPARE(group.scaleUpDomain, 128);
        group.torus->wrap = TorusWrap::CubesOf4;
        setScaleUpDomain(group, 64);
        QVERIFY((group.torus == Torus{{4, 4, 4}, TorusWrap::CubesOf4}));
        setScaleUpDomain(group, 63); // is none: said by check()
        QVERIFY((group.torus == Torus{{4, 4, 4}, TorusWrap::CubesOf4}));
        setTorusAxes(group, {});
        QVERIFY(!group.torus);
        QCOMPARE(group.scaleUpDomain, 63);
    }
};

STRATOPLAN_TEST(TestTorus)
#include "test_torus.moc"
