// Pretokenizers after ByteLevel, as in Falcon: they see one character per byte, so they can split inside characters of the
// text. And vocabularies that lack some bytes. Random vocabularies and texts, compared with npm `tokenizers` through every
// call.

import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { compileCartridge, Tokenizer, TokenizerError } from 'crayon-tokenizer';

import { Random } from '../fuzz/random.mjs';
import { sample } from '../share.js';
import { checkInParts, checkInThreads } from './in-parts.js';
import { unitsOf } from './units.js';

const { Tokenizer: HuggingFace } = createRequire(import.meta.url)('tokenizers') as typeof import('tokenizers');
const raw = String.raw;

// --- pretokenizers ------------------------------------------------------------------------------------------------------

const sequence = (...pretokenizers: object[]): object => ({ type: 'Sequence', pretokenizers });
const byteLevel = (use_regex: boolean, add_prefix_space = false): object => ({
  type: 'ByteLevel',
  add_prefix_space,
  trim_offsets: true,
  use_regex,
});
const split = (pattern: object, behavior = 'Isolated', invert = false): object => ({ type: 'Split', pattern, behavior, invert });
const digits = (individual_digits: boolean): object => ({ type: 'Digits', individual_digits });
const punctuation = (behavior: string): object => ({ type: 'Punctuation', behavior });
const delimiter = (character: string): object => ({ type: 'CharDelimiterSplit', delimiter: character });

const PRETOKENIZERS: Record<string, object> = {
  Falcon: sequence(punctuation('Contiguous'), byteLevel(true), digits(false), split({ Regex: '[0-9][0-9][0-9]' })),
  'none behind it': byteLevel(true),
  'none at all': byteLevel(false),
  'none behind it, a space in front': byteLevel(true, true),
  'one before it': sequence(split({ Regex: raw`\p{L}+|\s+` }), byteLevel(false)),
  'ByteLevel, then digits': sequence(byteLevel(true), digits(true)),
  'bytes alone, then digits': sequence(byteLevel(false), digits(false)),
  'bytes with a space in front, then digits': sequence(byteLevel(false, true), digits(false)),
  'punctuation of bytes': sequence(byteLevel(true), punctuation('Isolated')),
  'punctuation of bytes, with the text before': sequence(digits(true), byteLevel(false), punctuation('MergedWithPrevious')),
  'words of bytes': sequence(byteLevel(true), { type: 'Whitespace' }),
  'what is no whitespace any more': sequence(byteLevel(true), { type: 'WhitespaceSplit' }, split({ String: ' ' }, 'Removed')),
  'as of BERT': sequence(byteLevel(false), { type: 'BertPreTokenizer' }),
  'of a fixed length': sequence(byteLevel(true), { type: 'FixedLength', length: 3 }),
  'a delimiter': sequence(byteLevel(true), delimiter('-')),
  'spaces removed': sequence(byteLevel(false), split({ Regex: 'Ġ+' }, 'Removed')),
  'letters kept alone': sequence(split({ String: 'a' }), byteLevel(true), split({ Regex: '[a-zà-ö]' }, 'MergedWithNext', true)),
  'a part of a character': sequence(byteLevel(false), split({ Regex: '[ÃâĢ-Ĥ]' }, 'MergedWithPrevious')),
  together: sequence(byteLevel(false), split({ Regex: raw`\p{Lu}` }, 'Contiguous'), split({ Regex: raw`[^\p{L}]+|\p{Ll}{2}` })),
  'inner patterns of characters before': sequence(
    split({ Regex: raw`\s?\w{1,2}` }),
    split({ Regex: raw`[ab\s]` }),
    byteLevel(true),
    digits(true),
  ),
  // Removed text is not searched for inside characters.
  'words kept, then bytes': sequence(split({ Regex: raw`\w{1,3}` }, 'Removed', true), byteLevel(false), split({ Regex: '[a-zÌģÃ]' })),
  'characters removed by an inner pattern, then bytes': sequence(
    split({ Regex: raw`\s?\w{1,2}` }),
    split({ Regex: '[中ò ]' }, 'Removed'),
    byteLevel(true),
    split({ Regex: '[ä¸²]' }),
  ),
  'without regard to case': sequence(byteLevel(false), split({ Regex: '(?i:ab|ã)|ß' })),
};

