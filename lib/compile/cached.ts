// Cartridges of vocabulary files that `load` compiles, kept in the user's cache: the second time, a file is only read and
// hashed. The name of a cartridge there has the hash of its source and all else that it is made from, so one that is there
// is never wrong, and never changed; it appears whole, by a rename. What cannot be written is not kept.

import { randomUUID, webcrypto } from 'node:crypto';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

/** Changes with what a cartridge of the same source would be: the format, and what the importer makes of a file. */
const MADE_AS = '3.7 import 6';

/** The folder: CRAYON_CACHE_DIR, or that of the system. Undefined if it is the empty string: nothing is kept. */
export function cacheFolder(): string | undefined {
  const { CRAYON_CACHE_DIR: named, XDG_CACHE_HOME, LOCALAPPDATA } = process.env;
  if (named !== undefined) return named === '' ? undefined : named;
  if (process.platform === 'win32') return LOCALAPPDATA && join(LOCALAPPDATA, 'crayon-tokenizer', 'cache');
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Caches', 'crayon-tokenizer');
  return join(XDG_CACHE_HOME || join(homedir(), '.cache'), 'crayon-tokenizer');
}

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

/** Whether a cartridge is there. */
export function isCached(path: string | undefined): path is string {
  return path !== undefined && existsSync(path);
}

/** Keeps a cartridge, if that is possible. */
export async function keep(cartridge: Uint8Array, path: string): Promise<void> {
  const temporary = `${path}.${randomUUID()}`;
  try {
    await makeFolder(dirname(path));
    await writeFile(temporary, cartridge, { flag: 'wx' });
    await rename(temporary, path);
  } catch {
    await rm(temporary, { force: true }).catch(() => undefined);
  }
}

/**
 * A folder and those around it. `mkdir` of Node with `recursive` never ends where the system says of a new folder that the one
 * around it, which is there, is not: in /proc.
 */
async function makeFolder(folder: string): Promise<void> {
  const around = dirname(folder);
  if (existsSync(folder)) return;
  if (around !== folder) await makeFolder(around);
  await mkdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error; // another process has made it
  });
}

/** Removes one that cannot be opened. */
export async function forget(path: string): Promise<void> {
  await rm(path, { force: true }).catch(() => undefined);
}
