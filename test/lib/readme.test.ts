// Checks the documents: every link resolves, their lists are complete, and reports of benchmarks say what they are of.

import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { REPOSITORY, SITE } from '../../scripts/docs-pages.mjs';
import { pagesOf } from '../examples/pages.js';

const project = fileURLToPath(new URL('../../', import.meta.url));
const read = (file: string) => fs.readFileSync(path.join(project, file), 'utf8');
const manifest = (folder: string) => JSON.parse(read(path.join(folder, 'package.json')));

/** The inline code of a document. */
const codeIn = (file: string) => new Set(Array.from(read(file).matchAll(/`([^`\n]+)`/g), ([, text]) => text!));
const contributing = codeIn('CONTRIBUTING.md');

const REPORTS = fs.readdirSync(path.join(project, 'bench/results')).filter((name) => name.endsWith('.md'));
const ROOMS = ['native', 'gpu', ...fs.readdirSync(path.join(project, 'lib')).map((room) => `lib/${room}`)].map(
  (folder) => `${folder}/README.md`,
);
const DOCUMENTS = [
  ...[
    'README.md',
    'CONTRIBUTING.md',
    'SECURITY.md',
    'CHANGELOG.md',
    'ARCHITECTURE.md',
    'RECIPES.md',
    'cartridges/FORMAT.md',
    'bench/README.md',
  ],
  ...ROOMS.filter((file) => fs.existsSync(path.join(project, file))),
];

describe.each([...DOCUMENTS, ...pagesOf(project), ...REPORTS.map((name) => `bench/results/${name}`)])('links in %s', (file) => {
  it('resolve', () => {
    expect(linksIn(file).filter((link) => !leads(link, file))).toEqual([]);
  });
});

it('a dead link is noticed', () => {
  expect(linksIn('README.md').length).toBeGreaterThan(10);
  const dead = [
    'NOWHERE.md',
    '#nowhere',
    'ARCHITECTURE.md#nowhere',
    `${SITE}guide/nowhere.html`,
    `${SITE}guide/start.html#nowhere`,
    `${REPOSITORY}/blob/main/NOWHERE.md`,
  ];
  expect(dead.filter((link) => leads(link, 'README.md'))).toEqual([]);
});

/** Targets of links outside code. */
function linksIn(file: string): string[] {
  const text = read(file).replace(/^```[\s\S]*?^```$/gm, '');
  return Array.from(text.matchAll(/\]\(([^()\s]+)\)|^ +link: (\S+)$/gm), ([, inline, front]) => (inline ?? front)!);
}

