// Files that people pass by mistake: the error says what they are and what to do. And damaged JSON: the error has the
// position of the byte where it stops being JSON.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { gzipSync } from 'node:zlib';

import { compileCartridge, Tokenizer, TokenizerError } from 'crayon-tokenizer';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'crayon-foreign-'));
});

afterAll(() => rmSync(folder, { recursive: true }));

function write(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const utf8 = (text: string) => new TextEncoder().encode(text);
const failure = (source: any, options?: any): Promise<any> =>
  Tokenizer.load(source, options).then(
    () => expect.fail('it was opened'),
    (error: unknown) => error,
  );

const FILES: [what: string, content: string | Uint8Array, message: RegExp][] = [
  [
    'a pointer of Git LFS',
    `version https://git-lfs.github.com/spec/v1\noid sha256:${'0'.repeat(64)}\nsize 9085657\n`,
    /Git LFS.*git lfs pull/,
  ],
  ['a page of HTML', '\ufeff\n<!DOCTYPE html>\n<html><body>Sign in</body></html>', /HTML.*login/],
  ['gzip', gzipSync('{}'), /gzip: decompress it first/],
  ['zstd', Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 4, 0), /zstd: decompress it first/],
  ['a zip archive', 'PK\x03\x04\x14\0\0\0', /zip archive.*tokenizer\.json/],
  ['safetensors', Buffer.from('\x40\0\0\0\0\0\0\0{"__metadata__":{}}', 'latin1'), /safetensors.*tokenizer\.json/],
  ['a pickle', Uint8Array.of(0x80, 2, 0x8a, 10), /pickle.*tokenizer\.json/],
  ['GGUF', 'GGUF\x03\0\0\0', /llama\.cpp.*tokenizer\.json/],
  ['merges', '#version: 0.2\nĠ t\n', /merges\.txt.*tokenizer\.json/],
  ['no entry', 'Entry not found', /answer of a server that did not give the file: "Entry not found"/],
  ['no repository', 'Repository not found\n', /answer of a server.*"Repository not found"/],
  ['a wrong token', 'Invalid username or password.', /answer of a server.*"Invalid username or password\."/],
  [
    'a gated model',
    'Access to model meta-llama/Llama-3.1-8B is restricted. You must have access to it and be authenticated to access it. Please log in.',
    /answer of a server.*"Access to model meta-llama\/Llama-3\.1-8B is restricted\..*Please log in\."/,
  ],
  ['UTF-16', Buffer.from('\ufeff{}', 'utf16le'), /UTF-16/],
];

