// Operations on bases without an engine: before a host has loaded it, and for sequences too short to be worth a call.

import { TokenizerError } from '../base/errors.js';
import type { OnBases } from './dna-engine.js';

const NONE = 0xff;
const COMPLEMENTS = tableOf('ACGTURYSWKMBDHVN', 'TGCAAYRSWMKVHDBN');
const CODES = tableOf('ACGT', '\0\x01\x02\x03');
const LETTERS = new TextEncoder().encode('ACGT');

export const basesInScript: OnBases = (operation, bytes, out) => {
  switch (operation) {
    case 'reverseComplement':
      return complement(bytes, out);
    case 'packBases':
      return pack(bytes, out);
    case 'unpackBases':
      for (let i = 0; i < out.length; i++) out[i] = LETTERS[((bytes[i >> 2] as number) >> (2 * (i & 3))) & 3] as number;
  }
};

function complement(bytes: Uint8Array, out: Uint8Array): void {
  const last = bytes.length - 1;
  let bad = 0;
  for (let i = 0; i <= last; i++) {
    const other = COMPLEMENTS[bytes[i] as number] as number;
    bad |= other;
    out[last - i] = other;
  }
  if (bad > 0x7f) throw unknownBase(COMPLEMENTS, bytes);
}

function pack(bytes: Uint8Array, out: Uint8Array): void {
  let bad = 0;
  for (let i = 0; i < bytes.length; i++) {
    const code = CODES[bytes[i] as number] as number;
    bad |= code;
    out[i >> 2] = (out[i >> 2] as number) | (code << (2 * (i & 3)));
  }
  if (bad > 3) throw unknownBase(CODES, bytes);
}

function unknownBase(table: Uint8Array, bytes: Uint8Array): TokenizerError {
  const position = bytes.findIndex((byte) => table[byte] === NONE);
  return new TokenizerError('the byte at the position is not a base', { code: 'UNKNOWN_BASE', position });
}

/** The result for each byte; letters of either case keep their case. */
function tableOf(from: string, to: string): Uint8Array {
  const table = new Uint8Array(256).fill(NONE);
  for (let i = 0; i < from.length; i++) {
    const code = to.charCodeAt(i);
    table[from.charCodeAt(i)] = code;
    table[from.charCodeAt(i) | 0x20] = code < 4 ? code : code | 0x20;
  }
  return table;
}
