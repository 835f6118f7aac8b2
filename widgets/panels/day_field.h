// SPDX-License-Identifier: GPL-3.0-or-later
// A day, "2026-12-01", or none.
#pragma once

#include "widgets/panels/entry_field.h"

namespace stratoplan::widgets {

class DayField : public EntryField {
    Q_OBJECT

public:
    explicit DayField(QWidget* parent = nullptr);

    /// Empty: none.
    [[nodiscard]] const QString& day() const { return m_day; }
    /// Shows it without a signal.
    void setDay(const QString& day);

Q_SIGNALS:
    void dayChanged(const QString& day);

protected:
    [[nodiscard]] QString shownText() const override;
    [[nodiscard]] QString take(const QString& text) override;
    void step(int steps, Step size) override;

private:
    QString m_day;
};

} // namespace stratoplan::widgets
