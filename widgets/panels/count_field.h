// SPDX-License-Identifier: GPL-3.0-or-later
// A whole number with thousands separators: "12,288", "3*512", "128k", "x*2".
#pragma once

#include "widgets/panels/entry_field.h"

namespace stratoplan::widgets {

class CountField : public EntryField {
    Q_OBJECT
    Q_PROPERTY(int value READ value WRITE setValue NOTIFY valueChanged USER true)

public:
    explicit CountField(QWidget* parent = nullptr);

    [[nodiscard]] int value() const { return m_value; }
    /// Shows `value` without a signal.
    void setValue(int value);
    void setRange(int minimum, int maximum);
    /// Of an arrow or a notch of the wheel; with Shift `fine`. Page Up/Down doubles and halves.
    void setStep(int normal, int fine = 1);

Q_SIGNALS:
    void valueChanged(int value);

protected:
    [[nodiscard]] QString shownText() const override;
    [[nodiscard]] QString take(const QString& text) override;
    void step(int steps, Step size) override;

private:
    void change(int value);
    int m_value = 0;
    int m_minimum = 1;
    int m_maximum = 100'000'000;
    int m_step = 1;
    int m_fineStep = 1;
};

/// Without the marks some people put between groups of digits (12'288, 12 288 with a narrow space), which
/// core/units/parse.h does not know; it reads "12,288" itself and takes no comma for a point.
[[nodiscard]] QString withoutGroupMarks(QString text);

} // namespace stratoplan::widgets
