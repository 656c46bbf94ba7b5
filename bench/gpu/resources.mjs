/**
 * The compilers' report on each kernel of the plugin: registers, spills, shared memory, the size of its code, and the occupancy that
 * these allow. Kernels are found in the compilers' output, so that new ones appear by themselves.
 */
import { execFile, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

import { root } from '../../scripts/process.mjs';
import { ARCHITECTURES } from './devices.mjs';

const INCLUDES = ['-I.', '-Iinclude', '-I../native/include'];

/** The compilers of this machine, the first of each kind that runs; undefined where there is none. */
export function compilers() {
  const first = (all) => all.find((each) => spawnSync(each, ['--version']).status === 0);
  return { nvcc: first(['nvcc', '/usr/local/cuda/bin/nvcc']), hipcc: first(['hipcc']) };
}

/**
 * @returns {Promise<Map<string, Map<string, object>>>} by architecture, by kernel ("Speculate<LongestMatchStep>"): threads of a block, registers, spills in bytes, shared
 *   memory in bytes, instructions, the ones that access memory, warps of a processor
 */
export async function resources() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'crayon-gpu-'));
  const { nvcc, hipcc } = compilers();
  try {
    const all = Object.keys(ARCHITECTURES).map(async (architecture) => {
      const isHip = architecture.startsWith('gfx');
      const compiler = isHip ? hipcc : nvcc;
      const own = path.join(folder, architecture);
      fs.mkdirSync(own);
      return [architecture, compiler && (await (isHip ? ofHip : ofCuda)(compiler, architecture, own))];
    });
    return new Map((await Promise.all(all)).filter(([, kernels]) => kernels !== undefined));
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

async function compile(compiler, args) {
  const { stdout, stderr } = await promisify(execFile)(compiler, args, { cwd: path.join(root, 'gpu'), maxBuffer: 1 << 28 });
  return `${stdout}${stderr}`;
}

async function ofCuda(compiler, architecture, folder) {
  const source = [
    '-x',
    'cu',
    'plugin/plugin.cpp',
    '-DCRAYON_GPU_CUDA',
    '--expt-relaxed-constexpr',
    '-std=c++20',
    '-O3',
    `-arch=${architecture}`,
    ...INCLUDES,
  ];
  const binary = path.join(folder, `${architecture}.cubin`);
  const said = await compile(compiler, [...source, '-cubin', '-Xptxas=-v', '-o', binary, '-keep', `-keep-dir=${folder}`]);
  const assembly = fs.readFileSync(path.join(folder, 'plugin.ptx'), 'utf8');
  const accesses = accessesOfPtx(assembly);
  const threads = threadsOfPtx(assembly);
  const sizes = codeSizes(binary);
  const kernels = new Map();
  for (const part of said.split("Compiling entry function '").slice(1)) {
    const symbol = part.slice(0, part.indexOf("'"));
    const number = (pattern) => Number(pattern.exec(part)?.[1] ?? 0);
    const kernel = {
      threads: threads.get(symbol),
      registers: number(/Used (\d+) registers/),
      spills: number(/(\d+) bytes spill stores/) + number(/(\d+) bytes spill loads/),
      stack: number(/(\d+) bytes stack frame/),
      shared: number(/(\d+) bytes smem/),
      instructions: Math.round((sizes.get(symbol) ?? 0) / 16),
      accesses: accesses.get(symbol) ?? 0,
    };
    kernels.set(symbol, { ...kernel, ...occupancyOf(kernel, ARCHITECTURES[architecture]) });
  }
  return named(kernels);
}

/** Bytes of code by symbol: the sections .text.<symbol> of an ELF file of 64 bits. */
function codeSizes(file) {
  const elf = fs.readFileSync(file);
  const at = Number(elf.readBigUInt64LE(0x28));
  const [size, count, names] = [elf.readUInt16LE(0x3a), elf.readUInt16LE(0x3c), elf.readUInt16LE(0x3e)];
  const header = (index) => at + index * size;
  const strings = Number(elf.readBigUInt64LE(header(names) + 0x18));
  const sizes = new Map();
  for (let i = 0; i < count; i++) {
    const begin = strings + elf.readUInt32LE(header(i));
    const name = elf.toString('latin1', begin, elf.indexOf(0, begin));
    if (name.startsWith('.text.')) sizes.set(name.slice('.text.'.length), Number(elf.readBigUInt64LE(header(i) + 0x20)));
  }
  return sizes;
}

function entriesOfPtx(ptx) {
  return ptx
    .split('.entry ')
    .slice(1)
    .map((part) => [/^\w+/.exec(part)[0], part]);
}
function accessesOfPtx(ptx) {
  return new Map(
    entriesOfPtx(ptx).map(([symbol, part]) => [
      symbol,
      part.match(/^\s*(?:@%p\d+ )?(?:ld|st|atom|red)\.(?!param|const|local)/gm)?.length ?? 0,
    ]),
  );
}
function threadsOfPtx(ptx) {
  return new Map(entriesOfPtx(ptx).map(([symbol, part]) => [symbol, Number(/\.maxntid (\d+)/.exec(part)?.[1] ?? 0)]));
}

/** Blocks and warps that a processor has at once. Registers are given out by 256 a warp. */
function occupancyOf({ threads, registers, shared }, { warps, blocks, shared: room, reserved }) {
  const warpsOfBlock = Math.ceil(threads / 32);
  const ofRegisters = Math.floor(65536 / (Math.ceil((registers * 32) / 256) * 256) / warpsOfBlock);
  const ofShared = shared + reserved === 0 ? blocks : Math.floor((room * 1024) / (shared + reserved));
  const resident = Math.min(blocks, Math.floor(warps / warpsOfBlock), ofRegisters, ofShared);
  return { blocks: resident, warps: resident * warpsOfBlock, occupancy: (resident * warpsOfBlock) / warps };
}

async function ofHip(compiler, architecture, folder) {
  const assembly = path.join(folder, `${architecture}.s`);
  await compile(compiler, [
    '-x',
    'hip',
    'plugin/plugin.cpp',
    '-DCRAYON_GPU_HIP',
    `--offload-arch=${architecture}`,
    '-std=c++20',
    '-O3',
    ...INCLUDES,
    '--cuda-device-only',
    '-S',
    '-o',
    assembly,
  ]);
  const text = fs.readFileSync(assembly, 'utf8');
  const { warps, simds, wave } = ARCHITECTURES[architecture];
  const kernels = new Map();
  for (const part of text
    .slice(text.indexOf('amdhsa.kernels:'))
    .split(/^ {2}- \.agpr_count:|^ {2}- \.args:/m)
    .slice(1)) {
    const number = (name) => Number(new RegExp(`\\.${name}:\\s+(\\d+)`).exec(part)?.[1] ?? 0);
    const symbol = /\.name:\s+(_Z\w+)/.exec(part)[1];
    const body = text.slice(text.indexOf(`\n${symbol}:`), text.indexOf(`.amdhsa_kernel ${symbol}`));
    const comments = text.slice(text.indexOf(`.amdhsa_kernel ${symbol}`));
    const threads = number('max_flat_workgroup_size');
    const shared = number('group_segment_fixed_size');
    const blocks = Math.min(
      Math.floor((Number(/; Occupancy: (\d+)/.exec(comments)[1]) * simds * wave) / threads),
      shared ? Math.floor(65536 / shared) : Infinity,
    );
    const resident = Math.min(warps, (blocks * threads) / wave);
    kernels.set(symbol, {
      threads,
      registers: number('vgpr_count'),
      spills: 4 * number('vgpr_spill_count'),
      scalarSpills: number('sgpr_spill_count'),
      stack: number('private_segment_fixed_size'),
      shared,
      instructions: body.match(/^\t[vs]_|^\t(?:global|flat|ds|buffer)_/gm)?.length ?? 0,
      accesses: body.match(/^\t(?:global|flat|ds|buffer)_/gm)?.length ?? 0,
      blocks,
      warps: resident,
      occupancy: resident / warps,
    });
  }
  return named(kernels);
}

/** "Speculate<LongestMatchStep>" for the symbol of its entry. */
function named(kernels) {
  const symbols = [...kernels.keys()];
  const result = spawnSync('c++filt', [], { input: symbols.join('\n'), encoding: 'utf8' });
  if (result.status !== 0) throw new Error('c++filt is not installed (Debian: binutils)');
  const names = result.stdout.split('\n').map((line) => {
    const begin = line.indexOf('entry<') + 'entry<'.length;
    let depth = 1;
    let end = begin;
    for (; depth > 0; end++) depth += { '<': 1, '>': -1 }[line[end]] ?? 0;
    return line
      .slice(begin, end - 1)
      .replaceAll('crayon::gpu::', '')
      .replaceAll(' >', '>')
      .trim();
  });
  return new Map(symbols.map((symbol, index) => [names[index], kernels.get(symbol)]).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * The compiled kernel of one that a recording names: speculate is Speculate<LongestMatchStep> where the model has that
 * step, lut32 is Lut<unsigned int>.
 * @param {Map<string, { name?: string }>} kernels
 * @param {string} name @param {{ step?: string, width: number }} of
 */
export function compiledOf(kernels, name, { step, width }) {
  const [, stem, bits] = /^(.*?)(\d*)$/.exec(name);
  const type = { 8: 'unsigned char', 16: 'unsigned short', 32: 'unsigned int', 64: 'unsigned long' }[bits || width * 8];
  // Emit writes ids, or begins of pieces.
  const isBegins = stem === 'emit_begins';
  const isOf = (each) => (isBegins ? /^Emit<.*true>/.test(each) : snake(each.replace(/<.*/, '')) === stem);
  const candidates = [...kernels].filter(([each]) => isOf(each));
  const match = (text) => candidates.find(([each]) => each.includes(text));
  const found = (step ? match(step) : undefined) ?? match(`<${type}>`) ?? candidates[0];
  return found === undefined ? undefined : { ...found[1], name: found[0] };
}

const snake = (name) => name.replace(/(?<=[a-z0-9])(?=[A-Z])/g, '_').toLowerCase();
