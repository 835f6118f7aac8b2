// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/text_field.h"

#include <QKeyEvent>

namespace stratoplan::widgets {

TextField::TextField(const QString& emptyText, QWidget* parent)
    : EntryField(parent)
    , m_emptyText(emptyText)
{
    setPlaceholderText(emptyText);
    connect(this, &QLineEdit::textEdited, this, [this] { setPlaceholderText(m_emptyText); });
}

void TextField::setValue(const QString& value)
{
    m_value = value;
    refresh(false);
}

void TextField::setDiffers(bool differs)
{
    m_differs = differs;
    refresh(false);
}

QString TextField::shownText() const
{
    return m_differs ? QString() : m_value.left(maxLength());
}

bool TextField::isPending() const
{
    return EntryField::isPending() || (m_differs && isModified());
}

void TextField::refreshed()
{
    setPlaceholderText(m_differs ? tr("several") : m_emptyText);
}

void TextField::keyPressEvent(QKeyEvent* event)
{
    EntryField::keyPressEvent(event);
    const bool erases = event->key() == Qt::Key_Delete || event->key() == Qt::Key_Backspace;
    if (erases && m_differs && text().isEmpty()) { // nothing was to be erased, and yet it is
        setModified(true);
        setPlaceholderText(m_emptyText);
    }
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
