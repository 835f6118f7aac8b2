// SPDX-License-Identifier: Apache-2.0
#include "core/catalog/recognised_parts.h"

#include "core/catalog/catalog_fields.h"
#include "core/catalog/quote.h"
#include "core/catalog/words.h"
#include "core/units/reading.h"

#include <cstdio>
#include <cstdlib>

namespace stratoplan::catalog {

using detail::FieldReader;
using detail::Need;

void fields(FieldReader& f, RecognisedPart& part)
{
    f("node", part.node, Need::Always);
    f("card", part.isCard);
    f("nvlinks", part.nvlinks, Need::Always);
    f("nvlink", part.nvlink);
    f("gigatransfers", part.gigatransfers, Need::Always);
    f("compute", part.compute, Need::Always);
    f("devices", part.devices, Need::Always);
}

CatalogResult<std::vector<RecognisedPart>> parseRecognisedParts(const EmbeddedFile& file, const Catalog& catalog)
{
    const std::string root = std::string(file.name) + '#';
    const nlohmann::json document = nlohmann::json::parse(file.content, nullptr, false);
    if (document.is_discarded())
        return tl::unexpected(CatalogError{root, reading::kNotJson, reading::kJsonObject});
    if (!document.is_object() || !document.contains("license") || !document.contains("entries"))
        return tl::unexpected(CatalogError{root, quoteJson(document), words::kLicenseAndEntries});
    auto parts = detail::parseList<RecognisedPart>(document, "entries", root);
    if (!parts)
        return tl::unexpected(parts.error());
    for (std::size_t i = 0; i < parts->size(); ++i) {
        const RecognisedPart& part = (*parts)[i];
        const std::string entry = root + "/entries/" + std::to_string(i);
        if (!catalog.node(part.node))
            return tl::unexpected(CatalogError{entry + "/node", quoteText(part.node), words::kANodeOfTheCatalogue});
        if (part.nvlink.empty() != (part.nvlinks == 0) || (!part.nvlink.empty() && !catalog.link(part.nvlink)))
            return tl::unexpected(CatalogError{entry + "/nvlink", quoteText(part.nvlink), words::kALinkOfTheCatalogue});
    }
    return parts;
}

const std::vector<RecognisedPart>& shippedRecognisedParts()
{
    static const std::vector<RecognisedPart> shipped = [] {
        auto parsed = parseRecognisedParts(embedded::parts().front(), shippedCatalog());
        if (!parsed) {
            std::fprintf(stderr, "stratoplan: the built-in parts are broken: %s\n", describe(parsed.error()).c_str());
            std::abort();
        }
        return *std::move(parsed);
    }();
    return shipped;
}

} // namespace stratoplan::catalog
