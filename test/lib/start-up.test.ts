// What programs and commands load before they do anything: only what they need.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { cli, crayonProcess } from './command.js';

const dist = dirname(cli);
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'crayon-start-'));
  writeFileSync(join(folder, 'hello.txt'), 'hello world');
  writeFileSync(join(folder, 'nothing.mjs'), '');
  writeFileSync(
    join(folder, 'list.cjs'),
    "process.on('exit', () => require('node:fs').writeFileSync('loaded.json', JSON.stringify(process.moduleLoadList)));",
  );
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The scripts that Node reads for one of dist/node, by their names without hashes. */
function scriptsOf(script: string): string[] {
  const found = new Set<string>();
  const find = (file: string) => {
    if (found.has(file)) return;
    found.add(file);
    const imports = readFileSync(file, 'utf8').matchAll(/^(?:import|export)\b[^;'"]*["'](\.[^"']+)["'];/gm);
    for (const [, name] of imports) find(resolve(dirname(file), name!));
  };
  find(join(dist, script));
  return [...found].map((file) => file.slice(dist.length + 1).replace(/-[\w-]{8}\.js$/, '')).sort();
}

describe('scripts', () => {
  it('of the package are the entry and the core', () => {
    expect(scriptsOf('index.js')).toEqual(['core', 'index.js']);
  });

  it('of datasets are these, and one more', () => {
    expect(scriptsOf('dataset.js')).toEqual(['core', 'dataset', 'dataset.js']);
  });

  it('of the command have nothing of the engine until a command runs', () => {
    expect(scriptsOf('cli.js')).toEqual(['cli.js', 'command', 'rolldown-runtime']);
  });

  it('that others share load no commander', () => {
    const others = readdirSync(dist).filter((name) =>
      /^(?:core|dataset(?!-commands)|batches|chat|compile-in-node|train-in-node|text-of)-[\w-]+\.js$/.test(name),
    );
    expect(others.length).toBeGreaterThan(4);
    for (const name of others) expect(scriptsOf(name)).not.toContain('command');
  });
});

/** Modules of Node that a program loads. */
function modulesOf(args: string[]): string[] {
  const { status, stderr } = spawnSync(process.execPath, ['--require', './list.cjs', ...args], { cwd: folder, encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  const loaded = JSON.parse(readFileSync(join(folder, 'loaded.json'), 'utf8')) as string[];
  return loaded.flatMap((name) => /^NativeModule (\w+)$/.exec(name)?.[1] ?? []);
}

describe('modules of Node', () => {
  const RARE = ['child_process', 'crypto', 'perf_hooks', 'worker_threads', 'zlib'];
  const evaluated = (program: string) => ['--input-type=module', '--eval', program];
  const entry = (name: string) => JSON.stringify(fileURLToPath(new URL(name, `file://${dist}/`)));

  it.each([
    ['an import', evaluated(`import ${entry('index.js')}`), RARE],
    ['a require', ['--eval', `require(${entry('index.cjs')})`], RARE],
    ['an import of datasets', evaluated(`import ${entry('dataset.js')}`), RARE.filter((name) => name !== 'crypto')],
    ['crayon --help', [cli, '--help'], RARE],
    ['crayon count', [cli, 'count', 'hello.txt'], RARE],
  ])('are not loaded by %s if few programs need them', (_, args, rare) => {
    const loaded = modulesOf(args);
    expect(loaded).toContain('fs');
    // Node loads some by itself, for any program or for any that imports.
    const own = new Set([...modulesOf(['--eval', '0']), ...modulesOf(evaluated("import './nothing.mjs'"))]);
    expect(loaded.filter((name) => rare.includes(name) && !own.has(name))).toEqual([]);
  });

  it('are loaded by what needs them', () => {
    const program = `import { Tokenizer } from ${entry('index.js')}; Tokenizer.loadSync('o200k_base').encode('hello world')`;
    expect(modulesOf(evaluated(program))).toContain('worker_threads');
  });
});

describe.skipIf(!('enableCompileCache' in (process.getBuiltinModule('node:module') as object)))('compiled code', () => {
  const kept = (cache: string) => readdirSync(cache, { recursive: true, encoding: 'utf8' }).filter((name) => /[\da-f]{8}$/.test(name));

  it('is kept in the cache, and damage to it changes nothing', () => {
    const cache = join(folder, 'cache');
    const count = () => crayonProcess(['count', 'hello.txt'], folder, '', { CRAYON_CACHE_DIR: cache });
    expect(count()).toMatchObject({ status: 0, stdout: '2\thello.txt\n', stderr: '' });
    const code = join(cache, 'compiled-code');
    const files = kept(code);
    expect(files.length).toBeGreaterThan(2);
    for (const name of files) writeFileSync(join(code, name), readFileSync(join(code, name)).fill(0x5a, 300));
    expect(count()).toMatchObject({ status: 0, stdout: '2\thello.txt\n', stderr: '' });
  });

  it('is not kept without a cache, or where there can be none', () => {
    for (const cache of ['', join(folder, 'hello.txt', 'below'), '/proc/nope/deeper']) {
      expect(crayonProcess(['count', 'hello.txt'], folder, '', { CRAYON_CACHE_DIR: cache })).toMatchObject({ status: 0, stderr: '' });
    }
  });
});
