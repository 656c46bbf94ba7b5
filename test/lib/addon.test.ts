// What the addon does for direct callers, on paths that lib/ never takes.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

import type { Addon } from '../../lib/hosts/addon/addon.js';
import { Random } from '../fuzz/random.mjs';
import { sample } from '../share.js';
import { argumentsOf, BINDINGS, CALLS, tokenizerOf } from './addon-calls.mjs';

const file = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const addon = createRequire(import.meta.url)(process.env.CRAYON_ADDON || file('build/release/crayon.node')) as Addon;
const PLUGIN = file('build/release/gpu/crayon_gpu_emulated.so');

/** The members of the interfaces of a file that the addon implements. */
function membersIn(path: string): string[] {
  const source = ts.createSourceFile(path, readFileSync(file(path), 'utf8'), ts.ScriptTarget.Latest);
  const interfaces = source.statements
    .filter(ts.isInterfaceDeclaration)
    .filter(({ name }) => /^Addon$|^EngineHost$|Functions$/.test(name.text));
  return interfaces.flatMap(({ members }) => members.map((member) => (member.name as ts.Identifier).text));
}

describe('the addon', () => {
  it('exports exactly the functions in its type declarations', () => {
    const declared = ['lib/hosts/addon/addon.ts', 'lib/engine/binding.ts', 'lib/engine/functions.ts'].flatMap(membersIn);
    const lists = ['functions', 'bindings'].map((name) => readFileSync(file(`native/addon/${name}.def`), 'utf8'));
    const listed = [...lists.join('').matchAll(/^CRAYON_FUNCTION\((\w+), (\w+)\)$/gm)].map(([, name, call]) => [name!, call!] as const);
    expect(listed.length).toBeGreaterThan(80);
    for (const [name, call] of listed) expect(call).toBe(name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
    expect(Object.keys(addon)).toEqual([...listed.map(([name]) => name), 'window']);
    expect(declared.sort()).toEqual(Object.keys(addon).sort());
    const written = [...lists[1]!.matchAll(/^CRAYON_FUNCTION\((\w+),/gm)].map(([, name]) => name);
    expect(BINDINGS.map(({ name }) => name).sort()).toEqual(written.sort());
  });
});

describe('what the script writes', () => {
  const functions = addon as unknown as Record<string, (...args: unknown[]) => unknown>;
  const NO_HANDLES = [0, -1, Number.NaN, 2 ** 53 - 1, 'x', undefined, {}];
  const NO_ARRAYS = [undefined, 7, 'x', {}, new Int16Array(8)];
  const NO_NUMBERS = [undefined, 'x', {}, -1, Number.NaN, 2 ** 32 - 1, 2 ** 60];
  const kinds = BINDINGS.flatMap(({ name }) => /^(\w+)Release$/.exec(name)?.[1] ?? []);
  const release = (kind: string, handle: unknown) => functions[`${kind}Release`]?.(handle);

  type Elements = Uint8Array | Uint32Array | Float64Array | Int32Array;
  /** In memory of exactly that size, so that AddressSanitizer detects what is beyond it. */
  function part(array: Elements, from: number, to: number): Elements {
    const bytes = Uint8Array.from(Buffer.from(array.buffer, array.byteOffset, array.byteLength)).buffer;
    const size = array.BYTES_PER_ELEMENT;
    return Reflect.construct(array.constructor, [bytes.slice(from * size, to * size)]) as Elements;
  }
  function detached(array: Elements): Elements {
    const copy = part(array, 0, array.length);
    structuredClone(copy.buffer, { transfer: [copy.buffer as ArrayBuffer] });
    return copy;
  }

  /** The code of the failure of a call; undefined if it succeeds. */
  function failureOf(name: string, args: unknown[]): string | undefined {
    const answer = functions[name]!(...args);
    const kind = /^(\w+)(?:Create|Fork|Restore)$/.exec(name)?.[1];
    if (kind && answer !== -1) release(kind, answer);
    return answer === -1 || answer === undefined ? addon.failure().code : undefined;
  }

  it.each(BINDINGS)('$name may be called with any arguments', (binding) => {
    const { name, parameters } = binding;
    const args = argumentsOf(addon, binding);
    const others = kinds.flatMap((kind) =>
      argumentsOf(addon, { name: `${kind}Release`, parameters: [{ name: kind, type: 'Handle', isOptional: false }] }),
    );
    const pools = parameters.map(({ name: parameter, type, isOptional }, index) => {
      const failures = (values: unknown[]) => values.map((value) => failureOf(name, args.with(index, value)));
      const own = args[index];
      if (type === 'number') return [own, 0, 7, ...NO_NUMBERS];
      if (type === 'string') return [own, '', undefined, 7, {}, '\ud800', 'x'.repeat(2 ** 17)];
      if (type === 'Handle') {
        const closed = argumentsOf(addon, binding)[index];
        const isReleased = kinds.includes(parameter);
        if (isReleased) release(parameter, closed);
        const values = isReleased ? [...NO_HANDLES, closed] : NO_HANDLES;
        if (!name.endsWith('Release')) expect(failures(values)).toEqual(values.map(() => 'CLOSED'));
        return [...values, ...others];
      }
      if (!isOptional) expect(failures(NO_ARRAYS)).toEqual(NO_ARRAYS.map(() => 'INVALID_ARGUMENT'));
      const array = (own ?? new Uint8Array(8)) as Elements;
      const parts = [0, 1, array.length - 1].map((length) => part(array, 0, length));
      return [...parts, part(array, 1, array.length), detached(array), ...NO_ARRAYS];
    });
    const random = new Random(1);
    pools.forEach((pool, index) => pool.forEach((value) => failureOf(name, args.with(index, value))));
    for (let round = 0; round < sample(4000, 100); round++) {
      failureOf(
        name,
        pools.map((pool, index) => (random.chance(0.6) ? args[index] : random.pick(pool))),
      );
    }
  });
});

describe('a device batch', () => {
  it('hands out its ids once', () => {
    const tokenizer = tokenizerOf(addon);
    const device = addon.deviceOpen(PLUGIN);
    const job = addon.deviceTexts(device, tokenizer, 1, 0, new TextEncoder().encode('token 1token 2'), Uint32Array.of(0, 7, 14));
    addon.deviceJobRun(job);
    expect([...addon.deviceJobTake(job)!]).toEqual([96, 97]);
    expect(addon.deviceJobTake(job)).toBeUndefined();
    const [matrix] = CALLS.deviceJobMatrix!(addon, PLUGIN, '') as [number];
    expect(addon.deviceJobMatrix(matrix)).toBeDefined();
    addon.deviceJobMatrix(matrix);
    const [decoding] = CALLS.deviceJobBytes!(addon, PLUGIN, '') as [number];
    const [words, count] = addon.deviceJobBytes(decoding)!;
    const expected = [7, 8, 9].map((id) => Buffer.from(addon.tokenizerTokenBytes(tokenizer, id)!).toString());
    expect(Buffer.from(words.buffer, 0, count).toString()).toBe(expected.join(''));
    const ends = new Uint32Array(3);
    expect(addon.deviceJobTotals(decoding, ends)).toBe(0);
    expect([...ends]).toEqual([0, expected[0]!.length, count]);
    expect(addon.deviceJobBytes(decoding)).toBeUndefined();
    expect(addon.deviceJobBytes(job)).toEqual([new Uint32Array(0), 0]);
    addon.deviceJobRelease(decoding);
    expect(addon.deviceDecoding(device, tokenizer, 0, Uint32Array.of(1), Uint32Array.of(0, 2))).toBe(-1);
    const [kept] = CALLS.deviceJobKept!(addon, PLUGIN, '') as [number];
    const { handle, address, maskOffset } = addon.deviceJobKept(kept)!;
    expect(addon.deviceJobKept(kept)).toBeUndefined();
    for (const each of [job, matrix, kept]) addon.deviceJobRelease(each);
    expect([address % 256n, maskOffset]).toEqual([0n, 256]);
    const mask = new Uint8Array(3 * 8 * 4);
    expect(addon.deviceMatrixRead(handle, maskOffset, mask)).toBe(0);
    expect([...new Uint32Array(mask.buffer)].reduce((sum, each) => sum + each)).toBeGreaterThan(0);
    expect(addon.deviceMatrixRead(handle, maskOffset + 1, mask)).toBe(-1);
    addon.deviceMatrixClose(handle);
    expect([addon.deviceMatrixRead(handle, 0, mask), addon.failure().code]).toEqual([-1, 'CLOSED']);
  });
});

describe('a call of DNA', () => {
  const [compiler] = CALLS.dnaCompilerFinish!(addon, PLUGIN, '') as [number];
  const tokenizer = addon.tokenizerCreate(addon.cartridgeOpenBytes(addon.dnaCompilerFinish(compiler)!, 0), 0, '');
  const open = () => addon.dnaCreate(tokenizer, undefined);
  const bytes = new TextEncoder().encode('ACGTN');
  const offsets = Uint32Array.of(0, 2, 5);
  const detached = new Uint32Array(4);
  structuredClone(detached, { transfer: [detached.buffer] });
  const ids = (length = 6) => new Int32Array(length);
  const refused = (call: () => unknown) => [call(), addon.failure().code];
  const BAD = 'INVALID_ARGUMENT';

  it.each<[string, (dna: number) => unknown]>([
    ['policies that are too few', () => addon.dnaCreate(tokenizer, new Uint32Array(3))],
    ['a description without room', (dna) => addon.dnaDescribe(dna, new Uint32Array(136))],
    ['text for bytes', (dna) => addon.dnaEncode(dna, 'ACGT' as never, 0, ids(), undefined)],
    ['ids that are no integers', (dna) => addon.dnaEncode(dna, bytes, 0, new Float32Array(9) as never, undefined)],
    ['words for ids', (dna) => addon.dnaEncode(dna, bytes, 0, new Uint32Array(9) as never, undefined)],
    ['no ids', (dna) => addon.dnaEncode(dna, bytes, 0, undefined as never, undefined)],
    ['a part without room', (dna) => addon.dnaEncode(dna, bytes, 0, ids(), new Uint32Array(2))],
    ['a flag that does not exist', (dna) => addon.dnaEncode(dna, bytes, 64, ids(), undefined)],
    ['no offsets', (dna) => addon.dnaCountRows(dna, bytes, new Uint32Array(0), new Uint32Array(2))],
    ['detached offsets', (dna) => addon.dnaCountRows(dna, bytes, detached, new Uint32Array(2))],
    ['offsets behind the bytes', (dna) => addon.dnaCountRows(dna, bytes, Uint32Array.of(0, 6), new Uint32Array(2))],
    ['offsets that do not ascend', (dna) => addon.dnaEncodeRows(dna, bytes, Uint32Array.of(0, 3, 2), 3, 0, ids(), undefined, undefined)],
    ['counts without room', (dna) => addon.dnaCountRows(dna, bytes, offsets, new Uint32Array(1))],
    ['a matrix without room', (dna) => addon.dnaEncodeRows(dna, bytes, offsets, 3, 0, ids(5), undefined, undefined)],
    ['a matrix larger than any', (dna) => addon.dnaEncodeRows(dna, bytes, offsets, 0xffffffff, 0, ids(), undefined, undefined)],
    ['a mask without room', (dna) => addon.dnaEncodeRows(dna, bytes, offsets, 3, 0, ids(), new Uint8Array(5), undefined)],
    ['unknown ids without room', (dna) => addon.dnaEncodeRows(dna, bytes, offsets, 3, 0, ids(), undefined, new Uint32Array(1))],
    ['a complement without room', () => addon.dnaReverseComplement(bytes, new Uint8Array(4), '')],
    ['packed bases without room', () => addon.dnaPack(bytes, new Uint8Array(1), '')],
    ['more bases than packed', () => addon.dnaUnpack(new Uint8Array(1), new Uint8Array(5), '')],
    ['rules that are too few', () => addon.dnaCompilerSetRules(compiler, new Uint32Array(11))],
    ['ids of too few bytes', () => addon.dnaCompilerSetBases(compiler, new Uint32Array(255), undefined)],
    ['a job of rows without room', (dna) => addon.dnaJobBegin(dna, bytes, offsets, 3, 0, ids(5), undefined, new Uint32Array(2), 1)],
  ])('%s is refused', (_, call) => {
    const dna = open();
    expect(refused(() => call(dna))).toEqual([-1, BAD]);
    addon.dnaRelease(dna);
  });

  it('a kernel that does not exist is refused', () => {
    expect(refused(() => addon.dnaPack(bytes.subarray(0, 4), new Uint8Array(1), 'x'))).toEqual([-1, 'UNKNOWN_KERNEL']);
  });

  it('a failure in a row has it in its section', () => {
    const dna = open();
    expect(addon.dnaEncodeRows(dna, bytes, offsets, 2, 0, ids(), undefined, undefined)).toBe(-1);
    expect(addon.failure()).toMatchObject({ code: 'TEXT_TOO_LONG', section: 1, position: 0 });
    addon.dnaRelease(dna);
  });

  it('what is closed is refused, and may be released again', () => {
    const dna = open();
    addon.dnaRelease(dna);
    addon.dnaRelease(dna);
    expect(refused(() => addon.dnaDescribe(dna, new Uint32Array(137)))).toEqual([-1, 'CLOSED']);
    expect(refused(() => addon.dnaEncode(dna, bytes, 0, ids(), undefined))).toEqual([-1, 'CLOSED']);
    expect(refused(() => addon.dnaCountRows(dna, bytes, offsets, new Uint32Array(2)))).toEqual([-1, 'CLOSED']);
    expect(refused(() => addon.dnaKeptJob(dna, bytes, offsets, 3, 0, 4, 0, new Uint32Array(2), 1))).toEqual([-1, 'CLOSED']);
  });
});
