// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/topology/inspector_page.h"

#include "widgets/panels/catalog_items.h"
#include "widgets/panels/count_field.h"
#include "widgets/panels/field_row.h"
#include "widgets/panels/link_field.h"
#include "widgets/panels/panel_style.h"
#include "widgets/style/theme.h"
#include "widgets/topology/topology_text.h"

#include <QAction>
#include <QFrame>
#include <QLineEdit>

namespace stratoplan::widgets {

namespace {
constexpr int kMostOfName = 200; ///< letters
}

InspectorPage::InspectorPage(const catalog::Catalog& catalog, QWidget* parent)
    : QWidget(parent)
    , m_catalog(&catalog)
    , m_column(new QVBoxLayout(this))
{
    m_column->setContentsMargins(kPanelMargin, kPanelMargin, kPanelMargin, kPanelMargin);
    m_column->setSpacing(kRowGap);
}

void InspectorPage::setElements(const cluster::Cluster& cluster, const std::vector<std::string>& keys)
{
    m_cluster = cluster;
    m_keys = keys;
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

void InspectorPage::apply(const QString& actionText, const Change& change)
{
    cluster::Cluster next = m_cluster;
    for (const std::string& key : m_keys)
        change(next, key);
    if (!(next == m_cluster))
        Q_EMIT edited(next, actionText);
}

void InspectorPage::addTitle()
{
    m_title = new QLabel(this);
    setTextRole(*m_title, TextRole::Title);
    m_title->setTextFormat(Qt::PlainText);
    m_title->setWordWrap(true);
    m_kind = new QLabel(this);
    setTextRole(*m_kind, TextRole::Secondary);
    m_kind->setTextFormat(Qt::PlainText);
    m_kind->setWordWrap(true);
    m_column->addWidget(m_title);
    m_column->addWidget(m_kind);
    m_column->addSpacing(kGrid);
}

void InspectorPage::setTitle(const QString& title, const QString& kind)
{
    m_title->setText(title);
    m_kind->setText(kind);
    m_kind->setVisible(!kind.isEmpty());
}

void InspectorPage::addName(const QString& explanation)
{
    m_name = new QLineEdit(this);
    m_name->setFixedHeight(rowHeight(*m_name)); // as the fields below it
    m_name->setMaxLength(kMostOfName);
    auto* giveUp = new QAction(tr("Keep the name"), m_name);
    giveUp->setShortcut(Qt::Key_Escape);
    giveUp->setShortcutContext(Qt::WidgetShortcut);
    m_name->QWidget::addAction(giveUp);
    connect(giveUp, &QAction::triggered, this, [this] {
        m_name->setModified(false);
        refresh();
    });
    addField(tr("Name"), explanation, m_name);
    connect(m_name, &QLineEdit::editingFinished, this, &InspectorPage::commitName);
}

void InspectorPage::commitName()
{
    const QString name = m_name->text().simplified(); // pasted lines are one
    if (!m_name->isModified())
        return;
    m_name->setModified(false);
    if (name.isEmpty())
        refresh();
    else
        apply(tr("Rename to %1").arg(name),
            [&](cluster::Cluster& c, const std::string& key) { renameElement(c, key, name.toStdString()); });
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

void InspectorPage::showName(const QString& name)
{
    if (m_name->text() != name)
        m_name->setText(name);
    rowOf(m_name)->setVisible(m_keys.size() == 1);
}

FieldRow* InspectorPage::addField(const QString& label, const QString& explanation, QWidget* field)
{
    auto* row = new FieldRow(label, explanation, this);
    row->add(field, label);
    m_column->addWidget(row);
    return row;
}

CountField* InspectorPage::addCount(const QString& label, const QString& explanation, const QString& actionText,
    const std::function<void(cluster::Cluster&, const std::string&, int)>& change)
{
    auto* field = new CountField(this);
    addField(label, explanation, field);
    connect(field, &CountField::valueChanged, this, [this, actionText, change](int value) {
        apply(actionText.arg(groupedNumber(value)),
            [&](cluster::Cluster& c, const std::string& key) { change(c, key, value); });
    });
    return field;
}

UnitField* InspectorPage::addAmount(const QString& label, const QString& explanation, UnitKind kind,
    const QString& actionText, const std::function<void(cluster::Cluster&, const std::string&, double)>& change)
{
    auto* field = new UnitField(kind, this);
    addField(label, explanation, field);
    connect(field, &UnitField::valueChanged, this, [this, kind, actionText, change](double value) {
        apply(actionText.arg(unitText(kind, value)),
            [&](cluster::Cluster& c, const std::string& key) { change(c, key, value); });
    });
    return field;
}

LinkField* InspectorPage::addLink(const QString& label, const QString& explanation, bool network,
    const QString& actionText,
    const std::function<const cluster::Link*(const cluster::Cluster&, const std::string&)>& current,
    const std::function<void(cluster::Cluster&, const std::string&, const cluster::Link&)>& change)
{
    auto* field = new LinkField(network ? UnitKind::BitRate : UnitKind::Bandwidth, this);
    addField(label, explanation, field);
    field->setNames(label, tr("%1: bandwidth").arg(label), explanation);
    field->picker().setItems(linkItems(catalog(), network));
    connect(&field->picker(), &Picker::picked, this, [this, actionText, change](const QString& id) {
        if (const cluster::Link* chosen = catalog().link(id.toStdString()))
            apply(actionText.arg(fromText(chosen->name)),
                [&](cluster::Cluster& c, const std::string& key) { change(c, key, *chosen); });
    });
    connect(&field->rate(), &UnitField::valueChanged, this, [this, network, actionText, current, change](double value) {
        const QString rate = unitText(network ? UnitKind::BitRate : UnitKind::Bandwidth, value);
        apply(actionText.arg(rate), [&](cluster::Cluster& c, const std::string& key) {
            if (const cluster::Link* old = current(c, key)) {
                cluster::Link link = *old;
                link.bandwidth = BytesPerSecond(value);
                change(c, key, link);
            }
        });
    });
    return field;
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

void InspectorPage::markMixed(FieldRow* row, bool mixed)
{
    FieldLabel& label = row->label();
    if (!label.property("plain").isValid())
        label.setProperty("plain", label.text());
    const QString plain = label.property("plain").toString();
    label.setText(mixed ? tr("%1 (differ)").arg(plain) : plain);
}

FieldRow* InspectorPage::rowOf(QWidget* field) const
{
    QWidget* ancestor = field;
    while (ancestor && !qobject_cast<FieldRow*>(ancestor))
        ancestor = ancestor->parentWidget();
    return qobject_cast<FieldRow*>(ancestor);
}

bool InspectorPage::linkEdited(const cluster::Link& link) const
{
    const cluster::Link* known = catalog().link(link.id);
    return known && !(*known == link);
}

} // namespace stratoplan::widgets
