// SPDX-License-Identifier: GPL-3.0-or-later
// Ties the Partition page to the document: what is found of the plan as it stands is shown, what a person chooses
// becomes an edit, programs become files.
#pragma once

#include "app/gui/partition/lost_pin_notice.h"
#include "app/session/partition_worker.h"
#include "app/session/project_change.h"

#include <QObject>

namespace stratoplan::session {
class Workspace;
}

namespace stratoplan::gui {

class FileController;
class PartitionPage;

class PartitionBinding : public QObject {
    Q_OBJECT

public:
    PartitionBinding(session::Workspace& workspace, PartitionPage& page, FileController& files,
        widgets::MessageBar& messages, QObject* parent);

    /// Only of a plan that is looked at the best partition is found.
    void setActive(bool active);
    [[nodiscard]] bool isSettled() const;

private:
    void planChanged(session::ProjectParts parts);
    void ask();
    void showReport(const session::PartitionReportPointer& report);
    void cancel(); ///< until it is wanted, or the plan is another
    void findAgain();

    session::Workspace& m_workspace;
    PartitionPage& m_page;
    LostPinNotice m_lostPin;
    bool m_active = false;
    bool m_isAsked = false; ///< of the plan as it stands
};

} // namespace stratoplan::gui
