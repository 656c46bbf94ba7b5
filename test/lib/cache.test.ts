// The user's cache: what it keeps, what goes first, and the commands that show and clear it.

import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { keep } from '../../lib/vocabularies/open/user-cache.js';
import { crayonProcess } from './command.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'crayon-test-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const nameOf = (letter: string) => `${letter.repeat(64)}-${'0'.repeat(16)}.cray`;

it('gives up what was used longest ago, and nothing of others', async () => {
  const cache = path.join(folder, 'trimmed');
  mkdirSync(path.join(cache, 'compiled-code'), { recursive: true });
  const put = (name: string, minutes: number) => {
    writeFileSync(path.join(cache, name), Buffer.alloc(1000));
    const [time, written] = [Date.now() / 1000 - minutes * 60, Date.now() / 1000 - 10_000 * 60];
    utimesSync(path.join(cache, name), time, written);
  };
  put(nameOf('a'), 300);
  put(nameOf('b'), 200);
  put(nameOf('c'), 100);
  put(nameOf('d'), 5); // in use
  put(`${nameOf('e')}.123-abc`, 60); // its process was killed
  put(`${nameOf('f')}.124-abc`, 1); // is being written
  put("somebody's.cray", 10_000);
  await keep(new Uint8Array(1000), path.join(cache, '1'.repeat(64)), 5000);
  const kept = [nameOf('1'), nameOf('b'), nameOf('c'), nameOf('d'), `${nameOf('f')}.124-abc`];
  expect(readdirSync(cache).sort()).toEqual([...kept, 'compiled-code', "somebody's.cray"].sort());
  await keep(new Uint8Array(1000), path.join(cache, '2'.repeat(64)), 1);
  expect(readdirSync(cache)).toContain(nameOf('d'));
  expect(readdirSync(cache)).not.toContain(nameOf('c'));
});

it('is shown, listed and cleared by the command', () => {
  const cache = path.join(folder, 'shown');
  const crayon = (...args: string[]) => crayonProcess(args, folder, '', { CRAYON_CACHE_DIR: cache });
  expect(crayon('cache').stdout).toBe(`${cache}: 0 cartridges, 0 bytes of at most 2.00 GiB\n`);
  writeFileSync(path.join(folder, 'mine.json'), JSON.stringify({ model: { type: 'BPE', vocab: { a: 0, b: 1 }, merges: [] } }));
  expect(crayon('count', '-e', 'mine.json', '--text', 'ab').stdout).toBe('2\n');
  writeFileSync(path.join(cache, 'other.txt'), '');
  const { bytes, cartridges, ...facts } = JSON.parse(crayon('cache', 'list', '--json').stdout);
  expect(facts).toEqual({ folder: cache, count: 1, limit: 2 ** 31 });
  expect(cartridges).toEqual([{ name: 'mine', bytes, used: expect.stringMatching(/^\d{4}-/), path: expect.stringContaining(cache) }]);
  expect(crayon('cache', 'list').stdout).toMatch(/^\d{4}-\d\d-\d\d {2} +[\d.]+ \w+ {2}mine\n.*: 1 cartridge, /);
  expect(crayon('cache', 'clear').stdout).toMatch(/: removed 1 cartridge, /);
  expect(readdirSync(cache).filter((name) => name !== 'compiled-code')).toEqual(['other.txt']);
  const none = crayonProcess(['cache'], folder, '', { CRAYON_CACHE_DIR: '' });
  expect(none).toMatchObject({ status: 1, stderr: 'crayon: there is no cache, as CRAYON_CACHE_DIR is empty\n' });
});
