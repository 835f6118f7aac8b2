// SPDX-License-Identifier: Apache-2.0
#include "core/units/text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <numeric>
#include <vector>

namespace stratoplan::inline units {

std::string fixedDecimals(double value, int decimals)
{
    std::array<char, 400> text{}; // 309 digits before the point
    const auto end = std::to_chars(
        text.data(), text.data() + text.size(), value, std::chars_format::fixed, std::clamp(decimals, 0, 80))
                         .ptr;
    return {text.data(), end};
}

double roundedTo(double value, int digits)
{
    std::array<char, 64> text{};
    const auto end = std::to_chars(
        text.data(), text.data() + text.size(), value, std::chars_format::scientific, std::clamp(digits - 1, 0, 20))
                         .ptr;
    double result = value;
    std::from_chars(text.data(), end, result);
    return result;
}

std::string groupedDigits(long long value)
{
    std::string digits = std::to_string(value);
    const std::ptrdiff_t first = value < 0 ? 1 : 0;
    for (std::ptrdiff_t i = std::ssize(digits) - 3; i > first; i -= 3)
        digits.insert(static_cast<std::size_t>(i), 1, ',');
    return digits;
}

bool containsWords(std::string_view text, std::string_view part)
{
    const auto same = [](char a, char b) {
        return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
    };
    return std::search(text.begin(), text.end(), part.begin(), part.end(), same) != text.end();
}

std::string shortened(std::string text, std::size_t limit)
{
    if (text.size() <= limit)
        return text;
    std::size_t end = limit;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0u) == 0x80u)
        --end; // do not cut a UTF-8 sequence
    return text.substr(0, end) + "…";
}

std::string childPointer(std::string_view pointer, std::string_view token)
{
    std::string result(pointer);
    result += '/';
    for (const char c : token) {
        if (c == '~')
            result += "~0";
        else if (c == '/')
            result += "~1";
        else
            result += c;
    }
    return result;
}

std::size_t editDistance(std::string_view a, std::string_view b)
{
    std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i)
        d[i][0] = i;
    std::iota(d[0].begin(), d[0].end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
            d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + change});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
        }
    }
    return d[a.size()][b.size()];
}

} // namespace stratoplan::inline units
