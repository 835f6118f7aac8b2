// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/narration/sensitivities.h"
#include "core/sensitivity/analysis.h"
#include "core/sensitivity/break_even.h"
#include "core/sensitivity/sweep.h"
#include "tests/core/fixtures.h"
#include "tests/registry.h"

#include <QTest>

#include <atomic>

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

/// The same model on the same nodes, by tensor parallelism.
Case byTensors()
{
    Case given = ofSmall();
    given.plan.strategy.tp = 4;
    given.plan.strategy.dp = 2;
    return given;
}

Analysis analysed(const std::vector<Case>& cases, AnalysisOptions options = {})
{
    options.draws = options.draws == 512 ? 128 : options.draws;
    return analyse(cases, options).value();
}

const Bar* barOf(const Answer& answer, std::string_view key)
{
    const auto bar = std::ranges::find_if(answer.bars, [&](const Bar& each) { return each.input.key == key; });
    return bar == answer.bars.end() ? nullptr : &*bar;
}

/// Of the peaks that two plans draw.
double covarianceOfPeaks(const Answer& a, const Answer& b)
{
    double ofA = 0, ofB = 0, ofBoth = 0;
    const auto draws = double(a.drawn.size());
    for (std::size_t i = 0; i < a.drawn.size(); ++i) {
        const double logA = std::log(a.drawn[i].at(Measure::Peak)), logB = std::log(b.drawn[i].at(Measure::Peak));
        ofA += logA / draws;
        ofB += logB / draws;
        ofBoth += logA * logB / draws;
    }
    return ofBoth - ofA * ofB;
}

bool isWhole(const Chance& chance)
{
    return std::abs(chance.wins + chance.ties + chance.losses - 1) < 1e-9;
}

} // namespace

