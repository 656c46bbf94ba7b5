// The drop-in for npm js-tiktoken and the original: the examples of its documentation, the same calls with generated
// arguments, and programs that differ only in the import. Where the original's ids differ from tiktoken's, tiktoken's are
// expected.

import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import * as theirs from 'js-tiktoken';
import * as theirLite from 'js-tiktoken/lite';
import * as tiktoken from 'tiktoken';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TokenizerError } from 'crayon-tokenizer';
import * as ours from 'crayon-tokenizer/js-tiktoken';
import * as lite from 'crayon-tokenizer/js-tiktoken/lite';
import { Random } from '../fuzz/random.mjs';
import { nastyString } from '../fuzz/strings.mjs';
import { SAMPLED_TIKTOKEN_ENCODINGS } from './encodings.js';
import { sample } from '../share.js';

const SEED = 20261122;
const require = createRequire(import.meta.url);
const project = fileURLToPath(new URL('../..', import.meta.url));
const wrong = (value: unknown): any => value;

// Checked by the compiler: the same types, and calls with the same parameters and results.
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const sameModels: Same<theirs.TiktokenModel, ours.TiktokenModel> = true;
const sameEncodings: Same<theirs.TiktokenEncoding, ours.TiktokenEncoding> = true;
const sameRanks: Same<theirs.TiktokenBPE, ours.TiktokenBPE> = true;
const sameNaming: Same<typeof theirs.getEncodingNameForModel, typeof ours.getEncodingNameForModel> = true;
const sameMaking: Same<ConstructorParameters<typeof theirs.Tiktoken>, ConstructorParameters<typeof ours.Tiktoken>> = true;
const sameOpening: Same<Parameters<typeof theirs.getEncoding>, Parameters<typeof ours.getEncoding>> = true;
const sameFinding: Same<Parameters<typeof theirs.encodingForModel>, Parameters<typeof ours.encodingForModel>> = true;
const sameEncode: Same<theirs.Tiktoken['encode'], ours.Tiktoken['encode']> = true;
const sameDecode: Same<theirs.Tiktoken['decode'], ours.Tiktoken['decode']> = true;
const forTheirs: theirLite.Tiktoken = wrong(undefined) as ours.Tiktoken;
void [sameModels, sameEncodings, sameRanks, sameNaming, sameMaking, sameOpening, sameFinding, sameEncode, sameDecode, forTheirs];

/** The result of a call, or the message of its error; of a TypeError only the class. */
function outcome(call: () => unknown): unknown {
  try {
    return call();
  } catch (error) {
    return error instanceof TypeError ? 'TypeError' : `${(error as Error).constructor.name}: ${(error as Error).message}`;
  }
}

it('exports the same names', () => {
  expect(Object.keys(ours).sort()).toEqual(Object.keys(theirs).sort());
  expect(Object.keys(lite).sort()).toEqual(Object.keys(theirLite).sort());
});

