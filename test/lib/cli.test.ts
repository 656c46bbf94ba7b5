// The command `crayon`, as a process.

import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { get_encoding } from 'tiktoken';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { crayon as run } from './command.js';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string };

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'crayon-test-'));
  writeFileSync(join(folder, 'hello.txt'), 'hello world');
  writeFileSync(join(folder, 'empty.txt'), '');
  writeFileSync(join(folder, 'special.txt'), 'é<|endoftext|>');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const crayon = (args: string[], input?: string | Uint8Array) => run(args, folder, input);

describe('crayon count', () => {
  it('counts files, with a total', () => {
    const { status, stdout } = crayon(['count', 'hello.txt', 'empty.txt']);
    expect(status).toBe(0);
    expect(stdout).toBe('2\thello.txt\n0\tempty.txt\n2\ttotal\n');
    expect(crayon(['count', 'hello.txt']).stdout).toBe('2\thello.txt\n');
  });

  it('counts standard input', () => {
    expect(crayon(['count'], 'hello world').stdout).toBe('2\n');
    expect(crayon(['count', '-'], 'hello world').stdout).toBe('2\n');
    expect(crayon(['count'], '').stdout).toBe('0\n');
  });

  it('writes JSON', () => {
    const { stdout } = crayon(['count', '--json', 'hello.txt', 'empty.txt']);
    expect(JSON.parse(stdout)).toEqual({
      encoding: 'o200k_base',
      files: [
        { file: 'hello.txt', tokens: 2, bytes: 11 },
        { file: 'empty.txt', tokens: 0, bytes: 0 },
      ],
      total: 2,
    });
  });

  it('continues after a file that fails', () => {
    const { status, stdout, stderr } = crayon(['count', 'missing.txt', '.', 'hello.txt']);
    expect(status).toBe(1);
    expect(stdout).toBe('2\thello.txt\n2\ttotal\n');
    expect(stderr).toBe('crayon: missing.txt: no such file\ncrayon: .: is a directory; the pattern "./**" names the files in it\n');
    expect(JSON.parse(crayon(['count', '--json', 'missing.txt']).stdout)).toEqual({
      encoding: 'o200k_base',
      files: [{ file: 'missing.txt', error: 'no such file' }],
      total: 0,
    });
  });
});

describe('crayon encode and decode', () => {
  it('write ids and text', () => {
    expect(crayon(['encode', 'hello.txt']).stdout).toBe('24912 2375\n');
    expect(crayon(['encode', '-e', 'cl100k_base', 'hello.txt']).stdout).toBe('15339 1917\n');
    expect(crayon(['encode', '-m', 'gpt-4'], 'hello world').stdout).toBe('15339 1917\n');
    expect(crayon(['encode', 'hello.txt', 'empty.txt', 'hello.txt']).stdout).toBe('24912 2375\n\n24912 2375\n');
    expect(JSON.parse(crayon(['encode', '--json', 'hello.txt', '-'], 'hello').stdout)).toEqual({
      encoding: 'o200k_base',
      files: [
        { file: 'hello.txt', ids: [24912, 2375] },
        { file: '-', ids: [24912] },
      ],
    });
  });

  it('restore any bytes', () => {
    const bytes = Buffer.from(Array.from({ length: 3000 }, (_, i) => (i * i + (i >> 3)) & 0xff));
    for (const flags of [[], ['--json']]) {
      expect(crayon(['decode'], crayon(['encode', ...flags], bytes).stdout).bytes.equals(bytes)).toBe(true);
    }
  });

  it('stream long input: the ids of the whole text, wherever chunks end', () => {
    const text = 'Straße 東京 😀 isn’t 12345\n\n  '.repeat(60_000);
    writeFileSync(join(folder, 'long.txt'), text);
    const reference = get_encoding('o200k_base');
    const expected = reference.encode(text, [], []);
    reference.free();
    const { stdout } = crayon(['encode', 'long.txt']);
    expect(stdout.trim() === expected.join(' ')).toBe(true);
    expect(crayon(['encode'], text).stdout === stdout).toBe(true);
    expect(crayon(['count', 'long.txt']).stdout).toBe(`${expected.length}\tlong.txt\n`);
    expect(crayon(['decode'], stdout).stdout === text).toBe(true);
  });
});

describe('--special', () => {
  it('is text by default', () => {
    const reference = get_encoding('o200k_base');
    const asText = reference.encode('é<|endoftext|>', [], []).join(' ');
    reference.free();
    expect(crayon(['encode', 'special.txt']).stdout).toBe(`${asText}\n`);
    expect(crayon(['encode', '--special', 'text', 'special.txt']).stdout).toBe(`${asText}\n`);
    expect(crayon(['encode', '--special', '<|endofprompt|>', 'special.txt']).stdout).toBe(`${asText}\n`);
  });

  it('allows all, or those listed', () => {
    expect(crayon(['encode', '--special', 'allow', 'special.txt']).stdout).toMatch(/ 199999\n$/);
    expect(crayon(['encode', '-s', '<|endofprompt|>,<|endoftext|>', 'special.txt']).stdout).toMatch(/ 199999\n$/);
    expect(crayon(['decode', '--skip-special'], '24912 199999 2375').stdout).toBe('hello world');
  });

  it('forbids', () => {
    for (const command of ['count', 'encode']) {
      const { status, stderr } = crayon([command, '--special', 'forbid', 'special.txt']);
      expect(status).toBe(1);
      expect(stderr).toBe('crayon: special.txt: has a special token at byte 2, which --special forbid refuses\n');
    }
  });

  it('refuses an unknown special token', () => {
    const { status, stderr } = crayon(['count', '--special', 'all', 'hello.txt']);
    expect(status).toBe(1);
    expect(stderr).toMatch(/^crayon: --special: .*"all" is not a special token of o200k_base, which has <\|endoftext\|>, /);
  });
});

