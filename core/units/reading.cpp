// SPDX-License-Identifier: Apache-2.0
#include "core/units/reading.h"

#include "core/units/sentence.h"

namespace stratoplan::inline units::reading {

std::string wholeNumber(long long least, long long most)
{
    return filled("a whole number from {least} to {most}",
        {{"least", {std::to_string(least)}}, {"most", {std::to_string(most)}}});
}

std::string atMost(long long most)
{
    return filled("at most {most}", {{"most", {std::to_string(most)}}});
}

std::string moreThan(long long number, std::string_view what)
{
    return filled("more than {number} {what}", {{"number", {std::to_string(number)}}, {"what", {std::string(what)}}});
}

std::string listOf(long long count)
{
    return filled("a list of {count}", {{"count", {std::to_string(count)}}});
}

std::string oneOf(const std::vector<std::string_view>& names)
{
    std::string list;
    for (const std::string_view name : names)
        list += (list.empty() ? "" : ", ") + std::string(name);
    return filled("one of {names}", {{"names", {list}}});
}

std::string valueFor(std::string_view key)
{
    return filled("a value for \"{key}\"", {{"key", {std::string(key)}}});
}

std::string unknownKey(std::string_view key)
{
    return filled("the unknown key \"{key}\"", {{"key", {std::string(key)}}});
}

} // namespace stratoplan::inline units::reading
