// The installed package in Node and its relatives: WebAssembly by name, WebAssembly if no addon loads, and paths inside an
// Electron archive.

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, inject, it } from 'vitest';

const folder = inject('folder');
const installed = inject('installed');
const HELLO = '24912,2375';

const run = (args: string[], env: Record<string, string> = {}) =>
  execFileSync(process.execPath, ['--no-warnings', ...args], { cwd: folder, encoding: 'utf8', env: { ...process.env, ...env } }).trim();
const runModule = (source: string, env?: Record<string, string>) => run(['--input-type=module', '--eval', source], env);

describe('crayon-tokenizer/wasm', () => {
  it('encodes on WebAssembly when imported', () => {
    const source = `
      import { Tokenizer } from 'crayon-tokenizer/wasm';
      const tokenizer = await Tokenizer.load('gpt-4o');
      console.log(tokenizer.encode('hello world').join(), tokenizer.backend.kind, tokenizer.backend.kernel);`;
    expect(runModule(source)).toBe(`${HELLO} wasm simd128`);
  });

  it('encodes on WebAssembly when required', () => {
    const source = `
      const { Tokenizer } = require('crayon-tokenizer/wasm');
      const tokenizer = Tokenizer.loadSync('o200k_base');
      console.log(tokenizer.encode('hello world').join(), tokenizer.backend.kind);`;
    expect(run(['--eval', source])).toBe(`${HELLO} wasm`);
  });
});

describe('crayon-tokenizer', () => {
  const source = `
    import { Tokenizer } from 'crayon-tokenizer';
    const tokenizer = Tokenizer.loadSync('o200k_base', OPTIONS);
    console.log(tokenizer.encode('hello world').join(), tokenizer.backend.kind);`;

  it('has both engines', () => {
    expect(runModule(source.replace('OPTIONS', '{}'))).toBe(`${HELLO} native`);
    expect(runModule(source.replace('OPTIONS', `{ backend: 'native' }`))).toBe(`${HELLO} native`);
    expect(runModule(source.replace('OPTIONS', `{ backend: 'wasm' }`))).toBe(`${HELLO} wasm`);
  });

  describe('where no addon loads', () => {
    const bare = path.join(folder, 'bare');
    beforeAll(() => {
      const copy = path.join(bare, 'node_modules', 'crayon-tokenizer');
      fs.cpSync(path.join(folder, 'node_modules'), path.join(bare, 'node_modules'), { recursive: true, verbatimSymlinks: true });
      fs.rmSync(path.join(copy, 'prebuilds'), { recursive: true });
    });
    const inBare = (program: string) =>
      execFileSync(process.execPath, ['--input-type=module', '--eval', program], { cwd: bare, encoding: 'utf8' }).trim();

    it('falls back to WebAssembly, with a message', () => {
      expect(inBare(source.replace('OPTIONS', '{}'))).toBe(`${HELLO} wasm`);
    });

    it('does not fall back if the addon was requested', () => {
      const program = `${source.replace('OPTIONS', `{ backend: 'native' }`)}`;
      expect(
        inBare(`${program.replace('const tokenizer', 'try { const tokenizer')} } catch (error) { console.log(error.code ?? error.name); }`),
      ).not.toContain(HELLO);
    });

    it('explains the fallback in crayon info', () => {
      const command = path.join(bare, 'node_modules', 'crayon-tokenizer', 'dist', 'node', 'cli.js');
      const info = execFileSync(process.execPath, [command, 'info'], { cwd: bare, encoding: 'utf8' });
      expect(info).toMatch(/wasm/i);
      expect(info).toMatch(/prebuilds/);
    });
  });
});

describe('a path inside an Electron archive', () => {
  // In Electron, app.asar is a file; Electron's fs reads files inside it, while native code cannot.
  const resources = path.join(folder, 'resources');
  const archive = path.join(resources, 'app.asar');
  const hidden = path.join(resources, 'inside');
  const preload = path.join(resources, 'electron.cjs');
  const cartridge = path.join(archive, 'vocabulary', 'o200k_base.cray');
  beforeAll(() => {
    fs.mkdirSync(path.join(hidden, 'vocabulary'), { recursive: true });
    fs.writeFileSync(archive, 'not the format of Electron: fs is what knows it');
    fs.copyFileSync(path.join(installed, 'cartridges', 'o200k_base.cray'), path.join(hidden, 'vocabulary', 'o200k_base.cray'));
    fs.writeFileSync(
      preload,
      `const fs = require('node:fs');
       const { syncBuiltinESMExports } = require('node:module');
       const archive = ${JSON.stringify(archive + path.sep)};
       const inside = ${JSON.stringify(hidden + path.sep)};
       for (const name of ['readFileSync', 'existsSync', 'statSync', 'lstatSync', 'openSync', 'accessSync', 'realpathSync', 'readFile', 'stat', 'open']) {
         const original = fs[name];
         fs[name] = (file, ...rest) => original(typeof file === 'string' ? file.replace(archive, inside) : file, ...rest);
       }
       for (const name of ['readFile', 'stat', 'open']) {
         const original = fs.promises[name];
         fs.promises[name] = (file, ...rest) => original(typeof file === 'string' ? file.replace(archive, inside) : file, ...rest);
       }
       syncBuiltinESMExports();`,
    );
  });
  const source = (load: string) => `
    import { Tokenizer } from 'crayon-tokenizer';
    const tokenizer = ${load};
    console.log(tokenizer.encode('hello world').join(), tokenizer.backend.kind);`;
  const inElectron = (program: string) => run(['--require', preload, '--input-type=module', '--eval', program]);

  it('is read through fs, which supports the archive', () => {
    expect(inElectron(source(`Tokenizer.loadSync(${JSON.stringify(cartridge)})`))).toBe(`${HELLO} native`);
    expect(inElectron(source(`await Tokenizer.load(${JSON.stringify(cartridge)})`))).toBe(`${HELLO} native`);
  });

  it('is mapped if it was unpacked', () => {
    const unpacked = path.join(`${archive}.unpacked`, 'vocabulary', 'o200k_base.cray');
    fs.mkdirSync(path.dirname(unpacked), { recursive: true });
    fs.renameSync(path.join(hidden, 'vocabulary', 'o200k_base.cray'), unpacked);
    expect(inElectron(source(`Tokenizer.loadSync(${JSON.stringify(cartridge)})`))).toBe(`${HELLO} native`);
  });
});
