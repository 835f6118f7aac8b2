// SPDX-License-Identifier: Apache-2.0
#include "core/exchange/document.h"

#include "core/exchange/capacity_json.h"
#include "core/exchange/json_text.h"
#include "core/exchange/merge.h"
#include "core/exchange/migrate.h"
#include "core/exchange/plan_json.h"

#include <nlohmann/json.hpp>

namespace stratoplan::exchange {

using nlohmann::ordered_json;

namespace {

std::optional<DocumentFormat> formatOf(const ordered_json& document)
{
    const auto it = document.find("format");
    for (const DocumentFormat format : {DocumentFormat::Plan, DocumentFormat::Project}) {
        if (it != document.end() && *it == std::string(key(format)))
            return format;
    }
    return std::nullopt;
}

DocumentError unknownFormat(const ordered_json& document)
{
    const std::string expected = "\"stratoplan-plan\" or \"stratoplan-project\"";
    if (!document.is_object())
        return {DocumentError::Code::Schema, {}, {}, catalog::quoteJson(document), "an object: a plan or a project"};
    const auto it = document.find("format");
    return {DocumentError::Code::Schema, {}, "/format", it == document.end() ? "nothing" : catalog::quoteJson(*it),
        expected};
}

DocumentErrors named(DocumentErrors errors, std::string_view file)
{
    for (DocumentError& error : errors)
        error.file = file;
    return errors;
}

ordered_json headed(DocumentFormat format, ordered_json body)
{
    ordered_json result = ordered_json::object();
    result["format"] = std::string(key(format));
    result["version"] = kFormatVersion;
    result.update(body);
    return result;
}

/// The document that a save builds on, in the shape of `wanted`; null if there is none that can be read.
ordered_json originalAs(DocumentFormat wanted, std::string_view text)
{
    if (text.empty())
        return nullptr;
    auto parsed = parseJson(text);
    if (!parsed || !parsed->is_object())
        return nullptr;
    const auto format = formatOf(*parsed);
    if (!format || !migrate(*parsed, *format))
        return nullptr;
    if (*format == wanted)
        return std::move(*parsed);
    if (wanted == DocumentFormat::Plan) { // the plan of a project
        if (!parsed->contains("plan") || !parsed->at("plan").is_object())
            return nullptr;
        ordered_json plan = headed(DocumentFormat::Plan, parsed->at("plan"));
        if (const auto capacity = parsed->find("capacity"); capacity != parsed->end())
            plan["capacity"] = *capacity;
        return plan;
    }
    parsed->erase("format");
    parsed->erase("version");
    return headed(DocumentFormat::Project, {{"plan", std::move(*parsed)}});
}

std::string written(
    DocumentFormat format, const ordered_json& fresh, const ordered_json& whole, std::string_view original)
{
    const ordered_json before = originalAs(format, original);
    return prettyJson(before.is_object() ? mergeDocument(before, fresh, whole, SchemaNode(format)) : fresh);
}

} // namespace

std::string describe(const DocumentError& error)
{
    if (error.code == DocumentError::Code::Unreadable)
        return error.found + (error.file.empty() ? "" : ": " + error.file)
            + (error.expected == kReadable ? "" : "; expected " + error.expected);
    if (error.code == DocumentError::Code::Unwritable)
        return "Cannot write " + error.file + ": " + error.found;
    std::string text = error.file;
    if (!error.pointer.empty())
        text += (text.empty() ? "" : ": ") + error.pointer;
    if (!text.empty())
        text += ": ";
    if (!error.sentence.empty())
        return (error.file.empty() ? "" : error.file + ": ") + error.sentence;
    return text + "found " + error.found + ", expected " + error.expected;
}

tl::expected<Document, DocumentErrors> parseDocument(
    std::string_view text, const catalog::Catalog& catalog, std::string_view file)
{
    auto parsed = parseJson(text, file);
    if (!parsed)
        return tl::unexpected(DocumentErrors{parsed.error()});
    const auto format = formatOf(*parsed);
    if (!format)
        return tl::unexpected(named({unknownFormat(*parsed)}, file));
    if (const auto migrated = migrate(*parsed, *format); !migrated)
        return tl::unexpected(named({migrated.error()}, file));
    if (DocumentErrors faults = checkSchema(*parsed, *format); !faults.empty())
        return tl::unexpected(named(std::move(faults), file));

    Document document;
    document.isProject = *format == DocumentFormat::Project;
    document.original = text;
    document.warnings = named(unknownFields(*parsed, *format), file);
    const nlohmann::json checked = *parsed;
    if (document.isProject) {
        document.hasCapacity = true;
        auto project = parseProject(checked, catalog);
        if (!project)
            return tl::unexpected(named(std::move(project.error()), file));
        document.project = std::move(*project);
    } else {
        auto plan = parsePlan(checked, {}, catalog);
        if (!plan)
            return tl::unexpected(named(std::move(plan.error()), file));
        document.project.plan = std::move(*plan);
        document.hasCapacity = checked.contains("capacity");
        document.project.capacity = capacityOf(checked).value_or(plan::CapacityInputs{});
    }
    return document;
}

tl::expected<Document, DocumentErrors> readDocument(const std::filesystem::path& path, const catalog::Catalog& catalog)
{
    const auto text = readFile(path);
    if (!text)
        return tl::unexpected(DocumentErrors{text.error()});
    return parseDocument(*text, catalog, path.string());
}

std::string writeProject(const Document& document, const catalog::Catalog& catalog)
{
    const auto json = [&](const catalog::Catalog& references) {
        return headed(DocumentFormat::Project, projectToJson(document.project, references));
    };
    return written(DocumentFormat::Project, json(catalog), json(catalog::Catalog{}), document.original);
}

std::string writePlan(const plan::Plan& plan, const catalog::Catalog& catalog, std::string_view original,
    const plan::CapacityInputs* capacity)
{
    const ordered_json before = capacity == nullptr ? originalAs(DocumentFormat::Plan, original) : ordered_json();
    const auto json = [&](const catalog::Catalog& references) {
        ordered_json result = headed(DocumentFormat::Plan, planToJson(plan, references));
        if (capacity != nullptr)
            result["capacity"] = toJson(*capacity);
        else if (before.is_object() && before.contains("capacity"))
            result["capacity"] = before.at("capacity");
        return result;
    };
    return written(DocumentFormat::Plan, json(catalog), json(catalog::Catalog{}), original);
}

} // namespace stratoplan::exchange
