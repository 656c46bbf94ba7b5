// Texts written by a template and its callers together: control tokens are found only where every byte is the template's.
// The expectations come from a matcher that tries every token at every position, and from the same vocabulary without
// added tokens.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Tokenizer } from 'crayon-tokenizer';

import { engineOf } from '../../dist/node/internals.js';
import { Random } from '../fuzz/random.mjs';
import { sample } from '../share.js';
import { jsonOf, type Token } from './added-token-files.js';

const MERGES = ['a b', 'Ġ a', 'Ġ Ġ', 'Ã ©', 'b c', '< m', 'Ġ <', 'a a'];
const CONTENTS = ['<m>', '<m', 'm>x', 'ab', 'abc', 'bc', 'a b', '_', '中', 'ệ', '😀', 'aaa', 'aa', 'a', '<m>ab', '|end|'];
const OTHERS = ['a', 'b', 'c', ' ', '  ', '\n', '<', '>', '.', '1', 'é', 'e\u0301', '中', '|', 'm'];
/** A token that merging makes cannot be special. */
const KNOWN = new Set(['ab', 'bc', 'aa', 'a', '_', '<m']);
const WORD = /[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}]/u;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'crayon-masked-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Part {
  /** UTF-16 units of the text. */
  begin: number;
  end: number;
  token: Token | undefined;
}
type IsAllowed = (token: Token, begin: number, end: number) => boolean;

/** The tokens in text[from, to), taken as its own text, and the text between them. */
function partsOf(text: string, from: number, to: number, tokens: readonly Token[], isAllowed: IsAllowed): Part[] {
  const parts: Part[] = [];
  const own = text.slice(0, to);
  let previous = from;
  for (let at = from; at < to; ) {
    const here = tokens.filter(({ content }) => own.startsWith(content, at));
    const [token] = here
      .filter((each) => isAllowed(each, at, at + each.content.length))
      .sort((a, b) => b.content.length - a.content.length);
    if (!token) {
      at++;
      continue;
    }
    let [begin, end] = [at, at + token.content.length];
    at = end;
    const before = [...text.slice(from, begin)].at(-1) ?? '';
    const [after = ''] = [...own.slice(end)];
    if (token.single_word && (WORD.test(before) || WORD.test(after))) continue;
    if (token.lstrip) begin = Math.max(previous, begin - /\p{White_Space}*$/u.exec(text.slice(from, begin))![0].length);
    if (token.rstrip) end += /^\p{White_Space}*/u.exec(own.slice(end))![0].length;
    if (previous < begin) parts.push({ begin: previous, end: begin, token: undefined });
    parts.push({ begin, end, token });
    previous = end;
  }
  if (previous < to) parts.push({ begin: previous, end: to, token: undefined });
  return parts;
}

/** First the tokens that are not normalized, then the others in the remaining text. */
function stagesOf(text: string, tokens: readonly Token[], isAllowed: IsAllowed): Part[] {
  const raw = tokens.filter(({ normalized }) => !normalized);
  const late = tokens.filter(({ normalized }) => normalized);
  const parts = partsOf(text, 0, text.length, raw, isAllowed);
  return parts.flatMap((part) => (part.token ? [part] : partsOf(text, part.begin, part.end, late, isAllowed)));
}

async function loaded(name: string, json: string): Promise<Tokenizer | undefined> {
  const path = join(folder, name);
  writeFileSync(path, json);
  return Tokenizer.load(path).catch((error: Error) => {
    if (!/is (not supported|normalized)|next to normalized|has (lstrip|rstrip)/.test(error.message)) throw error;
    return undefined;
  });
}

function randomRanges(random: Random, size: number): [number, number][] {
  const ranges: [number, number][] = [];
  for (let at = random.integer(0, 4); at < size; at += random.integer(0, 6)) {
    const end = Math.min(size, at + random.integer(0, 20));
    ranges.push([at, end]);
    at = end;
  }
  return ranges;
}

