// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/sizing/sizing_model.h"

#include "app/gui/sizing/sizing_texts.h"
#include "widgets/panels/row_delegate.h"
#include "widgets/presentation/numbers.h"
#include "widgets/presentation/strategy_set.h"
#include "widgets/presentation/text.h"

#include <algorithm>
#include <utility>

namespace stratoplan::gui {

namespace {

using session::SizedKind;

bool hasWords(int column)
{
    return column == SizingModel::Kind || column == SizingModel::Verdict || column == SizingModel::Strategy;
}

QString nodesText(int count)
{
    return count == 1 ? SizingModel::tr("1 node") : SizingModel::tr("%1 nodes").arg(widgets::groupedNumber(count));
}

int nodesOf(const sizing::SizingAnswer& answer)
{
    return answer.plan.cluster.nodes.front().count;
}

} // namespace

SizingModel::SizingModel(QObject* parent)
    : QAbstractTableModel(parent)
{
}

void SizingModel::setPicture(session::SizingPicturePointer picture)
{
    const bool sameRequest = m_picture && picture && m_picture->request == picture->request;
    if (!sameRequest)
        beginResetModel();
    m_picture = std::move(picture);
    findBest();
    if (!sameRequest)
        endResetModel();
    else if (rowCount() > 0)
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, Columns - 1));
}

void SizingModel::setStale(bool stale)
{
    if (std::exchange(m_stale, stale) != stale && rowCount() > 0)
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, Columns - 1));
}

const sizing::SizingAnswer* SizingModel::answerAt(int row) const
{
    return sizedAt(row).answer.get();
}

const session::SizingKind& SizingModel::kindAt(int row) const
{
    return m_picture->request->kinds[std::size_t(row)];
}

bool SizingModel::hasStart() const
{
    return rowCount() > 0 && capacity::dayOf(kindAt(0).inputs.start).has_value();
}

std::optional<double> SizingModel::number(int row, int column) const
{
    const sizing::SizingAnswer* const answer = answerAt(row);
    if (!answer)
        return std::nullopt;
    const capacity::Capacity& run = answer->capacity;
    switch (column) {
    case Accelerators:
        return run.used;
    case Days:
    case Done:
        return run.days.mid;
    case Cost:
        return run.isPriced ? std::optional(run.cost.mid) : std::nullopt;
    case Energy:
        return run.energyKwh.mid;
    default:
        return std::nullopt;
    }
}

void SizingModel::findBest()
{
    m_best = {};
    for (const int column : {Accelerators, Days, Cost, Energy}) {
        int count = 0;
        std::optional<double> least;
        for (int row = 0; row < rowCount(); ++row)
            if (const auto value = number(row, column); value && answerAt(row)->isMet) {
                ++count;
                least = std::min(*value, least.value_or(*value));
            }
        if (count > 1)
            m_best[std::size_t(column)] = least;
    }
}

bool SizingModel::isBest(int row, int column) const
{
    const auto value = number(row, column);
    return value && m_best[std::size_t(column)] == value && answerAt(row)->isMet;
}

QString SizingModel::money(double amount) const
{
    return widgets::moneyText(amount, m_picture->request->kinds.front().inputs.currency);
}

QString SizingModel::verdict(int row) const
{
    const sizing::SizingAnswer* const answer = answerAt(row);
    return !answer ? whyNoAnswer(sizedAt(row)) : answer->isMet ? tr("in time") : tr("too long");
}

QString SizingModel::proof(int row) const
{
    const sizing::SizingAnswer* const answer = answerAt(row);
    if (!answer)
        return {};
    if (sizedAt(row).state == SizedKind::State::Searching)
        return tr("so far");
    if (answer->isMet)
        return answer->isProven ? tr("proven") : tr("not proven");
    return answer->isProven ? tr("fastest looked at") : tr("not proven");
}

QString SizingModel::textOf(int row, int column) const
{
    if (column == Kind)
        return widgets::text(kindAt(row).name);
    if (column == Verdict)
        return verdict(row);
    const sizing::SizingAnswer* const answer = answerAt(row);
    if (!answer)
        return column == Strategy ? QString() : QStringLiteral("–");
    const capacity::Capacity& run = answer->capacity;
    switch (column) {
    case Accelerators:
        return widgets::groupedNumber(run.used);
    case Days:
        return daysText(run.days.mid);
    case Done:
        return doneText(kindAt(row).inputs, run.days.mid);
    case Cost:
        return run.isPriced ? money(run.cost.mid) : tr("no price");
    case Energy:
        return widgets::energyText(run.energyKwh.mid);
    default:
        return widgets::degreesText(answer->plan.strategy);
    }
}

QString SizingModel::spreadOf(int row, int column) const
{
    const capacity::Capacity& run = answerAt(row)->capacity;
    switch (column) {
    case Days:
        return widgets::rangeText(daysText(run.days.low), daysText(run.days.high));
    case Done: {
        const plan::CapacityInputs& inputs = kindAt(row).inputs;
        const QString latest = doneText(inputs, run.days.high);
        return latest == doneText(inputs, run.days.mid) ? QString() : tr("or by %1").arg(latest);
    }
    case Cost:
        return run.isPriced ? widgets::rangeText(money(run.cost.low), money(run.cost.high)) : QString();
    case Energy:
        return widgets::rangeText(widgets::energyText(run.energyKwh.low), widgets::energyText(run.energyKwh.high));
    default:
        return {};
    }
}

