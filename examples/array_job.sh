#!/bin/sh
# A suite as an array job of a batch system: task I of N runs shard I, and whoever ends last merges.
#
#     sbatch --array=1-20 examples/array_job.sh SUITE 20 /shared/folder          (SLURM)
#     qsub -t 1-20 examples/array_job.sh SUITE 20 /shared/folder                 (Grid Engine)
#
# A task that was lost is submitted again alone (--array=7): it goes on where it stopped.
set -eu
suite=$1 parts=$2 folder=$3
part=${SLURM_ARRAY_TASK_ID:-${SGE_TASK_ID:?say which part, as a batch system does}}

benchkit run "$suite" --shard "$part/$parts" --out "$folder/part$part" --no-tracking --no-plots
: > "$folder/part$part/ended"

# One task sees all ended first, and makes this folder; the others find it there.
if [ "$(ls "$folder"/part*/ended | wc -l)" -eq "$parts" ] && mkdir "$folder/merging" 2> /dev/null; then
    name=$(basename "$suite" .yaml)
    benchkit merge "$folder"/part*/"$name" --out "$folder/merged"
fi