describe('the documented examples', () => {
  it('encode and decode', () => {
    const encoding = ours.getEncoding('gpt2');
    expect(encoding.encode('hello world')).toStrictEqual([31373, 995]);
    expect(encoding.decode(encoding.encode('hello world'))).toBe('hello world');
    expect(new lite.Tiktoken(require('js-tiktoken/ranks/o200k_base')).encode('hello world')).toStrictEqual([24912, 2375]);
  });

  it('extend an encoding with special tokens', () => {
    const added = { '<|im_start|>': 100264, '<|im_end|>': 100265 };
    const encoding = ours.encodingForModel('gpt2', added);
    expect(encoding.encode('<|im_start|>test<|im_end|>', 'all')).toStrictEqual([100264, 9288, 100265]);
    expect(encoding.decode([100264, 9288, 100265, 50256])).toBe('<|im_start|>test<|im_end|><|endoftext|>');
    expect(() => encoding.encode('<|im_start|>')).toThrow(new Error('The text contains a special token that is not allowed: <|im_start|>'));
  });

  it('refuse unknown names', () => {
    for (const { getEncoding, encodingForModel, getEncodingNameForModel } of [theirs, ours]) {
      expect(() => getEncoding(wrong('unknown'))).toThrow(new Error('Unknown encoding'));
      expect(() => encodingForModel(wrong('unknown'))).toThrow(new Error('Unknown model'));
      expect(() => getEncodingNameForModel(wrong('gpt-oss-20b'))).toThrow(new Error('Unknown model'));
    }
  });

  it('know the encoding of every model', () => {
    const models = Object.entries<string>(require('tiktoken/model_to_encoding.json')) as [ours.TiktokenModel, string][];
    const others = models.filter(([model]) => theirs.getEncodingNameForModel(model) !== ours.getEncodingNameForModel(model));
    expect(models.length).toBeGreaterThan(90);
    for (const [model, encoding] of models) expect(ours.getEncodingNameForModel(model), model).toBe(encoding);
    expect(others.map(([model]) => model).sort()).toEqual(['babbage-002', 'davinci-002']);
  });
});

/** Characters that js-tiktoken splits by other rules than tiktoken: JavaScript's white space and Unicode version. */
const OTHER_RULES = /[\ufeff\u0085]|\p{Cn}/u;

