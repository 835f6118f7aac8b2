// SPDX-License-Identifier: Apache-2.0
#include "core/reporting/signed_share.h"

#include "core/units/format.h"

#include <cmath>

namespace stratoplan::reporting {

std::string signedShare(double share)
{
    return (share < 0 ? "−" : "+") + formatShare(std::abs(share));
}

} // namespace stratoplan::reporting
