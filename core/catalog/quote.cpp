// SPDX-License-Identifier: Apache-2.0
#include "core/catalog/quote.h"

#include "core/catalog/words.h"
#include "core/units/reading.h"
#include "core/units/sentence.h"
#include "core/units/text.h"
#include "core/units/unseen.h"

#include <nlohmann/json.hpp>

namespace stratoplan::catalog {

namespace {

template <class Json>
std::string quoted(const Json& value)
{
    if (value.is_object())
        return reading::kObject;
    if (value.is_array())
        return value.empty() ? std::string(words::kAnEmptyArray)
                             : filled(words::kAnArrayOf, {{"count", {std::to_string(value.size())}}});
    return shortened(withUnseenEscaped(value.dump(-1, ' ', false, Json::error_handler_t::replace)));
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

std::string joined(const std::vector<std::string_view>& names)
{
    std::string text;
    for (const std::string_view name : names)
        text += (text.empty() ? "" : ", ") + std::string(name);
    return text;
}

std::string quoteText(std::string_view text)
{
    return quoted(nlohmann::json(text));
}

} // namespace stratoplan::catalog