describe.each(SAMPLED_TIKTOKEN_ENCODINGS as ours.TiktokenEncoding[])('%s', (name) => {
  const added = { '<|im_start|>': 300_264, '🦜 <b>': 300_300, stop: 300_301 };
  const pairs: { our: ours.Tiktoken; their: theirs.Tiktoken; reference: tiktoken.Tiktoken; special: string[] }[] = [];
  beforeAll(() => {
    const ranks = require(`js-tiktoken/ranks/${name}`) as theirs.TiktokenBPE;
    const special = Object.keys(ranks.special_tokens);
    pairs.push({ our: ours.getEncoding(name), their: theirs.getEncoding(name), reference: tiktoken.get_encoding(name), special });
    pairs.push({
      our: new lite.Tiktoken(ranks, added),
      their: new theirs.Tiktoken(ranks, added),
      reference: tiktoken.get_encoding(name, added),
      special: [...special, ...Object.keys(added)],
    });
  });
  afterAll(() => pairs.forEach(({ reference }) => reference.free()));

  it('encodes the same on generated arguments', () => {
    const seen = { returned: 0, threw: 0, otherRules: 0 };
    for (let index = 0; index < sample(600, 100); index++) {
      const random = new Random(SEED, index);
      const { our, their, reference, special } = random.pick(pairs);
      const choice = () => {
        const names = [...special, 'no such token', 'e'].filter(() => random.chance(0.3));
        const odd = [null, 5, true, new Set(special), 'ALL', new Map()];
        return random.pick(['all', 'all', undefined, [], names, names, names, random.pick(odd)] as any[]);
      };
      const parts = Array.from({ length: random.integer(1, 4) }, (_, part) => [
        nastyString(SEED, index * 8 + part).slice(0, 80),
        random.chance(0.5) ? random.pick(special).slice(random.chance(0.8) ? 0 : 1) : '',
      ]);
      const call: [string, any, any] = [parts.flat().join(''), choice(), choice()];
      const shown = () => `index ${index}: ${JSON.stringify(call)}`;
      let expected = outcome(() => their.encode(...call));
      const isPlain = [call[1], call[2]].every((given) => given === undefined || given === 'all' || Array.isArray(given));
      if (Array.isArray(expected) && OTHER_RULES.test(call[0])) {
        if (!isPlain) continue;
        expected = [...reference.encode(...call)];
        seen.otherRules++;
      } else if (Array.isArray(expected) && isPlain) {
        expect([...reference.encode(...call)], shown()).toEqual(expected);
      }
      const result = outcome(() => our.encode(...call));
      // An argument that is not a list is noticed when it matters.
      if (expected === 'TypeError' && !isPlain && Array.isArray(result)) continue;
      expect(result, shown()).toStrictEqual(expected);
      seen[Array.isArray(expected) ? 'returned' : 'threw']++;
    }
    expect(seen.returned).toBeGreaterThan(sample(150) / 2);
    expect(seen.threw).toBeGreaterThan(sample(100) / 2);
    expect(seen.otherRules).toBeGreaterThan(sample(10) / 4);
  });

  it('decodes the same on generated ids', () => {
    let unknown = 0;
    for (let index = 0; index < sample(400, 100); index++) {
      const random = new Random(SEED, 5, index);
      const { our, their } = random.pick(pairs);
      const most = random.pick([300, 50_300, 100_300, 200_100, 300_400]);
      const ids = Array.from({ length: random.integer(0, 30) }, () => random.integer(0, most));
      if (random.chance(0.2)) ids.push(...random.pick([[-1], [1.5], [NaN], [4_294_967_296], [5_000_000], [50_256, 100_257]]));
      const expected = their.decode(ids);
      const decoded = our.decode(ids);
      // A leading byte order mark is kept.
      expect(decoded.replace(/^\ufeff/, ''), `index ${index}: ${ids}`).toBe(expected);
      if (expected.length < ids.length) unknown++;
    }
    expect(unknown).toBeGreaterThan(sample(10) / 4);
  });

  it('has an equal ranks object, except that its text is built on first access', async () => {
    const { default: ranks } = (await import(`crayon-tokenizer/js-tiktoken/ranks/${name}`)) as { default: ours.TiktokenBPE };
    const their = require(`js-tiktoken/ranks/${name}`) as theirs.TiktokenBPE;
    const reads: PropertyKey[] = [];
    const watched = new Proxy(ranks, { get: (target, key) => (reads.push(key), Reflect.get(target, key)) });
    expect(new lite.Tiktoken(watched).encode('hello world')).toEqual(pairs[0]!.their.encode('hello world'));
    expect(reads).not.toContain('bpe_ranks');
    expect(Object.keys(ranks)).toEqual(Object.keys(their));
    expect({ ...ranks }).toStrictEqual({ ...their });
    expect(JSON.stringify(ranks) === JSON.stringify(their)).toBe(true);
  });

  it("has the members that js-tiktoken's types hide", () => {
    const { our, their } = pairs[1]!;
    const [own, other] = [wrong(our), wrong(their)];
    expect(own.specialTokens).toEqual(other.specialTokens);
    expect(own.inverseSpecialTokens).toEqual(other.inverseSpecialTokens);
    expect(own.patStr).toBe(other.patStr);
    expect(own.textDecoder.decode(own.textEncoder.encode('語'))).toBe('語');
    expect(own.textMap.size).toBe(other.textMap.size);
    expect(own.rankMap.size).toBe(other.rankMap.size);
    for (const [bytes, rank] of other.rankMap) {
      if (own.rankMap.get(bytes) !== rank) expect.fail(`${bytes} is ${own.rankMap.get(bytes)} instead of ${rank}`);
      if (String(own.textMap.get(rank)) !== bytes) expect.fail(`${rank} is ${own.textMap.get(rank)} instead of ${bytes}`);
    }
  });
});

