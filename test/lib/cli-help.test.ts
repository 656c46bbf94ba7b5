// The help of every command, and its examples, run as printed; only benchmarks are shortened to a moment.

import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { trainBpe } from 'crayon-tokenizer';

import { cli, crayon, plainEnvironment } from './command.js';

const COMMANDS = ['count', 'encode', 'decode', 'truncate', 'split', 'inspect', 'train', 'compile', 'verify', 'bench', 'info', 'dna'];
const OF_DNA = ['encode', 'validate', 'list-models', 'info', 'demo', 'bench'];
const OF_DNA_BENCH = ['speed', 'grid', 'audit', 'aggregate'];

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'crayon-test-'));
  mkdirSync(join(folder, 'docs'));
  writeFileSync(join(folder, 'README.md'), 'Words to count.\n');
  writeFileSync(join(folder, 'docs', 'guide.md'), 'More words.\n');
  writeFileSync(join(folder, 'messages.json'), JSON.stringify([{ role: 'user', content: 'hello world' }]));
  writeFileSync(join(folder, 'messages.jsonl'), '{"message":{"text":"hello"}}\n');
  writeFileSync(join(folder, 'corpus.txt'), 'Words to learn from.\n'.repeat(50));
  writeFileSync(join(folder, 'genome.fa'), `>chr1\n${'N'.repeat(700)}ACGTACGTNACGT\n>chr2\nGGCC\n`);
  const trained = await trainBpe('Words to learn from.', { vocabularySize: 260 });
  writeFileSync(join(folder, 'tokenizer.json'), JSON.stringify(trained.toTokenizerJson()));
  mkdirSync(join(folder, 'bin'));
  const shim = join(folder, 'bin', 'crayon');
  writeFileSync(shim, `#!/bin/sh\nexec '${process.execPath}' '${cli}' "$@"\n`);
  chmodSync(shim, 0o755);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The arguments of an example that is a single command without shell syntax. */
function argumentsOf(example: string): string[] | undefined {
  const words = Array.from(example.matchAll(/"([^"]*)"|(\S+)/g), ([, quoted, bare]) => quoted ?? bare!);
  const takesShell = /[|&<>]/.test(example.replaceAll(/"[^"]*"/g, ''));
  return words[0] === 'crayon' && !takesShell ? words.slice(1) : undefined;
}

function runExample(example: string): { status: number | null; stdout: string; stderr: string } {
  const args = argumentsOf(example);
  if (args !== undefined)
    return crayon(args.includes('bench') && !args.includes('grid.jsonl') ? [...args, '--seconds', '0.1'] : args, folder);
  const env = plainEnvironment({ PATH: `${join(folder, 'bin')}${delimiter}${process.env.PATH}` });
  return spawnSync('sh', ['-c', example], { cwd: folder, env, encoding: 'utf8' });
}

it('lists every command', () => {
  const { stdout } = crayon(['--help'], folder);
  for (const command of [...COMMANDS, 'cache', 'dataset']) expect(stdout).toMatch(new RegExp(`^  ${command} `, 'm'));
  const { stdout: dna } = crayon(['dna', '--help'], folder);
  for (const command of OF_DNA) expect(dna).toMatch(new RegExp(`^  ${command} `, 'm'));
  const { stdout: bench } = crayon(['dna', 'bench', '--help'], folder);
  for (const command of OF_DNA_BENCH) expect(bench).toMatch(new RegExp(`^  ${command} `, 'm'));
});

const names = [...COMMANDS, ...OF_DNA.map((command) => `dna ${command}`), ...OF_DNA_BENCH.map((command) => `dna bench ${command}`)];
describe.each(names)('crayon %s --help', (command) => {
  const { status, stdout: help } = crayon([...command.split(' '), '--help'], process.cwd());
  const examples = Array.from(help.matchAll(/^ {2}\$ (.*)$/gm), ([, example]) => example as string);

  it('says what to type', () => {
    expect(status).toBe(0);
    expect(help).toContain(`Usage: crayon ${command}`);
    expect(examples.length).toBeGreaterThan(1);
  });

  it.skipIf(process.platform === 'win32').each(examples)('%s', (example) => {
    const { status, stdout, stderr } = runExample(example);
    expect(status).toBe(0);
    // With the cartridge on standard output, the message goes to standard error.
    if (example.includes('-o -')) expect(stderr).toMatch(/^standard output: [\d,]+ bytes/);
    else expect({ stderr, stdout }).toEqual({ stderr: '', stdout: expect.stringMatching(/./) as string });
  });
});
