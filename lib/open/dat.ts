// Vocabularies of version 2: a `.dat`, which is a double array alone, and beside it, if there is one, a `.json` that
// lists the tokens. The array says which tokens a text has; the list says what ids mean that the array does not hold.

import { joinTokens, type TokenTable } from './token-table.js';
import { readTokenList, unknownIdIn } from './token-list.js';
import { type UnknownUnit, unknownOf } from './unknown.js';

const MAGIC = 0x59415243;
const VERSION = 2;

/** What is to be known of a `.dat` beside its bytes, read. */
export interface Dat extends TokenTable {
  /** The id of what no token begins with, with its unit (unknown.ts). */
  unknown?: number | undefined;
}

/** The text of a `.json` beside a `.dat`, and where it is from. */
export interface ListText {
  text: string;
  file: string;
}

/** What the caller says of what no token begins with. */
export interface DatOptions {
  unknownId?: number | undefined;
  unknownUnit?: UnknownUnit | undefined;
}

/** The same, not yet read. */
export interface DatSource extends DatOptions {
  /** The list beside it, if it has one. */
  list: ListText | undefined;
}

/** Whether bytes are those of a `.dat`. */
export function isDat(bytes: Uint8Array): boolean {
  if (bytes.length < 8) return false;
  const head = new DataView(bytes.buffer, bytes.byteOffset, 8);
  return head.getUint32(0, true) === MAGIC && head.getUint32(4, true) === VERSION;
}

/**
 * Whether a path or URL is that of a `.dat`. Without a regular expression: making one takes as long as opening a file.
 */
export function namesDat(location: string): boolean {
  return location.slice(-4).toLowerCase() === '.dat';
}

/** The path or URL of the list beside a `.dat`. */
export function listLocation(dat: string): string {
  return `${dat.slice(0, -4)}.json`;
}

/**
 * Reads the list; the unknown id is the one that the caller says, else that of the list's token for it. It stands for a byte
 * unless the caller says otherwise, as in CRAYON.
 */
export function readDat({ list, unknownId, unknownUnit = 'byte' }: DatSource): Dat {
  const tokens = list ? readTokenList(list.text, list.file) : [];
  return { ...joinTokens(tokens), unknown: unknownOf(unknownId ?? unknownIdIn(tokens), unknownUnit) };
}
