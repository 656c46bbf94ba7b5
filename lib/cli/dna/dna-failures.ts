// Why a sequence has no ids, in the command's terms, and which option would give its letters ids.

import { type DnaTokenizer, reverseComplement } from '../../dna.js';
import { TokenizerError } from '../../base/errors.js';
import { recordName } from './read-sequences.js';
import { InputError } from '../command-errors.js';
import { idsOf } from './dna-info.js';

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

const BYTES = 256;

/** The option that would give a letter an id; `none`: no option does. */
type Remedy = 'lowerCase' | 'ambiguous' | 'both' | 'none';

const REMEDIES: Record<Remedy, (isOne: boolean) => string> = {
  lowerCase: (isOne) => `--lower-case normalize makes ${isOne ? 'it' : 'them'} upper case`,
  ambiguous: (isOne) => `--ambiguous normalize makes ${isOne ? 'it' : 'them'} N`,
  both: (isOne) => `--lower-case normalize and --ambiguous normalize make ${isOne ? 'it' : 'them'} N`,
  none: () => '',
};

const tables = new WeakMap<DnaTokenizer, Uint8Array>();

/** For each byte, 1 if it becomes the unknown id. */
export function unknownBytes(model: DnaTokenizer): Uint8Array {
  let table = tables.get(model);
  if (!table) {
    table = Uint8Array.from({ length: BYTES }, (_, byte) => {
      const ids = idsOf(model, new Uint8Array(model.k).fill(byte));
      return ids?.some((id) => id === model.unknownId) ? 1 : 0;
    });
    tables.set(model, table);
  }
  return table;
}

/** Whether a word of letters without an id gets a single unknown id, emitted after its end. */
export function readsWords(model: DnaTokenizer): boolean {
  return model.unit === 'kmer' && idsOf(model, ' ')?.length === 0;
}

function hasId(letter: string, model: DnaTokenizer): boolean {
  const ids = idsOf(model, letter.repeat(model.k));
  return ids !== undefined && !ids.some((id) => id === model.unknownId);
}

/** The option that would give a letter an id. If N has no id, turning the letter into N does not help. */
function remedyFor(letter: string, model: DnaTokenizer): Remedy {
  const upper = letter.toUpperCase();
  const isLower = letter !== upper && !hasId('a', model);
  if (/[RYSWKMBDHV]/.test(upper)) return !hasId('N', model) ? 'none' : isLower ? 'both' : 'ambiguous';
  return isLower && /[ACGTN]/.test(upper) && hasId(upper, model) ? 'lowerCase' : 'none';
}

/** Advice for a letter without an id, to append to its mention. */
function adviceFor(byte: number, model: DnaTokenizer): string {
  const letter = String.fromCharCode(byte);
  const remedy = remedyFor(letter, model);
  if (remedy !== 'none') return ` (${REMEDIES[remedy](true)})`;
  if (/[RYSWKMBDHV]/i.test(letter) || letter === 'n') return ', nor for N';
  return /[a-z]/.test(letter) ? ', and it is not a base' : '';
}

/** Letters without an id, with advice: 'a and c (--lower-case normalize makes them upper case), nor for X'. */
export function lettersWithAdvice(bytes: readonly number[], model: DnaTokenizer): string {
  const groups = new Map<Remedy, string[]>();
  for (const byte of bytes) {
    const remedy = remedyFor(String.fromCharCode(byte), model);
    groups.set(remedy, [...(groups.get(remedy) ?? []), shownByte(byte)]);
  }
  const parts = [...groups].map(([remedy, letters]) => {
    const advice = REMEDIES[remedy](letters.length === 1);
    return `${listed(letters)}${advice && ` (${advice})`}`;
  });
  return parts.join(', nor for ');
}

const MOST_LISTED = 10;

function listed(letters: readonly string[]): string {
  if (letters.length > MOST_LISTED) return `${letters.slice(0, MOST_LISTED).join(', ')} and ${letters.length - MOST_LISTED} more`;
  return letters.length === 1 ? (letters[0] as string) : `${letters.slice(0, -1).join(', ')} and ${letters.at(-1)}`;
}

/** A letter of a sequence in a message. */
function shownByte(byte: number): string {
  return byte > 0x20 && byte < 0x7f ? `"${String.fromCharCode(byte)}"` : `the byte 0x${byte.toString(16).padStart(2, '0')}`;
}
