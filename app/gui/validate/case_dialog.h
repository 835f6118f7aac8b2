// SPDX-License-Identifier: GPL-3.0-or-later
// One measured case: what was measured and estimated, how it was run, what its source leaves open, where it was
// published.
#pragma once

#include "core/validation/report.h"

#include <QDialog>

class QLabel;

namespace stratoplan::gui {

class CaseDialog : public QDialog {
    Q_OBJECT

public:
    /// Deletes itself when it is closed.
    CaseDialog(const validation::MeasuredCase& measured, const validation::WorstCase& worst, QWidget* parent);
    [[nodiscard]] QString content() const;

Q_SIGNALS:
    void planWanted(const plan::Plan& plan);

private:
    QLabel* m_text;
};

} // namespace stratoplan::gui
