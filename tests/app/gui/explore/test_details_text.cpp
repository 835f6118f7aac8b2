// SPDX-License-Identifier: GPL-3.0-or-later
// What the details say: units, figures and sentences.
#include "app/gui/explore/details_text.h"
#include "app/gui/explore/pipeline_details.h"
#include "app/gui/search/search_texts.h"
#include "core/units/format.h"
#include "tests/app/gui_test.h"

#include <QRegularExpression>
#include <QTest>

using namespace stratoplan::capacity;
using namespace stratoplan::estimate;
using namespace stratoplan::gui;
using namespace stratoplan::pipeline;
using namespace stratoplan::plan;
using namespace stratoplan::search;
using namespace stratoplan::session;
using namespace stratoplan::units;
using namespace stratoplan::widgets;
using namespace stratoplan::test;

namespace {

QString all(const DetailSections& sections)
{
    QStringList lines;
    for (const DetailSection& section : sections) {
        lines << section.title << section.text << section.remark;
        for (const DetailRow& row : section.rows)
            lines << row.name + u'\t' + row.value;
    }
    return lines.join(u'\n');
}

} // namespace

class TestDetailsText : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        m_plan = exampleDocument().project.plan;
        const auto result = estimate(m_plan);
        QVERIFY(result);
        m_estimate = *result;
    }

    void parametersAreCountedInBillions()
    {
        const QString text = all(planDetails(m_plan, m_estimate));
        QVERIFY2(text.contains(QStringLiteral("Parameters\t175 B")), qPrintable(text));
        QVERIFY(!text.contains(QStringLiteral(" G\n")));
    }

    void aReasonEndsWithOneStop()
    {
        m_estimate.extrapolates = {{.code = ExtrapolationCode::Offload}, {.code = ExtrapolationCode::UnlikeTp}};
        const QString text = all(planDetails(m_plan, m_estimate));
        QVERIFY2(
            text.contains(QStringLiteral("Outside what was measured: no measured case that offloads to host memory; "
                                         "no measured case with stages of different TP.")),
            qPrintable(text));
        QVERIFY(!text.contains(QStringLiteral("..")));
    }

    void theRunHasTheUnitsOfTheVerdict()
    {
        CapacityInputs inputs;
        inputs.tokens = 300e9;
        inputs.pricePerAcceleratorHour = 2;
        inputs.currency = "USD";
        const Capacity run = capacity(m_plan, m_estimate, inputs);
        QVERIFY(run.energyKwh.mid > 1e4);
        const QString text = all(figureDetails(VerdictFigure::Cost, m_plan, m_estimate, inputs));
        QVERIFY2(text.contains(QStringLiteral(" MWh")) && !text.contains(QStringLiteral("kWh")), qPrintable(text));
        QVERIFY(text.contains(QStringLiteral("Cost\t$")));
        for (const VerdictFigure figure : {VerdictFigure::Run, VerdictFigure::Cost}) {
            const VerdictText cell = verdictText(figure, {m_estimate, run}, inputs, {}, {});
            const QString value = cell.unit.isEmpty() ? cell.value : cell.value + u' ' + cell.unit;
            QVERIFY2(text.contains(value), qPrintable(value + u'\n' + text));
        }
    }

    void zeroNamesAllItDivides()
    {
        const std::vector<std::pair<int, QString>> parts{{1, QStringLiteral("divides optimizer states over")},
            {2, QStringLiteral("divides optimizer states and gradients over")},
            {3, QStringLiteral("divides optimizer states, gradients and weights over")}};
        for (const auto& [stage, words] : parts) {
            Plan plan = m_plan;
            plan.strategy.zeroStage = stage;
            QVERIFY(all(memoryDetails(0, plan, m_estimate)).contains(parts.front().second)); // beside a pipeline
            plan.training.software.shardsEachMicroBatch = true;
            const QString text = all(memoryDetails(0, plan, m_estimate));
            QVERIFY2(text.contains(words), qPrintable(text));
            QVERIFY2(text.contains(QStringLiteral("micro-batches of one sequence,")),
                qPrintable(text)); // as the example has it
        }
    }

    /// Whether it fits is told by the range, not by the estimate alone.
    void peaksAreToldWithTheirRange()
    {
        Estimate e = m_estimate;
        e.memory.capacity = Bytes(80 * kGiB);
        e.memory.peak = Bytes(70 * kGiB);
        e.memory.peakLow = Bytes(66 * kGiB);
        e.memory.peakHigh = Bytes(79.9 * kGiB);
        QCOMPARE(peakRangeText(e), QStringLiteral("peak 70.0 GiB of 80.0 GiB, 80 % range 66.0 GiB to 79.9 GiB"));
        e.memory.peakHigh = Bytes(80.1 * kGiB);
        QVERIFY(peakRangeText(e).endsWith(QStringLiteral("80.1 GiB: it may not fit")));
    }

    void reasonsTellTheBubbleAndWhatMoreIsWorth()
    {
        WhyAnswer answer;
        answer.best.step = Seconds(10);
        answer.best.value = 10;
        answer.why.binding = Binding::Slower;
        answer.why.step = answer.why.simulated = Seconds(12);
        answer.why.worse = 0.2;
        answer.why.slower = 0.2;
        answer.why.bubble = 0.125;
        QString text = all(whyDetails(answer));
        QVERIFY2(text.contains(QStringLiteral("step +20.0 % against the best; its bubble is 12.5 % of it.")),
            qPrintable(text));
        QVERIFY2(!text.contains(QStringLiteral("With more")), qPrintable(text)); // not known yet
        FoundStrategy faster;
        faster.step = Seconds(9);
        faster.value = 9;
        Rescored same;
        same.standing = Standing::Fits;
        same.found.step = Seconds(12);
        Rescored fails;
        fails.standing = Standing::OutOfMemory;
        answer.worth = std::vector{MarginalValue{Resource::Memory, 1.1, faster, same},
            MarginalValue{Resource::NetworkBandwidth, 1.1, answer.best, fails},
            MarginalValue{Resource::Nodes, 2, {}, same}};
        text = all(whyDetails(answer));
        for (const char* line : {"With more, the best takes", "10.0 % more memory\t9.00 s · −10.0 %",
                 "10.0 % more network bandwidth\t10.0 s · ±0 %", "2 times the nodes\tnone fits",
                 "With more, this one takes", "10.0 % more memory\t12.0 s",
                 "10.0 % more network bandwidth\tdoes not fit"})
            QVERIFY2(text.contains(QString::fromUtf8(line)), qPrintable(QString::fromUtf8(line) + u'\n' + text));
        answer.options.objective = Objective::SmallestCluster; // counted in accelerators
        faster.strategy.dp = 64;
        answer.worth->front().best = faster;
        text = all(whyDetails(answer));
        QVERIFY2(text.contains(QStringLiteral("10.0 % more memory\t64 accelerators, 9.00 s")), qPrintable(text));
    }

    /// Every figure explains itself with numbers that are numbers.
    void detailsExplain()
    {
        for (const char* name : {"gpt3-175b-1024-a100", "llama3-405b-16384-h100", "gpt2-xl-alpa"}) {
            const Plan plan = exampleDocument(name).project.plan;
            const auto priced = estimate(plan);
            QVERIFY2(priced, name);
            CapacityInputs inputs;
            inputs.tokens = 300e9;
            inputs.pricePerAcceleratorHour = 2;
            std::vector<DetailSections> all{planDetails(plan, *priced)};
            for (const VerdictFigure figure : kVerdictFigures)
                all.push_back(figureDetails(figure, plan, *priced, inputs));
            for (int stage = 0; stage < static_cast<int>(priced->memory.stages.size()); ++stage)
                all.push_back(memoryDetails(stage, plan, *priced));
            const GanttIndex index(simulate(priced->pipeline));
            const auto slices = static_cast<std::uint32_t>(index.timeline().slices.size());
            for (const std::uint32_t slice : {0u, 1u, slices / 2, slices - 1})
                all.push_back(sliceDetails(slice, index, plan, *priced));
            all.push_back(areaDetails({{areaSums(index, {index.whole(), 0, index.stages() - 1}), {}}}));
            all.push_back(differenceDetails(
                compareWaits(index.timeline(), index.timeline()), QStringLiteral("a"), QStringLiteral("b")));
            all.push_back({improvementDetails(improvements(plan), true)});
            for (const DetailSections& sections : all) {
                QVERIFY(!sections.empty());
                for (const DetailSection& section : sections) {
                    QVERIFY(!section.title.isEmpty());
                    for (const DetailRow& row : section.rows)
                        QVERIFY2(
                            !row.value.isEmpty() && !row.value.contains(QStringLiteral("nan"), Qt::CaseInsensitive),
                            qPrintable(row.name));
                    QVERIFY2(!section.text.contains(u'%')
                            || !section.text.contains(QRegularExpression(QStringLiteral("%[0-9]"))),
                        qPrintable(section.text));
                }
            }
            const auto& parts = all.front().back().rows;
            QCOMPARE(parts.back().value, QString::fromStdString(format(priced->step)));
            QVERIFY(memoryDetails(99, plan, *priced).empty());
        }
    }

private:
    Plan m_plan;
    Estimate m_estimate;
};

QTEST_GUILESS_MAIN(TestDetailsText)
#include "test_details_text.moc"