class TestSensitivity : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// Draws and what they leave have the range of the estimate: no narrower, and as wide where inputs allow.
    void theRangeIsTheMeasuredOne()
    {
        for (const Case& given : {ofSmall(), byTensors()}) {
            const Answer answer = analysed({given}).plans.front();
            const estimate::Estimate& e = answer.estimate;
            const capacity::Spread& step = answer.ranges[std::size_t(Measure::Step)];
            QVERIFY(std::abs(std::log(step.low / e.stepLow.value())) < 0.01);
            QVERIFY(std::abs(std::log(step.high / e.stepHigh.value())) < 0.01);
            const capacity::Spread& peak = answer.ranges[std::size_t(Measure::Peak)];
            QVERIFY(std::abs(std::log(peak.low / e.memory.peakLow.value())) < 0.01);
            QVERIFY(std::abs(std::log(peak.high / e.memory.peakHigh.value())) < 0.01);
            QVERIFY(fixtures::near(answer.base.at(Measure::Step), e.step.value()));
        }
    }

    /// Days are as the whole run has them.
    void daysAreThoseOfTheRun()
    {
        const Case given = ofSmall();
        const Answer answer = analysed({given}, {.draws = 1024}).plans.front();
        const capacity::Capacity run = capacity::capacity(given.plan, answer.estimate, given.run);
        const capacity::Spread& days = answer.ranges[std::size_t(Measure::Days)];
        QVERIFY(fixtures::near(days.mid, run.days.mid));
        QVERIFY(std::abs(days.low / run.days.low - 1) < 0.03 && std::abs(days.high / run.days.high - 1) < 0.03);
        const capacity::Spread& cost = answer.ranges[std::size_t(Measure::Cost)];
        QVERIFY(fixtures::near(cost.high / days.high, run.cost.mid / run.days.mid)); // the price is stated
    }

    void whatIsTheSameCancels()
    {
        const Analysis same = analysed({ofSmall(), ofSmall()});
        for (const Chance& chance : same.plans.back().against) {
            QVERIFY(chance.ties > 1 - 1e-9);
            QCOMPARE(chance.isBetter(), 0.5);
        }
        // A little less bandwidth is never better, however wide the ranges are.
        Case slower = ofSmall();
        slower.plan.cluster.nodes.front().nic.bandwidth *= 0.98;
        slower.plan.cluster.nodes.front().scaleUp.bandwidth *= 0.98;
        const Analysis nearly = analysed({ofSmall(), slower});
        const Chance& step = nearly.plans.back().against[std::size_t(Measure::Step)];
        QVERIFY2(step.isBetter() > 0.8, qPrintable(QString::number(step.isBetter())));
    }

    /// With other software the error of one peak says nothing of the other's.
    void peaksShareWhatPlansShare()
    {
        Case other = ofSmall();
        other.plan.training.software.id = "another";
        const Analysis analysis = analysed({ofSmall(), ofSmall(), other});
        const Answer &first = analysis.plans[0], &twin = analysis.plans[1], &apart = analysis.plans[2];
        const double own = covarianceOfPeaks(first, first);
        QVERIFY(own > 0 && std::abs(covarianceOfPeaks(first, twin) / own - 1) < 0.01);
        QVERIFY(std::abs(covarianceOfPeaks(first, apart))
            <= 0.4 * std::sqrt(own * std::max(0.0, covarianceOfPeaks(apart, apart))) + 1e-12);
    }

    /// Batches that ranks do not divide have no plan: they are counted, and ranges are those of the others.
    void whatCannotRunIsCounted()
    {
        const Answer answer = analysed({ofSmall()}, {.stated = {{"global_batch", {60, 68}}}}).plans.front();
        QVERIFY(answer.cannotRun > 0 && answer.cannotRun < 1);
        const capacity::Spread& step = answer.ranges[std::size_t(Measure::Step)];
        QVERIFY(step.low < step.mid && step.mid < step.high && std::isfinite(step.high));
        QVERIFY(answer.outOfMemory >= 0 && answer.outOfMemory <= 1 - 1e-9);
    }

    void costsAreComparedInOneCurrency()
    {
        Case other = ofSmall();
        other.run.currency = "EUR";
        const Analysis analysis = analysed({ofSmall(), other});
        const auto cost = std::size_t(Measure::Cost), days = std::size_t(Measure::Days);
        QVERIFY(analysis.plans.back().isCompared[days] && !analysis.plans.back().isCompared[cost]);
        QVERIFY(analysis.plans.front().best[cost] == 0 && analysis.plans.front().best[days] == 0.5);
    }

    /// A plan at seven times the price has the range that is stated of the first one in ratio.
    void statedRangesFollowThePlan()
    {
        Case dear = ofSmall();
        dear.run.pricePerAcceleratorHour = 14;
        const Analysis analysis = analysed({ofSmall(), dear}, {.stated = {{"price", {1.0, 4.0}}}});
        const Bar* const first = barOf(analysis.plans.front(), "price");
        const Bar* const other = barOf(analysis.plans.back(), "price");
        QVERIFY(first != nullptr && first->input.low == 1 && first->input.high == 4);
        QVERIFY(other != nullptr && fixtures::near(other->input.low, 7) && fixtures::near(other->input.high, 28));
    }

    void hostsAreFilledToo()
    {
        const Case given = ofSmall();
        estimate::Estimate e = *priced(given.plan);
        QVERIFY(outcomeOf(given, e).fits());
        e.memory.hostPeak = Bytes(2);
        QVERIFY(!outcomeOf(given, e).fits());
        e.memory.hostCapacity = Bytes(4);
        QVERIFY(outcomeOf(given, e).fits());
    }

    /// The steps of a ramp have the luck of all others.
    void rampsHaveLuck()
    {
        Case given = ofSmall();
        given.run.goodput = 0.5;
        given.run.ramp.start = 16;
        given.run.ramp.increment = 16;
        given.run.ramp.tokens = 5e8;
        const estimate::Estimate e = *priced(given.plan);
        const double usual = outcomeOf(given, e).at(Measure::Days);
        Luck luck;
        luck.step = 1.2;
        QVERIFY(fixtures::near(outcomeOf(given, e, luck).at(Measure::Days), 1.2 * usual));
    }

    void chancesAreSymmetric()
    {
        const Analysis forth = analysed({ofSmall(), byTensors()}), back = analysed({byTensors(), ofSmall()});
        for (const Measure measure : kMeasures) {
            const Chance& a = forth.plans.back().against[std::size_t(measure)];
            const Chance& b = back.plans.back().against[std::size_t(measure)];
            QVERIFY(isWhole(a) && isWhole(b));
            QVERIFY(std::abs(a.wins - b.losses) < 0.08);
            double best = 0;
            for (const Answer& plan : forth.plans)
                best += plan.best[std::size_t(measure)];
            QVERIFY(std::abs(best - 1) < 1e-9);
            QVERIFY(std::abs(forth.plans.front().best[std::size_t(measure)] - a.isBetter()) < 1e-9);
        }
    }

    void whatPlaysNoPartHasNoBar()
    {
        const Case given = byTensors(); // groups of data parallelism alone cross nodes
        const Answer answer = analysed({given}).plans.front();
        const Bar* const fp8 = barOf(answer, "fp8_factor");
        QVERIFY(fp8 != nullptr && !hasEffect(*fp8, answer.base));
        const Bar* const network = barOf(answer, "network_bandwidth");
        QVERIFY(network != nullptr && hasEffect(*network, answer.base));
        QVERIFY(network->low.at(Measure::Step) >= network->high.at(Measure::Step)); // less of it takes longer
        const std::vector<Bar> bars = byEffect(answer.bars, Measure::Step, answer.base);
        QVERIFY(std::ranges::none_of(bars, [](const Bar& bar) { return bar.input.key == "fp8_factor"; }));
        const double base = answer.base.at(Measure::Step);
        for (std::size_t i = 1; i < bars.size(); ++i)
            QVERIFY(reachOf(bars[i - 1], Measure::Step, base).width() >= reachOf(bars[i], Measure::Step, base).width());
        // One node less: the links between nodes carry nothing.
        Case alone = byTensors();
        alone.plan.cluster.nodes.front().count = 1;
        alone.plan.strategy.dp = 1;
        QVERIFY(barOf(analysed({alone}).plans.front(), "network_bandwidth") == nullptr);
    }

    void aBarIsThePlanPricedAnew()
    {
        const Case given = ofSmall();
        const Answer answer = analysed({given}).plans.front();
        const Bar bar = byEffect(answer.bars, Measure::Step, answer.base).front();
        const Case low = withValue(given, bar.input.key, bar.input.low);
        QVERIFY(fixtures::near(bar.low.at(Measure::Step), estimate::estimate(low.plan)->step.value()));
    }

    void threadsChangeNothing()
    {
        const std::vector<Case> cases{ofSmall(), byTensors()};
        const Analysis serial = analysed(cases, {.draws = 64, .threads = 1}),
                       four = analysed(cases, {.draws = 64, .threads = 4});
        for (std::size_t k = 0; k < cases.size(); ++k)
            for (std::size_t i = 0; i < serial.draws; ++i)
                QCOMPARE(serial.plans[k].drawn[i].values, four.plans[k].drawn[i].values);
    }

    /// A plan at the edge of its memory: the chance falls as memory grows, and is that of the range.
    void memoryRunsOutByChance()
    {
        Case given = ofSmall();
        const estimate::Estimate e = *estimate::estimate(given.plan);
        double before = 1;
        for (const auto& [memory, least, most] : {std::tuple{e.memory.peakLow, 0.85, 0.95}, {e.memory.peak, 0.2, 0.8},
                 {e.memory.peakHigh, 0.05, 0.15}, {e.memory.peakHigh * 1.5, 0.0, 0.01}}) {
            given.plan.cluster.nodes.front().accelerator.memory = memory;
            const Answer answer = analysed({given}).plans.front();
            QVERIFY2(answer.outOfMemory >= least && answer.outOfMemory <= most,
                qPrintable(QString::number(answer.outOfMemory)));
            QVERIFY(answer.outOfMemory <= before);
            before = answer.outOfMemory;
        }
    }

    /// A range that a person states of the price: the cost has it, days do not move.
    void statedRangesCount()
    {
        Case given = ofSmall();
        given.run.failures.acceleratorMtbf = given.run.failures.nodeMtbf = given.run.failures.nicMtbf = 1e9;
        const Answer usual = analysed({given}).plans.front();
        const Answer answer = analysed({given}, {.stated = {{"price", {1.0, 4.0}}}}).plans.front();
        const auto cost = std::size_t(Measure::Cost), days = std::size_t(Measure::Days);
        QVERIFY(answer.ranges[cost].low < usual.ranges[cost].low && answer.ranges[cost].high > usual.ranges[cost].high);
        QVERIFY(std::abs(answer.ranges[days].high / usual.ranges[days].high - 1) < 0.02);
        const Bar* const price = barOf(answer, "price");
        QVERIFY(price != nullptr && price->input.isStated);
        QVERIFY(fixtures::near(price->high.at(Measure::Cost), 2 * answer.base.at(Measure::Cost)));
        // Of the network: what was measured has it at its usual range, this comes on top.
        const Answer slow = analysed({given}, {.stated = {{"network_bandwidth", {1e9, 30e9}}}}).plans.front();
        const auto step = std::size_t(Measure::Step);
        QVERIFY(slow.ranges[step].high > 1.05 * usual.ranges[step].high);
    }

    void sweepsArePlansPricedAnew()
    {
        const Case given = byTensors();
        const Input bandwidth = *inputOf(given, "network_bandwidth"), batch = *inputOf(given, "global_batch");
        const Axis x{bandwidth, spaced(bandwidth, 5e9, 50e9, 4)}, y{batch, {32, 64}};
        const auto line = sweep(given, x);
        QCOMPARE(line.size(), 4UL);
        for (std::size_t i = 1; i < line.size(); ++i)
            QVERIFY(line[i].outcome->at(Measure::Step) <= line[i - 1].outcome->at(Measure::Step));
        const auto map = sweep(given, x, y);
        QCOMPARE(map.size(), 8UL);
        for (const SweepPoint& point : map) {
            const Case at = withValue(withValue(given, bandwidth.key, point.x), batch.key, point.y);
            QVERIFY(fixtures::near(point.outcome->at(Measure::Step), estimate::estimate(at.plan)->step.value()));
        }
        // Batches that micro-batches do not divide have no plan, and say so.
        const auto odd = sweep(given, {batch, {63}});
        QVERIFY(!odd.front().outcome && !odd.front().problems.empty() && odd.front().isDone);
    }

    void replannedIsNoSlower()
    {
        Case given = ofSmall();
        const Input nodes = *inputOf(given, "nodes");
        const Axis x{nodes, {1, 2}};
        plan::SearchSpace space = plan::defaultSpace();
        space.microBatch = plan::IntChoice::just(1);
        const auto fixed = sweep(given, x), best = sweep(given, x, {}, {.space = space});
        QVERIFY(!fixed.front().outcome); // 8 ranks on 4 accelerators
        QVERIFY(best.front().outcome && rankCount(best.front().strategy) <= 4);
        QVERIFY(best.back().outcome->at(Measure::Step) <= fixed.back().outcome->at(Measure::Step) * (1 + 1e-9));
    }

    /// Cost is price times a constant: two plans at their own prices break even where the prices do.
    void breakEvenOfAnAffineCase()
    {
        const Case dear = ofSmall();
        Case cheap = dear;
        cheap.run.pricePerAcceleratorHour = 1;
        // Owned accelerators cost alike whatever the price by the hour: a constant against a line.
        Case owned = dear;
        owned.run.purchase = plan::Purchase::Owned;
        owned.run.owned.pricePerAccelerator = 20'000;
        const double price = 20'000.0 / 4 / 8766;
        const Input input = *inputOf(dear, "price");
        const auto estimate = *priced(dear.plan);
        QVERIFY(fixtures::near(outcomeOf(withValue(dear, "price", price), estimate).at(Measure::Cost),
            outcomeOf(owned, estimate).at(Measure::Cost)));
        const BreakEven found = breakEven(dear, owned, input, Measure::Cost, 0.1, 4);
        QCOMPARE(found.places.size(), 1UL);
        QVERIFY(fixtures::near(found.places.front().value, price) && found.places.front().otherIsBetterAbove);
        const BreakEven none = breakEven(dear, owned, input, Measure::Cost, 1, 4);
        QVERIFY(none.places.empty() && none.atLow.other < none.atLow.first && none.atHigh.other < none.atHigh.first);
        QVERIFY(narration::describe(none, input, "A", "B", "USD").front().find("no break-even") != std::string::npos);
    }

    void stopsWithWhatItHas()
    {
        std::stop_source stop;
        stop.request_stop();
        const std::vector<Case> cases{ofSmall()};
        const Analysis nothing = *analyse(cases, {}, stop.get_token());
        QVERIFY(nothing.isStopped && nothing.draws == 0);
        std::stop_source later;
        AnalysisOptions options{.draws = 1024, .threads = 2};
        std::atomic<int> most = 0;
        options.progress = [&](int done, int total) {
            most = total;
            if (done > total / 2)
                later.request_stop();
        };
        const Analysis part = *analyse(cases, options, later.get_token());
        QVERIFY(part.isStopped && part.draws > 0 && part.draws < 1024 && part.draws % 64 == 0);
        QCOMPARE(part.plans.front().drawn.size(), part.draws);
        QVERIFY(most > 1024);
    }

    void whatCannotBePricedIsSaid()
    {
        Case wrong = ofSmall();
        wrong.plan.strategy.tp = 3;
        const std::vector<Case> cases{ofSmall(), wrong};
        const auto answer = analyse(cases);
        QVERIFY(!answer && answer.error().plan == 1 && !answer.error().problems.empty());
    }
};

STRATOPLAN_TEST(TestSensitivity)
#include "test_sensitivity.moc"
