// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/capacity/capacity.h"
#include "core/capacity/spread.h"
#include "core/estimate/range.h"
#include "core/narration/sensitivities.h"
#include "core/sensitivity/inputs.h"
#include "core/sensitivity/likeness.h"
#include "core/sensitivity/tornado.h"
#include "tests/core/fixtures.h"
#include "tests/registry.h"

#include <QTest>

using namespace stratoplan;
using namespace stratoplan::sensitivity;

namespace {

Case ofSmall()
{
    Case given{fixtures::small(), {}};
    given.run.tokens = 1e9;
    given.run.pricePerAcceleratorHour = 2;
    return given;
}

} // namespace

class TestSensitivityInputs : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// Reading, setting and reading again; and each has words.
    void everyInputIsReadAndSet()
    {
        const Case given = ofSmall();
        const std::vector<Input> inputs = inputsOf(given);
        QVERIFY(inputs.size() > 40);
        for (const Input& input : inputs) {
            QCOMPARE(inputOf(given, input.key), std::optional(input));
            const double other = input.isWhole ? 2 * input.value
                : input.value > 0              ? std::min(input.most, input.value * 1.1)
                                               : 0.1;
            const Case changed = withValue(given, input.key, other);
            QVERIFY2(fixtures::near(inputOf(changed, input.key)->value, other), input.key.c_str());
            if (input.value > 0)
                QVERIFY(changed != given || other == input.value);
            QVERIFY2(narration::nameOfInput(input.key) != input.key || input.key == "nodes" || input.key == "tokens",
                input.key.c_str());
            QVERIFY(input.low <= input.value && input.value <= input.high);
            if (input.isUncertain())
                QVERIFY2(!input.source.empty() || input.part.empty(), input.key.c_str());
        }
        QVERIFY(!inputOf(given, "no_such_input"));
        QVERIFY(withValue(given, "no_such_input", 3) == given);
    }

    void whatIsStatedIsCertain()
    {
        Case given = ofSmall();
        QVERIFY(!inputOf(given, "price")->isUncertain());
        given.run.pricePerAcceleratorHour = 0;
        given.plan.cluster.nodes.front().accelerator.id = "h100-sxm-80";
        QVERIFY(inputOf(given, "price")->isUncertain());
        QVERIFY(inputOf(given, "failure_rate")->isUncertain());
        given.run.failures.acceleratorMtbf = given.run.failures.nodeMtbf = given.run.failures.nicMtbf = 1e5;
        QVERIFY(!inputOf(given, "failure_rate")->isUncertain());
        QVERIFY(inputOf(given, "network_bandwidth")->isUncertain());
        given.plan.cluster.nodes.front().count = 1; // no network
        QVERIFY(!inputOf(given, "network_bandwidth"));
        given.run = {};
        QVERIFY(!inputOf(given, "price") && !inputOf(given, "failure_rate"));
    }

    void aRangeIsThatOfItsPercentiles()
    {
        Input input;
        input.value = 10;
        input.low = 5;
        input.high = 40;
        QVERIFY(fixtures::near(valueAt(input, -capacity::kNinetieth), 5));
        QVERIFY(fixtures::near(valueAt(input, capacity::kNinetieth), 40));
        QCOMPARE(valueAt(input, 0), 10.0);
        const Input half = narrowed(input, 0.5);
        QVERIFY(fixtures::near(half.low, 10 / std::sqrt(2)) && fixtures::near(half.high, 20));
        input = {.value = 0.5, .low = 0.2, .high = 0.9, .most = 1, .isShare = true};
        QVERIFY(fixtures::near(valueAt(input, -capacity::kNinetieth), 0.2));
        QVERIFY(fixtures::near(valueAt(input, capacity::kNinetieth), 0.9));
        QVERIFY(valueAt(input, 6) < 1);
        input.most = 0.7;
        QCOMPARE(valueAt(input, 6), 0.7);
    }

    /// Of pairs of measured cases, by their distance: groups of models weigh as the root of their pairs.
    void theEvidenceHasIt()
    {
        struct Sums {
            double pairs = 0, apart = 0, all = 0;
        };
        std::vector<const estimate::EvidenceRow*> rows;
        for (const estimate::EvidenceRow& row : estimate::shippedEvidenceRows())
            if (!row.memory && row.weight > 0)
                rows.push_back(&row);
        const std::array<double, 6> edges{0, 0.5, 2, 4, 16, 64};
        std::array<std::map<std::string, Sums>, 6> bins;
        for (std::size_t i = 0; i < rows.size(); ++i)
            for (std::size_t j = 0; j < i; ++j) {
                const estimate::EvidenceRow &a = *rows[i], &b = *rows[j];
                if (a.software != b.software)
                    continue;
                const double d = estimate::squaredDistance(a.traits, b.traits, a.accelerator == b.accelerator);
                const auto bin = std::size_t(std::ranges::upper_bound(edges, d) - edges.begin() - 1);
                Sums& sums = bins[bin][a.software + a.group + '|' + b.group];
                sums.pairs += 1;
                sums.apart += std::pow(a.residual - b.residual, 2) / 2;
                sums.all += (a.residual * a.residual + b.residual * b.residual) / 2;
            }
        const std::array<double, 6> middles{0.1, 1, 3, 8, 30, 100};
        for (std::size_t bin = 0; bin < bins.size(); ++bin) {
            double apart = 0, all = 0;
            for (const auto& [group, sums] : bins[bin]) {
                apart += sums.apart / std::sqrt(sums.pairs);
                all += sums.all / std::sqrt(sums.pairs);
            }
            const double seen = 1 - apart / all, said = correlationAt(middles[bin]);
            QVERIFY2(std::abs(seen - said) < 0.15,
                qPrintable(QString("%1: %2, not %3").arg(middles[bin]).arg(seen).arg(said)));
        }
    }

    void likePlansErrAlike()
    {
        const plan::Plan small = fixtures::small();
        const auto price = [](const plan::Plan& plan) { return *estimate::estimate(plan); };
        const auto like = [&](const plan::Plan& other) { return likeness(small, price(small), other, price(other)); };
        QCOMPARE(like(small), 1.0);
        plan::Plan other = small;
        other.cluster.nodes.front().nic.bandwidth *= 0.999;
        QVERIFY(like(other) > 0.99 && like(other) < 1);
        other = small;
        other.strategy.tp = 2;
        other.strategy.dp = 4;
        QVERIFY(like(other) > 0.1 && like(other) < 0.7);
        QVERIFY(fixtures::near(like(other), likeness(other, price(other), small, price(small))));
        other.training.software.id = "another";
        QCOMPARE(like(other), 0.0);
    }
};

STRATOPLAN_TEST(TestSensitivityInputs)
#include "test_sensitivity_inputs.moc"
