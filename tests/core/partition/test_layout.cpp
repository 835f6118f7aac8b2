// SPDX-License-Identifier: GPL-3.0-or-later
// What has to move between operators, against counting the elements of small activations one by one.
#include "core/partition/layout.h"
#include "tests/registry.h"

#include <QTest>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <set>

using namespace stratoplan;
using namespace stratoplan::partition;

namespace {

constexpr int kSide = 8; // elements of each axis

LinearPartition partitionOf(const char* sequence)
{
    return LinearPartition(*parseSequence(sequence));
}

/// The elements that a rank holds, numbered.
std::set<int> elementsOf(const Layout& layout, int rank)
{
    std::set<int> held;
    const auto in = [&](std::size_t axis, int place) {
        return (place << layout.digits[axis].count) / kSide == layout.slice(Axis(axis), rank);
    };
    for (int b = 0; b < kSide; ++b)
        for (int t = 0; t < kSide; ++t)
            for (int c = 0; c < kSide; ++c)
                if (in(0, b) && in(1, t) && in(2, c))
                    held.insert((b * kSide + t) * kSide + c);
    return held;
}

Lack counted(const Layout& now, const Layout& next, int domain)
{
    constexpr double kAll = kSide * kSide * kSide;
    Lack most;
    const int ranks = next.ranks();
    std::vector<double> across(static_cast<std::size_t>(ranks));
    for (int rank = 0; rank < ranks; ++rank) {
        const std::set<int> own = elementsOf(now, rank);
        std::set<int> nearby;
        for (int other = rank / domain * domain; other < std::min(ranks, (rank / domain + 1) * domain); ++other)
            nearby.merge(elementsOf(now, other));
        double inside = 0;
        for (const int element : elementsOf(next, rank)) {
            if (own.contains(element))
                continue;
            (nearby.contains(element) ? inside : across[std::size_t(rank / domain)]) += 1 / kAll;
        }
        most.inside = std::max(most.inside, inside);
    }
    most.across = *std::max_element(across.begin(), across.end());
    return most;
}

/// Each bit of a rank is a digit of some axis or of none, in any order.
Layout randomLayout(int bits, std::mt19937& random)
{
    Layout layout{bits};
    std::vector<int> order(std::size_t(bits), 0);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    for (const int bit : order)
        if (const std::size_t axis = random() % (kAxes + 1); axis < kAxes)
            layout.digits[axis].append(bit);
    return layout;
}

} // namespace

class TestLayout : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void nothingMovesWhereNothingChanges()
    {
        const LinearPartition p = partitionOf("K,P2x2");
        const Layout out = layoutOf(p, Tensor::Output, Phase::Forward, p.steps() - 1);
        for (const Layout& now : {out, Layout{3}}) {
            QCOMPARE(lack(now, out, 2).inside, 0.0);
            QCOMPARE(lack(now, out, 2).across, 0.0);
        }
    }

    /// A column's output is a row's input; a row's output is everybody's.
    void megatronPairsMoveNothingBetween()
    {
        const Layout column = layoutOf(partitionOf("K,K"), Tensor::Output, Phase::Forward, 0);
        const Layout row = layoutOf(partitionOf("N,N"), Tensor::Input, Phase::Forward, 0);
        QVERIFY(column == row);
        QVERIFY(layoutOf(partitionOf("N,N"), Tensor::Output, Phase::Forward, 0) == Layout{2});
    }

    void lacksAreThoseCounted()
    {
        std::mt19937 random(3);
        for (int bits = 1; bits <= 3; ++bits) {
            const std::vector<Sequence> all = sequences(bits);
            for (int i = 0; i < 200; ++i) {
                const LinearPartition a(all[random() % all.size()]), b(all[random() % all.size()]);
                const Layout now = layoutOf(a, Tensor::Output, Phase::Forward, a.steps() - 1);
                const Layout next = layoutOf(b, Tensor::Input, Phase::Forward, 0);
                for (int domain = 1; domain <= 1 << bits; domain *= 2) {
                    const Lack known = lack(now, next, domain), expected = counted(now, next, domain);
                    const std::string where = text(a.sequence()) + " to " + text(b.sequence());
                    QVERIFY2(std::abs(known.inside - expected.inside) < 1e-12, where.c_str());
                    QVERIFY2(std::abs(known.across - expected.across) < 1e-12, where.c_str());
                }
            }
        }
    }

    /// Layouts without skew of up to 64 ranks: what conditions on digits say is what its ranks say.
    void closedFormIsThatOfRanks()
    {
        std::mt19937 random(5);
        for (int round = 0; round < 4000; ++round) {
            const int bits = 1 + int(random() % 6);
            const Layout now = randomLayout(bits, random), next = randomLayout(bits, random);
            for (int domain = 1; domain <= 1 << bits; domain *= 2) {
                const Lack known = lack(now, next, domain), expected = lackByRank(now, next, domain);
                QCOMPARE(known.inside, expected.inside);
                QCOMPARE(known.across, expected.across);
            }
        }
    }
};

STRATOPLAN_TEST(TestLayout)
#include "test_layout.moc"
