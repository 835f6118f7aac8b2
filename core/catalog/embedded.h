// SPDX-License-Identifier: Apache-2.0
// Files compiled into the library (resources/embed.cmake), so that the programs need no data directory.
#pragma once

#include <span>
#include <string_view>

namespace stratoplan::catalog {

struct EmbeddedFile {
    std::string_view name; ///< base name: "models.json"
    std::string_view content;
};

namespace embedded {
[[nodiscard]] std::span<const EmbeddedFile> audits(); ///< resources/audit/*.json
[[nodiscard]] std::span<const EmbeddedFile> catalog(); ///< resources/catalog/*.json
[[nodiscard]] std::span<const EmbeddedFile> evidence(); ///< resources/validation/evidence.csv
[[nodiscard]] std::span<const EmbeddedFile> examples(); ///< resources/examples/*.json
[[nodiscard]] std::span<const EmbeddedFile> frameworks(); ///< resources/catalog/frameworks.json
[[nodiscard]] std::span<const EmbeddedFile> huggingface(); ///< resources/catalog/huggingface_families.json
[[nodiscard]] std::span<const EmbeddedFile> launch(); ///< resources/launch
[[nodiscard]] std::span<const EmbeddedFile> parts(); ///< resources/catalog/recognised_parts.json
[[nodiscard]] std::span<const EmbeddedFile> priors(); ///< resources/catalog/software_priors.json
[[nodiscard]] std::span<const EmbeddedFile> runs(); ///< resources/catalog/run_defaults.json
[[nodiscard]] std::span<const EmbeddedFile> schemas(); ///< resources/schema/*.json
[[nodiscard]] std::span<const EmbeddedFile> studies(); ///< resources/examples/study-answers.jsonl
[[nodiscard]] std::span<const EmbeddedFile> torch(); ///< resources/torch/spatial_temporal.py
[[nodiscard]] std::span<const EmbeddedFile> validation(); ///< resources/validation/cases.json
} // namespace embedded

} // namespace stratoplan::catalog
