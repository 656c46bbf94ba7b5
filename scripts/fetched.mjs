/**
 * Programs and libraries of npm and PyPI that only tests need, kept in build/smoke/hosts; and what it means that one is missing.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { npm } from './npm.mjs';
import { root, run } from './process.mjs';

export const home = path.join(root, 'build', 'smoke');

/** A host cannot be had here. */
export class Missing extends Error {}

export function within(cwd, command, args) {
  run(command, args, { cwd, quiet: true });
}

/** A package of npm, whatever platform it is for: its folder. */
export function fetched(spec) {
  const folder = path.join(home, 'hosts', spec.replace(/^@/, '').replaceAll('/', '-'));
  if (fs.existsSync(path.join(folder, 'complete'))) return path.join(folder, 'package');
  fs.rmSync(folder, { recursive: true, force: true });
  fs.mkdirSync(folder, { recursive: true });
  const packed = spawnSync('npm', ['pack', '--silent', '--pack-destination', folder, spec], { cwd: root, encoding: 'utf8' });
  if (packed.status !== 0) throw new Missing(`${spec} of npm`);
  const tarball = fs.readdirSync(folder).find((file) => file.endsWith('.tgz'));
  within(folder, 'tar', ['-xzf', tarball]);
  fs.rmSync(path.join(folder, tarball));
  fs.writeFileSync(path.join(folder, 'complete'), '');
  return path.join(folder, 'package');
}

/** A wheel of PyPI for Alpine, unpacked: its folder. */
export function wheel(spec, platform, python) {
  const folder = path.join(home, 'hosts', `${spec}-${platform}`);
  if (fs.existsSync(path.join(folder, 'complete'))) return folder;
  fs.rmSync(folder, { recursive: true, force: true });
  fs.mkdirSync(folder, { recursive: true });
  const args = ['-m', 'pip', 'download', '--quiet', '--no-deps', '--only-binary', ':all:', '--platform', platform];
  const { status } = spawnSync('python3', [...args, '--python-version', python, '--dest', folder, spec]);
  if (status !== 0) throw new Missing(`${spec} of PyPI`);
  const file = fs.readdirSync(folder).find((name) => name.endsWith('.whl'));
  within(folder, 'python3', ['-m', 'zipfile', '-e', file, '.']);
  fs.rmSync(path.join(folder, file));
  fs.writeFileSync(path.join(folder, 'complete'), '');
  return folder;
}

/** Packages of npm with what they depend on, in a folder that is named after them: the folder. @param {string[]} specs */
export function installedFrom(specs) {
  const folder = path.join(home, 'hosts', `${specs.join('+').replaceAll('/', '-')}-installed`);
  if (fs.existsSync(path.join(folder, 'complete'))) return folder;
  fs.rmSync(folder, { recursive: true, force: true });
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(folder, 'package.json'), '{ "private": true }\n');
  try {
    npm(['install', '--no-audit', '--no-fund', '--ignore-scripts', ...specs], { cwd: folder });
  } catch {
    throw new Missing(`${specs.join(', ')} of npm`);
  }
  fs.writeFileSync(path.join(folder, 'complete'), '');
  return folder;
}
