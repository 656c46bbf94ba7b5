// The user's cache: cartridges made on this machine. An entry is a path that identifies everything the cartridge is made from; the
// name of its file has the cartridge's checksum besides, so that no other cartridge passes for it. A file appears complete, by a rename,
// and never changes. Cartridges that cannot be written are not kept. Together they take 2 GB at most: those that nobody has used for the
// longest go, by the times that the file system keeps.

import { closeSync, existsSync, openSync, readdirSync, readSync, type Stats } from 'node:fs';
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
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

/** Bytes that all cartridges together may take. */
export const MOST_KEPT = 2 ** 31;
/** Milliseconds for which a file is in use: another process may be about to write or open it. */
const IN_USE = 10 * 60_000;
/** The names that `keep` gives, the second part while it writes. */
const KEPT = /^(?:[\da-f]{64}|\w+-[\da-f]{16})-[\da-f]{16}\.cray(\.\d+-\w+)?$/;

/** A file of the cache. */
export interface KeptFile {
  path: string;
  bytes: number;
  /** When it was last written or read, in milliseconds; file systems may be a day late. */
  used: number;
  isWhole: boolean;
}

/** The files in the cache, those used last first. */
export async function keptFiles(folder: string): Promise<KeptFile[]> {
  const files: KeptFile[] = [];
  for (const name of await readdir(folder).catch(() => [])) {
    const match = KEPT.exec(name);
    const path = join(folder, name);
    const about: Stats | undefined = match ? await stat(path).catch(() => undefined) : undefined; // another process has removed it
    if (about) files.push({ path, bytes: about.size, used: Math.max(about.atimeMs, about.mtimeMs), isWhole: match?.[1] === undefined });
  }
  return files.sort((one, other) => other.used - one.used);
}

/** Removes what is left of processes that ended while they wrote, and cartridges beyond the limit. */
async function trim(folder: string, limit: number): Promise<void> {
  let bytes = 0;
  for (const file of await keptFiles(folder)) {
    const mayGo = !file.isWhole || bytes + file.bytes > limit;
    if (mayGo && Date.now() - file.used > IN_USE) await forget(file.path);
    else bytes += file.bytes;
  }
}

/** Keeps a cartridge as an entry, if possible. `limit`: the bytes of all, which tests set. */
export async function keep(cartridge: Uint8Array, entry: string, limit = MOST_KEPT): Promise<void> {
  const path = fileOf(entry, checksumIn(Buffer.from(cartridge.buffer, cartridge.byteOffset, HEADER)));
  // Two processes that write the same entry at the same time choose the same name once in 2⁵² times.
  const temporary = `${path}.${process.pid}-${Math.random().toString(36).slice(2)}`;
  try {
    await makeFolder(dirname(path));
    await writeFile(temporary, cartridge, { flag: 'wx' });
    await rename(temporary, path);
    await trim(dirname(path), limit);
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
