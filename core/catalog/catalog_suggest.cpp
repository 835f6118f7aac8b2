// SPDX-License-Identifier: Apache-2.0
#include "core/catalog/catalog_suggest.h"

#include <algorithm>
#include <numeric>

namespace stratoplan::catalog_detail {
namespace {

std::size_t distance(std::string_view a, std::string_view b)
{
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i + 1;
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t substituted = diagonal + (a[i] == b[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({substituted, row[j] + 1, row[j + 1] + 1});
        }
    }
    return row.back();
}

} // namespace

std::string expectedId(std::string_view what, std::string_view wrong, const std::vector<std::string_view>& candidates)
{
    std::vector<std::pair<std::size_t, std::string_view>> ranked;
    for (const std::string_view candidate : candidates)
        ranked.emplace_back(distance(wrong, candidate), candidate);
    std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::string text = "the id of " + std::string(what);
    const std::size_t shownCount = std::min<std::size_t>(3, ranked.size());
    for (std::size_t i = 0; i < shownCount; ++i)
        text += (i == 0 ? ", such as \"" : i + 1 == shownCount ? " or \"" : ", \"") + std::string(ranked[i].second) + '"';
    return text;
}

} // namespace stratoplan::catalog_detail
