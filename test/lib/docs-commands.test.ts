// Commands in docs/ run as written, in a folder for their page, and print the text below them. A test runs every block of
// a page, compares it as output, or finds the reason why it cannot run.

import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { type Fence, fencesOf } from '../examples/fences.js';
import { pagesOf } from '../examples/pages.js';

const project = fileURLToPath(new URL('../..', import.meta.url)).replace(/[\\/]$/, '');
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'crayon-docs-'));
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

/** Blocks of the documentation that no test runs, each with the reason before it. */
const NOT_RUN = 39;

const pages = pagesOf(project).map((file) => ({ file, blocks: fencesOf(fs.readFileSync(path.join(project, file), 'utf8')) }));
const isCommand = ({ language, notRun }: Fence) => language === 'sh' && notRun === undefined;

/** The command as the package installs it. */
function programs(): string {
  const bin = path.join(folder, 'bin');
  fs.mkdirSync(bin, { recursive: true });
  fs.writeFileSync(path.join(bin, 'crayon'), `#!/bin/sh\nexec "${process.execPath}" "${project}/dist/node/cli.js" "$@"\n`, { mode: 0o755 });
  return bin;
}

describe.runIf(process.platform !== 'win32').each(pages.filter(({ blocks }) => blocks.some(isCommand)))(
  'commands in $file',
  ({ file, blocks }) => {
    const cwd = path.join(folder, file.replaceAll('/', '-'));
    const environment = { ...process.env, PATH: `${programs()}${path.delimiter}${process.env.PATH}`, NO_COLOR: '1' };
    const commands = blocks.flatMap((block, index) => (isCommand(block) ? [{ ...block, next: blocks[index + 1] }] : []));

    it.each(commands)('on line $line print the text below them', ({ code, next }) => {
      fs.mkdirSync(cwd, { recursive: true });
      const { stdout, stderr, status } = spawnSync('bash', ['-euo', 'pipefail', '-c', code], { cwd, env: environment, encoding: 'utf8' });
      expect(status, stderr).toBe(0);
      if (next?.language === 'text') expect(plain(stdout)).toMatch(patternOf(next.code));
    });
  },
);

/** Runs of white space as one space each. */
function plain(text: string): string {
  return text.trim().replace(/\s+/g, ' ');
}

/** Any text where there is an ellipsis. */
function patternOf(text: string): RegExp {
  const parts = plain(text)
    .split('…')
    .map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*?')}$`);
}

it('every block runs, is the output of one, or states why it does not run', () => {
  const others = pages.flatMap(({ file, blocks }) =>
    blocks.flatMap(({ language, line, notRun }, index) => {
      const before = blocks[index - 1];
      const isOutput = language === 'text' && before?.notRun === undefined && ['js', 'ts', 'sh'].includes(before?.language ?? '');
      return notRun !== undefined || isOutput || ['js', 'ts', 'sh'].includes(language) ? [] : [`${file}:${line}`];
    }),
  );
  expect(others).toEqual([]);
});

it('the number of blocks that do not run is the one counted here', () => {
  const marked = pages.flatMap(({ file, blocks }) =>
    blocks.filter(({ notRun }) => notRun !== undefined).map(({ line }) => `${file}:${line}`),
  );
  expect(marked).toHaveLength(NOT_RUN);
});
