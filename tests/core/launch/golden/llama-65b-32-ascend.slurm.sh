#!/bin/bash
# Slurm batch script of the plan LLaMA 65B on 32 Ascend NPUs.
# 32 accelerators = TP 8 x CP 1 x PP 4 x DP 1.
# To be filled in:
#   train-iters: how many steps the run has
#   lr: the learning rate, and its schedule
#   rotary-base: the base of the rotary embedding
#   tokenizer-model: the tokenizer, a path or a name on Hugging Face
#   data-path: the training data
#   MEGATRON_PATH: the folder of Megatron-LM
#   partition: the partition of the cluster, where it has several

#SBATCH --job-name=llama-65b-on-32-ascend-npus
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=1
#SBATCH --gres=npu:8
#SBATCH --exclusive
#SBATCH --output=%x-%j.log
##SBATCH --partition=FILL_IN_PARTITION

set -euo pipefail

: "${MEGATRON_PATH:?the folder of Megatron-LM}"
export CUDA_DEVICE_MAX_CONNECTIONS=1
MASTER_ADDR=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)
MASTER_PORT=$((20000 + SLURM_JOB_ID % 20000))

ARGUMENTS=(
    --tensor-model-parallel-size 8
    --pipeline-model-parallel-size 4
    --context-parallel-size 1
    --expert-model-parallel-size 1
    --sequence-parallel
    --use-distributed-optimizer
    --micro-batch-size 2
    --global-batch-size 128
    --num-layers 80
    --hidden-size 8192
    --ffn-hidden-size 22016
    --num-attention-heads 64
    --kv-channels 128
    --seq-length 2048
    --max-position-embeddings 2048
    --position-embedding-type rope
    --vocab-size 32000
    --normalization RMSNorm
    --swiglu
    --untie-embeddings-and-output-weights
    --disable-bias-linear
    --attention-dropout 0.0
    --hidden-dropout 0.0
    --use-flash-attn
    --bf16
    --accumulate-allreduce-grads-in-fp32
    --optimizer adam
    --tp-comm-overlap
    --tokenizer-type HuggingFaceTokenizer
    --tokenizer-model FILL_IN_TOKENIZER
    --data-path FILL_IN_DATA
)

srun --kill-on-bad-exit=1 torchrun \
    --nnodes "$SLURM_JOB_NUM_NODES" \
    --nproc-per-node 8 \
    --rdzv-id "$SLURM_JOB_ID" \
    --rdzv-backend c10d \
    --rdzv-endpoint "$MASTER_ADDR:$MASTER_PORT" \
    "$MEGATRON_PATH/pretrain_gpt.py" "${ARGUMENTS[@]}"
