// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/run_section.h"

#include "widgets/panels/field_row.h"
#include "widgets/panels/picker.h"
#include "widgets/panels/unit_field.h"

#include <utility>

namespace stratoplan::widgets {

using plan::CapacityInputs;

RunSection::RunSection(const QString& title, QWidget* parent)
    : Section(title, parent)
{
    preset().hide();
}

bool RunSection::setPlan(const plan::Plan&)
{
    return false;
}

UnitField& RunSection::addAmount(FieldRow& row, UnitKind kind, const Amount& amount)
{
    auto* field = new UnitField(kind, &row);
    field->setZeroText(amount.zeroText);
    field->setSuffix(amount.suffix);
    field->setRange(0, amount.most);
    row.add(field, amount.name);
    connect(field, &UnitField::valueChanged, this, [this, set = amount.set, action = amount.actionText](double value) {
        edit(action, [&](CapacityInputs& c) { set(c, value); });
    });
    m_refreshes.emplace_back([this, field, get = amount.get] { field->setValue(get(m_inputs)); });
    return *field;
}

void RunSection::addWithDefault(FieldRow* row, const QString& actionText, const Restore& restore)
{
    addRow(row);
    connect(row, &FieldRow::defaultAsked, this,
        [this, actionText, restore] { edit(actionText, [&](CapacityInputs& c) { restore(c, {}); }); });
}

void RunSection::showWhere(QWidget* row, const std::function<bool(const CapacityInputs&)>& isSo)
{
    m_refreshes.emplace_back([this, row, isSo] { row->setVisible(isSo(m_inputs)); });
}

void RunSection::edit(const QString& actionText, const std::function<void(CapacityInputs&)>& change)
{
    CapacityInputs next = m_inputs;
    change(next);
    if (next == m_inputs)
        return;
    setCapacity(next);
    Q_EMIT capacityEdited(m_inputs, actionText);
}

void RunSection::setCapacity(const CapacityInputs& inputs)
{
    m_inputs = inputs;
    for (const std::function<void()>& refresh : m_refreshes)
        refresh();
}

void RunSection::whenShown(std::function<void()> refresh)
{
    m_refreshes.push_back(std::move(refresh));
}

} // namespace stratoplan::widgets