describe('special tokens', () => {
  const named = (names: Record<string, number>) => [ours.getEncoding('gpt2', names), theirs.getEncoding('gpt2', names)];

  it('that are prefixes of each other are found in the order of the list', () => {
    for (const names of [
      { '<|a': 1_000_000, '<|a|>': 1_000_001 },
      { '<|a|>': 1_000_001, '<|a': 1_000_000 },
    ]) {
      const [our, their] = named(names);
      for (const allowed of ['all', ['<|a'], ['<|a|>']] as const) {
        expect(our!.encode('<|a|>b<|a', wrong(allowed), [])).toEqual(their!.encode('<|a|>b<|a', wrong(allowed), []));
      }
      expect(our!.encode('<|a|>', 'all')).toEqual([Object.values(names)[0], ...our!.encode(Object.keys(names)[0] === '<|a' ? '|>' : '')]);
    }
  });

  it('that are not allowed may contain allowed ones', () => {
    const [our, their] = named({ abc: 1_000_000, bc: 1_000_001, c: 1_000_002 });
    for (const allowed of [['bc'], ['c'], ['bc', 'c'], ['abc', 'c']]) {
      expect(our!.encode('xabcabbcc', allowed, [])).toEqual(their!.encode('xabcabbcc', allowed, []));
    }
    expect(our!.encode('abc', ['bc'], [])).toEqual([...our!.encode('a'), 1_000_001]);
  });

  it('may have any name and id', () => {
    const names = { 'a.c': 1_000_000, '[x]': 1_000_001, '7': 1_000_002, '\ud800': 1_000_003, minus: -1, '$^': 1.5, __proto__x: 7e9 };
    const [our, their] = named(names);
    const text = 'abca.c[x]7\ud800minus$^__proto__x';
    const ids = their!.encode(text, 'all');
    expect(our!.encode(text, 'all')).toEqual(ids);
    expect(our!.decode(ids)).toBe(their!.decode(ids));
    expect(our!.decode(ids)).toContain('minus$^__proto__x');
  });

  it("may replace the encoding's, or ordinary tokens", () => {
    const names = { '<|endoftext|>': 7, '<|seven|>': 50_256 };
    const [our, their] = named(names);
    expect(our!.encode('<|endoftext|><|seven|>', 'all')).toEqual([7, 50_256]);
    expect(our!.decode([7, 50_256])).toBe(their!.decode([7, 50_256]));
  });

  it('come from the ranks alone', () => {
    const ranks = { ...require('js-tiktoken/ranks/gpt2'), special_tokens: {} } as ours.TiktokenBPE;
    const [our, their] = [new lite.Tiktoken(ranks), new theirLite.Tiktoken(ranks)];
    expect(our.encode('a<|endoftext|>', 'all')).toEqual(their.encode('a<|endoftext|>', 'all'));
    expect(our.decode([64, 50_256, 65])).toBe(their.decode([64, 50_256, 65]));
    expect(our.decode([64, 50_256, 65])).toBe('ab');
  });

  it("are found by js-tiktoken's expression", () => {
    const names = ['<|a|>', 'b.', '', '\\d'];
    expect(wrong(ours.Tiktoken).specialTokenRegex(names)).toEqual(wrong(theirs.Tiktoken).specialTokenRegex(names));
  });
});

