// Version 2: a `.dat` and the `.json` beside it, opened, compiled and written.

import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { compileCartridge, Tokenizer, TokenizerError } from 'crayon-tokenizer';

import { textOf } from '../corpora.mjs';
import { fixtures } from '../golden/goldens.mjs';
import { longestMatchOf } from '../golden/longest-match.mjs';
import { crayon } from './command.js';
import { CONVENTIONS, writeDat } from './naive-dat.js';

const utf8 = (text: string) => new TextEncoder().encode(text);
const isNative = inject('backend') === 'native';

/** Words, their letters, text beyond ASCII, and a token twice, as in a list decoded with U+FFFD. */
const TOKENS = [
  ...['<PAD>', '<UNK>', 'e', 'n', 'r', 'g', 'y', ' ', 't', 'h', 'the', ' the', 'energy', 'ener', 'é', '\0', '\0h'],
  ...['\uFFFD', '\uFFFD', '中', '中文', '"', '\\', '\n'],
];
const TEXT = 'the energy of the\0h 中文中 é\uFFFD"\\\n';
const UNKNOWN = 1;
const expected = longestMatchOf(TOKENS.map(utf8), UNKNOWN, 'byte');
const json = (tokens: readonly string[]) => `[${tokens.map((token) => JSON.stringify(token)).join(', ')}]`;

let folder: string;
let dats: Record<string, Uint8Array>;
const path = (name: string) => join(folder, name);
const write = (name: string, content: string | Uint8Array) => writeFileSync(path(name), content);

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'crayon-test-'));
  dats = Object.fromEntries(Object.entries(CONVENTIONS).map(([name, how]) => [name, writeDat(TOKENS.map(utf8), how)]));
  write('mine.dat', Object.values(dats)[0]!);
  write('mine.json', json(TOKENS));
  write('alone.dat', Object.values(dats)[0]!);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const thrown = (action: () => unknown): Error => {
  try {
    action();
  } catch (error) {
    return error as Error;
  }
  return expect.fail('nothing was thrown');
};

describe.each(Object.keys(CONVENTIONS))('a .dat (%s)', (convention) => {
  it('is opened with the list beside it, in either shape', async () => {
    const vocab = Object.fromEntries(TOKENS.map((token, id) => [token, id]));
    for (const [name, list] of [
      ['list', json(TOKENS)],
      ['vocab', JSON.stringify({ vocab })],
    ] as const) {
      write(`${name}.dat`, dats[convention]!);
      write(`${name}.json`, list);
      using tokenizer = Tokenizer.loadSync(path(`${name}.dat`));
      expect(tokenizer.modelKind).toBe('longest-match');
      expect(tokenizer.unknownId).toBe(UNKNOWN);
      expect(tokenizer.encode(TEXT)).toEqual(expected(utf8(TEXT)));
      expect(tokenizer.count(TEXT)).toBe(expected(utf8(TEXT)).length);
      for (const [id, token] of TOKENS.entries()) {
        // An object has each key once: the second of two equal tokens wins.
        if (name === 'list' || id !== 17) expect(tokenizer.tokenBytes(id)).toEqual(utf8(token));
      }
      using late = await Tokenizer.load(pathToFileURL(path(`${name}.dat`)));
      expect(late.encode(TEXT)).toEqual(expected(utf8(TEXT)));
    }
  });

  it('is opened without a list: the array yields the tokens', () => {
    for (const source of [path('alone.dat'), dats[convention]!]) {
      using tokenizer = Tokenizer.loadSync(source, { unknownId: UNKNOWN });
      expect(tokenizer.encode(TEXT)).toEqual(expected(utf8(TEXT)));
      const known = TOKENS.flatMap((token, id) => (TOKENS.indexOf(token) === id ? [id] : []));
      for (const id of known) expect(tokenizer.tokenBytes(id)).toEqual(utf8(TOKENS[id]!));
      using careful = Tokenizer.loadSync(source);
      expect(careful.unknownId).toBeUndefined();
      expect(thrown(() => careful.encode('the x'))).toMatchObject({ code: 'UNKNOWN_CHARACTER', position: 4 });
    }
  });

  it('is compiled to a cartridge, and written again, to the byte', async () => {
    write('again.dat', dats[convention]!);
    write('again.json', json(TOKENS));
    expect(await compileCartridge(path('again.dat'), { version: 2 })).toEqual(dats[convention]);
    for (const slim of [false, true]) {
      using tokenizer = Tokenizer.loadSync(await compileCartridge(path('again.dat'), { slim }));
      expect(tokenizer.encode(TEXT)).toEqual(expected(utf8(TEXT)));
      expect(tokenizer.unknownId).toBe(UNKNOWN);
    }
    expect(await compileCartridge(dats[convention]!, { version: 2 })).toEqual(dats[convention]);
  });
});

