# SPDX-License-Identifier: Apache-2.0
#SBATCH --job-name=@NAME@
#SBATCH --nodes=@NODES@
#SBATCH --ntasks-per-node=1
#SBATCH @DEVICES@
#SBATCH --exclusive
#SBATCH --output=%x-%j.log
##SBATCH --partition=FILL_IN_PARTITION

set -euo pipefail

: "${MEGATRON_PATH:?the folder of Megatron-LM}"
export CUDA_DEVICE_MAX_CONNECTIONS=@CONNECTIONS@
MASTER_ADDR=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | sed -n 1p)
MASTER_PORT=$((20000 + SLURM_JOB_ID % 20000))

ARGUMENTS=(
@ARGUMENTS@)

srun --kill-on-bad-exit=1 torchrun \
    --nnodes "$SLURM_JOB_NUM_NODES" \
    --nproc-per-node @PROCESSES@ \
    --rdzv-id "$SLURM_JOB_ID" \
    --rdzv-backend c10d \
    --rdzv-endpoint "$MASTER_ADDR:$MASTER_PORT" \
    "$MEGATRON_PATH/@PROGRAM@" "${ARGUMENTS[@]}"
