// SPDX-License-Identifier: GPL-3.0-or-later
// Which version this is, what it is made of, under which licences.
#pragma once

#include <QDialog>

namespace stratoplan::gui {

class AboutDialog : public QDialog {
    Q_OBJECT

public:
    /// Deletes itself when it is closed.
    explicit AboutDialog(QWidget* parent);
};

} // namespace stratoplan::gui
