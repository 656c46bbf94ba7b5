// The rule by which texts are cut to limits (native/src/limits/part_cutter.h), written naively: every candidate is encoded anew.

import { utf8Of } from '../fuzz/differential.mjs';

/** The tokens of a text encoded alone. */
export interface NaiveTokens {
  /** Where each token begins and ends, in UTF-16 units; -1 inside a character. */
  spans(text: string): [number, number][];
  count(text: string): number;
}

const bytesIn = (text: string) => utf8Of(text).length;

/** The length of the first code points of a text that have at least so many bytes; of clusters, up to `most` bytes. */
function prefixLength(text: string, bytes: number, byCluster = false, most = Infinity): number {
  let units = 0;
  let size = 0;
  for (const character of text) {
    if (size >= bytes && (size >= most || !byCluster || isBetweenClusters(text, units))) break;
    size += bytesIn(character);
    units += character.length;
  }
  return units;
}

/** Where the last code points of a text begin that have at least so many bytes; clusters, up to `most` bytes. */
function suffixBegin(text: string, bytes: number, byCluster = false, most = Infinity): number {
  let at = text.length;
  for (let size = 0; at > 0; ) {
    if (size >= bytes && (size >= most || !byCluster || isBetweenClusters(text, at))) break;
    const begin = at - (isPairEnd(text, at) ? 2 : 1);
    size += bytesIn(text.slice(begin, at));
    at = begin;
  }
  return at;
}

/** Windows end where clusters do, but for those that go on for so many bytes. */
const LONG_CLUSTER = 64;

/** The length of the first part of a text; 0 if not even one character fits. */
export function naiveFirstPart({ spans, count }: NaiveTokens, text: string, limit: number): number {
  let fitted = '';
  let window: string;
  let tokens: [number, number][];
  for (let bytes = 64 + 6 * limit; ; bytes *= 2) {
    window = text.slice(0, prefixLength(text, bytes, true, bytes + LONG_CLUSTER));
    tokens = spans(window);
    if (tokens.length > limit) break;
    if (window === text) return text.length;
    fitted = window;
  }
  const fits = (at: number) => count(text.slice(0, at)) <= limit;
  // From the end of each token to the beginning of the next.
  const gaps = tokens.slice(0, limit).map(([, end], i) => range(end, tokens[i + 1]?.[0] ?? end));
  const unit = (size: number, byCluster: boolean) => Math.min(prefixLength(text, size, byCluster), window.length);
  const chosen = firstThat(
    gaps.reverse(),
    (at) => at > 0,
    fits,
    text,
    unit,
    (at) => bytesIn(text.slice(0, at)),
    window.length,
  );
  return bytesIn(fitted) >> 2 > bytesIn(text.slice(0, chosen ?? 0)) ? fitted.length : (chosen ?? 0);
}

/** Where the end of a text that is within a limit begins. */
export function naiveLastPart({ spans, count }: NaiveTokens, text: string, limit: number): number {
  let fitted = text.length;
  for (let bytes = 256 + 6 * limit; ; bytes *= 2) {
    const from = suffixBegin(text, bytes, true, bytes + LONG_CLUSTER);
    const window = text.slice(from);
    const tokens = spans(window).map(([begin, end]): [number, number] => [begin < 0 ? -1 : from + begin, end < 0 ? -1 : from + end]);
    if (tokens.length <= limit) fitted = from;
    if (from === 0 && tokens.length <= limit) return 0;
    if (from > 0 && tokens.length < limit + 16) continue;
    const chosen = lastTokens(tokens, count, text, limit, from);
    const isShort = bytesIn(text.slice(fitted)) >> 2 > bytesIn(text.slice(chosen));
    return isShort ? fitted : chosen;
  }
}

/** Where the last tokens of a part begin that its next part repeats. */
export function naiveOverlap({ spans, count }: NaiveTokens, part: string, tokens: number, limit: number, overlap: number): number {
  const most = Math.min(overlap, Math.max(tokens >> 1, tokens - Math.min(tokens, limit - overlap)));
  if (most === 0) return part.length;
  const begin = lastTokens(spans(part), count, part, most, 0);
  return begin === 0 ? part.length : begin;
}

function lastTokens(tokens: [number, number][], count: NaiveTokens['count'], text: string, limit: number, least: number): number {
  const fits = (at: number) => count(text.slice(at)) <= limit;
  const gaps = tokens.map(([begin], i) => range(i > 0 ? tokens[i - 1][1] : begin, begin).reverse());
  const unit = (size: number, byCluster: boolean) => Math.max(suffixBegin(text, size, byCluster), least);
  const kept = gaps.slice(Math.max(tokens.length - limit, 0));
  const chosen = firstThat(
    kept,
    (at) => at >= 0 && at < text.length,
    fits,
    text,
    unit,
    (at) => bytesIn(text.slice(at)),
    least,
  );
  return chosen ?? text.length;
}