describe('ranks', () => {
  const { default: gpt2 } = { default: require('js-tiktoken/ranks/gpt2') as theirs.TiktokenBPE };
  const all = Array.from({ length: 256 }, (_, byte) => Buffer.of(byte).toString('base64'));
  const own = (...tokens: string[]) => `! 0 ${[...all, ...tokens.map((token) => Buffer.from(token).toString('base64'))].join(' ')}`;

  it("of the user on several lines give js-tiktoken's ids", () => {
    const bpe_ranks = `${own('he', 'll', 'hell')}\n\n! 1000 ${Buffer.from('hello').toString('base64')}\n`;
    for (const pat_str of [gpt2.pat_str, require('js-tiktoken/ranks/cl100k_base').pat_str]) {
      const ranks = { pat_str, special_tokens: { '<|x|>': 2000 }, bpe_ranks };
      const [our, their] = [new lite.Tiktoken(ranks), new theirLite.Tiktoken(ranks)];
      for (const text of ['hello', "hell he'll ohell<|x|>", '語hello12345'])
        expect(our.encode(text, 'all')).toEqual(their.encode(text, 'all'));
      expect(our.decode([1000, 2000, 258, 5000])).toBe('hello<|x|>hell');
    }
  });

  it('that are modified take effect at the next encoder', async () => {
    const { default: ranks } = await import('crayon-tokenizer/js-tiktoken/ranks/gpt2');
    const bpe_ranks = own('he');
    expect(new lite.Tiktoken({ ...ranks, bpe_ranks }).encode('hehe')).toEqual([256, 256]);
    expect(new lite.Tiktoken({ ...ranks, pat_str: require('js-tiktoken/ranks/o200k_base').pat_str }).encode('HeLLo')).toEqual(
      new theirLite.Tiktoken({ ...gpt2, pat_str: require('js-tiktoken/ranks/o200k_base').pat_str }).encode('HeLLo'),
    );
    const copy = Object.create(null, Object.getOwnPropertyDescriptors(ranks)) as ours.TiktokenBPE;
    copy.bpe_ranks = bpe_ranks;
    expect(new lite.Tiktoken(copy).encode('hehe')).toEqual([256, 256]);
    expect(new lite.Tiktoken(ranks).encode('hello world')).toEqual([31373, 995]);
  });

  it.each<[string, unknown, unknown, new (...args: never[]) => Error, string]>([
    ['nothing', undefined, {}, TypeError, 'expected an object with pat_str, special_tokens and bpe_ranks for ranks but received undefined'],
    ['no pattern', { ...gpt2, pat_str: undefined }, {}, TypeError, 'expected a string for pat_str'],
    ['another pattern', { ...gpt2, pat_str: '\\w+' }, {}, RangeError, 'for pat_str but received "\\\\w+"'],
    ['no ranks', { ...gpt2, bpe_ranks: undefined }, {}, TypeError, 'expected the ranks as a string for bpe_ranks'],
    ['ranks of nothing', { ...gpt2, bpe_ranks: '' }, {}, TokenizerError, 'cannot make a tokenizer of these ranks'],
    ['a byte without a token', { ...gpt2, bpe_ranks: '! 0 IQ==' }, {}, TokenizerError, 'no token for the single byte'],
    ['a special token without a name', gpt2, { '': 5 }, RangeError, 'names of special tokens that are not empty for extendedSpecialTokens'],
    ['an id that is no number', gpt2, { a: '5' }, TypeError, 'expected an id for extendedSpecialTokens["a"] but received "5"'],
  ])('with %s are refused', (_, ranks, extended, kind, message) => {
    const make = () => new ours.Tiktoken(wrong(ranks), wrong(extended));
    expect(make).toThrow(kind);
    expect(make).toThrow(message);
  });
});

describe('an encoder', () => {
  it('follows tiktoken where js-tiktoken does not', () => {
    const reference = tiktoken.get_encoding('cl100k_base');
    const [our, their] = [ours.getEncoding('cl100k_base'), theirs.getEncoding('cl100k_base')];
    for (const text of ['a \ufeffb', 'a \u0085b']) {
      expect(our.encode(text)).toEqual([...reference.encode(text)]);
      expect(their.encode(text)).not.toEqual([...reference.encode(text)]);
      expect(our.decode(our.encode(text))).toBe(text);
    }
    reference.free();
  });

  it('accepts ids in any array-like object', () => {
    const [our, their] = [ours.getEncoding('gpt2'), theirs.getEncoding('gpt2')];
    for (const ids of [Uint32Array.of(31373, 995), { length: 2, 0: 31373, 1: 995 }, new Array(3), '12']) {
      expect(our.decode(wrong(ids))).toBe(their.decode(wrong(ids)));
    }
  });

  it("names the invalid argument, on the user's line", () => {
    const encoder = ours.getEncoding('cl100k_base');
    const cases: [() => unknown, new (...args: never[]) => Error, string][] = [
      [() => encoder.encode(wrong(5)), TypeError, 'expected a string for text but received 5'],
      [
        () => encoder.encode('<|endoftext|>', wrong(5)),
        TypeError,
        "expected 'all' or a list of special tokens for allowedSpecial but received 5",
      ],
      [
        () => encoder.encode('a', [], wrong(5)),
        TypeError,
        "expected 'all' or a list of special tokens for disallowedSpecial but received 5",
      ],
      [() => encoder.encode('<|endoftext|>'), Error, 'not allowed: <|endoftext|>'],
      [() => encoder.decode(wrong(undefined)), TypeError, 'expected an array of token ids for tokens but received undefined'],
      [() => ours.getEncoding(wrong(undefined)), TypeError, 'expected the name of an encoding for encoding'],
      [() => ours.encodingForModel(wrong(5)), TypeError, 'expected the name of a model for model but received 5'],
      [() => ours.getEncodingNameForModel(wrong('a')), Error, 'Unknown model'],
      [() => new ours.Tiktoken(wrong(null)), TypeError, 'for ranks but received null'],
    ];
    for (const [call, kind, message] of cases) {
      let error: Error | undefined;
      try {
        call();
      } catch (thrown) {
        error = thrown as Error;
      }
      expect(error, message).toBeInstanceOf(kind);
      expect(error!.message).toContain(message);
      expect(error!.stack?.split('\n').find((line) => line.trim().startsWith('at '))).toContain('js-tiktoken.test.ts');
    }
  });
});

