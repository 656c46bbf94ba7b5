// Files: the ids of `encode` for the whole file, wherever windows end, and where each part begins; files that are missing,
// change or are abandoned; the threads, the descriptor and the memory. The windows are tiny, to make thousands of seams.
// WebAssembly does the same in turns on the calling thread.

import { execFileSync, spawnSync } from 'node:child_process';
import { getEventListeners } from 'node:events';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

import { compileCartridge, type FileTokens, type SpecialPolicy, Tokenizer, TokenizerError } from 'crayon-tokenizer';
import { get_encoding, type Tiktoken } from 'tiktoken';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { hostOf, partsOfFile, vocabularyOf } from '../../dist/node/internals.js';
import { utf8Of } from '../fuzz/differential.mjs';
import { Random } from '../fuzz/random.mjs';
import { nastyString } from '../fuzz/strings.mjs';
import { sample, SHARE } from '../share.js';
import { thrown } from './thrown.js';

const isNative = process.env.CRAYON_TEST_ENTRY === undefined;
const ENTRY = new URL(`../../dist/node/${isNative ? 'index' : 'wasm'}.js`, import.meta.url).href;
const WINDOWS = [1, 7, 64, 100, 1000, 65_536];
const END = '<|endoftext|>';
/** Longer than every tiny window: pieces and tokens that do not fit in one. */
const LONG_PIECES = ['a', ' ', '0', '\n', '\u00e9', '\u{1f600}', '\u0966'].map((unit) => `${unit.repeat(700)} x`).join('\n');

let folder: string;
let tokenizer: Tokenizer;
let reference: Tiktoken;
beforeAll(async () => {
  folder = fs.mkdtempSync(path.join(tmpdir(), 'crayon-test-'));
  tokenizer = await Tokenizer.load('o200k_base');
  reference = get_encoding('o200k_base');
});
afterAll(() => {
  tokenizer.close();
  reference.free();
  fs.rmSync(folder, { recursive: true, force: true });
});

/** Any value, for arguments that the types would reject. */
const wrong = (value: unknown): any => value;

let files = 0;
function fileOf(content: string | Uint8Array): string {
  const file = path.join(folder, `${files++}.txt`);
  fs.writeFileSync(file, content);
  return file;
}

interface Wish {
  special?: SpecialPolicy;
  threads?: number;
  window?: number;
  mmap?: boolean;
  signal?: AbortSignal;
}

const partsOf = (file: string, { window, mmap, ...options }: Wish = {}, counting = false, of = tokenizer) =>
  partsOfFile(hostOf(wrong(of)), vocabularyOf(wrong(of)), file, options, { counting, window, mmap });

/** Like toEqual, which takes seconds for a million ids. */
function expectIds(ids: Uint32Array, expected: Uint32Array): void {
  expect(ids.length).toBe(expected.length);
  const bytes = (words: Uint32Array) => Buffer.from(words.buffer, words.byteOffset, words.byteLength);
  expect(bytes(ids).equals(bytes(expected))).toBe(true);
}

