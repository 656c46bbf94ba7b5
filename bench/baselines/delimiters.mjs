/**
 * Delimiter splits: a text is cut after the first delimiter following each chunk length, the chunks are encoded
 * separately, and the ids are concatenated. Nothing is checked. The ids differ if a token or a piece begins with the
 * delimiter, like " the", or continues after it.
 */
import { Work } from './work.mjs';

/** A chunk may end after these. */
export const DELIMITERS = { spaces: /\s/g, newlines: /\n/g, punctuation: /[.,;:!?。，、；：！？]/g };

/**
 * @param {{ encode(text: string): Uint32Array }} tokenizer
 * @param {string} text
 * @param {{ after: RegExp, chunk: number }} options `chunk` in UTF-16 units
 */
export function encodeByDelimiters(tokenizer, text, { after, chunk }) {
  const work = new Work();
  const chunks = work.alone(() => chunksOf(text, after, chunk));
  const parts = work.together(chunks, (part) => tokenizer.encode(part));
  const ids = work.alone(() => joined(parts));
  return { ids, attempts: 1, isWhole: chunks.length === 1, ...work };
}

/** Each ends after a delimiter, at its length or later. */
function chunksOf(text, after, length) {
  const chunks = [];
  for (let begin = 0; begin < text.length; ) {
    after.lastIndex = begin + length - 1;
    const end = begin + length < text.length && after.test(text) ? after.lastIndex : text.length;
    chunks.push(text.slice(begin, end));
    begin = end;
  }
  return chunks;
}

/** @param {Uint32Array[]} parts */
export function joined(parts) {
  const ids = new Uint32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    ids.set(part, at);
    at += part.length;
  }
  return ids;
}
