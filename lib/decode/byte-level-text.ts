// The bytes of a token in ByteLevel's spelling; any other token stands for its own UTF-8.

import { bytesOfByteLevel } from './byte-level.js';
import { bytesOfText } from './raw-bytes.js';

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

export function byteLevelBytes(token: string): Uint8Array {
  return bytesOfByteLevel(token) ?? bytesOfText(token);
}

/** Decodes bytes, with U+FFFD for invalid UTF-8. */
export function lossy(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}
