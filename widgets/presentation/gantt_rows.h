// SPDX-License-Identifier: GPL-3.0-or-later
// Where the lanes of a timeline stand, one under another: a row of work per stage; lanes of communication and the
// memory in flight under it where the stage is unfolded; and the same of a timeline it is compared with right beneath.
#pragma once

#include "widgets/presentation/gantt.h"

#include <optional>
#include <vector>

namespace stratoplan::widgets {

struct GanttRow {
    enum class Kind : std::uint8_t { Lane, Memory };
    Kind kind = Kind::Lane;
    LaneKind lane = LaneKind::Work; ///< of Kind::Lane
    int stage = 0;
    int timeline = 0; ///< 0, or 1: the one compared with
    double top = 0; ///< in heights of a row of work
    double height = 1;
    [[nodiscard]] bool isWork() const { return kind == Kind::Lane && lane == LaneKind::Work; }
    bool operator==(const GanttRow&) const = default;
};

struct GanttArrangement {
    int stages = 0;
    bool compared = false; ///< two timelines
    std::vector<bool> unfolded; ///< by stage; those beyond its end are folded
    std::array<bool, kLaneKinds> lanes{}; ///< lanes that any stage uses
    bool memory = false; ///< is it known what the stages hold?
    [[nodiscard]] bool isUnfolded(int stage) const
    {
        return stage >= 0 && static_cast<std::size_t>(stage) < unfolded.size()
            && unfolded[static_cast<std::size_t>(stage)];
    }
    /// Is there anything under the row of work?
    [[nodiscard]] bool canUnfold() const;
};

class GanttRows {
public:
    GanttRows() = default;
    explicit GanttRows(const GanttArrangement& arrangement);

    [[nodiscard]] const std::vector<GanttRow>& all() const { return m_rows; }
    [[nodiscard]] double height() const { return m_rows.empty() ? 0 : m_rows.back().top + m_rows.back().height; }
    /// The row at `y`; nothing above the first and below the last.
    [[nodiscard]] const GanttRow* at(double y) const;
    /// Where a lane is shown; nothing while it is folded away.
    [[nodiscard]] const GanttRow* find(int stage, LaneKind lane, int timeline = 0) const;
    [[nodiscard]] const GanttRow* work(int stage, int timeline = 0) const
    {
        return find(stage, LaneKind::Work, timeline);
    }
    /// First and last stage that [low, high] touches; nothing if none.
    struct Stages {
        int first = 0;
        int last = 0;
        bool operator==(const Stages&) const = default;
    };
    [[nodiscard]] std::optional<Stages> stagesIn(double low, double high) const;
    /// From the top of the first row of a stage to the bottom of its last.
    [[nodiscard]] Interval extent(int stage) const;

private:
    std::vector<GanttRow> m_rows;
};

} // namespace stratoplan::widgets
