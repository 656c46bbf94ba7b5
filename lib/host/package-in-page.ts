// `#package` of crayon-tokenizer/huggingface in pages, which have no files.

import { Tokenizer } from '../browser.js';
import type { Tokenizer as Engine } from '../tokenizer/tokenizer.js';

/** Compiles a tokenizer.json. */
export function load(bytes: Uint8Array): Promise<Engine> {
  return Tokenizer.load(bytes);
}

export function readText(path: string): string {
  throw new Error(`cannot read ${path}: pages have no files; fetch its text and pass it to Tokenizer.fromString()`);
}

export function writeText(path: string): void {
  throw new Error(`cannot write ${path}: pages have no files; take the text of Tokenizer.toString()`);
}
