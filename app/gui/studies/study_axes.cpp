// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/studies/study_axes.h"

#include <map>
#include <set>

namespace stratoplan::gui {

namespace {

/// Each value of the axis stands for one number of GPUs, and not all for the same.
bool setsAccelerators(const exchange::StudyAnswers& answers, std::size_t axis)
{
    std::map<std::size_t, int> counts;
    std::set<int> all;
    for (const exchange::StudyPoint& point : answers.points) {
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
int longest(const exchange::StudyAnswers& answers, int but)
{
    int best = widgets::kNoAxis;
    for (std::size_t i = 0; i < answers.axes.size(); ++i) {
        const std::size_t values = answers.axes[i].values.size();
        if (int(i) != but && values > 1
            && (best == widgets::kNoAxis || values > answers.axes[std::size_t(best)].values.size()))
            best = int(i);
    }
    return best;
}

} // namespace

StudyAxes studyAxes(const exchange::StudyAnswers& answers)
{
    StudyAxes offered;
    offered.curves = {widgets::kAcceleratorAxis};
    offered.series = {widgets::kNoAxis};
    int sizes = widgets::kNoAxis;
    for (std::size_t i = 0; i < answers.axes.size(); ++i) {
        offered.series.push_back(int(i));
        offered.cells.push_back(int(i));
        if (widgets::canBeCurve(answers, int(i)))
            offered.curves.push_back(int(i));
        if (sizes == widgets::kNoAxis && setsAccelerators(answers, i))
            sizes = int(i);
    }
    const int other = longest(answers, sizes);
    offered.columns = sizes != widgets::kNoAxis ? sizes : other;
    if (sizes == widgets::kNoAxis)
        for (const int axis : offered.curves)
            if (axis != widgets::kAcceleratorAxis && (offered.over == widgets::kAcceleratorAxis || axis == other))
                offered.over = axis;
    offered.rows = longest(answers, offered.columns);
    offered.each = offered.over == widgets::kAcceleratorAxis ? other : longest(answers, offered.over);
    if (offered.columns == widgets::kNoAxis && !offered.cells.empty())
        offered.columns = offered.cells.front();
    return offered;
}

} // namespace stratoplan::gui
