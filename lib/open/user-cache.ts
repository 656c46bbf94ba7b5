// The user's cache: cartridges made on this machine, each under a name that identifies everything it is made from. So an
// existing entry is always right and never changes; it appears complete, by a rename. Entries that cannot be written are not
// kept.

import { existsSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Whether a cartridge is cached. */
export function isCached(path: string | undefined): path is string {
  return path !== undefined && existsSync(path);
}

/** Keeps a cartridge, if possible. */
export async function keep(cartridge: Uint8Array, path: string): Promise<void> {
  // The file is new, whatever the name: another that writes it at the same time has the same one once in 2⁵² times.
  const temporary = `${path}.${process.pid}-${Math.random().toString(36).slice(2)}`;
  try {
    await makeFolder(dirname(path));
    await writeFile(temporary, cartridge, { flag: 'wx' });
    await rename(temporary, path);
  } catch {
    await rm(temporary, { force: true }).catch(() => undefined);
  }
}

/**
 * Creates a folder and its parents. Node's recursive `mkdir` never returns where the system claims that an existing parent of
 * the new folder is missing, as in /proc.
 */
export async function makeFolder(folder: string): Promise<void> {
  const around = dirname(folder);
  if (existsSync(folder)) return;
  if (around !== folder) await makeFolder(around);
  await mkdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error; // another process has created it
  });
}

/** Removes a cartridge that cannot be opened. */
export async function forget(path: string): Promise<void> {
  await rm(path, { force: true }).catch(() => undefined);
}
