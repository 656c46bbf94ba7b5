// What the addon does for direct callers, on paths that lib/ never takes.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

import type { Addon } from '../../lib/native/addon.js';
import { CALLS, tokenizerOf } from './ended-calls.mjs';

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
