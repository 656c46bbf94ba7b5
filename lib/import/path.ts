// Which path a tokenizer.json takes: the one place that decides.
//
// The fast path gives the ids of the reference for what its importer (tokenizer-json.ts) accepts. All other files take the general
// path, which is right for every file that the reference opens; what that refuses is refused with the JSON path (general.ts).

import { TokenizerError } from '../base/errors.js';

/** Whether tests force the general path for every file. */
export function isGeneralForced(): boolean {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  return process?.env?.CRAYON_FORCE_PATH === 'general';
}

/** Whether a file that the fast path refuses with this error may take the general path. */
export function mayTakeGeneralPath(error: unknown): boolean {
  return error instanceof TokenizerError && !['OUT_OF_MEMORY', 'CANCELLED'].includes(error.code);
}
