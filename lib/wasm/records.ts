// The record parser in WebAssembly: the module `dna`. Instances are kept for the next file: a page keeps as many idle
// ones as were in use at the same time, at most a few.

import type { WasmModule } from '../open/source.js';
import type { OpenParser, ReadParts, RecordParser, Capacity } from '../records/parser.js';
import { WasmCore } from './core.js';

/** Bytes to pass per call. */
const INPUT_BYTES = 256 * 1024;
const PROGRESS_WORDS = 5;
/** Words of a crayon_record_part. */
const PART_WORDS = 6;
const MOST_SPARE = 4;

/** The functions of crayon.h for records. */
interface RecordsEngine {
  crayon_records_create(format: number, kernel: number, kernelLength: number, out: number, result: number): number;
  crayon_records_release(records: number): void;
  crayon_records_read(
    records: number,
    input: number,
    length: number,
    last: number,
    bytes: number,
    capacity: number,
    parts: number,
    partCapacity: number,
    progress: number,
    result: number,
  ): number;
}

/** An instance, and the buffers in its memory. */
class Scratch {
  readonly core: WasmCore;
  readonly input: number;
  readonly output: number;
  readonly parts: number;
  readonly progress: number;
  readonly capacity: Capacity;

  constructor(module: WasmModule, capacity: Capacity) {
    this.core = new WasmCore(module);
    if (typeof this.engine.crayon_records_create !== 'function') {
      throw new TypeError('expected the module for DNA, crayon-tokenizer/dna.wasm, for wasm but received another one of the engine');
    }
    this.capacity = capacity;
    this.input = this.core.allocate(INPUT_BYTES);
    this.output = this.core.allocate(capacity.bytes);
    this.parts = this.core.allocate(4 * capacity.words);
    this.progress = this.core.allocate(4 * PROGRESS_WORDS);
  }

  get engine(): RecordsEngine {
    return this.core.engine as unknown as RecordsEngine;
  }
}

const spares = new WeakMap<WasmModule, Scratch[]>();

export function wasmRecords(module: WasmModule): OpenParser {
  let spare = spares.get(module);
  if (!spare) spares.set(module, (spare = []));
  const own = spare;
  return (format, capacity) => new Parser(own.pop() ?? new Scratch(module, capacity), format, own);
}

class Parser implements RecordParser {
  readonly #scratch: Scratch;
  readonly #records: number;
  readonly #spare: Scratch[];
  #isUsable = true;

  constructor(scratch: Scratch, format: number, spare: Scratch[]) {
    this.#scratch = scratch;
    this.#spare = spare;
    const { core, engine } = scratch;
    if (engine.crayon_records_create(format, 0, 0, core.out, core.result) !== 0) throw core.failed('cannot read records');
    this.#records = core.outWord(0);
  }

  read(input: Uint8Array, last: boolean): ReadParts {
    const { core, engine, input: at, output, parts, progress, capacity } = this.#scratch;
    const part = input.subarray(0, INPUT_BYTES);
    const isLast = last && part.length === input.length ? 1 : 0;
    core.bytes.set(part, at);
    let status: number;
    try {
      status = engine.crayon_records_read(
        this.#records,
        at,
        part.length,
        isLast,
        output,
        capacity.bytes,
        parts,
        capacity.words / PART_WORDS,
        progress,
        core.result,
      );
    } catch (error) {
      this.#isUsable = false;
      throw core.caught(error);
    }
    const words = core.words.subarray(progress >>> 2);
    const [consumed = 0, , reason = 0, record = 0, recordHigh = 0] = words;
    const read: ReadParts = {
      consumed,
      more: core.more || part.length < input.length,
      bytes: core.bytes.subarray(output, output + capacity.bytes),
      parts: core.words.subarray(parts >>> 2, (parts >>> 2) + capacity.words),
      count: core.count,
    };
    if (status !== 0) {
      const { code, position } = core.failure();
      if (code !== 'INVALID_RECORD') throw core.failed('cannot read records');
      read.failure = { reason, record: recordHigh * 2 ** 32 + record, position };
    }
    return read;
  }

  end(): void {
    if (!this.#isUsable) return;
    this.#isUsable = false;
    this.#scratch.engine.crayon_records_release(this.#records);
    if (this.#spare.length < MOST_SPARE) this.#spare.push(this.#scratch);
  }
}
