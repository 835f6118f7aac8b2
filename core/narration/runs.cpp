// SPDX-License-Identifier: Apache-2.0
#include "core/narration/runs.h"

namespace stratoplan::narration {

std::string whyUnpriced()
{
    return "no price is given (--price), and the catalogue knows none of these accelerators";
}

} // namespace stratoplan::narration
