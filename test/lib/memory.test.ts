// The memory that caches pieces of texts: its limit, its size as reported by `memory`, its release, and ids that do not
// depend on it. The engine's own limits are tested in test/native (piece_memory_test.cpp).

import { execFile } from 'node:child_process';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { type LoadOptions, Tokenizer } from 'crayon-tokenizer';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { IdleTimer } from '../../dist/node/internals.js';
import { Random } from '../fuzz/random.mjs';
import { sample } from '../share.js';

const isNative = process.env.CRAYON_TEST_ENTRY === undefined;
const MB = 1024 * 1024;
const DEFAULT = 16 * MB;

let folder: string;
let file: string;
/** Words of letters, some repeated: more than fit into the default. */
let text: string;
let expected: Uint32Array;
beforeAll(() => {
  folder = fs.mkdtempSync(path.join(tmpdir(), 'crayon-test-'));
  file = path.join(folder, 'words.txt');
  const random = new Random(5);
  const words: string[] = [];
  const count = sample(400_000, 150_000);
  for (let i = 0; i < count; i++) words.push(`w${random.integer(0, count).toString(36)}${'-'.repeat(random.integer(0, 1))}${i % 97}`);
  text = words.join(' ');
  fs.writeFileSync(file, text);
  using plain = Tokenizer.loadSync('gpt2');
  expected = plain.encode(text);
});
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

const wrong = (value: unknown): any => value;

async function idsOfFile(tokenizer: Tokenizer, cacheBytes?: number): Promise<Uint32Array> {
  const ids: number[] = [];
  for await (const part of tokenizer.encodeFile(file, { cacheBytes })) for (const id of part.ids) ids.push(id);
  return Uint32Array.from(ids);
}

describe('memory', () => {
  it('reports where the cartridge is', () => {
    using mapped = Tokenizer.loadSync('gpt2');
    using copied = Tokenizer.loadSync('gpt2', { mmap: false });
    if (isNative) {
      expect(mapped.memory).toEqual({ mapped: expect.any(Number), private: 0, caches: 0 });
      expect(copied.memory).toEqual({ mapped: 0, private: mapped.memory.mapped, caches: 0 });
      expect(mapped.memory.mapped).toBeGreaterThan(MB);
    } else {
      expect(mapped.memory).toEqual({ mapped: 0, private: expect.any(Number), caches: 0 });
      expect(mapped.memory.private).toBeGreaterThan(MB);
    }
  });

  it.runIf(isNative)('grows with encoded text, and is released by trim', async () => {
    using tokenizer = Tokenizer.loadSync('gpt2');
    tokenizer.encode('hello world');
    const little = tokenizer.memory.caches;
    expect(little).toBeGreaterThan(0);
    expect(little).toBeLessThan(MB);
    expect(tokenizer.encode(text)).toEqual(expected);
    expect(tokenizer.memory.caches).toBeGreaterThan(2 * little);
    expect(tokenizer.memory.caches).toBeLessThanOrEqual(DEFAULT);
    expect((await tokenizer.encodeAsync(text)).length).toBe(expected.length);
    expect(tokenizer.memory.caches).toBeGreaterThan(2 * little);
    tokenizer.trim();
    expect(tokenizer.memory.caches).toBe(0);
    expect(tokenizer.encode(text)).toEqual(expected);
    expect(tokenizer.memory.caches).toBeGreaterThan(2 * little);
  });

  it('includes sessions, which trim leaves alone', () => {
    using tokenizer = Tokenizer.loadSync('gpt2');
    const long = 'hello world '.repeat(50_000);
    const encoder = tokenizer.streamEncoder();
    const ids = [...encoder.push(long)];
    tokenizer.trim();
    if (isNative) expect(tokenizer.memory.caches).toBeGreaterThan(0);
    ids.push(...encoder.push('hello'), ...encoder.end());
    expect(ids).toEqual([...tokenizer.encode(`${long}hello`)]);
  });

  it('throws for a closed tokenizer', () => {
    const tokenizer = Tokenizer.loadSync('gpt2');
    tokenizer.close();
    expect(() => tokenizer.memory).toThrow(expect.objectContaining({ code: 'CLOSED' }));
    expect(() => tokenizer.trim()).toThrow(expect.objectContaining({ code: 'CLOSED' }));
  });
});

