// Where the user's cache is: alone in a file, of which the start of the command has a copy (scripts/bundle.mjs).

import { homedir } from 'node:os';
import { join } from 'node:path';

import { unlessDenied } from '../base/environment.js';

/** The folder: CRAYON_CACHE_DIR, or the system's. Undefined if that is empty, or if the host does not tell it: nothing is kept. */
export function cacheFolder(): string | undefined {
  return unlessDenied(namedFolder);
}

function namedFolder(): string | undefined {
  const { CRAYON_CACHE_DIR: named, XDG_CACHE_HOME, LOCALAPPDATA } = process.env;
  if (named !== undefined) return named === '' ? undefined : named;
  if (process.platform === 'win32') return LOCALAPPDATA && join(LOCALAPPDATA, 'crayon-tokenizer', 'cache');
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Caches', 'crayon-tokenizer');
  return join(XDG_CACHE_HOME || join(homedir(), '.cache'), 'crayon-tokenizer');
}
