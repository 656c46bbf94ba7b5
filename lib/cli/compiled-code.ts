// What V8 compiles of the scripts, kept in the user's cache by the Node that can (22.1 and newer): commands start 10 ms sooner. Not in
// the folder for temporary files, which is Node's own choice: others may write there.

import { existsSync, mkdirSync } from 'node:fs';
import nodeModule from 'node:module';
import { dirname, join } from 'node:path';

import { cacheFolder } from '../io/cache-folder.js';

/** Keeps the code of the scripts that are loaded from now on, if possible. Node compares it with the scripts. */
export function keepCompiledCode(): void {
  const { enableCompileCache } = nodeModule as { enableCompileCache?: (folder: string) => unknown };
  const folder = enableCompileCache && cacheFolder();
  if (!folder) return;
  try {
    const code = join(folder, 'compiled-code');
    makeFolder(code);
    enableCompileCache(code);
  } catch {
    // Not possible on this system: every command compiles its scripts.
  }
}

/** Like makeFolder of the user's cache, which is a part of the engine's script. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  const around = dirname(folder);
  if (around !== folder) makeFolder(around);
  mkdirSync(folder);
}
