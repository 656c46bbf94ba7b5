// The memory of an instance that calls pass their arguments and results through: functions.ts, which a script writes, has a function
// for each of C. What a call writes there is gone with the next call.

import type { Failure } from '../base/errors.js';
import type { EngineHost } from '../engine/binding.js';
import type { Handle } from '../engine/functions.js';
import type { UnsharedUint32Array, UnsharedUint8Array } from '../base/typed-arrays.js';
import { ARENA_BYTES, WINDOW, type WasmCore } from './core.js';

/** Units made into a string at once: more arguments may not fit on the stack. */
const MOST_UNITS = 8192;
/** Up to this many words, a loop is faster than a bulk copy. */
const FEW_WORDS = 16;
/** Of doubles. */
const ALIGNMENT = 8;

/** UTF-8 of a string. */
export function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

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

  constructor(core: WasmCore) {
    this.#core = core;
    this.result = core.result;
    this.out = core.out;
    this.#begin = this.#at = core.arena;
  }

  /** The C functions of those names. */
  functions<Name extends string>(): Record<Name, (...numbers: (number | bigint)[]) => number> {
    return this.#core.engine as unknown as Record<Name, (...numbers: (number | bigint)[]) => number>;
  }

  /** Makes a call. Throws if the instance has stopped, or stops in it. */
  call<T>(work: () => T): T {
    const core = this.#core;
    core.checkAlive();
    this.#at = this.#begin;
    try {
      return work();
    } catch (error) {
      throw core.caught(error);
    } finally {
      if (this.#more.length > 0) this.#free();
    }
  }

  get isAlive(): boolean {
    return this.#core.isAlive;
  }

  /** Releases something; in an instance that has stopped nothing is left to do. */
  release(work: () => void): void {
    try {
      if (this.isAlive) work();
    } catch (error) {
      this.#core.caught(error);
    }
  }

  #free(): void {
    for (const address of this.#more.splice(0)) this.#core.engine.free(address);
  }

  /** An address for so many bytes. */
  room(bytes: number): number {
    const address = this.#at;
    const end = address + bytes + (-bytes & (ALIGNMENT - 1));
    if (end <= this.#begin + ARENA_BYTES) {
      this.#at = end;
      return address;
    }
    const own = this.#core.allocate(bytes);
    this.#more.push(own);
    return own;
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

  takeBytes(array: Uint8Array, address: number): void {
    array.set(this.#core.bytes.subarray(address, address + array.length));
  }

  takeWords(array: Uint32Array, address: number): void {
    const { words } = this.#core;
    const at = address >>> 2;
    if (array.length > FEW_WORDS) array.set(words.subarray(at, at + array.length));
    else for (let i = 0; i < array.length; i++) array[i] = words[at + i] as number;
  }

  /** As many words as the call has written, or a multiple of them; none if it only counts. */
  takeUpTo(status: number, array: Uint32Array, address: number, each = 1): void {
    if (status !== 0 || array.length === 0) return;
    const at = address >>> 2;
    array.set(this.#core.words.subarray(at, at + each * this.#core.count));
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
    if (status !== 0) return -1;
    const { count } = this.#core;
    return this.#core.more ? -2 - count : count;
  }

  opened(status: number): Handle {
    return status === 0 ? this.#core.outWord(0) : -1;
  }

  /** A copy of what is at the address in `out`. */
  givenBytes(status: number): UnsharedUint8Array | undefined {
    return status === 0 ? this.copyBytes(this.outWord(), this.#core.count) : undefined;
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

  givenWords(status: number): UnsharedUint32Array | undefined {
    return status === 0 ? this.copyWords(this.outWord(), this.#core.count) : undefined;
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
}
