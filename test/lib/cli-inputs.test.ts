// What the command `crayon` reads: names, patterns, standard input; and the progress it shows meanwhile.

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { get_encoding } from 'tiktoken';
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

it('a file of another kind is named as what it is', () => {
  const kinds: [string, number[], string][] = [
    ['picture.png', [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a], 'is a PNG image'],
    ['text.pdf', [...Buffer.from('%PDF-1.7')], 'is a PDF document'],
    ['own.cray', [...Buffer.from('CRAY')], 'is a cartridge'],
  ];
  for (const [name, bytes, kind] of kinds) {
    writeFileSync(join(folder, name), Uint8Array.from(bytes));
    for (const args of [['count'], ['encode'], ['truncate', '-n', '3']]) {
      const { status, stderr } = crayon([...args, name]);
      expect({ status, stderr }).toEqual({ status: 0, stderr: `crayon: ${name}: ${kind}, and is read as if it were text\n` });
    }
  }
  expect(crayon(['count', '-e', './picture.png', '--text', 'a']).stderr).toContain('it is an image or a document: use the model');
  const zipped = join(folder, 'ids.gz');
  writeFileSync(zipped, Uint8Array.of(0x1f, 0x8b, 8, 0));
  expect(crayon(['decode', 'ids.gz']).stderr).toContain('ids.gz: is compressed with gzip, and is read as if it were text\n');
});

describe('patterns', () => {
  it('without a match are named by commands that take all files or none', () => {
    for (const args of [
      ['train', 'docs/*.rs', '-o', 'x.cray', '-v', '300'],
      ['verify', 'docs/*.rs'],
    ])
      expect(crayon(args)).toMatchObject({ status: 1, stderr: 'crayon: docs/*.rs: no file matches the pattern\n' });
  });

  it('name cartridges to verify', () => {
    const { status, stdout } = crayon(['verify', '--json', join(import.meta.dirname, '../../cartridges/{hyenadna,gpn}.cray')]);
    expect([status, JSON.parse(stdout).cartridges?.length ?? stdout]).toEqual([0, 2]);
  });

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

  it('give names as written, relative or absolute', () => {
    expect(named([`${folder}/docs/*.txt`])).toEqual([`${folder}/docs/two.txt`]);
  });

  it('do not shadow a file of that name', () => {
    expect(named(['docs/a[b].md'])).toEqual(['docs/a[b].md']);
  });

  it('are summed with everything else', () => {
    const { status, stdout } = crayon(['count', '-', 'docs/*.md', 'docs/two.txt'], 'hello world');
    expect(status).toBe(0);
    expect(stdout).toBe('2\n1\tdocs/a[b].md\n1\tdocs/one.md\n2\tdocs/two.txt\n6\ttotal\n');
  });

  it('fail like a missing file if they match nothing', () => {
    const { status, stdout, stderr } = crayon(['count', 'docs/*.rs', 'docs/one.md']);
    expect(status).toBe(1);
    expect(stdout).toBe('1\tdocs/one.md\n1\ttotal\n');
    expect(stderr).toBe('crayon: docs/*.rs: no file matches the pattern\n');
  });

  it('work for encode and decode', () => {
    expect(crayon(['encode', 'docs/t*.txt']).stdout).toBe('24912 2375\n');
    writeFileSync(join(folder, 'ids.json'), '[24912, 2375]');
    expect(crayon(['decode', '*.json']).stdout).toBe('hello world');
  });
});

it.runIf(process.platform === 'linux')('says that Node opens no file whose name is not UTF-8', () => {
  const inFolder = (name: string) => Buffer.from(join(folder, name), 'latin1'); // é is one byte, as names in Latin-1 have it
  mkdirSync(inFolder('latin'));
  writeFileSync(inFolder('latin/café.txt'), 'hello');
  const advice = ' (\ufffd stands for bytes that are not UTF-8: Node opens no file with such a name; rename it)\n';
  expect(crayon(['count', 'latin/*', 'docs/one.md'])).toMatchObject({
    status: 1,
    stdout: '1\tdocs/one.md\n1\ttotal\n',
    stderr: `crayon: latin/caf\ufffd.txt: no such file${advice}`,
  });
  for (const args of [['compile', '-o', 'x'], ['inspect'], ['train', '--vocabulary-size', '300', '-o', 'x']]) {
    const [command = '', ...options] = args;
    const { status, stderr } = crayon([command, 'latin/caf\ufffd.txt', ...options]); // as Node passes the name on
    expect([status, stderr.endsWith(advice)], stderr).toEqual([1, true]);
  }
});

