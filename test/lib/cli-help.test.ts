// The help of every command, and the examples in it, which are run as they stand.

import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { trainBpe } from 'crayon-tokenizer';

import { cli, crayon, plainEnvironment } from './command.js';

const COMMANDS = ['count', 'encode', 'decode', 'inspect', 'train', 'compile', 'verify', 'bench', 'info', 'dna'];
const OF_DNA = ['encode', 'validate', 'list-models', 'info', 'demo', 'bench'];

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'crayon-test-'));
  mkdirSync(join(folder, 'docs'));
  writeFileSync(join(folder, 'README.md'), 'Words to count.\n');
  writeFileSync(join(folder, 'docs', 'guide.md'), 'More words.\n');
  writeFileSync(join(folder, 'messages.json'), JSON.stringify([{ role: 'user', content: 'hello world' }]));
  writeFileSync(join(folder, 'corpus.txt'), 'Words to learn from.\n'.repeat(50));
  writeFileSync(join(folder, 'genome.fa'), '>chr1\nACGTACGTNACGT\n>chr2\nGGCC\n');
  const trained = await trainBpe('Words to learn from.', { vocabularySize: 260 });
  writeFileSync(join(folder, 'tokenizer.json'), JSON.stringify(trained.toTokenizerJson()));
  mkdirSync(join(folder, 'bin'));
  const shim = join(folder, 'bin', 'crayon');
  writeFileSync(shim, `#!/bin/sh\nexec '${process.execPath}' '${cli}' "$@"\n`);
  chmodSync(shim, 0o755);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('lists every command', () => {
  const { stdout } = crayon(['--help'], folder);
  for (const command of COMMANDS) expect(stdout).toMatch(new RegExp(`^  ${command} `, 'm'));
  const { stdout: dna } = crayon(['dna', '--help'], folder);
  for (const command of OF_DNA) expect(dna).toMatch(new RegExp(`^  ${command} `, 'm'));
});

describe.each([...COMMANDS, ...OF_DNA.map((command) => `dna ${command}`)])('crayon %s --help', (command) => {
  const { status, stdout: help } = crayon([...command.split(' '), '--help'], process.cwd());
  const examples = Array.from(help.matchAll(/^ {2}\$ (.*)$/gm), ([, example]) => example as string);

  it('says what to type', () => {
    expect(status).toBe(0);
    expect(help).toContain(`Usage: crayon ${command}`);
    expect(examples.length).toBeGreaterThan(1);
  });

  it.skipIf(process.platform === 'win32').each(examples)('%s', (example) => {
    const env = plainEnvironment({ PATH: `${join(folder, 'bin')}${delimiter}${process.env.PATH}` });
    const { status, stdout, stderr } = spawnSync('sh', ['-c', example], { cwd: folder, env, encoding: 'utf8' });
    expect(status).toBe(0);
    // A cartridge on standard output leaves the message to standard error.
    if (example.includes('-o -')) expect(stderr).toMatch(/^standard output: [\d,]+ bytes/);
    else expect({ stderr, stdout }).toEqual({ stderr: '', stdout: expect.stringMatching(/./) as string });
  });
});