// --- vocabularies -------------------------------------------------------------------------------------------------------

const SCRIPTS = ['abc', 'aòü', '中国一', '😀😁a', 'กขค่', 'абв', '한국어', 'a1-', ".,'s", '123', '²³a'];
const OTHERS = [
  ...[
    ' ',
    '  ',
    '\t',
    '\n',
    '\u3000',
    '\u00a0',
    '\u2028',
    '\u200d',
    '-',
    '--',
    '.',
    ',',
    '…',
    '。',
    '\u0301',
    'e\u0301',
    '1',
    '12',
    '345',
    '6789012',
    '٣',
    '½',
    '²',
    '¹',
  ],
  ...[
    'z',
    'ß',
    'ò',
    'ó',
    'Ã',
    'ô²',
    '文',
    '🚀',
    '😀',
    '\u0000',
    '\u001d',
    '\u001e',
    '\u0085',
    '\u{50000}',
    '\u{10ffff}',
    "'s",
    "don't",
    '!?!',
    'ab',
    'Ġ',
    '¿',
  ],
];

type Kind = 'every byte' | 'some bytes' | 'some bytes, others unknown' | 'some bytes, others unknown and fused';
const KINDS: Kind[] = ['every byte', 'some bytes', 'some bytes, others unknown', 'some bytes, others unknown and fused'];

/** The characters that ByteLevel writes for bytes. */
const isItself = (byte: number): boolean => (byte > 0x20 && byte < 0x7f) || (byte > 0xa0 && byte !== 0xad);
const OTHER_BYTES = Array.from({ length: 256 }, (_, byte) => byte).filter((byte) => !isItself(byte));
const CHARACTERS = Array.from({ length: 256 }, (_, byte) => String.fromCodePoint(isItself(byte) ? byte : 256 + OTHER_BYTES.indexOf(byte)));
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

interface Vocabulary {
  file: Record<string, unknown>;
  /** The bytes of the tokens. */
  tokens: Map<number, number[]>;
  /** Whether a byte has no token. */
  isMissing: boolean[];
}

function vocabularyOf(random: Random, kind: Kind, pretokenizer: object, alphabet: string[]): Vocabulary {
  const isMissing = Array.from({ length: 256 }, () => false);
  if (kind !== 'every byte') {
    // As in Falcon: bytes that no text contains, and control characters; in every other vocabulary any bytes.
    const isOften = random.chance(0.5);
    for (let byte = 0; byte < 256; byte++)
      isMissing[byte] = byte >= 0xf5 || byte === 0xc0 || byte === 0xc1 || (byte < 0x20 && byte !== 10) || (isOften && random.chance(0.1));
  }
  const tokens = ['<unk>', ...CHARACTERS.filter((_, byte) => !isMissing[byte])];
  const merges: [string, string][] = [];
  const pool = [...new Set(alphabet.flatMap((each) => [...utf8(each)]))]
    .filter((byte) => !isMissing[byte])
    .map((byte) => CHARACTERS[byte]!);
  for (let left = pool.length > 0 ? random.integer(5, 50) : 0; left > 0; left--) {
    const made = [random.pick(pool), random.pick(pool)] as [string, string];
    if (made.join('').length > 12 || tokens.includes(made.join(''))) continue;
    merges.push(made);
    tokens.push(made.join(''));
    pool.push(made.join(''));
  }
  const strips = random.chance(0.5);
  const added_tokens = random.chance(0.3)
    ? []
    : [strips ? '-x' : ' x', '[\u001d]', 'ab']
        .filter((content) => !tokens.includes(content))
        .map((content, index) => ({
          id: tokens.length + index,
          content,
          single_word: false,
          special: false,
          lstrip: strips && index < 2,
          rstrip: strips && index < 2,
          normalized: index === 2 && !JSON.stringify(pretokenizer).includes('"add_prefix_space":true'),
        }));
  const normalizer = JSON.stringify(pretokenizer).includes('"add_prefix_space":true')
    ? null
    : random.pick([null, null, { type: 'Lowercase' }, { type: 'NFD' }]);
  const unk_token = kind.includes('unknown') ? '<unk>' : null;
  const bytesOf = (token: string) => Array.from(token, (character) => CHARACTERS.indexOf(character));
  return {
    isMissing,
    tokens: new Map(tokens.slice(1).map((token, index) => [index + 1, bytesOf(token)])),
    file: {
      version: '1.0',
      added_tokens,
      normalizer,
      pre_tokenizer: pretokenizer,
      post_processor: kind === 'some bytes' ? null : random.pick([null, byteLevel(true), byteLevel(true, true)]),
      decoder: { type: 'ByteLevel', add_prefix_space: false, trim_offsets: false, use_regex: false },
      model: {
        type: 'BPE',
        vocab: Object.fromEntries(tokens.map((token, id) => [token, id])),
        merges,
        unk_token,
        fuse_unk: kind.endsWith('fused'),
      },
    },
  };
}

