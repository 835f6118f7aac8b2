// SPDX-License-Identifier: GPL-3.0-or-later
// A padlock beside a field: shut, a search keeps what the field holds.
#pragma once

#include <QAbstractButton>

namespace stratoplan::widgets {

class LockButton : public QAbstractButton {
    Q_OBJECT

public:
    /// `name`: of the field, for people.
    explicit LockButton(const QString& name, QWidget* parent = nullptr);

    void setLocked(bool locked); ///< without a signal
    [[nodiscard]] bool isLocked() const { return isChecked(); }
    [[nodiscard]] QSize sizeHint() const override;

Q_SIGNALS:
    /// The person opened or shut it.
    void lockToggled(bool locked);

protected:
    void paintEvent(QPaintEvent* event) override;
    void enterEvent(QEnterEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    void describe();
    QString m_name;
};

} // namespace stratoplan::widgets
