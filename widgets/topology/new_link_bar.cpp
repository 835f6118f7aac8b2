// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/topology/new_link_bar.h"

#include "widgets/panels/panel_style.h"
#include "widgets/panels/picker.h"
#include "widgets/style/elided_label.h"
#include "widgets/style/icons.h"
#include "widgets/topology/field_editor.h"
#include "widgets/topology/topology_text.h"

#include <QHBoxLayout>
#include <QToolButton>

namespace stratoplan::widgets {

namespace {
constexpr int kLeastPicker = 64; ///< pixels
constexpr int kWidestPicker = 160;
} // namespace

NewLinkBar::NewLinkBar(const catalog::Catalog& catalog, QWidget* parent)
    : QWidget(parent)
    , m_catalog(&catalog)
    , m_value(std::make_shared<const CanvasValue>())
    , m_fromPicker(new Picker(Picker::Look::Field, this))
    , m_toPicker(new Picker(Picker::Look::Field, this))
    , m_add(new QToolButton(this))
    , m_verdict(new ElidedLabel(this))
{
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(kRowGap);
    m_fromPicker->setAccessibleName(tr("New link: from"));
    m_toPicker->setAccessibleName(tr("New link: to"));
    for (auto [picker, end] : {std::pair(m_fromPicker, &m_from), {m_toPicker, &m_to}}) {
        picker->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
        picker->setMinimumWidth(kLeastPicker);
        picker->setMaximumWidth(kWidestPicker);
        picker->setEmptyText(tr("There is nothing to link yet: add nodes and switches first."));
        picker->setExplanation(tr("An end of a new link"));
        connect(picker, &Picker::picked, this, [this, end = end](const QString& id) { choose(*end, id); });
        row->addWidget(picker);
    }
    m_add->setText(tr("Add link"));
    m_add->setIcon(icon(QStringLiteral("plus")));
    m_add->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_add->setAutoRaise(true);
    m_add->setFocusPolicy(Qt::TabFocus);
    connect(m_add, &QToolButton::clicked, this, &NewLinkBar::add);
    row->addWidget(m_add);
    m_verdict->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    row->addWidget(m_verdict, 1);
    showVerdict();
}

void NewLinkBar::setValue(const std::shared_ptr<const CanvasValue>& value)
{
    m_value = value;
    for (std::string* end : {&m_from, &m_to}) {
        if (elementKind(value->cluster, *end) == ElementKind::None)
            end->clear();
    }
    for (Picker* picker : {m_fromPicker, m_toPicker})
        picker->setItems(elementItems(value->cluster));
    showVerdict();
}

void NewLinkBar::begin()
{
    m_fromPicker->setFocus(Qt::OtherFocusReason);
    m_fromPicker->openList();
}

void NewLinkBar::choose(std::string& end, const QString& id)
{
    end = id.toStdString();
    showVerdict();
}

void NewLinkBar::showVerdict()
{
    const cluster::Cluster& cluster = m_value->cluster;
    const auto show = [&](Picker& picker, const std::string& end, const QString& none) {
        picker.setCurrent(fromText(end), end.empty() ? none : fromText(elementName(cluster, end)));
    };
    show(*m_fromPicker, m_from, tr("From…"));
    show(*m_toPicker, m_to, tr("To…"));
    const bool isChosen = !m_from.empty() && !m_to.empty();
    const LinkVerdict verdict = isChosen ? connectionPossible(cluster, m_from, m_to) : LinkVerdict{};
    m_add->setEnabled(isChosen && verdict.possible());
    const QString text = isChosen ? describe(cluster, verdict) : QString();
    m_verdict->setText(text);
    m_add->setToolTip(isChosen ? text : tr("Choose both ends first"));
    m_add->setAccessibleDescription(m_add->toolTip());
}

void NewLinkBar::add()
{
    if (const auto edit = linkedElements(*m_catalog, *m_value, m_from, m_to))
        Q_EMIT linked(*edit);
}

} // namespace stratoplan::widgets
