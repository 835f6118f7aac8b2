// SPDX-License-Identifier: Apache-2.0
// Field names and defaults: the configuration classes of Hugging Face transformers, one per model_type.
#include "core/exchange/huggingface.h"

#include "core/exchange/json_text.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <filesystem>

namespace stratoplan {
namespace {

using Json = nlohmann::ordered_json;

/// What the configuration class of a model_type fixes or defaults to.
struct Family {
    std::string_view type;
    Norm norm = Norm::Rms;
    Position position = Position::Rotary;
    bool gated = true;
    bool tied = false; ///< where tie_word_embeddings is not stated
    bool linearBias = false;
    bool qkvBias = false;
    bool qkNorm = false;
    int window = 0; ///< every n-th layer attends fully, the others to sliding_window; 0 = the window is not used
};

constexpr std::array kFamilies{
    Family{.type = "gpt2", .norm = Norm::Layer, .position = Position::Learned, .gated = false, .tied = true, .linearBias = true},
    Family{.type = "opt", .norm = Norm::Layer, .position = Position::Learned, .gated = false, .tied = true, .linearBias = true},
    Family{.type = "bloom", .norm = Norm::Layer, .position = Position::Alibi, .gated = false, .tied = true, .linearBias = true},
    Family{.type = "gpt_neox", .norm = Norm::Layer, .gated = false, .linearBias = true},
    Family{.type = "nemotron", .norm = Norm::Layer, .gated = false},
    Family{.type = "llama"},
    Family{.type = "mistral", .window = 1},
    Family{.type = "phi3"},
    Family{.type = "qwen2", .qkvBias = true},
    Family{.type = "qwen3", .qkNorm = true},
    Family{.type = "mimo", .qkvBias = true},
    Family{.type = "gemma", .tied = true},
    Family{.type = "gemma2", .tied = true, .window = 2},
    Family{.type = "gemma3_text", .tied = true, .qkNorm = true, .window = 6},
    Family{.type = "mixtral"},
    Family{.type = "qwen2_moe", .qkvBias = true},
    Family{.type = "qwen3_moe", .qkNorm = true},
    Family{.type = "minimax_m2", .qkNorm = true},
    Family{.type = "gpt_oss", .linearBias = true, .window = 2},
    Family{.type = "llama4_text"},
    Family{.type = "deepseek_v2"},
    Family{.type = "deepseek_v3"},
    Family{.type = "kimi_k2"},
};

const Family* familyOf(std::string_view type)
{
    const auto it = std::ranges::find(kFamilies, type, &Family::type);
    return it == kFamilies.end() ? nullptr : &*it;
}

constexpr int kMost = 100'000'000; ///< of any count in a configuration

/// Reads fields of one object and collects what is wrong with them.
class Fields {
public:
    Fields(const Json& object, std::string pointer, std::string_view file)
        : m_object(object)
        , m_pointer(std::move(pointer))
        , m_file(file)
    {
    }

    [[nodiscard]] bool has(const char* name) const
    {
        const auto it = m_object.find(name);
        return it != m_object.end() && !it->is_null();
    }

    /// A whole number of at least `least`; an error where it is missing.
    int number(std::initializer_list<const char*> names, int least = 1)
    {
        for (const char* name : names)
            if (has(name))
                return checked(name, least);
        fail(*names.begin(), "nothing", "a whole number");
        return least;
    }

    /// The same, or `rule` noted as filled.
    int number(std::initializer_list<const char*> names, int rule, std::vector<std::string>& filled, int least = 1)
    {
        for (const char* name : names)
            if (has(name))
                return checked(name, least);
        filled.push_back(std::string(*names.begin()) + "=" + std::to_string(rule));
        return rule;
    }

    /// A number that only some configurations have.
    [[nodiscard]] int optional(const char* name, int otherwise) { return has(name) ? checked(name, 0) : otherwise; }

    bool flag(const char* name, bool rule, std::vector<std::string>* filled = nullptr)
    {
        if (!has(name)) {
            if (filled)
                filled->push_back(std::string(name) + (rule ? "=true" : "=false"));
            return rule;
        }
        if (m_object.at(name).is_boolean())
            return m_object.at(name).get<bool>();
        fail(name, quoteJson(m_object.at(name)), "true or false");
        return rule;
    }

    void fail(const std::string& name, std::string found, std::string expected)
    {
        m_errors.push_back({DocumentError::Code::Schema, m_file, m_pointer + "/" + name, std::move(found), std::move(expected)});
    }

    [[nodiscard]] DocumentErrors& errors() { return m_errors; }
    [[nodiscard]] const Json& object() const { return m_object; }

private:
    int checked(const char* name, int least)
    {
        const Json& value = m_object.at(name);
        if (value.is_number_integer() && value.get<double>() >= least && value.get<double>() <= kMost)
            return value.get<int>();
        fail(name, quoteJson(value), "a whole number from " + std::to_string(least) + " to " + std::to_string(kMost));
        return least;
    }

