// SPDX-License-Identifier: GPL-3.0-or-later
// One line under the menu for what the window has to say without stopping anyone: an error, an offer, a result.
#pragma once

#include <QString>
#include <QWidget>

#include <functional>
#include <vector>

class QBoxLayout;
class QLabel;
class QToolButton;

namespace stratoplan {

enum class MessageKind { Error, Offer, Done };

struct MessageAction {
    QString label;
    std::function<void()> run; ///< the message closes first
};

/// Hidden while there is nothing to say. A new message replaces the one shown.
class MessageBar : public QWidget {
    Q_OBJECT

public:
    explicit MessageBar(QWidget* parent = nullptr);

    void show(MessageKind kind, const QString& text, std::vector<MessageAction> actions = {});
    void clear();
    [[nodiscard]] QString text() const;
    [[nodiscard]] MessageKind kind() const { return m_kind; }

protected:
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void applyIcon();

    MessageKind m_kind = MessageKind::Done;
    QLabel* m_icon;
    QLabel* m_text;
    QBoxLayout* m_buttons;
    QToolButton* m_close;
};

} // namespace stratoplan
