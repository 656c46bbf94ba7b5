// Tokens as text for people. A token's bytes need not be whole characters: what is not is written as bytes, and what a
// terminal would obey or hide is written as an escape.

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

/** The characters of some bytes in their order, and as numbers those bytes that belong to no whole character. */
function* charactersOf(bytes: Uint8Array): Generator<string | number> {
  for (let at = 0; at < bytes.length; ) {
    const lead = bytes[at] as number;
    const length = lead < 0xc0 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    const character = textOf(bytes.subarray(at, at + length));
    yield character ?? lead;
    at += character === undefined ? 1 : length;
  }
}

/** Characters without a shape of their own: controls, joiners and directions, separators, unassigned ones. */
const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}]/u;

function escaped(character: string | number): string | undefined {
  if (typeof character === 'number') return `\\x${character.toString(16).padStart(2, '0')}`;
  return INVISIBLE.test(character) ? `\\u{${(character.codePointAt(0) as number).toString(16)}}` : undefined;
}

const QUOTED: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '"': '\\"', '\\': '\\\\' };

/** A token between quotes, on one line, with nothing left open. */
export function quoted(bytes: Uint8Array): string {
  let text = '';
  for (const character of charactersOf(bytes)) text += QUOTED[character] ?? escaped(character) ?? character;
  return `"${text}"`;
}

const MARKED: Record<string, string> = { '\n': '↵\n', '\r': '␍', '\t': '⇥\t' };

/** A token as it stands in its text, white space that is not a blank made visible and kept. */
export function marked(bytes: Uint8Array): string {
  let text = '';
  for (const character of charactersOf(bytes)) text += MARKED[character] ?? escaped(character) ?? character;
  return text;
}

/** A token for machines: its text, or its bytes if they are none. */
export function textOrHex(bytes: Uint8Array): { text: string } | { hex: string } {
  const text = textOf(bytes);
  return text === undefined ? { hex: Buffer.from(bytes).toString('hex') } : { text };
}
