// The drop-in for npm tiktoken and the original: the examples of its documentation and the assertions of its tests, the
// same calls with generated arguments, and programs that differ only in the import.

import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import * as theirs from 'tiktoken';
import type * as theirInit from 'tiktoken/init';
import * as theirLite from 'tiktoken/lite';
import type * as theirLiteInit from 'tiktoken/lite/init';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TokenizerError } from 'crayon-tokenizer';
import * as ours from 'crayon-tokenizer/tiktoken';
import * as init from 'crayon-tokenizer/tiktoken/init';
import * as lite from 'crayon-tokenizer/tiktoken/lite';
import * as liteInit from 'crayon-tokenizer/tiktoken/lite/init';
import { Random } from '../fuzz/random.mjs';
import { nastyString } from '../fuzz/strings.mjs';
import { SAMPLED_TIKTOKEN_ENCODINGS } from './encodings.js';
import { sample, SHARE } from '../share.js';

const SEED = 20261121;
const require = createRequire(import.meta.url);
const project = fileURLToPath(new URL('../..', import.meta.url));

const utf8 = (text: string) => new TextEncoder().encode(text);
const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
const wrong = (value: unknown): any => value;

/** The original's take up to a second to create: one for each published encoding. */
const published = new Map<string, theirs.Tiktoken>();
function theirsOf(name: string): theirs.Tiktoken {
  const encoder = published.get(name) ?? theirs.get_encoding(name as theirs.TiktokenEncoding);
  published.set(name, encoder);
  return encoder;
}
afterAll(() => published.forEach((encoder) => encoder.free()));

// Checked by the compiler: everything that tiktoken's types offer exists, with the same parameter and result types.
const module: typeof theirs = ours;
const initModule: typeof theirInit = init;
const liteModule: typeof theirLite = lite;
const liteInitModule: typeof theirLiteInit = liteInit;
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const sameModels: Same<theirs.TiktokenModel, ours.TiktokenModel> = true;
const sameEncodings: Same<theirs.TiktokenEncoding, ours.TiktokenEncoding> = true;
const sameArguments: Same<ConstructorParameters<typeof theirs.Tiktoken>, ConstructorParameters<typeof ours.Tiktoken>> = true;
void [module, initModule, liteModule, liteInitModule, sameModels, sameEncodings, sameArguments];

