// Turns engine failures into errors for the caller, with positions in the text or ids that were passed.

import type { TokenIds } from './arguments.js';
import { TokenizerError } from '../base/errors.js';
import { partOf } from '../base/views.js';
import type { Vocabulary } from '../vocabularies/vocabulary.js';

/** How much text is searched for the name of a special token. */
const LONGEST_SHOWN = 256;

/** Where part of a text begins in the whole: in the caller's units, and in bytes of UTF-8. */
export interface Start {
  units: number;
  bytes: number;
}

const BEGINNING: Start = { units: 0, bytes: 0 };

/**
 * The error to throw for a failure at a position in `text`; other errors are returned as they are. `which`: the text's
 * index in its batch, or its name. `start`: where it begins in a longer text, to which the position refers.
 */
export function failureInText(
  error: unknown,
  text: string | Uint8Array,
  vocabulary: Pick<Vocabulary, 'specialIds'>,
  which: number | string = 'the text',
  start: Start = BEGINNING,
): unknown {
  if (!isAboutText(error)) return error;
  const byte = error.position - start.bytes;
  const unit = typeof text === 'string' ? utf16Position(text, byte) : byte;
  const position = start.units + unit;
  const shown = partOf(text, unit, unit + LONGEST_SHOWN);
  const rest = typeof shown === 'string' ? shown : new TextDecoder().decode(shown.slice());
  const where = `${typeof which === 'string' ? which : `texts[${which}]`} holds`;
  const row = typeof which === 'number' ? which : undefined;
  const what =
    error.code === 'UNKNOWN_CHARACTER'
      ? unknownCharacter(rest, position)
      : forbiddenToken(rest, position, [...vocabulary.specialIds.keys()]);
  return new TokenizerError(`${where} ${what}`, { code: error.code, position, row });
}

/** Whether a failure is about a place in the text. */
export function isAboutText(error: unknown): error is TokenizerError {
  return error instanceof TokenizerError && (error.code === 'SPECIAL_FORBIDDEN' || error.code === 'UNKNOWN_CHARACTER');
}

function forbiddenToken(rest: string, position: number, special: readonly string[]): string {
  const names = special.filter((name) => rest.startsWith(name));
  const name = names.reduce((longest, name) => (name.length > longest.length ? name : longest), '');
  return `the special token ${JSON.stringify(name)} at position ${position}, and special tokens are forbidden here (special: 'forbid')`;
}

function unknownCharacter(rest: string, position: number): string {
  const code = rest.codePointAt(0) ?? 0;
  const name = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
  return (
    `the character ${JSON.stringify(String.fromCodePoint(code))} (${name}) at position ${position}, ` +
    'with which no token begins, and the vocabulary has no unknown id'
  );
}

/**
 * The error to throw for a failure at one of the ids; other errors are returned as they are. `row`: the index of their
 * list. `before`: how many ids of a longer list precede them; the position is in the longer list.
 */
export function failureInIds(
  error: unknown,
  ids: TokenIds,
  vocabulary: Pick<Vocabulary, 'description'>,
  row?: number,
  before = 0,
): unknown {
  if (!(error instanceof TokenizerError) || error.code !== 'INVALID_ID') return error;
  const { name, vocabularySize } = vocabulary.description;
  const position = before + error.position;
  const where = row === undefined ? `index ${position}` : `rows[${row}][${position}]`;
  const id = Number(ids[error.position]);
  const why = id < vocabularySize ? 'which leaves this id unused' : `whose ids are below ${vocabularySize}`;
  return new TokenizerError(`the id ${ids[error.position]} at ${where} is not in the vocabulary of ${name}, ${why}`, {
    code: error.code,
    position,
    row,
  });
}

/** The UTF-16 index in `text` of byte `position` of its UTF-8. */
export function utf16Position(text: string, position: number): number {
  const bytes = new TextEncoder().encode(text.slice(0, position)); // a unit has a byte at least
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, position)).length;
}
