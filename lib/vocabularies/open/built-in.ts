// The package's cartridges. Rarely used vocabularies are slim: opening one expands it in memory, which takes every process some
// 20 ms. So if a process keeps one open, it expands it once into the user's cache, from where it is mapped like the others.

import { constants, existsSync } from 'node:fs';
import { access } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { checksumOf, forget, keep, keptFile, makeFolder } from './user-cache.js';
import { cacheFolder } from '../../io/cache-folder.js';
import { packageFolder } from './package-files.js';

/** How long a process must live, in milliseconds, before it expands a cartridge: commands have ended by then. */
const LATER = 1000;

/** A slim cartridge in the package. */
export interface SlimCartridge {
  path: string;
  /** The entry of the expanded cartridge in the cache. */
  full: string;
}

/** The folder of the package's cartridges. */
export function cartridgeFolder(): string {
  return join(packageFolder(), 'cartridges');
}

/**
 * The path of a package cartridge by name: full, slim, or in the user's cache. `slim` is set if the package has only the
 * slim one and it may be cached expanded.
 */
export function builtIn(name: string): { source: string; slim?: SlimCartridge } {
  const source = join(cartridgeFolder(), `${name}.cray`);
  const path = join(cartridgeFolder(), `${name}.slim.cray`);
  if (existsSync(source) || !existsSync(path)) return { source };
  const folder = cacheFolder();
  if (folder === undefined) return { source: path };
  // Releases of the package have different ones.
  const slim = { path, full: join(folder, `${name}-${checksumOf(path)}`) };
  return { source: keptFile(slim.full) ?? path, slim };
}

/** Cartridges that this thread is expanding, or has tried to. */
const expanding = new Set<string>();

/** Expands an opened slim cartridge into the cache, a little later, if the cache is usable. `expand`: returns its bytes. */
export function keepFullLater({ path, full }: SlimCartridge, expand: (path: string) => Promise<Uint8Array>): void {
  if (expanding.has(full)) return;
  expanding.add(full);
  setTimeout(() => void keepFull(path, full, expand), LATER).unref();
}

async function keepFull(path: string, full: string, expand: (path: string) => Promise<Uint8Array>): Promise<void> {
  try {
    const folder = dirname(full);
    await makeFolder(folder);
    await access(folder, constants.W_OK);
    if (keptFile(full) === undefined) await keep(await expand(path), full);
  } catch {
    // Not possible on this system: every process opens the slim one.
  }
}

/** The replacement for a cached file that cannot be opened, which is removed; undefined for other sources. */
export function inPlaceOfKept(source: unknown, slim: SlimCartridge | undefined): string | undefined {
  if (!slim || typeof source !== 'string' || source === slim.path) return undefined;
  void forget(source);
  return slim.path;
}