    const Json& m_object;
    std::string m_pointer;
    std::string m_file;
    DocumentErrors m_errors;
};

/// Kinds of layers that are no softmax attention over all keys, by the field that gives them away.
void refuseOtherLayers(Fields& f)
{
    struct Trait {
        const char* field;
        const char* what;
    };
    static constexpr std::array kTraits{
        Trait{"ssm_state_size", "state-space (Mamba) layers"},
        Trait{"mamba_num_heads", "state-space (Mamba) layers"},
        Trait{"mamba_d_state", "state-space (Mamba) layers"},
        Trait{"linear_num_key_heads", "linear attention layers"},
        Trait{"linear_key_head_dim", "linear attention layers"},
        Trait{"attn_type_list", "linear attention layers"},
        Trait{"index_topk", "sparse attention over the keys that an indexer picks"},
        Trait{"global_head_dim", "layers of two head dimensions"},
    };
    for (const Trait& trait : kTraits) {
        if (!f.has(trait.field))
            continue;
        f.fail(trait.field, trait.what, "a transformer of attention and FFN layers alone: this model cannot be represented yet");
        f.errors().back().sentence = std::string("The model uses ") + trait.what + " (" + trait.field + "), which Stratoplan does not model.";
        return;
    }
}

void readAttention(Fields& f, const Family& family, ImportedModel& result)
{
    Transformer& m = result.model;
    m.heads = f.number({"num_attention_heads", "n_head"});
    if (f.has("kv_lora_rank")) {
        LatentAttention mla;
        mla.queryRank = f.optional("q_lora_rank", 0);
        mla.kvRank = f.number({"kv_lora_rank"});
        mla.ropeHeadDim = f.number({"qk_rope_head_dim"});
        mla.nopeHeadDim = f.number({"qk_nope_head_dim"});
        mla.valueHeadDim = f.number({"v_head_dim"});
        m.kvHeads = m.heads;
        m.headDim = mla.nopeHeadDim + mla.ropeHeadDim;
        m.mla = mla;
        return;
    }
    const bool classic = !family.gated; // GPT-2, OPT, BLOOM and NeoX have no grouped heads to state
    std::vector<std::string> unsaid;
    m.kvHeads = f.number({"num_key_value_heads"}, m.heads, classic ? unsaid : result.filled);
    if (!f.has("head_dim") && m.heads > 0 && m.hidden % m.heads != 0)
        f.fail("num_attention_heads", std::to_string(m.heads), "a divisor of the hidden size " + std::to_string(m.hidden) + ", or head_dim beside it");
    m.headDim = f.optional("head_dim", m.heads > 0 ? m.hidden / m.heads : 1);
    m.qkvBias = !family.linearBias && f.flag("attention_bias", family.qkvBias);
    m.qkNorm = f.flag("use_qk_norm", family.qkNorm);
    const bool windowed = family.window > 0 && f.has("sliding_window") && f.flag("use_sliding_window", true);
    if (windowed) {
        m.slidingWindow = f.number({"sliding_window"});
        m.slidingWindowInterval = f.optional("sliding_window_pattern", family.window);
    }
    if (f.has("attention_chunk_size"))
        result.simplified.push_back("attention_chunk_size: attention inside chunks is counted as full attention, which it is up to that length");
}

void readExperts(Fields& f, const Family& family, ImportedModel& result)
{
    Transformer& m = result.model;
    MixtureOfExperts moe;
    moe.experts = f.number({"n_routed_experts", "num_local_experts", "num_experts"});
    moe.topK = f.number({"num_experts_per_tok", "experts_per_token"});
    moe.expertFfn = f.number({"moe_intermediate_size", "intermediate_size"});
    moe.leadingDenseLayers = f.optional("first_k_dense_replace", 0);
    moe.layerInterval = std::max(1, f.optional("interleave_moe_layer_step", f.optional("decoder_sparse_step", f.optional("moe_layer_freq", 1))));
    moe.sharedExperts = f.optional("n_shared_experts", 0);
    if (const int shared = f.optional("shared_expert_intermediate_size", f.optional("shared_intermediate_size", 0)); shared > 0) {
        moe.sharedExperts = 1;
        moe.sharedExpertFfn = shared;
    }
    if (family.type == "llama4_text")
        moe.sharedExperts = 1; // of the width of a routed one
    moe.routerBias = f.flag("use_routing_bias", family.type == "deepseek_v3" || family.type == "kimi_k2" || family.type == "gpt_oss");
    if (f.has("mlp_only_layers") && !f.object().at("mlp_only_layers").empty())
        result.simplified.push_back("mlp_only_layers: the layers named there are counted as layers of experts");
    if (family.type == "gpt_oss")
        result.simplified.push_back("attention sinks are left out: one parameter a head and layer");
    m.moe = moe;
}

void readShape(Fields& f, const Family& family, ImportedModel& result)
{
    Transformer& m = result.model;
    m.norm = family.norm;
    m.position = family.position;
    m.gatedMlp = family.gated;
    m.linearBias = family.linearBias && f.flag("enable_bias", true);
    m.parallelBlock = family.type == "gpt_neox" && f.flag("use_parallel_residual", true);
    m.embeddingNorm = family.type == "bloom";
    m.layers = f.number({"num_hidden_layers", "n_layer"});
    m.hidden = f.number({"hidden_size", "n_embd", "n_embed"});
    m.vocabulary = f.number({"vocab_size"});
    readAttention(f, family, result);
    if (f.has("n_routed_experts") || f.has("num_local_experts") || f.has("num_experts"))
        readExperts(f, family, result);
    // The width of the dense layers stands in a field of its own where intermediate_size is that of the experts.
    std::vector<std::string> unsaid;
    if (family.type == "gpt2" || family.type == "bloom")
        m.ffnHidden = f.number({"n_inner"}, 4 * m.hidden, unsaid);
    else
        m.ffnHidden = f.number({family.type == "opt" ? "ffn_dim" : family.type == "llama4_text" ? "intermediate_size_mlp" : "intermediate_size"});
    m.tiedEmbeddings = f.flag("tie_word_embeddings", family.tied, &result.filled);
    result.longestSequence = f.optional("max_position_embeddings", f.optional("n_positions", 0));
    if (family.position == Position::Learned)
        m.maxPositions = f.number({"max_position_embeddings", "n_positions"}) + (family.type == "opt" ? 2 : 0); // OPT offsets its table by two
    if (family.type == "opt" && f.has("word_embed_proj_dim") && f.optional("word_embed_proj_dim", 0) != m.hidden)
        f.fail("word_embed_proj_dim", std::to_string(f.optional("word_embed_proj_dim", 0)),
               "the hidden size: embeddings of another width cannot be represented yet");
    m.dropout = f.has("resid_pdrop") && f.object().at("resid_pdrop").is_number() && f.object().at("resid_pdrop").get<double>() > 0;
    m.multiTokenPredictionDepth = f.optional("num_nextn_predict_layers", f.optional("num_mtp_modules", 0));
    if (family.type == "gemma2" || family.type == "gemma3_text")
        result.simplified.push_back("the two norms after attention and FFN are left out: less than 0.01 % of the parameters");
}

/// Python writes Infinity and NaN, which JSON does not know; no field that shapes a model holds one. Same length, so that places
/// in messages stay true.
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
                result.replace(i, word.size(), "0" + std::string(word.size() - 1, ' '));
        }
    }
    return result;
}