describe('the documented examples', () => {
  it('decode what they encode', () => {
    const encoder = ours.get_encoding('gpt2');
    expect(text(encoder.decode(encoder.encode('hello world')))).toBe('hello world');
    expect(encoder.encode('hello world')).toStrictEqual(Uint32Array.of(31373, 995));
    encoder.free();
  });

  it('find the encoding of a model', () => {
    expect(ours.encoding_for_model('text-davinci-003').name).toBe('p50k_base');
    expect(ours.encoding_for_model('gpt2').name).toBe('gpt2');
    expect(ours.get_encoding_name_for_model('gpt-4o')).toBe('o200k_base');
  });

  it('extend an encoding with special tokens', () => {
    const encoder = ours.encoding_for_model('gpt2', { '<|im_start|>': 100264, '<|im_end|>': 100265 });
    expect(encoder.encode('<|im_start|>test<|im_end|>', 'all')).toStrictEqual(Uint32Array.of(100264, 9288, 100265));
    expect(text(encoder.decode(Uint32Array.of(100264, 9288, 100265, 50256)))).toBe('<|im_start|>test<|im_end|><|endoftext|>');
    expect(() => encoder.encode('<|im_start|>')).toThrow('The text contains a special token that is not allowed: <|im_start|>');
    expect(encoder.encode_single_token(utf8('<|im_end|>'))).toBe(100265);
    expect(encoder.encode_single_token('<|im_end|>')).toBe(100265); // as in Python
    expect(encoder.encode_single_token('hello')).toBe(31373);
    expect(encoder.encode_single_token(Array.from(utf8('hello')) as never)).toBe(31373); // as in the package
    expect(text(encoder.decode_single_token_bytes(100265))).toBe('<|im_end|>');
  });

  it('govern special tokens', () => {
    const encoder = ours.get_encoding('gpt2', { '<|im_start|>': 100264 });
    expect(encoder.encode('hello <|endoftext|>', 'all')).toStrictEqual(Uint32Array.of(31373, 220, 50256));
    expect(encoder.encode('<|endoftext|>', ['<|endoftext|>'])).toStrictEqual(Uint32Array.of(50256));
    expect(encoder.encode('<|endoftext|>', [], [])).toStrictEqual(Uint32Array.of(27, 91, 437, 1659, 5239, 91, 29));
    expect(() => encoder.encode('<|endoftext|>')).toThrow('The text contains a special token that is not allowed');
    expect(() => encoder.encode('hello world', wrong('invalid-string'))).toThrow('Invalid value for allowed_special');
    expect(() => encoder.encode('hello world', [], wrong('invalid-string'))).toThrow('Invalid value for disallowed_special');
  });

  it('refuse unknown names', () => {
    expect(() => ours.get_encoding(wrong('unknown'))).toThrow(new Error('Invalid encoding'));
    expect(() => ours.encoding_for_model(wrong('gpt2-unknown'))).toThrow(new Error('Invalid model: gpt2-unknown'));
    expect(() => ours.get_encoding_name_for_model(wrong('gpt-oss-20b'))).toThrow(new Error('Invalid model: gpt-oss-20b'));
  });

  it.each(SAMPLED_TIKTOKEN_ENCODINGS)('of tiktoken/lite make an encoder from the ranks of %s', (name) => {
    const { bpe_ranks, special_tokens, pat_str } = require(`tiktoken/encoders/${name}.json`);
    const encoder = new ours.Tiktoken(bpe_ranks, special_tokens, pat_str);
    const reference = theirsOf(name);
    const some = "hello world, it's 12345 ünïcödé 語 \r\n\n <|endoftext|>!";
    expect(encoder.name).toBeUndefined();
    expect(encoder.encode(some, 'all')).toStrictEqual(reference.encode(some, 'all'));
    expect(encoder.decode(reference.encode(some, 'all'))).toStrictEqual(utf8(some));
    expect(encoder.token_byte_values().length).toBe(reference.token_byte_values().length);
    encoder.free();
  });

  it('of tiktoken/init need no callback', async () => {
    expect(await init.init(() => expect.fail('called'))).toBeUndefined();
    expect(init.get_encoding('cl100k_base').encode('hello world')).toStrictEqual(Uint32Array.of(15339, 1917));
    expect(init.default.Tiktoken).toBe(ours.Tiktoken);
  });

  it('of tiktoken/lite/init need no callback', async () => {
    expect(await liteInit.init(() => expect.fail('called'))).toBeUndefined();
    expect(Object.keys(liteInit).sort()).toEqual(['Tiktoken', 'default', 'init']);
  });

  it('of tiktoken/lite list its exports', () => {
    expect(Object.keys(lite).sort()).toEqual([...Object.keys(require('tiktoken/lite')), 'default'].sort());
    expect(lite.Tiktoken).toBe(ours.Tiktoken);
    expect(lite.default).toEqual({ Tiktoken: lite.Tiktoken });
  });
});

