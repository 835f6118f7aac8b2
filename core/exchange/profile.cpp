// SPDX-License-Identifier: Apache-2.0
#include "core/exchange/profile.h"

#include "core/catalog/catalog_json.h"
#include "core/exchange/json_text.h"
#include "core/exchange/schema.h"

#include <nlohmann/json.hpp>

namespace stratoplan::exchange {

tl::expected<plan::SoftwareProfile, DocumentErrors> parseProfile(
    std::string_view text, const catalog::Catalog& catalog, std::string_view file)
{
    const auto parsed = parseJson(text, file);
    if (!parsed)
        return tl::unexpected(DocumentErrors{parsed.error()});
    DocumentErrors faults = checkSchema(*parsed, DocumentFormat::Profile);
    if (!faults.empty()) {
        for (DocumentError& fault : faults)
            fault.file = file;
        return tl::unexpected(std::move(faults));
    }
    const auto profile = parseSoftwareProfile(*parsed, {}, catalog);
    if (!profile) {
        return tl::unexpected(DocumentErrors{{DocumentError::Code::Schema, std::string(file), profile.error().pointer,
            profile.error().found, profile.error().expected}});
    }
    return *profile;
}

std::string writeProfile(const plan::SoftwareProfile& profile)
{
    nlohmann::ordered_json document{{"format", std::string(key(DocumentFormat::Profile))}, {"version", kFormatVersion}};
    document.update(toJson(profile, catalog::Catalog{}));
    return prettyJson(document);
}

} // namespace stratoplan::exchange
