// SPDX-License-Identifier: GPL-3.0-or-later
// Which axes of a study its pictures offer, and with which they begin.
#pragma once

#include "widgets/presentation/study.h"

#include <vector>

namespace stratoplan {

struct StudyAxes {
    std::vector<int> curves; ///< can lie under a curve
    std::vector<int> series; ///< a value of each can be a curve, or a row; kNoAxis among them
    std::vector<int> cells; ///< can be columns
    int over = kAcceleratorAxis;
    int each = kNoAxis;
    int columns = kNoAxis;
    int rows = kNoAxis;
};
/// Curves begin over the GPUs where the study varies them, a curve for each value of the longest other axis; the map
/// with the axis that sets the GPUs, by that same other one.
[[nodiscard]] StudyAxes studyAxes(const StudyAnswers& answers);

} // namespace stratoplan
