// The cartridges in imported modules of inline/.

import { bytesOfText, type EmbeddedBytes } from './embedded-bytes.js';
import { TokenizerError } from '../base/errors.js';
import { tooLargeForScripts } from './on-web.js';

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
