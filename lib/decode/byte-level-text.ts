// The bytes that a token stands for if it is written as ByteLevel writes bytes; any other token is its own UTF-8.

import { bytesOfByteLevel } from '../import/byte-level.js';
import { bytesOfText } from './raw-bytes.js';

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

export function byteLevelBytes(token: string): Uint8Array {
  return bytesOfByteLevel(token) ?? bytesOfText(token);
}

/** The text of bytes, with U+FFFD for what is no UTF-8. */
export function lossy(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}
