// Texts and ids in chunks, for stream tests. No ReadableStream.from: not every browser has it.

import type { StreamEncoder } from 'crayon-tokenizer';
import type { Random } from '../fuzz/random.mjs';

/** A stream of the given chunks, each delivered on demand. */
export function streamOf<T>(chunks: Iterable<T>): ReadableStream<T> {
  const iterator = chunks[Symbol.iterator]();
  return new ReadableStream<T>({
    pull(controller) {
      const { value, done } = iterator.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
  });
}

/** All output of a transform for the given chunks. */
export async function through<Input, Output>(
  chunks: Iterable<Input>,
  transform: { readable: ReadableStream<Output>; writable: WritableStream<Input> },
): Promise<Output[]> {
  const results: Output[] = [];
  const reader = streamOf(chunks).pipeThrough(transform).getReader();
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return results;
    results.push(value);
  }
}

/** A text or ids, cut at random: into many short chunks, some of them empty, and an occasional long one. */
export function cut<T extends { length: number; slice(from: number, to: number): T }>(text: T, random: Random, longest = 40): T[] {
  const chunks: T[] = [];
  for (let at = 0; at < text.length; ) {
    const end = at + (random.chance(0.05) ? 0 : random.length(random.chance(0.02) ? text.length : longest));
    chunks.push(text.slice(at, end));
    at = end;
  }
  return chunks;
}

/** Concatenates lists of ids. */
export function joined(lists: Uint32Array[]): number[] {
  return lists.flatMap((list) => [...list]);
}

/**
 * The ids of some chunks by a stream encoder. Flushed after every chunk, or where `flushes` says so: without, the engine does
 * not see how short chunks are cut.
 */
export function pushed<T extends string | Uint8Array>(chunks: Iterable<T>, encoder: StreamEncoder, flushes = () => true): number[] {
  const parts: Uint32Array[] = [];
  for (const chunk of chunks) {
    parts.push(encoder.push(chunk));
    if (flushes()) parts.push(encoder.flush());
  }
  return joined([...parts, encoder.end()]);
}
