// Paths that are not regular files, where a file is read completely: pipes without a writer, endless devices, files that
// are too large. Each program runs in its own process, so that one that hangs does not stop the tests.

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';

import { cli } from './command.js';
import { CONVENTIONS, writeDat } from './naive-dat.js';

const entry = new URL(`../../dist/node/${inject('backend') === 'wasm' ? 'wasm' : 'index'}.js`, import.meta.url);
const LIMIT = 2 ** 28;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'crayon-test-'));
  for (const ending of ['json', 'txt', 'tiktoken']) {
    execFileSync('mkfifo', [join(folder, `pipe.${ending}`)]);
    symlinkSync('/dev/zero', join(folder, `device.${ending}`));
    mkdirSync(join(folder, `folder.${ending}`));
    writeFileSync(join(folder, `large.${ending}`), '');
    truncateSync(join(folder, `large.${ending}`), LIMIT + 1); // sparse: no bytes on the disk
  }
  const dat = writeDat(
    ['a', 'b', 'ab'].map((token) => new TextEncoder().encode(token)),
    Object.values(CONVENTIONS)[0]!,
  );
  for (const name of ['pipe', 'device', 'folder', 'large', 'out']) writeFileSync(join(folder, `${name}.dat`), dat);
  writeFileSync(join(folder, 'few.json'), '["a", "b"]');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function runNode(args: string[]) {
  const options = { cwd: folder, encoding: 'utf8', timeout: 20_000 } as const;
  return spawnSync(process.execPath, ['--max-old-space-size=300', ...args], options);
}

/** The code and message of an expression's error, in JSON; null if it still waits after 20 seconds. */
function failureOf(expression: string) {
  const program = `
    import { compileCartridge, Tokenizer } from ${JSON.stringify(entry.href)};
    let failure = 'nothing was thrown';
    try { await (${expression}) } catch ({ name, code, message }) { failure = { name, code, message } }
    console.log(JSON.stringify(failure));`;
  const { stdout } = runNode(['--input-type=module', '--eval', program]);
  return stdout === '' ? null : (JSON.parse(stdout) as unknown);
}

const REFUSED = [
  ['pipe', 'FILE_UNREADABLE', 'the path exists but cannot be read as a file: it is a pipe'],
  ['device', 'FILE_UNREADABLE', 'the path exists but cannot be read as a file: it is a device'],
  ['folder', 'FILE_UNREADABLE', 'the path exists but cannot be read as a file: it is a directory'],
  ['large', 'FILE_TOO_LARGE', 'the file is larger than a list of tokens may be (256 MiB)'],
] as const;

describe.skipIf(process.platform === 'win32').each(REFUSED)('a %s', (name, code, why) => {
  const refused = (file: string) => ({ name: 'TokenizerError', code, message: `cannot read ${file}: ${why}` });

  it.each(['json', 'txt', 'tiktoken'])('as a source, .%s, is refused', (ending) => {
    const file = join(folder, `${name}.${ending}`);
    const options = `{ pretokenizer: ${ending === 'tiktoken' ? "'gpt2'" : 'undefined'} }`;
    expect(failureOf(`compileCartridge(${JSON.stringify(file)}, ${options})`)).toEqual(refused(file));
  });

  it('as the list beside a .dat is refused', () => {
    const [dat, list] = [join(folder, `${name}.dat`), join(folder, `${name}.json`)];
    expect(failureOf(`Tokenizer.loadSync(${JSON.stringify(dat)})`)).toEqual(refused(list));
    expect(failureOf(`Tokenizer.load(${JSON.stringify(dat)})`)).toEqual(refused(list));
    expect(failureOf(`compileCartridge(${JSON.stringify(dat)})`)).toEqual(refused(list));
  });

  it('is refused by the command', () => {
    for (const [source, output, wrong] of [
      [`${name}.txt`, 'x.cray', `${name}.txt`],
      [`${name}.dat`, 'x.cray', `${name}.json`],
      ['few.json', `${name}.dat`, `${name}.json`], // which would replace the list
    ] as const) {
      const { status, stderr } = runNode([cli, 'compile', source, '-o', output]);
      expect(stderr).toMatch(new RegExp(`^crayon: cannot read (/.*/)?${wrong.replace('.', '\\.')}: `));
      expect(stderr).toContain(why);
      expect(status).toBe(1);
    }
  });
});

it('a signal stops reading', () => {
  writeFileSync(join(folder, 'long.txt'), '');
  truncateSync(join(folder, 'long.txt'), LIMIT); // the largest allowed size
  const program = `
    import { compileCartridge } from ${JSON.stringify(entry.href)};
    const controller = new AbortController();
    let stages = [];
    const compiling = compileCartridge('long.txt', { signal: controller.signal, onProgress: ({ stage }) => stages.push(stage) });
    setImmediate(() => controller.abort(new Error('enough')));
    await compiling.catch(({ message }) => console.log(message, stages.join()));`;
  const { stdout } = runNode(['--input-type=module', '--eval', program]);
  expect(stdout).toBe('enough read\n');
});
