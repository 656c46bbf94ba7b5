// From who wrote a chat's text to who wrote its bytes and tokens, and which tokens the assistant wrote.

import type { Work } from '../base/time-slices.js';
import type { UnsharedInt32Array, UnsharedUint8Array } from '../base/typed-arrays.js';
import { CALLER, type Rendered, TEMPLATE } from './jinja/template.js';

/** Tokens between two pauses. */
const TOKENS_AT_ONCE = 1 << 16;

/**
 * The message of each token, TEMPLATE or CALLER. A token with several authors counts as its first message's; without a
 * message, as the caller's if any of it is the caller's.
 */
export function* originsOf(offsets: Uint32Array, { ends, origins }: Rendered): Work<UnsharedInt32Array> {
  const result = new Int32Array(offsets.length / 2).fill(TEMPLATE);
  let run = 0;
  for (let token = 0; token < result.length; token++) {
    if (token % TOKENS_AT_ONCE === TOKENS_AT_ONCE - 1) yield;
    const [from, to] = [offsets[2 * token] as number, offsets[2 * token + 1] as number];
    while (run < ends.length - 1 && (ends[run] as number) <= from) run++;
    for (let at = run; at < ends.length; at++) {
      const origin = origins[at] as number;
      if (origin >= 0) {
        result[token] = origin;
        break;
      }
      if (origin === CALLER) result[token] = CALLER;
      if ((ends[at] as number) >= to) break;
    }
  }
  return result;
}

/**
 * 1 for the tokens that the assistant wrote, as transformers 5.24 computes it: those that overlap a `{% generation %}` span. A token
 * without text overlaps none. `generation`: start and end of each span, ascending, as the tokens are, so that one pass finds all.
 */
export function assistantMaskOf(offsets: Uint32Array, { generation }: Pick<Rendered, 'generation'>): UnsharedUint8Array {
  const mask = new Uint8Array(offsets.length / 2);
  for (let token = 0, span = 0; token < mask.length; token++) {
    const [from, to] = [offsets[2 * token] as number, offsets[2 * token + 1] as number];
    while (span < generation.length && from >= (generation[span + 1] as number)) span += 2;
    if (span === generation.length) break;
    if (to > (generation[span] as number)) mask[token] = 1;
  }
  return mask;
}

/** Converts ranges in UTF-16 units to ranges in UTF-8 bytes. `size`: the length of the whole text in bytes. */
export function byteRanges(ranges: Uint32Array, text: string, size: number): Uint32Array {
  if (size === text.length) return ranges;
  let [unit, byte] = [0, 0];
  return ranges.map((end) => {
    for (; unit < end; unit++) {
      const code = text.charCodeAt(unit);
      // Each half of a surrogate pair counts for two of its four bytes.
      byte += code < 0x80 ? 1 : code < 0x800 || (code >= 0xd800 && code < 0xe000) ? 2 : 3;
    }
    return byte;
  });
}
