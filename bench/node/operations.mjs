/**
 * Calls for texts and token budgets, besides plain `encode`, `count` and `decode`: their input, the call their time is
 * compared with, and the check of their result before timing.
 */
import { fingerprint } from '../texts/fingerprint.mjs';

const KB_100 = 'english:100000';
const MB_1 = 'english:1000000';
const MB_10 = 'english:10000000';
const LIMIT = 1000;
const MAX_TOKENS = 512;

/**
 * @typedef {object} Operation
 * @property {string} name its name in tables; `over` is added if it is compared with something
 * @property {string} text its name
 * @property {string} needs the member of a contender's tokenizer
 * @property {'µs' | 'ms' | 'MB/s'} unit
 * @property {string} [over] what it is compared with: the unit of the ratio is ×, of times
 * @property {(tokenizer: object, text: import('../texts/texts.mjs').Text, expected: Reference) => Ready} make
 *
 * @typedef {{ tokens: number, sha256: string }} Reference of the ids of the text
 *
 * @typedef {object} Ready
 * @property {() => unknown} run
 * @property {() => unknown} [against]
 * @property {() => boolean} right
 * @property {() => void} [free]
 */

/** @type {Operation[]} */
export const operations = [
  {
    name: 'count, 100 KB of English',
    text: KB_100,
    needs: 'count',
    unit: 'ms',
    make: (tokenizer, { text }, { tokens }) => ({
      run: () => tokenizer.count(text),
      right: () => tokenizer.count(text) === tokens,
    }),
  },
  {
    name: 'decode, 1 MB of English',
    text: MB_1,
    needs: 'decode',
    unit: 'MB/s',
    make(tokenizer, { text }) {
      const ids = tokenizer.encode(text);
      return { run: () => tokenizer.decode(ids), right: () => tokenizer.decode(ids) === text };
    },
  },
  {
    name: `isWithinLimit, ${LIMIT} tokens of 10 MB`,
    text: MB_10,
    needs: 'isWithinLimit',
    unit: 'µs',
    make: (tokenizer, { text }) => ({
      run: () => tokenizer.isWithinLimit(text, LIMIT),
      right: () => tokenizer.isWithinLimit(text, LIMIT) === false,
    }),
  },
  ...['right', 'left'].map((side) => ({
    name: `truncate on the ${side}, to ${LIMIT} tokens of 10 MB`,
    text: MB_10,
    needs: 'truncate',
    unit: 'µs',
    make: (tokenizer, { text }) => ({
      run: () => tokenizer.truncate(text, LIMIT, { side }),
      right() {
        const rest = tokenizer.truncate(text, LIMIT, { side });
        const tokens = tokenizer.encode(rest).length;
        return (side === 'right' ? text.startsWith(rest) : text.endsWith(rest)) && tokens <= LIMIT && tokens > LIMIT / 2;
      },
    }),
  })),
  {
    name: 'swap, both cartridges open',
    text: '',
    needs: 'swapper',
    unit: 'µs',
    make(tokenizer) {
      const names = ['o200k_base', 'cl100k_base'];
      const { swap, name, free } = tokenizer.swapper(names);
      const next = () => {
        swap();
        return name();
      };
      return { run: swap, right: () => next() === names[1] && next() === names[0], free };
    },
  },
  ...[undefined, MAX_TOKENS / 8].map((overlap) => ({
    name: `split, ${MAX_TOKENS} tokens${overlap ? ` with ${overlap} of overlap` : ''}, 10 MB of English`,
    text: MB_10,
    needs: 'split',
    unit: 'ms',
    over: 'one encode of it',
    make: (tokenizer, { text }) => ({
      run: () => tokenizer.split(text, { maxTokens: MAX_TOKENS, overlap }),
      against: () => tokenizer.encode(text),
      right: () => isSplit(tokenizer, text, tokenizer.split(text, { maxTokens: MAX_TOKENS, overlap }), overlap),
    }),
  })),
  ...[MB_1, 'english-60'].flatMap((name) =>
    ['utf16', 'bytes'].map((unit) => ({
      name: `encodeWithOffsets, ${unit}, ${name === MB_1 ? '1 MB' : '60 characters'} of English`,
      text: name,
      needs: 'encodeWithOffsets',
      unit: name === MB_1 ? 'ms' : 'µs',
      over: 'encode',
      make: (tokenizer, { text, bytes }, expected) => ({
        run: () => tokenizer.encodeWithOffsets(text, { unit }),
        against: () => tokenizer.encode(text),
        right() {
          const { ids, offsets } = tokenizer.encodeWithOffsets(text, { unit });
          const end = unit === 'utf16' ? text.length : bytes;
          return fingerprint(ids.slice()).sha256 === expected.sha256 && offsets.length === 2 * ids.length && offsets.at(-1) === end;
        },
      }),
    })),
  ),
  {
    name: 'encodeBatch of the chat messages',
    text: 'chat',
    needs: 'encodeBatch',
    unit: 'ms',
    over: 'a loop of encode',
    make: (tokenizer, text, expected) => ({
      run: () => tokenizer.encodeBatch(text.messages),
      against: () => each(text.messages, tokenizer.encode),
      right: () => fingerprint(Uint32Array.from(tokenizer.encodeBatch(text.messages))).sha256 === expected.sha256,
    }),
  },
  {
    name: 'countBatch of the chat messages',
    text: 'chat',
    needs: 'countBatch',
    unit: 'ms',
    over: 'a loop of count',
    make: (tokenizer, text) => ({
      run: () => tokenizer.countBatch(text.messages),
      against: () => each(text.messages, tokenizer.count),
      right: () => tokenizer.countBatch(text.messages).every((count, row) => count === tokenizer.encode(text.messages[row]).length),
    }),
  },
];

function each(texts, call) {
  let last;
  for (const text of texts) last = call(text);
  return last;
}

/** Whether parts are within the limit, in order, and cover the text; without overlap, whether they concatenate to the text. */
function isSplit(tokenizer, text, parts, overlap) {
  if (!overlap && parts.join('') !== text) return false;
  let begin = 0;
  let end = 0;
  for (const part of parts) {
    begin = text.indexOf(part, begin + (end > 0));
    if (begin < 0 || begin > end || tokenizer.encode(part).length > MAX_TOKENS) return false;
    end = begin + part.length;
  }
  return end === text.length;
}
