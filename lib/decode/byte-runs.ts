// Tokens that stand for bytes, such as <0x0A>: a run of them is the text that their bytes are, or one U+FFFD for each.

import { rawByte } from './raw-bytes.js';

const BYTE = /^<0x([0-9a-fA-F]{2}|\+[0-9a-fA-F])>$/;
const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The byte that a token stands for; −1 if it stands for none. */
export function byteOf(token: string): number {
  if (token.length !== 6 || !token.startsWith('<0x')) return -1;
  const digits = BYTE.exec(token)?.[1];
  return digits === undefined ? -1 : Number.parseInt(digits, 16);
}

/** The tokens of a run: its text, or one for each of its bytes. `raw`: these are the bytes themselves. */
export function tokensOfRun(run: readonly number[], raw: boolean): string[] {
  try {
    return [strict.decode(Uint8Array.from(run))];
  } catch {
    return run.map((byte) => (raw ? rawByte(byte) : '\ufffd'));
  }
}
