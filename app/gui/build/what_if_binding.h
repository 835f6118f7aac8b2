// SPDX-License-Identifier: GPL-3.0-or-later
// Asks what becomes of the step where what is selected on the canvas fails or is faster, and shows it in the inspector,
// while that can be seen. With nothing selected: what twice the bandwidth of each link would buy. Of a failure, when
// asked to: the best plan for what is left.
#pragma once

#include "app/session/replans.h"
#include "widgets/topology/what_if_list.h"

#include <QStringList>
#include <QTimer>

#include <map>

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
    /// Makes it so, or seeks the best plan for it, or gives that up.
    void press(int line);
    void forgetReplans();
    void showLines();
    void setEnabled(int line, bool enabled); ///< its button
    [[nodiscard]] widgets::WhatIfLine replanLine(std::size_t answer) const;
    /// What a failure costs if the plan is the best before it, too: a plan that is not may gain by planning anew.
    [[nodiscard]] QString besideTheWhole(const session::WhatIf& answer) const;
    void tryOut(const session::WhatIf& answer, const QString& label);

    session::Workspace& m_workspace;
    widgets::ClusterInspector& m_inspector;
    QStringList m_selection;
    QStringList m_labels; ///< of the changes that are asked about
    struct Shown {
        std::size_t answer = 0;
        bool isReplan = false;
    };
    std::vector<Shown> m_shown; ///< what the lines are about
    session::WhatIfsPointer m_answers;
    std::map<std::size_t, session::WhatIfPointer> m_replans; ///< found so far, by answer
    std::optional<std::size_t> m_sought; ///< the answer that is planned anew now
    double m_share = 0; ///< of the search for it
    std::optional<std::size_t> m_justFound; ///< a click on it may have been to stop its search
    QTimer m_untilPressed; ///< until it is one on what was found
    session::WhatIfWorker m_worker;
    session::ReplanWorker m_replanner;
};

} // namespace stratoplan::gui
