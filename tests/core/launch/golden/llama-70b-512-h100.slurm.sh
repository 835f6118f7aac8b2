#!/bin/bash
# Slurm batch script of the plan Llama 3 70B on 512 H100.
# 512 accelerators = TP 8 x CP 1 x PP 4 x DP 16.
# To be filled in:
#   train-iters: how many steps the run has
#   lr: the learning rate, and its schedule
#   rotary-base: the base of the rotary embedding
#   tokenizer-model: the tokenizer, a path or a name on Hugging Face
#   data-path: the training data
#   MEGATRON_PATH: the folder of Megatron-LM
#   partition: the partition of the cluster, where it has several

#SBATCH --job-name=llama-3-70b-on-512-h100
#SBATCH --nodes=64
#SBATCH --ntasks-per-node=1
#SBATCH --gpus-per-node=8
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
    --num-layers-per-virtual-pipeline-stage 4
    --context-parallel-size 1
    --expert-model-parallel-size 1
    --sequence-parallel
    --use-distributed-optimizer
    --micro-batch-size 1
    --global-batch-size 1024
    --num-layers 80
    --hidden-size 8192
    --ffn-hidden-size 28672
    --num-attention-heads 64
    --kv-channels 128
    --group-query-attention
    --num-query-groups 8
    --seq-length 8192
    --max-position-embeddings 8192
    --position-embedding-type rope
    --vocab-size 128256
    --normalization RMSNorm
    --swiglu
    --untie-embeddings-and-output-weights
    --disable-bias-linear
    --attention-dropout 0.0
    --hidden-dropout 0.0
    --attention-backend flash
    --bf16
    --accumulate-allreduce-grads-in-fp32
    --optimizer adam
    --overlap-grad-reduce
    --overlap-param-gather
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
