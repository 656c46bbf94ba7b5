// Unigram of a file: pieces with scores. A text is divided into the likeliest sequence of pieces.

import type { CompilerModel } from '../compile/compiler.js';
import { endOf, firstElement, kindAt, nextElement, stringAt } from '../open/json-text.js';
import { joinTokens, type TokenTable } from '../open/token-table.js';
import { floatOfJson } from './json-float.js';
import { checkCount, checkTexts, type ModelTokens } from './model-tokens.js';
import type { JsonNode } from './json-node.js';

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
  return scores.reduce((least, score) => Math.min(least, score), Infinity);
}

/** The ids of `<0x00>` to `<0xFF>`; 0xFFFFFFFF for a byte that has none. Undefined if no byte has one. */
export function idsOfBytes(ids: ReadonlyMap<string, number>): Uint32Array | undefined {
  const found = Uint32Array.from({ length: 256 }, (_, byte) => ids.get(byteText(byte)) ?? 0xffffffff);
  return found.every((id) => id === 0xffffffff) ? undefined : found;
}

function byteText(byte: number): string {
  return `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`;
}
