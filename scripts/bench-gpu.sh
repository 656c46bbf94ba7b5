#!/bin/sh
# All that there is to measure on a machine with an accelerator: Node 20, a C++ compiler, CMake, Ninja, and nvcc or hipcc are needed.
# Writes bench/results/gpu-<device>.md and .json. Options are those of `npm run bench -- gpu`.
set -e
cd "$(dirname "$0")/.."
[ -d node_modules ] || npm ci
PATH="$PATH:/usr/local/cuda/bin" npm run bench -- gpu "$@"
