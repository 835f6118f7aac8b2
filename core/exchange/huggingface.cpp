// SPDX-License-Identifier: Apache-2.0
#include "core/exchange/huggingface.h"

#include "core/exchange/huggingface_shape.h"
#include "core/exchange/json_text.h"
#include "core/units/reading.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <optional>

namespace stratoplan::exchange {
namespace {

using Json = nlohmann::ordered_json;
using huggingface::Family;
using huggingface::Fields;

DocumentErrors singleError(DocumentError::Code code, std::string_view file, std::string pointer, std::string found,
    std::string expected, std::string sentence)
{
    return {{code, std::string(file), std::move(pointer), std::move(found), std::move(expected), std::move(sentence)}};
}

/// Present and not null, false, zero or empty.
bool says(const Json& value)
{
    if (value.is_string())
        return !value.get_ref<const std::string&>().empty();
    return !value.is_null() && value != false && value != 0 && !(value.is_structured() && value.empty());
}

/// The object with the language model's own configuration, which models of several media keep inside theirs.
struct Part {
    const Json* config = nullptr;
    std::string pointer;
    const Json* around = nullptr; ///< the object around it, null for a whole file
    std::string type; ///< its model_type, or that of the nearest object around it
};

Part languagePart(const Json& file)
{
    Part part{&file, {}, nullptr, {}};
    const auto readType = [&] {
        if (const auto type = part.config->find("model_type"); type != part.config->end() && type->is_string())
            part.type = type->get<std::string>();
    };
    readType();
    for (const char* const name : {"thinker_config", "text_config", "llm_config", "language_config"}) {
        if (const auto it = part.config->find(name); it != part.config->end() && it->is_object()) {
            part = {&*it, part.pointer + "/" + name, part.config, std::move(part.type)};
            readType();
        }
    }
    return part;
}

/// As what the catalogue refuses layers with a state, where their family is not known to have those of Mamba-2.
constexpr std::string_view kStateSpace = "state-space (Mamba) layers";

DocumentErrors refused(
    std::string_view file, std::string pointer, std::string_view field, std::string_view what, bool mayStandIn = false)
{
    std::string sentence = "The model uses ";
    if (what.starts_with("a ") || what.starts_with("an "))
        sentence = "The model is ";
    sentence += what;
    sentence += " (";
    sentence += field;
    sentence += "), which Stratoplan does not model.";
    if (mayStandIn)
        sentence += " With --stand-in it takes attention over a window in their place, and says how far off that is.";
    return singleError(mayStandIn ? DocumentError::Code::LayersNotModelled : DocumentError::Code::Schema, file,
        std::move(pointer), std::string(what),
        std::string("a transformer of attention, Mamba-2 and FFN layers alone")
            + (mayStandIn ? ", or --stand-in, by which attention over a window is taken in place of these layers"
                          : ": this model cannot be represented yet"),
        std::move(sentence));
}

/// The list of the kinds of layers that a configuration has, if any: its field and the first kind that is no attention.
struct LayerKinds {
    const char* field = nullptr;
    std::string_view other;
};

/// `passed`: what is not told of.
LayerKinds layerKinds(const Json& config, std::string_view passed)
{
    const auto isOther = [&](std::string_view kind) {
        const bool ffn = passed == kStateSpace && (kind == "mlp" || kind == "moe"); // layers of their own (Nemotron-H)
        return !ffn && !huggingface::otherLayer(kind).empty() && huggingface::otherLayer(kind) != passed;
    };
    for (const char* const field : {"layer_types", "layers_block_type", "block_types"}) {
        const auto it = config.find(field);
        if (it == config.end() || !it->is_array())
            continue;
        for (const Json& kind : *it) {
            if (kind.is_string() && isOther(kind.get_ref<const std::string&>()))
                return {field, huggingface::otherLayer(kind.get_ref<const std::string&>())};
        }
        return {field, {}};
    }
    const auto list = config.find("attn_type_list");
    if (isOther("linear") && list != config.end() && list->is_array()
        && std::find(list->begin(), list->end(), Json(0)) != list->end())
        return {"attn_type_list",
            huggingface::otherLayer("linear")}; // MiniMax: 0 is lightning attention, 1 softmax attention
    return {};
}

/// The field that gives away what is not modelled, and what that is.
struct Telltale {
    std::string field;
    std::string_view what;
};

std::optional<Telltale> telltale(const Json& config, std::string_view passed)
{
    const LayerKinds kinds = layerKinds(config, passed);
    if (!kinds.other.empty())
        return Telltale{kinds.field, kinds.other};
    for (const huggingface::Trait& trait : huggingface::shippedFamilies().refusedFields) {
        const bool family = trait.field.ends_with('*');
        if (trait.what == passed)
            continue;
        if (family && kinds.field) // sizes of layers that are not there (Granite 4 without hybrid layers)
            continue;
        const std::string_view start = std::string_view(trait.field).substr(0, trait.field.size() - (family ? 1 : 0));
        for (const auto& [name, value] : config.items()) {
            if ((family ? std::string_view(name).starts_with(start) : name == start) && says(value))
                return Telltale{name, trait.what};
        }
    }
    return std::nullopt;
}

/// Null where the model can be taken, else why not.
std::optional<DocumentErrors> refusal(const Json& json, const Part& part, std::string_view file, bool standIn)
{
    const huggingface::StandInFamily* const known = huggingface::standInFamilyOf(part.type);
    const huggingface::Family* const family = huggingface::familyOf(part.type);
    const std::string_view passed = family && family->stateSpace ? kStateSpace
        : known && standIn                                       ? std::string_view(known->what)
                                                                 : std::string_view();
    for (const char* const field : {"_class_name", "_diffusers_version"}) {
        if (json.contains(field))
            return refused(file, childPointer({}, field), field, "a part of a diffusion pipeline");
    }
    if (!json.contains("model_type") || !json.at("model_type").is_string())
        return singleError(DocumentError::Code::Schema, file, "/model_type", "nothing",
            "a model_type such as \"llama\"", "It has no model_type, so it is no config.json of a Hugging Face model.");
    if (const auto found = telltale(*part.config, passed))
        return refused(file, childPointer(part.pointer, found->field), found->field, found->what,
            known && !standIn && !telltale(*part.config, known->what));
    const std::string outer = json.at("model_type").get<std::string>();
    for (const auto& [type, pointer] : {std::pair{part.type, part.pointer}, std::pair{outer, std::string()}}) {
        if (const auto* const refusal = huggingface::refusedType(type); refusal && refusal->what != passed)
            return refused(file, pointer + "/model_type", type, refusal->what, known && !standIn);
    }
    if (const Json* const inner = &*part.config; inner->contains("model_type") && !inner->at("model_type").is_string())
        return singleError(DocumentError::Code::Schema, file, part.pointer + "/model_type",
            catalog::quoteJson(inner->at("model_type")), reading::kText, {});
    if (family || !passed.empty())
        return std::nullopt;
    const std::string types = huggingFaceModelTypes();
    return singleError(DocumentError::Code::Schema, file, part.pointer + "/model_type", catalog::quoteText(part.type),
        std::string("one of ") + types,
        std::string("Stratoplan does not read models of model_type ") + catalog::quoteText(part.type) + "; it reads "
            + types + ".");
}

/// Python writes Infinity and NaN, which JSON does not know; no field that shapes a model holds one. Same length, so
/// that places in messages stay true.
std::string withoutNonFinite(std::string_view text)
{
    std::string result(text);
    bool quoted = false;
    for (std::size_t i = 0; i < result.size(); ++i) {
        if (quoted && result[i] == '\\') {
            ++i;
            continue;
        }
        if (result[i] == '"')
            quoted = !quoted;
        for (const std::string_view word : {"-Infinity", "Infinity", "NaN"}) {
            if (!quoted && result.compare(i, word.size(), word) == 0)
                result.replace(i, word.size(), std::string("0").append(word.size() - 1, ' '));
        }
    }
    return result;
}

} // namespace

std::string modelNameOf(const std::string& file)
{
    const std::filesystem::path path = std::filesystem::path(file).lexically_normal();
    std::string name = path.stem().string();
    if (name == "config")
        name = std::filesystem::absolute(path).parent_path().filename().string();
    for (const std::string_view tail : {"_config", "-config", ".config"})
        if (name.ends_with(tail))
            name.resize(name.size() - tail.size());
    if (const std::size_t owner = name.rfind("--"); owner != std::string::npos)
        name.erase(0, owner + 2);
    return name.empty() || file == "-" ? "imported model" : name;
}

std::string huggingFaceModelTypes()
{
    std::string names;
    for (const Family& family : huggingface::shippedFamilies().families)
        names += (names.empty() ? "" : ", ") + family.types.front();
    return names;
}

bool mayStandIn(const DocumentErrors& errors)
{
    return !errors.empty() && errors.front().code == DocumentError::Code::LayersNotModelled;
}

tl::expected<ImportedModel, DocumentErrors> importHuggingFace(
    std::string_view text, std::string_view name, std::string_view file, const ImportOptions& options)
{
    const auto json = parseJson(withoutNonFinite(withoutByteOrderMark(text)), file);
    if (!json)
        return tl::unexpected(DocumentErrors{json.error()});
    if (!json->is_object())
        return tl::unexpected(singleError(
            DocumentError::Code::Schema, file, {}, catalog::quoteJson(*json), "the object of a config.json", {}));
    const Part part = languagePart(*json);
    if (auto why = refusal(*json, part, file, options.standIn))
        return tl::unexpected(*std::move(why));
    const huggingface::StandInFamily* const standIn =
        options.standIn ? huggingface::standInFamilyOf(part.type) : nullptr;
    const Family& family = standIn ? standIn->family : *huggingface::familyOf(part.type);
    Json config = *part.config;
    if (part.around && !config.contains("tie_word_embeddings") && part.around->contains("tie_word_embeddings"))
        config["tie_word_embeddings"] = part.around->at("tie_word_embeddings");
    ImportedModel result;
    result.model.name = std::string(name);
    result.model.source = "Hugging Face config.json, model_type " + part.type;
    if (part.around)
        result.simplified.emplace_back(LanguagePartOnly{part.pointer.substr(part.pointer.rfind('/') + 1)});
    Fields fields(config, part.pointer, file, part.around != nullptr);
    fields.setDefaults(family.defaults);
    huggingface::readShape(fields, family, standIn, result);
    if (!fields.errors().empty())
        return tl::unexpected(std::move(fields.errors()));
    result.filled = fields.notes();
    return result;
}

} // namespace stratoplan::exchange
