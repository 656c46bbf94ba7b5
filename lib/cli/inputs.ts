// The arguments FILE: names, patterns and `-`. A pattern (quoted, or given by a shell that expands none) stands for the
// files that match it, in the order of their names; one that matches nothing stays as it is, and fails as a file would.

import { existsSync, statSync } from 'node:fs';
import { isAbsolute } from 'node:path';

/** The inputs that the arguments name; stdin if there are none. */
export async function inputsOf(files: readonly string[]): Promise<string[]> {
  if (files.length === 0) return ['-'];
  const inputs: string[] = [];
  for (const file of files) {
    // What exists is a file, whatever characters its name has.
    if (file === '-' || !/[*?[\]{}()]/.test(file) || existsSync(file)) inputs.push(file);
    else inputs.push(...(await matches(file)));
  }
  return inputs;
}

async function matches(pattern: string): Promise<string[]> {
  const { glob } = await import('tinyglobby');
  const slashed = process.platform === 'win32' ? pattern.replaceAll('\\', '/') : pattern;
  const found = await glob(slashed, { absolute: isAbsolute(pattern), expandDirectories: false });
  return found.length > 0 ? found.sort() : [pattern];
}

/** The size of a file in bytes; 0 if nobody can tell. */
export function sizeOf(file: string): number {
  try {
    return statSync(file).size;
  } catch {
    return 0;
  }
}
