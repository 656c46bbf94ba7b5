// An engine on top of a function from a sequence to a list of ids: BPE, or another tokenizer. Lengths, padding and
// matrices work as in the C++ engine.

import { TokenizerError } from '../base/errors.js';
import type { TextRows } from '../engine/text-rows.js';
import type { UnsharedUint8Array } from '../base/typed-arrays.js';
import {
  type DnaEngine,
  type DnaFacts,
  type DnaNames,
  idArray,
  type IdArray,
  type IdType,
  type MatrixPlan,
  PAD_LEFT,
  PAD_RIGHT,
  TRUNCATED,
  WITH_TEMPLATE,
} from '../engine/dna-engine.js';

/** The ids of a sequence, without the ids around it. */
export type BodyOf = (sequence: Uint8Array) => ArrayLike<number>;

export class ListEngine implements DnaEngine {
  readonly facts: DnaFacts;
  readonly names: DnaNames;
  readonly whyNoKernels: string;
  readonly prepared?: DnaEngine['prepared'];
  readonly #bodyOf: BodyOf;

  /** `whyNoKernels` and `prepared`: see {@link DnaEngine}. */
  constructor(facts: DnaFacts, names: DnaNames, whyNoKernels: string, bodyOf: BodyOf, prepared?: DnaEngine['prepared']) {
    this.facts = facts;
    this.names = names;
    this.whyNoKernels = whyNoKernels;
    this.prepared = prepared;
    this.#bodyOf = bodyOf;
  }

  countRows(rows: TextRows, around: boolean): Uint32Array {
    const { before, after } = this.facts;
    const more = around ? before.length + after.length : 0;
    const counts = new Uint32Array(rows.offsets.length - 1);
    eachRow(rows, (sequence, row) => (counts[row] = more + this.#bodyOf(sequence).length));
    return counts;
  }

  encode(bytes: Uint8Array, type: IdType, around: boolean): IdArray {
    const row = this.#row(bytes, around ? WITH_TEMPLATE : 0, Infinity);
    const ids = idArray(type, row.length);
    write(row, ids, 0);
    return ids;
  }

  encodeInto(bytes: Uint8Array, flags: number, ids: IdArray): number {
    const row = this.#row(bytes, flags, ids.length);
    if ((flags & (PAD_LEFT | PAD_RIGHT)) !== 0) {
      this.#put(row, flags, ids, 0, ids.length);
      return ids.length;
    }
    write(row, ids, 0);
    return row.length;
  }

  encodeRows({ rows, columns, flags, ids, mask, unknown }: MatrixPlan): void {
    const { before, after, unknownId } = this.facts;
    const [first, last] = (flags & WITH_TEMPLATE) === 0 ? [0, 0] : [before.length, after.length];
    eachRow(rows, (sequence, index) => {
      const at = index * columns;
      const row = this.#row(sequence, flags, columns);
      unknown[index] = countOf(unknownId, row, first, row.length - last);
      const start = at + this.#put(row, flags, ids, at, columns);
      mask?.fill(0, at, at + columns).fill(1, start, start + row.length);
    });
  }

  cartridge(): UnsharedUint8Array {
    const message = 'this vocabulary has no cartridge: its ids do not come from DNA tables';
    throw new TokenizerError(message, { code: 'BUILD_FAILED' });
  }

  close(): void {
    this.names.close();
  }

  /** All ids of a row, without padding: at most `length`. */
  #row(sequence: Uint8Array, flags: number, length: number): ArrayLike<number> {
    const body = this.#bodyOf(sequence);
    const isAround = (flags & WITH_TEMPLATE) !== 0;
    const { before, after } = this.facts;
    const capacity = isAround ? length - before.length - after.length : length;
    if (capacity < 0 || (body.length > capacity && (flags & TRUNCATED) === 0)) {
      throw new TokenizerError('there are more ids than room for them', { code: 'TEXT_TOO_LONG' });
    }
    if (!isAround && body.length <= capacity) return body;
    const part = Array.prototype.slice.call(body, 0, Math.min(body.length, capacity)) as number[];
    return isAround ? [...before, ...part, ...after] : part;
  }

  /** Writes and pads a row; returns where its ids begin. */
  #put(row: ArrayLike<number>, flags: number, ids: IdArray, at: number, columns: number): number {
    const { padId, side } = this.facts;
    const gap = columns - row.length;
    if (gap > 0 && padId === undefined) throw new TokenizerError('there is no padding id', { code: 'INVALID_ARGUMENT' });
    const isLeft = (flags & PAD_LEFT) !== 0 || ((flags & PAD_RIGHT) === 0 && side === 'left');
    const start = isLeft ? gap : 0;
    if (gap > 0) {
      const pad = (ids instanceof BigInt64Array ? BigInt(padId as number) : padId) as never;
      ids.fill(pad, isLeft ? at : at + row.length, isLeft ? at + gap : at + columns);
    }
    write(row, ids, at + start);
    return start;
  }
}

/** How many elements from `begin` to `end` equal this id. */
export function countOf(id: number | undefined, ids: ArrayLike<number | bigint>, begin = 0, end = ids.length): number {
  if (id === undefined) return 0;
  let count = 0;
  for (let index = begin; index < end; index++) if (Number(ids[index]) === id) count++;
  return count;
}

function write(row: ArrayLike<number>, ids: IdArray, at: number): void {
  if (!(ids instanceof BigInt64Array)) return ids.set(row, at);
  for (let index = 0; index < row.length; index++) ids[at + index] = BigInt(row[index] as number);
}

/** Errors name the row. */
function eachRow({ bytes, offsets }: TextRows, visit: (sequence: Uint8Array, row: number) => void): void {
  for (let row = 0; row + 1 < offsets.length; row++) {
    try {
      visit(bytes.subarray(offsets[row], offsets[row + 1]), row);
    } catch (error) {
      if (!(error instanceof TokenizerError)) throw error;
      throw new TokenizerError(error.message, { code: error.code, position: error.position, row });
    }
  }
}
