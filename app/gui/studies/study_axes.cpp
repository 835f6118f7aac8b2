// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/studies/study_axes.h"

#include <map>
#include <set>

namespace stratoplan {

namespace {

/// Each value of the axis stands for one number of GPUs, and not all for the same.
bool setsAccelerators(const StudyAnswers& answers, std::size_t axis)
{
    std::map<std::size_t, int> counts;
    std::set<int> all;
    for (const StudyPoint& point : answers.points) {
        if (!point.isPriced())
            continue;
        const auto [count, isNew] = counts.try_emplace(point.values[axis], point.accelerators);
        if (!isNew && count->second != point.accelerators)
            return false;
        all.insert(point.accelerators);
    }
    return all.size() > 1;
}

/// The axis with the most values but for one; kNoAxis if none has two.
int longest(const StudyAnswers& answers, int but)
{
    int best = kNoAxis;
    for (std::size_t i = 0; i < answers.axes.size(); ++i) {
        const std::size_t values = answers.axes[i].values.size();
        if (int(i) != but && values > 1 && (best == kNoAxis || values > answers.axes[std::size_t(best)].values.size()))
            best = int(i);
    }
    return best;
}

} // namespace

StudyAxes studyAxes(const StudyAnswers& answers)
{
    StudyAxes offered;
    offered.curves = {kAcceleratorAxis};
    offered.series = {kNoAxis};
    int sizes = kNoAxis;
    for (std::size_t i = 0; i < answers.axes.size(); ++i) {
        offered.series.push_back(int(i));
        offered.cells.push_back(int(i));
        if (canBeCurve(answers, int(i)))
            offered.curves.push_back(int(i));
        if (sizes == kNoAxis && setsAccelerators(answers, i))
            sizes = int(i);
    }
    const int other = longest(answers, sizes);
    offered.columns = sizes != kNoAxis ? sizes : other;
    if (sizes == kNoAxis)
        for (const int axis : offered.curves)
            if (axis != kAcceleratorAxis && (offered.over == kAcceleratorAxis || axis == other))
                offered.over = axis;
    offered.rows = longest(answers, offered.columns);
    offered.each = offered.over == kAcceleratorAxis ? other : longest(answers, offered.over);
    if (offered.columns == kNoAxis && !offered.cells.empty())
        offered.columns = offered.cells.front();
    return offered;
}

} // namespace stratoplan
