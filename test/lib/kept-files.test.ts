// Files that the package writes and reads back, damaged: what they were made from gives the same again, or an error names the file.

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compileCartridge, Tokenizer, TokenizerError, trainBpe } from 'crayon-tokenizer';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { Random } from '../fuzz/random.mjs';
import { sample } from '../share.js';
import { damagesOf } from './damages.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'crayon-test-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Damages a file in many ways. `read`: gives `expected`, or throws an error that names the file unless it may not. */
async function damaged<Value>(path: string, cases: number, read: () => Promise<Value>, expected: Value, mayFail: boolean): Promise<void> {
  const whole = readFileSync(path);
  const random = new Random(whole.length, 56);
  const damages = [...damagesOf(whole.length, sample(cases, 4), random)];
  for (const { name, apply } of damages) {
    const bytes = apply(Buffer.from(whole));
    if (bytes) writeFileSync(path, bytes);
    else rmSync(path);
    const found = await read().catch((error: unknown) => {
      if (mayFail && error instanceof TokenizerError && error.message.includes(path)) return expected;
      throw new Error(`${path}, ${name}: ${(error as Error).message}`, { cause: error });
    });
    expect(found, `${path}: ${name}`).toEqual(expected);
    writeFileSync(path, whole);
  }
}

const LETTERS = Object.fromEntries([...'abcdefgh'].map((letter, id) => [letter, id]));
const modelOf = (merges: [string, string][]) => {
  const vocab = { ...LETTERS, ...Object.fromEntries(merges.map((merge, at) => [merge.join(''), 8 + at])) };
  return JSON.stringify({ model: { type: 'BPE', vocab, merges } });
};

it('cartridges in the cache are compiled again', async () => {
  const before = process.env.CRAYON_CACHE_DIR;
  const cache = join(folder, 'cache');
  process.env.CRAYON_CACHE_DIR = cache;
  try {
    const idsOf = async (file: string) => {
      using tokenizer = await Tokenizer.load(join(folder, file));
      return [...tokenizer.encode('abcdefgh')];
    };
    writeFileSync(join(folder, 'one.json'), modelOf([['a', 'b']]));
    writeFileSync(join(folder, 'other.json'), modelOf([['g', 'h']]));
    const [one, other] = [
      [8, 2, 3, 4, 5, 6, 7],
      [0, 1, 2, 3, 4, 5, 8],
    ];
    expect([await idsOf('one.json'), await idsOf('other.json')]).toEqual([one, other]);
    const [first, second] = readdirSync(cache).map((name) => join(cache, name)) as [string, string];
    // Each in the place of the other: both are whole.
    const [content, another] = [readFileSync(first), readFileSync(second)];
    writeFileSync(first, another);
    writeFileSync(second, content);
    expect([await idsOf('one.json'), await idsOf('other.json')]).toEqual([one, other]);
    expect([readFileSync(first).equals(content), readFileSync(second).equals(another)]).toEqual([true, true]);
    rmSync(second);
    await damaged(first, 300, async () => [await idsOf('one.json'), await idsOf('other.json')], [one, other], false);
  } finally {
    if (before === undefined) delete process.env.CRAYON_CACHE_DIR;
    else process.env.CRAYON_CACHE_DIR = before;
  }
});

it('a checkpoint of another training, or a damaged one, is not gone on from', async () => {
  const text = join(folder, 'text.txt');
  const checkpoint = join(folder, 'state');
  writeFileSync(text, 'abab cdcd abab efef abab '.repeat(3));
  const train = async () => (await trainBpe({ files: [text] }, { vocabularySize: 262, checkpoint })).merges;
  const merges = await train();
  expect(merges.length).toBeGreaterThan(3);
  await damaged(checkpoint, 300, train, merges, true);
});

it('an adapted vocabulary is whole, or is not opened', async () => {
  const path = join(folder, 'adapted.cray');
  {
    using own = await Tokenizer.load(await compileCartridge(['n', 'o', '?'], { unknownId: 2 }));
    own.observe('no, no, нет, нет');
    writeFileSync(path, await (await own.adapt({ threshold: 0 })).toCartridge());
  }
  const ids = async () => {
    using tokenizer = await Tokenizer.load(path);
    return [...tokenizer.encode('no нет')];
  };
  const expected = await ids();
  expect(expected.length).toBeLessThan(6);
  await damaged(path, 300, ids, expected, true);
});
