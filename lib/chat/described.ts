// Maps a chat's text to its ids: who wrote each token, and which tokens the assistant wrote.

import type { UnsharedInt32Array, UnsharedUint8Array } from '../base/typed-arrays.js';
import { CALLER, type Rendered, TEMPLATE } from './jinja/template.js';

/**
 * The message of each token, TEMPLATE or CALLER. A token with several authors counts as its first message's; without a
 * message, as the caller's if any of it is the caller's.
 */
export function originsOf(offsets: Uint32Array, { ends, origins }: Rendered): UnsharedInt32Array {
  const result = new Int32Array(offsets.length / 2).fill(TEMPLATE);
  let run = 0;
  for (let token = 0; token < result.length; token++) {
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
 * 1 for the tokens that the assistant wrote, as transformers computes it: from the first token with a span's first character to
 * the first token with its last. Like transformers, it treats index 0 as "not found", so a span that ends in the first token
 * extends to the end of the chat.
 */
export function assistantMaskOf(offsets: Uint32Array, { generation }: Rendered): UnsharedUint8Array {
  const count = offsets.length / 2;
  const mask = new Uint8Array(count);
  for (let i = 0; i < generation.length; i += 2) {
    const first = tokenAt(offsets, generation[i] as number);
    if (first === undefined) break;
    const last = tokenAt(offsets, (generation[i + 1] as number) - 1);
    mask.fill(1, first, last ? Math.max(first, last + 1) : count);
  }
  return mask;
}

/** The first token that contains a UTF-16 unit. */
function tokenAt(offsets: Uint32Array, unit: number): number | undefined {
  let low = 0;
  let high = offsets.length / 2;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((offsets[2 * middle + 1] as number) <= unit) low = middle + 1;
    else high = middle;
  }
  return 2 * low < offsets.length && (offsets[2 * low] as number) <= unit ? low : undefined;
}
