/**
 * Builds the plugins for accelerators, `npm run build:gpu`: those whose compiler this machine has, nvcc for CUDA and hipcc
 * for HIP, and the emulated one. They are in build/<cuda, hip or release>/gpu, where the package finds the CUDA and HIP plugins; those
 * two also as packages of npm, in build/plugins, to publish or to install from there.
 */
import fs from 'node:fs';
import path from 'node:path';
import { buildNative } from './build.mjs';
import { isMain, outputOf, root, runMain } from './process.mjs';

const PLUGINS = [
  { target: 'crayon_gpu_emulated', preset: 'release' },
  { target: 'crayon_gpu_cuda', preset: 'cuda', kind: 'CUDA', compilers: ['nvcc', '/usr/local/cuda/bin/nvcc'] },
  { target: 'crayon_gpu_hip', preset: 'hip', kind: 'HIP', compilers: ['hipcc'] },
];

/** The plugins that need a compiler of their own, and whether this machine has it. */
export function pluginCompilers() {
  return PLUGINS.filter(({ compilers }) => compilers !== undefined).map((plugin) => ({ ...plugin, isHere: isHere(plugin) }));
}

function isHere({ compilers }) {
  return compilers === undefined || compilers.some((compiler) => outputOf(compiler, ['--version']) !== undefined);
}

/** @returns {{ built: string[], skipped: string[] }} paths, and targets */
export function buildPlugins() {
  const built = [];
  const skipped = [];
  for (const plugin of PLUGINS) {
    const { target, preset, kind, compilers } = plugin;
    if (!isHere(plugin)) {
      console.log(`${target} is skipped: ${compilers[0]} is not installed`);
      skipped.push(target);
      continue;
    }
    buildNative(preset, [target], { reconfigure: true });
    const file = path.join(root, 'build', preset, 'gpu', `${target}.so`);
    console.log(`${path.relative(root, file)}: ${(fs.statSync(file).size / 1e6).toFixed(2)} MB`);
    if (kind !== undefined) packPlugin(preset, kind, file);
    built.push(file);
  }
  return { built, skipped };
}

/**
 * The folder of a package with a plugin, which lib/hosts/addon/addon-devices.ts looks for by its name.
 * @param {string} name 'cuda' or 'hip'
 * @param {string} kind the same, for people
 * @param {string} file the plugin
 * @param {string} [folder] for the folder of the package
 * @returns {string} the folder
 */
export function packPlugin(name, kind, file, folder = path.join(root, 'build', 'plugins')) {
  const own = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'));
  const platform = `${process.platform}-${process.arch}`;
  const packed = path.join(folder, `${own.name}-${name}`);
  fs.rmSync(packed, { recursive: true, force: true });
  fs.mkdirSync(path.join(packed, platform), { recursive: true });
  fs.copyFileSync(file, path.join(packed, platform, `crayon_gpu_${name}.so`));
  for (const each of ['LICENSE', 'NOTICE']) fs.copyFileSync(path.join(root, each), path.join(packed, each));
  const { version, license, author, repository } = own;
  const about = {
    name: path.basename(packed),
    version,
    description: `${own.name} on devices of ${kind}: the plugin that it loads for batches`,
    license,
    author,
    repository,
    os: [process.platform],
    cpu: [process.arch],
    files: [platform, 'NOTICE'],
    peerDependencies: { [own.name]: version },
  };
  fs.writeFileSync(path.join(packed, 'package.json'), `${JSON.stringify(about, null, 2)}\n`);
  return packed;
}

if (isMain(import.meta.url)) await runMain(() => void buildPlugins());
