// SPDX-License-Identifier: GPL-3.0-or-later
// What alternative divisions of a layer cost, operator by operator: as texts for a table on screen, and as numbers for
// other programs. What is not known is nothing, and shown as a dash.
#pragma once

#include "widgets/presentation/table.h" // before <compare>, which Qt's compiler cannot read first

#include "core/units/quantity.h"

#include <QString>
#include <array>
#include <optional>
#include <vector>

namespace stratoplan::widgets {

/// Of an operator, or of the layer; of a rank, for a micro-batch.
struct PartitionCost {
    QString division; ///< "K,P2x2"
    std::optional<Seconds> forward, backward;
    std::optional<Bytes> ring; ///< that a rank gets from neighbours from step to step
    std::optional<Bytes> collective; ///< that it gets by collectives
    std::optional<double> hidden; ///< of the seconds that sending takes, the share behind products
    std::optional<Bytes> memory;
    bool operator==(const PartitionCost&) const = default;
};

struct PartitionAlternative {
    QString name; ///< "This partition", "Megatron", "Data parallel", "SUMMA"
    std::vector<PartitionCost> operators; ///< as many as the layer has
    PartitionCost total;
    bool operator==(const PartitionAlternative&) const = default;
};

enum class CostMeasure { Division, Time, Forward, Backward, Traffic, Ring, Collective, Hidden, Memory };
/// "Forward"
[[nodiscard]] QString measureName(CostMeasure measure);
/// What it counts, as the rest of a sentence.
[[nodiscard]] QString measureTip(CostMeasure measure);
/// In its unit; "–" where it is not known.
[[nodiscard]] QString costText(const PartitionCost& cost, CostMeasure measure);
/// In base units, of those that are numbers and known. Time and traffic are sums, known where both parts are.
[[nodiscard]] std::optional<double> costValue(const PartitionCost& cost, CostMeasure measure);

/// All measures that are no sums, an operator a row, and the total.
[[nodiscard]] ChartTable costTable(const QStringList& operators, const std::vector<PartitionAlternative>& alternatives);

} // namespace stratoplan::widgets
