// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/field_row.h"

#include "widgets/panels/entry_field.h"
#include "widgets/panels/picker.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QMouseEvent>
#include <QVBoxLayout>
#include <algorithm>

namespace stratoplan::widgets {

namespace {

int standardLabelWidth(const QWidget& widget)
{
    return widget.fontMetrics().horizontalAdvance(QStringLiteral("Heads · KV heads")) + 3;
}

} // namespace

FieldLabel::FieldLabel(const QString& text, QWidget* parent)
    : ToneLabel(text, Tone::Secondary, parent)
{
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
}

QSize FieldLabel::sizeHint() const
{
    return {std::max(standardLabelWidth(*this), fontMetrics().horizontalAdvance(text()) + 3), rowHeight(*this)};
}

void FieldLabel::mouseDoubleClickEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton)
        Q_EMIT defaultAsked();
}

FieldRow::FieldRow(const QString& label, const QString& explanation, QWidget* parent)
    : QWidget(parent)
    , m_label(new FieldLabel(label, this))
    , m_controls(new QHBoxLayout)
    , m_error(new ToneLabel(ToneLabel::Tone::Bad, this))
    , m_explanation(explanation)
{
    m_label->setToolTip(explanation);
    m_error->setWordWrap(true);
    m_error->setFont(scaledFont(font(), 0.9));
    m_error->setContentsMargins(standardLabelWidth(*this) + kRowGap, 2, 0, 2);
    m_error->hide();
    m_controls->setContentsMargins(0, 0, 0, 0);
    m_controls->setSpacing(kRowGap);
    m_controls->addWidget(m_label);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(m_controls);
    column->addWidget(m_error);
    connect(m_label, &FieldLabel::defaultAsked, this, &FieldRow::defaultAsked);
}

void FieldRow::add(QWidget* control, const QString& name, int stretch)
{
    control->setAccessibleName(name);
    if (auto* picker = qobject_cast<Picker*>(control))
        picker->setExplanation(m_explanation);
    else if (control->toolTip().isEmpty())
        control->setToolTip(m_explanation);
    m_controls->addWidget(control, stretch);
    if (!m_label->buddy())
        m_label->setBuddy(control);
    QList<EntryField*> entries = control->findChildren<EntryField*>();
    if (auto* entry = qobject_cast<EntryField*>(control))
        entries.prepend(entry);
    for (EntryField* entry : entries) {
        m_entries.push_back(entry);
        connect(entry, &EntryField::errorChanged, this, &FieldRow::showErrors);
    }
}

void FieldRow::setLabelWidth(int width)
{
    m_label->setFixedWidth(width);
    m_error->setFont(scaledFont(font(), 0.9));
    m_error->setContentsMargins(width + kRowGap, 2, 0, 2);
}

QString FieldRow::error() const
{
    return m_error->isHidden() ? QString() : m_error->text();
}

void FieldRow::showErrors()
{
    const auto wrong =
        std::ranges::find_if(m_entries, [](const EntryField* entry) { return !entry->error().isEmpty(); });
    QString text = wrong == m_entries.end() ? QString() : (*wrong)->error();
    // What was pasted may be a whole file.
    constexpr qsizetype kLongest = 160;
    if (text.size() > kLongest)
        text = text.left(kLongest / 2) + QStringLiteral(" … ") + text.right(kLongest / 2);
    m_error->setText(text);
    m_error->setVisible(wrong != m_entries.end());
}

InfoRow::InfoRow(const QString& label, const QString& explanation, QWidget* parent)
    : QWidget(parent)
    , m_label(new FieldLabel(label, this))
    , m_value(new QLabel(this))
{
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(kRowGap);
    m_label->setToolTip(explanation);
    layout->addWidget(m_label, 0, Qt::AlignTop);
    m_value->setWordWrap(true);
    m_value->setTextFormat(Qt::PlainText);
    const int margin = std::max(0, (rowHeight(*this) - fontMetrics().height()) / 2); // its first line is the label's
    m_value->setContentsMargins(0, margin, 0, margin);
    layout->addWidget(m_value, 1, Qt::AlignTop);
}

void InfoRow::setLabelWidth(int width)
{
    m_label->setFixedWidth(width);
}

void InfoRow::setValue(const QString& value)
{
    m_value->setText(value);
}

QString InfoRow::value() const
{
    return m_value->text();
}

EntryField* commitFields(QWidget& form)
{
    for (const FieldRow* row : form.findChildren<FieldRow*>()) {
        for (EntryField* entry : row->entries()) {
            if (!entry->isModified() && entry->error().isEmpty())
                continue;
            if (entry->commit()) {
                if (entry->hasFocus())
                    entry->selectAll(); // as after Enter
                continue;
            }
            if (!row->isHidden())
                return entry;
            entry->revert();
        }
    }
    return nullptr;
}

int alignLabels(QWidget& form)
{
    int width = 0;
    for (const FieldLabel* label : form.findChildren<FieldLabel*>())
        width = std::max(width, label->sizeHint().width());
    for (FieldRow* row : form.findChildren<FieldRow*>())
        row->setLabelWidth(width);
    for (InfoRow* row : form.findChildren<InfoRow*>())
        row->setLabelWidth(width);
    return width;
}

} // namespace stratoplan::widgets
