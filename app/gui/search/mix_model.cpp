// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/search/mix_model.h"

#include "core/narration/mixes.h"
#include "widgets/panels/row_delegate.h"
#include "widgets/presentation/strategy_set.h"
#include "widgets/presentation/text.h"

#include <algorithm>
#include <utility>

namespace stratoplan::gui {

namespace {

constexpr double kSecondsPerHour = 3600;

bool isWords(int column)
{
    return column == MixModel::Nodes || column == MixModel::Strategy;
}

} // namespace

MixModel::MixModel(QObject* parent)
    : QAbstractTableModel(parent)
{
}

void MixModel::setPicture(session::MixPicturePointer picture, const std::string& currency)
{
    if (m_picture && picture && m_picture->request == picture->request && m_currency == currency) {
        m_picture = std::move(picture);
        takeRows(*m_picture->front);
        return;
    }
    beginResetModel();
    m_picture = std::move(picture);
    m_currency = currency;
    m_rows = m_picture ? *m_picture->front : std::vector<search::FoundMix>();
    endResetModel();
}

/// Both by rising step, and no two of a front take as long.
void MixModel::takeRows(const std::vector<search::FoundMix>& front)
{
    for (int row = rowCount() - 1; row >= 0; --row)
        if (std::ranges::find(front, mixAt(row)) == front.end()) {
            beginRemoveRows({}, row, row);
            m_rows.erase(m_rows.begin() + row);
            endRemoveRows();
        }
    for (int row = 0; row < int(front.size()); ++row)
        if (row == rowCount() || mixAt(row) != front[std::size_t(row)]) {
            beginInsertRows({}, row, row);
            m_rows.insert(m_rows.begin() + row, front[std::size_t(row)]);
            endInsertRows();
        }
    Q_ASSERT(m_rows == front);
}

void MixModel::setPlanStep(std::optional<PlanStep> step)
{
    if (std::exchange(m_planStep, step) != step)
        tellAllChanged();
}

void MixModel::setStale(bool stale)
{
    if (std::exchange(m_stale, stale) != stale)
        tellAllChanged();
}

void MixModel::tellAllChanged()
{
    if (rowCount() > 0)
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, Columns - 1));
}

QString MixModel::priceText(double perStep) const
{
    return isPriced() ? widgets::moneyText(perStep, m_currency) : widgets::gpuHoursText(perStep);
}

double MixModel::planPrice(const PlanStep& step) const
{
    const session::MixRequest& request = *m_picture->request;
    return pricePerHour(request.each.plan.cluster, step.ranks, request.mixes) * step.time.value() / kSecondsPerHour;
}

double MixModel::number(const search::FoundMix& found, int column)
{
    return column == Step ? found.best.step.value() : column == Price ? found.perStep : found.best.peak.value();
}

double MixModel::againstPlan(const search::FoundMix& found, int column) const
{
    if (!m_planStep || (column != Step && column != Price))
        return 0;
    return number(found, column) / (column == Step ? m_planStep->time.value() : planPrice(*m_planStep)) - 1;
}

QString MixModel::withPrecision(const QString& text, const search::FoundMix& found) const
{
    return found.best.precision == m_picture->request->each.plan.training.precision
        ? text
        : text + QStringLiteral(" · ") + widgets::text(key(found.best.precision));
}

QString MixModel::strategyText(const search::FoundMix& found) const
{
    return withPrecision(widgets::strategyText(found.best.strategy), found);
}

QString MixModel::textOf(const search::FoundMix& found, int column) const
{
    switch (column) {
    case Nodes:
        return widgets::text(narration::describe(m_picture->request->each.plan.cluster, found.mix));
    case Step:
        return widgets::text(found.best.step);
    case Price:
        return priceText(found.perStep);
    case PeakMemory:
        return widgets::text(found.best.peak);
    default:
        return widgets::degreesText(found.best.strategy);
    }
}

QString MixModel::secondLine(const search::FoundMix& found, int column) const
{
    switch (column) {
    case Nodes:
        return widgets::acceleratorsText(rankCount(found.best.strategy));
    case Step:
    case Price:
        return m_planStep ? widgets::signedShareText(againstPlan(found, column)) : QStringLiteral("–");
    case Strategy:
        return withPrecision(widgets::settingsText(found.best.strategy), found);
    default:
        return {};
    }
}

widgets::ChartTable MixModel::table(const std::vector<int>& rows) const
{
    widgets::ChartTable table;
    table.columns = {tr("Nodes, first stages first"), tr("Step (s)"), tr("Step against the plan"),
        isPriced() ? tr("Price of a step (%1)").arg(widgets::text(m_currency)) : tr("Accelerator-hours a step"),
        tr("Price against the plan"), tr("Peak memory (GiB)"), tr("Strategy")};
    const auto against = [this](const search::FoundMix& found, int column) {
        return m_planStep ? widgets::cell(againstPlan(found, column)) : QString();
    };
    for (const int row : rows) {
        const search::FoundMix& found = mixAt(row);
        table.rows << QStringList{textOf(found, Nodes), widgets::cell(number(found, Step)), against(found, Step),
            widgets::cell(number(found, Price)), against(found, Price), widgets::cell(number(found, PeakMemory) / kGiB),
            strategyText(found)};
    }
    return table;
}

int MixModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int MixModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : Columns;
}

QVariant MixModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    const search::FoundMix& found = mixAt(index.row());
    switch (role) {
    case Qt::DisplayRole:
        return textOf(found, index.column());
    case SortRole:
        return isWords(index.column()) ? QVariant(textOf(found, index.column()))
                                       : QVariant(number(found, index.column()));
    case widgets::RowDelegate::SecondLineRole:
        return secondLine(found, index.column());
    case widgets::RowDelegate::JudgementRole: {
        const double share = m_stale ? 0 : againstPlan(found, index.column());
        return share < 0 ? 1 : share > 0 ? -1 : 0;
    }
    case Qt::ToolTipRole:
        return index.column() == Nodes   ? textOf(found, Nodes)
            : index.column() == Strategy ? strategyText(found)
                                         : QString();
    case Qt::TextAlignmentRole:
        return QVariant::fromValue(
            Qt::Alignment(Qt::AlignVCenter | (isWords(index.column()) ? Qt::AlignLeft : Qt::AlignRight)));
    case widgets::RowDelegate::MutedRole:
        return m_stale;
    default:
        return {};
    }
}

QVariant MixModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(
            Qt::Alignment(Qt::AlignVCenter | (isWords(section) ? Qt::AlignLeft : Qt::AlignRight)));
    const bool isTip = role == Qt::ToolTipRole;
    if (!isTip && role != Qt::DisplayRole)
        return {};
    switch (section) {
    case Nodes:
        return isTip ? tr("The nodes that are used, those of the first pipeline stages first") : tr("Nodes");
    case Step:
        return isTip ? tr("The shortest step on these nodes; below it against the plan as it is") : tr("Step");
    case Price:
        return isTip ? tr("For all accelerators of the nodes while a step runs; below it against the plan as it is, "
                          "which pays for those that it uses")
            : isPriced() ? tr("Price of a step")
                         : tr("A step in GPU-h");
    case PeakMemory:
        return isTip ? tr("Of the fullest accelerator") : tr("Peak memory");
    case Strategy:
        return isTip ? QVariant() : tr("Strategy");
    default:
        return {};
    }
}

} // namespace stratoplan::gui
