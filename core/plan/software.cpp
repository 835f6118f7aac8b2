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

bool runsOnAll(const SoftwareProfile& software, const cluster::Cluster& cluster)
{
    return std::ranges::all_of(cluster.nodes, [&](const cluster::NodeGroup& group) {
        return !takesPart(group) || group.accelerator.vendor.empty() || runsOn(software, group.accelerator.vendor);
    });
}

} // namespace stratoplan::plan