describe('crayon', () => {
  it('lists what is installed', () => {
    const { status, stdout } = crayon(['info', '--json']);
    expect(status).toBe(0);
    const facts = JSON.parse(stdout) as {
      kernels: string[];
      devices: string[];
      unavailable: Record<string, string>;
      cartridges: { file: string; encodings?: string[]; dna?: string }[];
    };
    expect(facts).toMatchObject({ version, backends: expect.arrayContaining(['native']) });
    expect(Object.keys(facts.unavailable)).toEqual(
      expect.arrayContaining(['cuda', 'hip'].filter((device) => !facts.devices.includes(device))),
    );
    expect(facts.devices[0]).toBe('cpu');
    expect(facts.kernels.at(-1)).toBe('scalar');
    expect(facts.cartridges.flatMap(({ encodings = [] }) => encodings).sort()).toEqual(
      ['cl100k_base', 'gpt2', 'lite', 'o200k_base', 'o200k_harmony', 'p50k_base', 'p50k_edit', 'r50k_base', 'standard'].flatMap((name) => [
        name,
        name,
      ]), // full and slim
    );
    expect(facts.cartridges.flatMap(({ dna = [] }) => dna).sort()).toEqual([
      'caduceus',
      'evo2',
      'gpn',
      'hyenadna',
      'nt-v1',
      'nt-v2',
      'nt-v3',
    ]);
    expect(crayon(['info']).stdout).toContain('o200k_base, o200k_harmony');
  });

  it('fits on one screen of 80 columns and 24 lines', () => {
    const { stdout } = run(['info'], folder, '', { CRAYON_CACHE_DIR: folder, HOME: '/home/somebody', CRAYON_DEVICE: '' });
    const lines = stdout.trimEnd().split('\n');
    expect(lines.length).toBeLessThan(24);
    // A path longer than a line is not cut.
    for (const line of lines) if (!/^\s*\S+(?:\s+\S+)?$/.test(line)) expect(line.length).toBeLessThanOrEqual(80);
    expect(lines[0]).toContain(`crayon ${version}, Node ${process.versions.node}`);
    expect(stdout).toMatch(/^ {2}o200k_base +\d.* MB(?:, \d.* MB slim)?: o200k_base, o200k_harmony$/m);
    expect(stdout).toMatch(/^ {2}DNA +caduceus, evo2, gpn, hyenadna, nt-v1, nt-v2, nt-v3$/m);
  });

  it('shows the settings, and what is wrong with them', () => {
    const info = (env: Record<string, string>) =>
      JSON.parse(run(['info', '--json'], folder, '', { CRAYON_DEVICE: '', CRAYON_FORCE_KERNEL: '', CRAYON_THREADS: '', ...env }).stdout);
    expect(info({}).environment).toEqual({});
    expect(info({ CRAYON_DEVICE: 'cpu', CRAYON_FORCE_KERNEL: 'scalar', CRAYON_THREADS: '2' }).environment).toEqual({
      CRAYON_DEVICE: { value: 'cpu' },
      CRAYON_FORCE_KERNEL: { value: 'scalar' },
      CRAYON_THREADS: { value: '2' },
    });
    expect(info({ CRAYON_DEVICE: 'gpu', CRAYON_FORCE_KERNEL: 'sse9', CRAYON_THREADS: 'all' }).environment).toEqual({
      CRAYON_DEVICE: { value: 'gpu', wrong: expect.stringContaining("'auto', 'cpu', 'cuda' or 'hip' for CRAYON_DEVICE") },
      CRAYON_FORCE_KERNEL: { value: 'sse9', wrong: expect.stringMatching(/no such kernel here, but .*scalar/) },
      CRAYON_THREADS: { value: 'all', wrong: expect.stringContaining('a positive integer for CRAYON_THREADS') },
    });
    const { unavailable, environment } = info({ CRAYON_DEVICE: 'hip' });
    expect(environment).toEqual({
      CRAYON_DEVICE: unavailable.hip === undefined ? { value: 'hip' } : { value: 'hip', wrong: unavailable.hip },
    });
    if (unavailable.cuda?.startsWith('there is no plugin'))
      expect(unavailable.cuda).toContain('crayon-tokenizer-cuda is not published on npm yet: ');
  });

  it('shows where imported vocabularies are cached, and their size', () => {
    const cache = join(folder, 'cache');
    const info = (cache: string) => JSON.parse(run(['info', '--json'], folder, '', { CRAYON_CACHE_DIR: cache }).stdout).importCache;
    expect(info(cache)).toEqual({ folder: cache, cartridges: 0, bytes: 0 });
    mkdirSync(cache, { recursive: true }); // where Node keeps compiled code, the command has made it
    writeFileSync(join(cache, 'a.cray'), '12345');
    writeFileSync(join(cache, 'b.cray'), '123');
    expect(info(cache)).toEqual({ folder: cache, cartridges: 2, bytes: 8 });
    expect(info('').folder).toContain('none');
  });

  it('shows where it searches for cartridges', () => {
    const built = fileURLToPath(new URL('../../cartridges', import.meta.url));
    copyFileSync(join(built, 'r50k_base.cray'), join(folder, 'mine.cray'));
    const { stdout } = run(['info', '--json'], folder, '', { CRAYON_PROFILE_DIR: folder, HOME: folder });
    const { searched, cartridges } = JSON.parse(stdout) as { searched: string[]; cartridges: object[] };
    const system = process.platform === 'linux' ? ['/var/cache/crayon'] : [];
    expect(searched).toEqual([built, folder, join(folder, '.cache/xerv/crayon/profiles'), ...system]);
    expect(cartridges).toContainEqual(expect.objectContaining({ file: join(folder, 'mine.cray'), encodings: ['r50k_base', 'gpt2'] }));
  });

  it('describes an encoding', () => {
    expect(JSON.parse(crayon(['info', '--json', 'gpt-4o']).stdout)).toMatchObject({
      name: 'o200k_base',
      model: 'bpe',
      pretokenizer: 'o200k',
      vocabularySize: 200019,
      specialTokens: { '<|endoftext|>': 199999, '<|endofprompt|>': 200018 },
    });
    expect(crayon(['info', 'gpt-4o']).stdout).toContain('<|endofprompt|>: 200018');
  });

  it('says what the model of a tokenizer.json is', () => {
    const pre_tokenizer = { type: 'Whitespace' };
    const level = { type: 'WordLevel', unk_token: '?', vocab: { '?': 0, hello: 1 } };
    const pieces = { ...level, type: 'WordPiece', continuing_subword_prefix: '##', max_input_chars_per_word: 100 };
    for (const [model, kind] of [
      [level, 'wordlevel'],
      [pieces, 'wordpiece'],
    ] as const) {
      writeFileSync(join(folder, 'tokenizer.json'), JSON.stringify({ model, pre_tokenizer }));
      expect(crayon(['info', 'tokenizer.json']).stdout).toContain(`model: ${kind}\n`);
    }
  });

  it('has help and a version', () => {
    expect(crayon(['--version'])).toMatchObject({ status: 0, stdout: `${version}\n` });
    for (const args of [['--help'], ['help', 'count'], ['count', '--help'], ['encode', '-h'], ['decode', '--help'], ['info', '--help']]) {
      const { status, stdout } = crayon(args);
      expect(status, args.join()).toBe(0);
      expect(stdout).toContain('Usage: crayon');
    }
  });

  it.each([
    [[]],
    [['unknown']],
    [['info', '']],
    [['inspect', 'https://example.org/a.cray']],
    [['count', '--ignore', '']],
    [['compile', 'lite', '-o', '']],
    [['count', '--unknown']],
    [['count', '--encoding']],
    [['count', '-e', 'gpt2', '-m', 'gpt-4']],
    [['info', 'gpt2', 'gpt-4']],
  ])('exits with 2 for wrong usage: %j', (args) => {
    const { status, stdout, stderr } = crayon(args);
    expect(status).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).not.toBe('');
  });

  it('suggests what was meant, and where to look', () => {
    expect(crayon(['conut'])).toMatchObject({
      status: 2,
      stderr: 'crayon: unknown command \'conut\'\n(Did you mean count?)\n"crayon --help" shows the commands.\n',
    });
    expect(crayon(['count', '--encodin', 'gpt2'])).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/^crayon: unknown option '--encodin'\n.*--encoding.*\n"crayon count --help" /) as string,
    });
    expect(crayon(['dataset', 'plan', 'x.jsonl']).stderr).toMatch(/--output.*\n"crayon dataset plan --help" shows/);
    expect(crayon(['dna', 'bench', 'grid', '--nope']).stderr).toMatch(/'--nope'\n"crayon dna bench grid --help" shows/);
    expect(crayon(['count', '-e', '', 'hello.txt']).stderr).toMatch(/^crayon: option '-e, --encoding <name>' .*empty/);
  });

  it('shows its commands when none is named', () => {
    const { stderr } = crayon([]);
    for (const command of ['count', 'compile', 'info']) expect(stderr).toMatch(new RegExp(`^  ${command} `, 'm'));
  });

  it('exits with 1 for an encoding that does not exist, and suggests one', () => {
    const { status, stdout, stderr } = crayon(['count', '-e', 'o200k', 'hello.txt']);
    expect(status).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toMatch(/^crayon: no encoding, model or cartridge is named "o200k"/);
  });
});
