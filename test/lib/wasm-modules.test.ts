// The WebAssembly modules as files: what they import and export, and that running out of memory is an answer, not a trap.

import fs from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const project = fileURLToPath(new URL('../../', import.meta.url));
const isBuilt = fs.existsSync(`${project}dist/wasm/core.wasm`); // where Emscripten is installed

/** The functions of crayon.h, read from it. */
const face = [...fs.readFileSync(`${project}native/include/crayon/crayon.h`, 'utf8').matchAll(/^CRAYON_API .*?\b(crayon_\w+)\(/gm)]
  .map((match) => match[1]!)
  .filter((name) => !/^crayon_cartridge_open_(?:dat_)?file$/.test(name));

const read = (name: string) => fs.readFileSync(`${project}dist/wasm/${name}`);

// TypeScript declares WebAssembly with the DOM alone.
type Exports = Record<string, (...args: number[]) => number> & { memory: { buffer: ArrayBuffer } };
const { Module, Instance } = (globalThis as unknown as { WebAssembly: WebAssemblyOfTests }).WebAssembly;
interface WebAssemblyOfTests {
  Module: { new (bytes: Uint8Array): object; imports(of: object): object[]; exports(of: object): { name: string }[] };
  Instance: new (module: object, imports: object) => { exports: Exports };
}

function start(name: string): Exports {
  const { exports } = new Instance(new Module(read(name)), {});
  exports._initialize!();
  return exports;
}

const OUT_OF_MEMORY = 1;
/** No version 2, and no encoders of texts. */
const DNA = /^crayon_(?:status|kernel|cartridge(?!_open_dat)|tokenizer|decode|dna|records)/;

describe.skipIf(!isBuilt).each([
  { name: 'core.wasm', kernel: 'simd128', has: /^crayon_(?!dna_|records_|compiler_|trainer_|counter_)/ },
  { name: 'core-scalar.wasm', kernel: 'scalar', has: /^crayon_(?!dna_|records_|compiler_|trainer_|counter_)/ },
  { name: 'build.wasm', kernel: 'simd128', has: /^crayon_(?!dna_|records_)/ },
  { name: 'dna.wasm', kernel: 'simd128', has: DNA },
  { name: 'dna-scalar.wasm', kernel: 'scalar', has: DNA },
])('$name', ({ name, kernel, has }) => {
  it('imports nothing and exports what crayon.h declares', () => {
    const module = new Module(read(name));
    expect(Module.imports(module)).toEqual([]);
    const exported = Module.exports(module).map((each) => each.name);
    // Threads are those of workers there, each with a module of its own.
    const declared = face.filter((each) => !/^crayon_(?:(?:pool|job)_|trainer_(?:help|dismiss)$)/.test(each));
    const functions = declared.filter((each) => has.test(each));
    expect(functions.length).toBeGreaterThan(25);
    expect(exported.filter((each) => each.startsWith('crayon_')).sort()).toEqual(functions.sort());
    expect(exported).toEqual(expect.arrayContaining(['memory', 'malloc', 'free', '_initialize']));
  });

  it('has one row of kernels', () => {
    const engine = start(name);
    const at = engine.crayon_kernel_name!(0) >>> 0;
    const bytes = new Uint8Array(engine.memory.buffer).subarray(at);
    expect(Buffer.from(bytes.subarray(0, bytes.indexOf(0))).toString()).toBe(kernel);
    expect(engine.crayon_kernel_name!(1)).toBe(0);
  });

  it('says so when memory is short, and goes on when there is some', () => {
    const engine = start(name);
    const allocate = (size: number) => engine.malloc!(size) >>> 0;
    const file = fs.readFileSync(`${project}cartridges/cl100k_base.cray`);
    const bytes = allocate(file.length);
    const [out, result, text, ids] = [4, 24, 5, 64].map(allocate) as [number, number, number, number];
    const given = () => new Uint32Array(engine.memory.buffer)[out / 4]!;
    new Uint8Array(engine.memory.buffer).set(file, bytes);
    new Uint8Array(engine.memory.buffer).set(Buffer.from('hello'), text);
    const open = () => engine.crayon_cartridge_open_bytes!(bytes, file.length, 0, out, result);
    expect(open()).toBe(0);
    const cartridge = given();
    const createTokenizer = () => engine.crayon_tokenizer_create!(cartridge, 0, 0, 0, out, result);
    expect(createTokenizer()).toBe(0);
    const tokenizer = given();
    const createEncoder = () => engine.crayon_encoder_create!(tokenizer, out, result);
    expect(createEncoder()).toBe(0);
    const encoder = given();
    const encode = () => [
      engine.crayon_encoder_begin!(encoder, 0, 0, 0, result),
      engine.crayon_encoder_feed_utf8!(encoder, text, 5, 1, result),
      engine.crayon_encoder_read!(encoder, ids, 16, result),
    ];

    const taken: number[] = [];
    for (let size = 2 ** 28; size >= 16; size /= 2) {
      for (let block = allocate(size); block !== 0; block = allocate(size)) taken.push(block);
    }
    expect([open(), createTokenizer(), createEncoder()]).toEqual([OUT_OF_MEMORY, OUT_OF_MEMORY, OUT_OF_MEMORY]);
    expect(encode()[1]).toBe(OUT_OF_MEMORY);
    if (compiles) expect(engine.crayon_compiler_create!(out, result)).toBe(OUT_OF_MEMORY);

    for (const block of taken) engine.free!(block);
    expect(encode()).toEqual([0, 0, 0]);
    expect(new Uint32Array(engine.memory.buffer)[ids / 4]).toBe(15339); // 'hello', as tiktoken has it
    expect(open()).toBe(0);
  });
});
