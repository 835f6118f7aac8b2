// SPDX-License-Identifier: GPL-3.0-or-later
// What the calibration page says in words: of the rows, of a fit, of its errors.
#pragma once

#include "app/session/calibration_worker.h"

namespace stratoplan::gui {

/// "5 rows, 2 cannot be used (line 3, line 8), 1 in doubt: …". `used`: of the runs.
[[nodiscard]] QString rowsText(const session::ReadRunsAnswer& rows, const std::vector<bool>& used);
/// What the fit does not explain, and what stayed as it was.
[[nodiscard]] QString fitText(const calibration::OwnFit& fit);
/// Rich text: errors before, after and left out.
[[nodiscard]] QString errorTable(const calibration::FittedProfile& fitted, plan::CalibrationTarget target);

} // namespace stratoplan::gui
