// The ids that a tokenizer.json puts around one text and around two, with the type of each: the templates in a
// cartridge's metadata (cartridges/FORMAT.md, section 4), as in version 2.0 of that file.

import type { Description } from '../engine/engine.js';
import { TokenizerError } from '../base/errors.js';

/** Fixed ids, or the ids of the first (A) or the second text (B). */
export type Piece = { ids: readonly number[]; type_id: number } | { seq: 'A' | 'B'; type_id: number };

export interface Templates {
  single: readonly Piece[];
  pair: readonly Piece[];
}

/** Whether a template contains both texts. */
export function hasBoth(pieces: readonly Piece[]): boolean {
  return ['A', 'B'].every((seq) => pieces.some((piece) => 'seq' in piece && piece.seq === seq));
}

/** How many ids there are around the texts. */
export function addedBy(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, piece) => sum + ('ids' in piece ? piece.ids.length : 0), 0);
}

const FIRST: Piece = { seq: 'A', type_id: 0 };
const SECOND: Piece = { seq: 'B', type_id: 1 };
/** The template for two texts if a file does not define one. */
export const ONE_AFTER_THE_OTHER: readonly Piece[] = [FIRST, SECOND];

/** A vocabulary's templates; missing ones default to the types 0 and 1. Throws a TokenizerError for an invalid one. */
export function templatesOf({ prefix, suffix, vocabularySize }: Description, metadata: Readonly<Record<string, unknown>>): Templates {
  const { single, pair } = Object(metadata.templates) as Record<string, unknown>;
  const around = (ids: number[]): Piece[] => (ids.length > 0 ? [{ ids, type_id: 0 }] : []);
  return {
    single: single === undefined ? [...around(prefix), FIRST, ...around(suffix)] : checkedPieces(single, 'single', vocabularySize),
    pair: pair === undefined ? ONE_AFTER_THE_OTHER : checkedPieces(pair, 'pair', vocabularySize),
  };
}

const MOST_PIECES = 1024;
const METADATA_SECTION = 1;

function checkedPieces(pieces: unknown, name: string, limit: number): readonly Piece[] {
  const isBelow = (value: unknown, limit: number) => typeof value === 'number' && value >>> 0 === value && value < limit;
  const isPiece = (piece: unknown) => {
    const { ids, seq, type_id } = Object(piece) as Record<string, unknown>;
    if (!isBelow(type_id, 2 ** 32)) return false;
    if (ids === undefined) return seq === 'A' || seq === 'B';
    return seq === undefined && Array.isArray(ids) && ids.length <= MOST_PIECES && ids.every((id) => isBelow(id, limit));
  };
  if (Array.isArray(pieces) && pieces.length <= MOST_PIECES && pieces.every(isPiece)) return pieces;
  const message = `cannot encode with the templates of this cartridge: templates.${name} of its metadata is not one that this version reads`;
  throw new TokenizerError(message, { code: 'CORRUPT_STRUCTURE', section: METADATA_SECTION });
}
