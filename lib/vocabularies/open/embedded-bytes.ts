// Bytes that a JavaScript module holds as strings: there is no file for a bundler to lose, and downloads compress as well
// as the bytes themselves. scripts/embed.mjs writes such modules.
//
// The strings are parts in order. The first character of a part is '=' for base64; otherwise it is a shift, and each
// following character is a byte plus that shift, modulo 256.

import { TokenizerError } from '../../base/errors.js';
import { tooLargeForScripts } from './sources-in-page.js';

/** The export of such a module. */
export type EmbeddedBytes = readonly string[];

export function bytesOfText(parts: EmbeddedBytes): Uint8Array {
  const texts = parts.map((part) => (part.startsWith('=') ? `\0${atob(part.slice(1))}` : part));
  const bytes = new Uint8Array(texts.reduce((sum, text) => sum + text.length - 1, 0));
  let at = 0;
  for (const text of texts) {
    const { length } = text;
    const shift = text.charCodeAt(0);
    for (let i = 1; i < length; i++) bytes[at++] = text.charCodeAt(i) - shift;
  }
  return bytes;
}

// The cartridges in imported modules of inline/.

const texts = new Map<string, EmbeddedBytes>();

/** Registers a cartridge under its name. */
export function addInlineCartridge(name: string, text: EmbeddedBytes): void {
  texts.set(name, text);
}

/** The bytes of a cartridge; throws if its module has not been imported. */
export function inlineCartridge(name: string): Uint8Array {
  const text = texts.get(name);
  if (text !== undefined) return bytesOfText(text);
  if (name === 'standard') throw tooLargeForScripts(name);
  const message = `the vocabulary ${name} is not in this script; import 'crayon-tokenizer/inline/${name}' to add it`;
  throw new TokenizerError(message, { code: 'FILE_NOT_FOUND' });
}
