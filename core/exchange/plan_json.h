// SPDX-License-Identifier: Apache-2.0
// A plan and what a project adds to it as JSON values, without the head of the document.
#pragma once

#include "core/exchange/document.h"

#include <nlohmann/json_fwd.hpp>
#include <optional>

namespace stratoplan::exchange {

/// Precondition: `json` has passed the schema. `pointer` is where it stands in the document.
[[nodiscard]] tl::expected<plan::Plan, DocumentErrors> parsePlan(
    const nlohmann::json& json, const std::string& pointer, const catalog::Catalog& catalog);
[[nodiscard]] tl::expected<plan::Project, DocumentErrors> parseProject(
    const nlohmann::json& json, const catalog::Catalog& catalog);
/// The "capacity" of a plan or a project, if it has one.
[[nodiscard]] std::optional<plan::CapacityInputs> capacityOf(const nlohmann::json& document);
/// The "canvas" of a document, if it has one.
[[nodiscard]] plan::CanvasPositions parseCanvas(const nlohmann::json& document);

/// Values equal to an entry of `catalog` are written as its id; Catalog{} spells everything out.
[[nodiscard]] nlohmann::ordered_json planToJson(const plan::Plan& plan, const catalog::Catalog& catalog);
[[nodiscard]] nlohmann::ordered_json canvasToJson(const plan::CanvasPositions& positions);
[[nodiscard]] nlohmann::ordered_json projectToJson(const plan::Project& project, const catalog::Catalog& catalog);

} // namespace stratoplan::exchange
