// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/shell/message_bar.h"

#include "widgets/style/icons.h"
#include "widgets/style/theme.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QToolButton>

#include <utility>

namespace stratoplan::widgets {

namespace {

const QColor& toneOf(MessageKind kind)
{
    const Tokens& t = currentTokens();
    switch (kind) {
    case MessageKind::Error:
        return t.bad;
    case MessageKind::Offer:
        return t.info;
    case MessageKind::Done:
        break;
    }
    return t.good;
}

QString iconOf(MessageKind kind)
{
    switch (kind) {
    case MessageKind::Error:
        return QStringLiteral("error");
    case MessageKind::Offer:
        return QStringLiteral("info");
    case MessageKind::Done:
        break;
    }
    return QStringLiteral("ok");
}

} // namespace

MessageBar::MessageBar(QWidget* parent)
    : QWidget(parent)
    , m_icon(new QLabel(this))
    , m_text(new QLabel(this))
    , m_buttons(new QHBoxLayout)
    , m_close(new QToolButton(this))
{
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(12, 6, 8, 6);
    row->setSpacing(8);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_text->setWordWrap(true);
    m_text->setTextFormat(Qt::PlainText);
    m_close->setIcon(icon(QStringLiteral("close")));
    m_close->setAutoRaise(true);
    m_close->setToolTip(tr("Dismiss"));
    m_close->setAccessibleName(tr("Dismiss message"));
    connect(m_close, &QToolButton::clicked, this, &MessageBar::dismiss);
    row->addWidget(m_icon);
    row->addWidget(m_text, 1);
    row->addLayout(m_buttons);
    row->addWidget(m_close);
    hide();
}

void MessageBar::show(MessageKind kind, const QString& text, std::vector<MessageAction> actions)
{
    say({kind, text, std::move(actions), false, false});
}

void MessageBar::showOfPlan(MessageKind kind, const QString& text, std::vector<MessageAction> actions)
{
    say({kind, text, std::move(actions), false, true});
}

void MessageBar::say(Message message)
{
    if (m_shown.question)
        m_waiting.push_front(std::move(m_shown));
    present(std::move(message));
}

void MessageBar::planChanged()
{
    if (m_shown.ofPlan)
        dismiss();
}

void MessageBar::ask(const QString& text, std::vector<MessageAction> actions)
{
    Message question{MessageKind::Offer, text, std::move(actions), true, false};
    if (isHidden())
        present(std::move(question));
    else
        m_waiting.push_back(std::move(question));
}

void MessageBar::present(Message message)
{
    m_shown = std::move(message);
    m_text->setText(m_shown.text);
    m_text->setAccessibleName(m_shown.text);
    applyIcon();
    while (QLayoutItem* item = m_buttons->takeAt(0)) {
        item->widget()->hide();
        item->widget()->deleteLater(); // it may be the sender of the click that brings this message
        delete item;
    }
    for (const MessageAction& action : m_shown.actions) {
        auto* button = new QPushButton(action.label, this);
        connect(button, &QPushButton::clicked, this, [this, run = action.run] {
            dismiss();
            if (run)
                run();
        });
        m_buttons->addWidget(button);
    }
    setVisible(true);
    update();
}

void MessageBar::clear()
{
    if (!m_shown.question)
        dismiss();
}

void MessageBar::dismiss()
{
    m_shown = {};
    if (!m_waiting.empty()) {
        Message next = std::move(m_waiting.front());
        m_waiting.pop_front();
        present(std::move(next));
        return;
    }
    m_text->clear();
    hide();
}

QString MessageBar::text() const
{
    return m_text->text();
}

void MessageBar::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const Tokens& t = currentTokens();
    painter.fillRect(rect(), blend(toneOf(m_shown.kind), t.window, 0.10));
    painter.fillRect(QRect(0, 0, 3, height()), toneOf(m_shown.kind));
    painter.fillRect(QRect(0, height() - 1, width(), 1), t.border);
}

void MessageBar::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::PaletteChange)
        applyIcon();
    QWidget::changeEvent(event);
}

void MessageBar::applyIcon()
{
    m_icon->setPixmap(icon(iconOf(m_shown.kind)).pixmap(16, 16));
}

} // namespace stratoplan::widgets
