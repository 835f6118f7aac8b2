# Megatron-Bridge and NeMo recipe of the plan DeepSeek-V3 on 2,048 H800.
# 2,048 accelerators = TP 1 x CP 1 x PP 16 x DP 128.
# To be filled in:
#   train.train_iters: how many steps the run has
#   optimizer.lr: the learning rate, and its schedule
#   model.rotary_base: the base of the rotary embedding
#   tokenizer.tokenizer_model: the tokenizer, a path or a name on Hugging Face
#   dataset.data_path: the training data
# What this format does not say as the plan does:
#   Overlap of expert communication: Megatron-Bridge asks for several chunks to a stage and no full recomputation; left out.
#   Schedule dualpipe: Megatron-Core 0.20 runs 1F1B and interleaving alone; written as 1f1b.

import torch
from megatron.bridge.models.mla_provider import MLAModelProvider
from megatron.bridge.recipes.common import _pretrain_common
from megatron.bridge.training.comm_overlap import CommOverlapConfig
from megatron.bridge.training.config import ConfigContainer
from megatron.bridge.training.mixed_precision import MixedPrecisionConfig
from megatron.core.transformer.enums import AttnBackend


def pretrain_config() -> ConfigContainer:
    cfg = _pretrain_common()
    cfg.model = MLAModelProvider(
        tensor_model_parallel_size=1,
        pipeline_model_parallel_size=16,
        pipeline_model_parallel_layout="Ettt|tttt|tttt|tttt|tttt|tttt|tttt|tttt|tttt|tttt|tttt|tttt|tttt|tttt|ttt|tttmL",
        context_parallel_size=1,
        expert_model_parallel_size=64,
        expert_tensor_parallel_size=1,
        num_layers=61,
        hidden_size=7168,
        ffn_hidden_size=18432,
        num_attention_heads=128,
        kv_channels=128,
        multi_latent_attention=True,
        q_lora_rank=1536,
        kv_lora_rank=512,
        qk_head_dim=128,
        qk_pos_emb_head_dim=64,
        v_head_dim=128,
        qk_layernorm=True,
        seq_length=4096,
        position_embedding_type="rope",
        vocab_size=129280,
        normalization="RMSNorm",
        gated_linear_unit=True,
        activation_func=torch.nn.functional.silu,
        share_embeddings_and_output_weights=False,
        add_bias_linear=False,
        attention_dropout=0.0,
        hidden_dropout=0.0,
        num_moe_experts=256,
        moe_layer_freq=([0]*3+[1]*58),
        moe_router_topk=8,
        moe_ffn_hidden_size=2048,
        moe_shared_expert_intermediate_size=2048,
        moe_router_score_function="sigmoid",
        moe_router_enable_expert_bias=True,
        moe_grouped_gemm=True,
        moe_token_dispatcher_type="flex",
        moe_flex_dispatcher_backend="deepep",
        mtp_num_layers=1,
        attention_backend=AttnBackend.flash,
        recompute_granularity="selective",
        recompute_modules=["layernorm", "moe_act", "mla_up_proj"],
        moe_shared_expert_overlap=True,
        sequence_parallel=False,
        add_qkv_bias=False,
    )
    cfg.comm_overlap = CommOverlapConfig(tp_comm_overlap=False)
    cfg.mixed_precision = MixedPrecisionConfig()
    cfg.ddp.use_distributed_optimizer = True
    cfg.optimizer.use_distributed_optimizer = True
    cfg.train.micro_batch_size = 1
    cfg.train.global_batch_size = 15360
    cfg.dataset.seq_length = 4096
    cfg.mixed_precision.bf16 = True
    cfg.mixed_precision.params_dtype = torch.bfloat16
    cfg.mixed_precision.pipeline_dtype = torch.bfloat16
    cfg.mixed_precision.fp8 = "hybrid"
    cfg.mixed_precision.fp8_recipe = "tensorwise"
    cfg.mixed_precision.fp8_param_gather = True
    cfg.optimizer.optimizer = "adam"
    cfg.comm_overlap.overlap_grad_reduce = True
    cfg.ddp.overlap_grad_reduce = True
    cfg.comm_overlap.overlap_param_gather = True
    cfg.ddp.overlap_param_gather = True
    cfg.tokenizer.tokenizer_type = "HuggingFaceTokenizer"
    cfg.tokenizer.tokenizer_model = "FILL_IN_TOKENIZER"
    cfg.dataset.data_path = ["FILL_IN_DATA"]
    cfg.dataset.reset_attention_mask = False
    cfg.mixed_precision.fp16 = False
    cfg.mixed_precision.grad_reduce_in_fp32 = True
    cfg.ddp.grad_reduce_in_fp32 = True
    cfg.ddp.data_parallel_sharding_strategy = "no_shard"
    cfg.comm_overlap.tp_comm_overlap = False
    return cfg


if __name__ == "__main__":
    from megatron.bridge.training.gpt_step import forward_step
    from megatron.bridge.training.pretrain import pretrain

    pretrain(config=pretrain_config(), forward_step_func=forward_step)
