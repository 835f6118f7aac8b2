// SPDX-License-Identifier: GPL-3.0-or-later
// What was read of a model's configuration, what it left open and what is taken more simply, before anything is
// changed.
#pragma once

#include "core/exchange/huggingface.h"

#include <QDialog>

namespace stratoplan::gui {

class ImportDialog : public QDialog {
    Q_OBJECT

public:
    /// `assumed`: what a new plan takes that the file does not say. Deletes itself when it is closed.
    ImportDialog(const exchange::ImportedModel& imported, const std::vector<std::string>& assumed, const QString& file,
        QWidget* parent);

Q_SIGNALS:
    void newPlanChosen();
    void thisPlanChosen();

private:
    QWidget* makeChoices();
};

} // namespace stratoplan::gui
