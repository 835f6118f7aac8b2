// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/presentation/partition_text.h"

#include "widgets/presentation/numbers.h"
#include "widgets/presentation/text.h"
#include "widgets/presentation/translate.h"

#include <QHash>
#include <algorithm>

namespace stratoplan::widgets {

using namespace partition;

namespace {

constexpr QChar kDash(0x2013);

QChar letter(Dimension dimension)
{
    return QLatin1Char("BMNK"[std::size_t(dimension)]);
}

/// Along dimensions that are cut.
QStringList slicesOfBlock(const PartitionScene& scene, const HeldBlock& block, bool letters)
{
    QStringList slices;
    for (const Dimension dimension : kDimensions)
        if (has(block.tensor, dimension) && scene.division().slices(dimension) > 1)
            slices << (letters ? QString(letter(dimension)) : QString())
                    + QString::number(block.slices[std::size_t(dimension)]);
    return slices;
}

/// "N 2,048–4,095"
QStringList ranges(const PartitionScene& scene, const HeldBlock& block, bool cutAlone)
{
    QStringList texts;
    for (const Dimension dimension : kDimensions) {
        if (!has(block.tensor, dimension) || (cutAlone && scene.division().slices(dimension) == 1))
            continue;
        const auto [first, last] = scene.elements(block, dimension);
        const QString from = groupedNumber(first);
        texts << letter(dimension) + QStringLiteral(" ") + (last > first ? from + kDash + groupedNumber(last) : from);
    }
    return texts;
}

/// "W N1 K0 to rank 3"
QStringList transferTexts(const PartitionScene& scene, Moment moment, int rank, bool sends)
{
    QStringList texts;
    for (const Transfer& transfer : scene.transfers(moment)) {
        if ((sends ? transfer.from : transfer.to) != rank)
            continue;
        // The next block travels while this step is worked on; a sum that grows arrives for it.
        const HeldBlock block =
            scene.held(transfer.tensor, transfer.from, transfer.isSum ? Moment{moment.phase, moment.step - 1} : moment);
        texts << tr(sends ? "%1 %2 to rank %3" : "%1 %2 from rank %3")
                     .arg(tensorSymbol(transfer.tensor, moment.phase), blockLabel(scene, block))
                     .arg(sends ? transfer.to : transfer.from);
    }
    return texts;
}

/// "input and weight"
QString movingTensors(const std::vector<Transfer>& transfers, bool sums, Phase phase)
{
    QStringList names;
    for (const Transfer& transfer : transfers) {
        const QString name = tensorSymbol(transfer.tensor, phase);
        if (transfer.isSum == sums && !names.contains(name))
            names << name;
    }
    return names.join(tr(" and "));
}

QString bytesOfMoment(const PartitionScene& scene, const std::vector<Transfer>& transfers)
{
    std::vector<double> received(std::size_t(scene.ranks()));
    for (const Transfer& transfer : transfers)
        received[std::size_t(transfer.to)] += scene.blockBytes(transfer.tensor).value();
    return text(Bytes(*std::max_element(received.begin(), received.end())));
}

QString heldLine(const PartitionScene& scene, Moment moment, int rank, Tensor tensor)
{
    const HeldBlock block = scene.held(tensor, rank, moment);
    return tr("%1 %2: %3, %4")
        .arg(tensorSymbol(tensor, moment.phase), blockLabel(scene, block), rangesText(scene, block),
            text(scene.blockBytes(tensor)));
}

} // namespace

QString phaseName(Phase phase)
{
    switch (phase) {
    case Phase::Forward:
        return tr("Forward");
    case Phase::Backward:
        return tr("Backward");
    case Phase::Gradient:
        break;
    }
    return tr("Gradient");
}

QString tensorSymbol(Tensor tensor, Phase phase)
{
    const QChar symbol = QLatin1Char("IWO"[std::size_t(tensor)]);
    const bool gradient = phase != Phase::Forward && (tensor == result(phase) || tensor == Tensor::Output);
    return gradient ? u'd' + QString(symbol) : QString(symbol);
}

QString tensorName(Tensor tensor, Phase phase)
{
    const bool gradient = tensorSymbol(tensor, phase).size() > 1;
    switch (tensor) {
    case Tensor::Input:
        return gradient ? tr("input gradient") : tr("input");
    case Tensor::Weight:
        return gradient ? tr("weight gradient") : tr("weight");
    case Tensor::Output:
        break;
    }
    return gradient ? tr("output gradient") : tr("output");
}

QString momentText(const PartitionScene& scene, Moment moment)
{
    return tr("%1, step %2 of %3")
        .arg(phaseName(moment.phase).toLower())
        .arg(moment.step + 1)
        .arg(scene.division().steps());
}

QString ranksText(const std::vector<int>& ranks)
{
    QStringList numbers;
    for (const int rank : ranks)
        numbers << QString::number(rank);
    if (numbers.size() < 2)
        return numbers.join(QString());
    const QString last = numbers.takeLast();
    return tr("%1 and %2").arg(numbers.join(QStringLiteral(", ")), last);
}

QString blockLabel(const PartitionScene& scene, const HeldBlock& block)
{
    const QStringList slices = slicesOfBlock(scene, block, true);
    return slices.isEmpty() ? tr("whole") : slices.join(u' ');
}

QString shortBlockLabel(const PartitionScene& scene, const HeldBlock& block)
{
    const QStringList slices = slicesOfBlock(scene, block, false);
    return slices.isEmpty() ? tr("all") : slices.join(u',');
}

QString rangesText(const PartitionScene& scene, const HeldBlock& block)
{
    return ranges(scene, block, false).join(QStringLiteral(", "));
}

QString cutRangesText(const PartitionScene& scene, const HeldBlock& block)
{
    const QStringList cut = ranges(scene, block, true);
    return cut.isEmpty() ? tr("whole") : cut.join(u'\n');
}

QString sizeText(const LinearSize& size)
{
    const QString pattern =
        size.b == 1 ? tr("%1 sequence × %2 tokens, %3 → %4 wide") : tr("%1 sequences × %2 tokens, %3 → %4 wide");
    return pattern.arg(groupedNumber(qint64(size.b)), groupedNumber(qint64(size.m)), groupedNumber(qint64(size.n)),
        groupedNumber(qint64(size.k)));
}

QString blocksText(const PartitionScene& scene, Tensor tensor)
{
    const int blocks = scene.division().blocks(tensor), copies = scene.division().copies(tensor);
    const QString symbol = tensorSymbol(tensor, Phase::Forward), bytes = text(scene.blockBytes(tensor));
    const QString each = blocks == 1 ? tr("%1: whole, %2").arg(symbol, bytes)
                                     : tr("%1: %2 blocks of %3").arg(symbol).arg(blocks).arg(bytes);
    return copies == 1 ? each : tr("%1, %2 copies each").arg(each).arg(copies);
}

QString momentSentence(const PartitionScene& scene, Moment moment)
{
    QStringList parts;
    const std::vector<Transfer> transfers = scene.transfers(moment);
    const QString next = movingTensors(transfers, false, moment.phase);
    const QString sums = movingTensors(transfers, true, moment.phase);
    if (!next.isEmpty())
        parts << (scene.endsPhase(moment) ? tr("blocks of %1 go back to where the forward phase begins")
                                          : tr("blocks of %1 move on"))
                     .arg(next);
    if (!sums.isEmpty())
        parts << tr("partial sums of %1 arrive").arg(sums);
    if (!parts.isEmpty())
        parts.back() += tr(", %1 a rank").arg(bytesOfMoment(scene, transfers));
    if (const auto groups = scene.sumGroups(moment); !groups.empty())
        parts << (moment.phase == Phase::Gradient ? tr("after all micro-batches groups of %1 ranks sum up %2, %3 each")
                                                  : tr("then groups of %1 ranks sum up %2, %3 each"))
                     .arg(groups.front().size())
                     .arg(tensorSymbol(result(moment.phase), moment.phase),
                         text(scene.blockBytes(result(moment.phase))));
    if (parts.isEmpty())
        parts << tr("nothing has to be sent");
    const QString said = parts.join(QStringLiteral("; "));
    return said.front().toUpper() + said.mid(1) + u'.';
}

QString rankTip(const PartitionScene& scene, Moment moment, int rank)
{
    QStringList lines{tr("<b>Rank %1</b> · domain %2 · %3")
                          .arg(rank)
                          .arg(rank / scene.setting().ranksPerDomain)
                          .arg(momentText(scene, moment))};
    for (const Tensor tensor : kTensors)
        lines << heldLine(scene, moment, rank, tensor);
    for (const bool sends : {true, false})
        if (const QStringList texts = transferTexts(scene, moment, rank, sends); !texts.isEmpty())
            lines << (sends ? tr("Sends %1") : tr("Receives %1")).arg(texts.join(QStringLiteral(", ")));
    for (const std::vector<int>& group : scene.sumGroups(moment))
        if (std::find(group.begin(), group.end(), rank) != group.end())
            lines << tr("Then ranks %1 sum up %2")
                         .arg(ranksText(group), tensorSymbol(result(moment.phase), moment.phase));
    return QStringLiteral("<div style='white-space:nowrap'>%1</div>").arg(lines.join(QStringLiteral("<br>")));
}

ChartTable rankTable(const PartitionScene& scene, int rank)
{
    ChartTable table;
    table.columns = {tr("Phase"), tr("Step"), tr("Input"), tr("Weight"), tr("Output"), tr("Sends"), tr("Receives")};
    for (int index = 0; index < scene.moments(); ++index) {
        const Moment moment = scene.momentAt(index);
        QStringList row{phaseName(moment.phase), QString::number(moment.step + 1)};
        for (const Tensor tensor : kTensors)
            row << rangesText(scene, scene.held(tensor, rank, moment));
        for (const bool sends : {true, false})
            row << transferTexts(scene, moment, rank, sends).join(QStringLiteral(", "));
        table.rows << row;
    }
    return table;
}

std::vector<AxisSlice> axisSlices(const QString& axes, int rank)
{
    std::vector<AxisSlice> slices;
    const QStringList letters = axes.split(u',', Qt::SkipEmptyParts);
    for (qsizetype i = 0; i < letters.size(); ++i) {
        const QChar axis = letters[i].front();
        if (axis == u'-')
            continue;
        auto slice = std::find_if(slices.begin(), slices.end(), [&](const AxisSlice& s) { return s.axis == axis; });
        if (slice == slices.end())
            slice = slices.insert(slices.end(), AxisSlice{axis});
        slice->slice = 2 * slice->slice + (rank >> (letters.size() - 1 - i) & 1);
        slice->slices *= 2;
    }
    return slices;
}

QString axisName(QChar axis)
{
    static const QHash<QChar, const char*> names{{u'B', QT_TRANSLATE_NOOP("stratoplan", "batch")},
        {u'M', QT_TRANSLATE_NOOP("stratoplan", "tokens")}, {u'K', QT_TRANSLATE_NOOP("stratoplan", "channels")},
        {u'H', QT_TRANSLATE_NOOP("stratoplan", "heads")}, {u'J', QT_TRANSLATE_NOOP("stratoplan", "keys")}};
    const char* name = names.value(axis, nullptr);
    return name ? tr(name) : QString(axis);
}

} // namespace stratoplan::widgets