/** The C library that keeps freed memory until it is told not to. */
const isGlibc = 'glibcVersionRuntime' in (process.report.getReport() as { header: object }).header;

describe.runIf(isNative && isGlibc)('the memory of a process after many texts at once', () => {
  const PROGRAM = `
    const [, library, given] = process.argv;
    const { Tokenizer } = require(library);
    const tokenizer = Tokenizer.loadSync('gpt2');
    const text = 'a text of many words, '.repeat(10_000);
    const all = () => Promise.all(Array.from({ length: 150 }, (_, i) => tokenizer.encodeAsync(text.slice(i))));
    const resident = () => process.memoryUsage().rss;
    (async () => {
      const begin = resident();
      for (let round = 0; round < 3; round++) await all();
      global.gc();
      const before = resident() - begin;
      if (given === 'trim') tokenizer.trim();
      else await new Promise((resolve) => setTimeout(resolve, 8000));
      console.log(JSON.stringify([before, resident() - begin]));
    })();`;

  it.each(['trim', 'idle'])(
    'is given back: %s',
    async (how) => {
      const library = fileURLToPath(new URL('../../dist/node/index.cjs', import.meta.url));
      const args = ['--expose-gc', '-e', PROGRAM, library, how];
      const { stdout } = await promisify(execFile)(process.execPath, args);
      const [before, after] = JSON.parse(stdout) as [number, number];
      expect(before).toBeGreaterThan(60 * MB);
      expect(after).toBeLessThan(0.75 * before); // without it, most of it stays
    },
    60_000,
  );
});

describe.runIf(isNative)('the memory of synchronous calls', () => {
  const PROGRAM = `
    const { Tokenizer } = require(process.argv[1]);
    const tokenizer = Tokenizer.loadSync('gpt2');
    const text = 'a text of many words, '.repeat(1000);
    const texts = Array.from({ length: 20 }, () => text);
    tokenizer.encodeBatch(texts);
    tokenizer.encode(text.repeat(20));
    const begin = process.memoryUsage().rss;
    for (let round = 0; round < 1000; round++) {
      tokenizer.encodeBatch(texts);
      tokenizer.encode(text.repeat(20));
    }
    console.log(process.memoryUsage().rss - begin);`;

  it('is free again without a turn of the event loop', async () => {
    const library = fileURLToPath(new URL('../../dist/node/index.cjs', import.meta.url));
    const { stdout } = await promisify(execFile)(process.execPath, ['-e', PROGRAM, library]);
    expect(Number(stdout)).toBeLessThan(200 * MB); // of 960 MB of ids
  }, 60_000);
});

