// Encodes sequences that arrive in parts. Memory does not grow with a sequence, but for the reverse complement, and for vocabularies
// that cannot encode parts separately.

import { CONTINUED, type DnaEngine, idArray, type IdArray, type IdType, UNFINISHED } from '../../engine/dna-engine.js';
import { type DnaTokenizer, reverseComplement } from '../../dna.js';
import { ByteQueue } from './byte-queue.js';
import { baseError, type Region } from './dna-failures.js';
import type { Model } from './model.js';
import { recordName, type SequencePart } from './read-sequences.js';
import type { Unknowns } from './letter-policies.js';
import { countOf } from '../../dna/list-engine.js';
import { InputError } from '../command-errors.js';

/** Ids to encode at a time. */
const CAPACITY = 64 * 1024;
/** The longest sequence to keep whole. */
const LONGEST = 2 ** 30;

interface IdStreamOptions {
  type: IdType;
  /** Whether to add the ids that the model expects before and after a sequence. */
  specialTokens: boolean;
  reverseComplement: boolean;
}

export class IdStream {
  readonly #dna: DnaTokenizer;
  readonly #engine: DnaEngine;
  readonly #options: IdStreamOptions;
  readonly #buffer: IdArray;
  /** Bases that have no ids yet. */
  readonly #waiting = new ByteQueue();
  /** How many earlier bases have ids. */
  #position = 0;

  constructor({ dna, engine }: Model, options: IdStreamOptions) {
    this.#dna = dna;
    this.#engine = engine;
    this.#options = options;
    this.#buffer = idArray(options.type, CAPACITY);
  }

  /**
   * The ids that a part adds to its sequence; each array is valid until the next. `unknowns` is updated. Throws a
   * BaseError; the next part must then begin another sequence.
   */
  *of(part: SequencePart, unknowns: Unknowns): Generator<IdArray> {
    const { specialTokens, reverseComplement } = this.#options;
    const { before, after } = this.#engine.facts;
    if (part.begins) {
      this.#waiting.clear();
      this.#position = 0;
      unknowns.begin();
      if (specialTokens) yield this.#fixed(before);
    }
    if (reverseComplement || !this.#engine.encodePart) yield* this.#whole(part, unknowns);
    else yield* this.#encoded(part, unknowns);
    if (part.ends) unknowns.end(part);
    if (part.ends && specialTokens) yield this.#fixed(after);
  }

  /** The ids of a whole sequence, once it is complete. */
  *#whole(part: SequencePart, unknowns: Unknowns): Generator<IdArray> {
    const { record, name, bytes, ends } = part;
    if (this.#waiting.length + bytes.length > LONGEST) throw tooLong(record, name);
    this.#waiting.add(bytes);
    if (!ends) return;
    let region: Region = { record, name, start: 0, bases: this.#waiting.view };
    if (this.#options.reverseComplement) region = otherStrand(region);
    this.#waiting.clear();
    if (this.#engine.encodePart) return yield* this.#encoded({ ...part, bytes: region.bases }, unknowns);
    const ids = this.#encodeWhole(region);
    unknowns.add(ids.length, countOf(this.#engine.facts.unknownId, ids), () => region);
    yield ids;
  }

  #encodeWhole(region: Region): IdArray {
    try {
      return this.#engine.encode(region.bases, this.#options.type, false);
    } catch (error) {
      throw baseError(error, region, this.#dna);
    }
  }

  *#encoded({ record, name, bytes, ends }: SequencePart, unknowns: Unknowns): Generator<IdArray> {
    const waiting = this.#waiting;
    const hasWaited = waiting.length > 0;
    if (hasWaited) waiting.add(bytes);
    let bases = hasWaited ? waiting.view : bytes;
    for (let more = true; more; ) {
      const isReversed = this.#options.reverseComplement;
      // The rest of the reverse complement is the beginning of this strand.
      const region: Region = { record, name, bases, start: isReversed ? 0 : this.#position, isReversed };
      const part = this.#encodePart(region, ends);
      unknowns.add(part.count, part.unknown, () => region, part.consumed);
      if (part.count > 0) yield this.#buffer.subarray(0, part.count);
      this.#position += part.consumed;
      bases = bases.subarray(part.consumed);
      more = part.more;
    }
    if (hasWaited) waiting.drop(waiting.length - bases.length);
    else waiting.add(bases);
  }

  #encodePart(region: Region, ends: boolean) {
    const flags = (this.#position > 0 ? CONTINUED : 0) | (ends ? 0 : UNFINISHED);
    try {
      return (this.#engine as Required<DnaEngine>).encodePart(region.bases, flags, this.#buffer);
    } catch (error) {
      throw baseError(error, region, this.#dna);
    }
  }

  #fixed(ids: readonly number[]): IdArray {
    const array = idArray(this.#options.type, ids.length);
    ids.forEach((id, index) => (array[index] = (array instanceof BigInt64Array ? BigInt(id) : id) as never));
    return array;
  }
}

/** The reverse complement of some bases. */
export function otherStrand(region: Region): Region {
  try {
    return { ...region, bases: reverseComplement(region.bases), isReversed: true };
  } catch (error) {
    throw baseError(error, region, undefined);
  }
}

export function tooLong(record: number, name: string): InputError {
  return new InputError(`${recordName(record, name)} is longer than ${LONGEST} bases, which is the most that is kept whole`);
}
