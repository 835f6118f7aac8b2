// SPDX-License-Identifier: Apache-2.0
// Source of every default: the configuration_*.py and modeling_*.py of the model_type in transformers 4.57, or, where
// transformers has none (baichuan, chatglm, internlm2, minicpm, ...), those of the repository that publishes the model.
#include "core/exchange/huggingface_families.h"

#include <algorithm>
#include <array>

namespace stratoplan::huggingface {
namespace {

constexpr std::string_view kLlamaSizes =
    R"({"vocab_size":32000,"hidden_size":4096,"intermediate_size":11008,"num_hidden_layers":32,"num_attention_heads":32,
        "max_position_embeddings":2048})";
constexpr std::string_view kQwenVlSizes =
    R"({"vocab_size":152064,"hidden_size":8192,"intermediate_size":29568,"num_hidden_layers":80,
    "num_attention_heads":64,
        "num_key_value_heads":8,"max_position_embeddings":32768,"sliding_window":4096,"max_window_layers":80})";
constexpr std::string_view kGlmSizes =
    R"({"vocab_size":151552,"hidden_size":4096,"intermediate_size":13696,"num_hidden_layers":40,
    "num_attention_heads":32,
        "num_key_value_heads":2,"head_dim":128,"max_position_embeddings":131072})";

