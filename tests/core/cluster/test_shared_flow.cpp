// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cluster/shared_flow.h"
#include "tests/core/fixtures.h"
#include "tests/registry.h"

#include <QTest>

#include <cmath>
#include <limits>
#include <random>

using namespace stratoplan;
using cluster::SharedFlow;

namespace {

struct Edge {
    std::size_t from = 0, to = 0; ///< sources first, then switches; the last one is the sink
    double capacity = 0;
    [[nodiscard]] bool isCable(std::size_t sources) const { return from >= sources; }
};
struct Network {
    std::vector<double> units; ///< of each source
    std::size_t switches = 0;
    std::vector<Edge> edges;

    [[nodiscard]] std::size_t end() const { return units.size() + switches; }
    [[nodiscard]] SharedFlow::Most most(const std::vector<std::size_t>& some) const
    {
        SharedFlow flow;
        std::vector<std::size_t> vertices;
        for (const double demand : units)
            vertices.push_back(flow.addSource(demand));
        for (std::size_t i = 0; i < switches; ++i)
            vertices.push_back(flow.addVertex());
        vertices.push_back(SharedFlow::sink());
        for (const Edge& edge : edges)
            flow.addEdge(vertices[edge.from], vertices[edge.to], edge.capacity);
        return flow.mostOf(some);
    }
};

/// Each source has a port, and that cables to some switches, which have some upwards to others or out.
Network randomNetwork(std::mt19937& random)
{
    const auto upTo = [&](int most) { return std::uniform_int_distribution(1, most)(random); };
    Network network;
    network.units.assign(std::size_t(1 + upTo(2)), 0.0);
    const std::size_t sources = network.units.size();
    network.switches = sources + std::size_t(upTo(3)); // ports, then switches
    for (std::size_t i = 0; i < sources; ++i) {
        network.units[i] = upTo(4);
        network.edges.push_back({i, sources + i, double(upTo(40))});
        for (std::size_t to = 2 * sources; to < network.end(); ++to)
            if (to == network.end() - 1 || upTo(2) == 1)
                network.edges.push_back({sources + i, to, double(upTo(20))});
    }
    for (std::size_t from = 2 * sources; from < network.end(); ++from)
        for (std::size_t to = from + 1; to <= network.end(); ++to)
            if (to == network.end() || upTo(2) == 1)
                network.edges.push_back({from, to, double(upTo(20))});
    return network;
}

/// By all sets of vertices, for sources that are all in question.
double leastCut(const Network& network)
{
    double least = std::numeric_limits<double>::infinity();
    for (unsigned set = 1; set < 1U << network.end(); ++set) {
        double demand = 0, carried = 0;
        for (std::size_t i = 0; i < network.units.size(); ++i)
            demand += (set >> i & 1U) != 0 ? network.units[i] : 0;
        for (const Edge& edge : network.edges)
            if ((set >> edge.from & 1U) != 0 && (edge.to == network.end() || (set >> edge.to & 1U) == 0))
                carried += edge.capacity;
        if (demand > 0)
            least = std::min(least, carried / demand);
    }
    return least;
}

std::vector<std::size_t> allOf(const Network& network)
{
    std::vector<std::size_t> all;
    for (std::size_t i = 0; i < network.units.size(); ++i)
        all.push_back(i);
    return all;
}

} // namespace

