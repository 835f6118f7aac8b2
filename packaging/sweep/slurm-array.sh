#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A study as a Slurm array job: every task answers its share of the plans, and goes on where it was when it is requeued.
#   sbatch --array=0-15 packaging/sweep/slurm-array.sh STUDY.json RESULTS/
#   cat RESULTS/*.jsonl > study.jsonl
#SBATCH --job-name=stratoplan-sweep
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=8
#SBATCH --mem=4G
#SBATCH --time=02:00:00
#SBATCH --requeue
set -euo pipefail

study=${1:?usage: sbatch --array=0-N $0 STUDY.json RESULTS/}
results=${2:?usage: sbatch --array=0-N $0 STUDY.json RESULTS/}
index=$((SLURM_ARRAY_TASK_ID - SLURM_ARRAY_TASK_MIN))
mkdir -p "$results"
exec "${STRATOPLAN:-stratoplan-cli}" sweep "$study" --shard "$index/$SLURM_ARRAY_TASK_COUNT" --threads "${SLURM_CPUS_PER_TASK:-0}" \
    --resume --output "$results/part-$index.jsonl"
