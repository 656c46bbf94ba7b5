// Locates the cached cartridge of a vocabulary file that `load` compiles: from the second time on, a file is only read and
// hashed.

import { createHash, webcrypto } from 'node:crypto';
import { join } from 'node:path';

import { forcedPath } from './path.js';
import { cacheFolder } from '../open/cache-folder.js';

/** Changes whenever the same source would give a different cartridge: with the format or the importer. */
const MADE_AS = '3.7 import 7';

/** The entry in the cache for a source; undefined if caching is off. `options`: what else the cartridge depends on. */
export async function cacheEntry(source: Uint8Array, options: object): Promise<string | undefined> {
  const folder = cacheFolder();
  if (folder === undefined) return undefined;
  // Hashed on another thread: a large file takes a while.
  const content = await hashOf(source);
  const name = await hashOf(new TextEncoder().encode(keyOf(options, content)));
  return join(folder, name);
}

/** The same without waiting. */
export function cacheEntryNow(source: string, options: object): string | undefined {
  const folder = cacheFolder();
  if (folder === undefined) return undefined;
  const hash = (text: string) => createHash('sha256').update(text).digest('hex');
  return join(folder, hash(keyOf(options, hash(source))));
}

function keyOf(options: object, content: string): string {
  return `${MADE_AS}${forcedPath() ?? ''}\0${JSON.stringify(options)}\0${content}`;
}

async function hashOf(bytes: Uint8Array): Promise<string> {
  return Buffer.from(await webcrypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>)).toString('hex');
}
