// SPDX-License-Identifier: GPL-3.0-or-later
// A line of text that may be empty.
#pragma once

#include "widgets/panels/entry_field.h"

namespace stratoplan::widgets {

class TextField : public EntryField {
    Q_OBJECT
    Q_PROPERTY(QString value READ value WRITE setValue NOTIFY valueChanged USER true)

public:
    /// `emptyText`: in place of an empty value.
    TextField(const QString& emptyText, QWidget* parent);

    [[nodiscard]] const QString& value() const { return m_value; }
    /// Shows `value` without a signal.
    void setValue(const QString& value);
    /// Stands for several values: shows none, and takes any as a new one that is typed, or none once it is emptied by
    /// Delete or Backspace.
    void setDiffers(bool differs);

Q_SIGNALS:
    void valueChanged(const QString& value);

protected:
    [[nodiscard]] QString shownText() const override;
    [[nodiscard]] bool isPending() const override;
    [[nodiscard]] QString take(const QString& text) override;
    void step(int steps, Step size) override;
    void refreshed() override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    QString m_emptyText;
    QString m_value;
    bool m_differs = false;
};

} // namespace stratoplan::widgets
