// SPDX-License-Identifier: Apache-2.0
#include "core/catalog/catalog_suggest.h"

#include "core/catalog/words.h"
#include "core/units/sentence.h"
#include "core/units/text.h"

#include <algorithm>

namespace stratoplan::catalog::detail {

std::string expectedId(std::string_view what, std::string_view wrong, const std::vector<std::string_view>& candidates)
{
    std::vector<std::pair<std::size_t, std::string_view>> ranked;
    for (const std::string_view candidate : candidates)
        ranked.emplace_back(candidate.starts_with(wrong) ? 0 : editDistance(wrong, candidate), candidate);
    std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<std::string> nearest;
    for (std::size_t i = 0; i < std::min<std::size_t>(3, ranked.size()); ++i)
        nearest.push_back('"' + std::string(ranked[i].second) + '"');
    return filled(nearest.empty() ? words::kTheIdOf : words::kTheIdOfSuchAs,
        {{"what", {std::string(what)}}, {"ids", {alternatives(nearest)}}});
}

} // namespace stratoplan::catalog::detail
