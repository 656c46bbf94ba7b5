// Long texts are passed to the engine in windows. Wherever a window ends, the ids equal the ids of the whole text:
// characters of several bytes, surrogate pairs, contractions, line ends, numbers and runs span every possible edge of a
// window.

import { describe, expect, it } from 'vitest';
import { Tokenizer } from 'crayon-tokenizer';

import { contenderOf } from '../fuzz/contenders.mjs';
import { differenceOn, report } from '../fuzz/differential.mjs';
import { nastyString } from '../fuzz/strings.mjs';
import { DISTINCT_ENCODINGS, loadTiktoken } from '../golden/tiktoken.mjs';
import { sample, SHARE } from '../share.js';

/** Window edges are multiples of this, whatever the window size: powers of two from 4 Ki units up. */
const STEP = 4096;
const UNITS = 4 * 65536 + 2000;

const STRADDLERS = [
  '😀',
  '👩‍👩‍👧‍👦',
  '語言',
  'é',
  '\ud800',
  '\udc00',
  "don't",
  "WE'LL'VE",
  '\r\n\r\n',
  '     x',
  '\n  \n ',
  '1234567',
  '\u0301\u0301',
  'antidisestablishmentarianism',
  '<|endoftext|>',
  '!!!/\n',
  '\u3000\xa0 \x85',
  '한국어',
  '__proto__',
  'ABCdefGHI',
];
const FILLERS: Record<string, string> = {
  ascii: 'the lamp at Crane Point was trimmed at 5:42, eleven minutes before sunset; ',
  chinese: '灯塔的守夜人每天傍晚五点四十二分修剪灯芯,比日落早十一分钟。',
  mixed: 'Привет, 世界! naïve 😀 ok\n',
  astral: '𠮷😀𝐀',
};

/** Filler text with an insertion `shift` units before every multiple of STEP. */
function straddling(filler: string, shift: number, straddlers = STRADDLERS, units = UNITS): string {
  let text = '';
  for (let edge = STEP, number = shift; edge < units; edge += STEP, number++) {
    const gap = edge - shift - text.length;
    // The filler may begin or end inside a pair: the lone surrogate is U+FFFD, a test as well.
    text += filler.repeat(Math.ceil(gap / filler.length)).slice(0, gap) + straddlers[(number * 7 + (edge >> 16)) % straddlers.length];
  }
  return text;
}

describe.each(DISTINCT_ENCODINGS)('long texts: %s', { timeout: 300_000 }, (name) => {
  /** In a sample, the encodings share the cases. */
  const isMine = (index: number) => SHARE === 1 || index % DISTINCT_ENCODINGS.length === DISTINCT_ENCODINGS.indexOf(name);

  it.each(Object.keys(FILLERS))('in %s text', async (filler) => {
    using tokenizer = await Tokenizer.load(name);
    const contender = contenderOf(tokenizer);
    const reference = await loadTiktoken(name);
    for (let shift = 0; shift < sample(8, 2); shift++) {
      const text = straddling(FILLERS[filler], shift);
      expect(text.length).toBeGreaterThan(UNITS - STEP);
      if (differenceOn(text, contender, reference) === null) continue;
      expect.fail(report({ encoding: name, text, contender, reference, origin: `${filler} filler, shift ${shift}` }));
    }
  });

  it('with special tokens allowed', async () => {
    using tokenizer = await Tokenizer.load(name);
    const reference = await loadTiktoken(name);
    const contender = {
      takesBytes: true,
      encode: (text: string | Uint8Array) => tokenizer.encode(text, { special: 'allow' }),
      count: (text: string) => tokenizer.count(text, { special: 'allow' }),
    };
    const allowing = { encode: reference.encodeAllowingSpecial };
    const straddlers = Object.keys(reference.specialTokens).flatMap((special) => [special, special.slice(0, -1), special + special]);
    for (let shift = 0; shift < sample(16, 4); shift++) {
      const text = straddling(FILLERS.mixed, shift, straddlers, 2 * 65536 + 2000);
      if (differenceOn(text, contender, allowing) === null) continue;
      expect.fail(report({ encoding: name, text, contender, reference: allowing, origin: `special tokens, shift ${shift}` }));
    }
  });

  it('of nasty strings', async () => {
    using tokenizer = await Tokenizer.load(name);
    const contender = contenderOf(tokenizer);
    const reference = await loadTiktoken(name);
    for (let seed = 0; seed < sample(4); seed++) {
      let text = '';
      for (let index = 0; text.length < UNITS; index++) text += nastyString(seed, index);
      if (differenceOn(text, contender, reference) === null) continue;
      expect.fail(report({ encoding: name, text, contender, reference, origin: `joined strings of seed ${seed}` }));
    }
  });

  it('of lengths around a window', async () => {
    using tokenizer = await Tokenizer.load(name);
    const contender = contenderOf(tokenizer);
    const reference = await loadTiktoken(name);
    const long = FILLERS.mixed.repeat(9000);
    const lengths = [4096, 8192, 16384, 32768, 65536, 131072].flatMap((window) => [window - 2, window - 1, window, window + 1, window + 2]);
    for (const length of lengths.filter((_, index) => isMine(index))) {
      const text = long.slice(0, length);
      if (differenceOn(text, contender, reference) === null) continue;
      expect.fail(report({ encoding: name, text, contender, reference, origin: `length ${length}` }));
    }
  });

  it('with lone surrogates in a row, and little text after them', async () => {
    using tokenizer = await Tokenizer.load(name);
    const reference = await loadTiktoken(name);
    let index = 0;
    for (const rest of [0, 1, 20, 100, 2000]) {
      for (let halves = 1; halves <= 4; halves++) {
        for (let shift = 0; shift <= halves; shift++) {
          if (!isMine(index++)) continue;
          const text = `${'the lamp '.repeat(8000).slice(0, 65536 - shift)}${'\ud83d'.repeat(halves)}\ude00${'at Crane Point '.repeat(200).slice(0, rest)}`;
          const expected = [...reference.encode(text.toWellFormed())];
          const where = `${halves} halves from ${65536 - shift} on, ${rest} units behind them`;
          expect([...tokenizer.encode(text)], where).toEqual(expected);
          expect([...(await tokenizer.encodeAsync(text))], where).toEqual(expected);
          expect(tokenizer.count(text), where).toBe(expected.length);
        }
      }
    }
  });
});