function joined(parts: readonly Uint32Array[]): Uint32Array {
  const all = new Uint32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** Reads a file in windows, then maps it, and checks its ids and the offsets of each part; `starts`: where each id begins. */
async function expectFile(file: string, wish: Wish, ids: Uint32Array, starts: (id: number) => number, of = tokenizer) {
  await expectParts(file, { ...wish, mmap: true }, ids, starts, of);
  return expectParts(file, { ...wish, mmap: false }, ids, starts, of);
}

async function expectParts(file: string, wish: Wish, ids: Uint32Array, starts: (id: number) => number, of = tokenizer) {
  const { size } = fs.statSync(file);
  const parts: Uint32Array[] = [];
  let before = 0;
  let end = 0;
  for await (const part of partsOf(file, wish, false, of)) {
    expect(part.begin).toBe(end);
    expect(part.tokens).toBe(part.ids.length);
    if (part.tokens > 0) expect(part.begin).toBe(starts(before));
    before += part.tokens;
    end = part.end;
    parts.push(part.ids);
  }
  expect(end).toBe(size);
  expectIds(joined(parts), ids);
  if (wish.mmap) return parts.length;
  let counted = 0;
  for await (const part of partsOf(file, wish, true, of)) {
    expect(part.ids).toHaveLength(0);
    counted += part.tokens;
  }
  expect(counted).toBe(ids.length);
  return parts.length;
}

/** The start of each of tiktoken's ids. */
function startsOf(ids: Uint32Array): number[] {
  const starts: number[] = [0];
  for (const id of ids) starts.push((starts.at(-1) as number) + reference.decode_single_token_bytes(id).length);
  return starts;
}

async function expectReference(text: string, wish: Wish, ids: Uint32Array): Promise<number> {
  const starts = startsOf(ids);
  return expectFile(fileOf(text), wish, ids, (index) => starts[index] as number);
}

/** The same for bytes, by the call that other tests compare with the reference. */
async function expectWhole(bytes: Uint8Array, wish: Wish, of = tokenizer): Promise<number> {
  const { special } = wish;
  const { ids, offsets } = of.encodeWithOffsets(bytes, { special });
  return expectFile(fileOf(bytes), wish, ids, (index) => offsets[2 * index] as number, of);
}

function nastyText(seed: number, count: number): string {
  const strings = Array.from({ length: count }, (_, index) => nastyString(seed, index));
  return strings.join(' ').replace(/[\ud800-\udfff]/gu, '?'); // tiktoken accepts only whole characters
}

async function failureOf(work: () => AsyncIterable<unknown>): Promise<any> {
  try {
    for await (const _ of work());
  } catch (error) {
    return error;
  }
  return expect.fail('it did not fail');
}

async function read(parts: AsyncIterable<FileTokens>): Promise<Uint32Array> {
  const ids: Uint32Array[] = [];
  for await (const part of parts) ids.push(part.ids);
  return joined(ids);
}

/** The descriptors that this process holds for a file. */
function descriptorsOf(file: string): string[] {
  return fs.readdirSync('/proc/self/fd').filter((name) => {
    try {
      return fs.readlinkSync(`/proc/self/fd/${name}`) === file;
    } catch {
      return false; // the directory's own
    }
  });
}

const hasDescriptors = fs.existsSync('/proc/self/fd');

async function expectClosed(file: string): Promise<void> {
  if (hasDescriptors) await expect.poll(() => descriptorsOf(file), { timeout: 20_000 }).toEqual([]);
}

describe('ids', () => {
  it.each(WINDOWS)("equal tiktoken's, in windows of %i bytes", async (window) => {
    const text = nastyText(window, sample(40, 8));
    const ids = reference.encode(text, [], []);
    for (const threads of [undefined, 1, 2]) await expectReference(text, { window, threads }, ids);
  });

  it.each(WINDOWS)('of long pieces do too, in windows of %i bytes', async (window) => {
    const ids = reference.encode(LONG_PIECES, [], []);
    const parts = await expectReference(LONG_PIECES, { window }, ids);
    expect(parts).toBeGreaterThan(window < 1000 ? 5 : 0);
  });

  it.each(['allow', 'text', [END]] as const)('of special tokens across the ends of windows: %s', async (special) => {
    for (let window = 1; window <= 40; window += 3) {
      const text = Array.from({ length: 60 }, (_, index) => `${'ab '.repeat(index % 7)}${END.slice(0, index % 15)}${END}`).join('');
      const ids = reference.encode(text, special === 'text' ? [] : special === 'allow' ? 'all' : [END], []);
      await expectReference(text, { window, special }, ids);
    }
  });

  it("of bytes that are not UTF-8 equal encode's", async () => {
    for (let seed = 0; seed < sample(24, 4); seed++) {
      const random = new Random(seed);
      const bytes = utf8Of(nastyText(100 + seed, 6));
      for (let n = bytes.length / 20; n > 0; n--) bytes[random.integer(0, bytes.length - 1)] = random.integer(128, 255);
      for (const window of [1, 5, 64, 1000]) await expectWhole(bytes, { window, special: 'allow' });
    }
  });

  it("of unknown characters equal encode's, and so do their offsets", async () => {
    using own = await Tokenizer.load(await compileCartridge(['a', 'b', 'ab', 'abba', 'éé', '<unk>']));
    const text = Array.from({ length: 500 }, (_, index) => ['abba?', '東京', 'éab', 'a', '\u{1f600}', 'ééé'][(index * index) % 6]).join('');
    const bytes = utf8Of(text);
    for (let at = 0; at < bytes.length; at += 37) bytes[at] = 0xff;
    for (const window of [1, 3, 16, 500]) await expectWhole(bytes, { window }, own);
  });

  it.each(['gpt2', 'cl100k_base', 'lite'])("equal encode's with %s", async (name) => {
    using other = await Tokenizer.load(name);
    for (const window of [9, 200]) await expectWhole(utf8Of(nastyText(7, sample(30, 6))), { window }, other);
  });

  it('of a file of several windows of the usual size', async () => {
    const text = `${nastyText(3, 100)} The naïve café — 東京タワー costs 12345 ¥ 😀\n`.repeat(2500).slice(0, 18_000_001);
    const bytes = utf8Of(text.replace(/[\ud800-\udfff]/gu, '?'));
    const file = fileOf(bytes);
    const { ids, offsets } = tokenizer.encodeWithOffsets(bytes);
    const parts: FileTokens[] = [];
    for await (const part of tokenizer.encodeFile(file)) {
      expect(Object.keys(part)).toEqual(['ids', 'byteOffset']);
      expect(part.ids.length).toBeGreaterThan(0);
      parts.push(part);
    }
    expect(parts.length).toBeGreaterThan(1);
    let before = 0;
    for (const part of parts) {
      expect(part.byteOffset).toBe(offsets[2 * before]);
      before += part.ids.length;
    }
    expectIds(joined(parts.map((part) => part.ids)), ids);
  });

  it('of a file that is one piece', async () => {
    const bytes = new Uint8Array(12_000_000).fill(0x20);
    expectIds(await read(tokenizer.encodeFile(fileOf(bytes))), tokenizer.encode(bytes));
  });

  it('of a small file, an empty one, and one of unknown size', async () => {
    const parts = [];
    for await (const part of tokenizer.encodeFile(fileOf('hello world'))) parts.push(part);
    expect(parts).toEqual([{ ids: Uint32Array.of(24912, 2375), byteOffset: 0 }]);
    expect(await read(tokenizer.encodeFile(pathToFileURL(fileOf('hello world'))))).toEqual(Uint32Array.of(24912, 2375));
    for await (const part of tokenizer.encodeFile(fileOf(''))) expect.fail(`there is a part of ${part.ids.length} ids`);
    const unknown = '/proc/self/maps';
    if (fs.existsSync(unknown)) expect(tokenizer.decode(await read(tokenizer.encodeFile(unknown)))).toContain('[stack]');
  });

  it('of many files at once', async () => {
    const texts = Array.from({ length: 40 }, (_, index) => utf8Of(nastyText(index, 20)));
    const all = await Promise.all(
      texts.map(async (bytes) => {
        const ids: Uint32Array[] = [];
        for await (const part of partsOf(fileOf(bytes), { window: 500 })) ids.push(part.ids);
        return joined(ids);
      }),
    );
    for (const [index, bytes] of texts.entries()) expectIds(all[index] as Uint32Array, tokenizer.encode(bytes));
  });
});

describe('a failure', () => {
  it('of the text has its byte position in the file', async () => {
    const before = nastyText(11, 30).replaceAll('<|', '<'); // it also has special tokens
    const file = fileOf(`${before}${END}${before}${END}`);
    const position = utf8Of(before).length;
    for (const window of [10, 64, 100_000]) {
      const error = await failureOf(() => partsOf(file, { window, special: 'forbid' }));
      expect(error).toBeInstanceOf(TokenizerError);
      expect(error).toMatchObject({ code: 'SPECIAL_FORBIDDEN', position });
      expect(error.message).toContain(`the special token ${JSON.stringify(END)} at position ${position}`);
    }
    await expectClosed(file);
  });

  it('comes after the ids of the windows before', async () => {
    const file = fileOf(`${'hello '.repeat(1000)}${END}`);
    let end = 0;
    await failureOf(async function* () {
      for await (const part of partsOf(file, { window: 100, special: 'forbid' })) yield (end = part.end);
    });
    expect(end).toBeGreaterThan(5500);
  });

  it('is reported only when the reader reaches it', async () => {
    const unhandled: unknown[] = [];
    const hear = (error: unknown) => unhandled.push(error);
    process.on('unhandledRejection', hear);
    const parts = partsOf(fileOf(`${'hello '.repeat(20)}${END}`), { window: 100, special: 'forbid' });
    await parts.next();
    await new Promise((resolve) => setTimeout(resolve, 50));
    await expect(parts.next()).rejects.toMatchObject({ code: 'SPECIAL_FORBIDDEN', position: 120 });
    process.off('unhandledRejection', hear);
    expect(unhandled).toEqual([]);
  });

  it('names a character that no token begins with', async () => {
    using own = await Tokenizer.load(await compileCartridge(['a', 'b', 'ab']));
    const file = fileOf(`${'ab'.repeat(300)}é`);
    for (const window of [5, 1000]) {
      const error = await failureOf(() => partsOf(file, { window }, false, own));
      expect(error).toMatchObject({ code: 'UNKNOWN_CHARACTER', position: 600 });
      expect(error.message).toContain('the character "é" (U+00E9) at position 600');
    }
  });

  it("to read the file names the path, and has the caller's stack", async () => {
    const missing = path.join(folder, 'missing');
    const notFound = await failureOf(() => tokenizer.encodeFile(missing));
    expect(notFound).toMatchObject({
      name: 'TokenizerError',
      code: 'FILE_NOT_FOUND',
      message: `cannot read ${missing}: no file exists at the path`,
    });
    expect(notFound.stack.split('\n')[1]).toContain('encode-file.test');
    const directory = await failureOf(() => tokenizer.encodeFile(folder));
    expect(directory).toMatchObject({ code: 'FILE_UNREADABLE' });
    expect(directory.message).toContain('it is a directory');
    await expectClosed(folder);
  });

  it.skipIf(process.platform === 'win32')('is to read a pipe or a device', async () => {
    const pipe = path.join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    expect(await failureOf(() => tokenizer.encodeFile(pipe))).toMatchObject({
      code: 'FILE_UNREADABLE',
      message: expect.stringContaining('it is a pipe'),
    });
    expect(await failureOf(() => tokenizer.encodeFile('/dev/zero'))).toMatchObject({ code: 'FILE_UNREADABLE' });
    await expectClosed(pipe);
  });

  it.skipIf(process.platform === 'win32' || process.getuid?.() === 0)('is to read a file without permission', async () => {
    const file = fileOf('a');
    fs.chmodSync(file, 0);
    expect(await failureOf(() => tokenizer.encodeFile(file))).toMatchObject({ code: 'FILE_UNREADABLE' });
  });

  it('to name a file is thrown by the call itself', () => {
    for (const value of [undefined, null, 5, '', 'a\0b', {}, new Uint8Array(1)]) {
      const error = thrown(() => tokenizer.encodeFile(wrong(value)), TypeError);
      expect(error.message).toMatch(/^expected a path .*for path but received/);
      expect(error.stack?.split('\n')[1]).toContain('encode-file.test');
    }
    expect(thrown(() => tokenizer.encodeFile(new URL('https://example.com/a')), TypeError).message).toContain('a file: URL');
    expect(() => tokenizer.encodeFile('a', wrong({ thread: 1 }))).toThrow(TypeError);
    expect(() => tokenizer.encodeFile('a', { threads: 0 })).toThrow(RangeError);
    expect(() => tokenizer.encodeFile('a', { special: ['<|nothing|>'] })).toThrow(TokenizerError);
  });

  it('in a page is that there are no files', async () => {
    const { Tokenizer: InPage } = await import('crayon-tokenizer/inline/r50k_base');
    using page = InPage.loadSync('r50k_base');
    expect(() => page.encodeFile('a')).toThrow('encodeFile needs Node; here, use file.stream().pipeThrough(tokenizer.encodeStream())');
  });
});

describe('a file that changes', () => {
  const text = 'The naïve café. '.repeat(4000);
  const size = utf8Of(text).length;

  /** Changes a file when its first part has arrived; returns the ids until then, and the error that ends them. */
  async function changed(change: (file: string) => void, window: number) {
    const file = fileOf(text);
    fs.utimesSync(file, new Date(0), new Date(0)); // file systems may count modifications in hundredths of a second
    const ids: Uint32Array[] = [];
    const error = await failureOf(async function* () {
      for await (const part of partsOf(file, { window })) {
        if (ids.length === 0) change(file);
        yield ids.push(part.ids);
      }
    });
    await expectClosed(file);
    return { file, ids: joined(ids), error };
  }

  it.each([
    ['shrinks', (file: string) => fs.truncateSync(file, 20_000), `shrank from ${size} to 20000 bytes`, 20_000],
    ['shrinks to nothing', (file: string) => fs.truncateSync(file, 0), `shrank from ${size} to 0 bytes`, undefined],
    ['grows', (file: string) => fs.appendFileSync(file, text), `grew from ${size} to ${2 * size} bytes`, 2 * size],
    ['is rewritten in place', (file: string) => writeAt(file, 0, text.toUpperCase()), 'was written to', size],
    ['has one byte written', (file: string) => writeAt(file, size - 1, '!'), 'was written to', size],
  ] as const)('and %s is an error at its end, with the position of the last byte read', async (_, change, what, end) => {
    for (const window of [100, 1000]) {
      const { file, ids, error } = await changed(change, window);
      expect(error).toBeInstanceOf(TokenizerError);
      expect(error.code).toBe('FILE_UNREADABLE');
      expect(error.message).toContain(`cannot read ${file}: the file ${what} while it was read, up to byte ${error.position};`);
      if (end !== undefined) expect(error.position).toBe(end);
      // The ids before the change belong to the original file.
      if (what !== 'was written to') expect([...ids]).toEqual([...tokenizer.encode(text.repeat(2))].slice(0, ids.length));
    }
  });

  it('at its path, because another one is renamed over it, is read to the end of the old file', async () => {
    const file = fileOf(text);
    const ids: Uint32Array[] = [];
    for await (const part of partsOf(file, { window: 1000 })) {
      if (ids.length === 0) fs.renameSync(fileOf('another'), file);
      ids.push(part.ids);
    }
    expectIds(joined(ids), tokenizer.encode(text));
    expectIds(await read(tokenizer.encodeFile(file)), tokenizer.encode('another'));
  });
});

/** Writes into a file without changing its size. */
function writeAt(file: string, position: number, content: string): void {
  const descriptor = fs.openSync(file, 'r+');
  fs.writeSync(descriptor, content, position);
  fs.closeSync(descriptor);
}

/** Whether this process has a file mapped. */
const isMapped = (file: string) => fs.readFileSync('/proc/self/maps', 'utf8').includes(file);

/** Runs a program in a process whose descriptor 3 is a file that nobody can truncate. */
function withSealed(program: string): string {
  const script = `
import fcntl, os, subprocess, sys
memory = os.memfd_create("text", os.MFD_ALLOW_SEALING)
os.write(memory, b"hello world " * 1600000)
fcntl.fcntl(memory, 1033, 2)  # F_ADD_SEALS, F_SEAL_SHRINK
os.dup2(memory, 3)
sys.exit(subprocess.run(sys.argv[1:], pass_fds=[3]).returncode)`;
  return execFileSync('python3', ['-c', script, process.execPath, '--input-type=module', '-e', program], { encoding: 'utf8' });
}

const canSeal = process.platform === 'linux' && spawnSync('python3', ['-c', 'import os; os.memfd_create']).status === 0;

describe.runIf(isNative && fs.existsSync('/proc/self/maps'))('a file is', () => {
  it('mapped if the caller promises that it keeps its length, and read otherwise', async () => {
    const text = 'hello world '.repeat(1_600_000); // several windows: a thread works on the next one
    const file = fileOf(text);
    for (const mmap of [true, false, undefined]) {
      const ids: Uint32Array[] = [];
      let wasMapped = false;
      for await (const part of tokenizer.encodeFile(file, mmap === undefined ? {} : { mmap })) {
        wasMapped ||= isMapped(file);
        ids.push(part.ids);
      }
      expect(wasMapped).toBe(mmap === true);
      expectIds(joined(ids), tokenizer.encode(text));
      await expect.poll(() => isMapped(file), { timeout: 20_000 }).toBe(false); // by a thread, without a garbage collection
    }
  });

  it.runIf(canSeal)('mapped if it is sealed against shrinking', () => {
    const told = withSealed(`
import { readFileSync } from 'node:fs';
import { Tokenizer } from ${JSON.stringify(ENTRY)};
const tokenizer = await Tokenizer.load('o200k_base');
let count = 0;
let mapped = false;
for await (const { ids } of tokenizer.encodeFile('/proc/self/fd/3')) {
  count += ids.length;
  mapped ||= readFileSync('/proc/self/maps', 'utf8').includes('memfd:text');
}
console.log(count, mapped);`);
    expect(told.trim()).toBe(`${tokenizer.count('hello world '.repeat(1_600_000))} true`);
  });

  it('mapped completely, wherever pages end', async () => {
    for (const length of [1, 4095, 4096, 4097, 3 * 4096]) {
      const bytes = utf8Of(nastyText(length, 40).repeat(20)).subarray(0, length);
      for (const window of [64, 4096, 5000]) await expectWhole(bytes, { window });
    }
  });

  it('an error if it changed, mapped or read', async () => {
    const file = fileOf('hello world '.repeat(1000));
    const parts = partsOf(file, { window: 4096, mmap: true });
    await parts.next();
    fs.appendFileSync(file, 'more');
    expect(await failureOf(() => parts)).toMatchObject({ code: 'FILE_UNREADABLE' });
    await expectClosed(file);
  });
});

it('mmap is a boolean', () => {
  const failure = new TypeError('expected a boolean for mmap but received "yes"');
  expect(() => tokenizer.encodeFile('any.txt', { mmap: wrong('yes') })).toThrow(failure);
});

describe('a reader', () => {
  const LONG = 'hello world, '.repeat(500_000);

  it('that stops closes the file', async () => {
    const file = fileOf(LONG);
    for (const window of [1000, undefined]) {
      for await (const { end } of partsOf(file, { window })) {
        if (hasDescriptors && window) expect(descriptorsOf(file)).toHaveLength(1);
        if (end > 2000) break;
      }
      await expectClosed(file);
    }
    const parts = partsOf(file, { window: 1000 });
    await parts.next();
    await parts.return();
    expect(await parts.next()).toEqual({ value: undefined, done: true });
    await expectClosed(file);
  });

  it('that pauses stops the work', async () => {
    const file = fileOf(LONG);
    const window = 1000;
    const parts = partsOf(file, { window });
    for (let n = 0; n < 3; n++) await parts.next();
    await new Promise((resolve) => setTimeout(resolve, 100));
    if (hasDescriptors) {
      const [descriptor] = descriptorsOf(file);
      const [, offset] = /pos:\s+(\d+)/.exec(fs.readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8')) as RegExpExecArray;
      expect(Number(offset)).toBeLessThanOrEqual(6 * window);
    }
    await parts.return();
  });

  it('closes the file when it is garbage-collected', () => {
    const file = fileOf(LONG);
    const script = `
      import fs from 'node:fs';
      const { Tokenizer } = await import(${JSON.stringify(ENTRY)});
      const { hostOf, partsOfFile, vocabularyOf } = await import(${JSON.stringify(new URL('../../dist/node/internals.js', import.meta.url).href)});
      const tokenizer = await Tokenizer.load('gpt2');
      const isOpen = () => fs.readdirSync('/proc/self/fd').some((name) => {
        try { return fs.readlinkSync('/proc/self/fd/' + name) === ${JSON.stringify(file)} } catch { return false }
      });
      await (async () => { await partsOfFile(hostOf(tokenizer), vocabularyOf(tokenizer), ${JSON.stringify(file)}, {}, { counting: false, window: 1000 }).next() })();
      const before = isOpen();
      for (let n = 0; n < 200 && isOpen(); n++) { gc(); await new Promise((resolve) => setTimeout(resolve, 10)) }
      console.log(before, isOpen());`;
    if (!hasDescriptors) return;
    const { stdout, stderr } = spawnSync(process.execPath, ['--expose-gc', '--input-type=module', '--eval', script], { encoding: 'utf8' });
    expect([stdout, stderr]).toEqual(['true false\n', '']);
  });

  it('that aborts gets the reason at once, and closes the file', async () => {
    const file = fileOf(LONG);
    const reason = new Error('enough');
    const before = new AbortController();
    before.abort(reason);
    expect(await failureOf(() => tokenizer.encodeFile(file, { signal: before.signal }))).toBe(reason);
    expect(await failureOf(() => tokenizer.encodeFile('missing', { signal: before.signal }))).toBe(reason);

    const between = new AbortController();
    const parts = partsOf(file, { window: 1000, signal: between.signal });
    await parts.next();
    between.abort(reason);
    await expectClosed(file); // before it asks again
    await expect(parts.next()).rejects.toBe(reason);

    const during = new AbortController();
    const pending = failureOf(() => tokenizer.encodeFile(file, { signal: during.signal }));
    setTimeout(() => during.abort(reason), 2);
    expect(await pending).toBe(reason);
    await expectClosed(file);
    for (const { signal } of [before, between, during]) expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  it('leaves no listener on a signal', async () => {
    const { signal } = new AbortController();
    const file = fileOf('hello world');
    await read(tokenizer.encodeFile(file, { signal }));
    await failureOf(() => tokenizer.encodeFile('missing', { signal }));
    for await (const _ of tokenizer.encodeFile(file, { signal })) break;
    await expect.poll(() => getEventListeners(signal, 'abort').length).toBe(0);
  });
});

describe('the vocabulary', () => {
  const TEXT = 'hello world, 東京. '.repeat(2000);

  it('stays the one at the call when the tokenizer swaps', async () => {
    using own = await Tokenizer.load('o200k_base');
    const file = fileOf(TEXT);
    const ids: Uint32Array[] = [];
    const parts = partsOf(file, { window: 1000 }, false, own);
    await own.swap('gpt2');
    for await (const part of parts) ids.push(part.ids);
    expectIds(joined(ids), tokenizer.encode(TEXT));
    expectIds(await read(own.encodeFile(file)), own.encode(TEXT));
  });

  it("survives the tokenizer's close on threads", async () => {
    const own = await Tokenizer.load('o200k_base');
    const parts = partsOf(fileOf(TEXT), { window: 1000 }, false, own);
    const { value: first } = await parts.next();
    own.close();
    const rest = async () => {
      const ids = [wrong(first).ids];
      for await (const part of parts) ids.push(part.ids);
      return joined(ids);
    };
    if (isNative) expectIds(await rest(), tokenizer.encode(TEXT));
    else await expect(rest()).rejects.toMatchObject({ code: 'CLOSED' });
    expect(() => own.encodeFile('a')).toThrow(TokenizerError);
  });
});

describe('a process', () => {
  const run = (script: string) =>
    spawnSync(process.execPath, ['--input-type=module', '--eval', `import { Tokenizer } from ${JSON.stringify(ENTRY)};\n${script}`], {
      encoding: 'utf8',
      timeout: 60_000,
    });

  it('exits in the middle of a file', () => {
    const file = JSON.stringify(fileOf('hello world, '.repeat(2_000_000)));
    const begin = `const parts = (await Tokenizer.load('gpt2')).encodeFile(${file});`;
    for (const [script, status] of [
      [`${begin} await parts.next(); process.exit(3);`, 3],
      [`${begin} parts.next(); setTimeout(() => process.exit(3), 5);`, 3],
      [`${begin} await parts.next();`, 0], // nobody reads the rest
      [begin, 0],
    ] as const) {
      expect(run(script)).toMatchObject({ status, stderr: '' });
    }
  });

  it.each([false, true])('may have workers that exit in the middle of encoding files (mmap: %s)', (mmap) => {
    const file = JSON.stringify(fileOf('hello world, '.repeat(300_000)));
    const worker = `
      import { parentPort } from 'node:worker_threads';
      import { Tokenizer } from ${JSON.stringify(ENTRY)};
      const tokenizer = await Tokenizer.load('o200k_base');
      for (;;) {
        let count = 0;
        for await (const { ids } of tokenizer.encodeFile(${file}, { mmap: ${mmap} })) count += ids.length;
        parentPort.postMessage(count);
      }`;
    const { status, stdout, stderr } = run(`
      import { Worker } from 'node:worker_threads';
      const tokenizer = await Tokenizer.load('o200k_base');
      const workers = [1, 2, 3].map(() => new Worker(${JSON.stringify(worker)}, { eval: true }));
      const counts = await Promise.all(workers.map((worker) => new Promise((resolve) => worker.once('message', resolve))));
      await Promise.all(workers.map((worker) => worker.terminate()));
      let count = 0;
      for await (const { ids } of tokenizer.encodeFile(${file})) count += ids.length;
      console.log(new Set([...counts, count]).size, count);`);
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toBe(`1 ${tokenizer.count('hello world, '.repeat(300_000))}\n`);
  });
});

// Offsets beyond 2³² need a file of 4.5 GB: `npm run test:long`.
describe.skipIf(
  process.env.CRAYON_TEST_SHARE !== '1' || SHARE < 1 || fs.statfsSync(tmpdir()).bavail * fs.statfsSync(tmpdir()).bsize < 12e9,
)('a file of more than 4 GiB', () => {
  it('has correct offsets, also in failures', async () => {
    const block = utf8Of('The naïve café — 東京タワー costs 12345 ¥.\n'.repeat(100_000));
    const blocks = Math.ceil((2 ** 32 + 2 ** 27) / block.length);
    const file = path.join(folder, 'large.txt');
    const descriptor = fs.openSync(file, 'w');
    for (let n = 0; n < blocks; n++) fs.writeSync(descriptor, block);
    fs.writeSync(descriptor, END);
    fs.closeSync(descriptor);
    const lines = tokenizer.count(block);
    let tokens = 0;
    let last = -1;
    let isAscending = true;
    for await (const { ids, byteOffset } of tokenizer.encodeFile(file, { special: 'allow' })) {
      isAscending &&= byteOffset > last;
      last = byteOffset;
      tokens += ids.length;
    }
    expect(isAscending).toBe(true);
    expect(last).toBeGreaterThan(2 ** 32);
    expect(tokens).toBe(blocks * lines + 1);
    const position = blocks * block.length;
    expect(await failureOf(() => tokenizer.encodeFile(file, { special: 'forbid' }))).toMatchObject({ position });
    fs.rmSync(file);
  }, 600_000);
});
