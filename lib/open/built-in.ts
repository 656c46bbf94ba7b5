// The cartridges that come with the package. Those of vocabularies that few programs use are slim: opening one makes it full in
// memory, which takes 20 to 150 ms of every process. So one that a process keeps open is made full once, into the user's cache, from
// where it is mapped as the others are.

import { closeSync, constants, existsSync, openSync, readSync } from 'node:fs';
import { access } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { packageFolder } from './package-files.js';
import { cacheFolder, forget, isCached, keep, makeFolder } from './user-cache.js';

/** Milliseconds that a process lives before it makes a cartridge full: a command has ended by then. */
const LATER = 1000;
/** Where the checksum is, in a header of that length (cartridges/FORMAT.md §2). */
const CHECKSUM = 24;
const HEADER = 64;

/** A slim cartridge of the package. */
export interface SlimCartridge {
  path: string;
  /** Where it is kept full. */
  full: string;
}

/** The folder of the cartridges that come with the package. */
export function cartridgeFolder(): string {
  return join(packageFolder(), 'cartridges');
}

/**
 * The path of a cartridge of the package, by its name: full, slim, or in the user's cache. `slim`: if it is not full in the
 * package, and may be kept so.
 */
export function builtIn(name: string): { source: string; slim?: SlimCartridge } {
  const source = join(cartridgeFolder(), `${name}.cray`);
  const path = join(cartridgeFolder(), `${name}.slim.cray`);
  if (existsSync(source) || !existsSync(path)) return { source };
  const folder = cacheFolder();
  if (folder === undefined) return { source: path };
  const slim = { path, full: join(folder, `${name}-${checksumOf(path)}.cray`) };
  return { source: isCached(slim.full) ? slim.full : path, slim };
}

/** Which file it is: releases of the package have their own. */
function checksumOf(path: string): string {
  const header = Buffer.alloc(HEADER);
  const file = openSync(path, 'r');
  try {
    readSync(file, header, 0, HEADER, 0);
  } finally {
    closeSync(file);
  }
  return header.readBigUInt64LE(CHECKSUM).toString(16).padStart(16, '0');
}

/** Cartridges that this thread makes full, or has tried to. */
const begun = new Set<string>();

/** Makes a slim cartridge that has been opened full, some time later, where that can be kept. `expand`: its bytes. */
export function keepFullLater({ path, full }: SlimCartridge, expand: (path: string) => Promise<Uint8Array>): void {
  if (begun.has(full)) return;
  begun.add(full);
  setTimeout(() => void keepFull(path, full, expand), LATER).unref();
}

async function keepFull(path: string, full: string, expand: (path: string) => Promise<Uint8Array>): Promise<void> {
  try {
    const folder = dirname(full);
    await makeFolder(folder);
    await access(folder, constants.W_OK);
    if (!isCached(full)) await keep(await expand(path), full);
  } catch {
    // The system does not let it: every process opens the slim one.
  }
}

/** What to open in place of a file in the cache that cannot be opened, which is removed; undefined for another source. */
export function inPlaceOfKept(source: unknown, slim: SlimCartridge | undefined): string | undefined {
  if (!slim || source !== slim.full) return undefined;
  void forget(slim.full);
  return slim.path;
}
