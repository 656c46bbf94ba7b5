// The package by the checkers that others judge it with, and its types as compilers and bundlers find them.

import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { describe, expect, inject, it } from 'vitest';
import { project } from '../package/install.js';

const folder = inject('folder');
const installed = inject('installed');
const bin = (file: string) => path.join(project, 'node_modules', ...file.split('/'));

it('is what publint wants', async () => {
  const { messages, pkg } = await publint({ pkgDir: installed, pack: false, strict: true });
  expect(messages.map((message) => formatMessage(message, pkg, { color: false }))).toEqual([]);
});

it('has types that agree with its code, by arethetypeswrong', () => {
  const { exports } = JSON.parse(fs.readFileSync(path.join(installed, 'package.json'), 'utf8')) as { exports: Record<string, unknown> };
  const assets = Object.keys(exports).filter((name) => name.endsWith('.wasm'));
  const args = [bin('@arethetypeswrong/cli/dist/index.js'), inject('tarball'), '--profile', 'esm-only', '--format', 'json'];
  // It ends before a pipe is empty.
  const report = path.join(folder, 'attw.json');
  const out = fs.openSync(report, 'w');
  const { status } = spawnSync(process.execPath, [...args, '--exclude-entrypoints', ...assets], { stdio: ['ignore', out, 'inherit'] });
  fs.closeSync(out);
  const { analysis, problems } = JSON.parse(fs.readFileSync(report, 'utf8')) as { analysis: { entrypoints: object }; problems: object };
  // What it asks of old resolutions and of CommonJS is not for a package of ES modules.
  if (status !== 0) expect(problems).toEqual({});
  expect(status).toBe(0);
  expect(Object.keys(analysis.entrypoints)).toContain('.');
});

describe.each([
  { module: 'esnext', moduleResolution: 'bundler', lib: ['es2023', 'dom'], customConditions: undefined },
  { module: 'esnext', moduleResolution: 'bundler', lib: ['es2023', 'dom'], customConditions: ['browser'] },
  { module: 'esnext', moduleResolution: 'bundler', lib: ['es2023', 'webworker'], customConditions: ['worker', 'browser'] },
  { module: 'node16', moduleResolution: 'node16', lib: ['es2023', 'dom'], customConditions: undefined },
  { module: 'nodenext', moduleResolution: 'nodenext', lib: ['es2023', 'dom'], customConditions: undefined },
])('types under $moduleResolution, $customConditions', (options) => {
  it('are found, and right', () => {
    const place = fs.mkdtempSync(path.join(folder, 'types-'));
    fs.writeFileSync(path.join(place, 'package.json'), '{ "type": "module" }');
    fs.writeFileSync(
      path.join(place, 'use.ts'),
      `import { Tokenizer, TokenizerError } from 'crayon-tokenizer';
       export async function idsOf(text: string): Promise<Uint32Array> {
         const tokenizer: Tokenizer = await Tokenizer.load('o200k_base');
         const count: number = tokenizer.count(text);
         const kind: 'native' | 'wasm' = tokenizer.backend.kind;
         const code: string = new TokenizerError('', { code: 'CLOSED' } as never).code;
         // @ts-expect-error: no such policy
         tokenizer.encode(text, { special: 'perhaps' });
         return count > 0 && kind !== undefined && code !== '' ? tokenizer.encode(text) : new Uint32Array();
       }
      `,
    );
    const compilerOptions = { noEmit: true, strict: true, target: 'es2023', types: [], ...options };
    fs.writeFileSync(path.join(place, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['use.ts'] }));
    const tsc = bin('typescript/bin/tsc');
    const { stdout, status } = spawnSync(process.execPath, [tsc, '--project', place], { encoding: 'utf8' });
    expect(stdout).toBe('');
    expect(status).toBe(0);
  });
});
