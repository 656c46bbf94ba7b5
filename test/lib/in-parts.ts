// A text encoded in parts has the same ids as the whole: in chunks, divided by tokens, and on threads.

import { expect } from 'vitest';
import type { Tokenizer } from 'crayon-tokenizer';

/** In chunks of several sizes; when divided, no part exceeds the limit and nothing is lost. */
export function checkInParts(tokenizer: Tokenizer, text: string, where: string): void {
  const ids = [...tokenizer.encode(text)].join();
  for (const size of [1, 2, 7, 64]) {
    const encoder = tokenizer.streamEncoder();
    const read: number[] = [];
    for (let at = 0; at < text.length; at += size) read.push(...encoder.push(text.slice(at, at + size)));
    expect([...read, ...encoder.end()].join(), `chunks of ${size}, ${where}`).toBe(ids);
  }
  const parted = tokenizer.split(text, { maxTokens: 16 });
  expect(parted.join(''), where).toBe(text);
  for (const part of parted) expect(tokenizer.count(part), where).toBeLessThanOrEqual(16);
}

/** On three threads, long enough to occupy all of them; returns the text it builds from the given one. */
export async function checkInThreads(tokenizer: Tokenizer, text: string): Promise<string> {
  const longer = text.repeat(Math.ceil(200_000 / text.length));
  const ids = await tokenizer.encodeAsync(longer, { threads: 3 });
  expect(Buffer.from(ids).equals(Buffer.from(tokenizer.encode(longer)))).toBe(true);
  return longer;
}