describe('a program', () => {
  const BODY = `
    const encoding = getEncoding('cl100k_base');
    console.log(encoding.encode('hello world').join(), encoding.decode(encoding.encode('js-tiktoken is great!')));
    try { encoding.encode('<|endoftext|>'); } catch (error) { console.log(error.name, error.message, error instanceof Error); }
    console.log(encodingForModel('gpt-4o').encode('<|endoftext|>', 'all'), getEncodingNameForModel('gpt-4'));
    console.log(new Tiktoken(ranks, { '<|a|>': 9 }).encode('hi<|a|>', 'all'), Object.keys(ranks), ranks.bpe_ranks.length, ranks.explicit_n_vocab);`;
  let expected: string | undefined;
  it.each([
    [
      'imports',
      'module',
      `
      import { encodingForModel, getEncoding } from 'NAME';
      import { getEncodingNameForModel, Tiktoken } from 'NAME/lite';
      import ranks from 'NAME/ranks/p50k_base';`,
    ],
    [
      'imports everything',
      'module',
      `
      import * as all from 'NAME';
      const { encodingForModel, getEncoding, getEncodingNameForModel, Tiktoken } = all;
      const { default: ranks } = await import('NAME/ranks/p50k_base');`,
    ],
    [
      'requires',
      'commonjs',
      `
      const { encodingForModel, getEncoding } = require('NAME');
      const { getEncodingNameForModel, Tiktoken } = require('NAME/lite');
      const ranks = require('NAME/ranks/p50k_base');`,
    ],
    [
      'imports what is required elsewhere',
      'module',
      `
      import { createRequire } from 'node:module';
      import { encodingForModel, getEncoding, getEncodingNameForModel, Tiktoken } from 'NAME';
      const ranks = createRequire(process.cwd() + '/any.js')('NAME/ranks/p50k_base');`,
    ],
  ])('that %s runs the same', (_, type, head) => {
    const run = (name: string) =>
      execFileSync(process.execPath, ['--no-warnings', `--input-type=${type}`, '--eval', head.replaceAll('NAME', name) + BODY], {
        cwd: project,
        encoding: 'utf8',
      });
    const printed = run('crayon-tokenizer/js-tiktoken');
    expected ??= run('js-tiktoken');
    expect(printed).toBe(expected);
    expect(printed).toContain('15339,1917 js-tiktoken is great!');
  });

  it('that passes downloaded JSON to an encoder runs unchanged', () => {
    // Like LangChain: `https://tiktoken.pages.dev/js/NAME.json`.
    const fetched = JSON.parse(JSON.stringify(require('js-tiktoken/ranks/o200k_base'))) as ours.TiktokenBPE;
    expect(new lite.Tiktoken(fetched).encode('hello world')).toEqual([24912, 2375]);
  });
});
