// BPE whose tokens mark their place in a word (`continuing_subword_prefix`, `end_of_word_suffix`), over characters like
// GPT-1 and HerBERT, or bytes like CLIP; and BPE over characters without an unknown token: random vocabularies and texts,
// compared with npm `tokenizers`.

import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { compileCartridge, Tokenizer, TokenizerError } from 'crayon-tokenizer';

import { Random } from '../fuzz/random.mjs';
import { sample } from '../share.js';
import { compareGeneral } from './added-token-files.js';
import { byteCharacter } from './byte-character.js';
import { checkInParts, checkInThreads } from './in-parts.js';
import { unitsOf } from './units.js';

const { Tokenizer: HuggingFace } = createRequire(import.meta.url)('tokenizers') as typeof import('tokenizers');

// --- vocabularies -------------------------------------------------------------------------------------------------------

interface Marks {
  prefix: string;
  suffix: string;
}

const NO_MARKS: Marks = { prefix: '', suffix: '' };
const SCRIPTS = ['abc', 'aéü', '中国一', '😀😁a', 'กขค่', 'абв', '한국어', 'a1-', ".,'s", '#@a', '</w>', '▁a'];
const SPACES = [' ', ' ', ' ', '  ', '\t', '\n', '\u3000', '\u00a0', ' \n '];
const OTHERS = [
  '.',
  ',',
  '-',
  '。',
  '\u0301',
  'e\u0301',
  '1',
  '½',
  'z',
  'ß',
  '文',
  '🚀',
  '\u0000',
  'A',
  'É',
  '#',
  '##',
  '</w>',
  '<0x41>',
  '▁',
  '\u{10ffff}',
];

const split = (pattern: object, behavior = 'Isolated'): object => ({ type: 'Split', pattern, behavior, invert: false });
const BERT = { type: 'BertPreTokenizer' };
const PRETOKENIZERS: (object | null)[] = [
  BERT,
  BERT,
  null,
  { type: 'Whitespace' },
  { type: 'WhitespaceSplit' },
  { type: 'Metaspace', replacement: '▁', prepend_scheme: 'always', split: true },
  { type: 'Metaspace', replacement: '▁', prepend_scheme: 'first', split: true },
  { type: 'Sequence', pretokenizers: [{ type: 'WhitespaceSplit' }, { type: 'Digits', individual_digits: true }] },
  split({ Regex: '[a-z]+|\\s+' }),
];
const SPLITS: object[] = [BERT, { type: 'Whitespace' }, { type: 'Digits', individual_digits: true }, split({ Regex: '[a-z]+|\\s+' })];
const BYTE_LEVEL = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: false, use_regex: true };
const NORMALIZERS: (object | null)[] = [
  null,
  null,
  { type: 'BertNormalizer', clean_text: true, handle_chinese_chars: true, strip_accents: null, lowercase: true },
  { type: 'NFD' },
  { type: 'Lowercase' },
  { type: 'Replace', pattern: { String: 'b' }, content: ' - ' },
];

/** The symbols of a file's tokens: each character with the marks of each place in a word. */
const placed = (text: string, { prefix, suffix }: Marks, begins: boolean, ends: boolean): string =>
  `${begins ? '' : prefix}${text}${ends ? suffix : ''}`;

interface Place {
  token: string;
  begins: boolean;
  ends: boolean;
}

/** How ByteLevel writes a text. */
const byteLevel = (text: string): string => Array.from(Buffer.from(text), (byte) => byteCharacter(byte)).join('');
const ALL_BYTES = Array.from({ length: 256 }, (_, byte) => byteCharacter(byte));

/**
 * Tokens and merges for each place in a word, and a few tokens that merging does not make. `all`: characters that occur
 * in every place.
 */
