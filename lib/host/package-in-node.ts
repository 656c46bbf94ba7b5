// `#package` of crayon-tokenizer/huggingface in Node: the whole package, since files are compiled, and files themselves.

import { readFileSync, writeFileSync } from 'node:fs';
import { Tokenizer } from '../index.js';
import type { Tokenizer as Engine } from '../tokenizer/tokenizer.js';

/** Compiles a tokenizer.json. */
export function load(bytes: Uint8Array): Promise<Engine> {
  return Tokenizer.load(bytes);
}

export function readText(path: string): string {
  return readFileSync(path, 'utf8');
}

export function writeText(path: string, text: string): void {
  writeFileSync(path, text);
}