describe('cacheBytes', () => {
  const SIZES = [0, 1, 64 * 1024, MB, DEFAULT, 64 * MB, 256 * MB, Number.MAX_SAFE_INTEGER];

  it.each(SIZES)('of load, %d, limits each thread and changes no id', async (cacheBytes) => {
    using tokenizer = await Tokenizer.load('gpt2', { cacheBytes });
    for (let round = 0; round < 3; round++) expect(tokenizer.encode(text)).toEqual(expected);
    expect(await tokenizer.encodeAsync(text)).toEqual(expected);
    if (isNative) expect(tokenizer.memory.caches).toBeLessThanOrEqual(17 * Math.max(cacheBytes, 20_000));
    tokenizer.trim();
    expect(tokenizer.encode(text)).toEqual(expected);
  });

  it('of load applies to WebAssembly, up to the default', async () => {
    const held = async (cacheBytes?: number) => {
      using tokenizer = await Tokenizer.load('gpt2', { backend: 'wasm', cacheBytes });
      for (let round = 0; round < 2; round++) expect(tokenizer.encode(text)).toEqual(expected);
      return tokenizer.memory.private;
    };
    const usual = await held();
    expect(await held(64 * 1024)).toBeLessThan(usual - MB);
    expect(await held(256 * MB)).toBe(usual);
  });

  it.each(['native', 'wasm'] as const)('is kept by swap and using, unless they set another: %s', async (backend) => {
    const held = (one: Tokenizer) => {
      expect(one.encode(text)).toEqual(expected);
      return one.memory[isNative && backend === 'native' ? 'caches' : 'private'];
    };
    if (!isNative && backend === 'native') return;
    const usual = held(await Tokenizer.load('gpt2', { backend }));
    using tokenizer = await Tokenizer.load('cl100k_base', { backend, cacheBytes: 64 * 1024 });
    await tokenizer.swap('gpt2');
    expect(held(tokenizer)).toBeLessThan(usual - MB);
    expect(await tokenizer.using('gpt2', held)).toBeLessThan(usual - MB);
    expect(await tokenizer.using('gpt2', held, { cacheBytes: DEFAULT })).toBe(usual);
    await tokenizer.swap('gpt2', { cacheBytes: DEFAULT });
    expect(held(tokenizer)).toBe(usual);
  });

  it('of calls changes no id', async () => {
    using tokenizer = await Tokenizer.load('gpt2');
    const rows = [text, text.slice(0, 100_000), 'hello world'];
    const lengths = rows.map((row) => tokenizer.count(row));
    for (const cacheBytes of SIZES) {
      const options = { cacheBytes };
      expect(tokenizer.encodeBatch(rows, options).row(0)).toEqual(expected);
      expect([...tokenizer.countBatch(rows, options)]).toEqual(lengths);
      expect((await tokenizer.encodeBatchAsync(rows, options)).row(0)).toEqual(expected);
      expect(await tokenizer.encodeAsync(text, options)).toEqual(expected);
      expect(await tokenizer.countAsync(text, options)).toBe(expected.length);
    }
  });

  it('of encodeFile limits its threads', async () => {
    using tokenizer = await Tokenizer.load('gpt2');
    expect(await idsOfFile(tokenizer, 64 * 1024)).toEqual(expected);
    if (isNative) expect(tokenizer.memory.caches).toBeLessThan(17 * 64 * 1024);
    expect(await idsOfFile(tokenizer, 256 * MB)).toEqual(expected);
    expect(await idsOfFile(tokenizer)).toEqual(expected);
  });

  it('is validated', async () => {
    const mistakes: [unknown, new () => Error, string][] = [
      ['1', TypeError, 'expected a number for cacheBytes but received "1"'],
      [null, TypeError, 'expected a number for cacheBytes but received null'],
      [-1, RangeError, 'expected an integer of 0 or more for cacheBytes but received -1'],
      [0.5, RangeError, 'expected an integer of 0 or more for cacheBytes but received 0.5'],
      [Infinity, RangeError, 'expected an integer of 0 or more for cacheBytes but received Infinity'],
    ];
    using tokenizer = Tokenizer.loadSync('gpt2');
    for (const [cacheBytes, kind, message] of mistakes) {
      const options: LoadOptions & object = { cacheBytes: wrong(cacheBytes) };
      const calls: (() => unknown)[] = [
        () => Tokenizer.loadSync('gpt2', options),
        () => tokenizer.encodeBatch(['a'], options as object),
        () => tokenizer.encodeFile(file, options as object),
      ];
      for (const call of calls) {
        expect(call).toThrow(kind);
        expect(call).toThrow(message);
      }
      await expect(tokenizer.encodeAsync('a', options as object)).rejects.toThrow(message);
    }
  });
});

describe('an idle timer', () => {
  it('fires once, some time after the last use', async () => {
    let rings = 0;
    const timer = new IdleTimer(20, () => rings++);
    const waited = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
    await waited(50);
    expect(rings).toBe(0);
    timer.used();
    timer.used();
    await waited(100);
    expect(rings).toBe(1);
    timer.used();
    timer.stop();
    await waited(60);
    expect(rings).toBe(1);
  });
});
