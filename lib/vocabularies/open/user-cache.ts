// The user's cache: cartridges made on this machine. An entry is a path that identifies everything the cartridge is made from; the
// name of its file has the cartridge's checksum besides, so that no other cartridge passes for it. A file appears complete, by a rename,
// and never changes. Cartridges that cannot be written are not kept.

import { closeSync, existsSync, openSync, readdirSync, readSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** The offset of the checksum, in a header of this length (cartridges/FORMAT.md §2). */
const CHECKSUM = 24;
const HEADER = 64;

/** The file of an entry, if there is one whose header is the one that was written. Whoever opens it checks the rest. */
export function keptFile(entry: string | undefined): string | undefined {
  if (entry === undefined) return undefined;
  try {
    const folder = dirname(entry);
    const name = readdirSync(folder).find((each) => each.startsWith(`${basename(entry)}-`) && each.endsWith('.cray'));
    const file = name && join(folder, name);
    return file && file === fileOf(entry, checksumOf(file)) ? file : undefined;
  } catch {
    return undefined; // there is no cache, or nobody may read it
  }
}

/** The checksum in the header of a cartridge: identifies its content. */
export function checksumOf(path: string): string {
  const header = Buffer.alloc(HEADER);
  const file = openSync(path, 'r');
  try {
    readSync(file, header, 0, HEADER, 0);
  } finally {
    closeSync(file);
  }
  return checksumIn(header);
}

function checksumIn(header: Buffer): string {
  return header.readBigUInt64LE(CHECKSUM).toString(16).padStart(16, '0');
}

function fileOf(entry: string, checksum: string): string {
  return `${entry}-${checksum}.cray`;
}

/** Keeps a cartridge as an entry, if possible. */
export async function keep(cartridge: Uint8Array, entry: string): Promise<void> {
  const path = fileOf(entry, checksumIn(Buffer.from(cartridge.buffer, cartridge.byteOffset, HEADER)));
  // Two processes that write the same entry at the same time choose the same name once in 2⁵² times.
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

/** Removes a file that cannot be opened. */
export async function forget(path: string): Promise<void> {
  await rm(path, { force: true }).catch(() => undefined);
}
