// Which cartridge in the user's cache is that of a vocabulary file that `load` compiles: the second time, a file is only read and
// hashed.

import { webcrypto } from 'node:crypto';
import { join } from 'node:path';

import { cacheFolder } from '../open/user-cache.js';

/** Changes with what a cartridge of the same source would be: the format, and what the importer makes of a file. */
const MADE_AS = '3.7 import 6';

/** Where the cartridge of a source is kept; undefined if none is. `options`: what else it is made from. */
export async function cachePath(source: Uint8Array, options: object): Promise<string | undefined> {
  const folder = cacheFolder();
  if (folder === undefined) return undefined;
  // Another thread hashes it: that of a large file takes a while.
  const content = await hashOf(source);
  const name = await hashOf(new TextEncoder().encode(`${MADE_AS}\0${JSON.stringify(options)}\0${content}`));
  return join(folder, `${name}.cray`);
}

async function hashOf(bytes: Uint8Array): Promise<string> {
  return Buffer.from(await webcrypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>)).toString('hex');
}
