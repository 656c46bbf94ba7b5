// WordPiece, WordLevel and Unigram: random vocabularies compared with Hugging Face's tokenizers, on every backend.
import { Tokenizer } from 'crayon-tokenizer';
import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CompilerInput } from '../../lib/engine/compiler.js';
import { Random } from '../fuzz/random.mjs';
import { sample } from '../share.js';

const { Tokenizer: HuggingFace } = createRequire(import.meta.url)('tokenizers') as typeof import('tokenizers');

let internals: typeof import('../../dist/node/internals.js');
beforeAll(async () => {
  internals = await import('../../dist/node/internals.js');
});
const opened: Tokenizer[] = [];
afterAll(() => opened.forEach((tokenizer) => tokenizer.close()));

const SCRIPTS = ['abc', 'aéü', '中国一个', '😀😁a', 'กขค่', 'абв', '한국어', 'a1-', '#ab'];
const SPACES = [' ', '  ', '\t', '\n', '\u3000', '\u00a0', '\u2028', ' \n '];
const PUNCTUATION = ['.', ',', '-', '#', '$', '+', '。', '、', '«', '\u2e43', '\u166d', '¡'];
const OTHERS = ['e\u0301', '\u1112\u1161\u11ab', 'z', 'ß', '文', '🚀', '\u0301', '\u200d', 'й', '\u0000'];

interface Vocabulary {
  /** A tokenizer.json. */
  json: object;
  input: Omit<CompilerInput, 'metadata'>;
  /** The building blocks of texts. */
  strings: string[];
}

interface AddedToken {
  id: number;
  content: string;
  special: boolean;
}

const PRETOKENIZERS = {
  bert: { type: 'BertPreTokenizer' },
  whitespace_split: { type: 'WhitespaceSplit' },
  metaspace: { type: 'Split', pattern: { String: '▁' }, behavior: 'MergedWithNext', invert: false },
  none: null,
};
type Pretokenizer = keyof typeof PRETOKENIZERS;

function jsonOf(model: object, pretokenizer: Pretokenizer, added: AddedToken[], composes: boolean) {
  const flags = { single_word: false, lstrip: false, rstrip: false, normalized: false };
  return {
    version: '1.0',
    added_tokens: added.map((token) => ({ ...token, ...flags })),
    normalizer: composes ? { type: 'NFC' } : null,
    pre_tokenizer: PRETOKENIZERS[pretokenizer],
    post_processor: null,
    decoder: null,
    model,
  };
}

function joined(texts: readonly string[]) {
  const parts = texts.map((text) => Buffer.from(text));
  const offsets = new Uint32Array(parts.length + 1);
  parts.forEach((part, i) => (offsets[i + 1] = (offsets[i] as number) + part.length));
  return { bytes: Uint8Array.from(Buffer.concat(parts)), offsets };
}

function viewsOf(pretokenizer: Pretokenizer, added: AddedToken[], composes: boolean) {
  const tokens = internals.packTokens(added.map(({ content, id, special }) => ({ text: content, id, special })));
  return [{ name: 'trie', scanner: pretokenizer, normalizer: Number(composes), tokens }];
}

function alphabetOf(random: Random): string[] {
  return [...new Set([...random.pick(SCRIPTS), ...random.pick(SCRIPTS)])];
}

/** Random texts over an alphabet, of one to a few characters. */
function wordsOf(random: Random, alphabet: string[], count: number): string[] {
  const word = () => Array.from({ length: 1 + random.below(random.chance(1 / 3) ? 6 : 3) }, () => random.pick(alphabet)).join('');
  return Array.from({ length: count }, word);
}

/** A few added tokens, some with the ids and texts of model tokens. */
function addedOf(random: Random, tokens: string[], others: string[]): AddedToken[] {
  const added: AddedToken[] = [];
  let next = tokens.length;
  for (let left = random.below(3); left > 0; left--) {
    const content = random.pick(['[SEP]', '<s>', ' x', 'ab', '  ', random.pick(others)]);
    if (content === '' || added.some((other) => other.content === content)) continue;
    const known = tokens.indexOf(content);
    added.push({ content, id: known >= 0 ? known : next++, special: random.chance(1 / 2) });
  }
  return added.sort((a, b) => a.id - b.id);
}

