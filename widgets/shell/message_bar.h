// SPDX-License-Identifier: GPL-3.0-or-later
// One line under the menu for what the window has to say without stopping anyone: an error, an offer, a result.
#pragma once

#include <QString>
#include <QWidget>

#include <deque>
#include <functional>
#include <vector>

class QBoxLayout;
class QLabel;
class QToolButton;

namespace stratoplan::widgets {

enum class MessageKind { Error, Offer, Done };

struct MessageAction {
    QString label;
    std::function<void()> run; ///< the message closes first
};

/// Hidden while there is nothing to say. A new message replaces the one shown; a question that was replaced, or that
/// came while another message stood there, is asked when its turn comes.
class MessageBar : public QWidget {
    Q_OBJECT

public:
    explicit MessageBar(QWidget* parent = nullptr);

    void show(MessageKind kind, const QString& text, std::vector<MessageAction> actions = {});
    /// What holds of the plan as it stands: goes when planChanged() is called.
    void showOfPlan(MessageKind kind, const QString& text, std::vector<MessageAction> actions = {});
    void planChanged();
    /// Stays until the person answers or dismisses it.
    void ask(const QString& text, std::vector<MessageAction> actions);
    /// Takes back what show() said; questions stay.
    void clear();
    [[nodiscard]] QString text() const;
    [[nodiscard]] MessageKind kind() const { return m_shown.kind; }

protected:
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    struct Message {
        MessageKind kind = MessageKind::Done;
        QString text;
        std::vector<MessageAction> actions;
        bool question = false;
        bool ofPlan = false;
    };
    void say(Message message);
    void present(Message message);
    void dismiss();
    void applyIcon();

    Message m_shown;
    std::deque<Message> m_waiting; ///< questions
    QLabel* m_icon;
    QLabel* m_text;
    QBoxLayout* m_buttons;
    QToolButton* m_close;
};

} // namespace stratoplan::widgets
