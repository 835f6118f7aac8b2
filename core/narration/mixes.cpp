// SPDX-License-Identifier: Apache-2.0
#include "core/narration/mixes.h"

#include "core/units/format.h"
#include "core/units/sentence.h"
#include "core/units/text.h"

namespace stratoplan::narration {

std::string describe(const cluster::Cluster& cluster, const search::NodeMix& mix)
{
    std::string words;
    for (std::size_t i = 0; i < mix.groups.size(); ++i) {
        const cluster::NodeGroup& group = cluster.nodes[mix.groups[i]];
        words +=
            (i == 0 ? "" : ", ") + groupedDigits(mix.counts[i]) + " × " + (group.name.empty() ? group.id : group.name);
    }
    return words;
}

std::string outcome(const search::MixResult& result)
{
    return filled(result.proven
            ? "Proven: {mixes mix|mixes} of nodes, {searched} searched ({strategies strategy|strategies}), {left} left "
              "out as others are faster and cheaper than they can be, in {time}"
            : "Stopped: {mixes mix|mixes} of nodes, {searched} searched ({strategies strategy|strategies}), {left} "
              "left out as others are faster and cheaper than they can be, in {time}",
        {{"mixes", numberWord(double(result.mixes))}, {"searched", numberWord(double(result.searched))},
            {"strategies", numberWord(double(result.strategies))}, {"left", numberWord(double(result.leftOut))},
            {"time", {format(Seconds(result.seconds))}}});
}

std::string_view otherMixes(bool everyCount)
{
    return everyCount
        ? "By rising step; every other mix is slower and no cheaper than one of these."
        : "By rising step; every other mix of all nodes of a group, or of a power of two, is slower and no "
          "cheaper than one of these. Other numbers of nodes, which were not tried, may be faster.";
}

} // namespace stratoplan::narration
