// SPDX-License-Identifier: GPL-3.0-or-later
// Ties the Compare page to the workspace: the plan and the pinned ones as rows, and what is done with a row.
#pragma once

#include <QObject>

namespace stratoplan::session {
class Workspace;
}

namespace stratoplan::gui {

class ComparePage;

class CompareBinding : public QObject {
    Q_OBJECT

public:
    CompareBinding(session::Workspace& workspace, ComparePage& page, QObject* parent);

    /// Only a page that is looked at is filled.
    void setActive(bool active);

private:
    void show();

    session::Workspace& m_workspace;
    ComparePage& m_page;
    bool m_active = false;
};

} // namespace stratoplan::gui
