// Slim cartridges, opened natively: the ids of npm tiktoken on the fixtures and on random strings, every token of the
// vocabulary, and their descriptions.

import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Tokenizer, TokenizerError } from 'crayon-tokenizer';

import { textOf } from '../corpora.mjs';
import { nastyString } from '../fuzz/strings.mjs';
import { digestOf, fixtures, readGolden } from '../golden/goldens.mjs';
import { loadTiktoken } from '../golden/references.mjs';
import { sample } from '../share.js';

const cartridges = fileURLToPath(new URL('../../cartridges/', import.meta.url));
const slimPath = (name: string) => `${cartridges}${name}.slim.cray`;

// Maximum download sizes, compressed as servers do: npm js-tiktoken and gpt-tokenizer need more.
const DOWNLOADS = { r50k_base: 150_000, p50k_base: 150_000, cl100k_base: 305_000, o200k_base: 640_000 };

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'crayon-test-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.each(Object.entries(DOWNLOADS))('%s', (name, download) => {
  it('is small', () => {
    const file = readFileSync(slimPath(name));
    expect(file.length).toBeLessThan(readFileSync(`${cartridges}${name}.cray`).length / 13);
    expect(brotliCompressSync(file).length).toBeLessThan(download);
  });

  it('gives the ids of the reference on every fixture', () => {
    const golden = readGolden(name).fixtures as Record<string, [number, string]>;
    using tokenizer = Tokenizer.loadSync(slimPath(name));
    const files = fixtures();
    expect(files.length).toBeGreaterThan(10);
    for (const { name: file, path } of files) {
      const ids = tokenizer.encode(textOf(readFileSync(path)));
      expect([ids.length, digestOf(ids)], file).toEqual(golden[file]);
    }
  });

  it('has every token of npm tiktoken, and its ids on random strings', async () => {
    using tokenizer = Tokenizer.loadSync(slimPath(name));
    const reference = await loadTiktoken(name);
    const vocabulary = reference.vocabulary();
    const wrong = [...vocabulary.keys()].filter((id) => {
      const token = vocabulary[id];
      if (token === undefined) return false;
      return Buffer.compare(tokenizer.decodeBytes([id]), token) !== 0 || tokenizer.idOf(token) !== id;
    });
    expect(wrong).toEqual([]);
    for (let index = 0; index < sample(300); index++) {
      const text = nastyString(20261121, index);
      expect(tokenizer.encode(text), `string ${index}`).toEqual(Uint32Array.from(reference.encode(text)));
    }
  });
});

describe('a slim cartridge', () => {
  it('is accepted as bytes, unmapped, and without its checksum', () => {
    const bytes = readFileSync(slimPath('r50k_base'));
    const damaged = Buffer.from(bytes);
    damaged[24]! ^= 1;
    for (const open of [
      () => Tokenizer.loadSync(bytes),
      () => Tokenizer.loadSync(slimPath('r50k_base'), { mmap: false }),
      () => Tokenizer.loadSync(damaged, { verify: false }),
    ]) {
      using tokenizer = open();
      expect(tokenizer.name).toBe('r50k_base');
      expect(tokenizer.encode('hello world')).toEqual(Uint32Array.of(31373, 995));
    }
    expect(() => Tokenizer.loadSync(damaged)).toThrow(expect.objectContaining({ code: 'CHECKSUM_MISMATCH' }));
  });

  it('has the views of the full one', () => {
    using harmony = Tokenizer.loadSync(slimPath('o200k_base'), { view: 'o200k_harmony' });
    expect(harmony.encode('<|start|>', { special: 'allow' })).toEqual(Uint32Array.of(200006));
  });

  it('may be replaced while it is open', () => {
    const file = join(folder, 'replaced.cray');
    copyFileSync(slimPath('r50k_base'), file);
    using tokenizer = Tokenizer.loadSync(file);
    writeFileSync(file, ''); // even emptied: nothing of it is mapped
    expect(tokenizer.decode([31373, 995])).toBe('hello world');
  });

  it('is refused if truncated or damaged, with the position', () => {
    const bytes = readFileSync(slimPath('r50k_base'));
    for (const length of [0, 3, 64, 100, 5000, bytes.length - 1]) {
      expect(() => Tokenizer.loadSync(bytes.subarray(0, length)), String(length)).toThrow(TokenizerError);
    }
    const damaged = Buffer.from(bytes);
    damaged.fill(0xff, damaged.length - 60_000, damaged.length - 50_000);
    expect(() => Tokenizer.loadSync(damaged, { verify: false })).toThrow(
      expect.objectContaining({ code: 'CORRUPT_STRUCTURE', section: 14 }),
    );
  });
});
