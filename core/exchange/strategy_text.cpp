// SPDX-License-Identifier: Apache-2.0
#include "core/exchange/strategy_text.h"

#include "core/exchange/json_text.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace stratoplan::exchange {

namespace {

using Json = nlohmann::ordered_json;

} // namespace

tl::expected<plan::Plan, DocumentErrors> withStrategy(
    const plan::Plan& plan, std::string_view text, const catalog::Catalog& catalog, std::string_view file)
{
    const auto parsed = parseJson(text, file);
    if (!parsed)
        return tl::unexpected(DocumentErrors{parsed.error()});
    const auto fault = [&](const Json& found) {
        return tl::unexpected(DocumentErrors{{DocumentError::Code::Schema, std::string(file), {},
            catalog::quoteJson(found), "an object of a strategy's members"}});
    };
    if (!parsed->is_object())
        return fault(*parsed);
    const Json given = parsed->contains("strategy") ? parsed->at("strategy") : *parsed;
    if (!given.is_object())
        return fault(given);
    Json whole = Json::parse(writePlan(plan, catalog));
    for (const auto& [name, value] : given.items())
        (name == "precision" ? whole["training"]["precision"] : whole["strategy"][name]) = value;
    auto document = parseDocument(whole.dump(), catalog, file);
    DocumentErrors errors = document ? document->warnings : document.error();
    if (document)
        std::erase_if(errors, [](const DocumentError& error) { return !error.pointer.starts_with("/strategy/"); });
    if (!errors.empty())
        return tl::unexpected(std::move(errors));
    return std::move(document->project.plan);
}

} // namespace stratoplan::exchange
