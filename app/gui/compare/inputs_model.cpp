// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/compare/inputs_model.h"

#include "app/session/run_fields.h"

#include <algorithm>
#include <numeric>

namespace stratoplan::gui {

std::vector<session::PlanField> inputsOf(const ComparedPlan& plan)
{
    std::vector<session::PlanField> fields = session::planFields(*plan.plan);
    const std::vector<session::PlanField> ofRun = session::runFields(*plan.plan, plan.inputs);
    fields.insert(fields.end(), ofRun.begin(), ofRun.end());
    return fields;
}

std::vector<std::size_t> differingInputs(const std::vector<std::vector<session::PlanField>>& inputs)
{
    std::vector<std::size_t> differing;
    for (std::size_t i = 0; !inputs.empty() && i < inputs.front().size(); ++i)
        if (std::ranges::any_of(inputs, [&](const auto& fields) { return fields[i].text != inputs.front()[i].text; }))
            differing.push_back(i);
    return differing;
}

void InputsModel::setPlans(const std::vector<ComparedPlan>& plans, int baseline)
{
    QStringList names;
    std::vector<std::vector<session::PlanField>> inputs;
    for (const ComparedPlan& plan : plans) {
        names << shortName(plan);
        inputs.push_back(inputsOf(plan));
    }
    if (names == m_names && inputs == m_inputs && baseline == m_baseline)
        return;
    beginResetModel();
    m_names = names;
    m_inputs = std::move(inputs);
    m_baseline = baseline;
    m_differing = differingInputs(m_inputs);
    updateShown();
    endResetModel();
}

void InputsModel::setShowsAll(bool all)
{
    beginResetModel();
    m_showsAll = all;
    updateShown();
    endResetModel();
}

void InputsModel::updateShown()
{
    m_shown = m_differing;
    if (m_showsAll && !m_inputs.empty()) {
        m_shown.resize(m_inputs.front().size());
        std::iota(m_shown.begin(), m_shown.end(), std::size_t{0});
    }
}

int InputsModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(m_shown.size());
}

int InputsModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : 1 + int(m_inputs.size());
}

QVariant InputsModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    const auto row = std::size_t(index.row());
    const std::size_t input = m_shown[row];
    const session::PlanField& first = m_inputs.front()[input];
    const bool isLabel = index.column() == LabelColumn;
    const auto textOf = [&](int plan) { return m_inputs[std::size_t(plan)][input].text; };
    switch (role) {
    case Qt::DisplayRole:
    case Qt::ToolTipRole:
        return isLabel ? first.label : textOf(index.column() - 1);
    case Qt::TextAlignmentRole:
        return QVariant::fromValue(Qt::Alignment(Qt::AlignVCenter | Qt::AlignLeft));
    case PartRole:
        return isLabel && (row == 0 || m_inputs.front()[m_shown[row - 1]].part != first.part)
            ? session::planPartText(first.part)
            : QString();
    case DiffersRole:
        return !isLabel && m_baseline >= 0 && m_baseline < int(m_inputs.size())
            && textOf(index.column() - 1) != textOf(m_baseline);
    default:
        return {};
    }
}

QVariant InputsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(Qt::Alignment(Qt::AlignVCenter | Qt::AlignLeft));
    if (role != Qt::DisplayRole)
        return QAbstractTableModel::headerData(section, orientation, role);
    if (section == LabelColumn)
        return tr("Input");
    return section - 1 == m_baseline ? tr("%1 · baseline").arg(m_names[section - 1]) : m_names[section - 1];
}

} // namespace stratoplan::gui
