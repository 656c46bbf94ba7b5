// Passes the arguments and results of calls through the memory of an instance. The generated files in `functions` have a method for
// each function of C. A call overwrites what the call before it has written there.

import type { Failure } from '../../base/errors.js';
import type { EngineHost } from '../../engine/binding.js';
import type { Handle } from '../../engine/functions.js';
import type { IdArray, UnsharedUint32Array, UnsharedUint8Array } from '../../base/typed-arrays.js';
import { ARENA_BYTES, WINDOW, type WasmCore } from './core.js';

/** Units made into a string at once: more arguments may not fit on the stack. */
const MOST_UNITS = 8192;
/** Up to this many words, a loop is faster than a bulk copy. */
const FEW_WORDS = 16;
/** Of doubles. */
const ALIGNMENT = 8;

const encoder = /* @__PURE__ */ new TextEncoder();
const NOTHING = /* @__PURE__ */ new Uint8Array();

/** UTF-8 of a string. */
export function utf8(text: string): Uint8Array {
  return text === '' ? NOTHING : encoder.encode(text);
}

interface Output {
  array: Uint8Array | Uint32Array | IdArray;
  address: number;
  when: number;
}

const ALWAYS = 0;
/** A failure leaves the array as it is. */
const IF_DONE = 1;
/** The same, and the call has written only as many elements as it counts, or twice as many. */
const UP_TO = 2;
const UP_TO_TWICE = 4;

export class Arena implements EngineHost {
  readonly window = WINDOW;
  /** Addresses of the crayon_result, and of the word for a handle or an address. */
  readonly result: number;
  readonly out: number;
  readonly #core: WasmCore;
  readonly #begin: number;
  #at: number;
  /** Allocated for arguments that do not fit. */
  #more: number[] = [];
  /** What the call writes, and their number: making an array shorter would take longer than a call. */
  readonly #outputs: (Output | undefined)[] = [];
  #written = 0;

  constructor(core: WasmCore) {
    this.#core = core;
    this.result = core.result;
    this.out = core.out;
    this.#begin = this.#at = core.arena;
  }

  /** The C functions with the names `Name`. */
  functions<Name extends string>(): Record<Name, (...numbers: (number | bigint)[]) => number> {
    return this.#core.engine as unknown as Record<Name, (...numbers: (number | bigint)[]) => number>;
  }

  /** Makes a call. Throws if the instance has stopped, or stops in it. */
  call<T>(work: () => T): T {
    const core = this.#core;
    core.checkAlive();
    this.#at = this.#begin;
    this.#written = 0;
    try {
      return work();
    } catch (error) {
      throw core.caught(error);
    } finally {
      if (this.#more.length > 0) this.#free();
    }
  }

  /** The same for a release: an instance that has stopped has nothing to give back. */
  release(work: () => void): void {
    try {
      this.call(work);
    } catch {
      // `call` has said so to whoever used it.
    }
  }

  /** Copies what a call has written to the arrays that are for it. */
  #finish(status: number): number {
    const outputs = this.#outputs;
    for (let i = 0; i < this.#written; i++) {
      this.#take(outputs[i] as Output, status);
      outputs[i] = undefined;
    }
    return status;
  }