describe('a file that is not a vocabulary', () => {
  it.each(FILES)('%s, as bytes and by any name', async (_, content, message) => {
    const bytes = typeof content === 'string' ? utf8(content) : content;
    for (const source of [
      bytes,
      new Blob([Buffer.from(bytes)]),
      ...['cray', 'json', 'tiktoken', 'model'].map((ending) => write(`a.${ending}`, bytes)),
    ]) {
      const error = await failure(source);
      expect(error).toBeInstanceOf(TokenizerError);
      expect(error.code).toBe('NOT_A_CARTRIDGE');
      expect(error.message).toMatch(message);
    }
    await expect(compileCartridge(write('a.txt', bytes))).rejects.toThrow(message);
    expect(() => Tokenizer.loadSync(bytes)).toThrow(message);
  });

  it('that is empty', async () => {
    for (const source of [new Uint8Array(0), write('empty.json', ''), write('empty.cray', ''), write('empty.tiktoken', '')]) {
      expect(await failure(source)).toMatchObject({ code: 'NOT_A_CARTRIDGE', message: expect.stringContaining('it is empty') });
    }
  });

  it.each([
    ['a list', '["a", "b"]', /a list in JSON: compileCartridge\(\)/],
    ['null', ' null', /JSON, but no object/],
    ['ranks', 'IQ== 0\nIg== 1\n', /ranks.*\.tiktoken/],
    ['WordPiece', '[PAD]\n[unused0]\n', /vocab\.txt of WordPiece/],
    ['a part of a page', ' <body>Sign in</body>', /HTML.*login/],
    ['a script', '<script src="x">', /HTML.*login/],
    ['text', '404: Not Found\n', /it is text, and begins "404: Not Found"/],
    ['something else', 'hello\0', /do not begin with the cartridge magic/],
  ])('as bytes: %s', async (_, text, message) => {
    expect(await failure(utf8(text))).toMatchObject({ code: 'NOT_A_CARTRIDGE', message: expect.stringMatching(message) });
  });

  it.each([
    [
      'tokenizer_config.json',
      { tokenizer_class: 'X', eos_token: '</s>' },
      /a tokenizer_config\.json, which has no vocabulary: the tokenizer\.json beside it/,
    ],
    ['config.json', { model_type: 'llama', bos_token_id: 1 }, /the config\.json of a model/],
    ['special_tokens_map.json', { eos_token: '</s>' }, /a special_tokens_map\.json/],
    ['vocab.json', { a: 0, b: 1 }, /a vocab\.json, which needs the merges\.txt/],
    ['tokenizer.json', { error: 'Invalid username or password.' }, /answer of a server.*Invalid username/],
    ['other.json', { name: 'x', dependencies: {} }, /expected a list of strings, .* but found an object with "name", "dependencies"/],
    ['empty.json', {}, /a tokenizer\.json with its "model", but found an empty object/],
  ])('of JSON: %s', async (name, content, message) => {
    const bytes = utf8(JSON.stringify(content));
    for (const source of [bytes, write(name, bytes)]) expect((await failure(source)).message).toMatch(message);
  });

  it('but a list may have the beginning of an HTML page as its first token', async () => {
    using tokenizer = await Tokenizer.load(await compileCartridge(write('tags.txt', '<html>\n<head>\n')));
    expect([...tokenizer.encode('<head><html>')]).toEqual([1, 0]);
  });

  it("or a server's message", async () => {
    using tokenizer = await Tokenizer.load(await compileCartridge(write('answers.txt', 'Entry not found\nRepository not found\n')));
    expect([...tokenizer.encode('Repository not foundEntry not found')]).toEqual([1, 0]);
  });
});

describe('a source that cannot be read here', () => {
  const ofAll = async (source: string) => [
    await failure(source),
    await compileCartridge(source).catch((error: unknown) => error),
    await Promise.resolve()
      .then(() => Tokenizer.loadSync(source))
      .catch((error: unknown) => error),
  ];

  it.each([
    ['Qwen/Qwen3-8B', /no file exists.*If it is a model of Hugging Face: nothing is downloaded, pass the path of its tokenizer\.json$/],
    ['qwen3', /is named "qwen3".*Nothing is downloaded: for another model, pass the path of its tokenizer\.json\. Searched/],
    ['llama3', /is named "llama3".*Nothing is downloaded/],
  ])('a model that would have to be downloaded, %s', async (name, message) => {
    for (const error of await ofAll(name))
      expect(error).toMatchObject({ name: 'TokenizerError', code: 'FILE_NOT_FOUND', message: expect.stringMatching(message) });
  });

  it('but a missing cartridge is not taken for a model', async () => {
    for (const source of ['no-such/cartridge.cray', '/no-such/cartridge']) {
      for (const error of await ofAll(source))
        expect(error).toMatchObject({ code: 'FILE_NOT_FOUND', message: expect.not.stringContaining('Hugging Face') });
    }
  });

  it('a directory, with and without a tokenizer.json', async () => {
    const directory = mkdtempSync(join(folder, 'model-'));
    const bare = relative('.', directory);
    const refused = (path: string, advice: string) => ({
      code: 'FILE_UNREADABLE',
      message: `cannot open ${path}: it is a directory; pass ${advice}`,
    });
    for (const path of [directory, bare, 'lib']) {
      for (const error of await ofAll(path))
        expect(error).toMatchObject(refused(path, 'the path of a file, such as the tokenizer.json of a model'));
    }
    const model = join(directory, 'tokenizer.json');
    writeFileSync(model, '{}');
    for (const error of await ofAll(directory)) expect(error).toMatchObject(refused(directory, model));
  });

  it.each(['tokenizer.json', 'o200k_base.tiktoken', 'o200k_base.cray'])('a URL of %s', async (file) => {
    const url = `https://example.org/${file}`;
    for (const source of [url, new URL(url)]) {
      for (const error of [await failure(source), await compileCartridge(source).catch((error: unknown) => error)]) {
        expect(error).toBeInstanceOf(TypeError);
        expect(error.message).toContain(
          `expected a file: URL for source but received ${url}; to load over the network, pass what fetch() gives`,
        );
      }
    }
  });

  it('a tokenizer.json that has been parsed, and a list of tokens', async () => {
    const parsed: any = { model: { type: 'BPE' }, added_tokens: [] };
    expect((await failure(parsed)).message).toMatch(/received an instance of Object; pass a tokenizer\.json as its bytes/);
    await expect(compileCartridge(parsed)).rejects.toThrow(/pass a tokenizer\.json as its bytes/);
    expect((await failure(['a', 'b'])).message).toMatch(/received an array of 2; compileCartridge\(\)/);
  });
});

