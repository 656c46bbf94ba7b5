// The tokens of a file's model: ids of texts, and texts of ids.

import { integerAt, kindAt } from '../../base/json-text.js';
import { hasLoneSurrogate } from '../../base/text-encodings.js';
import { type JsonNode, shown } from './json-node.js';

export interface ModelTokens {
  ids: Map<string, number>;
  /** By id; undefined for an id without a token. */
  texts: (string | undefined)[];
}

/** As a cartridge has them. */
export const MOST_IDS = (1 << 21) - 1;
const LONGEST_TOKEN = 0xffff;
/** The ids without tokens may be this many, plus the number of tokens: every id takes memory, with or without a token. */
const FREE_IDS = 1 << 16;

/** Reads a map of texts to ids. Added tokens are among them in some files. */
export function modelTokensOf(vocab: JsonNode, mayBeEmpty = false): ModelTokens {
  const ids = new Map<string, number>();
  let highest = -1;
  // No JsonNode for each: there are many.
  vocab.eachMember((token, text, at) => {
    const id = kindAt(text, at) === 'number' ? integerAt(text, at) : -1;
    if (id < 0 || id >= MOST_IDS) vocab.entry(token).id(MOST_IDS);
    if (ids.has(token)) vocab.entry(token).malformed('each token once');
    ids.set(token, id);
    highest = Math.max(highest, id);
  });
  if (ids.size === 0 && !mayBeEmpty) vocab.malformed('tokens');
  const texts: (string | undefined)[] = new Array(highest + 1).fill(undefined);
  const limit = 2 * ids.size + FREE_IDS;
  for (const [token, id] of ids) {
    if (id >= limit) vocab.entry(token).unsupported(`${ids.size} tokens have ids up to ${id}: at most ${limit} are supported for so few`);
    const other = texts[id];
    if (other !== undefined) vocab.entry(token).malformed(`an id other than that of ${shown(other)}`);
    texts[id] = token;
  }
  return { ids, texts };
}

/** Throws a TokenizerError for a token that is ill-formed or too long; the error names its entry in the map or list. */
export function checkTexts(texts: readonly (string | undefined)[], nodeOf: (text: string, id: number) => JsonNode): void {
  texts.forEach((text, id) => {
    if (text === undefined) return;
    if (hasLoneSurrogate(text)) nodeOf(text, id).malformed('well-formed texts');
    if (3 * text.length <= LONGEST_TOKEN) return;
    const length = new TextEncoder().encode(text).length;
    if (length > LONGEST_TOKEN) nodeOf(text, id).unsupported(`${length} bytes are too many: at most ${LONGEST_TOKEN} are supported`);
  });
}

/** Throws a TokenizerError for more tokens than a cartridge has ids. */
export function checkCount(node: JsonNode, count: number): void {
  if (count === 0) node.malformed('tokens');
  if (count > MOST_IDS) node.unsupported(`${count} tokens are too many: at most ${MOST_IDS} are supported`);
}

export { LONGEST_TOKEN };
