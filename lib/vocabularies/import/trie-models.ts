// Unigram of a file: pieces with scores. A text is divided into the likeliest sequence of pieces.

import type { CompilerModel } from '../../engine/compiler.js';
import { endOf, firstElement, kindAt, nextElement, stringAt } from '../../base/json-text.js';
import { joinTokens, type TokenTable } from '../../base/token-table.js';
import { checkCount, checkTexts, type ModelTokens } from './model-tokens.js';
import { type JsonNode, shown } from './json-node.js';

export interface UnigramTokens extends ModelTokens {
  texts: string[];
  scores: Float64Array;
}

/** Reads a list of texts and scores; the id is the index. Of equal texts the last one counts, as in Hugging Face. */
export function unigramTokensOf(vocab: JsonNode, mayBeEmpty = false): UnigramTokens {
  const texts: string[] = [];
  const scores: number[] = [];
  // No JsonNode for each: there are many.
  vocab.eachElement((text, at, index) => {
    const pair = kindAt(text, at) === 'list' ? pairAt(text, at) : undefined;
    if (pair === undefined) return vocab.element(index, at).malformed('a token and its score');
    const [token, score] = pair;
    const value = floatOfJson(text.slice(score, endOf(text, score)));
    if (value === undefined) return vocab.element(index, at).malformed('a score that a double can hold');
    texts.push(stringAt(text, token));
    scores.push(value);
    return undefined;
  });
  if (texts.length > 0 || !mayBeEmpty) checkCount(vocab, texts.length);
  return { texts, ids: new Map(texts.map((text, id) => [text, id])), scores: Float64Array.from(scores) };
}

/** Where the two values of a list begin; undefined if they are not a text and a number. */
function pairAt(text: string, list: number): [token: number, score: number] | undefined {
  const token = firstElement(text, list);
  const score = token < 0 ? -1 : nextElement(text, token);
  if (score < 0 || nextElement(text, score) >= 0) return undefined;
  return kindAt(text, token) === 'string' && kindAt(text, score) === 'number' ? [token, score] : undefined;
}

/** The model as the engine compiles it. */
export function unigramModelOf(model: JsonNode, { texts, ids, scores }: UnigramTokens): TokenTable & CompilerModel {
  const unknown = model.at('unk_id');
  const unknownId = unknown.isNone ? undefined : unknown.id(texts.length);
  checkTexts(texts, () => model.at('vocab'));
  const byteIds = model.at('byte_fallback').truth(false) ? idsOfBytes(ids) : undefined;
  // An empty text never matches; of equal texts, only the last one does.
  const unmatched = texts.flatMap((text, id) => (text === '' || ids.get(text) !== id ? [id] : []));
  return {
    ...joinTokens(texts),
    model: 'unigram',
    unigram: { scores, unknownScore: leastOf(scores) - UNKNOWN_PENALTY, unknownId, byteIds, unmatched: Uint32Array.from(unmatched) },
  };
}

/** Makes an unknown character less likely than any known one. */
const UNKNOWN_PENALTY = 10;

function leastOf(scores: Float64Array): number {
  return scores.reduce((lowest, score) => Math.min(lowest, score), Infinity);
}

/** The ids of `<0x00>` to `<0xFF>`; 0xFFFFFFFF for a byte that has none. Undefined if no byte has one. */
export function idsOfBytes(ids: ReadonlyMap<string, number>): Uint32Array | undefined {
  const found = Uint32Array.from({ length: 256 }, (_, byte) => ids.get(byteText(byte)) ?? 0xffffffff);
  return found.every((id) => id === 0xffffffff) ? undefined : found;
}

function byteText(byte: number): string {
  return `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`;
}

// WordPiece and WordLevel of a file: words to ids, by their longest known parts or as they are.

/** More than any word has, for a file without a limit. */
const MOST_CHARACTERS = 2 ** 31;

/** The model as the engine compiles it. Throws a TokenizerError for one that encoding could fail with. */
export function wordModelOf(model: JsonNode, kind: 'wordpiece' | 'wordlevel', tokens: ModelTokens): TokenTable & CompilerModel {
  const unknown = model.at('unk_token');
  const unknownId = tokens.ids.get(unknown.text());
  if (unknownId === undefined) return unknown.malformed(`a token of model.vocab, which has no ${shown(unknown.text())},`);
  checkTexts(tokens.texts, (text) => model.at('vocab').entry(text));
  const isLevel = kind === 'wordlevel';
  const wordPiece = {
    prefix: isLevel ? '' : model.at('continuing_subword_prefix').text(),
    mostCharacters: isLevel ? 0 : model.at('max_input_chars_per_word').id(MOST_CHARACTERS),
    unknownId,
    wholeWords: isLevel,
  };
  return { ...joinTokens(tokens.texts), model: 'wordpiece', wordPiece };
}

// Numbers of a JSON file as Hugging Face reads them: with serde_json without `float_roundtrip`, which scales a decimal
// significand by one rounded power of ten after the other. The last bit of a score may differ from the result of JSON.parse for
// the same text, and it decides between segmentations of equal length.

const MOST_SIGNIFICAND = 2n ** 64n - 1n;
const HIGHEST_POWER = 308;
const POWERS = Float64Array.from({ length: HIGHEST_POWER + 1 }, (_, exponent) => Number(`1e${exponent}`));
/** A number whose significand a double has exactly. */
const SHORT = /^-?\d{1,15}$/;
const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
/** Beyond any exponent that makes a difference. */
const MOST_EXPONENT = 2 ** 31 - 1;

/** The number that a JSON number is read as; undefined for one that is refused as out of range. */
function floatOfJson(text: string): number | undefined {
  if (SHORT.test(text)) return Number(text);
  const [, sign = '', whole = '', fraction, exponent] = NUMBER.exec(text) ?? [];
  const isInteger = fraction === undefined && exponent === undefined;
  const { significand, dropped, taken } = significandOf(whole, fraction ?? '');
  if (isInteger && dropped === 0) return Number(BigInt(text));
  const written = Math.max(-MOST_EXPONENT, Math.min(MOST_EXPONENT, Number(exponent ?? 0)));
  const size = scaled(Number(significand), dropped - taken + written);
  return size === undefined ? undefined : sign === '-' ? -size : size;
}

/**
 * The digits that fit in 64 bits. `dropped`: how many digits before the point were not taken; `taken`: how many after it were.
 */
function significandOf(whole: string, fraction: string): { significand: bigint; dropped: number; taken: number } {
  let significand = 0n;
  let index = 0;
  for (; index < whole.length; index++) {
    const next = significand * 10n + BigInt(whole.charCodeAt(index) - 48);
    if (next > MOST_SIGNIFICAND) break;
    significand = next;
  }
  const dropped = whole.length - index;
  let taken = 0;
  for (; taken < fraction.length; taken++) {
    const next = significand * 10n + BigInt(fraction.charCodeAt(taken) - 48);
    if (next > MOST_SIGNIFICAND) break;
    significand = next;
  }
  return { significand, dropped, taken };
}

function scaled(significand: number, exponent: number): number | undefined {
  let size = significand;
  for (;;) {
    const power = POWERS[Math.abs(exponent)];
    if (power !== undefined) {
      size = exponent >= 0 ? size * power : size / power;
      return size === Infinity ? undefined : size;
    }
    if (size === 0) return 0;
    if (exponent >= 0) return undefined;
    size /= 1e308;
    exponent += HIGHEST_POWER;
  }
}
