// Compilation in browsers: lists, cartridges and version 2 files, in a worker, by the WebAssembly engine.

import { afterEach, describe, expect, it, vi } from 'vitest';
import { type CompileProgress, compileCartridge, Tokenizer, TokenizerError } from 'crayon-tokenizer';

import { CONVENTIONS, writeDat } from '../lib/naive-dat.js';

const utf8 = (text: string) => new TextEncoder().encode(text);
const WORDS = ['a', 'b', 'ab', '<unk>'];

/** More tokens than are compiled synchronously. */
const many = Array.from({ length: 20_000 }, (_, id) => `word${id}`);

afterEach(() => vi.unstubAllGlobals());

/** Answers `fetch` for the files of an imaginary server. */
function serve(files: Record<string, string | Uint8Array<ArrayBuffer>>) {
  const genuine = globalThis.fetch;
  vi.stubGlobal('fetch', async (url: string | URL, options?: RequestInit) => {
    const { pathname } = new URL(String(url), 'https://example.org');
    if (!pathname.startsWith('/files/')) return genuine(url, options);
    const file = files[pathname.slice('/files/'.length)];
    return file === undefined ? new Response('', { status: 404 }) : new Response(file);
  });
}

describe('compileCartridge', () => {
  it('compiles a small list on the thread and a large one in a worker', async () => {
    using small = await Tokenizer.load(await compileCartridge(WORDS));
    expect(small.encode('abba?')).toEqual(Uint32Array.of(2, 1, 0, 3));
    const started: URL[] = [];
    const { Worker: Genuine } = globalThis as unknown as { Worker: new (script: URL, options: object) => object };
    vi.stubGlobal(
      'Worker',
      class extends Genuine {
        constructor(script: URL, options: object) {
          super(script, options);
          started.push(script);
        }
      },
    );
    const told: CompileProgress[] = [];
    const bytes = await compileCartridge(many, { onProgress: (progress) => told.push(progress) });
    expect(started.map(String)).toEqual([expect.stringContaining('web-compile-worker')]);
    expect(told.at(-1)).toEqual({ stage: 'build', fraction: 1 });
    using large = await Tokenizer.load(bytes);
    expect(large.encode('word7word19999')).toEqual(Uint32Array.of(7, 19_999));
  });

  it('works without workers, with the same bytes', async () => {
    const expected = await compileCartridge(many);
    vi.stubGlobal('Worker', undefined);
    expect(await compileCartridge(many)).toEqual(expected);
  });

  it('makes built-in cartridges slim and full again', async () => {
    const slim = await compileCartridge('r50k_base', { slim: true });
    expect(slim.length).toBeLessThan(200_000);
    const full = await compileCartridge(slim);
    using tokenizer = await Tokenizer.load(full);
    expect(tokenizer.encode('hello world')).toEqual(Uint32Array.of(31373, 995));
  });

  it('can be aborted', async () => {
    const reason = new Error('enough');
    const controller = new AbortController();
    const compiling = compileCartridge(many, { signal: controller.signal, onProgress: () => controller.abort(reason) });
    await expect(compiling).rejects.toBe(reason);
  });

  it('explains invalid input', async () => {
    const rejected = (source: any, options?: any) =>
      compileCartridge(source, options).then(
        () => undefined,
        (error) => error,
      );
    expect(await rejected([...many, 'word5'])).toMatchObject({ code: 'DUPLICATE_TOKEN', position: 20_000 });
    expect(await rejected(['a', 5])).toBeInstanceOf(TypeError);
    expect(await rejected(WORDS, { backend: 'native' })).toBeInstanceOf(TypeError);
    expect(await rejected('no-such-name')).toBeInstanceOf(TokenizerError);
  });
});

describe('files by URL', () => {
  const tokens = ['<UNK>', 'a', 'b', 'ab', '\uFFFD', '\uFFFD'];
  const dat = writeDat(tokens.map(utf8), Object.values(CONVENTIONS)[0]!) as Uint8Array<ArrayBuffer>;

  it('may be of version 2, with the list beside it or without', async () => {
    serve({ 'mine.dat': dat, 'mine.json': JSON.stringify(tokens), 'alone.dat': dat });
    using tokenizer = await Tokenizer.load('https://example.org/files/mine.dat');
    expect(tokenizer.unknownId).toBe(0);
    expect(tokenizer.encode('abbx')).toEqual(Uint32Array.of(3, 2, 0));
    expect(tokenizer.decode([5])).toBe('\uFFFD');
    expect(await tokenizer.encodeAsync('abbx'.repeat(10_000))).toEqual(tokenizer.encode('abbx'.repeat(10_000)));
    using alone = await Tokenizer.load('https://example.org/files/alone.dat', { unknownId: 1 });
    expect(alone.encode('abbx')).toEqual(Uint32Array.of(3, 2, 1));
    const compiled = await compileCartridge(new URL('https://example.org/files/mine.dat'));
    using again = await Tokenizer.load(compiled);
    expect(again.encode('abbx')).toEqual(Uint32Array.of(3, 2, 0));
  });

  it('may be lists', async () => {
    serve({ 'words.json': JSON.stringify(WORDS), 'words.txt': WORDS.join('\n') });
    const expected = await compileCartridge(WORDS, { name: 'words' });
    for (const name of ['words.json', 'words.txt']) {
      expect(await compileCartridge(`https://example.org/files/${name}`)).toEqual(expected);
    }
  });
});

it('includes the small profile, and says where to get the large one', async () => {
  using lite = await Tokenizer.load('lite');
  expect(lite.encode('hello world')).toEqual(Uint32Array.of(31373, 995));
  await expect(Tokenizer.load('standard')).rejects.toThrow(/too large for a script.*cartridges\/standard\.cray/);
});
