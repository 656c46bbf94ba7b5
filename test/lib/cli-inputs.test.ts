// What the command `crayon` reads: names, patterns, standard input; and what it shows while it does.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { cli, crayon as run, hasTerminal, onTerminal } from './command.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'crayon-test-'));
  mkdirSync(join(folder, 'docs', 'deep'), { recursive: true });
  writeFileSync(join(folder, 'docs', 'one.md'), 'hello');
  writeFileSync(join(folder, 'docs', 'two.txt'), 'hello world');
  writeFileSync(join(folder, 'docs', 'deep', 'three.md'), 'hello world');
  writeFileSync(join(folder, 'docs', '.hidden.md'), 'hello');
  writeFileSync(join(folder, 'docs', 'a[b].md'), 'hello');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const crayon = (args: string[], input?: string) => run(args, folder, input);
const named = (args: string[]) =>
  crayon(['count', ...args])
    .stdout.split('\n')
    .filter((line) => line !== '' && !line.endsWith('\ttotal'))
    .map((line) => line.split('\t')[1]);

describe('patterns', () => {
  it.each([
    ['docs/*.md', ['docs/a[b].md', 'docs/one.md']],
    ['docs/**/*.md', ['docs/a[b].md', 'docs/deep/three.md', 'docs/one.md']],
    ['docs/**', ['docs/a[b].md', 'docs/deep/three.md', 'docs/one.md', 'docs/two.txt']],
    ['docs/{one,two}.*', ['docs/one.md', 'docs/two.txt']],
    ['docs/o?e.md', ['docs/one.md']],
    ['docs/.*.md', ['docs/.hidden.md']],
  ])('%s', (pattern, files) => {
    expect(named([pattern])).toEqual(files);
  });

  it('give names as they are written: from here, or from the root', () => {
    expect(named([`${folder}/docs/*.txt`])).toEqual([`${folder}/docs/two.txt`]);
  });

  it('do not hide a file of that name', () => {
    expect(named(['docs/a[b].md'])).toEqual(['docs/a[b].md']);
  });

  it('are summed with everything else', () => {
    const { status, stdout } = crayon(['count', '-', 'docs/*.md', 'docs/two.txt'], 'hello world');
    expect(status).toBe(0);
    expect(stdout).toBe('2\n1\tdocs/a[b].md\n1\tdocs/one.md\n2\tdocs/two.txt\n6\ttotal\n');
  });

  it('that match nothing fail as a missing file', () => {
    const { status, stdout, stderr } = crayon(['count', 'docs/*.rs', 'docs/one.md']);
    expect(status).toBe(1);
    expect(stdout).toBe('1\tdocs/one.md\n1\ttotal\n');
    expect(stderr).toBe('crayon: docs/*.rs: no such file\n');
  });

  it('work for encode and decode', () => {
    expect(crayon(['encode', 'docs/t*.txt']).stdout).toBe('24912 2375\n');
    writeFileSync(join(folder, 'ids.json'), '[24912, 2375]');
    expect(crayon(['decode', '*.json']).stdout).toBe('hello world');
  });
});

it('a directory is refused with the pattern that names its files', () => {
  const { status, stderr } = crayon(['count', 'docs/']);
  expect(status).toBe(1);
  expect(stderr).toBe('crayon: docs/: is a directory; the pattern "docs/**" names the files in it\n');
});

it('standard input is read once', () => {
  const { status, stdout, stderr } = crayon(['count', '-', '-'], 'hello world');
  expect(status).toBe(1);
  expect(stdout).toBe('2\n2\ttotal\n');
  expect(stderr).toBe('crayon: standard input: has been read already, and can be read once\n');
});

it('line ends are counted as they are', () => {
  writeFileSync(join(folder, 'dos.txt'), 'a\r\nb\r\n');
  // "a", "\r\n", "b", "\r\n"
  expect(crayon(['encode', '-e', 'cl100k_base', 'dos.txt']).stdout).toBe('64 319 65 319\n');
});

