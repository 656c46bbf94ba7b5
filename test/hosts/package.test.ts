// The package in common checkers, and its types as compilers and bundlers find them.

import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { describe, expect, inject, it } from 'vitest';
import { PUBLIC } from '../../scripts/entries.mjs';
import { project } from '../package/install.js';

const folder = inject('folder');
const installed = inject('installed');
const bin = (file: string) => path.join(project, 'node_modules', ...file.split('/'));

it('passes publint', async () => {
  const { messages, pkg } = await publint({ pkgDir: installed, pack: false, strict: true });
  expect(messages.map((message) => formatMessage(message, pkg, { color: false }))).toEqual([]);
});

/** The findings of arethetypeswrong in some entries, or in all but some, as `entry: problem`. */
function problemsOf(profile: 'node16' | 'esm-only', option: string, entries: string[]): { checked: string[]; problems: string[] } {
  const report = path.join(folder, `attw-${profile}.json`);
  const args = [inject('tarball'), '--profile', profile, '--format', 'json', option, ...entries];
  // It exits before a pipe is drained.
  const out = fs.openSync(report, 'w');
  const { status } = spawnSync(process.execPath, [bin('@arethetypeswrong/cli/dist/index.js'), ...args], {
    stdio: ['ignore', out, 'inherit'],
  });
  fs.closeSync(out);
  const { analysis, problems } = JSON.parse(fs.readFileSync(report, 'utf8')) as {
    analysis: { entrypoints: object };
    problems: Record<string, { entrypoint?: string }[]>;
  };
  const found = Object.entries(problems).flatMap(([kind, list]) => list.map(({ entrypoint }) => `${entrypoint}: ${kind}`));
  return { checked: Object.keys(analysis.entrypoints), problems: status === 0 ? [] : found };
}

/** Scripts for pages have no CommonJS form. */
const INLINE = ['./inline', ...['r50k_base', 'p50k_base', 'cl100k_base', 'o200k_base', 'lite'].map((name) => `./inline/${name}`)];

it('has types that agree with its code for import and require, according to arethetypeswrong', () => {
  const entries = Object.keys(PUBLIC).filter((name) => !INLINE.includes(name));
  const { checked, problems } = problemsOf('node16', '--entrypoints', entries);
  expect(problems).toEqual([]);
  expect(checked).toEqual(expect.arrayContaining(['.', './dna', './wasm', './tiktoken', './gpt-tokenizer']));
});

it('has types that agree with its code for pages, according to arethetypeswrong', () => {
  const { checked, problems } = problemsOf('esm-only', '--entrypoints', INLINE);
  expect(problems).toEqual([]);
  expect(checked).toEqual(expect.arrayContaining(INLINE));
});

describe.each([
  { module: 'esnext', moduleResolution: 'bundler', lib: ['es2023', 'dom'], customConditions: undefined, type: 'module' },
  { module: 'esnext', moduleResolution: 'bundler', lib: ['es2023', 'dom'], customConditions: ['browser'] },
  { module: 'esnext', moduleResolution: 'bundler', lib: ['es2023', 'webworker'], customConditions: ['worker', 'browser'] },
  { module: 'node16', moduleResolution: 'node16', lib: ['es2023', 'dom'], customConditions: undefined },
  { module: 'nodenext', moduleResolution: 'nodenext', lib: ['es2023', 'dom'], customConditions: undefined },
  { module: 'nodenext', moduleResolution: 'nodenext', lib: ['es2023', 'dom'], customConditions: undefined, type: 'commonjs' },
])('types under $moduleResolution, $customConditions, from $type', ({ type = 'module', ...options }) => {
  it('are found and correct', () => {
    const types = fs.mkdtempSync(path.join(folder, 'types-'));
    fs.writeFileSync(path.join(types, 'package.json'), `{ "type": ${JSON.stringify(type)} }`);
    fs.writeFileSync(
      path.join(types, 'use.ts'),
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
    // TypeScript's library is not ours, and takes long to check.
    const compilerOptions = { noEmit: true, strict: true, skipDefaultLibCheck: true, target: 'es2023', types: [], ...options };
    fs.writeFileSync(path.join(types, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['use.ts'] }));
    const tsc = bin('typescript/bin/tsc');
    const { stdout, status } = spawnSync(process.execPath, [tsc, '--project', types], { encoding: 'utf8' });
    expect(stdout).toBe('');
    expect(status).toBe(0);
  });
});
