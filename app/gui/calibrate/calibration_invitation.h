// SPDX-License-Identifier: GPL-3.0-or-later
// What the calibration page shows while there are no rows: what to bring, an example, and the ways to bring it.
#pragma once

#include <QWidget>

namespace stratoplan::gui {

class CalibrationInvitation : public QWidget {
    Q_OBJECT

public:
    explicit CalibrationInvitation(QWidget* parent);

Q_SIGNALS:
    void pasteRequested();
    void openRequested();
    void loadProfileRequested();
};

} // namespace stratoplan::gui
