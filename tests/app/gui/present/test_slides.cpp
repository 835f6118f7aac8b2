// SPDX-License-Identifier: GPL-3.0-or-later
// What slides say, which slides there are, and what keys mean among them.
#include "app/gui/present/deck.h"
#include "app/gui/present/live_inputs.h"
#include "app/gui/present/slide_texts.h"
#include "core/narration/estimates.h"
#include "core/plan/dimensions.h"
#include "tests/app/gui_test.h"
#include "widgets/presentation/numbers.h"
#include "widgets/presentation/text.h"

#include <QRegularExpression>
#include <QTest>

using namespace stratoplan;
using namespace stratoplan::gui;
using namespace stratoplan::test;

namespace {

SlideState stateOf(const plan::Plan& plan, const plan::CapacityInputs& inputs)
{
    SlideState state;
    state.plan = std::make_shared<const plan::Plan>(plan);
    state.estimate = std::make_shared<const session::EstimateResult>(estimate::estimate(plan));
    state.inputs = inputs;
    if (state.priced())
        state.run = capacity::capacity(plan, *state.priced(), inputs);
    return state;
}

SlideState exampleState(std::string_view name = "llama-70b-512-h100")
{
    const exchange::Document document = exampleDocument(name);
    plan::CapacityInputs inputs = document.project.capacity;
    inputs.tokens = 15e12;
    inputs.start = "2026-12-01";
    return stateOf(document.project.plan, inputs);
}

SlideFigure figureOf(const SlideState& state, const QString& title)
{
    for (const SlideFigure& figure : decisionFigures(state))
        if (figure.title == title)
            return figure;
    return {};
}

bool tells(const std::vector<SlideItem>& items, const QString& text)
{
    return std::ranges::any_of(
        items, [&](const SlideItem& item) { return item.head.contains(text) || item.text.contains(text); });
}

} // namespace

