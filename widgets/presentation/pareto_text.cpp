// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/presentation/pareto_text.h"

#include "widgets/presentation/numbers.h"
#include "widgets/presentation/text.h"
#include "widgets/presentation/translate.h"

#include <algorithm>

namespace stratoplan::widgets {

QString inSentence(QString name)
{
    if (name.size() > 1 && name[1].isLower())
        name[0] = name[0].toLower();
    return name;
}

std::vector<LegendEntry> paretoLegend(
    const ParetoView& view, const CloudGrid& cloud, bool cloudIsShown, bool hasCurrent)
{
    std::vector<LegendEntry> legend;
    const auto occurs = [&](StrategyPoint::Kind kind) {
        return std::any_of(
            view.points.begin(), view.points.end(), [kind](const ParetoPoint& p) { return p.kind == kind; });
    };
    if (!view.front.empty())
        legend.push_back({view.exactFront ? tr("Pareto front")
                : cloudIsShown            ? tr("front of those listed")
                                          : tr("front of those shown"),
            Mark::Front, Pattern::Solid, LegendEntry::Shape::Dot});
    if (occurs(StrategyPoint::Kind::Dominated) || cloud.anyDominated())
        legend.push_back({tr("dominated"), Mark::Cloud, Pattern::Solid, LegendEntry::Shape::Dot});
    if (occurs(StrategyPoint::Kind::OutOfMemory) || cloud.anyOutOfMemory())
        legend.push_back({tr("out of memory"), Mark::OutOfMemory, Pattern::Solid, LegendEntry::Shape::Cross});
    if (hasCurrent)
        legend.push_back({tr("this plan"), Mark::Front, Pattern::Solid, LegendEntry::Shape::Ring});
    return legend;
}

ChartTable paretoTable(const ParetoView& view, const StrategySet& set)
{
    ChartTable result;
    result.columns = {tr("TP"), tr("PP"), tr("DP"), tr("CP"), tr("EP"), tr("Virtual stages"), tr("Micro-batch"),
        tr("ZeRO"), tr("Recomputation"), tr("Schedule"), tr("Tokens/s"), tr("Peak memory, GiB"), tr("Step, s"),
        tr("Fits"), tr("On the front")};
    for (const ParetoPoint& p : view.points) {
        const StrategyPoint& c = set.points[p.strategy];
        const parallel::Strategy& s = c.strategy;
        result.rows << QStringList{QString::number(s.tp), QString::number(s.pp), QString::number(s.dp),
            QString::number(s.cp), QString::number(s.ep), QString::number(s.vpp), QString::number(s.microBatch),
            QString::number(s.zeroStage), recomputeText(s.recompute), scheduleText(s.schedule),
            cell(measured(c, StrategyMeasure::Throughput, set.rates)), cell(c.peak.value() / kGiB),
            cell(c.step.value()), p.kind != StrategyPoint::Kind::OutOfMemory ? tr("yes") : tr("no"),
            p.kind == StrategyPoint::Kind::Front ? tr("yes") : tr("no")};
    }
    return result;
}

QString describe(const ParetoView& view, const StrategySet& set, ParetoMeasures measures)
{
    if (view.front.empty())
        return tr("%1 strategies; none fits into %2.")
            .arg(groupedNumber(qint64(view.points.size())), text(view.capacity));
    const bool fallsOnTheRight = largerIsBetter(measures.y) == !largerIsBetter(measures.x);
    const std::size_t best = fallsOnTheRight ? view.front.back() : view.front.front();
    const ParetoPoint& p = view.points[best];
    return tr("%1 strategies, %2 on the front; best %3 with %4: %5.")
        .arg(groupedNumber(qint64(view.points.size())), groupedNumber(qint64(view.front.size())),
            measureText(measures.y, p.y, set.rates), measureText(measures.x, p.x, set.rates),
            strategyText(set.points[view.points[best].strategy].strategy));
}

QString strategyTip(const StrategyPoint& c, StrategyPoint::Kind kind, Bytes capacity, ParetoMeasures measures,
    const StrategyRates& rates)
{
    // The capacity is that of the largest accelerators; others may have less.
    const QString over = c.peak > capacity ? tr("%1 over the capacity").arg(text(c.peak - capacity))
                                           : tr("more than there is where it runs");
    const QString state = kind == StrategyPoint::Kind::OutOfMemory ? over
        : kind == StrategyPoint::Kind::Front                       ? tr("on the Pareto front")
                                                                   : tr("dominated");
    QStringList figures{
        tokenRateText(measured(c, StrategyMeasure::Throughput, rates)), text(c.peak), tr("step %1").arg(text(c.step))};
    for (const StrategyMeasure measure : {measures.y, measures.x}) {
        if (measure != StrategyMeasure::Throughput && measure != StrategyMeasure::PeakMemory
            && measure != StrategyMeasure::StepTime)
            figures << measureText(measure, measured(c, measure, rates), rates);
    }
    return tr("<div style='white-space:nowrap'><b>%1</b><br>%2<br>%3 · click previews, double-click adopts</div>")
        .arg(strategyText(c.strategy), figures.join(QStringLiteral(" · ")), state);
}

} // namespace stratoplan::widgets
