// SPDX-License-Identifier: GPL-3.0-or-later
// Which axes of a study its pictures offer, and with which they begin.
#pragma once

#include "widgets/presentation/study.h"

#include <vector>

namespace stratoplan::gui {

struct StudyAxes {
    std::vector<int> curves; ///< can lie under a curve
    std::vector<int> series; ///< a value of each can be a curve, or a row; kNoAxis among them
    std::vector<int> cells; ///< can be columns
    int over = widgets::kAcceleratorAxis;
    int each = widgets::kNoAxis;
    int columns = widgets::kNoAxis;
    int rows = widgets::kNoAxis;
};
/// Curves begin over the GPUs where the study varies them, a curve for each value of the longest other axis; the map
/// with the axis that sets the GPUs, by that same other one.
[[nodiscard]] StudyAxes studyAxes(const exchange::StudyAnswers& answers);

} // namespace stratoplan::gui
