// One instance of the engine's module: its exports, its memory, and the buffers in that memory through which calls pass
// arguments and results.
//
// Invariant: a view of the memory is used only while it is attached. Growing the memory detaches the buffer, so an
// empty view is recreated before use (`bytes`, `words`, `units`), and no view is kept across a call into the engine.
// Each tokenizer has its own instance: a trap ends only that one, and the memory, which never shrinks, is released with
// it.

import { type Failure, type StatusCode, TokenizerError, unexpected } from '../../base/errors.js';
import type { WasmModule } from '../../vocabularies/open/source.js';
import { IdSlab } from './id-slab.js';
import { wasm } from './module.js';

/** An address in the instance's memory, or a number that the engine takes or returns. */
type U32 = number;

/**
 * What is called here by hand, since it is hot, of the functions of native/include/crayon/crayon.h; functions.ts has the others. Returned
 * numbers are signed.
 */
interface Engine {
  readonly memory: { readonly buffer: ArrayBuffer };
  _initialize?(): void;
  malloc(size: U32): U32;
  free(address: U32): void;
  crayon_status_name(status: U32): U32;
  crayon_status_sentence(status: U32): U32;
  crayon_tokenizer_token_bytes(tokenizer: U32, id: U32, length: U32): U32;
  crayon_decode(tokenizer: U32, ids: U32, count: U32, flags: U32, bytes: U32, capacity: U32, result: U32): U32;
  crayon_encoder_begin(encoder: U32, special: U32, allowed: U32, count: U32, result: U32): U32;
  crayon_encoder_feed_utf8(encoder: U32, bytes: U32, length: U32, last: U32, result: U32): U32;
  crayon_encoder_feed_utf16(encoder: U32, units: U32, length: U32, last: U32, result: U32): U32;
  crayon_encoder_read(encoder: U32, ids: U32, capacity: U32, result: U32): U32;
  crayon_encoder_count(encoder: U32, limit: U32, result: U32): U32;
  crayon_encoder_pending_tokens(encoder: U32): U32;
}

/** UTF-16 units written per call, and ids read per call. */
export const WINDOW = 32 * 1024;
/** Bytes written per call: the most that a window of units can have as UTF-8. */
export const WINDOW_BYTES = 3 * WINDOW;

/** Bytes of the buffers for numbers and for text together, as the arena of a call. */
export const ARENA_BYTES = 4 * WINDOW + WINDOW_BYTES;

/** Writes a string's UTF-16 units at an address in the instance's memory. */
type UnitWriter = (text: string, address: U32) => void;

/** What JavaScript has on some hosts only. */
export interface WasmHost {
  /** The bulk copy of a string's units to a memory: nothing in plain JavaScript is as fast. */
  unitWriterFor(memory: ArrayBuffer): UnitWriter;
  /** Keeps a buffer from being transferred. */
  markAsUntransferable(buffer: ArrayBuffer): void;
}

/** Up to this length, a loop is faster than a bulk copy. */
const FEW_UNITS = 16;

/** Size of a crayon_result in words. */
const SECTION = 1;
const POSITION = 2;
const POSITION_HIGH = 3;
const COUNT = 4;
const MORE = 5;
const RESULT_WORDS = 6;
/** Words after it for out parameters. */
const OUT_WORDS = 4;

export class WasmCore {
  readonly engine: Engine;
  /** Address of the crayon_result. */
  readonly result: U32;
  /** Address of four words for out parameters. */
  readonly out: U32;
  /** Address of the buffer for a window of text, as bytes or as units. */
  readonly text: U32;
  /** Address of the buffer for a window of numbers. */
  readonly numbers: U32;
  /** Copies ids out of the memory. */
  readonly ids: IdSlab;
  readonly #host: WasmHost | undefined;
  /** The trap that made the instance unusable. */
  #death: string | undefined;
  #bytes = new Uint8Array(0);
  #words = new Uint32Array(0);
  #units = new Uint16Array(0);
  #textBytes = new Uint8Array(0);
  #writeUnits: UnitWriter | undefined;
  #resultWord: number;

  constructor(module: WasmModule, host?: WasmHost) {
    this.#host = host;
    this.ids = new IdSlab((buffer) => host?.markAsUntransferable(buffer));
    this.engine = instantiate(module);
    this.engine._initialize?.();
    const scratch = this.engine.malloc(4 * (RESULT_WORDS + OUT_WORDS + WINDOW) + WINDOW_BYTES) >>> 0;
    if (scratch === 0) throw new TokenizerError('cannot load: an allocation failed', { code: 'OUT_OF_MEMORY' });
    this.result = scratch;
    this.#resultWord = scratch >>> 2;
    this.out = scratch + 4 * RESULT_WORDS;
    this.numbers = this.out + 4 * OUT_WORDS;
    this.text = this.numbers + 4 * WINDOW;
  }

