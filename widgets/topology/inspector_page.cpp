// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/topology/inspector_page.h"

#include "widgets/panels/entry_field.h"
#include "widgets/panels/field_row.h"
#include "widgets/panels/panel_style.h"
#include "widgets/panels/text_field.h"
#include "widgets/style/theme.h"
#include "widgets/topology/field_editor.h"
#include "widgets/topology/topology_text.h"

#include <QAction>
#include <QFrame>
#include <QLabel>
#include <QLineEdit>
#include <QVBoxLayout>

#include <algorithm>

namespace stratoplan::widgets {

InspectorPage::InspectorPage(const catalog::Catalog& catalog, QWidget* parent)
    : QWidget(parent)
    , m_catalog(&catalog)
    , m_column(new QVBoxLayout(this))
{
    m_column->setContentsMargins(kPanelMargin, kPanelMargin, kPanelMargin, kPanelMargin);
    m_column->setSpacing(kRowGap);
}

void InspectorPage::setRows(const cluster::Cluster& cluster, const std::vector<std::size_t>& rows)
{
    m_cluster = cluster;
    m_rows = rows;
    refresh();
}

void InspectorPage::focusName()
{
    if (m_name) {
        m_name->setFocus(Qt::OtherFocusReason);
        m_name->selectAll();
    } else if (!findChildren<EntryField*>().isEmpty()) {
        findChildren<EntryField*>().constFirst()->setFocus(Qt::OtherFocusReason);
    }
}

void InspectorPage::apply(const ClusterField& field, const QVariant& value)
{
    cluster::Cluster next = m_cluster;
    for (const std::size_t row : m_rows)
        field.write(*m_catalog, next, row, value);
    if (!(next == m_cluster))
        Q_EMIT edited(next, editText(field, *m_catalog, value));
}

void InspectorPage::addTitle()
{
    m_title = new QLabel(this);
    setTextRole(*m_title, TextRole::Title);
    m_title->setTextFormat(Qt::PlainText);
    m_title->setWordWrap(true);
    m_subtitle = new QLabel(this);
    setTextRole(*m_subtitle, TextRole::Secondary);
    m_subtitle->setTextFormat(Qt::PlainText);
    m_subtitle->setWordWrap(true);
    m_column->addWidget(m_title);
    m_column->addWidget(m_subtitle);
    m_column->addSpacing(kGrid);
}

void InspectorPage::setTitle(const QString& title, const QString& kind)
{
    m_title->setText(title);
    m_subtitle->setText(kind);
    m_subtitle->setVisible(!kind.isEmpty());
}

void InspectorPage::addFields(RowKind kind)
{
    for (const ClusterField& field : clusterFields(kind)) {
        if (field.startsGroup)
            addSeparator();
        if (field.kind == FieldKind::Name)
            addName(field);
        else if (QWidget* editor = makeRowEditor(field, *m_catalog, this,
                     [this](const ClusterField& changed, const QVariant& value) { apply(changed, value); }))
            addField(field, editor);
    }
    for (const EntryField* field : findChildren<EntryField*>())
        connect(field, &EntryField::finished, this, &InspectorPage::finished);
}

void InspectorPage::addField(const ClusterField& field, QWidget* editor)
{
    auto* row = new FieldRow(field.label, field.explanation, this);
    row->add(editor, field.label);
    m_column->addWidget(row);
    m_lines.push_back({&field, row, editor});
}

void InspectorPage::showFields()
{
    showName();
    for (const Line& line : m_lines) {
        const auto first =
            std::ranges::find_if(m_rows, [&](std::size_t row) { return line.field->value(m_cluster, row).isValid(); });
        line.row->setVisible(first != m_rows.end());
        if (first == m_rows.end())
            continue;
        showRowValue(*line.editor, *line.field, *m_catalog, m_cluster, *first);
        const bool differ = std::any_of(m_rows.begin(), m_rows.end(),
            [&](std::size_t row) { return !isSame(*line.field, m_cluster, row, m_rows.front()); });
        if (auto* text = qobject_cast<TextField*>(line.editor))
            text->setDiffers(differ);
        line.row->label().setText(differ ? tr("%1 (differ)").arg(line.field->label) : line.field->label);
    }
}

void InspectorPage::addName(const ClusterField& field)
{
    m_nameField = &field;
    m_name = new QLineEdit(this);
    m_name->setMaxLength(kMostOfName);
    m_name->setFixedHeight(rowHeight(*m_name)); // as the fields below it
    auto* giveUp = new QAction(tr("Keep the name"), m_name);
    giveUp->setShortcut(Qt::Key_Escape);
    giveUp->setShortcutContext(Qt::WidgetShortcut);
    m_name->QWidget::addAction(giveUp);
    connect(giveUp, &QAction::triggered, this, [this] {
        m_name->setModified(false);
        refresh();
        Q_EMIT finished();
    });
    m_nameRow = new FieldRow(field.label, field.explanation, this);
    m_nameRow->add(m_name, field.label);
    m_column->addWidget(m_nameRow);
    connect(m_name, &QLineEdit::editingFinished, this, &InspectorPage::commitName);
    connect(m_name, &QLineEdit::returnPressed, this, &InspectorPage::finished);
}

void InspectorPage::commitName()
{
    const QString name = keptName(m_name->text());
    if (!m_name->isModified())
        return;
    m_name->setModified(false);
    if (name.isEmpty())
        refresh();
    else
        apply(*m_nameField, name);
}

QString InspectorPage::commitPending()
{
    if (m_name)
        commitName();
    EntryField* wrong = commitFields(*this);
    if (!wrong)
        return {};
    wrong->setFocus(Qt::OtherFocusReason);
    return wrong->error();
}

void InspectorPage::showName()
{
    if (!m_name)
        return;
    const QString name = m_nameField->value(m_cluster, m_rows.front()).toString();
    if (m_name->text() != name)
        m_name->setText(name);
    m_nameRow->setVisible(m_rows.size() == 1);
}

InfoRow* InspectorPage::addInfo(const QString& label, const QString& explanation)
{
    auto* row = new InfoRow(label, explanation, this);
    m_column->addWidget(row);
    return row;
}

void InspectorPage::addSeparator()
{
    auto* line = new QFrame(this);
    line->setFrameShape(QFrame::HLine);
    line->setFrameShadow(QFrame::Plain);
    line->setForegroundRole(QPalette::Midlight);
    m_column->addSpacing(kGrid / 2);
    m_column->addWidget(line);
    m_column->addSpacing(kGrid / 2);
}

} // namespace stratoplan::widgets