  #take({ array, address, when }: Output, status: number): void {
    if (status !== 0 && when !== ALWAYS) return;
    const core = this.#core;
    const length = when < UP_TO ? array.length : Math.min((when / UP_TO) * core.count, array.length);
    if (array instanceof Uint8Array) return array.set(core.bytes.subarray(address, address + length));
    if (array instanceof Uint32Array && length <= FEW_WORDS) {
      const { words } = core;
      for (let i = 0, at = address >>> 2; i < length; i++) array[i] = words[at + i] as number;
    } else if (length > 0) {
      const size = length * array.BYTES_PER_ELEMENT;
      new Uint8Array(array.buffer, array.byteOffset, size).set(core.bytes.subarray(address, address + size));
    }
  }

  #free(): void {
    for (const address of this.#more.splice(0)) this.#core.engine.free(address);
  }

  /** The address of memory for a number of bytes. */
  room(bytes: number): number {
    const address = this.#at;
    const end = address + bytes + (-bytes & (ALIGNMENT - 1));
    if (end <= this.#begin + ARENA_BYTES) {
      this.#at = end;
      return address;
    }
    const allocated = this.#core.allocate(bytes);
    this.#more.push(allocated);
    return allocated;
  }

  bytes(array: Uint8Array): number {
    const address = this.room(array.length);
    this.#core.bytes.set(array, address);
    return address;
  }

  words(array: Uint32Array): number {
    const address = this.room(array.byteLength);
    this.#core.words.set(array, address >>> 2);
    return address;
  }

  doubles(array: Float64Array): number {
    return this.bytes(new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
  }

  units(text: string): number {
    const address = this.room(2 * text.length);
    this.#core.putUnits(text, address);
    return address;
  }

  /** The address of memory for what a call writes to the whole of an array. */
  writes(array: Uint8Array | Uint32Array): number {
    return this.#output(array, ALWAYS);
  }

  /** The same for an array, if there is one, that a failure leaves as it is. */
  writesIfDone(array: Uint8Array | Uint32Array | IdArray | undefined): number {
    return array ? this.#output(array, IF_DONE) : 0;
  }

  /** The same for as many elements as are counted. */
  writesUpTo(array: Uint32Array | IdArray, each = 1): number {
    return this.#output(array, each === 1 ? UP_TO : UP_TO_TWICE);
  }

  #output(array: Output['array'], when: Output['when']): number {
    const address = this.room(array.byteLength);
    this.#outputs[this.#written++] = { array, address, when };
    return address;
  }

  /** The word at `out`. */
  outWord(): number {
    return this.#core.outWord(0);
  }

  copyBytes(address: number, count: number): UnsharedUint8Array {
    return this.#core.bytes.slice(address, address + count);
  }

  copyWords(address: number, count: number): UnsharedUint32Array {
    return this.#core.words.slice(address >>> 2, (address >>> 2) + count);
  }

  /** UTF-8; without a length, ASCII up to a NUL. */
  text(address: number, length?: number): string {
    return length === undefined ? this.#core.cString(address) : this.#core.utf8(address, length);
  }

  // What calls return, by their status.

  count(status: number): number {
    if (this.#finish(status) !== 0) return -1;
    const { count } = this.#core;
    return this.#core.more ? -2 - count : count;
  }

  /** Of a call without a status. */
  written(answer: number): number {
    this.#finish(0);
    return answer >>> 0;
  }

  opened(status: number): Handle {
    return this.#finish(status) === 0 ? this.#core.outWord(0) : -1;
  }

  /** A copy of what is at the address in `out`. */
  givenBytes(status: number): UnsharedUint8Array | undefined {
    return this.#finish(status) === 0 ? this.copyBytes(this.outWord(), this.#core.count) : undefined;
  }

  givenWords(status: number): UnsharedUint32Array | undefined {
    return this.#finish(status) === 0 ? this.copyWords(this.outWord(), this.#core.count) : undefined;
  }

  freedBytes(status: number): UnsharedUint8Array | undefined {
    const bytes = this.givenBytes(status);
    if (bytes) this.#core.engine.free(this.outWord());
    return bytes;
  }

  freedWords(status: number): UnsharedUint32Array | undefined {
    const words = this.givenWords(status);
    if (words) this.#core.engine.free(this.outWord());
    return words;
  }

  string(status: number, address: number, length: number): string | undefined {
    if (status !== 0) return undefined;
    const { units } = this.#core;
    const end = (address >>> 1) + length;
    let text = '';
    for (let at = address >>> 1; at < end; at += MOST_UNITS) {
      text += String.fromCharCode(...units.subarray(at, Math.min(at + MOST_UNITS, end)));
    }
    return text;
  }

  failure(): Failure {
    return this.#core.failure();
  }

  resultCount(): number {
    return this.#core.count;
  }

  resultPosition(): number {
    return this.#core.position;
  }

  /** Whether it has not stopped. */
  get isAlive(): boolean {
    return this.#core.isAlive;
  }
}
