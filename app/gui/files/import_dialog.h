// SPDX-License-Identifier: GPL-3.0-or-later
// What was read of a model's configuration or of a cluster's topology, what it left open and what is taken otherwise,
// before anything is changed.
#pragma once

#include "core/exchange/huggingface.h"
#include "core/wiring/wiring.h"

#include <QDialog>

namespace stratoplan::gui {

/// What an import says of itself.
struct ImportSummary {
    QString window; ///< title of the dialog
    QString title;
    QString content; ///< a line on what was read
    std::vector<std::string> filled; ///< not in the file
    std::vector<std::string> simplified;
    std::vector<std::string> assumed; ///< of a new plan, which the file does not say
    QString allStated; ///< where nothing is filled and simplified
    QString hereHint; ///< what it does to the open plan
    QString newHint; ///< what a plan of its own has
};
[[nodiscard]] ImportSummary summaryOf(const exchange::ImportedModel& imported, const std::vector<std::string>& assumed);
[[nodiscard]] ImportSummary summaryOf(const wiring::ImportedCluster& imported, const std::vector<std::string>& assumed);

class ImportDialog : public QDialog {
    Q_OBJECT

public:
    /// Deletes itself when it is closed.
    ImportDialog(const ImportSummary& summary, const QString& file, QWidget* parent);

Q_SIGNALS:
    void newPlanChosen();
    void thisPlanChosen();

private:
    QWidget* makeChoices(const ImportSummary& summary);
};

} // namespace stratoplan::gui