describe('where no token begins', () => {
  const units = ['byte', 'character'] as const;
  const texts = ['è', 'the è 日本 the', '😀', 'e👩‍👩‍👧e', '\u0301'];

  it("a .dat gives the ids of CRAYON's own engine", async () => {
    const rows = JSON.parse(readFileSync(new URL('../golden/xerv-crayon.json', import.meta.url), 'utf8')) as [string, number[]][];
    write('own.json', json(TOKENS));
    write('own.dat', await compileCartridge(TOKENS, { version: 2 }));
    using tokenizer = Tokenizer.loadSync(path('own.dat'));
    for (const [text, ids] of rows) {
      expect([...tokenizer.encode(text)]).toEqual(ids);
      expect(tokenizer.count(text)).toBe(ids.length);
    }
    expect(rows.length).toBe(100);
  });

  it.each(units)('the unknown id stands for a %s, in any form', async (unknownUnit) => {
    const naive = longestMatchOf(TOKENS.map(utf8), UNKNOWN, unknownUnit);
    const options = { unknownUnit };
    const sources = [
      [path('mine.dat'), options],
      [path('alone.dat'), { ...options, unknownId: UNKNOWN }],
      [await compileCartridge(path('mine.dat'), options), {}],
      [await compileCartridge(path('mine.dat'), { ...options, slim: true }), {}],
      [await compileCartridge(TOKENS, options), {}],
      [await compileCartridge(TOKENS, { ...options, slim: true }), {}],
    ] as const;
    for (const [source, how] of sources) {
      using tokenizer = Tokenizer.loadSync(source, how);
      expect(tokenizer.unknownId).toBe(UNKNOWN);
      for (const text of texts) {
        const ids = naive(utf8(text));
        expect(tokenizer.encode(text)).toEqual(ids);
        expect(await tokenizer.encodeAsync(text)).toEqual(ids);
        expect(tokenizer.isWithinLimit(text, ids.length)).toBe(ids.length);
        expect(tokenizer.isWithinLimit(text, ids.length - 1)).toBe(false);
        // One byte or one character each: offsets in bytes cover the text without gaps.
        const { ids: same, offsets } = tokenizer.encodeWithOffsets(utf8(text));
        expect(same).toEqual(ids);
        expect(offsets[offsets.length - 1]).toBe(utf8(text).length);
      }
    }
  });

  it('the unknown unit of a token list is the character by default', async () => {
    using tokenizer = Tokenizer.loadSync(await compileCartridge(TOKENS));
    expect([...tokenizer.encode('è')]).toEqual([UNKNOWN]);
  });

  it('a vocabulary of byte units keeps them when adapted, swapped or recompiled', async () => {
    using tokenizer = Tokenizer.loadSync(await compileCartridge(TOKENS.slice(0, 17), { unknownUnit: 'byte', name: 'mine' }));
    using again = Tokenizer.loadSync(await compileCartridge(await compileCartridge(TOKENS, { unknownUnit: 'byte' })));
    expect([...again.encode('è')]).toEqual([UNKNOWN, UNKNOWN]);
    tokenizer.observe('è the energy è the energy è the energy');
    expect((await tokenizer.adapt({ threshold: 0, add: 1 })).added.length).toBe(1);
    expect([...tokenizer.encode('è')]).toEqual([UNKNOWN, UNKNOWN]);
    await tokenizer.swap(path('mine.dat'), { unknownUnit: 'character' });
    expect([...tokenizer.encode('è')]).toEqual([UNKNOWN]);
  });

  it('a unit without a use is an error', async () => {
    const none = (options: object) => compileCartridge(TOKENS, options);
    await expect(none({ version: 2, unknownUnit: 'byte' })).rejects.toThrow(
      'cannot use the option unknownUnit: the readers of version 2 say it; leave it out',
    );
    await expect(none({ model: 'bpe', pretokenizer: 'gpt2', unknownUnit: 'byte' })).rejects.toThrow(
      'cannot use the option unknownUnit: BPE has a token for each byte; leave it out',
    );
    await expect(compileCartridge('r50k_base', { unknownUnit: 'byte' })).rejects.toThrow(TypeError);
  });
});

