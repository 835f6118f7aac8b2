// SPDX-License-Identifier: GPL-3.0-or-later
// What the Pareto chart says of what it shows.
#pragma once

#include "widgets/presentation/pareto.h"
#include "widgets/presentation/stacks.h"
#include "widgets/presentation/strategy_cloud.h"
#include "widgets/presentation/table.h"

#include <QString>

namespace stratoplan::widgets {

/// Of the axes.
struct ParetoMeasures {
    StrategyMeasure x = StrategyMeasure::PeakMemory;
    StrategyMeasure y = StrategyMeasure::Throughput;
    bool operator==(const ParetoMeasures&) const = default;
};

/// As it stands within a sentence: in small letters, but for abbreviations.
[[nodiscard]] QString inSentence(QString name);

[[nodiscard]] std::vector<LegendEntry> paretoLegend(
    const ParetoView& view, const CloudGrid& cloud, bool cloudIsShown, bool hasCurrent);
[[nodiscard]] ChartTable paretoTable(const ParetoView& view, const StrategySet& set);
/// Of a view that has points.
[[nodiscard]] QString describe(const ParetoView& view, const StrategySet& set, ParetoMeasures measures);
/// Rich text. `kind`: by the measures shown.
[[nodiscard]] QString strategyTip(const StrategyPoint& strategy, StrategyPoint::Kind kind, Bytes capacity,
    ParetoMeasures measures, const StrategyRates& rates);

} // namespace stratoplan::widgets
