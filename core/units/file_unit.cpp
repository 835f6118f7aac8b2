// SPDX-License-Identifier: Apache-2.0
#include "core/units/file_unit.h"

#include "core/units/text.h"

#include <cmath>

namespace stratoplan::inline units {

double FileUnit::fromBase(double base) const
{
    const double quotient = divide ? base * factor : base / factor;
    for (const double candidate :
        {roundedTo(quotient, 15), quotient, std::nextafter(quotient, 0.0), std::nextafter(quotient, HUGE_VAL)})
        if (toBase(candidate) == base)
            return candidate;
    return quotient;
}

} // namespace stratoplan::inline units
