// SPDX-License-Identifier: GPL-3.0-or-later
// A short list to choose from, and a switch for yes or no. Neither takes the wheel without the focus: scrolling a
// panel must not change a plan.
#pragma once

#include <QCheckBox>
#include <QComboBox>

namespace stratoplan::widgets {

class ChoiceField : public QComboBox {
    Q_OBJECT

public:
    explicit ChoiceField(QWidget* parent = nullptr);

    /// `toolTip` explains the choice in the open list.
    void addChoice(const QString& text, int key, const QString& toolTip = {});
    /// A line of the open list that cannot be chosen, over those that are added after it.
    void addHeading(const QString& text);
    /// Shows the choice without a signal.
    void setKey(int key);
    [[nodiscard]] int key() const { return currentData().toInt(); }
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

Q_SIGNALS:
    /// The person chose another key.
    void keyChosen(int key);

protected:
    void paintEvent(QPaintEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;

private:
    int m_key = 0;
};

/// On or off, drawn as a switch with the word beside it.
class ToggleSwitch : public QCheckBox {
    Q_OBJECT

public:
    explicit ToggleSwitch(QWidget* parent = nullptr);
    void setOn(bool on); ///< without a signal
    [[nodiscard]] QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    bool hitButton(const QPoint& position) const override;
};

} // namespace stratoplan::widgets
