// The sources of batches, which fill buffers of rows: the items of an iterable, or the sequences of a record reader, without an object
// for each.

import { rowSourceOf } from './records/record-rows.js';
import { unexpected } from '../base/errors.js';
import { pause } from '../base/time-slices.js';
import { isPromise, plainBytes, typedArrayKind } from '../base/views.js';
import type { Maybe } from '../engine/dna-engine.js';
import type { RowBuffer } from './row-buffer.js';

/** Yields sequences, one call at a time. */
export interface SequenceSource {
  /** An error thrown by the source rather than by us. */
  readonly thrown?: unknown;
  /** Adds the wanted number of sequences; false if fewer were left. */
  fill(buffer: RowBuffer): Maybe<boolean>;
  /** Ends the source: no more are wanted. */
  end(): Maybe<void>;
}

/** Throws a TypeError for anything but a source. */
export function sequenceSource(source: unknown): SequenceSource {
  const isIterable = typeof source === 'object' && source !== null && (Symbol.iterator in source || Symbol.asyncIterator in source);
  if (!isIterable || typedArrayKind(source) !== undefined) throw unexpected('an iterable of sequences or records', 'source', source);
  return rowSourceOf(source) ?? new ItemSequences(source as Iterable<unknown>);
}

class ItemSequences implements SequenceSource {
  readonly #iterator: Iterator<unknown> | AsyncIterator<unknown>;
  /** Whether a call of `next` is pending. */
  #isWaiting = false;
  #hasEnded = false;
  thrown: unknown;

  constructor(source: Iterable<unknown> | AsyncIterable<unknown>) {
    this.#iterator = Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]();
  }

  fill(buffer: RowBuffer): Maybe<boolean> {
    while (!buffer.isFull) {
      const next = this.#next();
      if (isPromise(next)) return this.#fillLater(buffer, next);
      if (!this.#add(buffer, next)) return false;
    }
    return true;
  }

  async #fillLater(buffer: RowBuffer, first: PromiseLike<IteratorResult<unknown>>): Promise<boolean> {
    this.#isWaiting = true;
    try {
      let next = await this.#settled(first);
      for (;;) {
        if (!this.#add(buffer, next)) return false;
        if (buffer.isFull) return true;
        next = await this.#settled(this.#next());
      }
    } finally {
      this.#isWaiting = false;
    }
  }

  /** As in `for await`, an iterator that throws is not closed in addition, and items may be promises. */
  #next(): IteratorResult<unknown> | PromiseLike<IteratorResult<unknown>> {
    try {
      const next = this.#iterator.next();
      return isPromise(next) || next.done || !isPromise(next.value) ? next : next.value.then((value) => ({ value }));
    } catch (error) {
      this.#hasEnded = true;
      throw (this.thrown = error);
    }
  }

  async #settled(next: IteratorResult<unknown> | PromiseLike<IteratorResult<unknown>>): Promise<IteratorResult<unknown>> {
    try {
      return await next;
    } catch (error) {
      this.#hasEnded = true;
      throw (this.thrown = error);
    }
  }

  #add(buffer: RowBuffer, { done, value }: IteratorResult<unknown>): boolean {
    if (done) {
      this.#hasEnded = true;
      return false;
    }
    const index = buffer.first + buffer.count;
    const isRecord = typeof value === 'object' && value !== null && typedArrayKind(value) === undefined;
    const { name, sequence } = (isRecord ? value : { sequence: value }) as { name?: string; sequence?: unknown };
    const where = isRecord ? `source[${index}].sequence` : `source[${index}]`;
    if (typeof sequence === 'string') buffer.addItem(sequence, name);
    else if (typedArrayKind(sequence) === 'Uint8Array') buffer.addItem(plainBytes(sequence as Uint8Array, where), name);
    else throw Object.assign(unexpected('a string or a Uint8Array', where, sequence), { row: index });
    return true;
  }

  /** A pending source may never answer, so wait for it no longer than one turn. */
  async end(): Promise<void> {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    const isWaiting = this.#isWaiting;
    const ended = Promise.resolve(this.#iterator.return?.());
    if (!isWaiting) return void (await ended);
    ended.catch(() => undefined);
    await Promise.race([ended, pause()]);
  }
}