describe.each(SAMPLED_TIKTOKEN_ENCODINGS)('%s', (name) => {
  const added = { '<|im_start|>': 300_264, '🦜 <b>': 300_300, stop: 300_301 };
  const pairs: { our: ours.Tiktoken; their: theirs.Tiktoken; special: string[] }[] = [];
  /** Encodings whose full token tables are compared: in a sample, one of the two. */
  const listed = () => (SHARE === 1 ? pairs : [pairs[SAMPLED_TIKTOKEN_ENCODINGS.indexOf(name) % 2]!]);
  beforeAll(() => {
    const encoding = name as theirs.TiktokenEncoding;
    const special = Object.keys(require(`tiktoken/encoders/${name}.json`).special_tokens);
    pairs.push({ our: ours.get_encoding(encoding), their: theirsOf(name), special });
    const extended = [...special, ...Object.keys(added)];
    pairs.push({ our: ours.get_encoding(encoding, added), their: theirs.get_encoding(encoding, added), special: extended });
  });
  afterAll(() => [...pairs.map(({ our }) => our), pairs[1]!.their].forEach((encoder) => encoder.free()));

  it('encodes the same on generated arguments', () => {
    const seen = { returned: 0, threw: 0 };
    for (let index = 0; index < sample(1500); index++) {
      const random = new Random(SEED, index);
      const { our, their, special } = random.pick(pairs);
      const choice = () => {
        const names = [...special, 'no such token', 'e'].filter(() => random.chance(0.3));
        const odd = [null, {}, 5, true, [5], [null], new Array(2), new Set(special), '', 'ALL', new String('all'), new Map()];
        return random.pick(['all', 'all', undefined, [], names, names, names, random.pick(odd)] as any[]);
      };
      const parts = Array.from({ length: random.integer(1, 4) }, (_, part) => [
        nastyString(SEED, index * 8 + part).slice(0, 80),
        random.chance(0.5) ? random.pick(special).slice(random.chance(0.8) ? 0 : 1) : '',
      ]);
      const call: [string, any, any] = [parts.flat().join(''), choice(), choice()];
      const expected = outcome(() => their.encode(...call));
      const shown = () => `index ${index}: ${JSON.stringify(call)}`;
      expect(
        outcome(() => our.encode(...call)),
        shown(),
      ).toStrictEqual(expected);
      expect(our.encode_ordinary(call[0]), shown()).toStrictEqual(their.encode_ordinary(call[0]));
      if (!(expected instanceof Uint32Array)) seen.threw++;
      else {
        seen.returned++;
        expect(our.decode(expected), shown()).toStrictEqual(their.decode(expected));
      }
    }
    expect(seen.returned).toBeGreaterThan(sample(500) / 2);
    expect(seen.threw).toBeGreaterThan(sample(300) / 2);
  });

  it('completes the same ends of texts', () => {
    let completions = 0;
    for (let index = 0; index < sample(20, 4); index++) {
      const random = new Random(SEED, 7, index);
      const { our, their, special } = random.pick(listed());
      const ending = nastyString(SEED + 1, index).slice(0, random.integer(0, 12));
      const typed = random.pick([`some words ${random.pick(special)}`, 'a', '', '(\n ']) + ending;
      const [stable, possible] = our.encode_with_unstable(typed, 'all') as [number[], number[][]];
      const [theirStable, theirPossible] = their.encode_with_unstable(typed, 'all') as [number[], number[][]];
      expect(stable, `index ${index}`).toEqual(theirStable);
      // The original's come in hash table order. Compared as text, since there are many.
      expect(possible.map(String).sort().join('\n') === theirPossible.map(String).sort().join('\n'), `index ${index}`).toBe(true);
      completions += possible.length;
    }
    expect(completions).toBeGreaterThan(100);
  });

  it('has the same tokens', () => {
    for (const { our, their } of listed()) {
      expect(our.name).toBe(their.name);
      const values = their.token_byte_values();
      expectSameTokens(our.token_byte_values(), values);
      const { length } = values;
      for (let id = 0; id < length; id += 101) {
        const bytes = their.decode_single_token_bytes(id);
        expect(our.decode_single_token_bytes(id)).toStrictEqual(bytes);
        expect(our.encode_single_token(bytes)).toBe(id);
      }
    }
  });
});

/** `toEqual` takes seconds for this many. */
function expectSameTokens(own: number[][], expected: number[][]) {
  expect(own.length).toBe(expected.length);
  for (let id = 0; id < own.length; id++)
    if (String(own[id]) !== String(expected[id])) expect(own[id], `token ${id}`).toEqual(expected[id]);
}

/** The result of a call, or the class and message of its error. */
function outcome(call: () => unknown): unknown {
  try {
    return call();
  } catch (error) {
    return `${(error as Error).constructor.name}: ${(error as Error).message}`;
  }
}