QString SizingModel::secondLine(int row, int column) const
{
    const sizing::SizingAnswer* const answer = answerAt(row);
    if (column == Kind)
        return tr("%1 × %2")
            .arg(kindAt(row).each.plan.cluster.nodes.front().acceleratorsPerNode)
            .arg(widgets::text(kindAt(row).each.plan.cluster.nodes.front().accelerator.name));
    if (!answer)
        return {};
    if (column == Verdict)
        return proof(row);
    if (column == Strategy)
        return widgets::settingsText(answer->plan.strategy);
    const QString second = column == Accelerators ? nodesText(nodesOf(*answer)) : spreadOf(row, column);
    if (!isBest(row, column))
        return second;
    return second.isEmpty() ? tr("best") : tr("best · %1").arg(second);
}

QString SizingModel::details(int row) const
{
    const sizing::SizingAnswer* const answer = answerAt(row);
    if (!answer)
        return tr("%1: %2").arg(textOf(row, Kind), whyNoAnswer(sizedAt(row)));
    return tr("%1 × %2: %3")
        .arg(widgets::groupedNumber(nodesOf(*answer)), textOf(row, Kind), widgets::strategyText(answer->plan.strategy));
}

widgets::ChartTable SizingModel::table(const std::vector<int>& rows) const
{
    const QString currency = m_picture && !m_picture->request->kinds.empty()
        ? widgets::text(m_picture->request->kinds.front().inputs.currency)
        : QString();
    widgets::ChartTable table;
    table.columns = {tr("Kind of nodes"), tr("Nodes"), tr("Accelerators"), tr("Days"), tr("Days, p10"), tr("Days, p90"),
        tr("Done"), tr("Cost (%1)").arg(currency), tr("Cost, p10"), tr("Cost, p90"), tr("Energy (kWh)"),
        tr("Energy, p10"), tr("Energy, p90"), tr("In time"), tr("Proven"), tr("Strategy")};
    const auto yesNo = [](bool yes) { return yes ? tr("yes") : tr("no"); };
    for (const int row : rows) {
        QStringList cells{textOf(row, Kind)};
        if (const sizing::SizingAnswer* const answer = answerAt(row)) {
            const capacity::Capacity& run = answer->capacity;
            cells << QString::number(nodesOf(*answer)) << QString::number(run.used) << widgets::cell(run.days.mid)
                  << widgets::cell(run.days.low) << widgets::cell(run.days.high)
                  << doneText(kindAt(row).inputs, run.days.mid);
            for (const double amount : {run.cost.mid, run.cost.low, run.cost.high})
                cells << (run.isPriced ? widgets::cell(amount) : QString());
            cells << widgets::cell(run.energyKwh.mid) << widgets::cell(run.energyKwh.low)
                  << widgets::cell(run.energyKwh.high) << yesNo(answer->isMet) << yesNo(answer->isProven)
                  << widgets::strategyText(answer->plan.strategy);
        } else {
            while (cells.size() + 1 < table.columns.size())
                cells << QString();
            cells << whyNoAnswer(sizedAt(row));
        }
        table.rows << cells;
    }
    return table;
}

int SizingModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() || !m_picture ? 0 : int(m_picture->kinds.size());
}

int SizingModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : Columns;
}

QVariant SizingModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    const int row = index.row(), column = index.column();
    switch (role) {
    case Qt::DisplayRole:
        return textOf(row, column);
    case SortRole: {
        if (hasWords(column))
            return textOf(row, column);
        const auto value = number(row, column);
        return value ? QVariant(*value) : QVariant();
    }
    case widgets::RowDelegate::SecondLineRole:
        return secondLine(row, column);
    case widgets::RowDelegate::JudgementRole:
        return !m_stale && isBest(row, column) ? 1 : 0;
    case Qt::AccessibleTextRole: {
        const QString second = secondLine(row, column);
        return second.isEmpty() ? textOf(row, column) : tr("%1, %2").arg(textOf(row, column), second);
    }
    case Qt::ToolTipRole:
        return column == Kind || column == Verdict || column == Strategy ? details(row) : QString();
    case Qt::TextAlignmentRole:
        return QVariant::fromValue(
            Qt::Alignment(Qt::AlignVCenter | (hasWords(column) ? Qt::AlignLeft : Qt::AlignRight)));
    case widgets::RowDelegate::MutedRole:
        return m_stale || !answerAt(row);
    default:
        return {};
    }
}

QVariant SizingModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(
            Qt::Alignment(Qt::AlignVCenter | (hasWords(section) ? Qt::AlignLeft : Qt::AlignRight)));
    const bool isTip = role == Qt::ToolTipRole;
    if (!isTip && role != Qt::DisplayRole)
        return {};
    switch (section) {
    case Kind:
        return isTip ? QVariant() : tr("Nodes");
    case Accelerators:
        return isTip ? tr("The fewest that are done in time, and the nodes that they take") : tr("Accelerators");
    case Days:
        return isTip ? tr("Wall time; below it the tenth and the ninetieth percentile") : tr("Days");
    case Done:
        return isTip ? tr("The day on which it is done; below it the ninetieth percentile") : tr("Done");
    case Cost:
        return isTip ? tr("Below it the tenth and the ninetieth percentile") : tr("Cost");
    case Energy:
        return isTip ? tr("Of the nodes and of the building; below it the tenth and the ninetieth percentile")
                     : tr("Energy");
    case Verdict:
        return isTip ? tr("Whether the middle of the days is in time; proven: no fewer accelerators of these do")
                     : tr("In time");
    case Strategy:
        return isTip ? QVariant() : tr("Strategy");
    default:
        return {};
    }
}

} // namespace stratoplan::gui