DocumentErrors one(DocumentError::Code code, std::string_view file, std::string pointer, std::string found, std::string expected,
    std::string sentence)
{
    return {{code, std::string(file), std::move(pointer), std::move(found), std::move(expected), std::move(sentence)}};
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
    for (const Family& family : kFamilies)
        names += (names.empty() ? "" : ", ") + std::string(family.type);
    return names;
}

tl::expected<ImportedModel, DocumentErrors> importHuggingFace(std::string_view text, std::string_view name, std::string_view file)
{
    const auto json = parseJson(withoutNonFinite(text), file);
    if (!json)
        return tl::unexpected(DocumentErrors{json.error()});
    if (!json->is_object() || !json->contains("model_type") || !json->at("model_type").is_string())
        return tl::unexpected(one(DocumentError::Code::Schema, file, "/model_type", "nothing", "a model_type such as \"llama\"",
            "It has no model_type, so it is no config.json of a Hugging Face model."));
    // Models of several media keep their language model in an object of its own.
    const bool nested = json->contains("text_config") && json->at("text_config").is_object();
    const Json& config = nested ? json->at("text_config") : *json;
    const std::string pointer = nested ? "/text_config" : "";
    Fields f(config, pointer, file);
    refuseOtherLayers(f);
    if (!f.errors().empty())
        return tl::unexpected(std::move(f.errors()));
    const Json type = config.contains("model_type") ? config.at("model_type") : json->at("model_type");
    const Family* family = type.is_string() ? familyOf(type.get_ref<const std::string&>()) : nullptr;
    if (!family)
        return tl::unexpected(one(DocumentError::Code::Schema, file, pointer + "/model_type", quoteJson(type), "one of " + huggingFaceModelTypes(),
            "Stratoplan does not read models of model_type " + quoteJson(type) + "; it reads " + huggingFaceModelTypes() + "."));
    ImportedModel result;
    result.model.name = std::string(name);
    result.model.source = "Hugging Face config.json, model_type " + std::string(family->type);
    if (nested)
        result.simplified.push_back("only the language model (text_config) is taken");
    readShape(f, *family, result);
    if (!f.errors().empty())
        return tl::unexpected(std::move(f.errors()));
    return result;
}

} // namespace stratoplan
