// SPDX-License-Identifier: Apache-2.0
// The JSON Schemas of resources/schema as a tree to walk: which keys a place knows, and what would be right there.
// checkSchema() runs the validator; its findings are told in the words of the schema node they belong to.
#pragma once

#include "core/exchange/document.h"

#include <nlohmann/json_fwd.hpp>

namespace stratoplan::exchange {

enum class DocumentFormat { Plan, Project, Profile, Kernels, SearchSpace, Study, Cluster };
[[nodiscard]] std::string_view key(
    DocumentFormat format); // "stratoplan-plan", "stratoplan-project", "stratoplan-profile", "stratoplan-kernels", …

/// The schema with every reference inside one document: plan.schema.json stands under its definitions as "plan".
[[nodiscard]] const nlohmann::json& schema(DocumentFormat format);

/// The schema of a place. Cheap to copy; an empty one (a place no schema describes) answers "anything".
class SchemaNode {
public:
    SchemaNode() = default;
    explicit SchemaNode(DocumentFormat format);

    [[nodiscard]] SchemaNode child(std::string_view token) const; ///< member of that name, or element of an array
    [[nodiscard]] bool describesMembers() const; ///< false: the place takes any key
    [[nodiscard]] bool knows(std::string_view member) const;
    [[nodiscard]] bool isClosed() const; ///< true: other members than those it knows are faults
    /// A remark for people ("title", "source"): not part of the value, so a save keeps it.
    [[nodiscard]] bool isRemark() const;
    [[nodiscard]] std::vector<std::string> members() const;
    [[nodiscard]] std::vector<std::string> required() const;
    [[nodiscard]] std::string memberChoice() const; ///< "one of \"operator\", \"sequence\""
    [[nodiscard]] std::string expectation() const; ///< "an integer from 1 to 1000000", "one of \"none\", \"full\""

private:
    SchemaNode(const nlohmann::json* root, const nlohmann::json* node);
    const nlohmann::json* m_root = nullptr;
    const nlohmann::json* m_node = nullptr;
};

/// Every fault against the schema, each with its pointer; at most 100.
[[nodiscard]] DocumentErrors checkSchema(const nlohmann::ordered_json& document, DocumentFormat format);

/// Members the schema does not know, with the known name they resemble.
[[nodiscard]] DocumentErrors unknownFields(const nlohmann::ordered_json& document, DocumentFormat format);

} // namespace stratoplan::exchange
