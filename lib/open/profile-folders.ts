// Where vocabularies are looked for by name, behind those of the package: the folders that CRAYON has published.

import { homedir } from 'node:os';
import { join } from 'node:path';

/** The folders in their order: `CRAYON_PROFILE_DIR`, the user's cache, and on Linux the system's. */
export function profileFolders(): string[] {
  const folders = [process.env.CRAYON_PROFILE_DIR, userCache(), process.platform === 'linux' && '/var/cache/crayon'];
  return folders.filter((folder) => typeof folder === 'string' && folder !== '') as string[];
}

/** Undefined for a user who has no home. */
function userCache(): string | undefined {
  try {
    return join(homedir(), '.cache', 'xerv', 'crayon', 'profiles');
  } catch {
    return undefined;
  }
}
