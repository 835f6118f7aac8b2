// SPDX-License-Identifier: GPL-3.0-or-later
// Says that what is shown is not the plan but the plan with another strategy, and offers to adopt it or to go back.
#pragma once

#include <QWidget>

class QPushButton;

namespace stratoplan::widgets {
class ElidedLabel;
}

namespace stratoplan::gui {

class PreviewBar : public QWidget {
    Q_OBJECT

public:
    explicit PreviewBar(QWidget* parent = nullptr);

    /// Empty: nothing is previewed, the bar hides.
    void setText(const QString& text);
    [[nodiscard]] QString text() const;

Q_SIGNALS:
    void adoptWanted();
    void backWanted();

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    widgets::ElidedLabel* m_text;
    QPushButton* m_adopt;
    QPushButton* m_back;
};

} // namespace stratoplan::gui
