// 64-bit integers, little-endian, of numbers up to 2^53.

import { bytesOf } from '../words.js';

/** Writes a number to two words. */
export function setWord64(words: Uint32Array, index: number, value: number): void {
  words[2 * index] = value >>> 0;
  words[2 * index + 1] = Math.floor(value / 2 ** 32);
}

/** The sums of lengths, each times `scale`, after `before`, with those lengths or without. */
export function sumsOf(lengths: Uint32Array, before: number, { scale, inclusive }: { scale: number; inclusive: boolean }): Uint8Array {
  const words = new Uint32Array(2 * lengths.length);
  let sum = before;
  for (let index = 0; index < lengths.length; index++) {
    const next = sum + (lengths[index] as number) * scale;
    setWord64(words, index, inclusive ? next : sum);
    sum = next;
  }
  return bytesOf(words);
}

/** The sum of lengths. */
export function totalOf(lengths: Uint32Array): number {
  let sum = 0;
  for (let index = 0; index < lengths.length; index++) sum += lengths[index] as number;
  return sum;
}