function modelOf(random: Random, marks: Marks, alphabet: string[], changes: object, all: string[] = []): Record<string, unknown> {
  const places = [false, true]
    .flatMap((begins) => [false, true].map((ends) => ({ begins, ends })))
    .filter(({ begins, ends }) => (marks.prefix || begins) && (marks.suffix || !ends));
  const pool: Place[] = alphabet.flatMap((character) =>
    places.filter(() => random.chance(0.85)).map(({ begins, ends }) => ({ token: placed(character, marks, begins, ends), begins, ends })),
  );
  const tokens = new Set([
    ...pool.map(({ token }) => token),
    ...all.flatMap((character) => places.map(({ begins, ends }) => placed(character, marks, begins, ends))),
  ]);
  const merges: [string, string][] = [];
  for (let left = random.integer(3, 60); left > 0 && pool.length > 0; left--) {
    const a = random.pick(pool);
    const b = random.pick(pool);
    if (a.ends || (marks.prefix && b.begins)) continue;
    const token = a.token + (marks.prefix ? b.token.slice(marks.prefix.length) : b.token);
    if (token.length > 20 || merges.some(([one, other]) => one === a.token && other === b.token)) continue;
    merges.push([a.token, b.token]);
    if (tokens.has(token)) continue;
    tokens.add(token);
    pool.push({ token, begins: a.begins, ends: b.ends });
  }
  const word = () => Array.from({ length: random.integer(2, 4) }, () => random.pick(alphabet)).join('');
  for (let left = random.integer(0, 6); left > 0; left--) {
    const place = random.pick(places);
    tokens.add(placed(word(), marks, place.begins, place.ends));
  }
  const texts = [...tokens];
  texts.splice(random.integer(0, texts.length), 0, '<unk>');
  return {
    type: 'BPE',
    dropout: null,
    unk_token: '<unk>',
    continuing_subword_prefix: marks.prefix || random.pick([null, '']),
    end_of_word_suffix: marks.suffix || random.pick([null, '']),
    fuse_unk: random.chance(0.3),
    byte_fallback: random.chance(0.2),
    vocab: Object.fromEntries(texts.map((token, id) => [token, id])),
    merges,
    ...changes,
  };
}

type Bytes = 'some' | 'all';

function fileOf(
  random: Random,
  marks: Marks,
  alphabet: string[],
  changes: object = {},
  pretokenizer = random.pick(PRETOKENIZERS),
  bytes?: Bytes,
): Record<string, unknown> {
  const characters = bytes ? [...new Set(alphabet.flatMap((each) => [...byteLevel(each)]))] : alphabet;
  const model = modelOf(
    random,
    marks,
    characters,
    bytes ? { byte_fallback: false, ...changes } : changes,
    bytes === 'all' ? ALL_BYTES : [],
  );
  const next = Object.keys(model.vocab as object).length;
  const added = random.chance(0.5) ? [] : ['[M]', ' x', 'B'].filter((content) => !Object.hasOwn(model.vocab as object, content));
  const decoders = [
    null,
    { type: 'BPEDecoder', suffix: marks.suffix || '</w>' },
    { type: 'WordPiece', prefix: marks.prefix || '##', cleanup: random.chance(0.5) },
    { type: 'Fuse' },
  ];
  return {
    version: '1.0',
    added_tokens: added.map((content, index) => ({
      id: next + index,
      content,
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: index === 2,
      special: index === 0,
    })),
    normalizer: random.pick(NORMALIZERS),
    pre_tokenizer: bytes
      ? { type: 'Sequence', pretokenizers: [random.pick(SPLITS), { ...BYTE_LEVEL, use_regex: random.chance(0.5) }] }
      : pretokenizer,
    post_processor: null,
    decoder: bytes ? random.pick([BYTE_LEVEL, ...decoders]) : random.pick(decoders),
    model,
  };
}

// --- comparisons --------------------------------------------------------------------------------------------------------

const POLICY = { special: 'allow' } as const;

/** Undefined if a file is refused, which must then have this code. */
async function compiled(json: string, slim = false): Promise<Uint8Array<ArrayBuffer> | undefined> {
  try {
    return await compileCartridge(Buffer.from(json), { slim });
  } catch (error) {
    expect(error, json).toBeInstanceOf(TokenizerError);
    return undefined;
  }
}

/** Whether the file opens: its ids, offsets and decoded texts must equal the reference's. */
async function compare(random: Random, json: string, alphabet: string[], hasOffsets: boolean, inParts: boolean): Promise<boolean> {
  const full = await compiled(json);
  if (!full) return false;
  const reference = HuggingFace.fromString(json);
  using tokenizer = await Tokenizer.load(full);
  using slim = await Tokenizer.load((await compiled(json, true))!);
  using wasm = await Tokenizer.load(full, { backend: 'wasm' });
  const parts = [...alphabet, ...alphabet, ...alphabet, ...SPACES, ...OTHERS, '[M]', ' x', 'B'];
  const texts = Array.from({ length: 10 }, (_, index) =>
    Array.from({ length: random.integer(0, index === 0 ? 300 : 16) }, () => random.pick(parts)).join(''),
  );
  for (const text of texts) {
    const where = `${JSON.stringify(text)} ${json}`;
    const expected = await reference.encode(text, null, { addSpecialTokens: false });
    const ids = expected.getIds();
    const own = tokenizer.encodeWithOffsets(text, POLICY);
    expect(own.ids.join(), where).toBe(ids.join());
    const units = unitsOf(text);
    if (hasOffsets)
      expect(own.offsets.join(), where).toBe(
        expected
          .getOffsets()
          .flatMap((span) => span.map((at: number) => units[at]))
          .join(),
      );
    for (const other of [slim, wasm]) expect(other.encode(text, POLICY).join(), where).toBe(ids.join());
    expect(tokenizer.count(text, POLICY), where).toBe(ids.length);
    expect(tokenizer.decode(own.ids), where).toBe(await reference.decode(ids, false));
    expect(tokenizer.decode(own.ids, { skipSpecialTokens: true }), where).toBe(await reference.decode(ids, true));
  }
  if (inParts) {
    checkInParts(tokenizer, texts.join(''), json);
    await checkInThreads(tokenizer, `${texts.join('')} a`);
  }
  return true;
}

