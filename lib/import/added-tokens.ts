// The added tokens of a file, with the ids that Hugging Face gives them.

import { bytesOfByteLevel } from './byte-level.js';
import type { Place } from './place.js';

export interface ImportedToken {
  text: string;
  id: number;
  special: boolean;
  /** Searched for in what the others leave, after the normalizer, if there is one. */
  normalized: boolean;
  /** Includes the whitespace before it, after it. Default: not. */
  lstrip?: boolean;
  rstrip?: boolean;
  /** Not found next to a character of a word. Default: it is. */
  singleWord?: boolean;
}

/** In bytes: a search compares so many at each place of a text. */
const LONGEST = 1024;
/** So many pairs of tokens are compared. */
const MOST_PAIRS = 1 << 22;
const BEGINS_WITH_SPACE = /^\p{White_Space}/u;
const ENDS_WITH_SPACE = /\p{White_Space}$/u;

/** `ids`, `texts`: of the vocabulary. `normalizes`: there is a normalizer, NFC. Ascending by id. */
export function addedTokensOf(
  place: Place,
  ids: ReadonlyMap<string, number>,
  texts: readonly (string | undefined)[],
  normalizes: boolean,
): ImportedToken[] {
  if (place.isNone) return [];
  const tokens = new Map<string, ImportedToken>();
  const normalized: string[] = [];
  let next = ids.size;
  for (const element of place.elements()) {
    element.object();
    const content = element.at('content');
    const text = content.text();
    checkContent(content, text, tokens.has(text));
    const singleWord = element.at('single_word').truth(false);
    const lstrip = element.at('lstrip').truth(false);
    const rstrip = element.at('rstrip').truth(false);
    const special = element.at('special').truth(false);
    const isNormalized = element.at('normalized').truth(!special);
    if (isNormalized) {
      normalized.push(text);
      if (normalizes) checkNormalized(content, text);
      if (normalizes && (lstrip || rstrip)) {
        element.at(lstrip ? 'lstrip' : 'rstrip').unsupported('a normalized token with it is not supported with a normalizer');
      }
    }
    // Hugging Face does not read the id: it counts on from how many the vocabulary has, which need not be the highest.
    const own = ids.get(text);
    const id = own ?? next++;
    const written = element.at('id').id(0xffffffff);
    if (written !== id) element.at('id').unsupported(`Hugging Face tokenizers would give this token the id ${id}, not ${written}`);
    if (own === undefined && texts[id] !== undefined) {
      element.at('id').unsupported(`${id} is the id of ${JSON.stringify(texts[id])} in model.vocab, too`);
    }
    tokens.set(text, { text, id, special, normalized: isNormalized, lstrip, rstrip, singleWord });
  }
  const all = [...tokens.values()];
  const isStaged = needsStages(all);
  checkStages(place, tokens, normalized, !normalizes && isStaged);
  if (!normalizes && isStaged) checkStrips(place, all);
  checkWhitespace(place, all, normalizes || isStaged);
  if (!normalizes && !isStaged) for (const token of all) token.normalized = false;
  return all.sort((a, b) => a.id - b.id);
}

function checkContent(content: Place, text: string, isKnown: boolean): void {
  if (text === '') content.malformed('a text that is not empty');
  if (isKnown) content.malformed('each content once');
  const bytes = new TextEncoder().encode(text).length;
  if (bytes > LONGEST) content.unsupported(`${bytes} bytes are too many: at most ${LONGEST} are supported`);
  // Decoding reads a token of such characters alone as bytes, though it is matched as text.
  if (/[\x80-\uffff]/.test(text) && bytesOfByteLevel(text)) {
    content.unsupported('a text of characters that stand for bytes would be decoded to these');
  }
}

/** Whatever version of Unicode the host has: what is in NFC by a later one is so by an earlier one. */
function checkNormalized(content: Place, text: string): void {
  if (text.normalize('NFC') !== text) content.unsupported('a normalized token that is not in NFC itself is not supported');
}

/** Whether it matters, even without a normalizer, that tokens with `normalized` see no neighbour in a token of the others. */
function needsStages(tokens: readonly ImportedToken[]): boolean {
  return tokens.some(({ normalized, singleWord }) => normalized && singleWord) && tokens.some(({ normalized }) => !normalized);
}

function checkStrips(place: Place, tokens: readonly ImportedToken[]): void {
  const strips = tokens.find(({ normalized, lstrip, rstrip }) => normalized && (lstrip || rstrip));
  if (!strips) return;
  const what = `${JSON.stringify(strips.text)} is normalized and has ${strips.lstrip ? 'lstrip' : 'rstrip'}`;
  place.unsupported(`${what}, next to normalized tokens with single_word and others that are not normalized`);
}

/**
 * Tokens with `normalized` are searched for in what the others leave. Searching for all at once is the same if no token of
 * one kind can overlap one of the other. If they are searched for like that (`isStaged`), they may, but none that contains one of
 * the others is ever found.
 */
function checkStages(place: Place, tokens: ReadonlyMap<string, ImportedToken>, normalized: string[], isStaged: boolean): void {
  if (normalized.length === 0 || normalized.length === tokens.size) return;
  const late = new Set(normalized);
  const others = [...tokens.keys()].filter((text) => !late.has(text));
  if (late.size * others.length > MOST_PAIRS) place.unsupported('so many tokens, some of them normalized, are not supported');
  for (const one of late) {
    for (const other of others) {
      const [late, early] = [JSON.stringify(one), JSON.stringify(other)];
      if (!isStaged && overlap(one, other)) place.unsupported(`${late} is normalized and ${early} is not, and they can overlap`);
      if (isStaged && one.includes(other)) place.unsupported(`${late} is normalized and contains ${early}, which is not`);
    }
  }
}

/**
 * Hugging Face searches for tokens in the whitespace after one with `rstrip`, too, and encodes some of it twice. And tokens that
 * are not normalized come first: they take the whitespace that is the end of a normalized one, or follows it.
 */
function checkWhitespace(place: Place, tokens: readonly ImportedToken[], normalizes: boolean): void {
  const begins = tokens.filter(({ text }) => BEGINS_WITH_SPACE.test(text));
  for (const isLate of [false, true]) {
    const right = tokens.find(({ rstrip, normalized }) => rstrip && normalized === isLate);
    const other = begins.find(({ normalized }) => isLate || !normalized);
    if (right && other) place.unsupported(`${JSON.stringify(right.text)} has rstrip and ${JSON.stringify(other.text)} begins with whitespace`);
  }
  if (normalizes) return;
  const left = tokens.find(({ lstrip, normalized }) => lstrip && !normalized);
  const refuseLate = (other: ImportedToken | undefined, what: string): void => {
    if (left && other) place.unsupported(`${JSON.stringify(left.text)} has lstrip and ${JSON.stringify(other.text)} is normalized and ${what}`);
  };
  refuseLate(tokens.find(({ text, normalized }) => normalized && ENDS_WITH_SPACE.test(text)), 'ends with whitespace');
  refuseLate(tokens.find(({ rstrip, normalized }) => rstrip && normalized), 'has rstrip');
}

/** Whether two texts can be at places of a text that overlap. */
function overlap(one: string, other: string): boolean {
  if (one.includes(other) || other.includes(one)) return true;
  for (let length = Math.min(one.length, other.length) - 1; length > 0; length--) {
    if (one.endsWith(other.slice(0, length)) || other.endsWith(one.slice(0, length))) return true;
  }
  return false;
}