describe('load', () => {
  it('takes the unknown id from the list by default', () => {
    const unknown = (tokens: string[], options = {}) => {
      write('unknown.dat', writeDat(tokens.map(utf8), Object.values(CONVENTIONS)[0]!));
      write('unknown.json', json(tokens));
      using tokenizer = Tokenizer.loadSync(path('unknown.dat'), options);
      return tokenizer.unknownId;
    };
    expect(unknown(['a', '<unk>'])).toBe(1);
    expect(unknown(['a', 'b', '[UNK]'])).toBe(2);
    expect(unknown(['[UNK]', '<unk>', '<UNK>'])).toBe(2);
    expect(unknown(['a', 'b'])).toBeUndefined();
    expect(unknown(['a', '<UNK>'], { unknownId: 0 })).toBe(0);
  });

  it('requires a valid unknown id, and only for vocabularies that use one', () => {
    expect(thrown(() => Tokenizer.loadSync(path('mine.dat'), { unknownId: -1 }))).toEqual(
      new RangeError('expected an id for unknownId but received -1'),
    );
    expect(thrown(() => Tokenizer.loadSync(path('mine.dat'), { unknownId: 'x' as never }))).toBeInstanceOf(TypeError);
    expect(thrown(() => Tokenizer.loadSync('r50k_base', { unknownId: 1 }))).toEqual(
      new TypeError('cannot use the option unknownId: a cartridge contains it; leave it out'),
    );
    expect(thrown(() => Tokenizer.loadSync(path('mine.dat'), { unknownId: 4_000_000 }))).toMatchObject({
      code: 'INVALID_ARGUMENT',
    });
  });

  it('refuses an invalid unit, and a unit for a cartridge', () => {
    expect(thrown(() => Tokenizer.loadSync(path('mine.dat'), { unknownUnit: 'bytes' as never }))).toEqual(
      new TypeError(`expected 'character' or 'byte' for unknownUnit but received "bytes"`),
    );
    expect(thrown(() => Tokenizer.loadSync('r50k_base', { unknownUnit: 'byte' }))).toEqual(
      new TypeError('cannot use the option unknownUnit: a cartridge contains it; leave it out'),
    );
    expect(thrown(() => Tokenizer.loadSync(path('mine.dat'), { unknownId: 2 ** 30 }))).toEqual(
      new RangeError('expected the id of a token for unknownId but received 1073741824'),
    );
  });

  it("finds files by name, in CRAYON's published order", () => {
    const home = path('home');
    const folders = [path('profiles'), join(home, '.cache/xerv/crayon/profiles')];
    for (const folder of folders) mkdirSync(folder, { recursive: true });
    const dat = (token: string) => writeDat([utf8(token)], Object.values(CONVENTIONS)[0]!);
    const before = { ...process.env };
    try {
      Object.assign(process.env, { HOME: home, CRAYON_PROFILE_DIR: folders[0] });
      const found = () => {
        using tokenizer = Tokenizer.loadSync('field-notes');
        return new TextDecoder().decode(tokenizer.tokenBytes(0));
      };
      const error = thrown(found) as TokenizerError;
      expect(error.code).toBe('FILE_NOT_FOUND');
      for (const folder of [fileURLToPath(new URL('../../cartridges/', import.meta.url)), ...folders]) {
        expect(error.message).toContain(join(folder, '{field-notes.cray,field-notes.dat,vocab_field-notes.dat}'));
      }
      if (process.platform === 'linux') expect(error.message).toContain('/var/cache/crayon/');
      writeFileSync(join(folders[1]!, 'vocab_field-notes.dat'), dat('c'));
      expect(found()).toBe('c');
      writeFileSync(join(folders[0]!, 'vocab_field-notes.dat'), dat('b'));
      expect(found()).toBe('b');
      writeFileSync(join(folders[0]!, 'field-notes.dat'), dat('a'));
      expect(found()).toBe('a');
    } finally {
      process.env = before;
    }
  });

  it('can swap to one, and back', async () => {
    using tokenizer = Tokenizer.loadSync('r50k_base');
    await tokenizer.using(path('mine.dat'), (other) => {
      expect(other.encode(TEXT)).toEqual(expected(utf8(TEXT)));
    });
    expect([...tokenizer.encode('hello world')]).toEqual([31373, 995]);
    await tokenizer.swap(path('mine.dat'), { unknownId: 0 });
    expect([...tokenizer.encode('x')]).toEqual([0]);
  });
});

