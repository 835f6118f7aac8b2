// SPDX-License-Identifier: GPL-3.0-or-later
// A tornado chart as a value: what each input does alone to one figure of a plan, the strongest first, and what no
// input explains.
#pragma once

#include "core/sensitivity/analysis.h"
#include "widgets/presentation/axis.h"
#include "widgets/presentation/table.h"

#include <QString>

#include <optional>
#include <vector>

namespace stratoplan::widgets {

struct TornadoRow {
    QString name; ///< "network bandwidth"
    QString lowText, highText; ///< the input at its 10th and 90th percentile: "21.7 GB/s"
    double low = 0, high = 0; ///< the figure with it so, base units
    QString source;
    bool isUnexplained = false; ///< not of an input: the percentiles of what is left
    bool isStated = false;
};

struct TornadoView {
    sensitivity::Measure measure = sensitivity::Measure::Step;
    std::string currency;
    double base = 0; ///< the figure as estimated
    std::vector<TornadoRow> rows;
    int left = 0; ///< inputs that move it less, and are not shown
    AxisUnit unit;
    Interval range; ///< of all ends
};

/// Nothing where the plan does not know the figure, or nothing moves it.
[[nodiscard]] std::optional<TornadoView> tornadoView(const sensitivity::Answer& answer, sensitivity::Measure measure,
    const std::string& currency, bool isDrawn, std::size_t most = 14);
/// "3.21 s", "$548 k"
[[nodiscard]] QString figureText(sensitivity::Measure measure, double value, const std::string& currency);
[[nodiscard]] QString figureName(sensitivity::Measure measure); // "Peak memory"
[[nodiscard]] ChartTable tornadoTable(const TornadoView& view);
/// In one sentence.
[[nodiscard]] QString tornadoText(const TornadoView& view);
/// Rich text.
[[nodiscard]] QString tornadoTip(const TornadoView& view, std::size_t row);

} // namespace stratoplan::widgets
