// Files that commands write.

import { existsSync, realpathSync, type Stats, statSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';

import { readRegularFileAsync, TOKEN_LIST } from '../open/regular-file.js';
import { InputError, reasonFor } from './streams.js';

/** Whether two paths name one file. */
export function isSameFile(a: string, b: string): boolean {
  const [one, other] = [statusOf(a), statusOf(b)];
  return one !== undefined && other !== undefined && one.dev === other.dev && one.ino === other.ino;
}

/** A file that is there already is replaced only if it is the list of a `.dat` that is replaced. */
export async function writeList(list: string, dat: string, text: string): Promise<void> {
  if (existsSync(list)) {
    if ((await readRegularFileAsync(list, TOKEN_LIST)).toString() === text) return;
    if (!existsSync(dat)) throw new InputError(`cannot write ${list}, the list of ${dat}: another file has that name`);
  }
  await writeWhole(list, text);
}

/**
 * Writes a file under its name only when it is whole, since other processes may have the old one mapped. What is no
 * file, a device or a pipe, is written to and never replaced.
 */
export async function writeWhole(file: string, content: Uint8Array | string): Promise<void> {
  const status = statusOf(file);
  try {
    if (status && !status.isFile()) {
      await writeFile(file, content);
      return;
    }
    const target = status ? realpathSync(file) : file; // a link stays a link
    const temporary = `${target}.${process.pid}.tmp`;
    try {
      await writeFile(temporary, content);
      await rename(temporary, target);
    } finally {
      await rm(temporary, { force: true });
    }
  } catch (error) {
    throw new InputError(`cannot write ${file}: ${reasonFor(error, { ENOENT: 'no such directory' })}`);
  }
}

function statusOf(file: string): Stats | undefined {
  try {
    return statSync(file);
  } catch {
    return undefined;
  }
}
