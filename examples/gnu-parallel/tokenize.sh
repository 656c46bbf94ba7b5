#!/bin/bash
# Runs a planned dataset in several processes of one thread, and merges it. After a failure, start it again: what is done is not
# repeated. (For machines that share the folder, add --sshloginfile FILE to parallel.)
#
#     crayon dataset plan "data/*.jsonl.gz" -m gpt-4o --format megatron --output tokens
#     ./tokenize.sh tokens 8
set -euo pipefail
dataset=$1
processes=${2:-$(nproc)}
run=(crayon dataset run "$dataset" --threads 1 --no-progress --of "$processes" --task)

if [[ $(parallel --version 2>/dev/null) == GNU* ]]; then
  seq 0 $((processes - 1)) | parallel --jobs "$processes" --retries 3 "${run[@]}"
else
  seq 0 $((processes - 1)) | xargs -P "$processes" -n 1 "${run[@]}"
fi
crayon dataset merge "$dataset" --no-progress