constexpr std::array kFamilies{
    // Absolute positions, LayerNorm, biases, FFN of two matrices.
    Family{.types = "gpt2",
        .defaults = R"({"vocab_size":50257,"hidden_size":768,"num_hidden_layers":12,"num_attention_heads":12,
        "max_position_embeddings":1024})",
        .norm = Norm::Layer,
        .position = Position::Learned,
        .gated = false,
        .tied = true,
        .classic = true,
        .ffnTimes = 4,
        .bias = kLayerBias},
    Family{.types = "gpt_bigcode",
        .norm = Norm::Layer,
        .position = Position::Learned,
        .gated = false,
        .tied = true,
        .classic = true,
        .multiQuery = true,
        .ffnTimes = 4,
        .bias = kLayerBias},
    Family{.types = "opt",
        .defaults = R"({"vocab_size":50272,"hidden_size":768,"intermediate_size":3072,"num_hidden_layers":12,
        "num_attention_heads":12,"max_position_embeddings":2048})",
        .norm = Norm::Layer,
        .position = Position::Learned,
        .gated = false,
        .tied = true,
        .classic = true,
        .positionOffset = 2,
        .bias = kLayerBias},
    Family{.types = "bloom",
        .norm = Norm::Layer,
        .position = Position::Alibi,
        .gated = false,
        .tied = true,
        .classic = true,
        .embeddingNorm = true,
        .ffnTimes = 4,
        .bias = kLayerBias},
    Family{.types = "mpt",
        .norm = Norm::Layer,
        .position = Position::Alibi,
        .gated = false,
        .tied = true,
        .classic = true,
        .ffnTimes = 4,
        .leftovers = kBareNorm},
    // Attention and FFN side by side.
    Family{.types = "gptj",
        .norm = Norm::Layer,
        .gated = false,
        .classic = true,
        .parallel = true,
        .ffnTimes = 4,
        .bias = kMlpBias | kHeadBias},
    Family{.types = "codegen",
        .norm = Norm::Layer,
        .gated = false,
        .classic = true,
        .parallel = true,
        .ffnTimes = 4,
        .bias = kMlpBias | kHeadBias},
    Family{.types = "gpt_neox",
        .defaults = R"({"vocab_size":50432,"hidden_size":6144,"intermediate_size":24576,"num_hidden_layers":44,
        "num_attention_heads":64,"max_position_embeddings":2048})",
        .norm = Norm::Layer,
        .gated = false,
        .classic = true,
        .parallel = true,
        .bias = kLayerBias,
        .leftovers = kPairedNorms},
    Family{.types = "falcon",
        .defaults = R"({"vocab_size":65024,"hidden_size":4544,"num_hidden_layers":32,"num_attention_heads":71})",
        .norm = Norm::Layer,
        .gated = false,
        .tied = true,
        .classic = true,
        .multiQuery = true,
        .parallel = true,
        .ffnTimes = 4},
    Family{.types = "phi",
        .defaults = R"({"vocab_size":51200,"hidden_size":2048,"intermediate_size":8192,"num_hidden_layers":24,
        "num_attention_heads":32,"max_position_embeddings":2048})",
        .norm = Norm::Layer,
        .gated = false,
        .parallel = true,
        .bias = kLayerBias | kHeadBias,
        .leftovers = kWideQkNorm},
    Family{.types = "cohere",
        .defaults = R"({"vocab_size":256000,"hidden_size":8192,"intermediate_size":22528,"num_hidden_layers":40,
        "num_attention_heads":64,"max_position_embeddings":8192})",
        .norm = Norm::Layer,
        .tied = true,
        .parallel = true,
        .leftovers = kBareNorm | kWideQkNorm},
    Family{.types = "cohere2",
        .defaults = R"({"vocab_size":256000,"hidden_size":8192,"intermediate_size":22528,"num_hidden_layers":40,
        "num_attention_heads":64,"max_position_embeddings":8192,"sliding_window":4096,"sliding_window_pattern":4})",
        .norm = Norm::Layer,
        .tied = true,
        .parallel = true,
        .window = 4,
        .leftovers = kBareNorm},
    // LayerNorm and rotary positions.
    Family{.types = "stablelm", .norm = Norm::Layer, .leftovers = kWideQkNorm},
    Family{.types = "starcoder2",
        .defaults = R"({"num_key_value_heads":2})",
        .norm = Norm::Layer,
        .gated = false,
        .tied = true,
        .window = 1,
        .bias = kLayerBias},
    Family{.types = "nemotron", .norm = Norm::Layer, .gated = false},
    Family{.types = "orion", .norm = Norm::Layer},
    Family{.types = "olmo", .defaults = kLlamaSizes, .norm = Norm::Layer, .leftovers = kNoNormWeights},
    Family{.types = "dbrx", .norm = Norm::Layer, .narrowExperts = false, .leftovers = kBareNorm},
    Family{.types = "phimoe",
        .defaults = R"({"num_key_value_heads":8})",
        .norm = Norm::Layer,
        .narrowExperts = false,
        .window = 1},
    // RMSNorm, rotary positions, gated FFN: what Llama began.
    Family{.types = "llama llava llava_next llava_llama Yi aquila xverse", .defaults = kLlamaSizes},
    Family{.types = "mistral mistral3",
        .defaults = R"({"vocab_size":32000,"hidden_size":4096,"intermediate_size":14336,
        "num_hidden_layers":32,"num_attention_heads":32,"num_key_value_heads":8,"max_position_embeddings":131072,
        "sliding_window":4096})",
        .window = 1},
    Family{.types = "mixtral",
        .defaults = R"({"vocab_size":32000,"hidden_size":4096,"intermediate_size":14336,"num_hidden_layers":32,
        "num_attention_heads":32,"num_key_value_heads":8,"num_experts":8,"num_experts_per_tok":2,
        "max_position_embeddings":131072})",
        .narrowExperts = false,
        .window = 1},
    Family{.types = "phi3 phi3_v",
        .defaults = R"({"vocab_size":32064,"hidden_size":3072,"intermediate_size":8192,"num_hidden_layers":32,
        "num_attention_heads":32,"max_position_embeddings":4096})",
        .window = 1},
    Family{.types = "qwen2",
        .defaults = R"({"vocab_size":151936,"hidden_size":4096,"intermediate_size":22016,"num_hidden_layers":32,
        "num_attention_heads":32,"num_key_value_heads":32,"max_position_embeddings":32768,"sliding_window":4096,
        "max_window_layers":28})",
        .window = kLateLayers,
        .bias = kQkvBias,
        .attentionBias = kQkvBias},
    Family{.types = "qwen2_vl qwen2_vl_text", .defaults = kQwenVlSizes, .window = kLateLayers, .bias = kQkvBias},
    Family{.types = "qwen2_5_vl qwen2_5_vl_text", .defaults = kQwenVlSizes, .window = kLateLayers, .bias = kQkvBias},
    Family{.types = "qwen2_moe",
        .defaults = R"({"vocab_size":151936,"hidden_size":2048,"intermediate_size":5632,"num_hidden_layers":24,
        "num_attention_heads":16,"num_key_value_heads":16,"num_experts":60,"num_experts_per_tok":4,
        "moe_intermediate_size":1408,
        "shared_expert_intermediate_size":5632,"max_position_embeddings":32768,"sliding_window":4096,
        "max_window_layers":28})",
        .window = kLateLayers,
        .bias = kQkvBias,
        .leftovers = kSharedGate},
    Family{.types = "qwen3",
        .defaults = R"({"vocab_size":151936,"hidden_size":4096,"intermediate_size":22016,"num_hidden_layers":32,
        "num_attention_heads":32,"num_key_value_heads":32,"head_dim":128,"max_position_embeddings":32768,
        "sliding_window":4096,
        "max_window_layers":28})",
        .qkNorm = true,
        .window = kLateLayers},
    Family{.types = "qwen3_moe",
        .defaults = R"({"vocab_size":151936,"hidden_size":2048,"intermediate_size":6144,"num_hidden_layers":24,
        "num_attention_heads":32,"num_key_value_heads":4,"num_experts":128,"num_experts_per_tok":8,
        "moe_intermediate_size":768,
        "max_position_embeddings":32768,"sliding_window":4096,"max_window_layers":28})",
        .qkNorm = true,
        .window = kLateLayers},
    Family{.types = "qwen3_vl qwen3_vl_text",
        .defaults = R"({"vocab_size":151936,"hidden_size":4096,"intermediate_size":22016,
        "num_hidden_layers":32,"num_attention_heads":32,"num_key_value_heads":32,"head_dim":128,
        "max_position_embeddings":128000})",
        .qkNorm = true},
    Family{.types = "qwen3_vl_moe qwen3_vl_moe_text",
        .defaults = R"({"vocab_size":151936,"hidden_size":2048,"intermediate_size":5632,
        "num_hidden_layers":24,"num_attention_heads":16,"num_key_value_heads":16,"num_experts":60,
        "num_experts_per_tok":4,
        "moe_intermediate_size":1408,"max_position_embeddings":128000})",
        .qkNorm = true},
    Family{.types = "mimo", .window = kLateLayers, .bias = kQkvBias, .attentionBias = kQkvBias},
    Family{.types = "gemma paligemma",
        .defaults = R"({"vocab_size":256000,"hidden_size":3072,"intermediate_size":24576,
        "num_hidden_layers":28,"num_attention_heads":16,"num_key_value_heads":16,"head_dim":256,
        "max_position_embeddings":8192})",
        .tied = true},
    Family{.types = "gemma2",
        .defaults = R"({"vocab_size":256000,"hidden_size":2304,"intermediate_size":9216,"num_hidden_layers":26,
        "num_attention_heads":8,"num_key_value_heads":4,"head_dim":256,"max_position_embeddings":8192,
        "sliding_window":4096})",
        .tied = true,
        .window = 2,
        .leftovers = kPostNorms},
    Family{.types = "gemma3_text gemma3",
        .defaults = R"({"vocab_size":262208,"hidden_size":2304,"intermediate_size":9216,
        "num_hidden_layers":26,"num_attention_heads":8,"num_key_value_heads":4,"head_dim":256,
        "max_position_embeddings":131072,
        "sliding_window":4096,"sliding_window_pattern":6})",
        .tied = true,
        .qkNorm = true,
        .window = 6,
        .leftovers = kPostNorms},
    Family{.types = "granite", .defaults = kLlamaSizes},
    Family{.types = "granitemoe granitemoeshared", .narrowExperts = false},
    Family{.types = "granitemoehybrid", .narrowExperts = false, .denseWidth = "shared_intermediate_size"},
    Family{.types = "olmo2", .defaults = kLlamaSizes, .qkNorm = true, .leftovers = kWideQkNorm},
    Family{.types = "olmo3",
        .defaults = R"({"sliding_window":4096})",
        .qkNorm = true,
        .window = 4,
        .leftovers = kWideQkNorm},
    Family{.types = "olmoe", .qkNorm = true, .narrowExperts = false, .leftovers = kWideQkNorm},
    Family{.types = "glm", .defaults = kGlmSizes, .attentionBias = kQkvBias},
    Family{.types = "glm4", .defaults = kGlmSizes, .attentionBias = kQkvBias, .leftovers = kPostNorms},
    Family{.types = "glm4v_text glm4v",
        .defaults = R"({"vocab_size":151552,"hidden_size":4096,"intermediate_size":13696,
        "num_hidden_layers":40,"num_attention_heads":32,"num_key_value_heads":2,"max_position_embeddings":32768})",
        .bias = kQkvBias,
        .attentionBias = kQkvBias,
        .leftovers = kPostNorms},
    Family{.types = "glm4v_moe_text glm4v_moe",
        .defaults = R"({"vocab_size":151424,"hidden_size":4096,"intermediate_size":10944,
        "num_hidden_layers":46,"num_attention_heads":96,"num_key_value_heads":8,"num_experts":128,
        "num_experts_per_tok":8,
        "moe_intermediate_size":1408,"n_shared_experts":1,"first_k_dense_replace":1,"max_position_embeddings":65536})",
        .routerBias = true,
        .bias = kQkvBias,
        .attentionBias = kQkvBias},
    Family{.types = "glm4_moe", .routerBias = true, .attentionBias = kQkvBias},
    Family{.types = "chatglm", .attentionBias = kQkvBias},
    Family{.types = "ernie4_5",
        .defaults = R"({"vocab_size":103424,"hidden_size":1024,"intermediate_size":3072,"num_hidden_layers":18,
        "num_attention_heads":16,"num_key_value_heads":2,"head_dim":128,"max_position_embeddings":131072})",
        .tied = true},
    Family{.types = "ernie4_5_moe",
        .defaults = R"({"num_key_value_heads":4,"n_shared_experts":2,"first_k_dense_replace":1})",
        .tied = true,
        .routerBias = true},
    Family{.types = "smollm3",
        .defaults = R"({"vocab_size":128256,"hidden_size":2048,"intermediate_size":11008,"num_hidden_layers":36,
        "num_attention_heads":16,"num_key_value_heads":4,"max_position_embeddings":32768})",
        .tied = true,
        .window = kLateLayers},
    Family{.types = "seed_oss",
        .defaults = R"({"num_key_value_heads":8,"head_dim":128})",
        .bias = kQkvBias,
        .attentionBias = kQkvBias},
    Family{.types = "internlm", .bias = kAttentionBias, .generalBias = kAttentionBias},
    Family{.types = "internlm2", .generalBias = kAttentionBias},
    Family{.types = "internlm3", .generalBias = kAttentionBias},
    Family{.types = "exaone4",
        .defaults = R"({"num_key_value_heads":32,"sliding_window":4096,"sliding_window_pattern":4})",
        .qkNorm = true,
        .window = 4},
    Family{.types = "minicpm", .defaults = kLlamaSizes, .tied = true},
    Family{.types = "minicpm3",
        .defaults = R"({"q_lora_rank":768,"kv_lora_rank":256,"qk_nope_head_dim":64,"qk_rope_head_dim":32})",
        .tied = true,
        .latent = true},
    Family{.types = "baichuan", .alibiWithout = "max_position_embeddings"},
    Family{.types = "arcee", .gated = false},
    Family{.types = "apertus", .gated = false, .qkNorm = true},
    Family{.types = "hunyuan_v1_dense", .qkNorm = true},
    Family{.types = "hunyuan_v1_moe hunyuan", .qkNorm = true, .narrowExperts = false, .sharedExperts = 1},
    Family{.types = "minimax_m2", .qkNorm = true, .narrowExperts = false, .leftovers = kWideQkNorm},
    Family{.types = "gpt_oss",
        .defaults = R"({"vocab_size":201088,"hidden_size":2880,"intermediate_size":2880,"num_hidden_layers":36,
        "num_attention_heads":64,"num_key_value_heads":8,"head_dim":64,"num_experts":128,"num_experts_per_tok":4,
        "max_position_embeddings":131072,"sliding_window":128})",
        .routerBias = true,
        .narrowExperts = false,
        .window = 2,
        .bias = kLayerBias,
        .leftovers = kSinks},
    Family{.types = "llama4_text llama4",
        .defaults = R"({"vocab_size":202048,"hidden_size":5120,"intermediate_size":8192,
        "intermediate_size_mlp":16384,"num_hidden_layers":48,"num_attention_heads":40,"num_key_value_heads":8,
        "head_dim":128,
        "num_experts":16,"num_experts_per_tok":1,"max_position_embeddings":131072})",
        .qkNorm = true,
        .narrowExperts = false,
        .sharedExperts = 1,
        .leftovers = kBareQkNorm,
        .denseWidth = "intermediate_size_mlp"},
    Family{.types = "deepseek", .defaults = R"({"first_k_dense_replace":0})"},
    Family{.types = "deepseek_v2",
        .defaults = R"({"first_k_dense_replace":0,"q_lora_rank":1536,"kv_lora_rank":512,"qk_nope_head_dim":128,
        "qk_rope_head_dim":64,"v_head_dim":128,"n_shared_experts":2})",
        .latent = true},
    Family{.types = "deepseek_v3",
        .defaults = R"({"vocab_size":129280,"hidden_size":7168,"intermediate_size":18432,"num_hidden_layers":61,
        "num_attention_heads":128,"num_experts":256,"num_experts_per_tok":8,"moe_intermediate_size":2048,
        "n_shared_experts":1,
        "first_k_dense_replace":3,"q_lora_rank":1536,"kv_lora_rank":512,"qk_nope_head_dim":128,"qk_rope_head_dim":64,
        "v_head_dim":128,
        "max_position_embeddings":4096})",
        .latent = true,
        .routerBias = true},
    Family{.types = "kimi_k2", .latent = true, .routerBias = true},
    Family{.types = "dots1", .defaults = R"({"first_k_dense_replace":0})", .qkNorm = true, .routerBias = true},
    Family{.types = "bailing_moe", .generalBias = kOutBias},
    Family{.types = "bailing_moe_v2", .qkNorm = true, .routerBias = true, .generalBias = kOutBias},
};

