/**
 * The merge of LoPT, as published: overlapping chunks are encoded as separate texts, with the offsets of each token; two
 * neighbours are joined at the longest run of tokens with equal offsets in the text. If the run is not longer than the
 * longest token of the vocabulary (the condition of Theorem 3.1), everything restarts with chunks of twice the length;
 * after five such retries, or when a chunk would be the whole text, the text is encoded at once.
 *
 * With `threshold`, the paper's T, a run of that many tokens is enough, however short they are.
 *
 * The theorem holds for the model alone. A pretokenizer that groups digits in threes, or splits off spaces before a
 * newline, may give two chunks runs of equal tokens in different phases, and the ids after the run are wrong.
 */
import { overlappingChunks } from './chunks.mjs';
import { joined } from './delimiters.mjs';
import { Work } from './work.mjs';

const RETRIES = 5;

/**
 * @param {{ encode(text: Uint8Array): Uint32Array, encodeWithOffsets(text: Uint8Array): { ids: Uint32Array, offsets: Uint32Array } }} tokenizer
 * @param {Uint8Array} bytes UTF-8
 * @param {{ chunk: number, overlap: number, longestToken: number, threshold?: number }} options in bytes; `threshold` in tokens
 */
export function encodeByOverlap(tokenizer, bytes, { chunk, overlap, longestToken, threshold }) {
  const isEnough = (run) => (threshold ? run.tokens >= threshold : run.length > longestToken);
  const work = new Work();
  let attempts = 0;
  for (let length = chunk; attempts <= RETRIES && length < bytes.length; length *= 2) {
    attempts++;
    const chunks = overlappingChunks(bytes, length, overlap);
    const parts = work.together(chunks, ({ begin, end }) => {
      const { ids, offsets } = tokenizer.encodeWithOffsets(bytes.subarray(begin, end));
      return { ids, offsets, begin, end };
    });
    const ids = work.alone(() => merged(parts, isEnough));
    if (ids !== undefined) return { ids, attempts, isWhole: false, ...work };
  }
  const ids = work.alone(() => tokenizer.encode(bytes));
  return { ids, attempts: attempts + 1, isWhole: true, ...work };
}

/** The ids of all parts, or undefined if two have too little in common. */
function merged(parts, isEnough) {
  const out = [];
  let first = 0; // of the part's ids, those before this one are in the previous part
  for (const [index, part] of parts.entries()) {
    const next = parts[index + 1];
    if (next === undefined) {
      out.push(part.ids.subarray(first));
      break;
    }
    const run = longestRun(part, next);
    if (!isEnough(run) || run.left < first) return undefined;
    out.push(part.ids.subarray(first, run.left));
    first = run.right;
  }
  return joined(out);
}

/**
 * The longest run of tokens at equal offsets: its tokens and bytes, and the number of ids before its end in each part.
 */
function longestRun(left, right) {
  const best = { tokens: 0, length: 0, left: 0, right: 0 };
  let [length, tokens] = [0, 0];
  const shift = right.begin - left.begin;
  for (let i = firstFrom(left.offsets, shift), j = 0; i < left.ids.length && j < right.ids.length; ) {
    const begins = [left.offsets[2 * i] - shift, right.offsets[2 * j]];
    if (begins[0] === begins[1] && left.offsets[2 * i + 1] - shift === right.offsets[2 * j + 1]) {
      length += right.offsets[2 * j + 1] - begins[1];
      tokens++;
      i++;
      j++;
      if (length > best.length) Object.assign(best, { tokens, length, left: i, right: j });
      continue;
    }
    [length, tokens] = [0, 0];
    if (begins[0] <= begins[1]) i++;
    if (begins[1] <= begins[0]) j++;
  }
  return best;
}

/** The first token that begins at an offset or after it. */
function firstFrom(offsets, offset) {
  let [low, high] = [0, offsets.length / 2];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (offsets[2 * middle] < offset) low = middle + 1;
    else high = middle;
  }
  return low;
}
