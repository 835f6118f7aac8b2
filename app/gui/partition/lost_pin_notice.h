// SPDX-License-Identifier: GPL-3.0-or-later
// Says that an edit took the partition from the plan that it had pinned, as that is of another TP.
#pragma once

#include "core/plan/plan.h"

#include <QString>

#include <optional>

namespace stratoplan::widgets {
class MessageBar;
}

namespace stratoplan::gui {

class LostPinNotice {
public:
    explicit LostPinNotice(widgets::MessageBar& messages);

    /// It stays while TP alone changes, as in a drag, and goes with any other edit.
    void planChanged(const plan::Plan& plan);
    void forget(); ///< the plan that follows is of another document

private:
    void say(const plan::Plan& plan);

    widgets::MessageBar& m_messages;
    std::optional<parallel::Strategy> m_before;
    int m_tp = 0; ///< of the partition that was pinned
    QString m_said;
};

} // namespace stratoplan::gui