constexpr std::string_view kStateSpace = "state-space (Mamba) layers";
constexpr std::string_view kLinear = "linear attention layers";
constexpr std::string_view kRecurrent = "recurrent layers";
constexpr std::string_view kConvolution = "short convolutions in place of attention";
constexpr std::string_view kSparse = "sparse attention over the keys that an indexer picks";

constexpr std::array kRefusedTypes{
    RefusedTypes{
        "mamba mamba2 falcon_mamba jamba bamba zamba zamba2 nemotron_h falcon_h1 plamo2 hymba phi4flash", kStateSpace},
    RefusedTypes{"rwkv rwkv5 rwkv6 rwkv7 retnet minimax minimax_text_01 minimax_m1 kimi_linear qwen3_next qwen3_5 "
                 "qwen3_5_text qwen3_5_moe "
                 "qwen3_5_moe_text bailing_moe_linear bailing_hybrid olmo_hybrid",
        kLinear},
    RefusedTypes{"recurrent_gemma xlstm", kRecurrent},
    RefusedTypes{"lfm2 lfm2_moe lfm2_vl", kConvolution},
    RefusedTypes{"deepseek_v32 glm_moe_dsa", kSparse},
    RefusedTypes{
        "gemma3n gemma3n_text gemma4 gemma4_text", "embeddings for every layer and layers that share keys and values"},
    RefusedTypes{"mllama mllama_text_model idefics", "layers of cross-attention to images"},
    RefusedTypes{"nemotron-nas deci openelm", "layers of different shapes"},
    RefusedTypes{"arctic", "dense FFNs beside the experts of their layers"},
    RefusedTypes{"longcat_flash", "two attention blocks a layer and experts without work"},
    RefusedTypes{"jetmoe", "experts of attention heads"},
    RefusedTypes{"gpt_neo", "attention windows that begin with a full layer"},
    RefusedTypes{"t5 mt5 umt5 longt5 switch_transformers t5gemma bart mbart mvp pegasus pegasus_x bigbird_pegasus "
                 "marian m2m_100 nllb-moe "
                 "blenderbot blenderbot-small led prophetnet fsmt encoder-decoder vision-encoder-decoder "
                 "speech-encoder-decoder florence2 "
                 "whisper moonshine speech_to_text seamless_m4t seamless_m4t_v2 speecht5 pix2struct",
        "an encoder-decoder"},
    RefusedTypes{"bert roberta xlm-roberta xlm-roberta-xl camembert distilbert albert electra deberta deberta-v2 "
                 "modernbert mpnet "
                 "megatron-bert mobilebert squeezebert nomic_bert new eurobert esm longformer big_bird funnel rembert "
                 "roformer ernie "
                 "xlnet xlm data2vec-text",
        "an encoder"},
    RefusedTypes{
        "vit vit_mae vit_msn deit beit swin swinv2 dinov2 dinov2_with_registers dinov3_vit convnext convnextv2 resnet "
        "regnet "
        "efficientnet mobilevit detr deformable_detr conditional_detr rt_detr yolos segformer mask2former maskformer "
        "sam sam2 dpt "
        "depth_anything glpn poolformer clip_vision_model siglip_vision_model timm_wrapper videomae timesformer",
        "a vision model"},
    RefusedTypes{
        "clip siglip siglip2 align altclip chinese_clip clipseg owlvit owlv2 groupvit xclip blip flava vilt clap",
        "a pair of encoders for text and images or sound"},
    RefusedTypes{"wav2vec2 wav2vec2-bert wav2vec2-conformer hubert wavlm unispeech sew data2vec-audio "
                 "audio-spectrogram-transformer "
                 "encodec dac mimi",
        "a model of sound"},
    RefusedTypes{"llada llada_moe dream sdar", "a diffusion language model, whose attention looks both ways"},
};

