// Turns engine failures into errors for the caller, with positions in the sequences that were passed.

import { TokenizerError } from '../base/errors.js';
import { utf16Position } from '../api/text-failures.js';
import { unitOfByte } from './sequence-bytes.js';
import type { DnaEngine } from '../engine/dna-engine.js';

/** A sequence's name in messages: its row in a batch. */
function nameOfRow(row: number | undefined): string {
  return row === undefined ? 'the sequence' : `sequences[${row}]`;
}

/** The caller's sequence of a row, or the only sequence. */
export type SequenceAt = (row: number) => string | Uint8Array;

/**
 * The encoding that failed. `name`: the vocabulary's; `length`: of the rows, if given; `reverseComplement`: whether it had the
 * reverse complements of the caller's sequences.
 */
export interface Encoding {
  engine: DnaEngine;
  name: string;
  length: number | undefined;
  reverseComplement?: boolean | undefined;
}

/** The error to throw for an engine's error. */
export function failureInSequence(error: unknown, sequenceAt: SequenceAt, { engine, name, length, reverseComplement }: Encoding): unknown {
  if (!(error instanceof TokenizerError)) return error;
  const { code, row, position } = error;
  if (code === 'UNKNOWN_BASE') {
    const sequence = sequenceAt(row ?? 0);
    return unknownBase(sequence, reverseComplement ? sequence.length - 1 - position : position, row, name, engine);
  }
  if (code === 'SPECIAL_FORBIDDEN') return forbidden(sequenceAt(row ?? 0), position, row, engine);
  if (code === 'TEXT_TOO_LONG' && length !== undefined) {
    const message = `${nameOfRow(row)} has more than ${length} ids, the length; truncate: true cuts them off`;
    return new TokenizerError(message, { code, row });
  }
  if (code === 'INVALID_ARGUMENT' && length !== undefined) {
    const message = `${nameOfRow(row)} has fewer than ${length} ids, the length, and ${name} has no id for padding`;
    return new TokenizerError(message, { code, row });
  }
  return error;
}

/** The error to throw for a failed operation on bases without a vocabulary; `why`: what is wrong with the byte. */
export function failureInBases(error: unknown, sequence: string | Uint8Array, why: string): unknown {
  if (!(error instanceof TokenizerError) || error.code !== 'UNKNOWN_BASE') return error;
  const { row } = error;
  const { position, where } = locate(sequence, error.position, row, utf16Position);
  return new TokenizerError(`${where}, ${why}`, { code: 'UNKNOWN_BASE', position, row });
}

function unknownBase(
  sequence: string | Uint8Array,
  byte: number,
  row: number | undefined,
  name: string,
  engine: DnaEngine,
): TokenizerError {
  const { position, code, where } = locate(sequence, byte, row, (text, byte) => unitOfByte(engine, text, byte));
  const message = `${where}, for which ${name} has no id here${adviceFor(code)}`;
  return new TokenizerError(message, { code: 'UNKNOWN_BASE', position, row });
}

function forbidden(sequence: string | Uint8Array, byte: number, row: number | undefined, engine: DnaEngine): TokenizerError {
  const position = typeof sequence === 'string' ? unitOfByte(engine, sequence, byte) : byte;
  const message = `${nameOfRow(row)} holds a special token at position ${position}, and special tokens are forbidden here (special: 'forbid')`;
  return new TokenizerError(message, { code: 'SPECIAL_FORBIDDEN', position, row });
}

interface LocatedCharacter {
  position: number;
  code: number;
  where: string;
}

function locate(
  sequence: string | Uint8Array,
  byte: number,
  row: number | undefined,
  unitOf: (text: string, byte: number) => number,
): LocatedCharacter {
  const position = typeof sequence === 'string' ? unitOf(sequence, byte) : byte;
  const code = (typeof sequence === 'string' ? sequence.codePointAt(position) : sequence[byte]) ?? 0;
  return { position, code, where: `${nameOfRow(row)} holds ${shown(code, typeof sequence === 'string')} at position ${position}` };
}

function shown(code: number, isText: boolean): string {
  if (code > 0x20 && code < 0x7f) return `'${String.fromCharCode(code)}'`;
  const digits = code.toString(16).toUpperCase();
  return isText ? `U+${digits.padStart(4, '0')}` : `the byte 0x${digits.padStart(2, '0')}`;
}

function adviceFor(code: number): string {
  // For a letter that is not a base, upper case does not help: it would become the unknown id.
  const letter = String.fromCharCode(code);
  if (/[acgtn]/.test(letter)) return " (lower case: load with lowerCase: 'normalize')";
  if (/[RYSWKMBDHV]/.test(letter)) return " (a code of several bases: load with ambiguous: 'normalize')";
  if (/[ryswkmbdhv]/.test(letter)) return " (a code of several bases in lower case: load with lowerCase and ambiguous: 'normalize')";
  return /[a-z]/.test(letter) ? ', and it is not a base' : '';
}
