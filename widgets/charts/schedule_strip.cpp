// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/charts/schedule_strip.h"

#include "widgets/style/icons.h"
#include "widgets/style/theme.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QToolButton>

namespace stratoplan::widgets {

ScheduleStrip::ScheduleStrip(QWidget* parent)
    : QWidget(parent)
    , m_icon(new QLabel(this))
    , m_text(new QLabel(this))
{
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(8, 2, 4, 2);
    row->setSpacing(8);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_text->setTextFormat(Qt::PlainText);
    m_text->setWordWrap(true);
    row->addWidget(m_icon);
    row->addWidget(m_text, 1);
    const auto add = [&](const QString& text, const QString& tip, void (ScheduleStrip::*wanted)()) {
        auto* button = new QToolButton(this);
        button->setText(text);
        button->setToolTip(tip);
        button->setAccessibleName(tip);
        button->setAutoRaise(true);
        connect(button, &QToolButton::clicked, this, wanted);
        row->addWidget(button);
    };
    add(tr("Read again"), tr("Read the schedule file again"), &ScheduleStrip::reloadWanted);
    add(tr("Close"), tr("Close the schedule file: show the plan's own schedule alone"), &ScheduleStrip::closeWanted);
    hide();
}

void ScheduleStrip::setFile(const QString& name, const QString& said, bool wrong)
{
    m_wrong = wrong;
    m_text->setText(QStringLiteral("%1: %2").arg(name, said));
    setAccessibleName(tr("Schedule from the file %1").arg(m_text->text()));
    applyIcon();
    show();
    update();
}

QString ScheduleStrip::text() const
{
    return m_text->text();
}

void ScheduleStrip::paintEvent(QPaintEvent*)
{
    const Tokens& t = currentTokens();
    const QColor& tone = m_wrong ? t.bad : t.info;
    QPainter painter(this);
    painter.fillRect(rect(), blend(tone, t.surface, 0.10));
    painter.fillRect(QRect(0, 0, 3, height()), tone);
}

void ScheduleStrip::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::PaletteChange)
        applyIcon();
    QWidget::changeEvent(event);
}

void ScheduleStrip::applyIcon()
{
    m_icon->setPixmap(icon(m_wrong ? QStringLiteral("error") : QStringLiteral("info")).pixmap(16, 16));
}

} // namespace stratoplan::widgets
