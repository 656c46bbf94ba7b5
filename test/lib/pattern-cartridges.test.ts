// Cartridges with patterns: the same ids as Hugging Face's tokenizers, in texts of any length, however they are
// encoded. The test inserts the section into a compiled cartridge, following cartridges/FORMAT.md.

import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { compileCartridge, Tokenizer, trainBpe, type TrainedVocabulary } from 'crayon-tokenizer';

import { compileSplit, type Split } from '../../lib/vocabularies/patterns/compile-pattern.js';
import { patternSection } from '../../lib/vocabularies/patterns/pattern-section.js';
import { Random } from '../fuzz/random.mjs';
import { sample } from '../share.js';
import { checksumOf, openCartridge } from './cartridge-reader.mjs';
import { REAL_PATTERNS } from './real-patterns.js';

const HuggingFace = (createRequire(import.meta.url)('tokenizers') as typeof import('tokenizers')).Tokenizer;

const raw = String.raw;
const isolated = (pattern: string): Split => ({ pattern, behavior: 'Isolated', invert: false });
const named = (...names: string[]) => names.map((name) => isolated(REAL_PATTERNS[name]!));

const PRETOKENIZERS: Record<string, Split[]> = {
  'Llama 3': named('cl100k, Llama 3'),
  'cl100k of tiktoken': named('cl100k of tiktoken'),
  'gpt-oss': named('o200k, gpt-oss'),
  'Kimi K2': named('Kimi K2'),
  'Mistral Nemo': named('tekken (Mistral Nemo)'),
  'DeepSeek V3': named('DeepSeek V3, digits', 'DeepSeek V3, ideographs and kana', 'DeepSeek V3, the rest'),
  'words and what follows': [{ pattern: raw`\p{L}+`, behavior: 'MergedWithNext', invert: false }],
  'spaces and what is before': [{ pattern: raw`\s+`, behavior: 'MergedWithPrevious', invert: false }],
  'lines, then words': [isolated(raw`\n+`), { pattern: raw`\w+`, behavior: 'Contiguous', invert: true }],
};

/** A cartridge with one view, which splits by patterns instead. */
function withPatterns(cartridge: Uint8Array, patterns: Uint8Array): Uint8Array {
  const file = new DataView(cartridge.buffer, cartridge.byteOffset, cartridge.byteLength);
  const sections = Array.from({ length: file.getUint16(14, true) }, (_, row) => {
    const [id, flags, offset, length] = [0, 4, 8, 12].map((field) => file.getUint32(64 + 16 * row + field, true)) as [
      number,
      number,
      number,
      number,
    ];
    return { id, flags, bytes: cartridge.slice(offset, offset + length) };
  });
  new DataView(sections.find(({ id }) => id === 3)!.bytes.buffer).setUint32(8 + 8, 6, true);
  sections.push({ id: 18, flags: 1, bytes: new Uint8Array(patterns) });

  const align = (at: number) => Math.ceil(at / 64) * 64;
  let end = 64 + 16 * sections.length;
  const offsets = sections.map(({ bytes }) => {
    const offset = align(end);
    end = offset + bytes.length;
    return offset;
  });
  const made = new Uint8Array(end);
  const view = new DataView(made.buffer);
  made.set(cartridge.subarray(0, 64));
  view.setUint16(14, sections.length, true);
  view.setBigUint64(16, BigInt(end), true);
  for (const [row, { id, flags, bytes }] of sections.entries()) {
    for (const [field, value] of [id, flags, offsets[row]!, bytes.length].entries()) view.setUint32(64 + 16 * row + 4 * field, value, true);
    made.set(bytes, offsets[row]);
  }
  view.setBigUint64(24, checksumOf(made), true);
  return made;
}

function reference(trained: TrainedVocabulary, splits: Split[]): (text: string) => Promise<number[]> {
  const json = trained.toTokenizerJson() as { pre_tokenizer: object; post_processor: null };
  const pretokenizers: object[] = splits.map(({ pattern, behavior, invert }) => ({
    type: 'Split',
    pattern: { Regex: pattern },
    behavior,
    invert,
  }));
  pretokenizers.push({ type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: false });
  json.pre_tokenizer = { type: 'Sequence', pretokenizers };
  json.post_processor = null;
  const tokenizer = HuggingFace.fromString(JSON.stringify(json));
  return async (text) => (await tokenizer.encode(text)).getIds();
}

const PARTS = [
  'the ',
  'The',
  "it's",
  "WE'LL ",
  ' 12345',
  '2026',
  '\n',
  '\n\n  ',
  '   ',
  '\t',
  '...',
  ' (a)',
  '中文',
  'カタ・カナ',
  'ſ',
  "'ſ",
  'é',
  'e\u0301',
  '한국어',
  '😀',
  '½',
  '٣٣',
  ' x=',
  '\u00a0',
  'ABCdef',
  '/',
];
const texts = (seed: number, parts: number) => {
  const random = new Random(seed);
  return Array.from({ length: parts }, () => random.pick(PARTS)).join('');
};

describe.each(Object.entries(PRETOKENIZERS))('%s', (_, splits) => {
  it('encodes as the reference does', async () => {
    // Tokens that cross words, so that each end of a piece matters.
    const trained = await trainBpe([texts(1, 4000)], { vocabularySize: 700, pretokenizer: null });
    const compiled = await compileCartridge(trained.tokens, { model: 'bpe', pretokenizer: 'gpt2', name: 'test' });
    const bytes = withPatterns(compiled, patternSection(splits.map(compileSplit)));
    expect(openCartridge(bytes).views).toMatchObject([{ scanner: 'pattern' }]);
    using tokenizer = await Tokenizer.load(bytes);
    const expected = reference(trained, splits);
    for (let seed = 2; seed < 2 + sample(400, 20); ++seed) {
      const text = texts(seed, 1 + (seed % 40));
      expect([...tokenizer.encode(text)], JSON.stringify(text)).toEqual(await expected(text));
    }
    const long = texts(7, 60_000);
    const ids = tokenizer.encode(long);
    expect(Buffer.compare(Buffer.from(ids.buffer), Buffer.from((await tokenizer.encodeAsync(long)).buffer))).toBe(0);
    expect(tokenizer.decode(ids)).toBe(long);
    const short = long.slice(0, 20_000);
    expect([...tokenizer.encode(short)]).toEqual(await expected(short));
  });
});
