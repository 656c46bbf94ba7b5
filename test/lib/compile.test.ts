// compileCartridge and `crayon compile`: a rank file, a list of tokens, and a cartridge in the other form.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { compileCartridge, Tokenizer, TokenizerError } from 'crayon-tokenizer';

import { crayon } from './command.js';
import { longestMatchOf } from '../golden/longest-match.mjs';
import { openCartridge } from './cartridge-reader.mjs';
import { sample } from '../share.js';

const cartridges = fileURLToPath(new URL('../../cartridges/', import.meta.url));
const built = (file: string) => readFileSync(cartridges + file);

// The 256 bytes, "he" and "hel".
const ranks = [...Array(256).keys()].map((byte) => `${Buffer.of(byte).toString('base64')} ${byte}`);
ranks.push(`${Buffer.from('he').toString('base64')} 256`, `${Buffer.from('hel').toString('base64')} 260`, '');

let folder: string;
let rankFile: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'crayon-test-'));
  rankFile = join(folder, 'mine.tiktoken');
  writeFileSync(rankFile, ranks.join('\n'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('compileCartridge', () => {
  it.each(['r50k_base', 'p50k_base', 'cl100k_base', 'o200k_base'])('makes %s slim and full again, to the byte', async (name) => {
    const slim = await compileCartridge(name, { slim: true });
    expect(Buffer.compare(slim, built(`${name}.slim.cray`))).toBe(0);
    const full = await compileCartridge(slim);
    expect(Buffer.compare(full, built(`${name}.cray`))).toBe(0);
  });

  it('takes a model, a path and a URL', async () => {
    const expected = built('r50k_base.slim.cray');
    for (const source of ['davinci', `${cartridges}r50k_base.cray`, pathToFileURL(`${cartridges}r50k_base.slim.cray`)]) {
      expect(Buffer.compare(await compileCartridge(source, { slim: true }), expected)).toBe(0);
    }
  });

  it.each([true, false])('compiles a rank file, slim %s', async (slim) => {
    const bytes = await compileCartridge(rankFile, { slim, pretokenizer: 'cl100k', specialTokens: { '<|end|>': 261 } });
    using tokenizer = Tokenizer.loadSync(bytes);
    expect(tokenizer.name).toBe('mine');
    expect(tokenizer.vocabularySize).toBe(262);
    expect(tokenizer.encode('hello<|end|>', { special: 'allow' })).toEqual(Uint32Array.of(260, 108, 111, 261));
    expect(() => tokenizer.decode([258])).toThrow(expect.objectContaining({ code: 'INVALID_ID' }));
    const cartridge = openCartridge(bytes);
    expect(cartridge.views).toMatchObject([{ name: 'mine', scanner: 'cl100k', vocabularySize: 262 }]);
    expect(cartridge.metadata).toEqual({ name: 'mine' });
    expect(cartridge.split(260)).toEqual([256, 108]);
  });

  it('does not block the thread', async () => {
    let turns = 0;
    const turning = setInterval(() => turns++, 1);
    await compileCartridge('cl100k_base');
    clearInterval(turning);
    expect(turns).toBeGreaterThan(10);
  });

  it('works with any flags of the running program', () => {
    const index = new URL('../../dist/node/index.js', import.meta.url);
    const source = `import { compileCartridge } from '${index}'; console.log((await compileCartridge('r50k_base')).length);`;
    const printed = execFileSync(process.execPath, ['--input-type=module', '--eval', source], { encoding: 'utf8' });
    expect(printed).toBe(`${built('r50k_base.cray').length}\n`);
  });

  it('explains invalid arguments', async () => {
    const rejected = (source: any, options?: any) =>
      compileCartridge(source, options).then(
        () => undefined,
        (error) => error,
      );
    expect(await rejected(rankFile)).toEqual(
      new TypeError(
        "cannot compile BPE without the option pretokenizer, which says how text is cut into pieces: pass one of gpt2, cl100k, o200k, qwen2, tekken, deepseek3, none, or a pattern (for the ranks of Llama 3: 'cl100k')",
      ),
    );
    expect(await rejected(rankFile, { pretokenizer: 'bert' })).toBeInstanceOf(TypeError);
    expect(await rejected(rankFile, { pretokenizer: 'gpt2', name: '' })).toEqual(
      new TypeError('expected a string that is not empty for name but received ""'),
    );
    expect(await rejected(rankFile, { pretokenizer: 'gpt2', specialTokens: { '<|x|>': -1 } })).toEqual(
      new RangeError('expected an id for specialTokens["<|x|>"] but received -1'),
    );
    expect(await rejected('r50k_base', { name: 'other' })).toBeInstanceOf(TypeError);
    expect(await rejected(undefined)).toBeInstanceOf(TypeError);
    expect((await rejected(rankFile)).stack).toContain('compile.test.ts');
  });

  it('explains invalid sources', async () => {
    const code = (source: any, options?: any) =>
      compileCartridge(source, options).then(
        () => undefined,
        (error: TokenizerError) => error.code,
      );
    const options = { pretokenizer: 'gpt2' };
    expect(await code(join(folder, 'missing.tiktoken'), options)).toBe('FILE_NOT_FOUND');
    expect(await code('no-such-encoding')).toBe('FILE_NOT_FOUND');
    expect(await code(Buffer.from('text'))).toBe('NOT_A_CARTRIDGE');
    const twice = join(folder, 'twice.tiktoken');
    writeFileSync(twice, [...ranks.slice(0, -1), `${Buffer.from('he').toString('base64')} 261`].join('\n'));
    expect(await code(twice, options)).toBe('DUPLICATE_TOKEN');
    const few = join(folder, 'few.tiktoken');
    writeFileSync(few, ranks.slice(1).join('\n'));
    expect(await code(few, options)).toBe('MISSING_BYTE_TOKEN');
    const marked = join(folder, 'marked.tiktoken');
    writeFileSync(marked, `\ufeff${ranks.join('\r\n')}`);
    expect(
      Buffer.compare(
        await compileCartridge(marked, { ...options, name: 'x' }),
        await compileCartridge(rankFile, { ...options, name: 'x' }),
      ),
    ).toBe(0);
    const bad = join(folder, 'bad.tiktoken');
    writeFileSync(bad, 'aGU= 256 7\n');
    await expect(compileCartridge(bad, { pretokenizer: 'gpt2' })).rejects.toThrow(
      /expected lines of 'base64 rank'.* for line 1 of .*bad\.tiktoken/,
    );
  });
});

/**
 * A small profile of one field, as CRAYON has them: characters of Latin-1 as text, words and parts of words. 367
 * tokens.
 */
function fieldProfile(): string[] {
  const characters = [...Array(189).keys()].map((at) => String.fromCharCode(at < 95 ? 0x20 + at : 0xa1 + at - 95));
  const named = ['<PAD>', '<UNK>', '<BOS>', '<EOS>', '\\int', '\\frac', '= ', ' = '];
  const words = ['energy', 'matter', 'photon', 'proton', 'nucleus', 'electron', 'momentum', 'equation', 'derivative'];
  const parts = words.flatMap((word) => [...word].slice(2).map((_, at) => word.slice(0, at + 3)));
  const more = [...parts, ...parts.map((part) => ` ${part}`)];
  const pairs = [...'abcdefghijklmnop'].flatMap((a) => [...'eiou'].map((b) => a + b));
  const tokens = [...new Set([...characters, ...named, ...more, ...pairs])];
  const numbers = [...Array(1000).keys()].map((number) => String(number + 10));
  return [...tokens, ...numbers].slice(0, 367);
}

describe('a list of tokens', () => {
  const naive = (tokens: (string | Uint8Array)[], unknownId?: number) =>
    longestMatchOf(
      tokens.map((token) => (typeof token === 'string' ? Buffer.from(token) : token)),
      unknownId,
    );
  const text = 'the energy E = mc² of an electron, 300 µm; derivative of 中';

  it.each(['native', 'wasm'] as const)('of one field becomes a cartridge, by %s', async (backend) => {
    const tokens = fieldProfile();
    expect(tokens.length).toBe(367);
    const bytes = await compileCartridge(tokens, { backend, name: 'field' });
    using tokenizer = Tokenizer.loadSync(bytes);
    expect(tokenizer.unknownId).toBe(tokens.indexOf('<UNK>'));
    expect(tokenizer.encode(text)).toEqual(naive(tokens, tokens.indexOf('<UNK>'))(Buffer.from(text)));
    expect(Buffer.compare(bytes, await compileCartridge(tokens, { name: 'field' }))).toBe(0);
    using slim = Tokenizer.loadSync(await compileCartridge(bytes, { backend, slim: true }));
    expect(slim.encode(text)).toEqual(tokenizer.encode(text));
  });

  it('may contain arbitrary bytes, and holes', async () => {
    const tokens = [Uint8Array.of(0), Uint8Array.of(0, 255), '', 'é', Uint8Array.of(0xc3), Uint8Array.of(0, 0)];
    using tokenizer = Tokenizer.loadSync(await compileCartridge(tokens));
    expect(tokenizer.encode(Uint8Array.of(0, 0, 0, 255, 0xc3, 0xa9, 0xc3))).toEqual(Uint32Array.of(5, 1, 3, 4));
    expect(() => tokenizer.decode([2])).toThrow(expect.objectContaining({ code: 'INVALID_ID' }));
    const large = 'ab'.repeat(2000);
    using long = Tokenizer.loadSync(await compileCartridge(['a', 'b', large]));
    expect(long.encode(`${large}a`)).toEqual(Uint32Array.of(2, 0));
  });

  it('may be in a file', async () => {
    writeFileSync(join(folder, 'list.json'), '["a", "b", "ab"]');
    writeFileSync(join(folder, 'list.txt'), 'a\r\nb\r\nab\r\n');
    writeFileSync(join(folder, 'vocab.json'), '{"vocab": {"ab": 2, "a": 0, "b": 1}}');
    const expected = await compileCartridge(['a', 'b', 'ab'], { name: 'list' });
    for (const source of [join(folder, 'list.json'), pathToFileURL(join(folder, 'list.txt'))]) {
      expect(Buffer.compare(await compileCartridge(source), expected)).toBe(0);
    }
    expect(Buffer.compare(await compileCartridge(join(folder, 'vocab.json'), { name: 'list' }), expected)).toBe(0);
  });

  it('may be read as ranks, and ranks as a list', async () => {
    const tokens = [...[...Array(256).keys()].map((byte) => Uint8Array.of(byte)), 'he', 'el', 'hel'];
    using merged = Tokenizer.loadSync(await compileCartridge(tokens, { model: 'bpe', pretokenizer: 'gpt2' }));
    expect(merged.modelKind).toBe('bpe');
    using matched = Tokenizer.loadSync(await compileCartridge(rankFile, { model: 'longest-match' }));
    expect(matched.modelKind).toBe('longest-match');
    expect(matched.encode('hello')).toEqual(Uint32Array.of(260, 108, 111));
  });

  it('is refused with the position of the error', async () => {
    const rejected = (source: any, options?: any) =>
      compileCartridge(source, options).then(
        () => undefined,
        (error) => error,
      );
    expect(await rejected(['a', 5])).toEqual(new TypeError('expected a string or a Uint8Array for source[1] but received 5'));
    expect(await rejected(5)).toEqual(
      new TypeError('expected a list of tokens, or what Tokenizer.load() takes (a name, a path or URL, bytes), for source but received 5'),
    );
    expect(await rejected(['a', , 'b'])).toEqual(new TypeError('expected a string or a Uint8Array for source[1] but received undefined'));
    expect(await rejected(['a'], { model: 'bpe' })).toBeInstanceOf(TypeError);
    expect(await rejected(['a'], { model: 'bpe', pretokenizer: 'gpt2', unknownId: 0 })).toBeInstanceOf(TypeError);
    expect(await rejected(['a'], { version: 4 })).toEqual(new TypeError('expected one of 2, 3 for version but received 4'));
    expect(await rejected(['a'], { version: 2, slim: true })).toBeInstanceOf(TypeError);
    expect(await rejected(['a'], { signal: 5 })).toEqual(new TypeError('expected an AbortSignal for signal but received 5'));
    expect(await rejected(['a'], { onProgress: 5 })).toBeInstanceOf(TypeError);
    expect(await rejected(join(folder, 'none.json'))).toMatchObject({ code: 'FILE_NOT_FOUND' });
  });
});

describe('a vocabulary that no cartridge can hold', () => {
  const refused = (source: any, options?: any) =>
    compileCartridge(source, options).then(
      () => expect.fail('compiled'),
      (error) => error,
    );
  const bytes = [...Array(256).keys()].map((byte) => Uint8Array.of(byte));
  const bpe = { model: 'bpe', pretokenizer: 'gpt2' };

  describe.each(['native', 'wasm'])('by %s', (backend) => {
    it.each<[string, any, any, string]>([
      ['no tokens', [], {}, 'expected at least one token that is not empty for source but received none'],
      ['empty tokens alone', ['', ''], {}, 'expected at least one token that is not empty for source but received 2 that are empty'],
      ['a long token', ['a', 'x'.repeat(65_536)], {}, 'expected at most 65535 bytes for source[1] but received 65536'],
      ['a token that is long in UTF-8', ['é'.repeat(40_000)], {}, 'expected at most 65535 bytes for source[0] but received 80000'],
      [
        'a long special token',
        ['a'],
        { specialTokens: { ['é'.repeat(513)]: 1 } },
        `expected at most 1024 bytes for specialTokens["${'é'.repeat(100)}…"] but received 1026`,
      ],
      [
        'an unknown id past the end',
        ['a', 'b'],
        { unknownId: 7 },
        'expected the id of a token (they have 0 to 1) for unknownId but received 7',
      ],
      [
        'the unknown id of an empty token',
        ['a', '', 'b'],
        { unknownId: 1 },
        'expected the id of a token (they have 0 to 2) for unknownId but received 1',
      ],
      [
        'a special token with the id of another token',
        ['a', 'b'],
        { specialTokens: { '<x>': 1 } },
        'expected an id without a token (1 is the id of "b") for specialTokens["<x>"] but received 1',
      ],
      [
        'two special tokens of one id',
        ['a'],
        { specialTokens: { '<x>': 1, '<y>': 1 } },
        'expected an id other than that of "<x>" for specialTokens["<y>"] but received 1',
      ],
      [
        'an id that longest match reserves',
        ['a'],
        { specialTokens: { '<x>': 0xfffffff0 } },
        'expected an id below 4294967280 for specialTokens["<x>"] but received 4294967280',
      ],
      [
        'an empty special token',
        ['a'],
        { specialTokens: { '': 1 } },
        'expected texts that are not empty for the keys of specialTokens but received ""',
      ],
    ])('%s', async (_, source, options, message) => {
      const error = await refused(source, { ...options, backend });
      expect(error).toBeInstanceOf(RangeError);
      expect(error.message).toBe(message);
      expect(error.stack).toContain('compile.test.ts');
    });

    it('two equal tokens', async () => {
      const error = await refused(['a', 'b', 'ab', Uint8Array.of(0x62)], { backend });
      expect(error).toMatchObject({ name: 'TokenizerError', code: 'DUPLICATE_TOKEN', position: 3 });
      expect(error.message).toBe('cannot compile a list of 4 tokens: the ids 1 and 3 have the same token, "b"');
      const ofBytes = await refused([...bytes, 'he', Uint8Array.of(0xff)], { ...bpe, backend });
      expect(ofBytes).toMatchObject({ code: 'DUPLICATE_TOKEN', position: 257 });
      expect(ofBytes.message).toContain('the ids 255 and 257 have the same token, the bytes 0xff');
    });

    it('two equal tokens, unless decoding may have made them equal: the last is found', async () => {
      const options = { backend: backend as 'native' | 'wasm' };
      const compiled = await compileCartridge(['a', '\ufffd', 'b', 'b\ufffd', '\ufffd'], options);
      using tokenizer = await Tokenizer.load(compiled, options);
      expect(Array.from(tokenizer.encode('\ufffdab\ufffd\ufffd'))).toEqual([4, 0, 3, 4]);
      expect(tokenizer.decode([1, 4])).toBe('\ufffd\ufffd');
    });

    it('two special tokens that are equal in UTF-8', async () => {
      const error = await refused(['a'], { specialTokens: { 'x\ud800': 5, 'x\ud801': 6 }, backend });
      expect(error).toMatchObject({ code: 'DUPLICATE_TOKEN', position: 6 });
      expect(error.message).toContain('another special token has the same bytes as "x\\ud801" (id 6)');
    });

    it('BPE without a token for some byte', async () => {
      const error = await refused([...bytes.slice(0, 0x41), ...bytes.slice(0x42)], { ...bpe, backend });
      expect(error).toMatchObject({ name: 'TokenizerError', code: 'MISSING_BYTE_TOKEN', position: 0x41 });
      expect(error.message).toContain('no token is the byte 0x41 alone, and BPE needs one for each of the 256 bytes');
    });

    it('an unknown id that is missing from a version 2 file', async () => {
      const dat = await compileCartridge(['a', 'b'], { version: 2 });
      const error = await refused(dat, { unknownId: 7, backend });
      expect(error.message).toMatch(/^cannot .*: it has no token with the unknown id 7$/);
    });
  });

  it('in a file, naming it in the error', async () => {
    const file = (name: string, text: string | Uint8Array) => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    };
    expect((await refused(file('empty.txt', ''))).message).toMatch(/^expected at least one token .* for .*empty\.txt but received none$/);
    expect((await refused(file('long.json', JSON.stringify(['a', 'x'.repeat(70_000)])))).message).toMatch(
      /^expected at most 65535 bytes for token 1 of .*long\.json but received 70000$/,
    );
    const binary = await refused(file('binary.txt', Buffer.from('a\nb\n\xc3(\n', 'latin1')));
    expect(binary.message).toMatch(/cannot read the tokens of .*binary\.txt: it is not UTF-8 from byte 4 on$/);
    expect((await refused(file('cut.json', Buffer.from('["\xe2\x82', 'latin1')))).message).toMatch(/not UTF-8 from byte 2 on$/);
    expect((await refused(file('double.txt', 'a\nb\na\n'))).message).toMatch(/double\.txt: the ids 0 and 2 have the same token, "a"$/);
  });

  it('with options that do not apply to it', async () => {
    expect(await refused(['a'], { pretokenizer: 'bert' })).toEqual(
      new TypeError(
        'expected one of gpt2, cl100k, o200k, qwen2, tekken, deepseek3, none, or a pattern for pretokenizer but received "bert"',
      ),
    );
    for (const specialTokens of [new Map([['<x>', 1]]), [['<x>', 1]], 'x', null]) {
      expect((await refused(['a'], { specialTokens })).message).toMatch(/^expected an object of tokens and their ids for specialTokens/);
    }
  });
});

describe('an argument of compileCartridge', () => {
  const shared = (bytes: Uint8Array) => {
    const copy = new Uint8Array(new SharedArrayBuffer(bytes.length));
    copy.set(bytes);
    return copy;
  };

  it('may change as soon as it returns: a list', async () => {
    const make = () => ['a', Uint8Array.of(0x62), shared(Uint8Array.of(0x61, 0x62)), '<unk>'] as (string | Uint8Array)[];
    const options = () => ({ name: 'one', specialTokens: { '<x>': 9 } as Record<string, number>, unknownId: 3, slim: false });
    const expected = await compileCartridge(make(), options());
    const tokens = make();
    const changing = options();
    const promise = compileCartridge(tokens, changing);
    (tokens[1] as Uint8Array)[0] = 0x7a;
    (tokens[2] as Uint8Array).fill(0x7a);
    tokens.length = 1;
    Object.assign(changing, { name: 'two', unknownId: 0, slim: true });
    changing.specialTokens['<x>'] = 11;
    changing.specialTokens['<y>'] = 10;
    expect(Buffer.compare(await promise, expected)).toBe(0);
  });

  it.each([
    ['bytes', (bytes: Uint8Array) => bytes, (bytes: Uint8Array) => bytes.fill(0)],
    [
      'a buffer',
      (bytes: Uint8Array) => bytes.buffer as ArrayBuffer,
      (buffer: ArrayBuffer) => structuredClone(buffer, { transfer: [buffer] }),
    ],
    ['a DataView', (bytes: Uint8Array) => new DataView(bytes.buffer), (view: DataView) => view.setUint32(0, 0)],
    ['a SharedArrayBuffer', (bytes: Uint8Array) => shared(bytes).buffer, (buffer: SharedArrayBuffer) => new Uint8Array(buffer).fill(0)],
  ] as [string, (bytes: Uint8Array) => any, (source: any) => unknown][])(
    'may change as soon as it returns: %s',
    async (_, make, change) => {
      const source = make(new Uint8Array(built('r50k_base.slim.cray')));
      const promise = compileCartridge(source);
      change(source);
      expect(Buffer.compare(await promise, built('r50k_base.cray'))).toBe(0);
    },
  );

  it('may change as soon as it returns: a URL', async () => {
    const url = pathToFileURL(`${cartridges}r50k_base.slim.cray`);
    const promise = compileCartridge(url);
    url.pathname = '/nowhere.cray';
    expect(Buffer.compare(await promise, built('r50k_base.cray'))).toBe(0);
  });

  it('is read only once', async () => {
    let reads = 0;
    const once = <T extends object>(value: T): T =>
      new Proxy(value, {
        get(target, key) {
          if (typeof key === 'string' && key !== 'length' && key !== 'constructor') reads++;
          return Reflect.get(target, key);
        },
      });
    const bytes = await compileCartridge(once(['a', 'b', 'ab']), once({ name: 'mine', slim: true }));
    expect(reads).toBe(3 + 12); // the tokens, and every option
    expect(Buffer.compare(bytes, await compileCartridge(['a', 'b', 'ab'], { name: 'mine', slim: true }))).toBe(0);
  });

  it('may be a list whose getters detach memory', async () => {
    const bytes = Uint8Array.of(0x61);
    const tokens = [bytes, 'b'];
    Object.defineProperty(tokens, 1, { get: () => structuredClone('b', { transfer: [bytes.buffer] }) });
    await expect(compileCartridge(tokens)).rejects.toThrow(/cannot read source\[0\]: its buffer has been transferred/);
  });
});

describe('while it compiles', () => {
  it('reports its progress', async () => {
    const told: { stage: string; fraction: number }[] = [];
    await compileCartridge(rankFile, { pretokenizer: 'gpt2', onProgress: (progress) => told.push(progress) });
    const stages = ['read', 'tokens', 'build'];
    expect(told).toEqual(
      stages.flatMap((stage) => [
        { stage, fraction: 0 },
        { stage, fraction: 1 },
      ]),
    );
    const mistake = new Error('a mistake');
    const failing = compileCartridge('r50k_base', {
      onProgress() {
        throw mistake;
      },
    });
    await expect(failing).rejects.toBe(mistake);
  });

  it('can be aborted', async () => {
    const reason = new Error('enough');
    await expect(compileCartridge('o200k_base', { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const controller = new AbortController();
    const compiling = compileCartridge('o200k_base', {
      signal: controller.signal,
      onProgress: () => controller.abort(reason),
    });
    await expect(compiling).rejects.toBe(reason);
  });

  it('can be aborted at any moment, by a signal or by the process exiting, without harm', () => {
    const index = new URL('../../dist/node/index.js', import.meta.url);
    const source = `
      import { compileCartridge, Tokenizer } from '${index}';
      for (let round = 0; round < 12; round++) {
        const signal = AbortSignal.timeout(10 + 25 * round);
        await compileCartridge('cl100k_base', { signal }).catch((error) => { if (error !== signal.reason) throw error; });
      }
      compileCartridge('o200k_base');
      setTimeout(() => { console.log(Tokenizer.loadSync('gpt2').count('hello world')); process.exit(); }, 250);`;
    expect(execFileSync(process.execPath, ['--input-type=module', '--eval', source], { encoding: 'utf8' })).toBe('2\n');
  });

  // A terminated thread of Node leaves open the file it is reading; and when the arguments of the addon could no longer be
  // read, the process was aborted.
  it.skipIf(!existsSync('/proc/self/fd'))('can be aborted hundreds of times, and leaves no file open', () => {
    const entry = new URL(`../../dist/node/${inject('backend') === 'wasm' ? 'wasm' : 'index'}.js`, import.meta.url);
    const source = `
      import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
      import { setTimeout } from 'node:timers/promises';
      import { compileCartridge } from '${entry}';
      const tokens = Array.from({ length: 40_000 }, (_, i) => 'token ' + i);
      writeFileSync('many.json', JSON.stringify(tokens));
      writeFileSync('many.dat', await compileCartridge(tokens, { version: 2 }));
      const open = () => readdirSync('/proc/self/fd').length;
      const mapped = () => readFileSync('/proc/self/maps', 'utf8').split('\\n').filter((line) => /\\.(cray|dat)$/.test(line)).length;
      const settled = async () => {
        for (let i = 0; i < 10; i++) await setTimeout(30);
        return [open(), mapped()].join();
      };
      const reason = new Error('enough');
      async function endAt(source, stage, delay) {
        const controller = new AbortController();
        const abort = () => controller.abort(reason);
        const onProgress = (progress) => void (progress.stage === stage && (delay === 0 ? abort() : setTimeout(delay).then(abort)));
        const compiling = compileCartridge(source, { signal: controller.signal, onProgress });
        if (stage === 'timer') setTimeout(delay).then(abort);
        await compiling.catch((error) => { if (error !== reason) throw error; });
      }
      const sources = ['r50k_base', 'many.json', 'many.dat', tokens];
      for (const source of sources) await endAt(source, 'timer', 300);
      const before = await settled();
      for (let round = 0; round < ${sample(120, 16)}; round++) await endAt(sources[round % 3], 'timer', (7 * round) % 55);
      for (let round = 0; round < ${sample(36, 6)}; round++) await endAt(sources[round % 4], ['read', 'tokens', 'build'][round % 3], 0);
      for (let round = 0; round < ${sample(40, 6)}; round++) await endAt(sources[1 + 2 * (round & 1)], 'build', round % 9);
      console.log(await settled() === before ? 'as before' : \`\${before}, then \${await settled()}\`);`;
    const options = { encoding: 'utf8', cwd: folder } as const;
    expect(execFileSync(process.execPath, ['--input-type=module', '--eval', source], options)).toBe('as before\n');
  });

  it('does not stop the next one, which may run on the same thread', async () => {
    for (let round = 0; round < 10; round++) {
      const controller = new AbortController();
      const ended = compileCartridge('r50k_base', { slim: true, signal: controller.signal });
      await new Promise((done) => setTimeout(done, 6 * round));
      controller.abort(new Error('enough'));
      const [next, other] = [compileCartridge(rankFile, { pretokenizer: 'gpt2' }), compileCartridge('r50k_base', { slim: true })];
      // A fast machine may have finished by then, but not immediately.
      const outcome = await ended.then(
        () => 'done',
        (error: Error) => error.message,
      );
      expect(round === 0 ? ['enough'] : ['enough', 'done']).toContain(outcome);
      expect(Buffer.compare(await other, built('r50k_base.slim.cray'))).toBe(0);
      using tokenizer = Tokenizer.loadSync(await next);
      expect(tokenizer.metadata).toEqual({ name: 'mine' });
    }
  });
});

describe('crayon compile', () => {
  it('writes a slim cartridge, and the full one of it', () => {
    expect(crayon(['compile', 'r50k_base', '-o', 'a.slim.cray', '--slim'], folder)).toMatchObject({
      status: 0,
      stdout: `a.slim.cray: ${built('r50k_base.slim.cray').length.toLocaleString('en')} bytes, slim\n`,
      stderr: '',
    });
    const { status, stdout } = crayon(['compile', 'a.slim.cray', '-o', 'a.cray', '--json'], folder);
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ file: 'a.cray', bytes: built('r50k_base.cray').length, slim: false });
    expect(Buffer.compare(readFileSync(join(folder, 'a.cray')), built('r50k_base.cray'))).toBe(0);
  });

  it('compiles a rank file', () => {
    const options = ['-p', 'gpt2', '-n', 'tiny', '-t', '<|a|>=300', '-t', '<|b=c|>=301'];
    expect(crayon(['compile', 'mine.tiktoken', '-o', 'tiny.cray', ...options], folder).status).toBe(0);
    const { stdout } = crayon(['encode', '-e', './tiny.cray', '-s', 'allow'], folder, 'hello<|a|><|b=c|>');
    expect(stdout).toBe('260 108 111 300 301\n');
  });

  it('describes a slim cartridge in inspect', () => {
    const { stdout } = crayon(['inspect', '--json', `${cartridges}r50k_base.slim.cray`], folder);
    const { sections } = JSON.parse(stdout) as { sections: { id: number; name: string; share: number }[] };
    expect(sections.map(({ name }) => name)).toEqual(['Metadata', 'Model', 'Views', 'Added tokens', 'Merges']);
    expect(sections.every(({ share }) => share < 1)).toBe(true);
  });

  it('leaves no files behind when it fails', () => {
    const before = readdirSync(folder);
    expect(crayon(['compile', 'mine.tiktoken', '-o', 'x.cray'], folder)).toMatchObject({ status: 2, stdout: '' });
    expect(crayon(['compile', 'no-such', '-o', 'x.cray'], folder)).toMatchObject({ status: 1 });
    expect(crayon(['compile', 'r50k_base', '-o', 'no/such/folder/x.cray'], folder)).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^crayon: cannot write no\/such\/folder\/x\.cray: /),
    });
    expect(crayon(['compile', 'r50k_base'], folder)).toMatchObject({ status: 2 });
    expect(crayon(['compile', 'mine.tiktoken', '-o', 'x.cray', '-t', 'nothing'], folder)).toMatchObject({ status: 2 });
    expect(readdirSync(folder)).toEqual(before);
    expect(existsSync(join(folder, 'x.cray'))).toBe(false);
  });
});
