// Tokens that stand for bytes, such as <0x0A>: a run of them becomes the text of their bytes, or one U+FFFD each.

import { rawByte } from './raw-bytes.js';

const BYTE = /^<0x([0-9a-fA-F]{2}|\+[0-9a-fA-F])>$/;
const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The byte that a token stands for; −1 if it is not a byte token. */
export function byteOf(token: string): number {
  if (token.length !== 6 || !token.startsWith('<0x')) return -1;
  const digits = BYTE.exec(token)?.[1];
  return digits === undefined ? -1 : Number.parseInt(digits, 16);
}

/** The same as in sentencepiece: the characters of a run, and one token for each byte that belongs to none. */
export function tokensOfBrokenRun(run: readonly number[], raw: boolean): string[] {
  const whole = textOfRun(run);
  if (whole !== undefined) return [whole];
  const tokens: string[] = [];
  for (let at = 0; at < run.length; ) {
    const first = run[at] as number;
    const length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    const character = textOfRun(run.slice(at, at + length));
    tokens.push(character ?? brokenByte(first, raw));
    at += character === undefined ? 1 : length;
  }
  return tokens;
}

/** The tokens of a run: its text, or one token for each of its bytes. `raw`: keeps the bytes themselves. */
export function tokensOfRun(run: readonly number[], raw: boolean): string[] {
  const whole = textOfRun(run);
  return whole === undefined ? run.map((byte) => brokenByte(byte, raw)) : [whole];
}

/** Undefined for invalid UTF-8. */
function textOfRun(run: readonly number[]): string | undefined {
  try {
    return strict.decode(Uint8Array.from(run));
  } catch {
    return undefined;
  }
}

function brokenByte(byte: number, raw: boolean): string {
  return raw ? rawByte(byte) : '\ufffd';
}
