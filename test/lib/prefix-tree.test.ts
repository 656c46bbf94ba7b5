// The tree behind prefix caches: what it finds is what was added, and all that it can still find is counted in its bytes. The
// settled positions and ids here are made up from the text.

import { beforeAll, describe, expect, it } from 'vitest';

import { Random } from '../fuzz/random.mjs';
import { sample } from '../share.js';

const SEED = Number(process.env.CRAYON_FUZZ_SEED ?? 1);

let internals: typeof import('../../dist/node/internals.js');
beforeAll(async () => {
  internals = await import('../../dist/node/internals.js');
});

/** An id for each 100 units, which depends on all units before it; settled to the last of these. */
function naiveIds(text: string, end: number): number[] {
  const ids: number[] = [];
  let sum = 7;
  for (let at = 0; at < end; at++) {
    sum = (Math.imul(sum, 31) + text.charCodeAt(at)) >>> 0;
    if (at % 100 === 99) ids.push(sum);
  }
  return ids;
}

function settledAt(text: string, end: number) {
  const ids = naiveIds(text, end).length;
  return { units: ids * 100, bytes: ids * 100, ids };
}

type Tree = InstanceType<typeof internals.PrefixTree>;

/** Adds all blocks of a text, as far as there is room; checks what was known. */
function visit(tree: Tree, key: string, text: string): void {
  const known = tree.find(key, text);
  checkKnown(known, text);
  const blocks = [];
  const all = Uint32Array.from(naiveIds(text, text.length));
  for (let at = known.end.end; ; ) {
    const end = internals.blockEnd(text, at);
    if (end === undefined) break;
    const settled = settledAt(text, end);
    blocks.push({ end, settled });
    at = end;
  }
  tree.grow(known, text, { blocks, idsBetween: (from, to) => all.subarray(from.ids, to.ids) });
}

function checkKnown(known: ReturnType<Tree['find']>, text: string): void {
  const { end, settled } = known.end;
  expect(end === 0 || internals.blockEnd(text, end - 4096) === end).toBe(true);
  expect(settled).toEqual(settledAt(text, end));
  const ids = new Uint32Array(settled.ids);
  known.write(ids);
  expect(ids.join()).toBe(naiveIds(text, end).slice(0, settled.ids).join());
}

/** Texts of whole blocks of a few letters, many of which begin alike. */
function textsOf(random: Random): string[] {
  const blocks = Array.from({ length: 6 }, (_, i) => String.fromCharCode(97 + (i >> 1)).repeat(4000) + String.fromCharCode(97 + i).repeat(96));
  return Array.from({ length: 12 }, () => {
    const count = random.integer(0, 20);
    // The first blocks are mostly the same.
    return Array.from({ length: count }, (_, i) => blocks[i < 6 && random.integer(0, 3) > 0 ? 0 : random.integer(0, 5)]).join('') + 'z'.repeat(random.integer(0, 500));
  });
}

describe('PrefixTree', () => {
  it('finds only what was added, with its ids, within its bytes', () => {
    for (let seed = 1; seed <= sample(60, 4); seed++) {
      const random = new Random(SEED * 1000 + seed);
      const maxBytes = [0, 1000, 12_000, 30_000, 100_000, 300_000, 1e9][random.integer(0, 6)] as number;
      const tree = new internals.PrefixTree(maxBytes);
      const texts = textsOf(random);
      for (let step = 0; step < 40; step++) {
        visit(tree, `${random.integer(0, 1)}`, texts[random.integer(0, texts.length - 1)] as string);
        expect(tree.bytes, `seed ${SEED}, ${seed}`).toBeLessThanOrEqual(maxBytes);
      }
      // What can be found takes memory, and all of that is counted: nothing that was removed is still there.
      const found = new Map<string, number>();
      for (const key of ['0', '1']) {
        for (const text of texts) {
          const known = tree.find(key, text);
          checkKnown(known, text);
          for (let end = 4096; end <= known.end.end; end += 4096) found.set(`${key}${text.slice(0, end)}`, 2 * 4096 + 4 * 40);
        }
      }
      const least = [...found.values()].reduce((sum, size) => sum + size, 0);
      expect(tree.bytes, `seed ${SEED}, ${seed}`).toBeGreaterThanOrEqual(least);
      // Nor is there much besides.
      expect(tree.bytes).toBeLessThanOrEqual(1.3 * least + 2 * 700 + 640 * found.size);
    }
  });

  it('keeps the newest text as far as there is room, and removes the oldest first', () => {
    const tree = new internals.PrefixTree(60_000);
    const texts = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(8192));
    const isKnown = (text: string) => tree.find('', text).end.end === text.length;
    for (const text of texts.slice(0, 3)) visit(tree, '', text);
    expect(texts.map(isKnown)).toEqual([true, true, true, false]);
    expect(isKnown(texts[0] as string)).toBe(true);
    visit(tree, '', texts[3] as string);
    expect(texts.map(isKnown)).toEqual([true, false, true, true]);
    visit(tree, '', 'e'.repeat(8192 * 10));
    expect(texts.map(isKnown)).toEqual([false, false, false, false]);
    expect(tree.find('', 'e'.repeat(8192 * 10)).end.end).toBe(6 * 4096);
  });

  it('removes the children of a node that was divided', () => {
    const [beginning, middle] = ['a'.repeat(8 * 4096), 'b'.repeat(8 * 4096)];
    const others = ['c', 'd', 'e'].map((letter) => letter.repeat(4 * 4096));
    const tree = new internals.PrefixTree(29 * 8800);
    const [first, second] = others.map((end) => beginning + middle + end) as [string, string, string];
    for (const text of [first, second, beginning + (others[2] as string)]) visit(tree, '', text);
    expect(tree.find('', first).end.end).toBe(20 * 4096);
    tree.find('', beginning + middle);
    tree.find('', beginning + (others[2] as string));
    visit(tree, '', 'f'.repeat(4096)); // in place of `second`, which is the oldest
    expect(tree.find('', second).end.end).toBe(16 * 4096);
    expect(tree.find('', first).end.end).toBe(20 * 4096);
    tree.find('', beginning + middle);
    tree.find('', beginning + (others[2] as string));
    visit(tree, '', 'f'.repeat(8 * 4096));
    expect(tree.find('', first).end.end).toBe(16 * 4096);
  });

  it('removes the only child of a node that was divided', () => {
    const [beginning, middle, end, other] = ['a', 'b', 'c', 'd'].map((letter, i) => letter.repeat((i < 2 ? 8 : 4) * 4096));
    const tree = new internals.PrefixTree(26 * 8480);
    for (const text of [beginning + middle + end, beginning + other]) visit(tree, '', text as string);
    tree.find('', beginning + middle);
    tree.find('', beginning + other);
    visit(tree, '', 'f'.repeat(4 * 4096));
    expect(tree.find('', beginning + middle + end).end.end).toBe(16 * 4096);
  });

  it('does not end a block inside a character', () => {
    expect(internals.blockEnd('a'.repeat(4096), 0)).toBe(4096);
    expect(internals.blockEnd('a'.repeat(4095), 0)).toBe(undefined);
    expect(internals.blockEnd(`${'a'.repeat(4095)}😀`, 0)).toBe(4095);
    expect(internals.blockEnd(`${'a'.repeat(4094)}\ud800\ud800`, 0)).toBe(4094);
    expect(internals.blockEnd('\ud800'.repeat(5000), 0)).toBe(undefined);
  });
});