describe('a list that is wrong', () => {
  it.each([
    ['no JSON', '["a", ', /cannot read (?:the tokens of )?.*bad\.json: it is not JSON/],
    ['no list', '5', /expected a list of strings, \{"vocab": \{token: id\}\}/],
    ['null', 'null', /expected a list of strings/],
    ['an object of something else', '{"model": {}}', /expected a list of strings/],
    ['a list for an object', '{"vocab": ["a"]}', /expected a list of strings/],
    ['a token that is no string', '["a", 5]', /expected a string for token 1 but found 5/],
    ['an id that is no number', '{"vocab": {"a": "0"}}', /expected an id .* for "a" but found "0"/],
    ['a negative id', '{"vocab": {"a": 0, "b": -1}}', /expected an id .* for "b" but found -1/],
    ['a broken id', '{"vocab": {"a": 0.5}}', /expected an id .* for "a" but found 0.5/],
    ['an id beyond all vocabularies', '{"vocab": {"a": 4000000000}}', /expected an id .* for "a" but found 4000000000/],
    ['half of a pair of surrogates', '["a", "\\ud800"]', /expected a text without lone surrogates for token 1/],
    ['the same among ids', '{"vocab": {"\\udc00": 0}}', /expected a text without lone surrogates for token 0/],
    ['an id twice', '{"vocab": {"a": 0, "b": 0}}', /expected each id once but found 0 for "a" and "b"/],
  ])('%s', async (_, list, message) => {
    write('bad.dat', Object.values(dats)[0]!);
    write('bad.json', list);
    for (const error of [
      thrown(() => Tokenizer.loadSync(path('bad.dat'))),
      await compileCartridge(path('bad.dat')).catch((error: unknown) => error),
      await compileCartridge(path('bad.json')).catch((error: unknown) => error),
    ]) {
      expect(error).toBeInstanceOf(TokenizerError);
      expect(error).toMatchObject({ code: 'CORRUPT_STRUCTURE', message: expect.stringMatching(message) });
    }
  });

  it('of another file', () => {
    write('other.dat', Object.values(dats)[0]!);
    write('other.json', json(TOKENS.map((token, id) => (id === 3 ? `${token}!` : token))));
    expect(thrown(() => Tokenizer.loadSync(path('other.dat'))).message).toMatch(
      /the list beside it has another token for the id 3 than the file/,
    );
  });

  it('too short for the ids of the array', () => {
    write('short.dat', Object.values(dats)[0]!);
    write('short.json', '["a"]');
    expect(thrown(() => Tokenizer.loadSync(path('short.dat')))).toBeInstanceOf(TokenizerError);
  });
});