const KINDS: Record<string, { marks: Marks; changes?: object; pretokenizer?: object; bytes?: Bytes; hasOffsets?: boolean }> = {
  'ends of words': { marks: { prefix: '', suffix: '</w>' } },
  'parts that continue words': { marks: { prefix: '##', suffix: '' } },
  both: { marks: { prefix: '##', suffix: '</w>' } },
  'ends of words, whole pieces': { marks: { prefix: '', suffix: '</w>' }, changes: { ignore_merges: true }, pretokenizer: BERT },
  'parts that continue words, whole pieces': { marks: { prefix: '##', suffix: '' }, changes: { ignore_merges: true }, pretokenizer: BERT },
  'both, whole pieces': { marks: { prefix: '@@', suffix: '</w>' }, changes: { ignore_merges: true }, pretokenizer: BERT },
  'marks that texts have': { marks: { prefix: '▁', suffix: 'a' } },
  'marks of one character': { marks: { prefix: 'a', suffix: '#' } },
  'bytes that end words': { marks: { prefix: '', suffix: '</w>' }, bytes: 'some' },
  'bytes that continue words': { marks: { prefix: '##', suffix: '' }, bytes: 'some' },
  'bytes that do both': { marks: { prefix: '@@', suffix: '</w>' }, bytes: 'some' },
  'all bytes': { marks: { prefix: '', suffix: '</w>' }, bytes: 'all', changes: { unk_token: null } },
  'all bytes, that do both': { marks: { prefix: '##', suffix: '</w>' }, bytes: 'all', changes: { unk_token: null } },
  'no unknown token': { marks: NO_MARKS, changes: { unk_token: null }, hasOffsets: false },
};

describe.each(Object.entries(KINDS))('%s', { timeout: 600_000 }, (name, { marks, changes, pretokenizer, bytes, hasOffsets = true }) => {
  const ROUNDS = sample(1500, 6);
  it(`encodes and decodes as Hugging Face tokenizers do: ${ROUNDS} vocabularies`, async () => {
    let opened = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const random = new Random(1 + round * 37 + name.length);
      const alphabet = [...new Set([...random.pick(SCRIPTS), ...random.pick(SCRIPTS)])];
      const file = fileOf(random, marks, alphabet, changes, pretokenizer, bytes);
      if (await compare(random, JSON.stringify(file), alphabet, hasOffsets, round % 10 === 0)) opened++;
    }
    // The others have merges that ranks cannot express, or characters that are a mark.
    expect(opened).toBeGreaterThan(ROUNDS / 8);
  });
});

