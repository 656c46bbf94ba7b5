// What the addon does for direct callers, on paths that lib/ never takes.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

import type { Addon } from '../../lib/native/addon.js';
import { OPEN_DNA } from '../../lib/open/open-failed.js';
import { CALLS, compiled } from './ended-calls.mjs';

const file = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const addon = createRequire(import.meta.url)(process.env.CRAYON_ADDON || file('build/release/crayon.node')) as Addon;
const PLUGIN = file('build/release/gpu/crayon_gpu_emulated.so');

/** The members of the interfaces of a file that the addon implements. */
function membersIn(path: string): string[] {
  const source = ts.createSourceFile(path, readFileSync(file(path), 'utf8'), ts.ScriptTarget.Latest);
  const interfaces = source.statements.filter(ts.isInterfaceDeclaration).filter(({ name }) => /^Addon$|^EngineHost$|Functions$/.test(name.text));
  return interfaces.flatMap(({ members }) => members.map((member) => (member.name as ts.Identifier).text));
}

describe('the addon', () => {
  it('exports exactly the functions in its type declarations', () => {
    const declared = ['lib/native/addon.ts', 'lib/engine/binding.ts', 'lib/engine/functions.ts'].flatMap(membersIn);
    const lists = ['functions', 'bindings'].map((name) => readFileSync(file(`native/addon/${name}.def`), 'utf8'));
    const listed = [...lists.join('').matchAll(/^CRAYON_FUNCTION\((\w+), (\w+)\)$/gm)].map(([, name, call]) => [name!, call!] as const);
    expect(listed.length).toBeGreaterThan(80);
    for (const [name, call] of listed) expect(call).toBe(name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
    expect(Object.keys(addon)).toEqual([...listed.map(([name]) => name), 'window']);
    expect(declared.sort()).toEqual(Object.keys(addon).sort());
  });
});

describe('a getter that throws', () => {
  it.each([new Error('mine'), 'a string', undefined])('propagates its exception: %s', (thrown) => {
    const hostile = (object: object, key: string) =>
      Object.defineProperty(object, key, {
        get: () => {
          throw thrown;
        },
      });
    const calls = [
      () => addon.load(new Uint8Array(0), 0, 0, '', hostile({}, 'bytes') as never),
    ];
    for (const call of calls) {
      let caught: unknown = 'nothing';
      try {
        call();
      } catch (error) {
        caught = error;
      }
      expect(caught).toBe(thrown);
    }
  });
});

describe('a device batch', () => {
  it('hands out its ids once', () => {
    const tokenizer = addon.load(compiled(addon), 0, 0, '');
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
    const expected = [7, 8, 9].map((id) => Buffer.from(addon.tokenBytes(tokenizer, id)!).toString());
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
  const tokenizer = addon.load(addon.dnaCompilerFinish(compiler)!, 0, OPEN_DNA, '');
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
