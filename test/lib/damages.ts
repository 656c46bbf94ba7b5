// What happens to files: bits flip, ends and regions are lost, come twice, or in each other's place.

import type { Random } from '../fuzz/random.mjs';

export interface Damage {
  name: string;
  /** Undefined: the file is gone. The bytes are the caller's copy. */
  apply(bytes: Buffer): Buffer | undefined;
}

/** Damages of a file of this length, at all its bytes or at as many as are wanted, and in regions of several lengths. `others`: other content. */
export function* damagesOf(length: number, wanted: number, random: Random, others: string[] = []): Generator<Damage> {
  yield { name: 'removed', apply: () => undefined };
  yield { name: 'empty', apply: () => Buffer.alloc(0) };
  yield { name: 'zeros', apply: (bytes) => Buffer.alloc(bytes.length) };
  for (const text of others) yield { name: text, apply: () => Buffer.from(text) };
  const places = wanted >= length ? Array.from({ length }, (_, at) => at) : Array.from({ length: wanted }, () => random.below(length));
  for (const at of places) {
    const bit = 1 << random.below(8);
    yield { name: `bit ${bit} of byte ${at} flipped`, apply: (bytes) => bytes.fill(bytes[at]! ^ bit, at, at + 1) };
    yield { name: `cut at ${at}`, apply: (bytes) => bytes.subarray(0, at) };
    const size = random.pick([1, 2, 8, 64, Math.max(1, length >> 1)]);
    const [middle, end] = [Math.min(length, at + size), Math.min(length, at + 2 * size)];
    const region = (bytes: Buffer, from: number, to?: number) => bytes.subarray(from, to);
    yield { name: `[${at}, ${middle}) deleted`, apply: (bytes) => Buffer.concat([region(bytes, 0, at), region(bytes, middle)]) };
    yield { name: `[${at}, ${middle}) twice`, apply: (bytes) => Buffer.concat([region(bytes, 0, middle), region(bytes, at)]) };
    yield {
      name: `[${at}, ${middle}) and [${middle}, ${end}) swapped`,
      apply: (bytes) => Buffer.concat([region(bytes, 0, at), region(bytes, middle, end), region(bytes, at, middle), region(bytes, end)]),
    };
  }
}