describe('damaged JSON', () => {
  const TEXT = '{ "model" : {"type":"BPE", "vocab":{"é\\n\\u00e9\u{1f600}":0,"b":-12.5e+3},"x":[true,false , null,[],{ },"\\\\"]} }';
  const bytesBefore = (unit: number, mark = '') => utf8(mark + TEXT.slice(0, unit)).length;

  it.each(['', '\ufeff'])('is reported where it is truncated (after %j)', async (mark) => {
    for (let unit = 1; unit < TEXT.length; unit++) {
      if (/[\udc00-\udfff]/.test(TEXT[unit]!)) continue;
      const error = await failure(utf8(mark + TEXT.slice(0, unit)));
      expect(error, TEXT.slice(0, unit)).toMatchObject({ code: 'CORRUPT_STRUCTURE', position: bytesBefore(unit, mark) });
      expect(error.message).toMatch(/it is not JSON: it ends at byte/);
    }
  });

  it('is reported at the first invalid byte', async () => {
    let isString = false;
    let count = 0;
    for (let unit = 1; unit < TEXT.length; unit++) {
      if (TEXT[unit - 1] === '"') isString = !isString;
      // Where a token ends or begins; in strings, a line break is invalid anywhere except in an escape.
      const isBorder = /[\s[\]{}:,]/.test(TEXT[unit]!) || /[\s[\]{}:,]/.test(TEXT[unit - 1]!);
      if (isString ? /\\\w*$/.test(TEXT.slice(unit - 6, unit)) || /[\udc00-\udfff]/.test(TEXT[unit]!) : !isBorder) continue;
      const wrong = `${TEXT.slice(0, unit)}${isString ? '\n' : '?'}${TEXT.slice(unit)}`;
      expect(() => JSON.parse(wrong)).toThrow(SyntaxError);
      expect(await failure(utf8(wrong)), wrong).toMatchObject({ code: 'CORRUPT_STRUCTURE', position: bytesBefore(unit) });
      count++;
    }
    expect(count).toBeGreaterThan(50);
    expect(await failure(utf8(`${TEXT}}`))).toMatchObject({ position: bytesBefore(TEXT.length) });
  });

  it('is reported with its position in a list beside a version 2 file', async () => {
    const dat = write('cut.dat', await compileCartridge(['a', 'b'], { version: 2 }));
    write('cut.json', '["a", ');
    expect(await failure(dat)).toMatchObject({ code: 'CORRUPT_STRUCTURE', position: 6 });
  });
});
