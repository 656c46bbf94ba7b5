// Bytes of invalid UTF-8 within a text: until the text becomes bytes, each is a lone surrogate, as in Python.

import type { UnsharedUint8Array } from '../base/typed-arrays.js';

const FIRST = 0xdc00;
const RAW = /[\u{dc00}-\u{dcff}]+/gu;
const encoder = new TextEncoder();

export function rawByte(byte: number): string {
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
