// SPDX-License-Identifier: Apache-2.0
#include "core/narration/partitions.h"

#include "core/units/named.h"

namespace stratoplan::narration {
namespace {

constexpr NameTable<estimate::PartitionPhase, 5> kPartitionPhases{{
    {estimate::PartitionPhase::States, "Listing the ways to divide each operator"},
    {estimate::PartitionPhase::Best, "Finding the best partition"},
    {estimate::PartitionPhase::Comparison, "Comparing it with usual partitions"},
    {estimate::PartitionPhase::Front, "Finding the best for more memory or less"},
    {estimate::PartitionPhase::UnlikeLayers, "Comparing layers divided unlike each other"},
}};

} // namespace

std::string_view describe(estimate::PartitionPhase phase)
{
    return nameIn(kPartitionPhases, phase);
}

} // namespace stratoplan::narration
