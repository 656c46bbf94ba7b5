// Tokens as text for people. A token's bytes need not be whole characters: parts of characters are written as bytes,
// and characters that a terminal would interpret or hide as escapes.

import { Buffer } from 'node:buffer';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The text of bytes that are UTF-8; undefined for others. */
export function textOf(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}

/** The characters of some bytes in order; a byte that is part of no whole character as a number. */
function* charactersOf(bytes: Uint8Array): Generator<string | number> {
  for (let at = 0; at < bytes.length; ) {
    const lead = bytes[at] as number;
    const length = lead < 0xc0 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    const character = textOf(bytes.subarray(at, at + length));
    yield character ?? lead;
    at += character === undefined ? 1 : length;
  }
}

/** Characters without a glyph: controls, joiners and directions, separators, unassigned ones. */
const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}]/u;

function escaped(character: string | number): string | undefined {
  if (typeof character === 'number') return `\\x${character.toString(16).padStart(2, '0')}`;
  return INVISIBLE.test(character) ? `\\u{${(character.codePointAt(0) as number).toString(16)}}` : undefined;
}

const QUOTED: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '"': '\\"', '\\': '\\\\' };

/** A token in quotes, on one line, without ambiguity. */
export function quoted(bytes: Uint8Array): string {
  let text = '';
  for (const character of charactersOf(bytes)) text += QUOTED[character] ?? escaped(character) ?? character;
  return `"${text}"`;
}

const MARKED: Record<string, string> = { '\n': '↵\n', '\r': '␍', '\t': '⇥\t' };

/** A token as it is in its text; white space other than blanks is marked, and kept. */
export function marked(bytes: Uint8Array): string {
  let text = '';
  for (const character of charactersOf(bytes)) text += MARKED[character] ?? escaped(character) ?? character;
  return text;
}

/** A token for machines: its text, or its bytes if they are not UTF-8. */
export function textOrHex(bytes: Uint8Array): { text: string } | { hex: string } {
  const text = textOf(bytes);
  return text === undefined ? { hex: Buffer.from(bytes).toString('hex') } : { text };
}
