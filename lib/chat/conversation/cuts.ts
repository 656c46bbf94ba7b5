// Where the text of a chat can be cut, so that the parts encode alone to the ids of the whole.
//
// The text between two added tokens is encoded on its own. So a text can be cut before a token, if the token is found there
// whatever surrounds it. That is so for a token that no added token can overlap: none ends with its beginning or begins with
// its end, and none contains it. Where such a token stands, the engine's search, which takes the first and of these the
// longest, finds nothing else. Besides, the token must not include white space around it or look at the characters there,
// and must be found before anything rewrites the text.

import type { AddedToken, EngineTokenizer } from '../../engine/engine.js';

/** Models that encode the text between added tokens alone: for others, what comes before can matter. */
const MODELS = new Set(['bpe', 'longest-match']);
/** SentencePiece looks at the white space of whole texts. */
const WHOLE = /sentence/i;

/** Tokens among `texts` before which every text can be cut. `texts`: what a template writes. */
export function cuttingTokens(engine: EngineTokenizer, texts: string): string[] {
  const { addedTokens, model, normalizer } = engine.describe();
  if (!MODELS.has(model) || WHOLE.test(normalizer)) return [];
  const others = addedTokens.filter(({ neverFound }) => !neverFound);
  return others
    .filter((token) => texts.includes(token.text) && standsAlone(token, normalizer) && !others.some((other) => canDisturb(other, token)))
    .map(({ text }) => text);
}

/** Whether nothing around a token changes how it is found, or what it leaves. */
function standsAlone({ text, strips, singleWord, normalized }: AddedToken, normalizer: string): boolean {
  return !strips && !singleWord && !(normalized && normalizer !== '') && /^[^\p{L}\p{M}\p{N}\p{Pc}\s]/u.test(text) && text.trim() === text;
}

/** Whether there is a text in which finding one token keeps the other, somewhere, from being found. */
function canDisturb(other: AddedToken, { text, normalized, id }: AddedToken): boolean {
  const isItself = other.id === id && other.text === text;
  if (!isItself && other.text.includes(text)) return true;
  // Those that are found first take their part out of a longer one.
  if (normalized && !other.normalized && text.includes(other.text)) return true;
  return endsInto(other.text, text) || endsInto(text, other.text);
}

/** Whether the first text can end inside the second: with a beginning of it that is shorter than both. */
function endsInto(first: string, second: string): boolean {
  const last = first.charCodeAt(first.length - 1);
  for (let length = Math.min(first.length, second.length) - 1; length > 0; length--) {
    if (second.charCodeAt(length - 1) === last && second.startsWith(first.slice(-length))) return true;
  }
  return false;
}