describe('a .dat that is wrong', () => {
  const refused = (change: (words: Int32Array) => Int32Array | void) => {
    const bytes = Object.values(dats)[0]!.slice();
    const words = change(new Int32Array(bytes.buffer)) ?? new Int32Array(bytes.buffer);
    const error = thrown(() => Tokenizer.loadSync(new Uint8Array(words.buffer, 0, words.byteLength)).close());
    expect(error).toBeInstanceOf(TokenizerError);
    return (error as TokenizerError).code;
  };

  it('is refused', () => {
    expect(refused((words) => words.slice(0, -1))).toMatch(/TRUNCATED|CORRUPT_STRUCTURE/);
    expect(refused((words) => words.slice(0, 3))).toMatch(/TRUNCATED|CORRUPT_STRUCTURE/);
    expect(refused((words) => void (words[2] = -1))).toMatch(/TRUNCATED|CORRUPT_STRUCTURE/);
    expect(refused((words) => void (words[2] = 0x7fffffff))).toMatch(/TRUNCATED|CORRUPT_STRUCTURE/);
    expect(refused((words) => void (words[2] = words[2]! - 1))).toBe('CORRUPT_STRUCTURE');
    expect(refused((words) => void (words[1] = 7))).toBe('UNSUPPORTED_VERSION');
    expect(refused((words) => void (words[0] = 7))).toBe('NOT_A_CARTRIDGE');
  });

  it('does no harm, whichever word changes', () => {
    const bytes = Object.values(dats)[0]!;
    const text = utf8('the energy of the\0h 中文'.repeat(20));
    let opened = 0;
    for (let index = 3; index < bytes.length / 4; index += 3) {
      for (const value of [-1, 0, 1, 0x7fffffff, -0x80000000, bytes.length / 4]) {
        const changed = new Int32Array(bytes.slice().buffer);
        changed[index] = value;
        try {
          using tokenizer = Tokenizer.loadSync(new Uint8Array(changed.buffer), { unknownId: 0 });
          tokenizer.encode(text);
          for (let id = 0; id < tokenizer.vocabularySize; id++) tokenizer.idOf(String(id));
          opened++;
        } catch (error) {
          expect(error).toBeInstanceOf(TokenizerError);
        }
      }
      if (!isNative && index > 300) break;
    }
    expect(opened).toBeGreaterThan(0);
  });
});

describe('crayon compile', () => {
  it('reads and writes version 2, to the byte', () => {
    expect(crayon(['compile', 'mine.dat', '-o', 'copy.dat', '--json'], folder)).toMatchObject({ status: 0, stderr: '' });
    expect(readFileSync(path('copy.dat'))).toEqual(readFileSync(path('mine.dat')));
    expect(readFileSync(path('copy.json'), 'utf8')).toBe(json(TOKENS));
    expect(crayon(['compile', 'copy.dat', '-o', 'copy.cray'], folder)).toMatchObject({ status: 0, stderr: '' });
    const { stdout } = crayon(['encode', '-e', './copy.cray'], folder, TEXT);
    expect(stdout).toBe(`${expected(utf8(TEXT)).join(' ')}\n`);
  });

  it('makes version 2 of a list, with its list beside it', () => {
    const tokens = ['a', 'b', 'ab', 'é'];
    write('words.txt', `${tokens.join('\n')}\n`);
    expect(crayon(['compile', 'words.txt', '-o', 'words.dat'], folder)).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^words\.dat: [\d,]+ bytes, version 2; its tokens are in words\.json\n$/),
    });
    expect(readFileSync(path('words.json'), 'utf8')).toBe('["a", "b", "ab", "é"]');
    using tokenizer = Tokenizer.loadSync(path('words.dat'));
    expect([...tokenizer.encode('abbéa')]).toEqual([2, 1, 3, 0]);
  });

  it('accepts lists of both shapes, and keeps their shape', () => {
    write('shape.json', '{"vocab": {"b": 1, "a": 0, "?": 2}}');
    const options = ['-u', '2', '-n', 'shaped'];
    expect(crayon(['compile', 'shape.json', '-o', 'shape.cray', ...options], folder)).toMatchObject({ status: 0 });
    using tokenizer = Tokenizer.loadSync(path('shape.cray'));
    expect(tokenizer.name).toBe('shaped');
    expect([...tokenizer.encode('abx')]).toEqual([0, 1, 2]);
    expect(crayon(['compile', 'shape.json', '-o', 'other.dat'], folder)).toMatchObject({ status: 0 });
    expect(readFileSync(path('other.json'), 'utf8')).toBe('{"vocab": {"b": 1, "a": 0, "?": 2}}');
  });

  it('compiles a vocabulary that reports where a character is unknown', () => {
    write('few.txt', 'a\nb\n');
    expect(crayon(['compile', 'few.txt', '-o', 'few.cray'], folder).status).toBe(0);
    expect(crayon(['count', '-e', './few.cray'], folder, 'abé')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('no token begins with the character at byte 2'),
    });
  });

  it('explains what version 2 cannot hold', () => {
    expect(crayon(['compile', 'r50k_base', '-o', 'x.dat'], folder)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('version 2 holds vocabularies of longest match'),
    });
    expect(crayon(['compile', 'lite', '-o', 'x.dat', '--slim'], folder)).toMatchObject({ status: 2 });
    expect(crayon(['compile', 'words.txt', '-o', 'x.dat', '-u', 'no'], folder)).toMatchObject({ status: 2 });
    for (const option of [
      ['-u', '1'],
      ['-t', '<s>=9'],
    ]) {
      expect(crayon(['compile', 'words.txt', '-o', 'x.dat', ...option], folder)).toMatchObject({
        status: 2,
        stderr: expect.stringContaining('a version 2 file, x.dat, has '),
      });
      expect(crayon(['compile', 'words.txt', '-o', 'x.cray', ...option], folder).status).toBe(0);
      expect(crayon(['compile', 'x.cray', '-o', 'x.dat'], folder)).toMatchObject({
        status: 1,
        stderr: expect.stringContaining('cannot compile to version 2: it cannot hold'),
      });
    }
    expect(existsSync(path('x.dat')) || existsSync(path('x.json'))).toBe(false);
  });

  it('overwrites no other file', () => {
    write('mine-too.json', '{"name": "mine"}');
    expect(crayon(['compile', 'words.txt', '-o', 'mine-too.dat'], folder)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('another file has that name'),
    });
    expect(readFileSync(path('mine-too.json'), 'utf8')).toBe('{"name": "mine"}');
    expect(crayon(['compile', 'words.txt', '-o', 'words.txt'], folder)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('--output words.txt is the file to compile'),
    });
  });
});

