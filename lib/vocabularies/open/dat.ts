// Version 2 vocabularies: a `.dat`, which is only a double array, and optionally a `.json` beside it that lists the
// tokens. The array determines a text's tokens; the list gives the meaning of ids not in the array.

import type { Dat } from '../../engine/compiler.js';
import { joinTokens } from '../../base/token-table.js';
import { readTokenList, unknownIdIn } from './token-list.js';
import { outOfRange, unexpected } from '../../base/errors.js';
import { checkId } from '../../base/option-objects.js';

const MAGIC = 0x59415243;
const VERSION = 2;

/** The text of a `.json` beside a `.dat`, and its location. */
export interface ListText {
  text: string;
  file: string;
}

/** The caller's options for text at which no token begins. */
export interface DatOptions {
  unknownId?: number | undefined;
  unknownUnit?: UnknownUnit | undefined;
}

/** The same, not yet parsed. */
export interface DatSource extends DatOptions {
  /** The list beside it, if it has one. */
  list: ListText | undefined;
}

/** Whether bytes are a `.dat`. */
export function isDat(bytes: Uint8Array): boolean {
  if (bytes.length < 8) return false;
  const head = new DataView(bytes.buffer, bytes.byteOffset, 8);
  return head.getUint32(0, true) === MAGIC && head.getUint32(4, true) === VERSION;
}

/** Whether a path or URL names a `.dat`. Not by a regular expression: creating one takes as long as opening a file. */
export function namesDat(location: string): boolean {
  return location.slice(-4).toLowerCase() === '.dat';
}

/** The path or URL of the list beside a `.dat`. */
export function listLocation(dat: string): string {
  return `${dat.slice(0, -4)}.json`;
}

/**
 * Parses the list. The unknown id is the caller's, else the id of the list's unknown token. It stands for a byte unless the
 * caller says otherwise, as in CRAYON.
 */
export function readDat({ list, unknownId, unknownUnit = 'byte' }: DatSource): Dat {
  const tokens = list ? readTokenList(list.text, list.file) : [];
  return { ...joinTokens(tokens), unknown: unknownOf(unknownId ?? unknownIdIn(tokens), unknownUnit) };
}

// Longest match's unknown id, and its unit.

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