describe('a mask of control tokens', { timeout: 300_000 }, () => {
  for (const normalizer of [null, { type: 'NFC' }]) {
    const FILES = sample(120, 8);
    it(`${FILES} files ${normalizer ? 'with NFC' : 'without a normalizer'}`, async () => {
      let refused = 0;
      for (let seed = 1; seed <= FILES; seed++) {
        const random = new Random(seed);
        const tokens: Token[] = CONTENTS.filter(() => random.chance(0.5)).map((content) => ({
          id: 0,
          content,
          single_word: false,
          lstrip: random.chance(1 / 6),
          rstrip: random.chance(1 / 6),
          normalized: !normalizer && seed % 3 === 0 && random.chance(1 / 3),
          special: !KNOWN.has(content) && random.chance(0.5),
        }));
        const json = jsonOf(MERGES, tokens, normalizer);
        (JSON.parse(json) as { added_tokens: Token[] }).added_tokens.forEach(({ id }, i) => (tokens[i]!.id = id));
        const own = await loaded('own.json', json);
        const plain = (await loaded('plain.json', jsonOf(MERGES, [], normalizer)))!;
        if (!own) {
          refused++;
          continue;
        }
        const engine = engineOf(own);
        const control = new Uint32Array(tokens.filter(() => random.chance(1 / 4)).map(({ id }) => id));
        for (let turn = 0; turn < 30; turn++) {
          const contents = tokens.map(({ content }) => content);
          const length = turn === 0 ? 3000 : random.integer(0, 25);
          const text = Array.from({ length }, () => random.pick(random.chance(0.5) && contents.length > 0 ? contents : OTHERS)).join('');
          const bytes = new TextEncoder().encode(text);
          const byteOf = (unit: number) => new TextEncoder().encode(text.slice(0, unit)).length;
          const ranges = randomRanges(random, bytes.length);
          const isTemplates = new Uint8Array(bytes.length);
          for (const [begin, end] of ranges) isTemplates.fill(1, begin, end);
          const parts = stagesOf(text, tokens, ({ id, special }, begin, end) => {
            return !(special || control.includes(id)) || isTemplates.subarray(byteOf(begin), byteOf(end)).every((each) => each === 1);
          });
          const ids: number[] = [];
          const offsets: number[] = [];
          for (const { begin, end, token } of parts) {
            const from = byteOf(begin);
            if (token) {
              ids.push(token.id);
              offsets.push(from, byteOf(end));
            } else {
              const inside = plain.encodeWithOffsets(text.slice(begin, end), { unit: 'bytes' });
              ids.push(...inside.ids);
              offsets.push(...[...inside.offsets].map((each) => each + from));
            }
          }
          const mask = { control, ranges: new Uint32Array(ranges.flat()) };
          const name = `${seed} ${JSON.stringify(text.slice(0, 100))} ${JSON.stringify(ranges.slice(0, 10))} ${control} ${JSON.stringify(tokens)}`;
          expect([...engine.encode(bytes, mask)], name).toEqual(ids);
          expect(engine.count(bytes, mask), name).toBe(ids.length);
          const located = engine.encodeWithOffsets(bytes, 'bytes', mask);
          expect([...located.ids], name).toEqual(ids);
          expect([...located.offsets], name).toEqual(offsets);
          // A text without a mask gives the same results as before.
          const whole = { control, ranges: new Uint32Array([0, bytes.length]) };
          expect([...engine.encode(bytes, whole)], name).toEqual([...own.encode(text, { special: 'allow' })]);
        }
        own.close();
        plain.close();
      }
      expect(refused).toBeLessThan(FILES / 2);
    });
  }

  it('refuses unknown ids, and ranges out of order', async () => {
    const token = { single_word: false, lstrip: false, rstrip: false, normalized: false, special: true };
    using own = (await loaded('one.json', jsonOf(MERGES, [{ ...token, id: 0, content: '<m>' }], null)))!;
    const engine = engineOf(own);
    const bytes = new TextEncoder().encode('<m>');
    const encode = (control: number[], ranges: number[]) => () =>
      engine.encode(bytes, { control: new Uint32Array(control), ranges: new Uint32Array(ranges) });
    const id = own.encode('<m>', { special: 'allow' })[0]!;
    expect([...encode([id], [0, 3])()]).toEqual([id]);
    expect([...encode([], [0, 1, 1, 3])()]).toEqual([id]);
    expect([...encode([], [0, 1, 2, 3])()]).toEqual([...own.encode('<m>')]);
    expect([...encode([], [])()]).toEqual([...own.encode('<m>')]);
    expect(encode([id, 1], [])).toThrow(expect.objectContaining({ code: 'UNKNOWN_SPECIAL', position: 1 }));
    expect(encode([], [0, 2, 1, 3])).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT', position: 1 }));
    expect(encode([], [0, 1, 3, 2])).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT', position: 1 }));
    // The next text has no mask.
    expect([...own.encode('<m>', { special: 'allow' })]).toEqual([id]);
  });
});