  get bytes(): Uint8Array {
    if (this.#bytes.length === 0) this.#renew();
    return this.#bytes;
  }

  get words(): Uint32Array {
    if (this.#words.length === 0) this.#renew();
    return this.#words;
  }

  get units(): Uint16Array {
    if (this.#units.length === 0) this.#renew();
    return this.#units;
  }

  /** The buffer at `text`. */
  get textBytes(): Uint8Array {
    if (this.#textBytes.length === 0) this.#renew();
    return this.#textBytes;
  }

  /** Writes the units of a string of at most a window at `text`; undefined if the host has no bulk copy. */
  get writeUnits(): UnitWriter | undefined {
    if (this.#units.length === 0) this.#renew();
    return this.#writeUnits;
  }

  /** The buffers for numbers and for text: `ARENA_BYTES`. */
  get arena(): U32 {
    return this.numbers;
  }

  /** Writes the units of a string at an address. */
  putUnits(text: string, address: U32): void {
    const { units, writeUnits } = this;
    if (writeUnits && text.length > FEW_UNITS) return writeUnits(text, address);
    const at = address >>> 1;
    for (let i = 0; i < text.length; i++) units[at + i] = text.charCodeAt(i);
  }

  #renew(): void {
    const { buffer } = this.engine.memory;
    this.#writeUnits = this.#host?.unitWriterFor(buffer);
    this.#bytes = new Uint8Array(buffer);
    this.#words = new Uint32Array(buffer);
    this.#units = new Uint16Array(buffer);
    this.#textBytes = new Uint8Array(buffer, this.text, WINDOW_BYTES);
  }

  /** The number of ids, bytes or tokens that the last call produced. */
  get count(): number {
    return this.words[this.#resultWord + COUNT] as number;
  }

  /** Whether the last call stopped because its output buffer was full. */
  get more(): boolean {
    return this.words[this.#resultWord + MORE] !== 0;
  }

  /** The position that the last call reported. */
  get position(): number {
    const at = this.#resultWord;
    return (this.words[at + POSITION_HIGH] as number) * 2 ** 32 + (this.words[at + POSITION] as number);
  }

  /** Word `index` of the last call's `out` parameter. */
  outWord(index: number): number {
    return this.words[(this.out >>> 2) + index] as number;
  }

  /** The failure that the last call reported. */
  failure(): Failure {
    const [status = 0] = this.words.subarray(this.#resultWord);
    const code = (this.cString(this.engine.crayon_status_name(status)) || 'INVALID_ARGUMENT') as StatusCode;
    const sentence = this.cString(this.engine.crayon_status_sentence(status));
    return { code, sentence, section: this.words[this.#resultWord + SECTION] as number, position: this.position };
  }

  failed(doing: string): TokenizerError {
    const failure = this.failure();
    return new TokenizerError(`${doing}: ${failure.sentence}`, failure);
  }

  /** Whether the instance has not trapped. */
  get isAlive(): boolean {
    return this.#death === undefined;
  }

  /** Throws if it has. */
  checkAlive(): void {
    if (this.#death !== undefined) throw new TokenizerError(this.#death, { code: 'CLOSED' });
  }

  /** Converts a caught error to the one to throw; a trap makes this instance unusable. */
  caught(error: unknown): unknown {
    const isTrap = error instanceof wasm.RuntimeError || (error instanceof RangeError && /call stack/i.test(error.message));
    if (!isTrap) return error;
    this.#death =
      `the WebAssembly instance of this tokenizer has stopped (${(error as Error).message}) and can do nothing more; ` +
      'load the tokenizer again';
    return new TokenizerError(this.#death, { code: 'CLOSED' }, { cause: error });
  }

  /** Allocates memory; release it with `engine.free`. */
  allocate(size: number): U32 {
    const address = size <= 0xffffffff ? this.engine.malloc(Math.max(size, 1)) >>> 0 : 0;
    if (address === 0) throw new TokenizerError(`an allocation of ${size} bytes failed`, { code: 'OUT_OF_MEMORY' });
    return address;
  }

  /** Copies bytes into the memory for the duration of `fn`. */
  withBytes<T>(bytes: Uint8Array, fn: (address: U32) => T): T {
    const address = this.allocate(bytes.length);
    try {
      this.bytes.set(bytes, address);
      return fn(address);
    } finally {
      this.engine.free(address);
    }
  }

  /** ASCII up to a NUL; '' for a null address. */
  cString(address: U32): string {
    const { bytes } = this;
    let text = '';
    if (address !== 0) for (let at = address >>> 0; bytes[at] !== 0; at++) text += String.fromCharCode(bytes[at] as number);
    return text;
  }

  /** UTF-8 of a known length. */
  utf8(address: U32, length: number): string {
    const start = address >>> 0;
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(this.bytes.subarray(start, start + length));
  }
}

function instantiate(module: WasmModule): Engine {
  let engine: Engine;
  try {
    engine = new wasm.Instance(module, {}).exports as Engine;
  } catch (cause) {
    if (cause instanceof RangeError) {
      const message =
        'cannot load: there is no memory for another WebAssembly instance, and each open tokenizer has one ' +
        '(V8 reserves 10 GiB of addresses for it, so a process can have about 12,000); close those that are not used';
      throw new TokenizerError(message, { code: 'OUT_OF_MEMORY' }, { cause });
    }
    throw cause;
  }
  if (typeof engine.crayon_decode !== 'function')
    throw unexpected("the engine's module, such as crayon-tokenizer/core.wasm,", 'wasm', module);
  return engine;
}
