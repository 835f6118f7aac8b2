// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/link_field.h"

#include "widgets/panels/panel_style.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QPainter>
#include <algorithm>

namespace stratoplan::widgets {

LinkField::LinkField(UnitKind rate, QWidget* parent)
    : QWidget(parent)
    , m_picker(new Picker(Picker::Look::Plain, this))
    , m_rate(new UnitField(rate, this))
{
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAttribute(Qt::WA_Hover);
    m_rate->setFrameless(true);
    m_rate->setAlignment(Qt::AlignRight);
    m_rate->setRange(1e3, 1e15);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 4, 0);
    layout->setSpacing(0);
    layout->addWidget(m_picker, 1);
    layout->addWidget(m_rate);
    for (QWidget* part : {static_cast<QWidget*>(m_picker), static_cast<QWidget*>(m_rate)})
        part->installEventFilter(this);
    connect(m_rate, &EntryField::errorChanged, this, [this] { update(); });
    connect(m_rate, &EntryField::focusChanged, this, &LinkField::fitRate);
    connect(m_rate, &QLineEdit::textChanged, this, &LinkField::fitRate);
    fitRate();
}

void LinkField::setLink(const cluster::Link& link, bool edited)
{
    const QString name = shortLinkName(QString::fromStdString(link.name));
    m_picker->setCurrent(QString::fromStdString(link.id), edited ? name + QStringLiteral(" *") : name);
    m_picker->setExplanation(edited
            ? tr("* Edited: not as the catalogue has %1.").arg(QString::fromStdString(link.name)) + u'\n'
                + m_explanation
            : m_explanation);
    m_rate->setValue(link.bandwidth.value());
    m_rate->show();
}

void LinkField::setNone(const QString& text)
{
    m_picker->setCurrent({}, text);
    m_picker->setExplanation(m_explanation);
    m_rate->hide();
}

void LinkField::fitRate()
{
    // The name gets the room that the number does not need; while one types, the number does.
    constexpr int kTyping = 92;
    const int snug = fontMetrics().horizontalAdvance(m_rate->text()) + 10;
    m_rate->setFixedWidth(m_rate->hasFocus() ? std::max(kTyping, snug) : snug);
}

void LinkField::setNames(const QString& kind, const QString& rate, const QString& explanation)
{
    m_explanation = explanation;
    m_picker->setAccessibleName(kind);
    m_picker->setExplanation(explanation);
    m_rate->setAccessibleName(rate);
    m_rate->setToolTip(explanation);
}

QSize LinkField::sizeHint() const
{
    return {152, rowHeight(*this)};
}

bool LinkField::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::FocusIn || event->type() == QEvent::FocusOut)
        update();
    return QWidget::eventFilter(watched, event);
}

void LinkField::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    paintFieldFrame(
        painter, rect(), tokensOf(*this), frameState(*this, m_rate->hasFocus(), !m_rate->error().isEmpty()));
}

QString shortLinkName(const QString& name)
{
    const QString family = QStringLiteral("InfiniBand ");
    return name.startsWith(family) ? name.mid(family.size()) : name;
}

} // namespace stratoplan::widgets
