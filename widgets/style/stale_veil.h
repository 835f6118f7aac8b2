// SPDX-License-Identifier: GPL-3.0-or-later
// Lies over a picture that is not of the plan as it stands: pales it, says so, and lets the pointer through. Its
// background role is that of the picture; a surface, unless it is set.
#pragma once

#include <QWidget>

namespace stratoplan::widgets {

class StaleVeil final : public QWidget {
public:
    explicit StaleVeil(QWidget* parent);

    /// "" lifts the veil.
    void setNotice(const QString& notice);
    [[nodiscard]] QString notice() const { return m_notice; }
    /// Of the notice; it stands in the middle.
    void setAlignment(Qt::Alignment alignment) { m_alignment = alignment; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QString m_notice;
    Qt::Alignment m_alignment = Qt::AlignCenter;
};

} // namespace stratoplan::widgets
