// Installs the package as a user gets it: packed, then unpacked into the node_modules of another folder.

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const project = fileURLToPath(new URL('../..', import.meta.url));

/** The package, packed and installed. */
export interface Installed {
  tarball: string;
  /** Where the package was installed. */
  installed: string;
  /** Paths of its files. */
  files: string[];
}

/** Packs the package, unless CRAYON_TEST_PACKED names a tarball. */
function pack(folder: string): string {
  const packed = process.env.CRAYON_TEST_PACKED;
  if (packed) return packed;
  const env = { ...process.env, CRAYON_ADDON: '' };
  const script = path.join(project, 'scripts', 'pack.mjs');
  const printed = execFileSync(process.execPath, [script, '--destination', folder], { cwd: project, encoding: 'utf8', env });
  return printed.trimEnd().split('\n').at(-1) as string;
}

/** Installs the packed package below a folder. It has no dependencies. */
export function installInto(folder: string): Installed {
  const tarball = pack(folder);
  const installed = path.join(folder, 'node_modules', 'crayon-tokenizer');
  fs.mkdirSync(installed, { recursive: true });
  execFileSync('tar', ['-xzf', tarball, '--strip-components=1', '-C', installed]);
  const files = fs
    .readdirSync(installed, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(installed, path.join(entry.parentPath, entry.name)).split(path.sep).join('/'));
  return { tarball, installed, files };
}
