// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/compare/plans_model.h"

#include "app/session/plan_fields.h"
#include "widgets/presentation/text.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace stratoplan::gui {

namespace {

bool isResult(int column)
{
    return column > PlansModel::NameColumn && column < PlansModel::BreakdownColumn;
}

/// Of a column: its heading stands over its values.
Qt::Alignment alignmentOf(int column)
{
    return Qt::AlignVCenter | (isResult(column) ? Qt::AlignRight : Qt::AlignLeft);
}

} // namespace

PlansModel::PlansModel(QObject* parent)
    : QAbstractTableModel(parent)
{
}

void PlansModel::setPlans(std::vector<ComparedPlan> plans, int baseline)
{
    if (plans == m_plans && baseline == m_baseline)
        return;
    beginResetModel();
    m_plans = std::move(plans);
    m_baseline = baseline;
    updateFields();
    endResetModel();
}

void PlansModel::setShowsAll(bool all)
{
    beginResetModel();
    m_showsAll = all;
    updateFields();
    endResetModel();
}

void PlansModel::updateFields()
{
    m_fields.clear();
    m_labels.clear();
    m_shown.clear();
    std::vector<const plan::Plan*> plans;
    for (const ComparedPlan& compared : m_plans) {
        plans.push_back(compared.plan.get());
        std::vector<QString> texts;
        const std::vector<session::PlanField> fields = session::planFields(*compared.plan);
        for (const session::PlanField& field : fields)
            texts.push_back(field.text);
        m_fields.push_back(std::move(texts));
        if (m_labels.empty()) {
            for (const session::PlanField& field : fields)
                m_labels.push_back(field.label);
        }
    }
    if (m_showsAll) {
        for (std::size_t i = 0; i < m_labels.size(); ++i)
            m_shown.push_back(i);
    } else {
        m_shown = session::differingFields(plans);
    }
}

int PlansModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_plans.size());
}

int PlansModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : FixedColumns + static_cast<int>(m_shown.size());
}

const estimate::Estimate* PlansModel::estimateOf(int row) const
{
    const session::EstimatePointer& estimate = m_plans[static_cast<std::size_t>(row)].estimate;
    return estimate && *estimate ? &**estimate : nullptr;
}

double PlansModel::amount(const estimate::Estimate& estimate, int column) const
{
    switch (column) {
    case StepColumn:
        return estimate.step.value();
    case TokensColumn:
        return estimate.tokensPerSecond;
    case MfuColumn:
        return estimate.mfu;
    case MemoryColumn:
        return estimate.memory.peak.value();
    default:
        return 0;
    }
}

QVariant PlansModel::resultText(int row, int column) const
{
    const session::EstimatePointer& pointer = m_plans[static_cast<std::size_t>(row)].estimate;
    if (!pointer)
        return column == StepColumn ? tr("estimating…") : QString();
    const estimate::Estimate* estimate = estimateOf(row);
    if (!estimate)
        return column == StepColumn ? tr("no estimate") : QStringLiteral("–");
    switch (column) {
    case StepColumn:
        return widgets::text(estimate->step);
    case TokensColumn:
        return widgets::tokenRateText(estimate->tokensPerSecond);
    case MfuColumn:
        return widgets::shareText(estimate->mfu);
    case MemoryColumn:
        return estimate->fits ? widgets::text(estimate->memory.peak)
                              : tr("%1, too much").arg(widgets::text(estimate->memory.peak));
    default:
        return {};
    }
}

QVariant PlansModel::delta(int row, int column, int role) const
{
    const estimate::Estimate* ownEstimate = estimateOf(row);
    const estimate::Estimate* base =
        m_baseline >= 0 && m_baseline < rowCount() && m_baseline != row ? estimateOf(m_baseline) : nullptr;
    if (!ownEstimate || !base)
        return role == DeltaRole ? QVariant(QString()) : QVariant(0);
    const double difference = amount(*ownEstimate, column) - amount(*base, column);
    const bool same = widgets::sameInThreeFigures(amount(*ownEstimate, column), amount(*base, column));
    if (role == JudgementRole) {
        const bool lessIsBetter = column == StepColumn || column == MemoryColumn;
        return same ? 0 : ((difference < 0) == lessIsBetter ? 1 : -1);
    }
    if (same)
        return tr("±0");
    switch (column) {
    case StepColumn:
        return widgets::signedText(difference, widgets::text(Seconds(std::abs(difference))));
    case TokensColumn:
        return widgets::signedText(difference, widgets::shareText(std::abs(difference) / base->tokensPerSecond));
    case MfuColumn:
        return widgets::signedText(difference, widgets::pointsText(std::abs(difference)));
    case MemoryColumn:
        return widgets::signedText(difference, widgets::text(Bytes(std::abs(difference))));
    default:
        return QString();
    }
}

QVariant PlansModel::breakdown(int row, int role) const
{
    const estimate::Estimate* estimate = estimateOf(row);
    if (!estimate)
        return {};
    if (role == BreakdownRole)
        return QVariant::fromValue(estimate->breakdown);
    double longest = 0;
    for (int i = 0; i < rowCount(); ++i) {
        if (const estimate::Estimate* other = estimateOf(i))
            longest = std::max(longest, other->step.value());
    }
    return longest;
}

QVariant PlansModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    const int row = index.row();
    const int column = index.column();
    const ComparedPlan& compared = m_plans[static_cast<std::size_t>(row)];
    const bool result = isResult(column);
    switch (role) {
    case Qt::DisplayRole:
        if (column == NameColumn)
            return compared.name;
        if (column >= FixedColumns)
            return m_fields[static_cast<std::size_t>(row)][m_shown[static_cast<std::size_t>(column - FixedColumns)]];
        return result ? resultText(row, column) : QVariant();
    case Qt::ToolTipRole:
        return column == NameColumn
            ? QVariant(session::planTitle(*compared.plan) + u'\n' + session::strategyTitle(compared.plan->strategy))
            : QVariant();
    case Qt::TextAlignmentRole:
        return QVariant::fromValue(alignmentOf(column));
    case DeltaRole:
        if (column == NameColumn)
            return row == m_baseline ? tr("baseline") : QString();
        return result ? delta(row, column, role) : QVariant(QString());
    case JudgementRole:
        return result ? delta(row, column, role) : QVariant(0);
    case BreakdownRole:
    case LongestRole:
        return column == BreakdownColumn ? breakdown(row, role) : QVariant();
    default:
        return {};
    }
}

QVariant PlansModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation == Qt::Horizontal && role == Qt::TextAlignmentRole)
        return QVariant::fromValue(alignmentOf(section));
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return orientation == Qt::Vertical && role == Qt::DisplayRole
            ? QVariant()
            : QAbstractTableModel::headerData(section, orientation, role);
    switch (section) {
    case NameColumn:
        return tr("Plan");
    case StepColumn:
        return tr("Step time");
    case TokensColumn:
        return tr("Tokens");
    case MfuColumn:
        return tr("MFU");
    case MemoryColumn:
        return tr("Peak memory");
    case BreakdownColumn:
        return tr("Where the step goes");
    default:
        return m_labels[m_shown[static_cast<std::size_t>(section - FixedColumns)]];
    }
}

} // namespace stratoplan::gui
