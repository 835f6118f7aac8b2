// SPDX-License-Identifier: Apache-2.0
#include "core/audit/name_claim.h"

#include <cctype>
#include <charconv>

namespace stratoplan::audit {
namespace {

bool isOf(std::string_view text, std::size_t at, int (*kind)(int))
{
    return at < text.size() && kind(static_cast<unsigned char>(text[at])) != 0;
}

/// A number that begins there, and where it ends.
std::optional<double> numberAt(std::string_view text, std::size_t& at)
{
    double number = 0;
    const auto [end, error] =
        std::from_chars(text.data() + at, text.data() + text.size(), number, std::chars_format::fixed);
    if (error != std::errc())
        return std::nullopt;
    at = std::size_t(end - text.data());
    return number;
}

std::optional<ClaimedSize> sizeAt(std::string_view name, std::size_t start)
{
    std::size_t at = start;
    const auto first = numberAt(name, at);
    if (!first)
        return std::nullopt;
    std::optional<double> second;
    if (at < name.size() && (name[at] == 'x' || name[at] == 'X') && isOf(name, at + 1, std::isdigit))
        second = numberAt(name, ++at);
    if (at < name.size() && name[at] == ' ')
        ++at;
    const char unit = at < name.size() ? char(std::toupper(static_cast<unsigned char>(name[at]))) : '\0';
    const double scale = unit == 'T' ? 1e12 : unit == 'B' ? 1e9 : unit == 'M' ? 1e6 : 0;
    if (scale == 0 || isOf(name, at + 1, std::isalnum))
        return std::nullopt;
    return ClaimedSize{
        std::string(name.substr(start, at + 1 - start)), *first * second.value_or(1) * scale, second.has_value()};
}

} // namespace

std::optional<ClaimedSize> claimedSize(std::string_view name)
{
    for (std::size_t i = 0; i < name.size(); ++i) {
        const bool begins =
            isOf(name, i, std::isdigit) && (i == 0 || (!isOf(name, i - 1, std::isalnum) && name[i - 1] != '.'));
        if (!begins)
            continue;
        if (auto size = sizeAt(name, i))
            return size;
    }
    return std::nullopt;
}

std::optional<NameMismatch> nameMismatch(const model::Transformer& model)
{
    const auto claimed = claimedSize(model.name);
    if (!claimed || claimed->parameters <= 0)
        return std::nullopt;
    const model::ParameterCount count = model::parameters(model);
    const auto fits = [&](std::int64_t parameters) {
        const double ratio = double(parameters) / claimed->parameters;
        return claimed->isOfExperts ? ratio >= 0.5 && ratio <= 1.1 : ratio >= 0.75 && ratio <= 1.35;
    };
    if (fits(count.total) || fits(count.active))
        return std::nullopt;
    return NameMismatch{*claimed, double(count.total)};
}

} // namespace stratoplan::audit
