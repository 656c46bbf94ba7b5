// Why a sequence has no ids, in the command's terms.

import { type DnaTokenizer, reverseComplement } from '../../dna.js';
import { TokenizerError } from '../../base/errors.js';
import { adviceFor, shownByte } from './letters.js';
import { recordName } from './sequences.js';
import { InputError } from '../output/streams.js';

/** A record rejected by a vocabulary or a policy, or a base without a complement: other records may be fine. */
export class BaseError extends InputError {
  /** `record` and `base`: counted from 1. `base`: undefined if the error does not concern a particular one. */
  constructor(
    message: string,
    readonly record: number,
    readonly recordName: string,
    readonly base: number | undefined,
  ) {
    super(message);
  }
}

/** A sequence or a part of it, in which an error has a position. */
export interface Region {
  record: number;
  name: string;
  /** Its start in the sequence. */
  start: number;
  bases: Uint8Array;
  /** Whether the bases are the reverse complement. */
  isReversed?: boolean;
}

/** The engine's error for some bases; `model`: the vocabulary, undefined for the reverse complement. */
export function baseError(error: unknown, region: Region, model: DnaTokenizer | undefined): unknown {
  if (!(error instanceof TokenizerError) || error.code !== 'UNKNOWN_BASE') return error;
  const why =
    model === undefined ? () => 'which has no complement' : (byte: number) => `for which ${model.name} has no id${adviceFor(byte, model)}`;
  return errorAt(error.position, region, why);
}

/** The error for a base that would become the unknown id. */
export function unknownBaseError(position: number, region: Region, model: DnaTokenizer): BaseError {
  return errorAt(position, region, (byte) => `for which ${model.name} has only the unknown id${adviceFor(byte, model)}`);
}

function errorAt(position: number, { record, name, start, bases, isReversed }: Region, why: (byte: number) => string): BaseError {
  const base = isReversed ? start + bases.length - position : start + position + 1;
  const [byte = 0] = isReversed ? reverseComplement(bases.subarray(position, position + 1)) : bases.subarray(position);
  return new BaseError(`${recordName(record, name)} has ${shownByte(byte)} at base ${base}, ${why(byte)}`, record + 1, name, base);
}