/** Offsets in bytes are those in units, in which a token of a part of a character has all of it, as in the reference. */
function checkOffsets(tokenizer: Tokenizer, text: string, where: string): void {
  const bytes = utf8(text);
  const isInside = (at: number) => at < bytes.length && (bytes[at]! & 0xc0) === 0x80;
  const unitAt = (at: number, index: number) => {
    for (const step = index % 2 === 0 ? -1 : 1; isInside(at); ) at += step;
    return new TextDecoder().decode(bytes.subarray(0, at)).length;
  };
  const inBytes = tokenizer.encodeWithOffsets(bytes, { unit: 'bytes' });
  const inUnits = tokenizer.encodeWithOffsets(text);
  expect(inBytes.ids.join(), where).toBe(inUnits.ids.join());
  expect(Array.from(inBytes.offsets, unitAt).join(), where).toBe(inUnits.offsets.join());
}

describe.each(KINDS)('%s', { timeout: 300_000 }, (kind) => {
  const ROUNDS = sample(60, 1);
  it.each(Object.entries(PRETOKENIZERS))(`%s: ${ROUNDS} vocabularies`, async (name, pretokenizer) => {
    for (let round = 0; round < ROUNDS; round++) {
      const random = new Random(1 + round * 31 + name.length + 7 * KINDS.indexOf(kind));
      const alphabet = [...new Set([...random.pick(SCRIPTS), ...random.pick(SCRIPTS)])];
      const vocabulary = vocabularyOf(random, kind, pretokenizer, alphabet);
      const json = JSON.stringify(vocabulary.file);
      const full = await compileCartridge(Buffer.from(json));
      const slim = await compileCartridge(full, { slim: true });
      expect(Buffer.compare(await compileCartridge(slim), full)).toBe(0);
      using tokenizer = await Tokenizer.load(full);
      using expanded = await Tokenizer.load(slim);
      using wasm = await Tokenizer.load(full, { backend: 'wasm' });
      const reference = HuggingFace.fromString(json);
      const parts = [...alphabet, ...alphabet, ...OTHERS, ' x', '-x', '[\u001d]', 'B'];
      const texts = Array.from({ length: 12 }, (_, index) =>
        Array.from({ length: random.integer(0, index === 0 ? 300 : 14) }, () => random.pick(parts)).join(''),
      );
      for (const text of texts) {
        const where = `${name}, round ${round}, ${JSON.stringify(text)} ${json}`;
        const expected = await reference.encode(text, null, { addSpecialTokens: false });
        const ids = expected.getIds().join();
        const own = tokenizer.encodeWithOffsets(text);
        expect([...own.ids].join(), where).toBe(ids);
        const units = unitsOf(text);
        // Where bytes are lost, the reference's ids belong to a different text.
        const losesBytes =
          kind === 'some bytes' &&
          [...utf8(vocabulary.file.normalizer ? text.normalize('NFD') + text.toLowerCase() : text)].some(
            (byte) => vocabulary.isMissing[byte],
          );
        if (!losesBytes)
          expect([...own.offsets].join(), where).toBe(
            expected
              .getOffsets()
              .flatMap((span) => span.map((at: number) => units[at]))
              .join(),
          );
        const isPlain =
          !vocabulary.file.normalizer && !vocabulary.file.post_processor && (vocabulary.file.added_tokens as object[]).length === 0;
        if (isPlain && !kind.includes('unknown') && !/front/.test(name)) checkOffsets(tokenizer, text, where);
        for (const other of [expanded, wasm])
          expect([...other.encodeWithOffsets(text).offsets, ...other.encode(text)].join(), where).toBe([...own.offsets, ...own.ids].join());
        expect(tokenizer.count(text), where).toBe(own.ids.length);
        expect(tokenizer.decode(own.ids), where).toBe(await reference.decode(expected.getIds(), false));
      }
      const long = texts.join('');
      checkInParts(tokenizer, long, `${name}, ${json}`);
      if (round > 0) continue;
      const longer = await checkInThreads(tokenizer, long);
      expect((await reference.encode(longer.slice(0, 20_000).toWellFormed(), null, { addSpecialTokens: false })).getIds().join()).toBe(
        tokenizer.encode(longer.slice(0, 20_000)).join(),
      );
    }
  });
});

