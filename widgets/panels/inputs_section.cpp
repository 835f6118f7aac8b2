// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/inputs_section.h"

#include "widgets/panels/count_field.h"
#include "widgets/panels/field_row.h"
#include "widgets/presentation/numbers.h"

namespace stratoplan::widgets {

InputsSection::InputsSection(const QString& title, const catalog::Catalog& catalog, QWidget* parent)
    : Section(title, parent)
    , m_catalog(&catalog)
{
}

void InputsSection::setPlan(const plan::Plan& plan)
{
    m_plan = plan;
    refresh();
}

void InputsSection::edit(const QString& actionText, const std::function<void(plan::Plan&)>& change, int mergeId)
{
    plan::Plan next = m_plan;
    change(next);
    if (next == m_plan)
        refresh(); // the field goes back to what the plan holds
    else
        Q_EMIT planEdited(next, actionText, mergeId);
}

CountField* InputsSection::addCount(
    FieldRow& row, const QString& pointer, const QString& name, const std::function<void(plan::Plan&, int)>& change)
{
    auto* field = new CountField(&row);
    field->setObjectName(pointer);
    row.add(field, name);
    connect(field, &CountField::valueChanged, this, [this, name, change](int value) {
        edit(tr("Set %1 to %2").arg(name.toLower(), groupedNumber(value)),
            [&](plan::Plan& plan) { change(plan, value); });
    });
    return field;
}

} // namespace stratoplan::widgets
