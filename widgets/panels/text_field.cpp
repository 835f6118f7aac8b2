// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/text_field.h"

namespace stratoplan::widgets {

TextField::TextField(const QString& emptyText, QWidget* parent)
    : EntryField(parent)
    , m_emptyText(emptyText)
{
    setPlaceholderText(emptyText);
}

void TextField::setValue(const QString& value)
{
    m_value = value;
    refresh(false);
}

void TextField::setDiffers(bool differs)
{
    m_differs = differs;
    setPlaceholderText(differs ? tr("several") : m_emptyText);
    refresh(false);
}

QString TextField::shownText() const
{
    return m_differs ? QString() : m_value;
}

QString TextField::take(const QString& text)
{
    const QString value = text.simplified();
    const bool isNew = m_differs || value != m_value;
    m_differs = false;
    m_value = value;
    if (isNew)
        Q_EMIT valueChanged(value);
    return {};
}

void TextField::step(int, Step) { }

} // namespace stratoplan::widgets
