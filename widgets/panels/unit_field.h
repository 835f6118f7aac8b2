// SPDX-License-Identifier: GPL-3.0-or-later
// A quantity with its unit: "400 Gb/s", "80 GiB", "2 * 25 GB/s", "15T", "95 %". `x` stands for the current value.
#pragma once

#include "widgets/panels/entry_field.h"

namespace stratoplan::widgets {

enum class UnitKind {
    Number, ///< plain, with a decimal prefix
    Tokens, ///< "300 B": B is 10^9 here, as people say it
    Memory, ///< bytes, shown and read bare in GiB
    Bandwidth, ///< bytes per second, shown and read bare in GB/s
    BitRate, ///< bytes per second, shown and read bare in Gb/s
    FlopRate, ///< FLOP/s
    Time, ///< seconds
    Share, ///< a share of one, shown and read in per cent
};

class UnitField : public EntryField {
    Q_OBJECT
    Q_PROPERTY(double value READ value WRITE setValue NOTIFY valueChanged USER true)

public:
    explicit UnitField(UnitKind kind, QWidget* parent = nullptr);

    /// In base units: bytes, bytes per second (bit rates too), FLOP/s, seconds, a share of one.
    [[nodiscard]] double value() const { return m_value; }
    /// Shows `value` without a signal.
    void setValue(double value);
    void setRange(double minimum, double maximum);
    /// Shown in place of zero, e.g. "not given"; empty = zero is a number like any other.
    void setZeroText(const QString& text);

Q_SIGNALS:
    void valueChanged(double value);

protected:
    [[nodiscard]] QString shownText() const override;
    [[nodiscard]] QString take(const QString& text) override;
    void step(int steps, Step size) override;

private:
    void change(double value);
    UnitKind m_kind;
    double m_value = 0;
    double m_minimum = 0;
    double m_maximum = 1e30;
    QString m_zeroText;
};

/// `value` (base units) as UnitField shows it.
[[nodiscard]] QString unitText(UnitKind kind, double value);

} // namespace stratoplan::widgets