describe('ranks of the user', () => {
  const PATTERNS = ['gpt2', 'cl100k_base', 'o200k_base'].map((name) => require(`tiktoken/encoders/${name}.json`).pat_str as string);

  it("give tiktoken's ids", () => {
    let refused = 0;
    for (let index = 0; index < sample(60); index++) {
      const random = new Random(SEED, 3, index);
      const tokens = Array.from({ length: 256 }, (_, byte) => Buffer.from([byte]));
      for (let at = 255; at > 0; at--) swap(tokens, at, random.integer(0, at));
      // Two tokens joined, and occasionally bytes that no merge makes.
      const known = new Set(tokens.map((token) => token.toString('hex')));
      while (tokens.length < 400) {
        const token = random.chance(0.98)
          ? Buffer.concat([random.pick(tokens), random.pick(random.chance(0.5) ? tokens : [Buffer.from('e'), Buffer.from(' ')])])
          : Buffer.from(nastyString(SEED, index * 1000 + tokens.length).slice(0, 5));
        if (token.length === 0 || known.has(token.toString('hex'))) continue;
        known.add(token.toString('hex'));
        tokens.push(token);
      }
      const lines = tokens.map((token, rank) => `${token.toString('base64')} ${rank}`).join('\n');
      const compressed = `! 0 ${tokens.map((token) => token.toString('base64')).join(' ')}`;
      const special = { '<|end|>': 1000, '<|begin|>': 2000 };
      const pattern = random.pick(PATTERNS);
      const made = outcome(() => new ours.Tiktoken(random.chance(0.5) ? lines : compressed, special, pattern));
      if (!(made instanceof ours.Tiktoken)) {
        // A token that merges from a later one: training never makes such ranks.
        expect(made).toMatch(/a table could not be built for this vocabulary: merging makes token \d+ of .* a tokenizer\.json can list/);
        refused++;
        continue;
      }
      const our = made;
      const their = new theirs.Tiktoken(lines, special, pattern);
      for (let part = 0; part < 20; part++) {
        const some = `${nastyString(SEED, index * 20 + part).slice(0, 200)}<|end|>`;
        const ids = their.encode(some, 'all');
        expect(our.encode(some, 'all'), `index ${index}: ${JSON.stringify(some)}`).toStrictEqual(ids);
        expect(our.decode(ids)).toStrictEqual(their.decode(ids));
      }
      our.free();
      their.free();
    }
    expect(refused).toBeLessThan(Math.max(2, sample(60)) / 2);
  });
  const swap = (list: unknown[], a: number, b: number) => ([list[a], list[b]] = [list[b], list[a]]);

  it('of an encoding have only the special tokens passed with them', () => {
    const { bpe_ranks, pat_str } = require('tiktoken/encoders/gpt2.json');
    const choices: Record<string, number>[] = [
      {},
      { '<|other|>': 50_256 },
      { '<|endoftext|>': 60_000 },
      { '<|endoftext|>': 50_256, '<|more|>': 60_000 },
    ];
    for (const special of choices) {
      const [our, their] = [new ours.Tiktoken(bpe_ranks, special, pat_str), new theirs.Tiktoken(bpe_ranks, special, pat_str)];
      const some = 'hello<|endoftext|>world<|other|> <|more|>!';
      const ids = their.encode(some, 'all');
      expect(our.encode(some, 'all')).toStrictEqual(ids);
      expect(our.decode(ids)).toStrictEqual(their.decode(ids));
      expectSameTokens(our.token_byte_values(), their.token_byte_values());
      for (const name of ['<|endoftext|>', '<|other|>']) {
        if (name in special) expect(our.encode_single_token(utf8(name))).toBe(their.encode_single_token(utf8(name)));
        else expect(() => our.encode_single_token(utf8(name))).toThrow(`no token is "${name}"`);
      }
      const has = Object.values(special).includes(50_256);
      if (has) expect(our.decode(Uint32Array.of(31373, 50_256))).toStrictEqual(their.decode(Uint32Array.of(31373, 50_256)));
      else expect(() => our.decode(Uint32Array.of(31373, 50_256))).toThrow('the id 50256 at index 1 is not in the vocabulary');
      const [stable, possible] = our.encode_with_unstable(`${some} fanta`, 'all') as [number[], number[][]];
      const [theirStable, theirPossible] = their.encode_with_unstable(`${some} fanta`, 'all') as [number[], number[][]];
      expect([stable, possible.map(String).sort()]).toEqual([theirStable, theirPossible.map(String).sort()]);
      our.free();
      their.free();
    }
  });

  const bytes = Array.from({ length: 256 }, (_, byte) => `${Buffer.from([byte]).toString('base64')} ${byte}`);
  it.each([
    ['another pattern', bytes.join('\n'), {}, '\\w+', RangeError, 'the pattern of gpt2, r50k_base, p50k_base, cl100k_base or o200k_base'],
    ['no pattern', bytes.join('\n'), {}, undefined, TypeError, 'expected a string for pat_str'],
    ['ranks that are no string', 5, {}, PATTERNS[0], TypeError, 'expected the ranks as a string for tiktoken_bfe but received 5'],
    ['no base64', 'IQ== 0\n*** 1', {}, PATTERNS[0], RangeError, 'line 2 of tiktoken_bfe'],
    ['no rank', 'IQ==', {}, PATTERNS[0], RangeError, 'line 1 of tiktoken_bfe'],
    ['a rank that is no number', 'IQ== ', {}, PATTERNS[0], RangeError, 'line 1 of tiktoken_bfe'],
    ['one rank twice', 'IQ== 0\nIg== 0', {}, PATTERNS[0], RangeError, 'expected each rank once for line 2 of tiktoken_bfe'],
    ['a rank that no table has', 'IQ== 4000000000', {}, PATTERNS[0], RangeError, 'line 1 of tiktoken_bfe'],
    ['no ranks', '', {}, PATTERNS[0], TokenizerError, 'cannot make a tokenizer of these ranks'],
    ['a byte without a token', bytes.slice(1).join('\n'), {}, PATTERNS[0], TokenizerError, 'no token for the single byte'],
    ['one token twice', [...bytes, 'IQ== 256'].join('\n'), {}, PATTERNS[0], TokenizerError, 'have the same bytes'],
    [
      'an id that is no number',
      bytes.join('\n'),
      { a: '1' },
      PATTERNS[0],
      TypeError,
      'expected an id for special_tokens["a"] but received "1"',
    ],
    ['an id out of range', bytes.join('\n'), { a: -1 }, PATTERNS[0], RangeError, 'expected an id of 32 bits for special_tokens["a"]'],
    ['a special token without a name', bytes.join('\n'), { '': 1 }, PATTERNS[0], RangeError, 'not empty'],
    [
      'special tokens that are no object',
      bytes.join('\n'),
      'a',
      PATTERNS[0],
      TypeError,
      'expected an object of names and ids for special_tokens',
    ],
  ])('with %s are refused', (_, ranks, special, pattern, kind, message) => {
    const make = () => new ours.Tiktoken(wrong(ranks), wrong(special), wrong(pattern));
    expect(make).toThrow(kind);
    expect(make).toThrow(message);
  });
});

