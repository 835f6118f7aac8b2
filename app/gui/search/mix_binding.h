// SPDX-License-Identifier: GPL-3.0-or-later
// Ties "Which nodes to use" to the document: what is asked goes to a worker, what comes back is marked once the plan is
// another, and a mix that is adopted becomes the plan's cluster and strategy.
#pragma once

#include "app/session/mix_worker.h"
#include "app/session/workspace.h"

#include <QObject>

class QAction;

namespace stratoplan::gui {

class MixDialog;
enum class MixStanding;

class MixBinding : public QObject {
    Q_OBJECT

public:
    /// `view`: in the window of the dialog.
    MixBinding(
        session::Workspace& workspace, QWidget& view, session::MixFunctions functions = session::coreMixFunctions());

    /// The dialog, to the front; what was found stays there until another document is opened.
    /// `undo`, `redo`: of the window; they work there, too.
    MixDialog& open(QAction* undo = nullptr, QAction* redo = nullptr);
    [[nodiscard]] bool isSettled() const { return !m_worker.isRunning(); }

private:
    void connectDialog();
    void forget();
    void showPlan();
    void showPicture();
    void showStanding();
    void search(const search::MixOptions& options);
    void adopt(const search::FoundMix& found);
    [[nodiscard]] MixStanding standing() const;
    [[nodiscard]] QString scope() const;

    session::Workspace& m_workspace;
    QWidget& m_view;
    MixDialog* m_dialog = nullptr; ///< before it is opened: none
    session::MixPicturePointer m_picture;
    std::string m_currency; ///< of its prices
    session::PlanPointer m_adopted; ///< the plan that the last adoption made
    session::MixWorker m_worker;
};

} // namespace stratoplan::gui
