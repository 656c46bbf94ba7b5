/**
 * The merge of ParallelTokenizer, as published: overlapping chunks are encoded as separate texts, and two neighbours are
 * joined at the longest run of ids common to the end of one and the beginning of the other, wherever it is in the text. If
 * a text repeats itself, that may be another occurrence.
 */
import { overlappingChunks } from './chunks.mjs';
import { joined } from './delimiters.mjs';
import { Work } from './work.mjs';

/**
 * @param {{ encode(text: Uint8Array): Uint32Array }} tokenizer
 * @param {Uint8Array} bytes UTF-8
 * @param {{ chunk: number, overlap: number }} options in bytes
 */
export function encodeByCommonIds(tokenizer, bytes, { chunk, overlap }) {
  const work = new Work();
  const chunks = overlappingChunks(bytes, chunk, overlap);
  const parts = work.together(chunks, ({ begin, end }) => tokenizer.encode(bytes.subarray(begin, end)));
  // Without offsets, the number of ids in the overlap is unknown: roughly its share of the chunk.
  const sizes = parts.map((ids, index) => Math.ceil((ids.length * overlap) / (chunks[index].end - chunks[index].begin)));
  const ids = work.alone(() => merged(parts, sizes));
  if (ids !== undefined) return { ids, attempts: 1, isWhole: chunks.length === 1, ...work };
  return { ids: work.alone(() => tokenizer.encode(bytes)), attempts: 2, isWhole: true, ...work };
}

/** The ids of all parts, or undefined if two have no id in common. */
function merged(parts, sizes) {
  const out = [];
  let first = 0;
  for (const [index, left] of parts.entries()) {
    const right = parts[index + 1];
    if (right === undefined) {
      out.push(left.subarray(first));
      break;
    }
    const from = Math.max(first, left.length - sizes[index]);
    const run = longestCommonRun(left.subarray(from), right.subarray(0, sizes[index + 1]));
    if (run.length === 0) return undefined;
    out.push(left.subarray(first, from + run.left));
    first = run.right;
  }
  return joined(out);
}

/** Its length, and the number of ids before its end in both; the first one if there are several. */
function longestCommonRun(left, right) {
  const best = { length: 0, left: 0, right: 0 };
  let before = new Uint32Array(right.length + 1); // lengths of the runs that end at left[i - 1], right[j - 1]
  for (let i = 0; i < left.length; i++) {
    const row = new Uint32Array(right.length + 1);
    for (let j = 0; j < right.length; j++) {
      if (left[i] !== right[j]) continue;
      row[j + 1] = before[j] + 1;
      if (row[j + 1] > best.length) Object.assign(best, { length: row[j + 1], left: i + 1, right: j + 1 });
    }
    before = row;
  }
  return best;
}