// In the order in which they are told: what names the kind of layer best comes first.
constexpr std::array kTraits{
    Trait{"is_encoder_decoder", "an encoder-decoder"},
    Trait{"linear_attn_config", kLinear},
    Trait{"linear_num_key_heads", kLinear},
    Trait{"linear_key_head_dim", kLinear},
    Trait{"hybrid_override_pattern", kStateSpace},
    Trait{"ssm_cfg", kStateSpace},
    Trait{"ssm_*", kStateSpace},
    Trait{"mamba_*", kStateSpace},
    Trait{"attn_layer_period", kStateSpace},
    Trait{"attn_layer_indices", kStateSpace},
    Trait{"lru_width", kRecurrent},
    Trait{"conv_L_cache", kConvolution},
    Trait{"index_topk", kSparse},
    Trait{"sparse_config", "sparse attention"},
    Trait{"global_head_dim", "layers of two head dimensions"},
    Trait{"block_configs", "layers of different shapes"},
    Trait{"cross_attention_layers", "layers of cross-attention to images"},
    Trait{"altup_num_inputs", "embeddings for every layer"},
    Trait{"hidden_size_per_layer_input", "embeddings for every layer"},
    Trait{"num_kv_shared_layers", "layers that share keys and values"},
    Trait{"use_cla", "layers that share keys and values"},
};