describe('a BPE over words that is not for the fast path', () => {
  const alphabet = ['a', 'b'];
  const file = (marks: Marks, changes: object, others: object = {}): string => {
    const { model, ...rest } = fileOf(new Random(3), marks, alphabet, {}, BERT) as { model: object };
    return JSON.stringify({
      ...rest,
      added_tokens: [],
      normalizer: null,
      ...others,
      model: { ...model, byte_fallback: false, ...changes },
    });
  };
  const ids = (...tokens: string[]): Record<string, number> => Object.fromEntries(['<unk>', ...tokens].map((token, id) => [token, id]));
  const bytes = Array.from({ length: 256 }, (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`);
  const [ends, continues, both]: Marks[] = [
    { prefix: '', suffix: '</w>' },
    { prefix: '##', suffix: '' },
    { prefix: '##', suffix: '</w>' },
  ];
  const added = (content: string, id: number): object => ({
    added_tokens: [{ id, content, single_word: false, lstrip: false, rstrip: false, normalized: false, special: true }],
  });

  it.each<[string, string]>([
    [
      'a token of two places',
      file(ends!, {
        vocab: ids('a', '</w', '>', 'a</w>', '</w>', '<', '/', 'w', '/w', '/w>'),
        merges: [
          ['<', '/w>'],
          ['a', '</w>'],
          ['/', 'w'],
          ['/w', '>'],
        ],
      }),
    ],
    ['a character of two places', file({ prefix: 'a', suffix: 'b' }, { vocab: ids('a', 'b', 'ab'), merges: [] })],
    ['a part that does not continue', file(continues!, { vocab: ids('a', 'bcd', 'ad'), merges: [['a', 'bcd']] })],
    ['byte_fallback', file(both!, { vocab: ids('a', ...bytes), merges: [], byte_fallback: true })],
    ['no unknown token', file(continues!, { unk_token: null })],
    ['no unknown token and whole pieces', file(NO_MARKS, { unk_token: null, ignore_merges: true })],
    ['an unknown token that merges', file(NO_MARKS, { vocab: ids('a', '<unk>a'), merges: [['<unk>', 'a']] })],
    [
      'an unknown token that merges and is added',
      file(NO_MARKS, { vocab: ids('a', '<unk>a'), merges: [['<unk>', 'a']] }, added('<unk>', 0)),
    ],
    [
      'tokens of bytes that merge',
      file(NO_MARKS, { vocab: ids(...bytes, '<0x41><0x42>'), merges: [['<0x41>', '<0x42>']], byte_fallback: true }),
    ],
    ['whole pieces that may end as tokens do', file(ends!, { ignore_merges: true }, { pre_tokenizer: { type: 'WhitespaceSplit' } })],
    [
      'whole pieces that may be bytes',
      file(
        NO_MARKS,
        { vocab: ids(...bytes), merges: [], byte_fallback: true, ignore_merges: true },
        { pre_tokenizer: { type: 'Whitespace' } },
      ),
    ],
    ['an added token that ends words', file(ends!, { vocab: ids('a', 'a</w>'), merges: [] }, added('a</w>', 2))],
  ])('takes the general path: %s', async (_, json) => {
    await compareGeneral(json, ['a', 'ab', 'a b', 'bba ab', 'aab </w> b']);
  });

  it('is refused, as by the reference, with a merge that makes no token', async () => {
    const json = file(continues!, { vocab: ids('a', '##b'), merges: [['a', '##b']] });
    await expect(compileCartridge(Buffer.from(json))).rejects.toThrow(
      'model.merges[0]: expected tokens of model.vocab, which has no "ab", but found ["a","##b"]',
    );
  });
});

it('bytes that are not UTF-8 are unknown or omitted', async () => {
  const alphabet = ['a', 'b'];
  for (const marks of [KINDS['both']!.marks, KINDS['ends of words']!.marks]) {
    const file = { ...fileOf(new Random(5), marks, alphabet, { fuse_unk: false }, BERT), added_tokens: [], normalizer: null };
    using tokenizer = await Tokenizer.load(await compileCartridge(Buffer.from(JSON.stringify(file))));
    const { ids } = tokenizer.encodeWithOffsets(Uint8Array.of(0xfe, 0xff, 0x80, 0xc3));
    const unknown = (file as unknown as { model: { vocab: Record<string, number> } }).model.vocab['<unk>'];
    expect([...ids]).toEqual([unknown, unknown, unknown, unknown]);
  }
  const file = { ...fileOf(new Random(5), NO_MARKS, alphabet, { unk_token: null }, null), added_tokens: [], normalizer: null };
  using tokenizer = await Tokenizer.load(await compileCartridge(Buffer.from(JSON.stringify(file))));
  const text = Uint8Array.of(0xff, 0x61, 0x80, 0xe4, 0xb8, 0x61);
  expect([...tokenizer.encode(text)]).toEqual([...tokenizer.encode('aa')]);
});

it('omitted characters count in no offset, as in the reference', async () => {
  const model = { type: 'BPE', vocab: { a: 0, b: 1, ab: 2, é: 3, '😀': 4 }, merges: [['a', 'b']], unk_token: null, byte_fallback: true };
  const file = {
    version: '1.0',
    added_tokens: [],
    normalizer: null,
    pre_tokenizer: { type: 'WhitespaceSplit' },
    post_processor: null,
    decoder: null,
    model,
  };
  await compareGeneral(JSON.stringify(file), ['x中axx🚀b 中 é中😀中', 'x 中', 'x中axxb']);
});
