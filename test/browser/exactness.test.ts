/// <reference types="vite/client" />
// The ids of whole texts in a browser equal the reference's: the committed goldens, which also check the native engine.

import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { Tokenizer } from 'crayon-tokenizer';
import { ENCODINGS } from '../golden/tiktoken.mjs';
import { SHARE } from '../share.js';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Real texts from this machine, if it has any. */
    corpora: { name: string; path: string; bytes: number }[];
  }
}

type Row = [tokens: number, digest: string];
type Golden = Record<'fixtures' | 'corpora', Record<string, Row>>;

/** A bounded part of the corpora: much longer texts, or texts of one piece, test nothing more and take long. */
const LONGEST = SHARE < 1 ? 2_000_000 : 6_000_000;

const files = import.meta.glob('../fixtures/**/*.*', { query: '?raw', import: 'default' }) as Record<string, () => Promise<string>>;
const fixtures = Object.entries(files)
  .map(([path, read]) => ({ name: path.replace('../fixtures/', ''), read }))
  .filter(({ name }) => !name.endsWith('.mjs'));
const goldens = import.meta.glob('../golden/{gpt2,*_*}.json', { import: 'default' }) as Record<string, () => Promise<Golden>>;
const corpora = inject('corpora').filter(({ name, bytes }) => bytes <= LONGEST && !name.startsWith('H_edge/pathological/'));

const expected: Record<string, Golden> = {};
const tokenizers: Record<string, Tokenizer> = {};
beforeAll(async () => {
  for (const name of ENCODINGS) {
    // o200k_harmony differs from o200k_base only in special tokens.
    const golden = name === 'o200k_harmony' ? 'o200k_base' : name;
    expected[name] = await goldens[`../golden/${golden}.json`]!();
    tokenizers[name] = await Tokenizer.load(name);
  }
});
afterAll(() => Object.values(tokenizers).forEach((tokenizer) => tokenizer.close()));

async function digestOf(ids: Uint32Array): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', ids.slice()));
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

async function fetched(url: string): Promise<string> {
  const bytes = await (await fetch(url)).arrayBuffer();
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}

async function expectGolden(text: string, kind: keyof Golden, name: string): Promise<void> {
  for (const encoding of ENCODINGS) {
    const tokenizer = tokenizers[encoding] as Tokenizer;
    const ids = tokenizer.encode(text);
    expect([ids.length, await digestOf(ids)], encoding).toEqual(expected[encoding]![kind][name]);
    expect(tokenizer.count(text), encoding).toBe(ids.length);
    expect(tokenizer.decode(ids) === text, encoding).toBe(true);
  }
}

it('runs on WebAssembly, with vectors', () => {
  expect(tokenizers.o200k_base!.backend).toMatchObject({ kind: 'wasm', kernel: 'simd128' });
});

describe('committed fixtures', () => {
  it('are complete', () => expect(fixtures.length).toBeGreaterThan(40));
  it.each(fixtures)('$name has the golden ids', async ({ name, read }) => expectGolden(await read(), 'fixtures', name));
});

describe('corpora', () => {
  if (corpora.length === 0) it.skip('are not on this machine', () => undefined);
  it.each(corpora)('$name has the golden ids', async ({ name, path }) =>
    expectGolden(await fetched(`/@fs${encodeURI(path)}`), 'corpora', name),
  );
});
