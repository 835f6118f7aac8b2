// SPDX-License-Identifier: Apache-2.0
// The only file that sees the validator: its headers are heavy.
#include "core/exchange/json_text.h"
#include "core/exchange/schema.h"

#include <nlohmann/json.hpp>

#include <memory>
#include <set>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>
#pragma GCC diagnostic pop

namespace stratoplan::exchange {

namespace {

using Json = nlohmann::json;
using Path = std::vector<std::string>;

constexpr std::size_t kMaxErrors = 100;

std::unique_ptr<valijson::Schema> compile(DocumentFormat format)
{
    auto compiled = std::make_unique<valijson::Schema>();
    valijson::SchemaParser parser;
    parser.populateSchema(valijson::adapters::NlohmannJsonAdapter(schema(format)), *compiled);
    return compiled;
}

const valijson::Schema& compiledSchema(DocumentFormat format)
{
    static const auto plan = compile(DocumentFormat::Plan);
    static const auto project = compile(DocumentFormat::Project);
    static const auto profile = compile(DocumentFormat::Profile);
    static const auto kernels = compile(DocumentFormat::Kernels);
    static const auto space = compile(DocumentFormat::SearchSpace);
    static const auto study = compile(DocumentFormat::Study);
    static const auto cluster = compile(DocumentFormat::Cluster);
    switch (format) {
    case DocumentFormat::Plan:
        return *plan;
    case DocumentFormat::Project:
        return *project;
    case DocumentFormat::Profile:
        return *profile;
    case DocumentFormat::Kernels:
        return *kernels;
    case DocumentFormat::SearchSpace:
        return *space;
    case DocumentFormat::Study:
        return *study;
    case DocumentFormat::Cluster:
        break;
    }
    return *cluster;
}

/// The validator's way to a node, "<root>" "[strategy]" "[tp]", as plain tokens.
Path tokens(const std::vector<std::string>& context)
{
    Path path;
    for (std::size_t i = 1; i < context.size(); ++i)
        path.push_back(context[i].substr(1, context[i].size() - 2));
    return path;
}

bool isPrefix(const Path& shorter, const Path& longer)
{
    return shorter.size() < longer.size() && std::equal(shorter.begin(), shorter.end(), longer.begin());
}

/// The faults of one node: its missing and its unknown members, or else, where no member of it is to blame, the value
/// itself.
void explain(const Path& path, bool innermost, const Json& document, DocumentFormat format, DocumentErrors& errors)
{
    const Json* value = &document;
    SchemaNode node(format);
    std::string pointer;
    for (const std::string& token : path) {
        pointer = childPointer(pointer, token);
        node = node.child(token);
        value = value->is_array() ? &value->at(std::stoul(token)) : &value->at(token);
    }
    bool isExplained = false;
    if (value->is_object()) {
        for (const std::string& name : node.required()) {
            if (!value->contains(name)) {
                isExplained = true;
                errors.push_back({DocumentError::Code::Schema, {}, childPointer(pointer, name), "nothing",
                    node.child(name).expectation()});
            }
        }
    }
    if (value->is_object() && node.isClosed()) {
        for (const auto& [name, unused] : value->items()) {
            if (!node.knows(name)) {
                isExplained = true;
                errors.push_back({DocumentError::Code::Schema, {}, childPointer(pointer, name), "an unknown field",
                    node.memberChoice()});
            }
        }
    }
    if (innermost && !isExplained)
        errors.push_back({DocumentError::Code::Schema, {}, pointer, catalog::quoteJson(*value), node.expectation()});
}

} // namespace

DocumentErrors checkSchema(const nlohmann::ordered_json& document, DocumentFormat format)
{
    const Json sorted = document;
    valijson::Validator validator;
    valijson::ValidationResults results;
    if (validator.validate(compiledSchema(format), valijson::adapters::NlohmannJsonAdapter(sorted), &results))
        return {};

    // The validator also blames every node above a fault; explain() tells only what is at fault itself.
    std::set<Path> faulty;
    for (const auto& fault : results)
        faulty.insert(tokens(fault.context));
    DocumentErrors errors;
    for (auto it = faulty.begin(); it != faulty.end() && errors.size() < kMaxErrors; ++it) {
        const auto next = std::next(it); // sorted: what lies below a node follows it at once
        explain(*it, next == faulty.end() || !isPrefix(*it, *next), sorted, format, errors);
    }
    return errors;
}

} // namespace stratoplan::exchange
