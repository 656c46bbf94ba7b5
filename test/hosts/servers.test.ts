// The package in servers: built by the common server bundlers, traced like serverless platforms do, and under Jest. It
// finds its addon, or says in one sentence what to do.

import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { nodeFileTrace } from '@vercel/nft';
import * as esbuild from 'esbuild';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import webpack from 'webpack';
import { project } from '../package/install.js';
import { SHARE } from '../share.js';

const folder = inject('folder');
const elsewhere = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'crayon-deployed-')));
afterAll(() => fs.rmSync(elsewhere, { recursive: true, force: true }));

const ANSWER = '24912,2375 native 2 15339,1917\n19999 257,259,81';
/** Work for threads. Worked out by hand: merges make "low" 257 and " lowe" 259; "r" is the 81st character of GPT-2's alphabet. */
const THREADS = `
        (async () => {
          const numbers = await Tokenizer.load(await compileCartridge(Array.from({ length: 20000 }, (_, i) => String(i))));
          const learned = await trainBpe('low lower lowest', { vocabularySize: 260 });
          // Large enough to be compiled on a thread.
          const json = JSON.stringify(learned.toTokenizerJson()).padEnd(100000);
          const own = await Tokenizer.load(new TextEncoder().encode(json));
          console.log(numbers.encode('19999').join(), own.encode('low lower').join());
        })();`;
const SERVER = {
  esm: `import { compileCartridge, Tokenizer, trainBpe } from 'crayon-tokenizer';
        import { get_encoding } from 'crayon-tokenizer/tiktoken';
        const tokenizer = Tokenizer.loadSync('gpt-4o');
        const { encode } = await import('crayon-tokenizer/gpt-tokenizer');
        console.log(tokenizer.encode('hello world').join(), tokenizer.backend.kind, encode('hello world').length, get_encoding('cl100k_base').encode('hello world').join());${THREADS}`,
  cjs: `const { compileCartridge, Tokenizer, trainBpe } = require('crayon-tokenizer');
        const { get_encoding } = require('crayon-tokenizer/tiktoken');
        const tokenizer = Tokenizer.loadSync('gpt-4o');
        const { encode } = require('crayon-tokenizer/gpt-tokenizer');
        console.log(tokenizer.encode('hello world').join(), tokenizer.backend.kind, encode('hello world').length, get_encoding('cl100k_base').encode('hello world').join());${THREADS}`,
};
type Format = keyof typeof SERVER;
const TRAINER = {
  esm: `import { trainBpe } from 'crayon-tokenizer'; trainBpe('low lower', { vocabularySize: 260 }).catch(({ code, message }) => console.log(code, message));`,
  cjs: `require('crayon-tokenizer').trainBpe('low lower', { vocabularySize: 260 }).catch(({ code, message }) => console.log(code, message));`,
};

const SERVER_BUNDLERS: Record<string, (entry: string, out: string, format: Format) => Promise<void>> = {
  async esbuild(entry, out, format) {
    const { warnings } = await esbuild.build({
      entryPoints: [entry],
      outfile: out,
      bundle: true,
      platform: 'node',
      format,
      logLevel: 'silent',
    });
    expect(warnings.filter(({ text }) => !text.includes('import.meta'))).toEqual([]);
  },
  async webpack(entry, out, format) {
    const options: webpack.Configuration = {
      mode: 'production',
      target: 'node20',
      context: path.dirname(entry),
      entry,
      ...(format === 'esm' && { experiments: { outputModule: true } }),
      output: {
        path: path.dirname(out),
        filename: path.basename(out),
        ...(format === 'esm' && { module: true, chunkFormat: 'module' as const }),
      },
      performance: false,
      // Takes most of the time, and bundles.test.ts minimizes a bundle.
      optimization: { minimize: SHARE === 1 },
    };
    const stats = await new Promise<webpack.Stats>((resolve, reject) => {
      webpack(options)!.run((error, result) => (error ? reject(error) : resolve(result!)));
    });
    const { errors = [], warnings = [] } = stats.toJson({ errors: true, warnings: true });
    expect([...errors, ...warnings].map(({ message }) => message)).toEqual([]);
  },
};

