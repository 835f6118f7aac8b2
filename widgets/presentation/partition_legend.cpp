// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/presentation/partition_legend.h"

#include "widgets/presentation/partition_text.h"
#include "widgets/presentation/translate.h"

#include <QStringList>
#include <algorithm>

namespace stratoplan::widgets {

using namespace partition;

namespace {

QStringList symbolsOf(Phase phase, std::optional<Tensor> shown)
{
    QStringList symbols;
    for (const Tensor tensor : kTensors)
        if (!shown || tensor == *shown)
            symbols << tensorSymbol(tensor, phase);
    return symbols;
}

/// "N (I, W) or K (dO)"
QString hueSlices(Phase phase, std::optional<Tensor> shown)
{
    if (shown)
        return *shown == Tensor::Output ? QStringLiteral("K") : QStringLiteral("N");
    return tr("N (%1, %2) or K (%3)")
        .arg(tensorSymbol(Tensor::Input, phase), tensorSymbol(Tensor::Weight, phase),
            tensorSymbol(Tensor::Output, phase));
}

std::vector<GridLegendEntry> markEntries(const PartitionScene& scene, std::optional<Tensor> shown)
{
    bool inside = false, across = false, sums = false;
    for (int index = 0; index < scene.moments(); ++index) {
        const Moment moment = scene.momentAt(index);
        for (const Transfer& transfer : scene.transfers(moment))
            if (!shown || transfer.tensor == *shown)
                (transfer.across ? across : inside) = true;
        sums = sums || ((!shown || *shown == result(moment.phase)) && !scene.sumGroups(moment).empty());
    }
    std::vector<GridLegendEntry> entries;
    if (inside)
        entries.push_back({GridMark::ArrowInside, tr("inside a domain")});
    if (across)
        entries.push_back({GridMark::ArrowAcross, tr("across domains")});
    if (sums)
        entries.push_back({GridMark::SumFrame, tr("Σ sum up together")});
    return entries;
}

/// "bits 0 and 2"
QString bitsText(unsigned mask, int bits)
{
    std::vector<int> numbers;
    for (int bit = 0; bit < bits; ++bit)
        if ((mask >> unsigned(bit) & 1) != 0)
            numbers.push_back(bit);
    return (numbers.size() == 1 ? tr("bit %1") : tr("bits %1")).arg(ranksText(numbers));
}

QStringList orderLines(const GroupLook& group)
{
    QStringList lines;
    const int ranks = 1 << group.bits;
    if (group.ranksPerDomain > 1 && group.ranksPerDomain < ranks)
        lines << tr("A plate is a domain of fast links: ranks 0–%1 are domain 0, the next %2 are domain 1, and so on.")
                     .arg(group.ranksPerDomain - 1)
                     .arg(group.ranksPerDomain);
    const unsigned columns = group.columnBits & unsigned(ranks - 1), rows = ~group.columnBits & unsigned(ranks - 1);
    if (columns != 0)
        lines << tr("Side by side are ranks that differ in %1 of their number.").arg(bitsText(columns, group.bits));
    if (rows != 0)
        lines << tr("One below the other are ranks that differ in %1.").arg(bitsText(rows, group.bits));
    return lines;
}

QString explained(const QStringList& lines)
{
    const QString keys = tr("Arrow keys choose a rank, Esc none; Space plays the steps.");
    return QStringLiteral("<b>%1</b><br>%2<br>%3")
        .arg(tr("How to read the ranks"), lines.join(QStringLiteral("<br>")), keys);
}

/// Why a sum that is shown here may be none of the traffic of its operator.
QString handOverLine()
{
    return tr("Among the costs, what an operator hands on, and gets back for it in the backward pass, counts with this "
              "operator: a sum of dI with the one that I comes from.");
}

QString cellLine(Phase phase, std::optional<Tensor> shown)
{
    QStringList tensors;
    for (const Tensor tensor : kTensors)
        if (!shown || tensor == *shown)
            tensors << tr("%1 (%2)").arg(tensorSymbol(tensor, phase), tensorName(tensor, phase));
    return tr("A cell is a rank: its number and its blocks of %1.").arg(tensors.join(tr(", ")));
}

} // namespace

PartitionLegend partitionLegend(
    const PartitionScene& scene, const GroupLook& group, Phase phase, std::optional<Tensor> shown)
{
    PartitionLegend legend;
    const QString hue = hueSlices(phase, shown);
    legend.entries.push_back({GridMark::None, tr("in a cell: %1").arg(symbolsOf(phase, shown).join(tr(", ")))});
    const std::vector<GridLegendEntry> marks = markEntries(scene, shown);
    legend.entries.insert(legend.entries.end(), marks.begin(), marks.end());
    legend.entries.push_back({GridMark::None, tr("hue: %1 first").arg(hue)});
    QStringList lines{cellLine(phase, shown),
        tr("N1 K0 is slice 1 along N and slice 0 along K, 1,0 where there is little room: B sequences, M tokens, "
           "N width of the input, K width of the output."),
        tr("Its colour tells its slices, that of %1 first: by hue, and by shade what is left.").arg(hue)};
    lines << tr("In the partition each letter halves a dimension by a bit of a rank's number, the highest first; "
                "P2×2 takes two bits and works in two steps.");
    lines += orderLines(group);
    const auto has = [&](GridMark mark) {
        return std::ranges::any_of(marks, [&](const auto& e) { return e.mark == mark; });
    };
    if (has(GridMark::ArrowInside) || has(GridMark::ArrowAcross))
        lines << tr(
            "Arrows lead blocks to the ranks that need them next: solid inside a domain, dashed across domains.");
    if (has(GridMark::SumFrame))
        lines << tr("Ranks in a dashed frame, of the same Σ, sum up what they made.") << handOverLine();
    legend.explanation = explained(lines);
    return legend;
}

PartitionLegend axesLegend(const QString& axes, const GroupLook& group)
{
    PartitionLegend legend;
    const std::vector<AxisSlice> slices = axisSlices(axes, 0);
    QStringList lines, names;
    for (const AxisSlice& slice : slices)
        names << tr("%1 %2").arg(slice.axis).arg(axisName(slice.axis));
    if (slices.empty()) {
        lines << tr("A cell is a rank: each holds all of it.");
    } else {
        const QString hue = names.back();
        legend.entries.push_back({GridMark::None, tr("in a cell: slices of %1").arg(names.join(tr(", ")))});
        legend.entries.push_back(
            {GridMark::None, slices.size() > 1 ? tr("hue: %1 first").arg(hue) : tr("colour: slice of %1").arg(hue)});
        lines << tr("A cell is a rank: its number and its slices of %1.").arg(names.join(tr(", ")))
              << tr("Its colour tells its slices, that of %1 first: by hue, and by shade what is left.").arg(hue);
    }
    legend.explanation = explained(lines + orderLines(group));
    return legend;
}

} // namespace stratoplan::widgets
