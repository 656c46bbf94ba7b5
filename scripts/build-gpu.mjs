/**
 * Builds the plugins for accelerators, `npm run build:gpu`: those whose compiler this machine has, nvcc for CUDA and hipcc
 * for HIP, and the emulated one. They are in build/<cuda, hip or release>/gpu.
 */
import fs from 'node:fs';
import path from 'node:path';
import { buildNative } from './build.mjs';
import { isMain, outputOf, root, runMain } from './process.mjs';

const PLUGINS = [
  { target: 'crayon_gpu_emulated', preset: 'release' },
  { target: 'crayon_gpu_cuda', preset: 'cuda', compilers: ['nvcc', '/usr/local/cuda/bin/nvcc'] },
  { target: 'crayon_gpu_hip', preset: 'hip', compilers: ['hipcc'] },
];

/** @returns {{ built: string[], skipped: string[] }} paths, and targets */
export function buildPlugins() {
  const built = [];
  const skipped = [];
  for (const { target, preset, compilers } of PLUGINS) {
    if (compilers !== undefined && !compilers.some((compiler) => outputOf(compiler, ['--version']) !== undefined)) {
      console.log(`${target} is skipped: ${compilers[0]} is not installed`);
      skipped.push(target);
      continue;
    }
    buildNative(preset, [target], { reconfigure: true });
    const file = path.join(root, 'build', preset, 'gpu', `${target}.so`);
    console.log(`${path.relative(root, file)}: ${(fs.statSync(file).size / 1e6).toFixed(2)} MB`);
    built.push(file);
  }
  return { built, skipped };
}

if (isMain(import.meta.url)) await runMain(() => void buildPlugins());