class TestSharedFlow : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void allSendWhatTheLeastCutCarries()
    {
        std::mt19937 random(1);
        for (int i = 0; i < 300; ++i) {
            const Network network = randomNetwork(random);
            QVERIFY(fixtures::near(network.most(allOf(network)).ofUnit, leastCut(network)));
        }
    }

    void eachSendsAsMuchAsAllOrMore()
    {
        std::mt19937 random(2);
        for (int i = 0; i < 300; ++i) {
            const Network network = randomNetwork(random);
            const double ofAll = network.most(allOf(network)).ofUnit;
            for (const std::size_t one : allOf(network))
                QVERIFY(network.most({one}).ofUnit >= ofAll * (1 - 1e-9));
        }
    }

    /// A narrow cable of one source leaves no more to another.
    void lessOfAnyCableLeavesNobodyMore()
    {
        std::mt19937 random(3);
        int lowered = 0;
        for (int i = 0; i < 300; ++i) {
            Network network = randomNetwork(random);
            for (const std::size_t one : allOf(network)) {
                const double before = network.most({one}).ofUnit;
                for (Edge& edge : network.edges) {
                    if (!edge.isCable(network.units.size()))
                        continue;
                    const double capacity = std::exchange(edge.capacity, edge.capacity / 3);
                    const double after = network.most({one}).ofUnit;
                    QVERIFY2(after <= before * (1 + 1e-9), qPrintable(QString("%1 of network %2").arg(one).arg(i)));
                    lowered += after < before * (1 - 1e-9) ? 1 : 0;
                    edge.capacity = capacity;
                }
            }
        }
        QVERIFY(lowered > 300);
    }

    /// An edge more is never less for all.
    void noEdgeIsInTheWayOfAll()
    {
        std::mt19937 random(4);
        for (int i = 0; i < 300; ++i) {
            const Network network = randomNetwork(random);
            const double before = network.most(allOf(network)).ofUnit;
            for (std::size_t e = 0; e < network.edges.size(); ++e) {
                Network without = network;
                without.edges.erase(without.edges.begin() + std::ptrdiff_t(e));
                const SharedFlow::Most after = without.most(allOf(network));
                QVERIFY(!after.heldBack.empty() || after.ofUnit <= before * (1 + 1e-9));
            }
        }
    }

    /// Both have cables to both of two switches, whose uplinks carry 20 and 4: without a cable to the first, the other
    /// one sends 4 over the second.
    void othersThatLoseTheirWayLeaveMore()
    {
        Network network{
            {1, 1}, 4, {{0, 2, 40}, {1, 3, 40}, {2, 4, 40}, {2, 5, 40}, {3, 4, 1}, {3, 5, 40}, {4, 6, 20}, {5, 6, 4}}};
        QVERIFY(fixtures::near(network.most({0}).ofUnit, 12)); // as if it could send all over that cable
        network.edges.erase(network.edges.begin() + 4);
        QVERIFY(fixtures::near(network.most({0}).ofUnit, 20));
    }

    /// Two sources of one unit, an uplink of 10 for both: one whose port carries 2 leaves 8, one whose cable does 5.
    void portsLeaveWhatTheyCannotSendAndCablesDoNot()
    {
        Network network{{1, 1}, 3, {{0, 2, 20}, {1, 3, 2}, {2, 4, 20}, {3, 4, 20}, {4, 5, 10}}};
        QVERIFY(fixtures::near(network.most({0}).ofUnit, 8));
        QVERIFY(fixtures::near(network.most({1}).ofUnit, 2));
        std::swap(network.edges[1].capacity, network.edges[3].capacity);
        QVERIFY(fixtures::near(network.most({0}).ofUnit, 5));
        QVERIFY(fixtures::near(network.most({1}).ofUnit, 2));
    }

    /// The second one has a way of its own, the first one does not: what it cannot send there it does not ask for.
    void othersAskForNoMoreThanTheyCanSend()
    {
        const Network network{{1, 1}, 4, {{0, 2, 9}, {1, 3, 9}, {2, 4, 9}, {3, 4, 9}, {3, 5, 9}, {4, 6, 1}, {5, 6, 7}}};
        QVERIFY(fixtures::near(network.most({1}).ofUnit, 7));
        QVERIFY(fixtures::near(network.most({0}).ofUnit, 1));
        QVERIFY(fixtures::near(network.most({0, 1}).ofUnit, 1));
    }
};

STRATOPLAN_TEST(TestSharedFlow)
#include "test_shared_flow.moc"
