// SPDX-License-Identifier: Apache-2.0
#include "core/reporting/worst_cases.h"

#include "core/units/format.h"
#include "core/units/sentence.h"

namespace stratoplan::reporting {

std::string describe(const validation::Contradiction& contradiction)
{
    return filled("Measured twice: {own} here, {other} in {case}.",
        {{"own", {format(contradiction.here)}}, {"other", {format(contradiction.other)}},
            {"case", {contradiction.otherId}}});
}

std::string likelyReason(const validation::WorstCase& worst)
{
    return worst.contradiction ? describe(*worst.contradiction) : worst.reason;
}

} // namespace stratoplan::reporting
