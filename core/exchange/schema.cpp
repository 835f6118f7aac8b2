// SPDX-License-Identifier: Apache-2.0
#include "core/exchange/schema.h"

#include "core/catalog/embedded.h"
#include "core/exchange/json_text.h"
#include "core/units/reading.h"

#include <nlohmann/json.hpp>

#include <cstdio>

namespace stratoplan::exchange {

namespace {

using Json = nlohmann::json;

/// A shipped schema. One that is missing or broken is a bug of the build.
Json shippedSchema(std::string_view name)
{
    for (const catalog::EmbeddedFile& file : catalog::embedded::schemas()) {
        if (file.name == name) {
            Json parsed = Json::parse(file.content, nullptr, false);
            if (parsed.is_object())
                return parsed;
        }
    }
    std::fprintf(stderr, "stratoplan: the embedded schema %.*s is missing or broken\n", static_cast<int>(name.size()),
        name.data());
    std::abort();
}

/// What projects and studies say of locks is told by the schema of spaces. References between files become references
/// inside one, for the validator and for the walk.
void bundleReferences(Json& node)
{
    constexpr std::string_view kSpaces = "search-space.schema.json#", kPlans = "plan.schema.json#";
    if (node.is_object()) {
        if (const auto it = node.find("$ref"); it != node.end()) {
            const std::string& target = it->get_ref<const std::string&>();
            if (target == "plan.schema.json")
                *it = "#/definitions/plan";
            else if (target.starts_with(kPlans)) // its definitions stand beside those of the project
                *it = target.substr(kPlans.size() - 1);
            else if (target.starts_with(kSpaces))
                *it = target.substr(kSpaces.size() - 1);
        }
    }
    if (node.is_structured()) {
        for (Json& child : node)
            bundleReferences(child);
    }
}

/// Of a document with locks.
void bundleLocks(Json& document)
{
    document["definitions"]["lock"] = schema(DocumentFormat::SearchSpace).at("definitions").at("lock");
    bundleReferences(document);
}

Json bundledStudySchema()
{
    Json study = shippedSchema("study.schema.json");
    bundleLocks(study);
    return study;
}

Json bundledProjectSchema()
{
    Json project = shippedSchema("project.schema.json");
    Json plan = schema(DocumentFormat::Plan);
    project["definitions"].update(plan["definitions"]);
    plan.erase("definitions");
    plan.erase("$schema");
    plan.erase("$id");
    // Inside a project the plan needs no head of its own.
    std::erase_if(plan["required"].get_ref<Json::array_t&>(),
        [](const Json& name) { return name == "format" || name == "version"; });
    project["definitions"]["plan"] = std::move(plan);
    bundleLocks(project);
    return project;
}

/// A profile has its head and the members of a plan's software.
Json bundledProfileSchema()
{
    Json profile = shippedSchema("profile.schema.json");
    Json members = schema(DocumentFormat::Plan).at("definitions").at("software").at("properties");
    members.erase("base");
    members.update(profile["properties"]); // the head, whose members a plan takes as remarks
    profile["properties"] = std::move(members);
    profile.erase("allOf");
    return profile;
}

/// Its cluster is that of a plan, where its elements stand is told as in a project.
Json bundledClusterSchema()
{
    Json cluster = shippedSchema("cluster.schema.json");
    cluster["definitions"] = schema(DocumentFormat::Plan).at("definitions");
    cluster["properties"]["cluster"] = {{"$ref", "#/definitions/cluster"}};
    cluster["properties"]["canvas"] = schema(DocumentFormat::Project).at("properties").at("canvas");
    return cluster;
}

std::string numberText(const Json& value)
{
    return value.is_number_float()
            && value.get<double>() == static_cast<double>(static_cast<long long>(value.get<double>()))
        ? std::to_string(static_cast<long long>(value.get<double>()))
        : value.dump();
}

/// " from 1 to 8", " >= 1", " > 0", …
std::string rangeText(const Json& node)
{
    const auto low = node.find("minimum");
    const auto high = node.find("maximum");
    const auto above = node.find("exclusiveMinimum");
    std::string text;
    if (low != node.end() && high != node.end())
        return " from " + numberText(*low) + " to " + numberText(*high);
    if (low != node.end())
        text = " >= " + numberText(*low);
    if (above != node.end())
        text = " > " + numberText(*above);
    if (high != node.end())
        text += (text.empty() ? " <= " : " and <= ") + numberText(*high);
    return text;
}

std::string lengthText(const Json& node)
{
    const auto low = node.find("minItems");
    const auto high = node.find("maxItems");
    if (low != node.end() && high != node.end() && *low == *high)
        return " of " + numberText(*low);
    if (low != node.end() && high != node.end())
        return " of " + numberText(*low) + " to " + numberText(*high);
    if (high != node.end())
        return " of at most " + numberText(*high);
    if (low != node.end())
        return " of at least " + numberText(*low);
    return {};
}

std::string typeText(const std::string& type, const Json& node)
{
    if (type == "integer")
        return "an integer" + rangeText(node);
    if (type == "number")
        return "a number" + rangeText(node);
    if (type == "boolean")
        return reading::kBoolean;
    if (type == "string")
        return node.value("x-reference", false) ? "the id of a catalogue entry" : node.value("x-form", "a string");
    if (type == "array")
        return "an array" + lengthText(node);
    if (type == "object")
        return reading::kObject;
    return type;
}

std::string choiceText(const Json& values)
{
    std::string text = values.size() > 1 ? "one of " : "";
    for (std::size_t i = 0; i < values.size(); ++i)
        text += (i ? ", " : "") + values[i].dump();
    return text;
}

/// The known name a misspelt one resembles, or nothing.
std::optional<std::string> closest(std::string_view name, const std::vector<std::string>& known)
{
    if (name.size() > 40)
        return std::nullopt;
    std::optional<std::string> best;
    std::size_t bestDistance = std::max<std::size_t>(1, name.size() / 3) + 1;
    for (const std::string& candidate : known) {
        const std::size_t distance = editDistance(name, candidate);
        if (distance < bestDistance) {
            bestDistance = distance;
            best = candidate;
        }
    }
    return best;
}

constexpr std::size_t kMaxWarnings = 20;

void collectUnknown(
    const nlohmann::ordered_json& value, const SchemaNode& node, const std::string& pointer, DocumentErrors& found)
{
    if (found.size() >= kMaxWarnings || !value.is_structured())
        return;
    std::size_t index = 0;
    for (auto it = value.begin(); it != value.end(); ++it, ++index) {
        const std::string token = value.is_object() ? it.key() : std::to_string(index);
        const std::string place = childPointer(pointer, token);
        if (value.is_object() && node.describesMembers() && !node.knows(token)) {
            const auto similar = closest(token, node.members());
            if (found.size() < kMaxWarnings && token.rfind("x-", 0) != 0 && token.rfind("x_", 0) != 0
                && token.front() != '$')
                found.push_back({DocumentError::Code::UnknownField, {}, place, "a field that has no effect",
                    similar ? "\"" + *similar + "\", perhaps" : "a known field, or a name that starts with x_"});
            continue;
        }
        collectUnknown(*it, node.child(token), place, found);
    }
}

} // namespace

std::string_view key(DocumentFormat format)
{
    switch (format) {
    case DocumentFormat::Plan:
        return "stratoplan-plan";
    case DocumentFormat::Project:
        return "stratoplan-project";
    case DocumentFormat::Profile:
        return "stratoplan-profile";
    case DocumentFormat::Kernels:
        return "stratoplan-kernels";
    case DocumentFormat::SearchSpace:
        return "stratoplan-search-space";
    case DocumentFormat::Study:
        return "stratoplan-study";
    case DocumentFormat::Cluster:
        break;
    }
    return "stratoplan-cluster";
}

const Json& schema(DocumentFormat format)
{
    static const Json plan = shippedSchema("plan.schema.json");
    if (format == DocumentFormat::Plan)
        return plan;
    if (format == DocumentFormat::Profile) {
        static const Json profile = bundledProfileSchema();
        return profile;
    }
    if (format == DocumentFormat::Kernels) {
        static const Json kernels = shippedSchema("kernel-profile.schema.json");
        return kernels;
    }
    if (format == DocumentFormat::SearchSpace) {
        static const Json space = shippedSchema("search-space.schema.json");
        return space;
    }
    if (format == DocumentFormat::Study) {
        static const Json study = bundledStudySchema();
        return study;
    }
    if (format == DocumentFormat::Cluster) {
        static const Json cluster = bundledClusterSchema();
        return cluster;
    }
    static const Json project = bundledProjectSchema();
    return project;
}

SchemaNode::SchemaNode(const Json* root, const Json* node)
    : m_root(root)
    , m_node(node)
{
    // Shipped schemas only: their references are local and resolve, which a test checks.
    while (m_node) {
        const auto reference = m_node->find("$ref");
        if (reference == m_node->end())
            break;
        m_node = &m_root->at(Json::json_pointer(reference->get_ref<const std::string&>().substr(1)));
    }
}

SchemaNode::SchemaNode(DocumentFormat format)
    : SchemaNode(&schema(format), &schema(format))
{
}

SchemaNode SchemaNode::child(std::string_view token) const
{
    if (!m_node)
        return {};
    if (const auto properties = m_node->find("properties"); properties != m_node->end()) {
        if (const auto it = properties->find(token); it != properties->end())
            return SchemaNode(m_root, &*it);
    }
    for (const char* keyword : {"additionalProperties", "items"}) {
        if (const auto it = m_node->find(keyword); it != m_node->end() && it->is_object())
            return SchemaNode(m_root, &*it);
    }
    return {};
}

bool SchemaNode::describesMembers() const
{
    return m_node && m_node->contains("properties");
}

bool SchemaNode::knows(std::string_view member) const
{
    return describesMembers() && m_node->at("properties").contains(member);
}

bool SchemaNode::isClosed() const
{
    return describesMembers() && m_node->value("additionalProperties", Json(true)) == Json(false);
}

bool SchemaNode::isRemark() const
{
    return m_node && m_node->value("x-remark", false);
}

std::vector<std::string> SchemaNode::members() const
{
    std::vector<std::string> names;
    if (describesMembers()) {
        for (const auto& [name, unused] : m_node->at("properties").items())
            names.push_back(name);
    }
    return names;
}

std::vector<std::string> SchemaNode::required() const
{
    return m_node && m_node->contains("required") ? m_node->at("required").get<std::vector<std::string>>()
                                                  : std::vector<std::string>{};
}

std::string SchemaNode::memberChoice() const
{
    return choiceText(members());
}

std::string SchemaNode::expectation() const
{
    if (!m_node)
        return "another value";
    if (const auto it = m_node->find("const"); it != m_node->end())
        return it->dump();
    if (const auto values = m_node->find("enum"); values != m_node->end())
        return choiceText(*values);
    if (const auto choices = m_node->find("anyOf"); choices != m_node->end()) {
        std::string text;
        for (const Json& choice : *choices)
            text += (text.empty() ? "" : " or ") + SchemaNode(m_root, &choice).expectation();
        return text;
    }
    const auto type = m_node->find("type");
    if (type == m_node->end())
        return "another value";
    if (type->is_string())
        return typeText(*type, *m_node);
    std::string text;
    for (const Json& typeName : *type)
        text += (text.empty() ? "" : " or ") + typeText(typeName, *m_node);
    return text;
}

DocumentErrors unknownFields(const nlohmann::ordered_json& document, DocumentFormat format)
{
    DocumentErrors found;
    collectUnknown(document, SchemaNode(format), {}, found);
    return found;
}

} // namespace stratoplan::exchange
