// Recognizes JSON vocabularies and rank files among the sources: they must be compiled before opening.

import { TokenizerError } from '../base/errors.js';
import { bytesOf, tagOf } from '../base/views.js';
import { isSentencePiece } from './foreign.js';

/** Files of JSON, ranks, SentencePiece and BERT. Llama 3's rank files are named like SentencePiece models. */
const COMPILED = /\.(?:json|tiktoken|model(?:\.v\d\w*)?)$|(?:^|[./\\])vocab\.txt$/i;

/** Whether a file must be compiled, by its name. */
export function isCompiledLocation(location: string): boolean {
  return COMPILED.test(location);
}

/**
 * Whether a source must be compiled: by its name, or because its bytes begin like JSON or a SentencePiece model. No
 * cartridge's do.
 */
export function isCompiledSource(source: unknown): boolean {
  if (typeof source === 'string') return isCompiledLocation(source);
  if (source instanceof URL || tagOf(source) === 'URL') return isCompiledLocation((source as URL).pathname);
  const bytes = bytesOf(source, 'source');
  return bytes !== undefined && isCompiledFile(bytes);
}

/** Whether a file must be compiled, by its bytes alone. */
export function isCompiledFile(bytes: Uint8Array): boolean {
  return isJson(bytes) || isSentencePiece(bytes);
}

/** Whether bytes begin like a JSON object: with a brace, after white space or a byte order mark. */
export function isJson(bytes: Uint8Array): boolean {
  const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  for (let at = hasMark ? 3 : 0; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    if (byte !== 0x20 && (byte < 9 || byte > 13)) return byte === 0x7b;
  }
  return false;
}

/** Throws a TokenizerError for sources that must be compiled, which takes too long for a synchronous call. */
export function refuseCompiled(source: unknown): void {
  if (!isCompiledSource(source)) return;
  const message =
    'cannot load JSON, ranks or a .model with loadSync: await Tokenizer.load() compiles a tokenizer.json, tekken.json, .tiktoken or .model, ' +
    'and so does compileCartridge';
  throw new TokenizerError(message, { code: 'NOT_A_CARTRIDGE' });
}
