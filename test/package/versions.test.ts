// The next version, computed from the files in changes.

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { applyChanges, nextVersion, readChanges } from '../../scripts/versions.mjs';
import { project } from './install.js';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'crayon-versions-'));
const changes = path.join(folder, 'changes');
const write = (name: string, text: string) => fs.writeFileSync(path.join(folder, name), text);
const read = (name: string) => fs.readFileSync(path.join(folder, name), 'utf8');
const change = (kind: string, text: string) => `---\n"crayon-tokenizer": ${kind}\n---\n\n${text}\n`;

beforeEach(() => {
  fs.rmSync(folder, { recursive: true, force: true });
  fs.mkdirSync(changes, { recursive: true });
  for (const name of ['package.json', 'package-lock.json']) fs.copyFileSync(path.join(project, name), path.join(folder, name));
});
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

it.each([
  ['1.2.3', [], '1.2.3'],
  ['1.2.3', ['patch', 'patch'], '1.2.4'],
  ['1.2.3', ['patch', 'minor'], '1.3.0'],
  ['1.2.3', ['major', 'minor'], '2.0.0'],
  ['0.1.4', ['major'], '0.2.0'],
])('after %s with %j it is %s', (version, kinds, next) => {
  expect(
    nextVersion(
      version,
      kinds.map((kind) => ({ file: '', kind, text: '' })),
    ),
  ).toBe(next);
});

it('is written to its files, with the changelog, and the change files are removed', () => {
  const { version } = JSON.parse(read('package.json'));
  write('changes/b.md', change('patch', 'Faster.'));
  write('changes/a.md', change('minor', 'New:\n\nwords.'));
  const next = applyChanges(folder);
  expect(next).toBe(nextVersion(version, [{ file: '', kind: 'minor', text: '' }]));
  expect(JSON.parse(read('package.json')).version).toBe(next);
  const lock = JSON.parse(read('package-lock.json'));
  expect([lock.version, lock.packages[''].version]).toEqual([next, next]);
  expect(read('CHANGELOG.md')).toBe(`# Changes\n\n## ${next}\n\n* New:\n\n  words.\n* Faster.\n`);
  expect(fs.readdirSync(changes)).toEqual([]);
  write('changes/c.md', change('patch', 'More.'));
  expect(read('CHANGELOG.md')).toContain(`## ${next}`);
  expect(applyChanges(folder)).not.toBe(next);
  expect(read('CHANGELOG.md')).toMatch(/^# Changes\n\n## [\d.]+\n\n\* More\.\n\n## /);
});

it.each(['words', change('large', 'words'), change('patch', '')])('fails on an invalid change file (%#)', (text) => {
  write('changes/a.md', text);
  expect(() => readChanges(changes)).toThrow('a.md is not what changes/README.md says');
});

it('fails if nothing has changed', () => {
  expect(() => applyChanges(folder)).toThrow('nothing in changes');
});

it('follows from the change files of the project', () => {
  expect(() => readChanges()).not.toThrow();
});
