// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/presentation/fuzzy_match.h"

#include <algorithm>
#include <limits>

namespace stratoplan::widgets {

namespace {

constexpr int kImpossible = std::numeric_limits<int>::min() / 2;
constexpr int kMatched = 10;
constexpr int kWordStart = 12;
constexpr int kRun = 8;
constexpr int kGap = 1; ///< per skipped character between two matched ones

bool startsWord(QStringView text, qsizetype i)
{
    return i == 0 || !text[i - 1].isLetterOrNumber() || (text[i].isUpper() && text[i - 1].isLower());
}

} // namespace

// In one piece: one recurrence, and the way back through the tables it filled.
std::optional<FuzzyMatch> fuzzyMatch(QStringView pattern, QStringView text)
{
    QString wanted;
    for (const QChar c : pattern) {
        if (!c.isSpace())
            wanted += c.toCaseFolded();
    }
    const auto rows = static_cast<std::size_t>(wanted.size());
    const auto columns = static_cast<std::size_t>(text.size());
    if (rows == 0)
        return FuzzyMatch{};
    if (rows > columns)
        return std::nullopt;

    // best[r][c]: best score with pattern character r placed on text character c; from[r][c]: where r - 1 stood.
    std::vector best(rows, std::vector<int>(columns, kImpossible));
    std::vector from(rows, std::vector<int>(columns, -1));
    for (std::size_t r = 0; r < rows; ++r) {
        int carried = kImpossible; // best of row r - 1 to the left, gap costs taken off
        int carriedAt = -1;
        for (std::size_t c = 0; c < columns; ++c) {
            if (r > 0 && c > 0) {
                carried = std::max(carried - kGap, kImpossible);
                if (best[r - 1][c - 1] >= carried) {
                    carried = best[r - 1][c - 1];
                    carriedAt = static_cast<int>(c) - 1;
                }
            }
            const auto i = static_cast<qsizetype>(c);
            if (text[i].toCaseFolded() != wanted[static_cast<qsizetype>(r)] || (r > 0 && carried <= kImpossible / 2))
                continue;
            const int here = kMatched + (startsWord(text, i) ? kWordStart : 0);
            if (r == 0) {
                best[r][c] = here - std::min(static_cast<int>(c), 10) * kGap;
                continue;
            }
            best[r][c] = carried + here;
            from[r][c] = carriedAt;
            if (best[r - 1][c - 1] > kImpossible / 2 && best[r - 1][c - 1] + kRun >= carried) {
                best[r][c] = best[r - 1][c - 1] + kRun + here;
                from[r][c] = static_cast<int>(c) - 1;
            }
        }
    }
    const auto& last = best.back();
    const auto end = std::max_element(last.begin(), last.end());
    if (*end <= kImpossible / 2)
        return std::nullopt;
    FuzzyMatch match{*end, std::vector<int>(rows)};
    int position = static_cast<int>(end - last.begin());
    for (std::size_t r = rows; r-- > 0;) {
        match.positions[r] = position;
        position = from[r][static_cast<std::size_t>(position)];
    }
    return match;
}

} // namespace stratoplan::widgets
