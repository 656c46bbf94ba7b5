// The WebAssembly modules as files: their imports and exports, and that running out of memory returns an error instead of
// trapping.

import fs from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const project = fileURLToPath(new URL('../../', import.meta.url));
const isBuilt = fs.existsSync(`${project}dist/wasm/core.wasm`); // if Emscripten is installed

/** The functions of crayon.h, read from its parts. */
const parts = `${project}native/include/crayon/api/`;
const declarations = fs
  .readdirSync(parts)
  .map((part) => fs.readFileSync(parts + part, 'utf8'))
  .join('\n');
const face = [...declarations.matchAll(/^CRAYON_API .*?\b(crayon_\w+)\(/gm)]
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
/** Modules without version 2 and without text encoders; what an instance has opened ends with it. */
const DNA = /^crayon_(?:status|kernel|cartridge(?!_open_dat|_release)|tokenizer(?!_cache_|_retain|_release)|decode|dna|records)/;

describe.skipIf(!isBuilt).each([
  { name: 'core.wasm', kernel: 'simd128', has: /^crayon_(?!dna_|records_|compiler_|trainer_|counter_|document_|json_|regex_)/ },
  { name: 'core-scalar.wasm', kernel: 'scalar', has: /^crayon_(?!dna_|records_|compiler_|trainer_|counter_|json_)/ },
  { name: 'build.wasm', kernel: 'simd128', has: /^crayon_(?!dna_|records_|json_)/ },
  { name: 'dna.wasm', kernel: 'simd128', has: DNA },
  { name: 'dna-scalar.wasm', kernel: 'scalar', has: DNA },
])('$name', ({ name, kernel, has }) => {
  it('imports nothing and exports what crayon.h declares', () => {
    const module = new Module(read(name));
    expect(Module.imports(module)).toEqual([]);
    const exported = Module.exports(module).map((each) => each.name);
    // There, threads are workers with a module each; files are not mapped; memory cannot be released.
    const others =
      /^crayon_(?:(?:pool|job|device|memory|text)_|trainer_(?:help|dismiss)$|tokenizer_(?:memory|trim)$|encoder_(?:cache_|(?:append|fit)_utf16$))/;
    const declared = face.filter((each) => !others.test(each));
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

  it.skipIf(has === DNA)('reports a lack of memory, and continues once there is some', () => {
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
    if (engine.crayon_compiler_create) expect(engine.crayon_compiler_create(out, result)).toBe(OUT_OF_MEMORY);

    for (const block of taken) engine.free!(block);
    expect(encode()).toEqual([0, 0, 0]);
    expect(new Uint32Array(engine.memory.buffer)[ids / 4]).toBe(15339); // 'hello', in tiktoken
    expect(open()).toBe(0);
  });
});

/** The functions of an engine, with a result and the memory for arguments. */
function dnaOf(name: string) {
  const engine = start(name);
  const allocate = (size: number) => engine.malloc!(size) >>> 0;
  const [out, result] = [allocate(4), allocate(24)] as [number, number];
  const words = (at: number, count: number) => new Uint32Array(engine.memory.buffer, at, count);
  const bytes = (values: Uint8Array | string) => {
    const own = Buffer.from(values);
    const at = allocate(own.length || 1);
    new Uint8Array(engine.memory.buffer).set(own, at);
    return at;
  };
  return { engine, allocate, out, result, words, bytes, given: () => words(out, 1)[0]!, count: () => words(result, 6)[4]! };
}

describe.skipIf(!isBuilt).each(['dna.wasm', 'dna-scalar.wasm'])('DNA in %s', (name) => {
  it('compiles a cartridge, opens it and encodes', () => {
    const { engine, allocate, out, result, words, bytes, given, count } = dnaOf(name);
    const NONE = 0xffffffff;
    engine.crayon_dna_compiler_create!(out, result);
    const compiler = given();
    // 2-mers of ACGT from 5 on, then their bases: unit, k, size, first, unknown, pad, side, four policies.
    const rules = bytes(new Uint8Array(Uint32Array.of(2, 2, 0, 5, 0, 1, 1, 1, 2, 2, 0).buffer));
    expect(engine.crayon_dna_compiler_set_rules!(compiler, rules, result)).toBe(0);
    const ids = new Uint32Array(256).fill(NONE);
    for (const [i, base] of [...'ACGTN'].entries()) ids[base.charCodeAt(0)] = 21 + i;
    expect(
      engine.crayon_dna_compiler_set_tokens!(compiler, bytes('?'), 1, bytes(new Uint8Array(Uint32Array.of(0, 1).buffer)), 1, result),
    ).toBe(0);
    expect(engine.crayon_dna_compiler_set_bases!(compiler, bytes(new Uint8Array(ids.buffer)), 0, result)).toBe(0);
    expect(engine.crayon_dna_compiler_set_kmers!(compiler, bytes('ACGT'), 4, 0, 0, result)).toBe(0);
    expect(engine.crayon_dna_compiler_finish!(compiler, out, result)).toBe(0);
    expect(engine.crayon_cartridge_open_bytes!(given(), count(), 0, out, result)).toBe(0);
    expect(engine.crayon_tokenizer_create!(given(), 0, 0, 0, out, result)).toBe(0);
    expect(engine.crayon_dna_create!(given(), 0, out, result)).toBe(0);
    const dna = given();

    const random = (at: number) => (at * 2654435761) >>> 13;
    const bases = Array.from({ length: 5000 }, (_, at) => (random(at) % 97 === 0 ? 'N' : 'ACGTacgt'[random(at) % 8]!)).join('');
    const expected: number[] = [];
    for (const part of bases.toUpperCase().split(/(N)/)) {
      if (part === 'N') expected.push(25);
      else
        for (let at = 0; at < part.length; at += 2) {
          const [a, b] = [...part.slice(at, at + 2)].map((base) => 'ACGT'.indexOf(base)) as [number, number?];
          expected.push(b === undefined ? 21 + a : 5 + 4 * a + b);
        }
    }
    const [room, part] = [allocate(4 * bases.length), allocate(12)] as [number, number];
    expect(engine.crayon_dna_encode!(dna, bytes(bases), bases.length, 0, 4, room, bases.length, part, result)).toBe(0);
    expect([...words(room, count())]).toEqual(expected);
    expect([...words(part, 3)]).toEqual([bases.length, 0, 0]); // none is unknown
  });

  it('refuses slim text vocabularies', () => {
    const { engine, out, result, bytes } = dnaOf(name);
    const file = fs.readFileSync(`${project}cartridges/lite.slim.cray`);
    expect(engine.crayon_cartridge_open_bytes!(bytes(file), file.length, 0, out, result)).toBe(11); // MISSING_SECTION
  });
});
