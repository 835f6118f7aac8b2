// SPDX-License-Identifier: GPL-3.0-or-later
// Which colour is which place on the axis that colours accelerators.
#pragma once

#include "core/parallel/strategy.h"
#include "widgets/topology/canvas_overlay.h"

#include <optional>

namespace stratoplan::widgets {

struct RankLegendValue {
    std::optional<parallel::Axis> axis{}; ///< none: there is nothing to explain
    int places = 0; ///< 0: no plan runs on the cluster
    bool hasIdle = false;
    bool operator==(const RankLegendValue&) const = default;
};

class RankLegend final : public CanvasPlate {
    Q_OBJECT
public:
    explicit RankLegend(QWidget* parent);

    void setValue(const RankLegendValue& value);
    [[nodiscard]] bool isEmpty() const { return !m_value.axis; }
    [[nodiscard]] QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    RankLegendValue m_value;
};

} // namespace stratoplan::widgets
