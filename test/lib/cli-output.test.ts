// Where the command `crayon` writes: output that fails, readers that exit, and cartridges on standard output.

import { spawn, spawnSync } from 'node:child_process';
import { closeSync, existsSync, lstatSync, mkdtempSync, openSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { cli, crayon as run, hasTerminal, onTerminal, plainEnvironment } from './command.js';

const FULL = '/dev/full';
const built = (name: string) => readFileSync(new URL(`../../cartridges/${name}.cray`, import.meta.url));

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'crayon-test-'));
  writeFileSync(join(folder, 'hello.txt'), 'hello world');
  writeFileSync(join(folder, 'ids.txt'), '24912 2375');
  writeFileSync(join(folder, 'much.fa'), `>much\n${'ACGT'.repeat(500_000)}\n`);
  writeFileSync(join(folder, 'much.txt'), 'some words to write about\n'.repeat(200_000));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const crayon = (...args: string[]) => run(args, folder);

/** Runs with one of its streams on a full device. */
function onFullDevice(args: string[], stream: 'stdout' | 'stderr') {
  const full = openSync(FULL, 'w');
  const stdio = stream === 'stdout' ? (['ignore', full, 'pipe'] as const) : (['ignore', 'pipe', full] as const);
  const options = { cwd: folder, env: plainEnvironment(), stdio: [...stdio], encoding: 'utf8' as const };
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, ...args], options);
  closeSync(full);
  return { status, stdout, stderr };
}

describe.skipIf(!existsSync(FULL))('a full device', () => {
  it.each([
    ['count', 'hello.txt'],
    ['count', '--json', 'hello.txt'],
    ['encode', 'hello.txt'],
    ['encode', 'much.txt'],
    ['encode', '--show', '--json', 'hello.txt'],
    ['decode', 'ids.txt'],
    ['inspect', 'lite'],
    ['verify', 'lite'],
    ['bench', '--seconds', '0.01'],
    ['info'],
    ['info', '--json', 'gpt2'],
    ['compile', 'lite', '-o', 'lite.cray'],
    ['compile', 'lite', '-o', '-'],
    ['dna', 'encode', 'much.fa'],
    ['dna', 'validate', 'much.fa'],
    ['dna', 'list-models'],
    ['--help'],
    ['help', 'count'],
    ['--version'],
  ])('as standard output of crayon %s %s', (...args) => {
    expect(onFullDevice(args, 'stdout')).toMatchObject({
      status: 1,
      stderr: 'crayon: standard output: no space left on device (ENOSPC)\n',
    });
  });

  it('as standard error changes nothing else', () => {
    expect(onFullDevice(['count', 'missing.txt', 'hello.txt'], 'stderr')).toMatchObject({
      status: 1,
      stdout: '2\thello.txt\n2\ttotal\n',
    });
    expect(onFullDevice(['unknown'], 'stderr')).toMatchObject({ status: 2, stdout: '' });
  });

  // Through a link, which is all that could be lost if the command replaced the file.
  it('as the file of crayon compile', () => {
    symlinkSync(FULL, join(folder, 'full'));
    expect(crayon('compile', 'lite', '-o', 'full')).toMatchObject({
      status: 1,
      stdout: '',
      stderr: 'crayon: cannot write full: no space left on device (ENOSPC)\n',
    });
    expect(lstatSync(join(folder, 'full')).isSymbolicLink()).toBe(true);
  });

  it('as the file of crayon dna encode', () => {
    symlinkSync(FULL, join(folder, 'full.npy'));
    expect(crayon('dna', 'encode', 'much.fa', '--window', '100', '-o', 'full.npy')).toMatchObject({
      status: 1,
      stdout: '',
      stderr: 'crayon: cannot write full.npy: no space left on device (ENOSPC)\n',
    });
    expect(lstatSync(join(folder, 'full.npy')).isSymbolicLink()).toBe(true);
  });
});

