// SPDX-License-Identifier: Apache-2.0
#include "core/validation/statistics.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace stratoplan::validation {
namespace {

/// Ranks from 0; ties share their mean rank.
std::vector<double> ranks(const std::vector<double>& values)
{
    std::vector<double> result;
    for (const double v : values) {
        double less = 0, equal = 0;
        for (const double w : values) {
            less += w < v;
            equal += w == v;
        }
        result.push_back(less + (equal - 1) / 2);
    }
    return result;
}

double correlation(const std::vector<double>& a, const std::vector<double>& b)
{
    const double n = double(a.size());
    double meanA = 0, meanB = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        meanA += a[i] / n;
        meanB += b[i] / n;
    }
    double ab = 0, aa = 0, bb = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        ab += (a[i] - meanA) * (b[i] - meanB);
        aa += (a[i] - meanA) * (a[i] - meanA);
        bb += (b[i] - meanB) * (b[i] - meanB);
    }
    return aa > 0 && bb > 0 ? ab / std::sqrt(aa * bb) : 0;
}

} // namespace

ErrorStatistics errorStatistics(std::vector<ErrorRow> rows)
{
    ErrorStatistics s;
    s.n = int(rows.size());
    if (rows.empty())
        return s;
    std::stable_sort(rows.begin(), rows.end(),
        [](const ErrorRow& a, const ErrorRow& b) { return std::abs(a.error) < std::abs(b.error); });
    const auto ranged =
        std::count_if(rows.begin(), rows.end(), [](const ErrorRow& row) { return row.inRange.has_value(); });
    for (const ErrorRow& row : rows) {
        s.meanAbs += std::abs(row.error) / s.n;
        s.bias += row.error / s.n;
        if (ranged > 0)
            s.withinRange = s.withinRange.value_or(0) + double(row.inRange.value_or(false)) / double(ranged);
    }
    const std::size_t half = rows.size() / 2;
    s.medianAbs = rows.size() % 2 ? std::abs(rows[half].error)
                                  : (std::abs(rows[half - 1].error) + std::abs(rows[half].error)) / 2;
    s.p90Abs = std::abs(rows[(9 * rows.size() + 9) / 10 - 1].error);
    s.meanAccuracy = 1 - s.meanAbs;
    s.worst = rows.back().error;
    s.worstId = rows.back().id;
    return s;
}

double spearman(const std::vector<double>& predicted, const std::vector<double>& measured)
{
    return correlation(ranks(predicted), ranks(measured));
}

RankingStatistics rankingStatistics(const std::vector<RankedRow>& rows)
{
    std::map<std::string, std::vector<const RankedRow*>> groups;
    for (const RankedRow& row : rows)
        groups[row.key].push_back(&row);
    RankingStatistics s;
    for (const auto& [key, members] : groups) {
        if (members.size() < kRankedGroupSize)
            continue;
        std::vector<double> predicted, measured;
        for (const RankedRow* row : members) {
            predicted.push_back(row->predicted);
            measured.push_back(row->measured);
        }
        const RankedRow& chosen =
            **std::min_element(members.begin(), members.end(), [](const RankedRow* a, const RankedRow* b) {
                return std::pair(a->predicted, a->measured) < std::pair(b->predicted, b->measured);
            });
        const double regret = chosen.measured / *std::min_element(measured.begin(), measured.end()) - 1;
        ++s.groups;
        s.spearmanMean += spearman(predicted, measured);
        s.regretMean += regret;
        s.within2Percent += regret <= 0.02;
    }
    if (s.groups > 0) {
        s.spearmanMean /= s.groups;
        s.regretMean /= s.groups;
        s.within2Percent /= s.groups;
    }
    return s;
}

} // namespace stratoplan::validation