describe('random pretokenizers', { timeout: 300_000 }, () => {
  const PIPELINES = sample(600, 20);
  it(`${PIPELINES} before and after ByteLevel`, async () => {
    const random = new Random(17);
    const classes = [
      raw`\p{L}`,
      raw`\p{Ll}`,
      raw`\p{N}`,
      raw`\s`,
      raw`\p{Lu}`,
      '[a-z]',
      '[Ġ-ł]',
      '[à-ã]',
      raw`[^\s\p{L}]`,
      raw`\w`,
      raw`\W`,
      raw`\p{P}`,
      raw`\p{S}`,
      '[[:punct:]]',
      'Ġ',
      '1',
      '.',
    ];
    const pattern = (): string => {
      const one = () =>
        `${random.pick(['', 'Ġ?', ' ?', '(?i:ã)?'])}${random.pick(classes)}${random.pick(['', '+', '{1,3}', '{2}', '+?', '++'])}${random.pick(['', '', raw`(?!\p{L})`, '(?=[a-z])', '$'])}`;
      return Array.from({ length: random.integer(1, 3) }, one).join('|');
    };
    const behaviors = ['Isolated', 'Isolated', 'MergedWithPrevious', 'MergedWithNext', 'Contiguous', 'Removed'];
    const stage = (): object => {
      switch (random.integer(0, 7)) {
        case 0:
          return digits(random.chance(0.5));
        case 1:
          return punctuation(random.pick(behaviors));
        case 2:
          return split({ String: random.pick(['.', 'Ġ', 'ab', 'Ã', '1', 'Ċ']) }, random.pick(behaviors), random.chance(0.3));
        case 3:
          return random.pick([
            { type: 'Whitespace' },
            { type: 'WhitespaceSplit' },
            delimiter('a'),
            { type: 'FixedLength', length: random.integer(1, 9) },
          ]);
        default:
          return split({ Regex: pattern() }, random.pick(behaviors), random.chance(0.3));
      }
    };
    let compared = 0;
    for (let count = 0; count < PIPELINES; count++) {
      const before = Array.from({ length: random.pick([0, 0, 1, 1, 2]) }, stage);
      const behind = Array.from({ length: random.integer(1, 2) }, stage);
      const kind = random.pick(KINDS);
      const alphabet = [...new Set([...random.pick(SCRIPTS), ...random.pick(SCRIPTS)])];
      const vocabulary = vocabularyOf(random, kind, sequence(...before, byteLevel(random.chance(0.5)), ...behind), alphabet);
      const json = JSON.stringify(vocabulary.file);
      let tokenizer: Tokenizer;
      try {
        tokenizer = await Tokenizer.load(await compileCartridge(Buffer.from(json), { slim: count % 2 === 0 }));
      } catch (error) {
        expect(error, json).toBeInstanceOf(TokenizerError);
        expect((error as TokenizerError).code, json).toBe('BUILD_FAILED');
        continue;
      }
      compared++;
      const reference = HuggingFace.fromString(json);
      const parts = [...alphabet, ...alphabet, ...OTHERS];
      for (let texts = 10; texts > 0; texts--) {
        const text = Array.from({ length: random.integer(0, 20) }, () => random.pick(parts)).join('');
        const where = `${JSON.stringify(text)} ${json}`;
        const expected = await reference.encode(text, null, { addSpecialTokens: false });
        const own = tokenizer.encodeWithOffsets(text);
        expect(own.ids.join(), where).toBe(expected.getIds().join());
        const units = unitsOf(text);
        if (kind !== 'some bytes')
          expect(own.offsets.join(), where).toBe(
            expected
              .getOffsets()
              .flatMap((span) => span.map((at: number) => units[at]))
              .join(),
          );
        expect(tokenizer.decode(own.ids), where).toBe(await reference.decode(expected.getIds(), false));
      }
      tokenizer.close();
    }
    expect(compared).toBeGreaterThan(PIPELINES / 4);
  });
});

