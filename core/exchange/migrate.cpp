// SPDX-License-Identifier: Apache-2.0
#include "core/exchange/migrate.h"

#include "core/exchange/json_text.h"

#include <nlohmann/json.hpp>

namespace stratoplan::exchange {

namespace {

using Json = nlohmann::ordered_json;

void rename(Json& object, const char* from, const char* to)
{
    if (!object.is_object() || !object.contains(from) || object.contains(to))
        return;
    Json renamed = Json::object(); // rebuilt, to keep the place of the key
    for (auto it = object.begin(); it != object.end(); ++it)
        renamed[it.key() == from ? to : it.key()] = std::move(*it);
    object = std::move(renamed);
}

Json* member(Json& object, const char* name)
{
    if (!object.is_object())
        return nullptr;
    const auto it = object.find(name);
    return it == object.end() ? nullptr : &*it;
}

/// Version 0 was never released; its plans had shorter keys, and sequence parallelism was called by its initials.
void planFrom0(Json& plan)
{
    if (Json* training = member(plan, "training")) {
        rename(*training, "seq_len", "sequence_length");
        rename(*training, "batch", "global_batch");
    }
    if (Json* strategy = member(plan, "strategy")) {
        rename(*strategy, "zero", "zero_stage");
        rename(*strategy, "mbs", "micro_batch");
        rename(*strategy, "sp", "sequence_parallel");
    }
}

struct Step {
    int from;
    void (*plan)(Json&);
};
constexpr Step kSteps[] = {{0, planFrom0}};

void applyStep(const Step& step, Json& document, DocumentFormat format)
{
    if (format == DocumentFormat::Plan) {
        step.plan(document);
        return;
    }
    const auto migratePlan = [&](Json& holder) {
        if (Json* plan = member(holder, "plan")) {
            step.plan(*plan);
            if (Json* version = member(*plan, "version")) // not needed inside a project, but allowed
                *version = step.from + 1;
        }
    };
    migratePlan(document);
    for (const char* list : {"pinned", "slides"}) {
        if (Json* entries = member(document, list); entries && entries->is_array()) {
            for (Json& entry : *entries)
                migratePlan(entry);
        }
    }
}

} // namespace

tl::expected<void, DocumentError> migrate(Json& document, DocumentFormat format)
{
    const auto fail = [](DocumentError::Code code, std::string found, std::string expected) {
        return tl::unexpected(DocumentError{code, {}, "/version", std::move(found), std::move(expected)});
    };
    const std::string known = "an integer from 0 to " + std::to_string(kFormatVersion);
    const auto it = document.find("version");
    if (it == document.end())
        return fail(DocumentError::Code::Schema, "nothing", known);
    if (!it->is_number_integer() || (!it->is_number_unsigned() && it->get<std::int64_t>() < 0))
        return fail(DocumentError::Code::Schema, catalog::quoteJson(*it), known);
    if (it->get<std::uint64_t>() > static_cast<std::uint64_t>(kFormatVersion)) {
        return fail(DocumentError::Code::NewerVersion, catalog::quoteJson(*it),
            "at most " + std::to_string(kFormatVersion) + " (the file was written by a newer version of Stratoplan)");
    }
    for (const Step& step : kSteps) {
        if (*it == step.from) {
            applyStep(step, document, format);
            document["version"] = step.from + 1;
        }
    }
    return {};
}

} // namespace stratoplan::exchange
