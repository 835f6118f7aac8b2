// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/compare/plans_model.h"

#include "app/session/plan_fields.h"

#include <utility>

namespace stratoplan::gui {

namespace {

/// Of a column: its heading stands over its values.
Qt::Alignment alignmentOf(int column)
{
    return Qt::AlignVCenter | (column == PlansModel::NameColumn ? Qt::AlignLeft : Qt::AlignRight);
}

Figure figureOf(int column)
{
    return kFigures[static_cast<std::size_t>(column - 1)];
}

/// In one sentence, for those who hear the table and those who point at it.
QString sentenceOf(Figure figure, const FigureText& text)
{
    if (!text.reason.isEmpty())
        return text.reason;
    QStringList parts{PlansModel::tr("%1 %2").arg(figureName(figure), text.value)};
    if (!text.range.isEmpty())
        parts << text.range;
    if (!text.delta.isEmpty()) {
        const QString judged = text.judgement > 0 ? PlansModel::tr(", better")
            : text.judgement < 0                  ? PlansModel::tr(", worse")
                                                  : QString();
        parts << PlansModel::tr("%1 against the baseline%2").arg(text.delta, judged);
    }
    return parts.join(QStringLiteral(", "));
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
    endResetModel();
}

int PlansModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_plans.size());
}

int PlansModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : 1 + static_cast<int>(kFigures.size());
}

const ComparedPlan* PlansModel::baselineOf(int row) const
{
    return m_baseline >= 0 && m_baseline < rowCount() && m_baseline != row ? &at(m_baseline) : nullptr;
}

QVariant PlansModel::nameData(int row, int role) const
{
    const ComparedPlan& plan = at(row);
    switch (role) {
    case Qt::DisplayRole:
        return row == m_baseline ? tr("%1 · baseline").arg(shortName(plan)) : shortName(plan);
    case RangeRole:
        return restOfName(plan);
    case DeltaRole:
        return plan.note.section(u'\n', 0, 0);
    case Qt::ToolTipRole:
    case Qt::AccessibleTextRole: {
        QStringList lines{plan.name, session::planTitle(*plan.plan), session::strategyTitle(plan.plan->strategy)};
        if (!plan.note.isEmpty())
            lines << QString() << plan.note;
        return lines.join(u'\n');
    }
    default:
        return {};
    }
}

QVariant PlansModel::figureData(int row, Figure figure, int role) const
{
    const FigureText text = figureText(figure, at(row), baselineOf(row));
    switch (role) {
    case Qt::DisplayRole:
        return text.value;
    case RangeRole:
        return text.range;
    case DeltaRole:
        return text.delta;
    case JudgementRole:
        return text.judgement;
    case AlarmRole:
        return text.alarm;
    case Qt::ToolTipRole:
    case Qt::AccessibleTextRole:
        return sentenceOf(figure, text);
    default:
        return {};
    }
}

QVariant PlansModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(alignmentOf(index.column()));
    return index.column() == NameColumn ? nameData(index.row(), role)
                                        : figureData(index.row(), figureOf(index.column()), role);
}

QVariant PlansModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    switch (role) {
    case Qt::TextAlignmentRole:
        return QVariant::fromValue(alignmentOf(section));
    case Qt::DisplayRole:
        return section == NameColumn ? tr("Plan") : figureName(figureOf(section));
    case Qt::ToolTipRole:
        return section == NameColumn ? QVariant() : QVariant(figureExplanation(figureOf(section)));
    default:
        return QAbstractTableModel::headerData(section, orientation, role);
    }
}

} // namespace stratoplan::gui
