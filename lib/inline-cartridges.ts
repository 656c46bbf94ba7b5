// The cartridges that modules of inline/ have brought with them.

import { bytesOfText } from './embedded-bytes.js';
import { TokenizerError } from './errors.js';
import { tooLargeForScripts } from './web-opening.js';

const texts = new Map<string, string>();

/** Makes a cartridge known by its name. */
export function addInlineCartridge(name: string, text: string): void {
  texts.set(name, text);
}

/** The bytes of a cartridge; throws for one whose module has not been imported. */
export function inlineCartridge(name: string): Uint8Array {
  const text = texts.get(name);
  if (text !== undefined) return bytesOfText(text);
  if (name === 'standard') throw tooLargeForScripts(name);
  const message = `no cartridge ${name} is in this script; import 'crayon-tokenizer/inline/${name}', which brings it`;
  throw new TokenizerError(message, { code: 'FILE_NOT_FOUND' });
}