describe('an encoder', () => {
  it('returns ids in their own memory', () => {
    const encoder = ours.get_encoding('cl100k_base');
    for (const ids of [encoder.encode('hello world'), encoder.encode_ordinary('hello world'), encoder.encode('', 'all')]) {
      expect(ids.buffer.byteLength).toBe(ids.byteLength);
    }
  });

  it('finds the longest of special tokens with a common prefix', () => {
    const encoder = ours.get_encoding('gpt2', { '<|a': 300_000, '<|a|>': 300_001, '<|a|>b': 300_002 });
    expect([...encoder.encode('<|a<|a|>b<|a|>', 'all')]).toEqual([300_000, 300_002, 300_001]);
  });

  it('prefers the ordinary token if a special one has its id', () => {
    const encoder = ours.get_encoding('gpt2', { '<|a|>': 995 });
    const reference = theirs.get_encoding('gpt2', { '<|a|>': 995 });
    for (const { encode, decode } of [encoder, reference].map((it) => ({ encode: it.encode.bind(it), decode: it.decode.bind(it) }))) {
      expect([...encode('<|a|>', 'all')]).toEqual([995]);
      expect(text(decode(Uint32Array.of(995)))).toBe(' world');
    }
  });

  it("names the invalid argument, on the user's line", () => {
    const encoder = ours.get_encoding('cl100k_base', { '<|a|>': 300_000 });
    const cases: [() => unknown, new (...args: never[]) => Error, string][] = [
      [() => encoder.encode(wrong(5)), TypeError, 'expected a string for text but received 5'],
      [() => encoder.encode_ordinary(wrong(undefined)), TypeError, 'expected a string for text but received undefined'],
      [
        () =>
          encoder.encode(
            'a',
            wrong(() => 1),
          ),
        TypeError,
        "expected 'all' or a list of special tokens for allowed_special",
      ],
      [() => encoder.encode_single_token(wrong(5)), TypeError, 'expected a string or a Uint8Array for bytes but received 5'],
      [() => encoder.encode_single_token(utf8('hello world')), TokenizerError, 'no token is "hello world"'],
      [() => encoder.decode(wrong('1')), TypeError, 'expected an array or typed array of token ids for ids'],
      [() => encoder.decode(Uint32Array.of(1, 300_000, 2, 299_999)), TokenizerError, 'the id 299999 at index 3'],
      [() => encoder.decode_single_token_bytes(999_999), TokenizerError, 'the id 999999'],
      [() => encoder.encode_with_unstable('a'.repeat(5000)), TokenizerError, 'more than 1024 bytes before it'],
      [() => encoder.encode_with_unstable(' \n'.repeat(5000)), TokenizerError, 'more than 1024 bytes before it'],
      [() => ours.get_encoding(wrong(undefined)), TypeError, 'expected the name of an encoding for encoding'],
      [() => ours.encoding_for_model(wrong(5)), TypeError, 'expected the name of a model for model but received 5'],
      [() => ours.get_encoding('gpt2', wrong({ a: 1.5 })), TypeError, 'expected an id for extend_special_tokens["a"]'],
    ];
    for (const [call, kind, message] of cases) {
      const error = thrownBy(call);
      expect(error, message).toBeInstanceOf(kind);
      expect(error.message).toContain(message);
      expect(error.stack?.split('\n').find((line) => line.trim().startsWith('at '))).toContain('tiktoken.test.ts');
    }
  });

  it('refuses every call once it is freed', () => {
    for (const encoder of [ours.get_encoding('gpt2'), ours.get_encoding('gpt2', { a: 1 })]) {
      encoder.free();
      const calls = [
        () => encoder.encode('a'),
        () => encoder.encode(''),
        () => encoder.encode('<|endoftext|>', 'all'),
        () => encoder.encode_ordinary('a'),
        () => encoder.encode_with_unstable('a'),
        () => encoder.encode_single_token(utf8('a')),
        () => encoder.decode(Uint32Array.of(1)),
        () => encoder.decode_single_token_bytes(1),
        () => encoder.token_byte_values(),
        () => encoder.name,
        () => encoder.free(),
      ];
      for (const call of calls) expect(thrownBy(call)).toMatchObject({ code: 'CLOSED' });
    }
  });

  function thrownBy(call: () => unknown): Error {
    try {
      call();
    } catch (error) {
      return error as Error;
    }
    return expect.fail(`nothing was thrown by ${call}`);
  }
});

