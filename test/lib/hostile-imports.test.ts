// Model files built to consume time or memory. An import takes time linear in the file, and memory of at most twenty times
// its size plus 64 MB; a refusal has a position.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileCartridge, Tokenizer, TokenizerError } from 'crayon-tokenizer';

import { sample } from '../share.js';
import { HOSTILE_FILES, positionOf } from './hostile-files.js';

const SIZE = sample(2_000_000, 250_000);
/** CPU time of all threads: twenty times that of a slow machine, which takes 0.15 µs per byte, and 0.1 s. */
const mostMilliseconds = (bytes: number) => 20 * (100 + 1.5e-4 * bytes);

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'crayon-hostile-'));
  process.env.CRAYON_CACHE_DIR = '';
});
afterAll(() => rmSync(folder, { recursive: true }));

const failure = (opening: Promise<{ close(): void }>): Promise<any> =>
  opening.then(
    (tokenizer) => tokenizer.close(),
    (error: unknown) => error,
  );

describe('a file with', () => {
  it.each(HOSTILE_FILES)('$what', async ({ make, refused }) => {
    const text = make(SIZE);
    const bytes = Buffer.from(text);
    const begin = process.cpuUsage();
    const error = await failure(Tokenizer.load(bytes));
    const { user, system } = process.cpuUsage(begin);
    expect((user + system) / 1000).toBeLessThan(mostMilliseconds(bytes.length));
    if (!refused) return expect(error).toBeUndefined();
    expect(error).toBeInstanceOf(TokenizerError);
    expect(error).toMatchObject({ code: refused.code, message: expect.stringMatching(refused.message) });
    expect(error.message.length).toBeLessThan(400);
    const position = positionOf(text, refused);
    if (position !== undefined) expect(error.position).toBe(position);
  });

  it('truncated compressed text', async () => {
    const bytes = gzipSync(Buffer.alloc(10_000, '{"model":')).subarray(0, 50);
    expect(await failure(Tokenizer.load(bytes))).toMatchObject({ code: 'NOT_A_CARTRIDGE' });
  });
});

describe('memory', () => {
  const MEASURED = [
    'a field of empty objects',
    'many tokens',
    'many tokens, escaped',
    'one merge again and again',
    'added tokens that are none',
    'a tekken.json with as many as it may have',
    'an id a little away',
  ];
  const script = fileURLToPath(new URL('hostile-import.mjs', import.meta.url));
  const files = MEASURED.slice(0, sample(MEASURED.length, 3)).map((name) => HOSTILE_FILES.find(({ what }) => what === name)!);

  it.each(files)('for $what', ({ make, refused }) => {
    const path = join(folder, 'hostile.json');
    const text = make(8_000_000);
    writeFileSync(path, text);
    const output = execFileSync(process.execPath, [script, path], { encoding: 'utf8', env: { ...process.env, CRAYON_CACHE_DIR: '' } });
    const { code, grown } = JSON.parse(output) as { code?: string; grown: number };
    expect(code).toBe(refused?.code);
    expect(grown).toBeLessThan(20 * Buffer.byteLength(text) + 64 * 2 ** 20);
  });
});

describe('the thread of the caller', () => {
  it('is free while a file is imported', async () => {
    const path = join(folder, 'many.json');
    writeFileSync(path, HOSTILE_FILES.find(({ what }) => what === 'many tokens')!.make(8_000_000));
    const begin = performance.now();
    let longest = 0;
    let last = begin;
    const timer = setInterval(() => {
      const now = performance.now();
      longest = Math.max(longest, now - last);
      last = now;
    }, 5);
    (await Tokenizer.load(path)).close();
    clearInterval(timer);
    // Work on the calling thread itself takes some milliseconds; a busy machine may pause it for longer.
    expect(longest).toBeLessThan(Math.max(400, (performance.now() - begin) / 4));
  });
});

describe('files beside it', () => {
  const good = HOSTILE_FILES[0]!.make(0);
  const loaded = async (config: string, jinja?: string): Promise<any> => {
    const model = mkdtempSync(join(folder, 'model-'));
    writeFileSync(join(model, 'tokenizer.json'), good);
    writeFileSync(join(model, 'tokenizer_config.json'), config);
    if (jinja !== undefined) writeFileSync(join(model, 'chat_template.jinja'), jinja);
    return compileCartridge(join(model, 'tokenizer.json')).then(
      () => undefined,
      (error: unknown) => error,
    );
  };
  const long = 'x'.repeat(2 ** 20 + 1);

  it.each([
    [
      'a huge object as a template',
      `{"chat_template":{${'"a":0,'.repeat(500_000)}"b":0}}`,
      /chat_template: expected a string, or a list of templates with names but found \{"a":0,/,
      17,
    ],
    ['an object with huge keys', `{"chat_template":{"4294967294":0,"a":{}}}`, /chat_template: expected a string/, 17],
    ['a template that is too long', `{"chat_template":"${long}"}`, /chat_template: 1048577 characters are too many: at most 1048576/, 17],
    [
      'templates that are too long together',
      `{"chat_template":[${Array.from('abcde', (name) => `{"name":"${name}","template":"${long.slice(9)}"}`).join()}]}`,
      /chat_template: \d+ characters together are too many: at most 4194304/,
      17,
    ],
    [
      'too many templates',
      `{"chat_template":[${'{"name":"a","template":""},'.repeat(3000)}0]}`,
      /chat_template: more than 1024 elements/,
      17,
    ],
    [
      'too many names of tokens',
      `{"chat_template":"","extra_special_tokens":{${Array.from({ length: 2000 }, (_, i) => `"t${i}":"x"`).join()}}}`,
      /extra_special_tokens: more than 1024 names/,
      43,
    ],
    [
      'lists in lists',
      `{"chat_template":${'['.repeat(1e6)}${']'.repeat(1e6)}}`,
      /more than 128 levels.*; to take the vocabulary without it, pass tokenizerConfig: false$/,
      17 + 127,
    ],
    ['no JSON', '{"chat_template":', /it is not JSON: it ends at byte 17.*pass tokenizerConfig: false$/, 17],
  ])('%s', async (_, config, message, position) => {
    const begin = performance.now();
    const error = await loaded(config);
    expect(performance.now() - begin).toBeLessThan(mostMilliseconds(config.length));
    expect(error).toMatchObject({ name: 'TokenizerError', message: expect.stringMatching(message), position });
  });

  it('a chat_template.jinja that is too long', async () => {
    expect(await loaded('{}', long)).toMatchObject({
      code: 'BUILD_FAILED',
      message: expect.stringMatching(/chat_template\.jinja: 1048577 characters/),
    });
  });

  it('the same in the option tokenizerConfig', async () => {
    const error = await failure(
      Tokenizer.load(Buffer.from(good), {
        tokenizerConfig: { chat_template: Object.fromEntries(Array.from({ length: 1e5 }, (_, i) => [`k${i}`, 0])) },
      }),
    );
    expect(error).toMatchObject({
      code: 'CORRUPT_STRUCTURE',
      message: expect.stringMatching(/^cannot import tokenizerConfig: chat_template: expected a string/),
      position: 0,
    });
  });
});
