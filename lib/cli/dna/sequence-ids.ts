// Encodes sequences that arrive in parts. Memory does not grow with a sequence, but for the reverse complement, and for vocabularies
// that cannot encode parts separately.

import { CONTINUED, idArray, type IdArray, type IdType, UNFINISHED } from '../../engine/dna-engine.js';
import { reverseComplement as complementOf } from '../../dna.js';
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

/**
 * The ids that a part adds to its sequence; each array is valid until the next. `unknowns` is updated. Throws a BaseError; the next part
 * must then begin another sequence.
 */
export type IdsOfPart = (part: SequencePart, unknowns: Unknowns) => Generator<IdArray>;

export function idStream({ dna, engine }: Model, { type, specialTokens, reverseComplement }: IdStreamOptions): IdsOfPart {
  const buffer = idArray(type, CAPACITY);
  const { before, after, unknownId } = engine.facts;
  const encodePart = engine.encodePart?.bind(engine);
  /** Bases that have no ids yet. */
  const waiting = new ByteQueue();
  /** How many earlier bases have ids. */
  let position = 0;

  function fixed(ids: readonly number[]): IdArray {
    const array = idArray(type, ids.length);
    ids.forEach((id, index) => (array[index] = (array instanceof BigInt64Array ? BigInt(id) : id) as never));
    return array;
  }

  function explained<Result>(region: Region, work: () => Result): Result {
    try {
      return work();
    } catch (error) {
      throw baseError(error, region, dna);
    }
  }

  /** The ids of a whole sequence, once it is complete. */
  function* whole(part: SequencePart, unknowns: Unknowns): Generator<IdArray> {
    const { record, name, bytes, ends } = part;
    if (waiting.length + bytes.length > LONGEST) throw tooLong(record, name);
    waiting.add(bytes);
    if (!ends) return;
    let region: Region = { record, name, start: 0, bases: waiting.view };
    if (reverseComplement) region = otherStrand(region);
    waiting.clear();
    if (encodePart) return yield* inParts({ ...part, bytes: region.bases }, unknowns);
    const ids = explained(region, () => engine.encode(region.bases, type, false));
    unknowns.add(ids.length, countOf(unknownId, ids), () => region);
    yield ids;
  }

  function* inParts({ record, name, bytes, ends }: SequencePart, unknowns: Unknowns): Generator<IdArray> {
    const hasWaited = waiting.length > 0;
    if (hasWaited) waiting.add(bytes);
    let bases = hasWaited ? waiting.view : bytes;
    for (let more = true; more; ) {
      // The rest of the reverse complement is the beginning of this strand.
      const region: Region = { record, name, bases, start: reverseComplement ? 0 : position, isReversed: reverseComplement };
      const flags = (position > 0 ? CONTINUED : 0) | (ends ? 0 : UNFINISHED);
      const part = explained(region, () => (encodePart as NonNullable<typeof encodePart>)(region.bases, flags, buffer));
      unknowns.add(part.count, part.unknown, () => region, part.consumed);
      if (part.count > 0) yield buffer.subarray(0, part.count);
      position += part.consumed;
      bases = bases.subarray(part.consumed);
      more = part.more;
    }
    if (hasWaited) waiting.drop(waiting.length - bases.length);
    else waiting.add(bases);
  }

  return function* (part, unknowns) {
    if (part.begins) {
      waiting.clear();
      position = 0;
      unknowns.begin();
      if (specialTokens) yield fixed(before);
    }
    yield* reverseComplement || !encodePart ? whole(part, unknowns) : inParts(part, unknowns);
    if (part.ends) unknowns.end(part);
    if (part.ends && specialTokens) yield fixed(after);
  };
}

/** The reverse complement of some bases. */
export function otherStrand(region: Region): Region {
  try {
    return { ...region, bases: complementOf(region.bases), isReversed: true };
  } catch (error) {
    throw baseError(error, region, undefined);
  }
}

export function tooLong(record: number, name: string): InputError {
  return new InputError(`${recordName(record, name)} is longer than ${LONGEST} bases, which is the most that is kept whole`);
}
