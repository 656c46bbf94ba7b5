// What README.md and ARCHITECTURE.md name is there, and what there is of each kind is named.

import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const project = fileURLToPath(new URL('../../', import.meta.url));
const read = (file: string) => fs.readFileSync(path.join(project, file), 'utf8');
const manifest = (folder: string) => JSON.parse(read(path.join(folder, 'package.json')));
const readme = read('README.md');

/** What stands in the README as code. */
const code = new Set(Array.from(readme.matchAll(/`([^`\n]+)`/g), ([, text]) => text!));

describe.each(['README.md', 'ARCHITECTURE.md'])('a link in %s', (file) => {
  const links = Array.from(read(file).matchAll(/\]\(([^)]+)\)/g), ([, target]) => target!).filter((target) => !/^https?:/.test(target));

  it.each(links)('%s leads somewhere', (link) => {
    const [target, anchor] = link.split('#');
    expect(fs.existsSync(path.join(project, target || file)), target).toBe(true);
    if (anchor === undefined) return;
    const headings = Array.from(read(target || file).matchAll(/^#+ (.*)$/gm), ([, heading]) => heading!);
    expect(headings.map((heading) => heading.toLowerCase().replace(/[^\w -]/g, '').replaceAll(' ', '-'))).toContain(anchor);
  });
});

it('names every dependency', () => {
  const { workspaces } = manifest('.') as { workspaces: string[] };
  const names = ['.', ...workspaces].flatMap((folder) => {
    const { dependencies = {}, devDependencies = {} } = manifest(folder);
    return Object.keys({ ...dependencies, ...devDependencies });
  });
  expect(names.length).toBeGreaterThan(10);
  expect(names.filter((name) => !code.has(name) && !code.has(name.replace(/\/.*/, '/*')))).toEqual([]);
});

it('names every script of the developer loop', () => {
  const scripts = Object.keys(manifest('.').scripts).filter((name) => !['start', 'test', 'prepack', 'bench:compare'].includes(name));
  expect(scripts.filter((name) => !code.has(`npm run ${name}`))).toEqual([]);
});

it('names every tier of the tests', () => {
  const { stderr } = spawnSync(process.execPath, [path.join(project, 'scripts', 'test.mjs'), 'none'], { encoding: 'utf8' });
  const tiers = stderr.split('there are:')[1]!.trim().split(', ');
  expect(tiers.length).toBeGreaterThan(5);
  expect(tiers.filter((name) => !code.has(name))).toEqual([]);
});

it('names every encoding', async () => {
  const { ENCODINGS } = await import('../../dist/node/internals.js');
  expect(Object.keys(ENCODINGS).filter((name) => !code.has(name))).toEqual([]);
});

it('names every command', () => {
  const { stdout } = spawnSync(process.execPath, [path.join(project, 'dist', 'node', 'cli.js'), '--help'], { encoding: 'utf8' });
  const commands = Array.from(stdout.matchAll(/^ {2}([a-z]+)(?= )/gm), ([, name]) => name!).filter((name) => name !== 'help');
  expect(commands.length).toBeGreaterThan(5);
  expect(commands.filter((name) => !readme.includes(`    crayon ${name} `))).toEqual([]);
});
