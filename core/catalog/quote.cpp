// SPDX-License-Identifier: Apache-2.0
#include "core/catalog/quote.h"

#include "core/units/text.h"

#include <nlohmann/json.hpp>

namespace stratoplan {

namespace {

template <class Json>
std::string quoted(const Json& value)
{
    if (value.is_object())
        return "an object";
    if (value.is_array())
        return value.empty() ? "an empty array" : "an array of " + std::to_string(value.size());
    return shortened(value.dump(-1, ' ', false, Json::error_handler_t::replace));
}

} // namespace

std::string quoteJson(const nlohmann::json& value)
{
    return quoted(value);
}

std::string quoteJson(const nlohmann::ordered_json& value)
{
    return quoted(value);
}

std::string quoteText(std::string_view text)
{
    return quoted(nlohmann::json(text));
}

} // namespace stratoplan
