// Installs the package as a user gets it: packed, and unpacked into the node_modules of some other folder.

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const project = fileURLToPath(new URL('../..', import.meta.url));

/** What npm says of a package that it packed. */
export interface Packed {
  filename: string;
  size: number;
  files: { path: string }[];
}

/**
 * Packs the package and installs it below a folder, dependencies as links.
 * @returns npm's report, where the tarball is, and where the package was installed
 */
export function installInto(folder: string): { packed: Packed; tarball: string; installed: string } {
  const env = { ...process.env, CRAYON_ADDON: '' };
  const run = (command: string, args: string[], cwd: string) => execFileSync(command, args, { cwd, encoding: 'utf8', env });
  // Packing builds what is not there yet, which prints before the report.
  const printed = run('npm', ['pack', '--json', '--pack-destination', folder], project);
  const packed = (JSON.parse(printed.slice(printed.search(/^\[/m))) as Packed[])[0]!;
  const tarball = path.join(folder, packed.filename);
  const installed = path.join(folder, 'node_modules', 'crayon-tokenizer');
  fs.mkdirSync(installed, { recursive: true });
  run('tar', ['-xzf', tarball, '--strip-components=1', '-C', installed], folder);
  const manifest = JSON.parse(fs.readFileSync(path.join(installed, 'package.json'), 'utf8'));
  for (const name of Object.keys(manifest.dependencies ?? {})) {
    fs.symlinkSync(path.join(project, 'node_modules', name), path.join(folder, 'node_modules', name), 'junction');
  }
  return { packed, tarball, installed };
}
