// Which path a tokenizer.json takes: the one place that decides.
//
// The fast path gives the ids of the reference for what its importer (tokenizer-json.ts) accepts. All other files take the general
// path, which is right for every file that the reference opens; what that refuses is refused with the JSON path (general.ts).

import { TokenizerError } from '../base/errors.js';

/** Of tests: the path that all files take, whatever is right for them; `fast` refuses files. Undefined: the one that is right. */
export function forcedPath(): 'fast' | 'general' | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  const path = process?.env?.CRAYON_FORCE_PATH;
  return path === 'fast' || path === 'general' ? path : undefined;
}

/** Whether a file that the fast path refuses with this error takes the general path. */
export function takesGeneralPath(error: unknown): boolean {
  return forcedPath() !== 'fast' && error instanceof TokenizerError && !['OUT_OF_MEMORY', 'CANCELLED'].includes(error.code);
}