const env = { ...process.env, CRAYON_ADDON: '', CRAYON_CACHE_DIR: '' };
/** An uncaught error prints its line, which is all of a minified bundle: Node loses some of that in a pipe that is read too slowly. */
function run(file: string, cwd: string, more: Record<string, string> = {}) {
  const errors = path.join(folder, 'stderr.txt');
  const descriptor = fs.openSync(errors, 'w');
  const { stdout, status } = spawnSync(process.execPath, [file], {
    cwd,
    encoding: 'utf8',
    env: { ...env, ...more },
    stdio: ['ignore', 'pipe', descriptor],
  });
  fs.closeSync(descriptor);
  return { stdout, status, stderr: fs.readFileSync(errors, 'utf8') };
}

describe.each(Object.keys(SERVER_BUNDLERS))('a server bundled by %s', (bundler) => {
  describe.each<Format>(['esm', 'cjs'])('as %s', (format) => {
    const ending = format === 'esm' ? 'mjs' : 'cjs';
    const workspace = path.join(folder, `server-${bundler}-${format}`);
    const out = path.join(workspace, 'out', `server.${ending}`);
    beforeAll(async () => {
      fs.mkdirSync(path.join(workspace, 'out'), { recursive: true });
      const entry = path.join(workspace, `entry.${ending}`);
      fs.writeFileSync(entry, SERVER[format]);
      await SERVER_BUNDLERS[bundler]!(entry, out, format);
      const trainer = path.join(workspace, `trainer.${ending}`);
      fs.writeFileSync(trainer, TRAINER[format]);
      await SERVER_BUNDLERS[bundler]!(trainer, path.join(path.dirname(out), path.basename(trainer)), format);
    });

    it('finds the addon, the cartridges and the thread scripts of the installed package', () => {
      const { stdout, stderr } = run(out, workspace);
      expect({ stdout, stderr }).toEqual({ stdout: `${ANSWER}\n`, stderr: '' });
    });

    it('says what to do if the package is not installed', () => {
      const deployed = path.join(elsewhere, `${bundler}-${format}`);
      fs.cpSync(path.dirname(out), deployed, { recursive: true });
      // The package's location at bundling time does not exist either.
      const hidden = `${inject('installed')}-hidden`;
      fs.renameSync(inject('installed'), hidden);
      try {
        const { stderr, status } = run(path.join(deployed, `server.${ending}`), deployed);
        expect(status).toBe(1);
        expect(stderr).toContain('crayon-tokenizer is in a bundle, away from its files: keep it out of the bundle');
        expect(stderr).toContain('--external:crayon-tokenizer');
        // A server with its own copy of the addon lacks the thread scripts.
        const CRAYON_ADDON = path.join(hidden, 'prebuilds', `${process.platform}-${process.arch}`, 'crayon.node');
        const { stdout } = run(path.join(deployed, `trainer.${ending}`), deployed, { CRAYON_ADDON });
        expect(stdout).toMatch(/^FILE_NOT_FOUND cannot train: crayon-tokenizer is in a bundle, away from its files: /);
      } finally {
        fs.renameSync(hidden, inject('installed'));
      }
    });
  });
});

describe.each<Format>(['esm', 'cjs'])('a server traced by @vercel/nft, as %s', (format) => {
  it('includes the addon and the cartridges', async () => {
    const ending = format === 'esm' ? 'mjs' : 'cjs';
    const entry = path.join(folder, `traced.${ending}`);
    fs.writeFileSync(entry, SERVER[format]);
    const { fileList } = await nodeFileTrace([entry], { base: folder });
    const deployed = path.join(elsewhere, `traced-${format}`);
    for (const file of fileList) {
      fs.cpSync(path.join(folder, file), path.join(deployed, file), { recursive: true });
    }
    const { stdout, stderr } = run(path.join(deployed, `traced.${ending}`), deployed);
    expect({ stdout, stderr }).toEqual({ stdout: `${ANSWER}\n`, stderr: '' });
  });
});

it('fails if the addon in CRAYON_ADDON cannot be loaded, instead of falling back to WebAssembly', () => {
  const program = `import { Tokenizer } from 'crayon-tokenizer'; Tokenizer.loadSync('gpt2');`;
  const named = path.join(elsewhere, 'no-such.node');
  const { stderr, status } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, CRAYON_ADDON: named },
  });
  expect(status).toBe(1);
  expect(stderr).toContain(named);
  expect(stderr).toContain('CRAYON_ADDON');
});

