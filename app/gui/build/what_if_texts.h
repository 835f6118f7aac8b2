// SPDX-License-Identifier: GPL-3.0-or-later
// What the rows of What if say, and what crosses the cables that they are about.
#pragma once

#include "app/session/what_ifs.h"
#include "widgets/topology/what_if_list.h"

#include <QStringList>

namespace stratoplan::gui {

/// Whether steps differ by rounding alone. `longer`: a share, as WhatIf has it.
[[nodiscard]] bool isNoChange(double longer);
/// "+2.90 %", "−0.03 %", "under 0.01 % longer".
[[nodiscard]] QString changeText(double longer);

/// Of an answer about a plan, which it would change.
[[nodiscard]] widgets::WhatIfLine whatIfLine(
    const QString& label, const session::WhatIf& answer, const plan::Plan& plan);

/// "PP, DP", of the groups that send over the one link that is selected, by its key; empty of anything else.
[[nodiscard]] QString crossingText(const plan::Plan& plan, const QStringList& keys);

} // namespace stratoplan::gui