function wordPieceOf(random: Random, wholeWords: boolean): Vocabulary {
  const pretokenizer = random.pick<Pretokenizer>(['bert', 'bert', 'whitespace_split', 'none']);
  const alphabet = alphabetOf(random);
  const prefix = wholeWords ? '' : random.pick(['##', '##', '##', '', '@', 'a']);
  const words = wordsOf(random, alphabet, 3 + random.below(30));
  const tokens = [
    ...new Set([
      ...(random.chance(1 / 3) ? words.slice(0, 2) : []),
      '[UNK]',
      ...words.map((word) => (random.chance(1 / 2) ? word : prefix + word)),
      ...alphabet.filter(() => !random.chance(1 / 4)).flatMap((character) => [character, prefix + character]),
      ...PUNCTUATION.filter(() => random.chance(1 / 2)),
    ]),
  ];
  const hasUnknown = !random.chance(1 / 8);
  if (!hasUnknown) tokens.splice(tokens.indexOf('[UNK]'), 1);
  const unknownId = hasUnknown ? tokens.indexOf('[UNK]') : undefined;
  const mostCharacters = wholeWords ? 0 : random.pick([100, 100, 5, 1, 0]);
  const vocab = Object.fromEntries(tokens.map((token, id) => [token, id]));
  const model = wholeWords
    ? { type: 'WordLevel', vocab, unk_token: '[UNK]' }
    : { type: 'WordPiece', vocab, unk_token: '[UNK]', continuing_subword_prefix: prefix, max_input_chars_per_word: mostCharacters };
  const added = addedOf(random, tokens, tokens);
  const composes = random.chance(1 / 4);
  const input: Omit<CompilerInput, 'metadata'> = {
    ...joined(tokens),
    model: 'wordpiece',
    wordPiece: { prefix, mostCharacters, unknownId, wholeWords },
    views: viewsOf(pretokenizer, added, composes),
  };
  const strings = [
    ...alphabet,
    ...alphabet,
    ...words,
    ...SPACES,
    ...SPACES,
    ...PUNCTUATION,
    ...OTHERS,
    ...added.map((each) => each.content),
  ];
  return { json: jsonOf(model, pretokenizer, added, composes), input, strings };
}

function byteToken(byte: number): string {
  return `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`;
}

