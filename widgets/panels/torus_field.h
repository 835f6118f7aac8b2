// SPDX-License-Identifier: GPL-3.0-or-later
// The shape of a scale-up domain: "4x4x4", or nothing where it is switched.
#pragma once

#include "widgets/panels/entry_field.h"

#include <vector>

namespace stratoplan::widgets {

class TorusField : public EntryField {
    Q_OBJECT

public:
    explicit TorusField(QWidget* parent = nullptr);

    /// Accelerators along each axis; none where the domain is switched.
    [[nodiscard]] const std::vector<int>& axes() const { return m_axes; }
    /// Shows them without a signal.
    void setAxes(const std::vector<int>& axes);

Q_SIGNALS:
    void axesChanged(const std::vector<int>& axes);

protected:
    [[nodiscard]] QString shownText() const override;
    [[nodiscard]] QString take(const QString& text) override;
    /// Up doubles the shortest axis, down halves the longest.
    void step(int steps, Step size) override;

private:
    void change(const std::vector<int>& axes);
    std::vector<int> m_axes;
};

/// "4×4×8".
[[nodiscard]] QString axesText(const std::vector<int>& axes);

} // namespace stratoplan::widgets
