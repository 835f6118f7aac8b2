// SPDX-License-Identifier: Apache-2.0
#include "core/plan/software.h"

#include "core/units/text.h"

#include <algorithm>

namespace stratoplan::plan {

bool runsOn(const SoftwareProfile& software, std::string_view vendor)
{
    return software.vendors.empty() || std::ranges::any_of(software.vendors, [&](const std::string& known) {
        return containsWords(vendor, known);
    });
}

} // namespace stratoplan::plan
