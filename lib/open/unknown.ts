// Longest match's unknown id, and its unit.

import { outOfRange, unexpected } from '../base/errors.js';
import { checkId } from '../base/options.js';

/**
 * What becomes the unknown id if no token begins there: the whole character, or each of its bytes, as in CRAYON's own
 * engine.
 *
 * @example
 * ```ts
 * const unknownUnit: UnknownUnit = 'byte';
 * using tokenizer = await Tokenizer.load(await compileCartridge(['<UNK>', 'a'], { unknownUnit }));
 * tokenizer.encode('aé'); // Uint32Array [1, 0, 0]
 * ```
 */
export type UnknownUnit = 'character' | 'byte';

/** Added to the id if it stands for bytes: the engine takes both as one number. */
const EACH_BYTE = 2 ** 30;

/** An id and its unit as the engine takes them. */
export function unknownOf(id: number | undefined, unit: UnknownUnit): number | undefined {
  return id === undefined || unit === 'character' ? id : id + EACH_BYTE;
}

/** The id within that number. */
export function idOfUnknown(unknown: number | undefined): number | undefined {
  return unknown === undefined || unknown < EACH_BYTE ? unknown : unknown - EACH_BYTE;
}

/** Throws for anything but a token id. */
export function checkUnknownId(id: unknown): void {
  checkId(id, 'unknownId');
  if ((id as number) >= EACH_BYTE) throw outOfRange('the id of a token', 'unknownId', id);
}

/** Throws a TypeError for anything but a unit. */
export function checkUnknownUnit(unit: unknown): asserts unit is UnknownUnit | undefined {
  if (unit !== undefined && unit !== 'character' && unit !== 'byte') throw unexpected("'character' or 'byte'", 'unknownUnit', unit);
}
