// Vocabularies as JSON among the sources: they are compiled before they can be opened.

import { TokenizerError } from '../tokenizer/errors.js';
import { bytesOf, tagOf } from '../tokenizer/views.js';

/** Whether a source is a JSON file by its name, or its bytes begin like one. No cartridge does. */
export function isJsonSource(source: unknown): boolean {
  if (typeof source === 'string') return /\.json$/i.test(source);
  if (source instanceof URL || tagOf(source) === 'URL') return /\.json$/i.test((source as URL).pathname);
  const bytes = bytesOf(source, 'source');
  return bytes !== undefined && isJson(bytes);
}

/** Whether bytes begin as an object of JSON does: with a brace, after white space or a byte order mark. */
export function isJson(bytes: Uint8Array): boolean {
  const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  for (let at = hasMark ? 3 : 0; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    if (byte !== 0x20 && (byte < 9 || byte > 13)) return byte === 0x7b;
  }
  return false;
}

/** Throws a TokenizerError for what has to be compiled, which takes too long to wait for. */
export function refuseJson(source: unknown): void {
  if (!isJsonSource(source)) return;
  const message = 'cannot load JSON with loadSync: await Tokenizer.load() compiles a tokenizer.json, and so does compileCartridge';
  throw new TokenizerError(message, { code: 'NOT_A_CARTRIDGE' });
}
