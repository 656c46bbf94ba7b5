// `#file-host` in pages, which have no files.

import type { Vocabulary } from '../vocabulary/vocabulary.js';

export { Tokenizer } from '../browser.js';

/** Pages of this drop-in do not have the module that compiles at once. */
export const importedNow: ((json: string) => Vocabulary) | undefined = undefined;

export function readText(path: string): string {
  throw new Error(`cannot read ${path}: pages have no files; fetch its text and pass it to Tokenizer.fromString()`);
}

export function writeText(path: string): void {
  throw new Error(`cannot write ${path}: pages have no files; take the text of Tokenizer.toString()`);
}
