// SPDX-License-Identifier: GPL-3.0-or-later
// Asks what becomes of the step where what is selected on the canvas fails or is faster, and shows it in the inspector,
// while that can be seen. With nothing selected: what twice the bandwidth of each link would buy.
#pragma once

#include "app/session/what_ifs.h"

#include <QStringList>

namespace stratoplan::session {
class Workspace;
}

namespace stratoplan::widgets {
class ClusterInspector;
} // namespace stratoplan::widgets

namespace stratoplan::gui {

class WhatIfBinding final : public QObject {
    Q_OBJECT

public:
    WhatIfBinding(session::Workspace& workspace, widgets::ClusterInspector& inspector, QObject* parent);

    void setSelection(const QStringList& keys);

private:
    void ask();
    void show(const session::WhatIfsPointer& answers);
    void tryOut(int line);

    session::Workspace& m_workspace;
    widgets::ClusterInspector& m_inspector;
    QStringList m_selection;
    QStringList m_labels; ///< of the changes that are asked about
    std::vector<std::size_t> m_shown; ///< which of the answers have a line
    session::WhatIfsPointer m_answers;
    session::WhatIfWorker m_worker;
};

} // namespace stratoplan::gui
