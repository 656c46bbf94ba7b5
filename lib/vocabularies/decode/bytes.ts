// The alphabet in which Hugging Face, like GPT-2, writes bytes: each byte is a visible character.

import type { UnsharedUint8Array } from '../../base/typed-arrays.js';
import { characterLength, textOfWhole, Utf8Run } from '../../base/text-encodings.js';

/** The character of each byte: its own if it is visible, else one from U+0100 on. */
const CHARACTERS: readonly string[] = (() => {
  let next = 0x100;
  const isVisible = (byte: number) => (byte > 0x20 && byte < 0x7f) || (byte > 0xa0 && byte !== 0xad);
  return Array.from({ length: 256 }, (_, byte) => String.fromCharCode(isVisible(byte) ? byte : next++));
})();

const BYTES = new Map(CHARACTERS.map((character, byte) => [character, byte]));

/** The bytes in the order of their characters, in which Hugging Face numbers them. */
export const ALPHABET: Uint8Array = Uint8Array.from(CHARACTERS.toSorted(), (character) => BYTES.get(character) as number);

/** Bytes as Hugging Face writes them. */
export function byteLevel(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at++) text += CHARACTERS[bytes[at] as number];
  return text;
}

/** The byte of each character, by its code; −1 if it stands for none. */
const BYTE_OF = Int16Array.from({ length: 0x144 }, (_, code) => BYTES.get(String.fromCharCode(code)) ?? -1);

/** The bytes for which the characters of a text stand; undefined if one stands for no byte. */
export function bytesOfByteLevel(text: string): Uint8Array | undefined {
  const bytes = new Uint8Array(text.length);
  return putByteLevel(text, bytes, 0) < 0 ? undefined : bytes;
}

/** Writes these bytes; returns where they end, or a negative number. */
export function putByteLevel(text: string, bytes: Uint8Array, at: number): number {
  for (let index = 0; index < text.length; index++) {
    const byte = BYTE_OF[text.charCodeAt(index)] ?? -1;
    if (byte < 0) return -1;
    bytes[at + index] = byte;
  }
  return at + text.length;
}

// The bytes of a token in ByteLevel's spelling; any other token stands for its own UTF-8.

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

export function byteLevelBytes(token: string): Uint8Array {
  return bytesOfByteLevel(token) ?? bytesOfText(token);
}

/** Decodes bytes, with U+FFFD for invalid UTF-8. */
export function lossy(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

// Bytes of invalid UTF-8 within a text: until the text becomes bytes, each is a lone surrogate, as in Python.

const FIRST = 0xdc00;
const RAW = /[\u{dc00}-\u{dcff}]+/gu;
const encoder = new TextEncoder();

function rawByte(byte: number): string {
  return String.fromCharCode(FIRST + byte);
}

/** The UTF-8 of a text, with the original bytes for these surrogates. */
export function bytesOfText(text: string): UnsharedUint8Array {
  if (text.search(RAW) < 0) return encoder.encode(text);
  const bytes = new Uint8Array(3 * text.length);
  let at = 0;
  let before = 0;
  for (const { 0: raw, index } of text.matchAll(RAW)) {
    at += encoder.encodeInto(text.slice(before, index), bytes.subarray(at)).written;
    for (let i = 0; i < raw.length; i++) bytes[at++] = raw.charCodeAt(i) - FIRST;
    before = index + raw.length;
  }
  at += encoder.encodeInto(text.slice(before), bytes.subarray(at)).written;
  return bytes.slice(0, at);
}

// Tokens that stand for bytes, such as <0x0A>: a run of them becomes the text of their bytes, or one U+FFFD each.

const BYTE = /^<0x([0-9a-fA-F]{2}|\+[0-9a-fA-F])>$/;

/** The byte that a token stands for; −1 if it is not a byte token. */
export function byteOf(token: string): number {
  if (token.length !== 6 || !token.startsWith('<0x')) return -1;
  const digits = BYTE.exec(token)?.[1];
  return digits === undefined ? -1 : Number.parseInt(digits, 16);
}

/** The same as in sentencepiece: the characters of a run, and one token for each byte that belongs to none. */
export function tokensOfBrokenRun(run: readonly number[], raw: boolean): string[] {
  const whole = textOfWhole(Uint8Array.from(run));
  if (whole !== undefined) return [whole];
  const tokens: string[] = [];
  const characters = new Utf8Run();
  for (let at = 0; at < run.length; ) {
    // Nothing is tried that would throw: that takes a hundred times as long as a character.
    const length = characterLength(run, at);
    tokens.push(length > 0 ? characters.push(Uint8Array.from(run.slice(at, at + length))) : brokenByte(run[at] as number, raw));
    at += length || 1;
  }
  return tokens;
}

/** The tokens of a run: its text, or one token for each of its bytes. `raw`: keeps the bytes themselves. */
export function tokensOfRun(run: readonly number[], raw: boolean): string[] {
  const whole = textOfWhole(Uint8Array.from(run));
  return whole === undefined ? run.map((byte) => brokenByte(byte, raw)) : [whole];
}

function brokenByte(byte: number, raw: boolean): string {
  return raw ? rawByte(byte) : '\ufffd';
}