/** Another test for Jest: datasets, whose files and errors are Node's own, of another realm than the test. */
const DATASETS = `
  const fs = require('node:fs');
  const { mergeDataset, planDataset, runDataset } = require('crayon-tokenizer/dataset');
  test('datasets', async () => {
    const input = __dirname + '/input.txt', output = __dirname + '/dataset';
    fs.writeFileSync(input, 'hello world');
    await planDataset([input], { output, format: 'parquet', endOfDocument: null });
    await runDataset(output);
    expect(await mergeDataset(output)).toMatchObject({ documents: 1, tokens: 2 });
    await expect(runDataset(__dirname + '/missing')).rejects.toMatchObject({ name: 'DatasetError' });
  });`;

describe.each(['node', 'jsdom'])('Jest, environment %s', (environment) => {
  it('runs a test that requires the package', () => {
    const workspace = path.join(folder, `jest-${environment}`);
    fs.mkdirSync(workspace);
    fs.writeFileSync(path.join(workspace, 'package.json'), '{}');
    fs.writeFileSync(
      path.join(workspace, 'tokens.test.js'),
      `const { compileCartridge, Tokenizer, TokenizerError } = require('crayon-tokenizer');
       const { get_encoding } = require('crayon-tokenizer/tiktoken');
       const { encode } = require('crayon-tokenizer/gpt-tokenizer');
       test('ids', async () => {
         const tokenizer = await Tokenizer.load('gpt-4o');
         expect(tokenizer.backend.kind).toBe('native');
         expect(Array.from(tokenizer.encode('hello world'))).toEqual([24912, 2375]);
         expect(tokenizer.encode('hello world')).toEqual(Uint32Array.of(24912, 2375));
         expect(tokenizer.count(Uint8Array.of(104, 105))).toBe(1);
         expect(tokenizer.decode(Uint32Array.of(24912, 2375))).toBe('hello world');
         expect(Array.from(tokenizer.decodeBytes([24912]))).toEqual([104, 101, 108, 108, 111]);
         expect(tokenizer.encodeBatch(['hello world', 'hi']).length).toBe(2);
         expect(tokenizer.split('hello world, how are you?', { maxTokens: 3 })).toEqual(['hello world,', ' how are you', '?']);
         expect(() => tokenizer.decode([300000])).toThrow(TokenizerError);
         expect(await tokenizer.encodeAsync('hello world')).toHaveLength(2);
         const own = await Tokenizer.load(await compileCartridge(['a', 'b', 'ab']));
         expect(Array.from(own.encode('abba'))).toEqual([2, 1, 0]);
         expect(Array.from(get_encoding('cl100k_base').encode('hello world'))).toEqual([15339, 1917]);
         expect(encode('hello world')).toEqual([24912, 2375]);
       });${environment === 'node' ? DATASETS : ''}`,
    );
    const jest = path.join(project, 'node_modules', 'jest', 'bin', 'jest.js');
    const jsdom = path.join(project, 'node_modules', 'jest-environment-jsdom');
    const args = [jest, '--rootDir', workspace, '--env', environment === 'jsdom' ? jsdom : environment, '--ci'];
    // Outside this project's own test run.
    const { NODE_OPTIONS: _, VITEST: __, ...clean } = env as Record<string, string>;
    const output = spawnSync(process.execPath, args, { cwd: workspace, encoding: 'utf8', env: { ...clean, NODE_ENV: 'test' } });
    expect(output.stderr).toContain(environment === 'node' ? '2 passed' : '1 passed');
    expect(output.status).toBe(0);
  });
});

it('a program that imports it, or requires it, starts only slightly slower than an empty one', () => {
  for (const [type, program] of [
    ['module', `import { Tokenizer } from 'crayon-tokenizer'; console.log(Tokenizer.loadSync('gpt2').count('hi'));`],
    ['commonjs', `const { Tokenizer } = require('crayon-tokenizer'); console.log(Tokenizer.loadSync('gpt2').count('hi'));`],
  ] as const) {
    expect(execFileSync(process.execPath, [`--input-type=${type}`, '--eval', program], { cwd: folder, encoding: 'utf8', env })).toBe('1\n');
  }
});