/** Links into the site and into the repository on GitHub are resolved here. */
function leads(link: string, file: string): boolean {
  const [target, anchor] = link.split('#') as [string, string?];
  if (target.startsWith(SITE) || target.startsWith('/')) {
    const page = target
      .replace(SITE, '')
      .replace(/^\//, '')
      .replace(/(?:\.html)?$/, '');
    return page === '' || page === 'api/' || page === 'playground/' || hasAnchor(`docs/${page}.md`, anchor);
  }
  const [, inRepository] = target.split(`${REPOSITORY}/blob/main/`);
  if (inRepository !== undefined) return hasAnchor(inRepository, anchor);
  if (/^[a-z]+:/.test(target)) return true;
  return hasAnchor(target === '' ? file : path.posix.join(path.posix.dirname(file), target), anchor);
}

function hasAnchor(file: string, anchor: string | undefined): boolean {
  if (!fs.existsSync(path.join(project, file))) return false;
  if (anchor === undefined) return true;
  const headings = Array.from(read(file).matchAll(/^#+ (.*)$/gm), ([, heading]) => heading!);
  // As GitHub and the site name them, which differs for some headings.
  const onGitHub = (heading: string) =>
    heading
      .toLowerCase()
      .replace(/[^\w -]/g, '')
      .replaceAll(' ', '-');
  const inSite = (heading: string) =>
    heading
      .toLowerCase()
      .replace(/[^\w]+/g, '-')
      .replace(/^-|-$/g, '');
  return headings.some((heading) => onGitHub(heading) === anchor && inSite(heading) === anchor);
}

it('a report of a benchmark has the name of its question, and says when, where and of which commit it is', () => {
  expect(REPORTS.length).toBeGreaterThan(10);
  expect(
    REPORTS.filter((name) => /\d{4}-\d\d/.test(name) || !/^# .+\n\n\d{4}-\d\d-\d\d; .+; commit \w+/.test(read(`bench/results/${name}`))),
  ).toEqual([]);
});

it('README fits a page, and names the two commands for a clone', () => {
  expect(read('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(160);
  for (const command of ['    npm start ', '    npm test ']) expect(read('README.md')).toContain(command);
});

it('CONTRIBUTING names every dependency', () => {
  const { workspaces } = manifest('.') as { workspaces: string[] };
  const names = ['.', ...workspaces].flatMap((folder) => {
    const { dependencies = {}, devDependencies = {} } = manifest(folder);
    return Object.keys({ ...dependencies, ...devDependencies });
  });
  expect(names.length).toBeGreaterThan(10);
  expect(names.filter((name) => !contributing.has(name) && !contributing.has(name.replace(/\/.*/, '/*')))).toEqual([]);
});

it('CONTRIBUTING names every script of the developer loop', () => {
  const scripts = Object.keys(manifest('.').scripts).filter((name) => !['start', 'test'].includes(name));
  expect(scripts.filter((name) => !contributing.has(`npm run ${name}`))).toEqual([]);
});

it('CONTRIBUTING names every tier of the tests', () => {
  const { stderr } = spawnSync(process.execPath, [path.join(project, 'scripts', 'test.mjs'), 'none'], { encoding: 'utf8' });
  const tiers = stderr.split('there are:')[1]!.trim().split(', ');
  expect(tiers.length).toBeGreaterThan(5);
  expect(tiers.filter((name) => !contributing.has(name))).toEqual([]);
});

it('the guide to vocabularies names every encoding', async () => {
  const code = codeIn('docs/guide/vocabularies.md');
  const { ENCODINGS } = await import('../../dist/node/internals.js');
  expect(Object.keys(ENCODINGS).filter((name) => !code.has(name))).toEqual([]);
});

it('the guide to the command line names every command', () => {
  const { stdout } = spawnSync(process.execPath, [path.join(project, 'dist', 'node', 'cli.js'), '--help'], { encoding: 'utf8' });
  const commands = Array.from(stdout.matchAll(/^ {2}([a-z]+)(?= )/gm), ([, name]) => name!).filter((name) => name !== 'help');
  expect(commands.length).toBeGreaterThan(5);
  expect(commands.filter((name) => !read('docs/guide/cli.md').includes(`    crayon ${name} `))).toEqual([]);
});

it('the guide to errors names every code', () => {
  const codes = Array.from(read('native/include/crayon/status.def').matchAll(/^CRAYON_STATUS\((\w+),/gm), ([, code]) => code!);
  expect(codes.length).toBeGreaterThan(30);
  const named = codeIn('docs/guide/errors.md');
  expect(codes.filter((code) => !named.has(code))).toEqual([]);
});

it('the guide to errors has a row for every code of datasets, and for no other', () => {
  const [, type] = /type DatasetErrorCode =([^;]+);/.exec(read('lib/datasets/dataset-error.ts'))!;
  const codes = Array.from(type!.matchAll(/'(\w+)'/g), ([, code]) => code!);
  expect(codes.length).toBeGreaterThan(10);
  const [, section] = /^### Datasets$([^]+?)^`OK`/m.exec(read('docs/guide/errors.md'))!;
  expect(Array.from(section!.matchAll(/^\| `(\w+)` \|/gm), ([, code]) => code!).sort()).toEqual(codes.sort());
});
