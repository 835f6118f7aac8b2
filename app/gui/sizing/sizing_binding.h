// SPDX-License-Identifier: GPL-3.0-or-later
// Ties "Size the run" to the document: budget and start are its own, what is asked goes to a worker, what comes back is
// marked once the plan is another, and what is adopted becomes the plan's cluster, strategy and price.
#pragma once

#include "app/session/sizing_worker.h"
#include "app/session/workspace.h"

#include <QObject>

class QAction;

namespace stratoplan::gui {

class SizingDialog;
enum class SizingStanding;

class SizingBinding : public QObject {
    Q_OBJECT

public:
    /// `view`: in the window of the dialog.
    SizingBinding(session::Workspace& workspace, QWidget& view,
        session::SizingFunctions functions = session::coreSizingFunctions());

    /// The dialog, to the front; what was found stays there until another document is opened.
    /// `undo`, `redo`: of the window; they work there, too.
    SizingDialog& open(QAction* undo = nullptr, QAction* redo = nullptr);
    [[nodiscard]] bool isSettled() const { return !m_worker.isRunning(); }

private:
    void connectDialog();
    void forget();
    void showProject();
    void showRun();
    void showPicture();
    void showStanding();
    void search(const session::SizingQuestion& question);
    void adopt(const session::SizingKind& kind, const sizing::SizingAnswer& found);
    [[nodiscard]] SizingStanding standing() const;

    session::Workspace& m_workspace;
    QWidget& m_view;
    SizingDialog* m_dialog = nullptr; ///< before it is opened: none
    session::SizingPicturePointer m_picture;
    session::PlanPointer m_adopted; ///< the plan that the last adoption made
    session::SizingWorker m_worker;
};

} // namespace stratoplan::gui
