// SPDX-License-Identifier: GPL-3.0-or-later
// Everything that the partition explorer shows, as one value.
#pragma once

#include "core/partition/linear_moves.h"
#include "widgets/partition/block_diagram.h"
#include "widgets/presentation/partition_costs.h"

#include <QString>
#include <vector>

namespace stratoplan::widgets {

struct PartitionOperator {
    QString name;
    DiagramOperator::Kind kind = DiagramOperator::Kind::Other;
    partition::LinearSize size; ///< of a linear one
    partition::Sequence sequence; ///< of a linear one; of as many bits as the group has
    QString axes; ///< of the others, by bit: "B,M,H", as partition::describe() says
    int alsoFrom = -1; ///< as in DiagramOperator
};

struct PartitionPicture {
    int bits = 0; ///< the group has 2^bits ranks, at most 64
    int ranksPerDomain = 8; ///< those of neighbouring numbers
    double bytesPerElement = 2;
    std::vector<PartitionOperator> operators; ///< in the order in which they run; none: only the message is shown
    std::vector<PartitionAlternative> alternatives; ///< the division shown first
    QString message; ///< "finding the best partition…"; over the picture, or in its place
};

} // namespace stratoplan::widgets