describe.skipIf(process.platform === 'win32')('a reader that exits', () => {
  it.each([
    ['encode', 'much.txt'],
    ['encode', '--show', 'much.txt'],
    ['encode', '--json', 'much.txt'],
    ['dna', 'encode', 'much.fa'],
  ])('ends crayon %s %s quietly, as SIGPIPE ends others', async (...args) => {
    const child = spawn(process.execPath, [cli, ...args], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
    let stderr = '';
    child.stderr.on('data', (chunk) => {
      stderr += chunk;
    });
    child.stdout.once('data', () => child.stdout.destroy());
    const status = await new Promise((done) => child.on('exit', done));
    expect({ status, stderr }).toEqual({ status: 128 + 13, stderr: '' });
  });

  it('ends it too while input keeps coming', () => {
    const script = 'yes "some words" | { "$0" "$1" encode --show-ids; echo $? >&2; } | head -n 1';
    const { stdout, stderr } = spawnSync('sh', ['-c', script, process.execPath, cli], { encoding: 'utf8', timeout: 30_000 });
    expect({ stdout, stderr }).toEqual({ stdout: ' 25231  "some"\n', stderr: '141\n' });
  });

  it('has no effect once it has read everything', () => {
    const script = '{ "$0" "$1" count hello.txt; echo $? >&2; } | head -n 1';
    const { stdout, stderr } = spawnSync('sh', ['-c', script, process.execPath, cli], { cwd: folder, encoding: 'utf8' });
    expect({ stdout, stderr }).toEqual({ stdout: '2\thello.txt\n', stderr: '0\n' });
  });
});

describe('crayon compile -o -', () => {
  it('writes the cartridge to standard output, and its message to standard error', () => {
    const { status, bytes, stderr } = crayon('compile', 'lite', '-o', '-');
    expect(status).toBe(0);
    expect(bytes.equals(built('lite'))).toBe(true);
    expect(stderr).toBe(`standard output: ${built('lite').length.toLocaleString('en')} bytes\n`);
    expect(existsSync(join(folder, '-'))).toBe(false);
  });

  it('takes --slim and --json', () => {
    const { status, bytes, stderr } = crayon('compile', 'lite', '--slim', '--json', '-o', '-');
    expect(status).toBe(0);
    expect(bytes.equals(built('lite.slim'))).toBe(true);
    expect(JSON.parse(stderr)).toEqual({ file: '-', bytes: bytes.length, slim: true });
  });

  it('writes nothing if it fails', () => {
    expect(crayon('compile', 'missing.txt', '-o', '-')).toMatchObject({ status: 1, stdout: '' });
  });

  it.skipIf(!hasTerminal)('is refused on a terminal', () => {
    const written = onTerminal([cli, 'compile', 'lite', '-o', '-'], folder);
    expect(written).toMatch(/^crayon: --output -: standard output is a terminal, [^\0\r]*\r\n$/);
  });
});

describe('crayon compile -o FILE', () => {
  it.skipIf(process.platform === 'win32')('follows links, and writes into pipes', () => {
    writeFileSync(join(folder, 'target'), 'old');
    symlinkSync('target', join(folder, 'link'));
    expect(crayon('compile', 'lite', '-o', 'link').status).toBe(0);
    expect(lstatSync(join(folder, 'link')).isSymbolicLink()).toBe(true);
    expect(readFileSync(join(folder, 'target')).equals(built('lite'))).toBe(true);

    const script = 'mkfifo pipe && { cat pipe > copy & } && "$0" "$1" compile lite -o pipe && wait && test -p pipe';
    const { status } = spawnSync('sh', ['-c', script, process.execPath, cli], { cwd: folder });
    expect(status).toBe(0);
    expect(readFileSync(join(folder, 'copy')).equals(built('lite'))).toBe(true);
  });

  it('says briefly why it cannot', () => {
    const failing = (reason: string) => ({ status: 1, stdout: '', stderr: `crayon: cannot write ${reason}\n` });
    expect(crayon('compile', 'lite', '-o', 'no/x.cray')).toMatchObject(failing('no/x.cray: no such directory'));
    expect(crayon('compile', 'lite', '-o', '.')).toMatchObject(failing('.: is a directory'));
  });
});