const shared = fileURLToPath(new URL('../../../shared/vocabularies/', import.meta.url));

describe.skipIf(!existsSync(shared)).each(['lite', 'standard'])('the published files of %s', (name) => {
  const file = `${shared}vocab_${name}.repro`;

  it('are read, and written again, to the byte', () => {
    expect(crayon(['compile', `${file}.dat`, '-o', `${name}.dat`], folder).status).toBe(0);
    expect(readFileSync(path(`${name}.dat`)).equals(readFileSync(`${file}.dat`))).toBe(true);
    expect(readFileSync(path(`${name}.json`)).equals(readFileSync(`${file}.json`))).toBe(true);
  });

  // Except NUL, for which the array has no id.
  it('give the same ids as their list alone, in which tokens are equal', async () => {
    const options = { unknownId: 1 };
    using published = Tokenizer.loadSync(`${file}.dat`, options);
    for (const slim of [false, true]) {
      using compiled = Tokenizer.loadSync(await compileCartridge(`${file}.json`, { ...options, unknownUnit: 'byte', slim }));
      for (const { path } of fixtures()) {
        const text = `${textOf(readFileSync(path)).replaceAll('\0', '')} \uFFFD \uFFFD\uFFFDの\uFFFD`;
        expect(compiled.encode(text)).toEqual(published.encode(text));
      }
    }
  });

  it('give the ids of the longest match by their list, and of the profile for ASCII', async () => {
    const tokens = JSON.parse(readFileSync(`${file}.json`, 'utf8')) as string[];
    // Invalid characters became U+FFFD in the list, many times; which id the array has for it is arbitrary. The array has
    // no id for NUL, which the list contains.
    const unknownId = tokens.indexOf('\uFFFD');
    const naive = longestMatchOf(tokens.map(utf8), unknownId, 'byte');
    using published = Tokenizer.loadSync(`${file}.dat`, { unknownId });
    using compiled = Tokenizer.loadSync(await compileCartridge(`${file}.dat`, { unknownId }));
    using profile = Tokenizer.loadSync(name);
    const texts = fixtures().map(({ path }) => textOf(readFileSync(path)).replaceAll(/[\0\uFFFD]/g, ''));
    expect(texts.filter((text) => /^[\0-\x7f]+$/.test(text)).length).toBeGreaterThan(5);
    for (const text of texts) {
      const ids = naive(utf8(text));
      expect(published.encode(text)).toEqual(ids);
      expect(compiled.encode(text)).toEqual(ids);
      // Beyond ASCII the profile has tokens for parts of characters, which the list has lost.
      if (/^[\0-\x7f]+$/.test(text)) expect(profile.encode(text)).toEqual(ids);
    }
  });
});
