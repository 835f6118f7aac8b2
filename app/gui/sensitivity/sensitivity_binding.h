// SPDX-License-Identifier: GPL-3.0-or-later
// Ties "How sure is this plan?" to the document: the plan and the pinned baseline go to a worker, and what comes back
// is marked once either is another.
#pragma once

#include "app/session/sensitivity_worker.h"
#include "app/session/workspace.h"

#include <QObject>

namespace stratoplan::gui {

class SensitivityDialog;

class SensitivityBinding : public QObject {
    Q_OBJECT

public:
    /// `view`: in the window of the dialog.
    SensitivityBinding(session::Workspace& workspace, QWidget& view, session::SensitivityWorker::Work work = {});

    /// The dialog, to the front; draws at once where nothing is known of the plan as it stands.
    SensitivityDialog& open();
    [[nodiscard]] bool isSettled() const { return !m_worker.isRunning(); }

private:
    void connectDialog();
    void forget();
    void start();
    void showPicture();
    void showStanding();
    [[nodiscard]] bool isCurrent() const;

    session::Workspace& m_workspace;
    QWidget& m_view;
    SensitivityDialog* m_dialog = nullptr; ///< before it is opened: none
    session::SensitivityPicturePointer m_picture;
    session::SensitivityWorker m_worker;
};

} // namespace stratoplan::gui
