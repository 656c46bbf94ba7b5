// trainBpe's messages about its input: paths mistaken for texts, files compressed with gzip, fewer tokens than requested,
// and the origin of errors.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Tokenizer, trainBpe, type TrainedVocabulary } from 'crayon-tokenizer';

import { Random } from '../fuzz/random.mjs';

const here = fileURLToPath(import.meta.url);
const random = new Random(20261123);
const WORDS = ['low', 'lower', 'lowest', 'new', 'newer', 'widest', '日本語', 'é'];
const TEXT = Array.from({ length: 60_000 }, () => random.pick(WORDS)).join(' ');
const merges = ({ merges }: TrainedVocabulary) => merges.map(String);

let folder: string;
let file: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'crayon-test-'));
  file = join(folder, 'text.txt');
  writeFileSync(file, TEXT);
  mkdirSync(join(folder, 'folder'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a string', () => {
  it('that is the path of a file causes an error that says what to pass', async () => {
    const training = trainBpe(file, { vocabularySize: 260 });
    await expect(training).rejects.toThrow(TypeError);
    await expect(training).rejects.toThrow(`{ files: [${JSON.stringify(file)}] }`);
    const letters = await trainBpe([file], { vocabularySize: 257, minFrequency: 1 });
    expect(letters.merges.length).toBe(1);
  });

  it('that names no file is a text', async () => {
    for (const text of [join(folder, 'folder'), join(folder, 'missing.txt'), `${file}\n`, `${file}\0`]) {
      expect((await trainBpe(text, { vocabularySize: 257, minFrequency: 1 })).merges.length).toBe(1);
    }
  });
});

describe('a file compressed with gzip', () => {
  it('that no pattern matches causes an error that says so; a part of a file has a path, not a pattern', async () => {
    await expect(trainBpe({ files: ['nope/**/*.md'] }, { vocabularySize: 300 })).rejects.toMatchObject({
      code: 'FILE_NOT_FOUND',
      message: expect.stringMatching(/^no file matches the pattern nope\/\*\*\/\*\.md$/),
    });
    await expect(trainBpe({ files: [{ path: 'nope*.txt' }] }, { vocabularySize: 300 })).rejects.toThrow(
      /no file exists at the path \(a path is expected here, not a pattern\)$/,
    );
  });

  it('is inflated, also between other files', async () => {
    const packed = join(folder, 'packed.gz');
    writeFileSync(packed, Buffer.concat([gzipSync(TEXT.slice(0, 1000)), gzipSync(TEXT.slice(1000))]));
    const options = { vocabularySize: 300 };
    const expected = await trainBpe({ files: [file, file] }, options);
    let counted = 0;
    const trained = await trainBpe(
      { files: [file, packed] },
      { ...options, onProgress: ({ stage, done }) => stage === 'count' && (counted = done) },
    );
    expect(merges(trained)).toEqual(merges(expected));
    expect(counted).toBe(2 * Buffer.byteLength(TEXT));
  });

  it.each([
    ['truncated', (bytes: Uint8Array) => bytes.subarray(0, -9), /^cannot read .*: its gzip data is truncated$/],
    [
      'damaged',
      (bytes: Uint8Array) => bytes.map((byte, at) => (at === 30 ? byte ^ 0xff : byte)),
      /^cannot read .*: its gzip data is damaged/,
    ],
  ])('is an error if it is %s', async (name, harm, message) => {
    const path = join(folder, `${name}.gz`);
    writeFileSync(path, harm(gzipSync(TEXT)));
    await expect(trainBpe({ files: path }, { vocabularySize: 300 })).rejects.toThrow(message);
  });

  it('cannot be held out in part', async () => {
    const path = join(folder, 'parts.gz');
    writeFileSync(path, gzipSync(TEXT));
    const training = trainBpe({ files: { path, end: 100 } }, { vocabularySize: 300 });
    await expect(training).rejects.toThrow('which is compressed with gzip: inflate the file first');
  });

  it('is refused by encodeFile', async () => {
    const path = join(folder, 'encoded.gz');
    writeFileSync(path, gzipSync(TEXT));
    using tokenizer = Tokenizer.loadSync('gpt2');
    await expect(tokenizer.encodeFile(path).next()).rejects.toMatchObject({
      code: 'FILE_UNREADABLE',
      message: `cannot encode ${path}: it is compressed with gzip; inflate it first, or pipe it through zlib.createGunzip() and encodeStream()`,
    });
  });
});

describe('options', () => {
  it('minFrequency 0 means 1', async () => {
    const text = 'abcd abce xyz';
    const trained = await trainBpe(text, { vocabularySize: 280, minFrequency: 0, pretokenizer: 'gpt2' });
    expect(merges(trained)).toEqual(merges(await trainBpe(text, { vocabularySize: 280, minFrequency: 1, pretokenizer: 'gpt2' })));
    // Every pair occurs; the pieces are " abce", " xyz" and "abcd".
    expect(trained.tokens.map((token) => Buffer.from(token).toString())).toEqual(expect.arrayContaining(['abcd', ' abce', ' xyz']));
  });

  it('without a vocabularySize causes an error that names it', async () => {
    for (const options of [undefined, null, {}, { minFrequency: 1 }]) {
      await expect(trainBpe('abc', options as never)).rejects.toThrow(/^the option vocabularySize, the number of tokens, is required/);
    }
  });

  it('that ask for more tokens than there are pairs make the result report the missing number', async () => {
    for (const tieBreak of ['huggingface', 'crayon'] as const) {
      const trained = await trainBpe('low low', { vocabularySize: 270, specialTokens: ['<s>'], tieBreak });
      expect(trained.shortfall).toBe(270 - trained.tokens.length);
      expect(trained.shortfall).toBeGreaterThan(5);
      expect(trained.upTo(258).shortfall).toBe(0);
      const whole = await trainBpe('low low', { vocabularySize: 258, specialTokens: ['<s>'], tieBreak });
      expect(whole.shortfall).toBe(0);
    }
  });
});

describe('the stack of an error begins where the call was made', () => {
  const first = (error: unknown) => (error as Error).stack?.split('\n    at ')[1];

  it.each<[string, () => Promise<unknown>]>([
    ['a wrong option', () => trainBpe('a', { vocabularySize: 1 })],
    ['a wrong source', () => trainBpe(1 as never, { vocabularySize: 300 })],
    ['a wrong item', () => trainBpe(['a', 1 as never], { vocabularySize: 300 })],
    ['a missing file', () => trainBpe({ files: 'missing.txt' }, { vocabularySize: 300 })],
    ['no text', () => trainBpe('', { vocabularySize: 300 })],
  ])('%s', async (_, train) => {
    const error = await train().then(
      () => undefined,
      (error) => error,
    );
    expect(first(error)).toContain(here);
    expect(error.stack.startsWith(`${error.name}: ${error.message}\n`)).toBe(true);
  });

  it("except for the caller's own errors", async () => {
    function* texts() {
      yield 'a';
      throw new TypeError('x is not a function');
    }
    const own = await trainBpe(texts(), { vocabularySize: 300 }).then(
      () => undefined,
      (error) => error,
    );
    expect(own.message).toBe('x is not a function');
    expect(first(own)).toContain('texts');
  });
});