describe('a program', () => {
  const BODY = `
    const encoder = get_encoding('cl100k_base');
    console.log(encoder.encode('hello world').join(), new TextDecoder().decode(encoder.decode(encoder.encode('tiktoken is great!'))));
    try { encoder.encode('<|endoftext|>'); } catch (error) { console.log(error.name, error.message, error instanceof Error); }
    console.log(encoding_for_model('gpt-4o').encode('<|endoftext|>', 'all'));
    encoder.free();`;
  let expected: string | undefined;
  it.each([
    ['imports names', 'module', `import { get_encoding, encoding_for_model } from 'NAME';`],
    ['imports everything', 'module', `import * as all from 'NAME'; const { get_encoding, encoding_for_model } = all;`],
    ['imports the default', 'module', `import tiktoken from 'NAME'; const { get_encoding, encoding_for_model } = tiktoken;`],
    ['requires', 'commonjs', `const { get_encoding, encoding_for_model } = require('NAME');`],
    [
      'imports what is to be initialised',
      'module',
      `import { get_encoding, encoding_for_model, init } from 'NAME/init';
      import fs from 'node:fs';
      await init((imports) => WebAssembly.instantiate(fs.readFileSync('node_modules/tiktoken/tiktoken_bg.wasm'), imports));`,
    ],
  ])('that %s runs the same', (_, type, head) => {
    const run = (name: string) =>
      execFileSync(process.execPath, ['--no-warnings', `--input-type=${type}`, '--eval', head.replace('NAME', name) + BODY], {
        cwd: project,
        encoding: 'utf8',
      });
    const printed = run('crayon-tokenizer/tiktoken');
    expected ??= run('tiktoken');
    expect(printed).toBe(expected);
    expect(printed).toContain('15339,1917 tiktoken is great!');
  });

  it('that requires tiktoken/lite runs the same', () => {
    const source = `
      const { Tiktoken } = require('NAME/lite');
      const cl100k_base = require('tiktoken/encoders/cl100k_base.json');
      const encoding = new Tiktoken(cl100k_base.bpe_ranks, cl100k_base.special_tokens, cl100k_base.pat_str);
      console.log(encoding.encode('hello world'));
      encoding.free();`;
    for (const name of ['tiktoken', 'crayon-tokenizer/tiktoken']) {
      const args = ['--no-warnings', '--input-type=commonjs', '--eval', source.replace('NAME', name)];
      expect(execFileSync(process.execPath, args, { cwd: project, encoding: 'utf8' })).toBe('Uint32Array(2) [ 15339, 1917 ]\n');
    }
  });
});
