// SPDX-License-Identifier: GPL-3.0-or-later
// Steps as lanes under one another on one axis of time: what each does, moment by moment.
#pragma once

#include "widgets/presentation/tokens.h"

#include <QRectF>
#include <QWidget>
#include <vector>

namespace stratoplan::widgets {

struct LaneSpan {
    double start = 0; ///< seconds
    double seconds = 0;
    Mark mark = Mark::Other;
    QString name;
    bool operator==(const LaneSpan&) const = default;
};

struct StepLane {
    QString title;
    std::vector<LaneSpan> spans; ///< by their start, without overlap
    double seconds = 0; ///< of the whole step
    bool operator==(const StepLane&) const = default;
};

class StepLanes : public QWidget {
    Q_OBJECT

public:
    explicit StepLanes(QWidget* parent = nullptr);

    void setLanes(std::vector<StepLane> lanes);
    [[nodiscard]] const std::vector<StepLane>& lanes() const { return m_lanes; }
    /// The end of the axis: of the longest step.
    [[nodiscard]] double longest() const;
    /// Where a moment of a lane stands.
    [[nodiscard]] double xAt(double seconds) const;
    /// What a place is of, for people; empty between lanes.
    [[nodiscard]] QString textAt(QPointF place) const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

private:
    [[nodiscard]] double titleWidth() const;
    [[nodiscard]] QRectF laneRect(std::size_t lane) const;
    void paintLane(QPainter& painter, std::size_t lane) const;
    void paintAxis(QPainter& painter) const;

    std::vector<StepLane> m_lanes;
};

} // namespace stratoplan::widgets