/** The positions of a gap; none if one end is inside a character. */
function range(from: number, to: number): number[] {
  if (from < 0 || to < 0) return from === to || from < 0 ? [] : [from];
  return Array.from({ length: Math.max(to - from, 0) + 1 }, (_, at) => from + at);
}

/**
 * The first candidate that fits, at clusters; if others did not, or there is none, on in units of twice the bytes as long as these fit;
 * else the same with code points.
 */
function firstThat(
  candidates: number[][],
  isPart: (at: number) => boolean,
  fits: (at: number) => boolean,
  text: string,
  unit: (size: number, byCluster: boolean) => number,
  bytesTo: (at: number) => number,
  window: number,
): number | undefined {
  for (const byCluster of [true, false]) {
    let tries = 0;
    let step: number;
    let failed = window;
    let isBest = true;
    let longest: number | undefined;
    for (let i = 0; i < candidates.length && longest === undefined; i += step) {
      const at = candidates[i].find((each) => !isPairEnd(text, each + 1) && (!byCluster || isBetweenClusters(text, each))) ?? -1;
      step = 1;
      isBest &&= at !== failed;
      if (at === failed || !isPart(at)) continue;
      if (fits(at)) {
        longest = at;
      } else {
        failed = at;
        isBest = false;
        if (++tries > 8) step = 2 ** (tries - 8);
      }
    }
    if (longest !== undefined && isBest) return longest;
    for (;;) {
      const at = unit(longest === undefined ? 1 : 2 * bytesTo(longest), byCluster);
      if (bytesTo(at) >= bytesTo(failed) || !fits(at)) break;
      longest = at;
    }
    if (longest !== undefined) return longest;
  }
  return undefined;
}

const isPairEnd = (text: string, at: number) => /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(at - 2, at));
const before = (text: string, at: number) => text.codePointAt(isPairEnd(text, at) ? at - 2 : at - 1) as number;

/** Marks, vowel signs, selectors, skin tones, joiners: the blocks that the guide names, as regular expressions. */
const EXTENDS =
  /^[\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u0711\u0730-\u074a\u07a6-\u07b0\u07eb-\u07f3\u0816-\u082d\u0859-\u085b\u0898-\u089f\u08ca-\u08ff\u0e31\u0e33-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb3-\u0ebc\u0ec8-\u0ece\u0f18\u0f19\u0f35-\u0f39\u0f3e\u0f3f\u0f71-\u0f84\u0f86\u0f87\u0f8d-\u0fbc\u102b-\u103e\u1056-\u1059\u105e-\u1060\u1062-\u1064\u1067-\u106d\u1071-\u1074\u1082-\u108d\u1160-\u11ff\u135d-\u135f\u17b4-\u17d3\u17dd\u180b-\u180f\u1ab0-\u1aff\u1b00-\u1b04\u1b34-\u1b44\u1dc0-\u1dff\u200c\u200d\u20d0-\u20ff\u302a-\u302f\u3099\u309a\ua66f\ua672-\ua674\ua67d\ua67c\ua67b\ua67a\ua679\ua678\ua677\ua676\ua675\ua8e0-\ua8f1\ud7b0-\ud7fb\ufe00-\ufe0f\ufe20-\ufe2f\uff9e\uff9f\u{1f3fb}-\u{1f3ff}\u{e0020}-\u{e007f}\u{e0100}-\u{e01ef}]$/u;
/** The Indic blocks have their marks, and their virama, at the same places. */
const isIndic = (code: number) => code >= 0x900 && code <= 0xdff;
const INDIC = (code: number) => {
  const place = code & 0x7f;
  return (
    place <= 3 || (place >= 0x3a && place <= 0x4d && place !== 0x3d) || (place >= 0x51 && place <= 0x57) || place === 0x62 || place === 0x63
  );
};
const isRegional = (code: number) => code >= 0x1f1e6 && code <= 0x1f1ff;

/** Whether a position, between two code points, is between two grapheme clusters. */
export function isBetweenClusters(text: string, at: number): boolean {
  if (at <= 0 || at >= text.length) return true;
  const next = text.codePointAt(at) as number;
  const last = before(text, at);
  if (next < 0x300) return !(next === 10 && last === 13);
  if (isIndic(next) ? INDIC(next) : EXTENDS.test(String.fromCodePoint(next))) return false;
  if (last === 0x200d || (isIndic(last) && (last & 0x7f) === 0x4d)) return false;
  if (!isRegional(next) || !isRegional(last)) return true;
  let letters = 0;
  for (let begin = at; letters < 64 && begin > 0 && isRegional(before(text, begin)); begin -= 2) letters++;
  return letters % 2 === 0;
}