describe('decode reads in bounded memory and time', () => {
  it('a word without end is refused at once', () => {
    const { status, stderr } = crayon(['decode'], '7'.repeat(3_000_000));
    expect(status).toBe(1);
    expect(stderr).toBe(`crayon: standard input: "${'7'.repeat(40)}…" (number 1) is not a token id\n`);
  });

  it('an object in many parts is put together', () => {
    const ids = Array.from({ length: 300_000 }, (_, index) => [24912, 2375][index % 2]);
    const { status, stdout } = crayon(['decode'], `  ${JSON.stringify({ ids }, null, 1)}`);
    expect(status).toBe(0);
    expect(stdout === 'hello world'.repeat(150_000)).toBe(true);
  });
});

describe('the progress bar', () => {
  const progress = fileURLToPath(new URL('../../dist/cli/progress.js', import.meta.url));
  /** Work with two lines of output in between; the pause is longer than the bar stays away after one. */
  const program = (wanted: boolean) => `
    import { clearProgress, Progress } from ${JSON.stringify(progress)};
    const progress = new Progress(100, ${wanted}, 0);
    for (const line of ['one', 'two']) {
      await progress.add(25);
      await new Promise((done) => setTimeout(done, 300));
      await progress.add(25);
      clearProgress();
      console.log(line);
    }
    progress.end();
    console.log('end');`;

  it.skipIf(!hasTerminal)('is on a terminal, makes room for output, and goes', () => {
    const written = onTerminal(['--input-type=module', '--eval', program(true)], folder);
    for (const share of ['25 %', '50 %', '100 %']) expect(written).toContain(share);
    expect(screenAfter(written)).toEqual(['one', 'two', 'end', '']);
    expect(written).not.toMatch(/\x1b\[\?/); // no mode of the terminal is changed, for an interrupt would leave it so
  });

  it.skipIf(!hasTerminal)('is not there if it is not wanted, nor for short work', () => {
    expect(onTerminal(['--input-type=module', '--eval', program(false)], folder)).toBe('one\r\ntwo\r\nend\r\n');
    expect(onTerminal([cli, 'count', 'docs/two.txt'], folder)).toBe('2\tdocs/two.txt\r\n');
  });

  it.skipIf(!hasTerminal)('says which step is under way, where steps cannot say how long they take', () => {
    const steps = (wanted: boolean) => `
      import { Steps } from ${JSON.stringify(progress)};
      const steps = new Steps(['read', 'tokens', 'build'], ${wanted}, 0);
      await new Promise((done) => setTimeout(done, 200));
      steps.at('tokens');
      await new Promise((done) => setTimeout(done, 300));
      steps.end();
      console.log('end');`;
    const written = onTerminal(['--input-type=module', '--eval', steps(true)], folder);
    expect(written).toContain('step 1 of 3: read');
    expect(written).toContain('step 2 of 3: tokens');
    expect(screenAfter(written)).toEqual(['end', '']);
    expect(onTerminal(['--input-type=module', '--eval', steps(false)], folder)).toBe('end\r\n');
  });

  it('is never in a pipe', () => {
    const { stdout, stderr } = crayon(['verify', 'r50k_base']);
    expect(stdout + stderr).not.toMatch(/[\x1b\r]|%/);
  });
});

/** The lines of a terminal on which this was written, as far as cursor moves within a line and back to a mark go. */
function screenAfter(written: string): string[] {
  const lines = [''];
  let cursor = { line: 0, column: 0 };
  let saved = cursor;
  for (const [part, code, final] of written.matchAll(/\x1b\[(\d*)([A-Z])|\x1b[78]|[\s\S]/g)) {
    const { line, column } = cursor;
    const text = lines[line] as string;
    if (final === 'G') cursor = { line, column: Number(code || 1) - 1 };
    else if (final === 'K') lines[line] = code === '2' ? '' : text.slice(0, column);
    else if (part === '\x1b7') saved = cursor;
    else if (part === '\x1b8') cursor = saved;
    else if (part === '\r') cursor = { line, column: 0 };
    else if (part === '\n') {
      cursor = { line: line + 1, column };
      lines[cursor.line] ??= '';
    } else {
      lines[line] = text.slice(0, column).padEnd(column) + part + text.slice(column + 1);
      cursor = { line, column: column + 1 };
    }
  }
  return lines;
}