it('a lone surrogate is U+FFFD, and so are bytes that are not UTF-8', async () => {
  const { file } = vocabularyOf(new Random(3), 'every byte', PRETOKENIZERS['Falcon']!, ['a', '1']);
  using tokenizer = await Tokenizer.load(
    await compileCartridge(Buffer.from(JSON.stringify({ ...file, normalizer: null, added_tokens: [] }))),
  );
  for (const text of ['\ud800', 'a\udc00 1²\ud8001']) expect(tokenizer.encode(text)).toEqual(tokenizer.encode(text.toWellFormed()));
  const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte);
  expect(tokenizer.encode(bytes)).toEqual(tokenizer.encode(new TextDecoder().decode(bytes)));
});

it('a vocabulary that lacks some bytes is not adapted', async () => {
  const { file } = vocabularyOf(new Random(5), 'some bytes', byteLevel(true), ['a', '1']);
  using tokenizer = await Tokenizer.load(
    await compileCartridge(Buffer.from(JSON.stringify({ ...file, normalizer: null, added_tokens: [] })), { name: 'x' }),
  );
  expect(tokenizer.idOf('\u001d')).toBeUndefined();
  expect(tokenizer.encode('\u001d \u001d').length).toBe(1);
  tokenizer.observe('a1 a1 a1 a1');
  await expect(tokenizer.adapt({ threshold: 0 })).rejects.toThrow('it has no token for the byte 0, which is not supported');
});

describe('what other importers refuse', () => {
  const { file } = vocabularyOf(new Random(1), 'every byte', byteLevel(true), ['a', 'b']);
  const model = file.model as { vocab: Record<string, number>; merges: [string, string][] };
  const { '!': _, ...some } = model.vocab;
  const merges = model.merges.filter((pair) => !pair.join('').includes('!'));
  const texts = ['', 'a b!', ' ab 12 a!!b', 'Ãñ ab², ãa!a'];
  it.each<[string, object]>([
    ['ByteLevel twice', { pre_tokenizer: sequence(byteLevel(true), digits(true), byteLevel(false)) }],
    [
      'Metaspace behind it',
      { pre_tokenizer: sequence(byteLevel(true), { type: 'Metaspace', replacement: '▁', prepend_scheme: 'always' }) },
    ],
    ['parts of characters that are removed', { pre_tokenizer: sequence(byteLevel(true), split({ Regex: 'Ã' }, 'Removed')) }],
    ['all text removed', { pre_tokenizer: sequence(byteLevel(true), split({ Regex: ' ' }, 'Removed', true)) }],
    ['a space in front behind another', { pre_tokenizer: sequence(digits(true), byteLevel(true, true), digits(true)) }],
    ['byte_fallback', { model: { ...model, vocab: some, merges, byte_fallback: true } }],
    ['ignore_merges', { model: { ...model, vocab: some, merges, ignore_merges: true } }],
    ['an unknown token that is none', { model: { ...model, vocab: some, merges, unk_token: 'nothing' } }],
    [
      'an unknown token that merges',
      { model: { ...model, vocab: { ...some, '<unk>a': 9999 }, merges: [['<unk>', 'a'], ...merges], unk_token: '<unk>' } },
    ],
  ])('has the ids of the reference: %s', async (_, change) => {
    const json = JSON.stringify({ ...file, normalizer: null, post_processor: null, added_tokens: [], ...change });
    const reference = HuggingFace.fromString(json);
    using tokenizer = await Tokenizer.load(await compileCartridge(Buffer.from(json)));
    for (const text of texts) {
      const expected = await reference.encode(text, null, { addSpecialTokens: false }).then(
        (encoding) => encoding.getIds().join(),
        () => 'an error',
      );
      let own = 'an error';
      try {
        own = tokenizer.encode(text).join();
      } catch (error) {
        expect(error).toBeInstanceOf(TokenizerError);
      }
      expect(own, text).toBe(expected);
    }
  });
});