class TestSlides : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void savedSlidesStandAfterTheOthers()
    {
        const Deck usual = deckOf({});
        QCOMPARE(usual.size(), std::size_t(8));
        QVERIFY(usual.front().view == plan::SlideView::Decision);
        const Deck deck = deckOf({{"B", plan::SlideView::Overview, {}, {}}, {"A", plan::SlideView::Time, {}, {}}});
        QCOMPARE(deck.size(), usual.size() + 2);
        QVERIFY(deck[8] == (DeckSlide{QStringLiteral("B"), plan::SlideView::Overview, 0}));
        QVERIFY(deck[9] == (DeckSlide{QStringLiteral("A"), plan::SlideView::Time, 1}));
    }

    void keysStayWithinTheDeck()
    {
        for (int current = 0; current < 8; ++current)
            for (const int key :
                {Qt::Key_Right, Qt::Key_Left, Qt::Key_Space, Qt::Key_PageUp, Qt::Key_Home, Qt::Key_End}) {
                const int next = slideOfKey(key, current, 8);
                QVERIFY(next >= 0 && next < 8);
            }
        QCOMPARE(slideOfKey(Qt::Key_PageDown, 2, 8), 3);
        QCOMPARE(slideOfKey(Qt::Key_PageUp, 2, 8), 1);
        QCOMPARE(slideOfKey(Qt::Key_3, 0, 8), 2);
        QCOMPARE(slideOfKey(Qt::Key_0, 0, 10), 9);
        QCOMPARE(slideOfKey(Qt::Key_9, 0, 8), -1); // there is none
        QCOMPARE(slideOfKey(Qt::Key_A, 0, 8), -1);
    }

    void theDecisionIsThatOfTheRun()
    {
        const SlideState state = exampleState();
        const QString days = widgets::countText(state.run.days.mid) + QStringLiteral(" days");
        const QString done = doneDayText(state.inputs, state.run.days.mid);
        const QString money = widgets::moneyText(state.run.cost.mid, "USD");
        QVERIFY(state.run.isPriced && state.run.days.high > state.run.days.low);
        for (const QString& part : {days, done, money, QStringLiteral("15.0 T tokens"), QStringLiteral("TP\u00a0")})
            QVERIFY2(decisionSentence(state).contains(part), qPrintable(decisionSentence(state)));
        QCOMPARE(figureOf(state, QStringLiteral("Duration")).value, days);
        QCOMPARE(figureOf(state, QStringLiteral("Delivered")).value, done);
        QVERIFY(figureOf(state, QStringLiteral("Delivered")).note.contains(QStringLiteral("80 % range")));
        QCOMPARE(figureOf(state, QStringLiteral("Energy")).value, widgets::energyText(state.run.energyKwh.mid));
        QVERIFY(figureOf(state, QStringLiteral("Accelerators"))
                    .note.contains(widgets::groupedNumber(state.run.paid) + QStringLiteral(" paid for")));
        QVERIFY(budgetHint(state).isEmpty());
    }

    void theDateIsSoManyDaysAfterTheFirst()
    {
        plan::CapacityInputs inputs;
        QCOMPARE(doneDayText(inputs, 3), QString());
        inputs.start = "2026-12-30";
        QCOMPARE(doneDayText(inputs, 0.9), QStringLiteral("30 Dec 2026"));
        QCOMPARE(doneDayText(inputs, 3), QStringLiteral("2 Jan 2027"));
    }

    void rangesSayTheirUnitOnce()
    {
        QCOMPARE(betweenText(QStringLiteral("9.64 s"), QStringLiteral("10.2 s")), QStringLiteral("9.64–10.2 s"));
        QCOMPARE(betweenText(QStringLiteral("950 ms"), QStringLiteral("1.02 s")), QStringLiteral("950 ms – 1.02 s"));
        QCOMPARE(betweenText(QStringLiteral("1 s"), QStringLiteral("1 s")), QString());
        QCOMPARE(betweenText(QStringLiteral("2 Mar 2027"), QStringLiteral("9 Mar 2027")),
            QStringLiteral("2 Mar 2027 – 9 Mar 2027"));
    }

    void withoutABudgetItSaysSo()
    {
        SlideState state = exampleState();
        state = stateOf(*state.plan, {});
        QVERIFY(budgetHint(state).contains(QStringLiteral("No budget is given")));
        QVERIFY(decisionSentence(state).contains(widgets::text(state.priced()->step)));
        for (const char* title : {"Duration", "Delivered", "Cost", "Energy"}) {
            QCOMPARE(figureOf(state, QString::fromLatin1(title)).value, QStringLiteral("–"));
            QCOMPARE(figureOf(state, QString::fromLatin1(title)).note, QStringLiteral("no budget given"));
        }
        QVERIFY(tells(riskItems(state), QStringLiteral("give the tokens of the run")));
    }

    void risksTellWhatFailsAndWhatIsNotMeasured()
    {
        const SlideState state = exampleState();
        const std::vector<SlideItem> risks = riskItems(state);
        QVERIFY(tells(risks, QStringLiteral("goodput ") + widgets::shareText(state.run.goodput.share)));
        const qint64 failures = std::llround(state.run.goodput.failures);
        QVERIFY(tells(risks, widgets::groupedNumber(failures) + QStringLiteral(" interruptions")));
        QVERIFY(tells(risks, QStringLiteral("One chance in ten")));
        QVERIFY(tells(risks, QStringLiteral("chance of not fitting")));
        for (const std::string& outside : narration::describe(state.priced()->extrapolates))
            QVERIFY2(tells(risks, QString::fromStdString(outside)), outside.c_str());
    }

    /// Counted in the evidence that ships, by this plan's software.
    void evidenceIsCounted()
    {
        const SlideState state = exampleState();
        const std::string software = state.plan->training.software.id;
        const auto cases = std::ranges::count_if(estimate::shippedEvidenceRows(),
            [&](const estimate::EvidenceRow& row) { return !row.memory && row.software == software; });
        QVERIFY(cases > 0);
        const std::vector<SlideItem> items = evidenceItems(state);
        QVERIFY(tells(items, widgets::groupedNumber(cases) + QStringLiteral(" measured cases of ")));
        for (const capacity::Assumption& assumed : capacity::assumptions(*state.plan, state.inputs))
            QVERIFY2(tells(items, QString::fromStdString(assumed.date)), assumed.input.c_str());
        for (const SlideItem& item : items)
            QVERIFY2(item.text.endsWith(u'.'), qPrintable(item.text));
    }

    void whatCannotBeEstimatedSaysWhy()
    {
        plan::Plan plan = *exampleState().plan;
        plan.strategy.tp = 3;
        const SlideState state = stateOf(plan, {});
        QVERIFY(!state.priced());
        QVERIFY(!faultItems(state).empty());
        for (const plan::SlideView view : plan::kSlideViews)
            QVERIFY(!spokenText(view, state).isEmpty());
    }

    /// Every number a person sees is told to a screen reader, too.
    void everySlideIsSpoken()
    {
        const SlideState state = exampleState();
        for (const plan::SlideView view : plan::kSlideViews) {
            QVERIFY(!titleOf(view).isEmpty());
            QVERIFY(spokenText(view, state).size() > 40);
        }
        QVERIFY(spokenText(plan::SlideView::Decision, state).contains(decisionSentence(state)));
    }

    /// As many replicas as the cluster holds; red exactly where a rule is broken.
    void nodesBringTheirReplicas()
    {
        const plan::Plan plan = exampleDocument("llama-70b-512-h100").project.plan;
        const int nodes = plan.cluster.nodes[largestGroup(plan.cluster)].count;
        const plan::Plan half = withNodes(plan, nodes / 2);
        QCOMPARE(half.cluster.nodes.front().count, nodes / 2);
        QCOMPARE(rankCount(half.strategy), acceleratorCount(half.cluster));
        QCOMPARE(half.strategy.tp, plan.strategy.tp);
        QVERIFY(withNodes(half, nodes).strategy == plan.strategy);
        bool hasOwn = false;
        for (const widgets::SliderStop& stop : nodeStops(plan)) {
            hasOwn = hasOwn || stop.value == nodes;
            QCOMPARE(stop.zone == widgets::Zone::Red, hasErrors(check(withNodes(plan, stop.value))));
            QCOMPARE(stop.reason.isEmpty(), stop.zone != widgets::Zone::Red);
        }
        QVERIFY(hasOwn);
    }
};

QTEST_GUILESS_MAIN(TestSlides)
#include "test_slides.moc"
