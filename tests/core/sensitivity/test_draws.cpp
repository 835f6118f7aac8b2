// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/capacity/spread.h"
#include "core/sensitivity/break_even.h"
#include "core/sensitivity/draws.h"
#include "core/sensitivity/residual.h"
#include "tests/core/fixtures.h"
#include "tests/registry.h"

#include <QTest>

#include <numeric>

using namespace stratoplan;
using namespace stratoplan::sensitivity;

namespace {

std::vector<double> rising(std::vector<double> values)
{
    std::ranges::sort(values);
    return values;
}

double correlation(const std::vector<double>& a, const std::vector<double>& b)
{
    const double ab = std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
    const double aa = std::inner_product(a.begin(), a.end(), a.begin(), 0.0);
    const double bb = std::inner_product(b.begin(), b.end(), b.begin(), 0.0);
    return ab / std::sqrt(aa * bb);
}

} // namespace

class TestDraws : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// Each dimension has the percentiles of the normal distribution, and is like no other one.
    void everyDimensionIsNormal()
    {
        constexpr std::size_t kDraws = 512, kDimensions = 60;
        std::vector<std::vector<double>> all;
        for (std::size_t d = 0; d < kDimensions; ++d) {
            all.push_back(normalDraws(kDraws, d));
            const std::vector<double> sorted = rising(all.back());
            for (const double share : {0.01, 0.1, 0.3, 0.5, 0.9})
                QVERIFY(std::abs(quantile(sorted, share) - capacity::normalAt(share)) < 0.01);
            QVERIFY(std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end());
        }
        double worst = 0;
        for (std::size_t a = 0; a < kDimensions; ++a)
            for (std::size_t b = 0; b < a; ++b)
                worst = std::max(worst, std::abs(correlation(all[a], all[b])));
        QVERIFY2(worst < 0.2, qPrintable(QString::number(worst))); // of 1,770 pairs; four deviations at random are 0.18
        QCOMPARE(normalDraws(kDraws, 3), all[3]);
    }

    /// A sum of normal inputs: its percentiles are known, and more draws come nearer to them.
    void aLinearFunctionHasItsPercentiles()
    {
        const std::vector<double> factors{3, -2, 1, 0.5, 0.25};
        const double deviation = std::sqrt(std::inner_product(factors.begin(), factors.end(), factors.begin(), 0.0));
        std::vector<double> errors;
        for (const std::size_t draws : {64U, 512U, 8192U}) {
            std::vector<double> sums(draws, 10.0);
            for (std::size_t d = 0; d < factors.size(); ++d) {
                const std::vector<double> normals = normalDraws(draws, d);
                for (std::size_t i = 0; i < draws; ++i)
                    sums[i] += factors[d] * normals[i];
            }
            const std::vector<double> sorted = rising(sums);
            double error = 0;
            for (const double share : {0.1, 0.25, 0.5, 0.75, 0.9})
                error = std::max(
                    error, std::abs(quantile(sorted, share) - 10 - deviation * capacity::normalAt(share)) / deviation);
            errors.push_back(error);
        }
        const QString seen = QStringLiteral("%1 %2 %3").arg(errors[0]).arg(errors[1]).arg(errors[2]);
        QVERIFY2(errors[1] < 0.06 && errors[2] < 0.015, qPrintable(seen));
        QVERIFY2(errors[2] < errors[1] && errors[1] < errors[0], qPrintable(seen));
    }

    void nothingIsBetweenInfiniteValues()
    {
        const double infinity = std::numeric_limits<double>::infinity();
        QCOMPARE(quantile({1, infinity, infinity}, 0.7), infinity);
        QCOMPARE(quantile({1, 3, infinity}, 0.34), 1 + (0.34 * 3 - 0.5) * 2);
    }

    /// What is left and what is explained have the percentiles of what was measured.
    void theResidualFillsUp()
    {
        const std::vector<double> normals = normalDraws(512, 0), others = normalDraws(512, 1);
        for (const double explained : {0.0, 0.02, 0.05}) {
            std::vector<double> draws = others;
            for (double& draw : draws)
                draw *= explained;
            const Residual left = residualOf(draws, normals, -0.08, 0.15);
            std::vector<double> sum(draws.size());
            for (std::size_t i = 0; i < sum.size(); ++i)
                sum[i] = draws[i] + residualAt(left, normals[i]);
            const std::vector<double> sorted = rising(sum);
            QVERIFY(std::abs(quantile(sorted, 0.1) + 0.08) < 1e-3);
            QVERIFY(std::abs(quantile(sorted, 0.9) - 0.15) < 1e-3);
            if (explained == 0) // nothing explained: the range itself
                QVERIFY(std::abs(left.low + 0.08) < 1e-3 && std::abs(left.high - 0.15) < 1e-3);
        }
        // Draws that reach further leave nothing, and stay as wide.
        std::vector<double> wide = others;
        for (double& draw : wide)
            draw *= 1.0;
        const Residual none = residualOf(wide, normals, -0.08, 0.15);
        QVERIFY(none.low == 0 && none.high == 0);
    }

    void anAffineBreakEvenIsExact()
    {
        const auto affine = [](double slope, double at) { return [=](double x) { return slope * (x - at); }; };
        for (const double at : {1.25, 7.0, 99.5}) {
            for (const double slope : {2.0, -0.25}) {
                const auto found = crossings(affine(slope, at), 1, 100, false);
                QCOMPARE(found.size(), 1UL);
                QVERIFY(fixtures::near(found.front().value, at));
                QCOMPARE(found.front().isFromAbove, slope < 0);
            }
        }
        const auto whole = crossings(affine(1, 41.5), 1, 100, true);
        QVERIFY(whole.size() == 1 && whole.front().value == 42);
        QVERIFY(crossings(affine(1, 200), 1, 100, false).empty());
        QVERIFY(crossings([](double) { return 0.0; }, 1, 100, false).empty());
        const auto twice = crossings([](double x) { return (x - 20) * (x - 70); }, 0, 100, false);
        QVERIFY(twice.size() == 2 && fixtures::near(twice[0].value, 20) && fixtures::near(twice[1].value, 70));
        QVERIFY(twice[0].isFromAbove && !twice[1].isFromAbove);
    }
};

STRATOPLAN_TEST(TestDraws)
#include "test_draws.moc"
