// `crayon cache`: the cartridges that this machine has compiled and keeps, in the user's cache.

import { rm } from 'node:fs/promises';
import { basename, join } from 'node:path';

import { Tokenizer } from '../index.js';
import { cacheFolder } from '../io/cache-folder.js';
import { forget, type KeptFile, keptFiles, MOST_KEPT } from '../vocabularies/open/user-cache.js';
import { InputError } from './command-errors.js';
import { counted, inBytes } from './output/fields.js';
import { write } from './output/terminal.js';

/** `list`: with a line for each cartridge. */
export async function showCache({ list, json }: { list: boolean; json: boolean }): Promise<void> {
  const folder = folderHere();
  const files = await keptFiles(folder);
  const sum = bytesOf(files);
  if (json) {
    const cartridges = list ? files.map((file) => ({ ...about(file), path: file.path })) : undefined;
    await write(`${JSON.stringify({ folder, count: files.length, bytes: sum, limit: MOST_KEPT, cartridges })}\n`);
    return;
  }
  const lines = list
    ? files.map(about).map(({ used, bytes, name }) => `${used.slice(0, 10)}  ${inBytes(bytes).padStart(9)}  ${name}\n`)
    : [];
  await write(`${lines.join('')}${folder}: ${counted(files.length, 'cartridge')}, ${inBytes(sum)} of at most ${inBytes(MOST_KEPT)}\n`);
}

/** Removes them, and the command's compiled code. Processes that have one open keep it. */
export async function clearCache({ json }: { json: boolean }): Promise<void> {
  const folder = folderHere();
  const files = await keptFiles(folder);
  for (const { path } of files) await forget(path);
  await rm(join(folder, 'compiled-code'), { recursive: true, force: true });
  const bytes = bytesOf(files);
  const inWords = `${folder}: removed ${counted(files.length, 'cartridge')}, ${inBytes(bytes)}`;
  await write(`${json ? JSON.stringify({ folder, count: files.length, bytes }) : inWords}\n`);
}

function folderHere(): string {
  const folder = cacheFolder();
  if (folder === undefined) throw new InputError('there is no cache, as CRAYON_CACHE_DIR is empty');
  return folder;
}

function bytesOf(files: readonly KeptFile[]): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}

function about({ path, bytes, used, isWhole }: KeptFile): { name: string; bytes: number; used: string } {
  return { name: isWhole ? nameIn(path) : `${basename(path)} (not written to its end)`, bytes, used: new Date(used).toISOString() };
}

/** The vocabulary's name, which says more than the file's. */
function nameIn(path: string): string {
  try {
    using tokenizer = Tokenizer.loadSync(path);
    return tokenizer.name;
  } catch {
    return `${basename(path)} (damaged)`;
  }
}
