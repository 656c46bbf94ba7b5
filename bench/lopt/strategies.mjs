/**
 * The results of strategies other than ours on documents: the share with exact ids, the number of retries, and the time.
 * All use our single-threaded encoder for a chunk, so that only the strategies differ.
 */
import { encodeByCommonIds } from '../baselines/common-ids.mjs';
import { counterexamples } from '../baselines/counterexamples.mjs';
import { DELIMITERS, encodeByDelimiters } from '../baselines/delimiters.mjs';
import { encodeByOverlap } from '../baselines/overlap.mjs';
import { variedDocuments } from './documents.mjs';
import { OWN, onThreads } from './latency.mjs';
import { areEqual, References } from './references.mjs';

/** Lengths of chunks and overlaps in bytes; the overlap is four times the longest token, which has 128 bytes. */
export const CHUNK = 16_384;
export const OVERLAP = 512;

export async function strategies({ tokenizers, cores, quick, rows, say }) {
  const documents = {
    documents: variedDocuments({ quick }),
    counterexamples: counterexamples({ chunk: CHUNK, overlap: OVERLAP }),
  };
  for (const row of tokenizers) {
    const tokenizer = await row.load();
    const references = new References(row);
    for (const [kind, some] of Object.entries(documents)) {
      const results = new Map(strategiesOf(tokenizer, cores).map(([name]) => [name, emptyResult()]));
      for (const { name: document, text } of some) {
        say(`strategies: ${row.name}, ${document}`);
        const expected = await references.idsOf(text);
        const bytes = Buffer.from(text);
        for (const [name, encode] of strategiesOf(tokenizer, cores)) {
          await encode(text, bytes); // fills the caches
          add(results.get(name), await encode(text, bytes), expected, document);
        }
      }
      const { sum: alone } = results.get(OWN);
      for (const [name, { right, wrong, attempts, whole, sum, ideal }] of results) {
        rows.push({
          section: 'strategies',
          encoding: row.name,
          text: kind,
          contender: name,
          unit: 'ms',
          value: sum,
          ideal,
          relative: sum / alone,
          documents: some.length,
          accuracy: right / some.length,
          retries: attempts - some.length,
          whole,
          wrong,
        });
      }
    }
    tokenizer.close();
  }
}

/** @returns {[string, (text: string, bytes: Uint8Array) => object][]} */
function strategiesOf(tokenizer, cores) {
  const longestToken = longestOf(tokenizer);
  const timed = async (encode) => {
    const began = performance.now();
    const ids = await encode();
    const sum = performance.now() - began;
    return { ids, attempts: 1, isWhole: false, sum, ideal: sum };
  };
  return [
    [OWN, (_, bytes) => timed(() => tokenizer.encode(bytes))],
    [onThreads(cores), (_, bytes) => timed(() => tokenizer.encodeAsync(bytes, { threads: cores }))],
    ...[1, 2].map((threshold) => [
      `${onThreads(cores)}, 'overlap', T = ${threshold}`,
      (_, bytes) => timed(() => tokenizer.encodeAsync(bytes, { threads: cores, strategy: { overlap: { threshold } } })),
    ]),
    ...Object.entries(DELIMITERS).map(([name, after]) => [
      `cut after ${name}`,
      (text) => encodeByDelimiters(tokenizer, text, { after, chunk: CHUNK }),
    ]),
    ['common ids (ParallelTokenizer)', (_, bytes) => encodeByCommonIds(tokenizer, bytes, { chunk: CHUNK, overlap: OVERLAP })],
    ...[1, 2].map((threshold) => [
      `equal places, T = ${threshold} (LoPT)`,
      (_, bytes) => encodeByOverlap(tokenizer, bytes, { chunk: CHUNK, overlap: OVERLAP, longestToken, threshold }),
    ]),
    [
      'equal places, longer than any token (LoPT, Theorem 3.1)',
      (_, bytes) => encodeByOverlap(tokenizer, bytes, { chunk: CHUNK, overlap: OVERLAP, longestToken }),
    ],
  ];
}

const longest = new Map();

/** The bytes of the longest token that is not special. */
export function longestOf(tokenizer) {
  if (!longest.has(tokenizer.name)) {
    const special = new Set(tokenizer.specialTokens.values());
    let most = 0;
    for (let id = 0; id < tokenizer.vocabularySize; id++) {
      if (!special.has(id)) most = Math.max(most, lengthOf(tokenizer, id));
    }
    longest.set(tokenizer.name, most);
  }
  return longest.get(tokenizer.name);
}

function lengthOf(tokenizer, id) {
  try {
    return tokenizer.tokenBytes(id).length;
  } catch (error) {
    if (error.code === 'INVALID_ID') return 0; // no token has it
    throw error;
  }
}

function emptyResult() {
  return { right: 0, wrong: [], attempts: 0, whole: 0, sum: 0, ideal: 0 };
}

function add(result, { ids, attempts, isWhole, sum, ideal }, expected, document) {
  if (areEqual(ids, expected)) result.right++;
  else result.wrong.push(document);
  result.attempts += attempts;
  result.whole += isWhole;
  result.sum += sum;
  result.ideal += ideal;
}