constexpr std::array kFieldNames{
    FieldNames{"num_hidden_layers", "n_layer n_layers num_layers"},
    FieldNames{"hidden_size", "n_embd n_embed d_model"},
    FieldNames{"num_attention_heads", "n_head n_heads num_heads"},
    FieldNames{"num_key_value_heads", "num_kv_heads n_head_kv kv_n_heads multi_query_group_num"},
    FieldNames{"head_dim", "attention_head_dim kv_channels"},
    FieldNames{"vocab_size", "padded_vocab_size"},
    FieldNames{"intermediate_size", "n_inner ffn_dim ffn_hidden_size"},
    FieldNames{"max_position_embeddings", "n_positions max_seq_len seq_length max_sequence_length model_max_length"},
    FieldNames{"num_experts", "n_routed_experts num_local_experts moe_num_experts"},
    FieldNames{"num_experts_per_tok", "experts_per_token moe_topk moe_k moe_top_k top_k_experts"},
    FieldNames{"n_shared_experts", "num_shared_experts num_shared_expert moe_num_shared_experts"},
    FieldNames{"shared_expert_intermediate_size", "shared_intermediate_size moe_shared_expert_intermediate_size"},
    FieldNames{"first_k_dense_replace", "moe_layer_start_index moe_layer_num_skipped num_dense_layers"},
    FieldNames{"decoder_sparse_step", "interleave_moe_layer_step moe_layer_interval"},
    FieldNames{"num_nextn_predict_layers", "num_mtp_modules mtp_num_hidden_layers"},
    FieldNames{"sliding_window_pattern", "_sliding_window_pattern"},
    FieldNames{"use_qk_norm", "qk_layernorm"},
    FieldNames{"use_parallel_residual", "parallel_attn"},
};

