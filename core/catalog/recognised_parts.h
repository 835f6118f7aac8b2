// SPDX-License-Identifier: Apache-2.0
// resources/catalog/recognised_parts.json: by what texts of drivers and libraries name accelerators of the catalogue.
#pragma once

#include "core/catalog/catalog_json.h"

#include <string>
#include <vector>

namespace stratoplan::catalog {

/// Accelerators as they stand in a node of the catalogue.
struct RecognisedPart {
    std::string node; ///< id of the catalogue
    bool isCard = false; ///< on PCIe; its NVLinks, if any, are a bridge of two
    int nvlinks = 0; ///< that leave each accelerator
    std::string nvlink; ///< id of the link that these are together; empty without any
    double gigatransfers = 0; ///< per second and lane of its PCIe
    std::vector<std::string> compute; ///< "90" of compute capability 9.0, "gfx942"
    std::vector<std::string> devices; ///< PCI vendor and device, "10de:2330"
};

/// The error says where in the file something is wrong: "recognised_parts.json#/entries/3/node". Ids are those of
/// `catalog`.
[[nodiscard]] CatalogResult<std::vector<RecognisedPart>> parseRecognisedParts(
    const EmbeddedFile& file, const Catalog& catalog);
[[nodiscard]] const std::vector<RecognisedPart>& shippedRecognisedParts();

} // namespace stratoplan::catalog
