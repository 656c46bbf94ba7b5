// Why a sequence has no ids, in terms of the command.

import { type DnaTokenizer, reverseComplement } from '../index.js';
import { TokenizerError } from '../tokenizer/errors.js';
import { idsOf } from './dna-facts.js';
import { recordName } from './dna-sequences.js';
import { InputError } from './streams.js';

/** A base that a vocabulary rejects, or that has no complement. */
export class BaseError extends InputError {
  /** `record` and `base`: counted from 1. */
  constructor(
    message: string,
    readonly record: number,
    readonly recordName: string,
    readonly base: number,
  ) {
    super(message);
  }
}

/** A sequence, or a part of it, of which an error says a position. */
export interface Place {
  record: number;
  name: string;
  /** Where it begins in the sequence. */
  start: number;
  bases: Uint8Array;
  /** The bases are of the other strand, read in its direction. */
  isReversed?: boolean;
}

/** The error of the engine for some bases; `model`: the vocabulary, undefined for the other strand. */
export function baseError(error: unknown, place: Place, model: DnaTokenizer | undefined): unknown {
  if (!(error instanceof TokenizerError) || error.code !== 'UNKNOWN_BASE') return error;
  const { record, name, start, bases, isReversed } = place;
  const { position } = error;
  const base = isReversed ? start + bases.length - position : start + position + 1;
  const [byte = 0] = isReversed ? reverseComplement(bases.subarray(position, position + 1)) : bases.subarray(position);
  const why = model === undefined ? 'which has no complement' : `for which ${model.name} has no id${adviceFor(byte, model)}`;
  return new BaseError(`${recordName(record, name)} has ${shown(byte)} at base ${base}, ${why}`, record + 1, name, base);
}

function shown(byte: number): string {
  return byte > 0x20 && byte < 0x7f ? `"${String.fromCharCode(byte)}"` : `the byte 0x${byte.toString(16).padStart(2, '0')}`;
}

/** What would give a letter an id. N is of no use where it is rejected, too. */
function adviceFor(byte: number, model: DnaTokenizer): string {
  const letter = String.fromCharCode(byte);
  if (/[NRYSWKMBDHV]/i.test(letter) && !idsOf(model, 'N'.repeat(model.k))) return letter === 'N' ? '' : ', nor for N';
  if (/[acgtn]/.test(letter)) return ' (--lower-case normalize makes it upper case)';
  if (/[RYSWKMBDHV]/.test(letter)) return ' (--ambiguous normalize makes it N)';
  if (/[ryswkmbdhv]/.test(letter)) return ' (--lower-case normalize and --ambiguous normalize make it N)';
  return /[a-z]/.test(letter) ? ', and it is no base' : '';
}
