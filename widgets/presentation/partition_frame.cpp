// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/presentation/partition_frame.h"

#include "widgets/presentation/partition_text.h"
#include "widgets/presentation/translate.h"

#include <QStringList>
#include <algorithm>

namespace stratoplan::widgets {

using namespace partition;

namespace {

BlockBand bandOf(const PartitionScene& scene, const HeldBlock& block, Phase phase)
{
    return {tensorSymbol(block.tensor, phase), blockLabel(scene, block), shortBlockLabel(scene, block), block.number,
        toneOf(scene, block)};
}

std::vector<Tensor> tensorsOf(std::optional<Tensor> shown)
{
    return shown ? std::vector<Tensor>{*shown} : std::vector<Tensor>(kTensors.begin(), kTensors.end());
}

PartitionFrame emptyFrame(const GroupLook& group)
{
    PartitionFrame frame;
    frame.bits = group.bits;
    frame.columnBits = group.columnBits;
    frame.ranksPerDomain = group.ranksPerDomain;
    return frame;
}

QString axesTip(const std::vector<AxisSlice>& slices, int rank, int domain)
{
    QStringList lines{tr("<b>Rank %1</b> · domain %2").arg(rank).arg(rank / domain)};
    for (const AxisSlice& slice : slices)
        lines << tr("%1: part %2 of %3").arg(axisName(slice.axis)).arg(slice.slice + 1).arg(slice.slices);
    if (slices.empty())
        lines << tr("Holds all, as every rank does");
    return lines.join(QStringLiteral("<br>"));
}

BlockBand axesBand(const std::vector<AxisSlice>& slices)
{
    QStringList label, numbers;
    int row = 0, rows = 1;
    for (const AxisSlice& slice : slices) {
        label << slice.axis + QString::number(slice.slice);
        numbers << QString::number(slice.slice);
        row = row * slice.slices + slice.slice;
        rows *= slice.slices;
    }
    if (slices.empty())
        return {{}, tr("whole"), tr("all"), 0, {}};
    const int columns = slices.back().slices; // the last axis has the hues, as the channels have elsewhere
    return {{}, label.join(u' '), numbers.join(u','), row,
        blockTone(slices.back().slice, columns, row / columns, rows / columns)};
}

} // namespace

int sumGroupOf(const PartitionFrame& frame, int rank)
{
    const auto has = [rank](const std::vector<int>& ranks) { return std::ranges::find(ranks, rank) != ranks.end(); };
    const auto found = std::ranges::find_if(frame.sumGroups, has);
    return found == frame.sumGroups.end() ? -1 : int(found - frame.sumGroups.begin());
}

BlockTone toneOf(const PartitionScene& scene, const HeldBlock& block)
{
    // Input and weight have a hue for each slice of N, so that they agree where they are multiplied.
    const Dimension columns = block.tensor == Tensor::Output ? Dimension::K : Dimension::N;
    int row = 0, rows = 1;
    for (const Dimension dimension : kDimensions) {
        if (dimension == columns || !has(block.tensor, dimension))
            continue;
        const int slices = scene.division().slices(dimension);
        row = row * slices + block.slices[std::size_t(dimension)];
        rows *= slices;
    }
    return blockTone(block.slices[std::size_t(columns)], scene.division().slices(columns), row, rows);
}

std::vector<std::vector<BlockTone>> tonesAt(const PartitionScene& scene, Moment moment, std::optional<Tensor> shown)
{
    std::vector<std::vector<BlockTone>> tones(std::size_t(scene.ranks()));
    for (int rank = 0; rank < scene.ranks(); ++rank)
        for (const Tensor tensor : tensorsOf(shown))
            tones[std::size_t(rank)].push_back(toneOf(scene, scene.held(tensor, rank, moment)));
    return tones;
}

PartitionFrame partitionFrame(
    const PartitionScene& scene, const GroupLook& group, Moment moment, std::optional<Tensor> shown)
{
    PartitionFrame frame = emptyFrame(group);
    const std::vector<Tensor> tensors = tensorsOf(shown);
    for (int rank = 0; rank < scene.ranks(); ++rank) {
        frame.ranks.emplace_back();
        for (const Tensor tensor : tensors)
            frame.ranks.back().push_back(bandOf(scene, scene.held(tensor, rank, moment), moment.phase));
        frame.tips.push_back(rankTip(scene, moment, rank));
    }
    for (const Transfer& transfer : scene.transfers(moment)) {
        const auto band = std::find(tensors.begin(), tensors.end(), transfer.tensor);
        if (band != tensors.end())
            frame.arrows.push_back({int(band - tensors.begin()), transfer.from, transfer.to, transfer.across});
    }
    if (!shown || *shown == result(moment.phase)) {
        frame.sumGroups = scene.sumGroups(moment);
        frame.summed = tensorSymbol(result(moment.phase), moment.phase);
    }
    return frame;
}

PartitionFrame axesFrame(const QString& axes, const GroupLook& group)
{
    PartitionFrame frame = emptyFrame(group);
    for (int rank = 0; rank < 1 << group.bits; ++rank) {
        const std::vector<AxisSlice> slices = axisSlices(axes, rank);
        frame.ranks.push_back({axesBand(slices)});
        frame.tips.push_back(axesTip(slices, rank, group.ranksPerDomain));
    }
    return frame;
}

} // namespace stratoplan::widgets