describe('--ignore', () => {
  it.each([
    [
      ['docs/**', '--ignore', 'docs/deep/**'],
      ['docs/a[b].md', 'docs/one.md', 'docs/two.txt'],
    ],
    [
      ['docs/**', '--ignore', 'docs/deep'],
      ['docs/a[b].md', 'docs/one.md', 'docs/two.txt'],
    ],
    [['docs/**', '--ignore', '**/*.md'], ['docs/two.txt']],
    [
      ['--ignore', '**/deep', 'docs/**', '--ignore', '**/o*'],
      ['docs/a[b].md', 'docs/two.txt'],
    ],
    [
      ['docs/one.md', './docs/deep/three.md', 'docs/a[b].md', '--ignore', 'docs/deep'],
      ['docs/one.md', 'docs/a[b].md'],
    ],
    [['docs/one.md', 'docs/a[b].md', '--ignore', 'docs/a*'], ['docs/one.md']],
    [['docs', 'docs/one.md', 'docs/two.txt', '--ignore', '**/*.txt', '--ignore', 'do?s', 'x.md'], undefined],
    [['docs/deep', 'docs/one.md', '--ignore', 'docs/deep'], ['docs/one.md']],
    [
      ['docs/*.md', 'docs/deep/*.md', '--ignore', 'docs/deep'],
      ['docs/a[b].md', 'docs/one.md'],
    ],
    [['docs/.hidden.md', 'docs/one.md', '--ignore', 'docs/.*'], ['docs/one.md']],
  ] as [string[], string[] | undefined][])('%j', (args, files) => {
    if (files) expect(named(args)).toEqual(files);
    else expect(crayon(['count', ...args])).toMatchObject({ status: 1, stderr: 'crayon: x.md: no such file\n' });
  });

  it('takes absolute paths and patterns, on either side', () => {
    const all = [`${folder}/docs/*.md`, `${folder}/docs/two.txt`];
    expect(named([...all, '--ignore', 'docs/*.md'])).toEqual([`${folder}/docs/two.txt`]);
    expect(named(['docs/*.md', 'docs/two.txt', '--ignore', `${folder}/docs/*.md`])).toEqual(['docs/two.txt']);
  });

  it('never excludes standard input or missing files', () => {
    const { status, stdout, stderr } = crayon(['count', '-', 'missing.md', '--ignore', '**'], 'hello');
    expect({ status, stdout, stderr }).toEqual({
      status: 1,
      stdout: '1\n1\ttotal\n',
      stderr: 'crayon: missing.md: no such file\n',
    });
  });

  it('fails if it leaves no file, instead of reading standard input', () => {
    const { status, stdout, stderr } = crayon(['count', 'docs/*.md', 'docs/one.md', '--ignore', 'docs'], 'hello');
    expect({ status, stdout, stderr }).toEqual({
      status: 1,
      stdout: '',
      stderr: 'crayon: no file is left: --ignore leaves out all of them\n',
    });
  });

  it('works for encode and decode', () => {
    expect(crayon(['encode', 'docs/one.md', 'docs/two.txt', '--ignore', '**/one.md']).stdout).toBe('24912 2375\n');
    writeFileSync(join(folder, 'more-ids.json'), '[24912]');
    expect(crayon(['decode', '*ids.json', '--ignore', 'ids.json']).stdout).toBe('hello');
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
  expect(stderr).toBe('crayon: standard input: can be read only once, and has been read already\n');
});

describe('odd inputs', () => {
  const reference = (bytes: Uint8Array | string) => {
    const encoding = get_encoding('o200k_base');
    const text = typeof bytes === 'string' ? bytes : new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
    const ids = encoding.encode(text, [], []);
    encoding.free();
    return ids;
  };
  const counted = (bytes: Uint8Array | string) => {
    writeFileSync(join(folder, 'odd'), bytes);
    const { status, stdout, stderr } = crayon(['count', 'odd']);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    return Number(stdout.split('\t')[0]);
  };

  it('a byte order mark, NUL and line ends of all kinds are text', () => {
    for (const text of ['\uFEFFhello\r\nworld\r\n', 'a\0b\0', '\r\r\n\n\r', '\n']) {
      expect(counted(text)).toBe(reference(text).length);
    }
  });

  it('binary input is text with U+FFFD, and decodes to the same bytes', () => {
    const bytes = Uint8Array.from({ length: 5000 }, (_, index) => (index * 7919 + (index >> 4)) & 0xff);
    counted(bytes);
    const { stdout } = crayon(['encode', 'odd']);
    expect(run(['decode'], folder, stdout).bytes.equals(bytes)).toBe(true);
  });

  it('a line may be long', () => {
    const text = 'word '.repeat(700_000);
    expect(counted(text)).toBe(reference(text).length);
  });

  it('names that are empty, and directories', () => {
    expect(crayon(['count', '', 'docs/one.md/x'])).toMatchObject({
      status: 1,
      stderr: 'crayon: "": no such file\n' + 'crayon: docs/one.md/x: no such file: part of the path is a file, not a directory\n',
    });
  });

  it.skipIf(process.platform === 'win32')('a pipe with a name, also with --ignore', () => {
    const script = `mkfifo pipe && { printf 'hello world' > pipe & } && "$0" "$1" count pipe docs/one.md --ignore 'x'`;
    const args = ['-c', script, process.execPath, cli];
    const { stdout, stderr } = spawnSync('sh', args, { cwd: folder, encoding: 'utf8' });
    expect({ stdout, stderr }).toEqual({ stdout: '2\tpipe\n1\tdocs/one.md\n3\ttotal\n', stderr: '' });
  });

  it.skipIf(process.platform === 'win32' || process.getuid?.() === 0)('a file that may not be read', () => {
    writeFileSync(join(folder, 'secret'), 'x', { mode: 0 });
    expect(crayon(['count', 'secret'])).toMatchObject({ status: 1, stderr: 'crayon: secret: permission denied\n' });
  });

  it.skipIf(process.platform === 'win32')('a directory as standard input', () => {
    const script = '"$0" "$1" count < docs';
    const { status, stderr } = spawnSync('sh', ['-c', script, process.execPath, cli], { cwd: folder, encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 1, stderr: 'crayon: standard input: is a directory\n' });
  });
});

it('line ends are counted unchanged', () => {
  writeFileSync(join(folder, 'dos.txt'), 'a\r\nb\r\n');
  // "a", "\r\n", "b", "\r\n"
  expect(crayon(['encode', '-e', 'cl100k_base', 'dos.txt']).stdout).toBe('64 319 65 319\n');
});

describe('the progress bar', () => {
  const progress = fileURLToPath(new URL('../../dist/node/internals.js', import.meta.url));
  /** Work that writes two lines of output; the pause between them is longer than the bar stays hidden after one. */
  const program = (wanted: boolean) => `
    import { clearProgress, Progress } from ${JSON.stringify(progress)};
    const progress = new Progress(100, ${wanted}, { patience: 0 });
    for (const line of ['one', 'two']) {
      await progress.add(25);
      await new Promise((done) => setTimeout(done, 300));
      await progress.add(25);
      clearProgress();
      console.log(line);
    }
    progress.end();
    console.log('end');`;

  it.skipIf(!hasTerminal)('appears on a terminal, makes room for output, and disappears', () => {
    const written = onTerminal(['--input-type=module', '--eval', program(true)], folder);
    for (const share of ['25 %', '50 %', '100 %']) expect(written).toContain(share);
    expect(screenAfter(written)).toEqual(['one', 'two', 'end', '']);
    expect(written).not.toMatch(/\x1b\[\?/); // it changes no terminal mode, which an interrupt would leave changed
  });

  it.skipIf(!hasTerminal)('stays hidden if it is disabled, or the work is short', () => {
    expect(onTerminal(['--input-type=module', '--eval', program(false)], folder)).toBe('one\r\ntwo\r\nend\r\n');
    expect(onTerminal([cli, 'count', 'docs/two.txt'], folder)).toBe('2\tdocs/two.txt\r\n');
  });

  it.skipIf(!hasTerminal)('shows the note of work whose amount is known late', () => {
    const steps = (wanted: boolean) => `
      import { Progress } from ${JSON.stringify(progress)};
      const progress = new Progress(0, ${wanted}, { patience: 0 });
      progress.at(0, 4, '; read');
      progress.at(1, 4, '; tokens');
      await new Promise((done) => setTimeout(done, 300));
      progress.at(3, 4, '; build');
      await new Promise((done) => setTimeout(done, 300));
      progress.end();
      console.log('end');`;
    const written = onTerminal(['--input-type=module', '--eval', steps(true)], folder);
    expect(written).toContain('75 %');
    expect(written).toContain('; build');
    expect(screenAfter(written)).toEqual(['end', '']);
    expect(onTerminal(['--input-type=module', '--eval', steps(false)], folder)).toBe('end\r\n');
  });

  it('never appears in a pipe', () => {
    const { stdout, stderr } = crayon(['verify', 'r50k_base']);
    expect(stdout + stderr).not.toMatch(/[\x1b\r]|%/);
  });
});

/** The lines of a terminal after this output, following cursor movements within a line and back to a mark. */
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
