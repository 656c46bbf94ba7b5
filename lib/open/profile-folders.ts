// Where vocabularies are looked up by name, after the package's own: the folders documented by CRAYON.

import { homedir } from 'node:os';
import { join } from 'node:path';

/** The folders in order: `CRAYON_PROFILE_DIR`, the user's cache, and on Linux the system's. */
export function profileFolders(): string[] {
  const folders = [process.env.CRAYON_PROFILE_DIR, userCache(), process.platform === 'linux' && '/var/cache/crayon'];
  return folders.filter((folder) => typeof folder === 'string' && folder !== '') as string[];
}

/** Undefined for a user without a home directory. */
function userCache(): string | undefined {
  try {
    return join(homedir(), '.cache', 'xerv', 'crayon', 'profiles');
  } catch {
    return undefined;
  }
}