/** How the reference parses a number, not always to the nearest double: its digits as an integer, then a power of ten. */
function readByReference(score: number): number {
  const [, sign, whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(String(score)) ?? [];
  if (whole === '') return score;
  const read = Number(BigInt(whole + fraction)) / 10 ** fraction.length;
  return sign ? -read : read;
}

function unigramOf(random: Random): Vocabulary {
  const pretokenizer = random.pick<Pretokenizer>(['metaspace', 'metaspace', 'none', 'bert']);
  const alphabet = [...alphabetOf(random), '▁'];
  const bytes = random.chance(1 / 3)
    ? Array.from({ length: 256 }, (_, byte) => byte).filter((byte) => random.chance(1 / 2) || byte > 0xc0 || byte < 0x80)
    : [];
  const all = [
    '<unk>',
    ...(random.chance(1 / 2) ? ['</s>'] : []),
    ...bytes.map(byteToken),
    ...wordsOf(random, alphabet, 3 + random.below(40)),
    ...alphabet.filter(() => !random.chance(1 / 4)),
  ];
  const tokens = [...new Set(all)];
  if (random.chance(1 / 3)) tokens.splice(random.below(tokens.length), 0, ...tokens.splice(0, 1)); // the unknown token is not the first
  const unknownId = tokens.indexOf('<unk>');
  const kind = random.below(5);
  const written = new Map<number, number>();
  const asRead = (score: number) => {
    const read = readByReference(score);
    written.set(read, score);
    return read;
  };
  const scores = Float64Array.from(tokens, () => {
    if (kind === 0) return -1 - random.below(3); // ties
    if (kind === 1) return random.pick([-0, 0, 5e-324, -5e-324, 1, -1]);
    if (kind === 2) return random.pick([0.1, 0.2, 0.3, -0.1, -0.2, -0.3, -0.7, 1e16, -1e16]); // sums depend on the order of addition
    if (kind === 3) return asRead(random.below(100) / 7);
    return asRead(-random.below(1 << 20) / 65537);
  });
  const unknownScore = Math.min(...scores) - 10;
  const model = {
    type: 'Unigram',
    unk_id: unknownId,
    vocab: tokens.map((token, id) => [token, written.get(scores[id] as number) ?? scores[id]]),
    byte_fallback: bytes.length > 0,
  };
  const byteIds = Uint32Array.from({ length: 256 }, (_, byte) => tokens.indexOf(byteToken(byte)) >>> 0);
  const added = addedOf(random, tokens, tokens);
  const composes = random.chance(1 / 4);
  const input: Omit<CompilerInput, 'metadata'> = {
    ...joined(tokens),
    model: 'unigram',
    unigram: { scores, unknownScore, unknownId, byteIds: bytes.length > 0 ? byteIds : undefined },
    views: viewsOf(pretokenizer, added, composes),
  };
  const strings = [...alphabet, ...alphabet, ...all.slice(-20), ...OTHERS, '<unk>', '▁', ' ', ...added.map((each) => each.content)];
  return { json: jsonOf(model, pretokenizer, added, composes), input, strings };
}

const KINDS = {
  WordPiece: (random: Random) => wordPieceOf(random, false),
  WordLevel: (random: Random) => wordPieceOf(random, true),
  Unigram: unigramOf,
};

function compiled({ input }: Vocabulary, form: 'full' | 'slim' = 'full'): Uint8Array<ArrayBuffer> {
  const file = internals.nativeCompiler().compile({ ...input, metadata: '{"name":"trie"}' }, form);
  if ('sentence' in file) throw new Error(`${file.code}: ${file.sentence}`);
  return file;
}

async function open(...files: Parameters<typeof Tokenizer.load>[]): Promise<Tokenizer[]> {
  const tokenizers = await Promise.all(files.map((file) => Tokenizer.load(...file)));
  opened.push(...tokenizers);
  return tokenizers;
}

function textOf(random: Random, strings: string[], most: number): string {
  return Array.from({ length: random.below(most) }, () => random.pick(strings)).join('');
}

describe('models of tries', () => {
  for (const [kind, vocabularyOf] of Object.entries(KINDS)) {
    it(`says its kind: ${kind}`, async () => {
      const vocabulary = vocabularyOf(new Random(1));
      const full = compiled(vocabulary);
      const tokenizers = await open([full], [compiled(vocabulary, 'slim')], [full, { backend: 'wasm' }]);
      expect(tokenizers.map(({ modelKind }) => modelKind)).toEqual(Array(3).fill(kind.toLowerCase()));
    });

    it(`gives the ids and offsets of Hugging Face tokenizers: ${kind}`, async () => {
      let compared = 0;
      for (let seed = 1; seed <= sample(1500, 30); seed++) {
        const random = new Random(seed);
        const vocabulary = vocabularyOf(random);
        const reference = HuggingFace.fromString(JSON.stringify(vocabulary.json));
        const full = compiled(vocabulary);
        const tokenizers = await open([full], [compiled(vocabulary, 'slim')], [full, { backend: 'wasm' }]);
        for (let round = 0; round < 12; round++) {
          const text = textOf(random, vocabulary.strings, round === 0 ? 300 : 24);
          const where = `${kind}, seed ${seed}, ${JSON.stringify(text)}`;
          const expected = await reference.encode(text, null, { addSpecialTokens: false }).catch(() => undefined);
          for (const tokenizer of tokenizers) {
            if (!expected) {
              expect(() => tokenizer.encode(text, { special: 'allow' }), where).toThrow(
                expect.objectContaining({ code: 'UNKNOWN_CHARACTER' }),
              );
              continue;
            }
            const { ids, offsets } = tokenizer.encodeWithOffsets(text, { special: 'allow' });
            expect([...ids], where).toEqual(expected.getIds());
            expect(pairsOf(offsets), where).toEqual(inUnits(expected.getOffsets(), text));
            expect([...tokenizer.encode(text, { special: 'allow' })], where).toEqual(expected.getIds());
            expect(tokenizer.count(text, { special: 'allow' }), where).toBe(ids.length);
          }
          compared++;
        }
        for (const tokenizer of opened.splice(0)) tokenizer.close();
      }
      expect(compared).toBeGreaterThan(100);
    });

    it(`gives the same in streams, wherever chunks end, on threads, and in parts: ${kind}`, async () => {
      for (let seed = 1; seed <= sample(200, 6); seed++) {
        const random = new Random(seed + 5000);
        const vocabulary = vocabularyOf(random);
        const [tokenizer] = (await open([compiled(vocabulary)])) as [Tokenizer];
        const text = textOf(random, vocabulary.strings, 2000);
        const where = `${kind}, seed ${seed}`;
        let ids: number[];
        try {
          ids = [...tokenizer.encode(text)];
        } catch {
          continue; // it has no unknown id
        }
        for (const size of [1, 2, 7, 64]) {
          const encoder = tokenizer.streamEncoder();
          const read: number[] = [];
          for (let at = 0; at < text.length; at += size) read.push(...encoder.push(text.slice(at, at + size)));
          expect([...read, ...encoder.end()], `${where}, chunks of ${size}`).toEqual(ids);
        }
        const long = text.repeat(60);
        expect([...(await tokenizer.encodeAsync(long, { threads: 2 }))], where).toEqual([...tokenizer.encode(long)]);
        for (const limit of [1, 3, 16]) {
          const most = Math.max(limit, ...Array.from(text, (character) => tokenizer.count(character)));
          const parts = tokenizer.split(text, { maxTokens: most });
          expect(parts.join(''), where).toBe(text);
          for (const part of parts) expect(tokenizer.count(part), where).toBeLessThanOrEqual(most);
        }
        for (const each of opened.splice(0)) each.close();
      }
    });
  }
});

function pairsOf(offsets: Uint32Array): [number, number][] {
  return Array.from({ length: offsets.length / 2 }, (_, i) => [offsets[2 * i] as number, offsets[2 * i + 1] as number]);
}

/** Hugging Face counts code points. */
function inUnits(offsets: number[][], text: string): [number, number][] {
  const units = [0];
  for (const character of text) units.push((units.at(-1) as number) + character.length);
  return offsets.map(([begin, end]) => [units[begin as number] as number, units[end as number] as number]);
}
