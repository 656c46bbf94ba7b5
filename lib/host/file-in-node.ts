// `#file-host` in Node: for drop-ins that open and write a tokenizer.json at once. In pages the bundler uses file-in-page.ts instead.

import { readFileSync, writeFileSync } from 'node:fs';

export { Tokenizer } from '../index.js';
export { importedNow } from './importing-in-node.js';

export function readText(path: string): string {
  return readFileSync(path, 'utf8');
}

export function writeText(path: string, text: string): void {
  writeFileSync(path, text);
}
