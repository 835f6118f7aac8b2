// SPDX-License-Identifier: Apache-2.0
#include "core/calibration/run_text.h"

#include "core/units/text.h"
#include "core/units/trimmed.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

namespace stratoplan::calibration {

namespace text {

std::vector<Line> linesOf(std::string_view text)
{
    if (text.starts_with("\xEF\xBB\xBF"))
        text.remove_prefix(3);
    std::vector<Line> lines;
    for (int number = 1; !text.empty(); ++number) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        while (line.ends_with('\r'))
            line.remove_suffix(1);
        if (const std::size_t over = line.rfind('\r'); over != std::string_view::npos)
            line.remove_prefix(over + 1);
        lines.push_back({number, line});
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

std::string withoutEscapes(std::string_view text)
{
    std::string result;
    result.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\x1b' && i + 1 < text.size() && text[i + 1] == '[') {
            i += 2;
            while (i < text.size() && (text[i] < '@' || text[i] > '~'))
                ++i;
        } else if (text[i] != '\x1b') {
            result += text[i];
        }
    }
    return result;
}

std::optional<double> wholeNumber(std::string_view text)
{
    if (text.starts_with('+') && text.size() > 1 && text[1] != '-')
        text.remove_prefix(1);
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() && std::isfinite(value) ? std::optional(value)
                                                                                            : std::nullopt;
}

CommaNumber commaNumber(std::string_view text)
{
    CommaNumber meant;
    const auto commas = std::count(text.begin(), text.end(), ',');
    std::string pointed(text), bare;
    std::replace(pointed.begin(), pointed.end(), ',', '.');
    std::copy_if(text.begin(), text.end(), std::back_inserter(bare), [](char c) { return c != ','; });
    if (commas == 0 || !wholeNumber(bare))
        return meant;
    if (commas == 1 && text.find('.') == std::string_view::npos && wholeNumber(pointed))
        meant.decimals = pointed;
    // Thousands: one to three digits, not led by 0, then groups of three.
    const std::string_view digits = text.substr(text.find_first_of("0123456789"));
    std::string_view rest = digits.substr(0, digits.find('.'));
    const std::size_t first = rest.find(',');
    bool grouped = first >= 1 && first <= 3 && rest.front() != '0';
    for (rest.remove_prefix(std::min(first, rest.size())); grouped && !rest.empty(); rest.remove_prefix(4))
        grouped = rest.size() >= 4 && rest.front() == ','
            && rest.substr(1, 3).find_first_not_of("0123456789") == std::string_view::npos
            && (rest.size() == 4 || rest[4] == ',');
    if (grouped)
        meant.thousands = bare;
    return meant;
}

std::optional<IterationHead> iterationHead(std::string_view line)
{
    constexpr std::string_view kWord = "iteration";
    const auto digits = [&](std::size_t& position) -> std::optional<std::int64_t> {
        while (position < line.size() && line[position] == ' ')
            ++position;
        std::int64_t value = 0;
        const auto [end, error] = std::from_chars(line.data() + position, line.data() + line.size(), value);
        if (error != std::errc())
            return std::nullopt;
        position = static_cast<std::size_t>(end - line.data());
        while (position < line.size() && line[position] == ' ')
            ++position;
        return value;
    };
    for (std::size_t word = line.find(kWord); word != std::string_view::npos; word = line.find(kWord, word + 1)) {
        std::size_t position = word + kWord.size();
        const auto iteration = digits(position);
        if (!iteration || position >= line.size() || line[position] != '/')
            continue;
        const auto total = digits(++position);
        if (!total || position >= line.size() || line[position] != '|')
            continue;
        return IterationHead{*iteration, *total, line.substr(position + 1)};
    }
    return std::nullopt;
}

} // namespace text

namespace {

using namespace text;

bool isJson(std::string_view text)
{
    if (text.starts_with('{'))
        return true;
    if (!text.starts_with('['))
        return false;
    // A log may begin with "[2025-05-27 …" or "[default0]:".
    const std::string_view inside = trimmed(text.substr(1));
    return inside.empty() || inside.front() == '{' || inside.front() == '[' || inside.front() == ']';
}

bool isMegatronLog(std::string_view text)
{
    for (const Line& line : linesOf(text)) {
        if (line.text.find("iteration") != std::string_view::npos && iterationHead(withoutEscapes(line.text)))
            return true;
        if (line.text.find("- end of arguments -") != std::string_view::npos
            || line.text.find("- arguments -") != std::string_view::npos)
            return true;
        if (line.text.find("memory (MB) | allocated:") != std::string_view::npos)
            return true;
    }
    return false;
}

} // namespace

RunText recogniseRunText(std::string_view text)
{
    std::string_view start = text;
    if (start.starts_with("\xEF\xBB\xBF"))
        start.remove_prefix(3);
    start = trimmed(start);
    if (isMegatronLog(text)) // first: some print a dictionary before anything else
        return RunText::MegatronLog;
    if (!isJson(start))
        return RunText::Table;
    constexpr std::size_t kHead = 4096; // the kind of a document stands at its beginning
    return start.substr(0, kHead).find("\"stratoplan-kernels\"") != std::string_view::npos ? RunText::KernelProfile
                                                                                           : RunText::Cases;
}

} // namespace stratoplan::calibration