bool contains(std::string_view list, std::string_view word)
{
    while (!list.empty()) {
        if (nextWord(list) == word)
            return true;
    }
    return false;
}

} // namespace

std::span<const Family> families()
{
    return kFamilies;
}

const Family* familyOf(std::string_view type)
{
    const auto* const it =
        std::ranges::find_if(kFamilies, [&](const Family& family) { return contains(family.types, type); });
    return it == kFamilies.end() ? nullptr : &*it;
}

const RefusedTypes* refusedType(std::string_view type)
{
    const auto* const it =
        std::ranges::find_if(kRefusedTypes, [&](const RefusedTypes& refused) { return contains(refused.types, type); });
    return it == kRefusedTypes.end() ? nullptr : &*it;
}

std::span<const Trait> traits()
{
    return kTraits;
}

std::string_view otherLayer(std::string_view kind)
{
    static constexpr std::array<std::string_view, 4> kAttention{
        "full_attention", "sliding_attention", "chunked_attention", "attention"};
    static constexpr std::array kWords{Trait{"mamba", kStateSpace}, Trait{"ssm", kStateSpace},
        Trait{"hybrid", kStateSpace}, Trait{"linear", kLinear}, Trait{"lightning", kLinear}, Trait{"delta", kLinear},
        Trait{"recurrent", kRecurrent}, Trait{"conv", kConvolution}};
    if (std::ranges::find(kAttention, kind) != kAttention.end())
        return {};
    const auto* const it = std::ranges::find_if(
        kWords, [&](const Trait& word) { return kind.find(word.field) != std::string_view::npos; });
    return it == kWords.end() ? std::string_view("layers of a kind that is not known") : it->what;
}

std::string_view otherNames(std::string_view field)
{
    const auto* const it = std::ranges::find(kFieldNames, field, &FieldNames::name);
    return it == kFieldNames.end() ? std::string_view() : it->others;
}

} // namespace stratoplan::huggingface
