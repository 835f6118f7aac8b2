# Megatron-Bridge and NeMo recipe of the plan Llama 3 70B on 512 H100.
# 512 accelerators = TP 8 x CP 1 x PP 4 x DP 16.
# To be filled in:
#   train.train_iters: how many steps the run has
#   optimizer.lr: the learning rate, and its schedule
#   model.rotary_base: the base of the rotary embedding
#   tokenizer.tokenizer_model: the tokenizer, a path or a name on Hugging Face
#   dataset.data_path: the training data

import torch
from megatron.bridge.models.gpt_provider import GPTModelProvider
from megatron.bridge.recipes.common import _pretrain_common
from megatron.bridge.training.comm_overlap import CommOverlapConfig
from megatron.bridge.training.config import ConfigContainer
from megatron.bridge.training.mixed_precision import MixedPrecisionConfig
from megatron.core.transformer.enums import AttnBackend


def pretrain_config() -> ConfigContainer:
    cfg = _pretrain_common()
    cfg.model = GPTModelProvider(
        tensor_model_parallel_size=8,
        pipeline_model_parallel_size=4,
        context_parallel_size=1,
        expert_model_parallel_size=1,
        sequence_parallel=True,
        num_layers=80,
        hidden_size=8192,
        ffn_hidden_size=28672,
        num_attention_heads=64,
        kv_channels=128,
        num_query_groups=8,
        seq_length=8192,
        position_embedding_type="rope",
        vocab_size=128256,
        normalization="RMSNorm",
        gated_linear_unit=True,
        activation_func=torch.nn.functional.silu,
        share_embeddings_and_output_weights=False,
        add_bias_linear=False,
        attention_dropout=0.0,
        hidden_dropout=0.0,
        attention_backend=AttnBackend.flash,
        qk_layernorm=False,
        add_qkv_bias=False,
        virtual_pipeline_model_parallel_size=5,
    )
    cfg.comm_overlap = CommOverlapConfig(tp_comm_overlap=False)
    cfg.mixed_precision = MixedPrecisionConfig()
    cfg.ddp.use_distributed_optimizer = True
    cfg.optimizer.use_distributed_optimizer = True
    cfg.train.micro_batch_size = 1
    cfg.train.global_batch_size = 1024
    cfg.dataset.seq_length = 8192
    cfg.mixed_precision.bf16 = True
    cfg.mixed_precision.params_dtype = torch.bfloat16
    cfg.mixed_precision.pipeline_dtype = torch.bfloat16
    cfg.optimizer.optimizer = "adam"
    cfg.comm_overlap.overlap_grad_reduce = True
    cfg.ddp.overlap_grad_reduce = True
    cfg.comm_overlap.overlap_param_gather = True
    cfg.ddp.overlap_param_gather = True
    cfg.comm_overlap.tp_comm_overlap = True
    cfg.tokenizer.tokenizer_type = "HuggingFaceTokenizer"
    cfg.tokenizer.tokenizer_model = "FILL_IN_TOKENIZER"
    cfg.dataset.data_path = ["FILL_IN_DATA"]
    cfg.dataset.reset_attention_mask = False
    cfg.mixed_precision.fp16 = False
    cfg.mixed_precision.grad_reduce_in_fp32 = True
    cfg.ddp.grad_reduce_in_fp32 = True
    cfg.ddp.data_parallel_sharding_strategy = "no_shard"
    return cfg


if __name__ == "__main__":
    from megatron.bridge.training.gpt_step import forward_step
    from megatron.bridge.training.pretrain import pretrain

    pretrain(config=pretrain_config(), forward_step_func=forward_step)
