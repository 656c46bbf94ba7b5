// The rule by which texts are cut to limits (native/src/limits/part_cutter.h), written naively: every candidate is encoded anew.

import { utf8Of } from '../fuzz/differential.mjs';

/** The tokens of a text encoded alone. */
export interface NaiveTokens {
  /** Where each token begins and ends, in UTF-16 units; -1 inside a character. */
  spans(text: string): [number, number][];
  count(text: string): number;
}

const bytesIn = (text: string) => utf8Of(text).length;

/** The first code points of a text that have at least so many bytes. */
function prefixOf(text: string, bytes: number): string {
  let units = 0;
  for (const character of text) {
    if (bytes <= 0) break;
    bytes -= bytesIn(character);
    units += character.length;
  }
  return text.slice(0, units);
}

/** The last code points of a text that have at least so many bytes. */
function suffixOf(text: string, bytes: number): string {
  const characters = [...text];
  let first = characters.length;
  while (first > 0 && bytes > 0) bytes -= bytesIn(characters[--first]);
  return characters.slice(first).join('');
}

/** The length of the first part of a text; 0 if not even one character fits. */
export function naiveFirstPart({ spans, count }: NaiveTokens, text: string, limit: number): number {
  let fitted = '';
  let window: string;
  let tokens: [number, number][];
  for (let bytes = 128 + 8 * limit; ; bytes *= 2) {
    window = prefixOf(text, bytes);
    tokens = spans(window);
    if (tokens.length > limit) break;
    if (window === text) return text.length;
    fitted = window;
  }
  const fits = (at: number) => count(text.slice(0, at)) <= limit;
  // From the end of each token to the beginning of the next.
  const gaps = tokens.slice(0, limit).map(([, end], i) => range(end, tokens[i + 1]?.[0] ?? end));
  const chosen = firstThat(gaps.reverse(), (at) => at > 0, fits, text, {
    cluster: nextCluster(text, 0, window.length),
    character: [...text][0].length,
  });
  return bytesIn(fitted) >> 2 > bytesIn(text.slice(0, chosen ?? 0)) ? fitted.length : (chosen ?? 0);
}

/** Where the end of a text that is within a limit begins. */
export function naiveLastPart({ spans, count }: NaiveTokens, text: string, limit: number): number {
  let fitted = text.length;
  for (let bytes = 256 + 6 * limit; ; bytes *= 2) {
    const window = suffixOf(text, bytes);
    const from = text.length - window.length;
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
  const chosen = firstThat(gaps.slice(Math.max(tokens.length - limit, 0)), (at) => at >= 0 && at < text.length, fits, text, {
    cluster: previousCluster(text, least, text.length),
    character: text.length - ([...text].at(-1) ?? '').length,
  });
  return chosen ?? text.length;
}

/** The positions of a gap; none if one end is inside a character. */
function range(from: number, to: number): number[] {
  if (from < 0 || to < 0) return from === to || from < 0 ? [] : [from];
  return Array.from({ length: Math.max(to - from, 0) + 1 }, (_, at) => from + at);
}

/** The first candidate that fits: at clusters, else one cluster, else at code points, else one. */
function firstThat(
  candidates: number[][],
  isPart: (at: number) => boolean,
  fits: (at: number) => boolean,
  text: string,
  units: { cluster: number; character: number },
): number | undefined {
  for (const byCluster of [true, false]) {
    let tries = 0;
    let step: number;
    let tried = -1;
    for (let i = 0; i < candidates.length; i += step) {
      const at = candidates[i].find((each) => !isPairEnd(text, each + 1) && (!byCluster || isBetweenClusters(text, each))) ?? -1;
      step = 1;
      if (at === tried || !isPart(at)) continue;
      tried = at;
      if (fits(at)) return at;
      if (++tries > 8) step = 2 ** (tries - 8);
    }
    const unit = byCluster ? units.cluster : units.character;
    if (fits(unit)) return unit;
  }
  return undefined;
}

function nextCluster(text: string, from: number, most: number): number {
  let at = from + String.fromCodePoint(text.codePointAt(from) as number).length;
  while (at < most && !isBetweenClusters(text, at)) at += String.fromCodePoint(text.codePointAt(at) as number).length;
  return Math.min(at, most);
}

function previousCluster(text: string, least: number, end: number): number {
  let at = end;
  do at -= isPairEnd(text, at) ? 2 : 1;
  while (at > least && !isBetweenClusters(text, at));
  return Math.max(at, least);
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
  return place <= 3 || (place >= 0x3a && place <= 0x4d && place !== 0x3d) || (place >= 0x51 && place <= 0x57) || place === 0x62 || place === 0x63;
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
