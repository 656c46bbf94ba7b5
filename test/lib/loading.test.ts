// The entry: the cost of importing it, and its error if the addon is missing.

import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { fileOf } from './small-file.js';

const dist = fileURLToPath(new URL('../../dist/', import.meta.url));

function run(entry: string, source: string, env: Record<string, string> = {}) {
  const program = `import { Tokenizer, encodingForModel } from ${JSON.stringify(pathToFileURL(entry).href)};\n${source}`;
  return spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    encoding: 'utf8',
    env: { ...process.env, ...env },
  });
}

describe('the entry', () => {
  it('loads neither fetch nor file listings nor more modules than it needs', () => {
    const { stdout } = run(
      join(dist, 'node', 'index.js'),
      `Tokenizer.loadSync('o200k_base').encode('hello world');
       console.log(process.moduleLoadList.filter((name) => /undici|fs\\/promises|child_process|readline/.test(name) && !/internal/.test(name)).join());`,
    );
    expect(stdout.trim()).not.toMatch(/undici|child_process|readline/);
  });
});

describe('a host that denies what it knows of itself, as Deno does', () => {
  const denying = `
    const os = require('node:os');
    const deny = () => { throw new Error('denied'); };
    Object.assign(os, { homedir: deny, totalmem: deny });
    require('node:module').syncBuiltinESMExports();
    process.constrainedMemory = deny;
    // Node itself reads others.
    process.env = new Proxy({}, { get: (_, name) => /^(CRAYON|XDG)_/.test(name) ? deny() : undefined });`;

  it.each(['index.js', 'wasm.js'])('has the same ids, by %s', (entry) => {
    const folder = mkdtempSync(join(tmpdir(), 'crayon-denied-'));
    writeFileSync(join(folder, 'denying.cjs'), denying);
    writeFileSync(join(folder, 'tokenizer.json'), JSON.stringify(fileOf([['a', 'b']])));
    const nameOf = (script: string) => JSON.stringify(pathToFileURL(join(dist, 'node', script)).href);
    writeFileSync(
      join(folder, 'program.mjs'),
      `import { Tokenizer } from ${nameOf(entry)};
       import { DnaTokenizer } from ${nameOf('dna.js')};
       const tokenizer = await Tokenizer.load('gpt-4o');
       const text = 'hello world '.repeat(200_000); // long enough to remember more pieces than usual
       const { length } = tokenizer.encode(text);
       const { ids } = await tokenizer.encodeBatchAsync([text, text]);
       const own = await Tokenizer.load('tokenizer.json');
       const dna = await DnaTokenizer.load('evo2');
       console.log(length, (await tokenizer.encodeAsync(text)).length, ids.length, own.count('ab'), dna.encode('ACGT').length);`,
    );
    const { stdout, stderr } = spawnSync(process.execPath, ['--require', './denying.cjs', 'program.mjs'], {
      cwd: folder,
      encoding: 'utf8',
    });
    rmSync(folder, { recursive: true, force: true });
    expect(`${stdout}${stderr}`).toBe('400001 400001 800002 1 4\n');
  });
});

describe('without an addon', () => {
  // Tests of another build of the addon name it in CRAYON_ADDON.
  const unnamed = { CRAYON_ADDON: '' };
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'crayon-test-'));
    cpSync(dist, join(folder, 'dist'), { recursive: true });
    rmSync(join(folder, 'dist', 'wasm'), { recursive: true, force: true });
    mkdirSync(join(folder, 'cartridges'));
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('the entry can be imported, and loading reports what it tried and what to do', () => {
    const { status, stdout, stderr } = run(
      join(folder, 'dist', 'node', 'index.js'),
      `console.log(encodingForModel('gpt-4o')); Tokenizer.loadSync('o200k_base');`,
      unnamed,
    );
    expect(status).toBe(1);
    expect(stdout).toBe('o200k_base\n');
    expect(stderr).toContain(`no native addon for ${process.platform}-${process.arch}`);
    expect(stderr).toContain(join(folder, 'build', 'release', 'crayon.node') + ': no such file');
    expect(stderr).toContain(join(folder, 'prebuilds', `${process.platform}-${process.arch}`, 'crayon.node') + ': no such file');
    expect(stderr).toContain('install crayon-tokenizer again');
    expect(stderr).not.toContain('npm run');
  });

  it('a broken addon is distinguished from a missing one', () => {
    const prebuilds = join(folder, 'prebuilds', `${process.platform}-${process.arch}`);
    mkdirSync(prebuilds, { recursive: true });
    writeFileSync(join(prebuilds, 'crayon.node'), 'not a library');
    const { stderr } = run(join(folder, 'dist', 'node', 'index.js'), `await Tokenizer.load('o200k_base');`, unnamed);
    expect(stderr).toContain(join('release', 'crayon.node') + ': no such file');
    expect(stderr).toMatch(/prebuilds.*crayon\.node: (?!no such file)/);
    rmSync(join(folder, 'prebuilds'), { recursive: true });
  });

  it('the error for a missing cartridge says what to do: in a clone, how to build it', () => {
    mkdirSync(join(folder, 'build'), { recursive: true });
    cpSync(fileURLToPath(new URL('../../build/release/crayon.node', import.meta.url)), join(folder, 'build/release/crayon.node'));
    const { stderr } = run(join(folder, 'dist', 'node', 'index.js'), `Tokenizer.loadSync('gpt-4o');`, unnamed);
    expect(stderr).toContain(join(folder, 'cartridges', 'o200k_base.cray'));
    expect(stderr).toContain('install crayon-tokenizer again');
    expect(stderr).toContain("code: 'FILE_NOT_FOUND'");
    mkdirSync(join(folder, 'scripts'));
    writeFileSync(join(folder, 'scripts', 'build.mjs'), '');
    const clone = run(join(folder, 'dist', 'node', 'index.js'), `Tokenizer.loadSync('gpt-4o');`, unnamed);
    expect(clone.stderr).toContain('run "npm run cartridges" in the clone');
  });
});

describe('the environment', () => {
  const source = `console.log(Tokenizer.loadSync('o200k_base').backend.kernel);`;

  it('forces a kernel', () => {
    expect(run(join(dist, 'node', 'index.js'), source, { CRAYON_FORCE_KERNEL: 'scalar' }).stdout).toBe('scalar\n');
    const { status, stderr } = run(join(dist, 'node', 'index.js'), source, { CRAYON_FORCE_KERNEL: 'sse9' });
    expect(status).toBe(1);
    expect(stderr).toContain('"sse9"');
  });

  it('adds a cartridge folder', () => {
    const folder = mkdtempSync(join(tmpdir(), 'crayon-test-'));
    cpSync(fileURLToPath(new URL('../../cartridges/r50k_base.cray', import.meta.url)), join(folder, 'mine.cray'));
    const open = `console.log(Tokenizer.loadSync('mine').name);`;
    expect(run(join(dist, 'node', 'index.js'), open, { CRAYON_PROFILE_DIR: folder }).stdout).toBe('r50k_base\n');
    expect(run(join(dist, 'node', 'index.js'), open).stderr).toContain('no encoding, model or cartridge is named "mine"');
    rmSync(folder, { recursive: true });
  });
});
