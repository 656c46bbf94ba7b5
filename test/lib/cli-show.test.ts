// `crayon encode --show`: the text stays readable, and every token is distinguishable from its neighbours.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { get_encoding } from 'tiktoken';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { cli, crayon as run, hasTerminal, onTerminal } from './command.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'crayon-test-'));
  writeFileSync(join(folder, 'hello.txt'), 'hello world');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Environment = Record<string, string>;
const crayon = (args: string[], input?: string | Uint8Array, env?: Environment) => run(args, folder, input, env);
const ESCAPE = /\x1b\[(\d+)m/g;

describe('without colours', () => {
  it('a bar separates two tokens', () => {
    expect(crayon(['encode', '--show', 'hello.txt']).stdout).toBe('hello│ world\n');
    expect(crayon(['encode', '--show'], '').stdout).toBe('');
  });

  it('white space is marked and kept', () => {
    expect(crayon(['encode', '--show', '-e', 'cl100k_base'], 'a\r\nb\tc\n').stdout).toBe('a│␍↵\n│b│⇥\tc│↵\n');
  });

  it('parts of characters appear as bytes, and terminal controls are escaped', () => {
    // 𓂀 is the bytes f0 93 82 80, and no two of them are a token.
    expect(crayon(['encode', '--show'], '𓂀').stdout).toBe('\\xf0│\\x93│\\x82│\\x80\n');
    const { stdout } = crayon(['encode', '--show'], 'a\x1b[31m\u202e');
    expect(stdout).toContain('\\u{1b}');
    expect(stdout).toContain('\\u{202e}');
    expect(stdout).not.toMatch(/[\x1b\u202e]/);
    expect(crayon(['encode', '--show'], Uint8Array.of(0x61, 0xff)).stdout).toBe('a│\\xff\n');
  });

  it('special tokens have brackets', () => {
    const { stdout } = crayon(['encode', '--show', '--special', 'allow'], 'hello<|endoftext|>');
    expect(stdout).toBe('hello│⟦<|endoftext|>⟧\n');
    expect(crayon(['encode', '--show'], '<|endoftext|>').stdout).not.toContain('⟦');
  });

  it('several inputs are labelled with their names', () => {
    const { stdout } = crayon(['encode', '--show', 'hello.txt', '-'], 'hello');
    expect(stdout).toBe('==> hello.txt <==\nhello│ world\n\n==> standard input <==\nhello\n');
  });
});

describe('--show-ids', () => {
  it('writes a line for each token', () => {
    expect(crayon(['encode', '--show-ids', 'hello.txt']).stdout).toBe(' 24912  "hello"\n  2375  " world"\n');
    expect(crayon(['encode', '--show-ids', '-s', 'allow'], '"\\\t<|endoftext|>').stdout).toMatch(
      /^.*"\\"\\\\"\n.*"\\t"\n199999 {2}"<\|endoftext\|>" {2}special\n$/,
    );
  });

  it('has the ids of the reference, and lines that give the text again', () => {
    const text = 'Straße "quoted" \\ 東京\n\t👍🏽 \u200b𓂀\x1b';
    const reference = get_encoding('o200k_base');
    const expected = [...reference.encode(text, [], [])];
    reference.free();
    const lines = crayon(['encode', '--show-ids'], text).stdout.trimEnd().split('\n');
    expect(lines.map((line) => Number(line.slice(0, 6)))).toEqual(expected);
    const bytes = lines.map((line) => unquote(line.slice(8)));
    expect(Buffer.concat(bytes).toString()).toBe(text);
  });
});

/** The bytes that a quoted token stands for. */
function unquote(quoted: string): Buffer {
  const parts = /^"((?:[^"\\]|\\.)*)"$/su.exec(quoted)![1]!.matchAll(/\\x(..)|\\u\{(\w+)\}|\\(.)|(.)/gsu);
  const named: Record<string, string> = { n: '\n', r: '\r', t: '\t' };
  return Buffer.concat(
    Array.from(parts, ([, byte, point, escape, plain]) => {
      if (byte !== undefined) return Buffer.from(byte, 'hex');
      if (point !== undefined) return Buffer.from(String.fromCodePoint(Number.parseInt(point, 16)));
      return Buffer.from(plain ?? named[escape!] ?? escape!);
    }),
  );
}

describe('colours', () => {
  it('distinguish neighbours, and special tokens from all others', () => {
    const text = 'one two three four five six<|endoftext|>\nseven\n';
    const { stdout } = crayon(['encode', '--show', '--color', '--special', 'allow'], text, { FORCE_COLOR: '1' });
    expect(stdout.replace(ESCAPE, '')).toBe('one two three four five six<|endoftext|>↵\nseven↵\n');
    const codes = Array.from(stdout.matchAll(ESCAPE), ([, code]) => Number(code));
    const backgrounds = codes.filter((code) => code > 40 && code < 48);
    expect(backgrounds).toHaveLength(10);
    for (const [index, colour] of backgrounds.entries()) expect(colour).not.toBe(backgrounds[index + 1]);
    expect(backgrounds.filter((colour) => colour === 41)).toHaveLength(1);
    // No line ends in a colour.
    for (const line of stdout.trimEnd().split('\n')) expect(line).toMatch(/\x1b\[39m$/);
  });

  it('are light with black letters if there are 256, readable on dark and light terminals', () => {
    const { stdout } = crayon(['encode', '--show', '--color', '--special', 'allow'], 'a b c d e f g h i j<|endoftext|>\n', {
      FORCE_COLOR: '2',
    });
    const painted = Array.from(stdout.matchAll(/\x1b\[38;5;(\d+)m\x1b\[48;5;(\d+)m/g), ([, letters, ground]) => [
      Number(letters),
      Number(ground),
    ]);
    expect(painted).toHaveLength(12);
    for (const [index, [letters, ground]] of painted.entries()) {
      expect(ground).not.toBe(painted[index + 1]?.[1]);
      expect(contrast(letters!, ground!)).toBeGreaterThan(7);
    }
    for (const line of stdout.trimEnd().split('\n')) expect(line).toMatch(/\x1b\[39m(?:\x1b\[22m)?$/);
  });

  it('appear only on terminals, unless requested', () => {
    const coloured = (args: string[], env?: Environment) =>
      crayon(['encode', '--show', ...args, 'hello.txt'], '', env).stdout.includes('\x1b');
    expect(coloured([])).toBe(false);
    expect(coloured(['--color'])).toBe(true);
    expect(coloured(['--color'], { NO_COLOR: '1' })).toBe(true);
    expect(coloured([], { FORCE_COLOR: '1' })).toBe(true);
    expect(coloured([], { FORCE_COLOR: '0' })).toBe(false);
    expect(coloured([], { FORCE_COLOR: '1', NO_COLOR: '1' })).toBe(false);
    expect(coloured(['--no-color'], { FORCE_COLOR: '1' })).toBe(false);
  });

  it.skipIf(!hasTerminal)('appear on a terminal, and not with NO_COLOR', () => {
    const show = [cli, 'encode', '--show', 'hello.txt'];
    expect(onTerminal(show, folder)).toMatch(/^\x1b\[38;5;16m\x1b\[48;5;153mhello\x1b.* world\x1b\[49m\x1b\[39m\r\n$/);
    expect(onTerminal(show, folder, { TERM: 'xterm' })).toMatch(/^\x1b\[30m\x1b\[46mhello\x1b.* world\x1b\[49m\x1b\[39m\r\n$/);
    expect(onTerminal(show, folder, { NO_COLOR: '1' })).toBe('hello│ world\r\n');
    expect(onTerminal([...show, '--no-color'], folder)).toBe('hello│ world\r\n');
    expect(onTerminal(show, folder, { TERM: 'dumb' })).toBe('hello│ world\r\n');
  });
});

/** Contrast as WCAG defines it, of two of the 256 colours beyond the first 16. */
function contrast(one: number, other: number): number {
  const channel = (step: number) => (step === 0 ? 0 : 55 + 40 * step) / 255;
  const linear = (value: number) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
  const luminance = (colour: number) => {
    const [r, g, b] = [Math.floor((colour - 16) / 36), Math.floor((colour - 16) / 6) % 6, (colour - 16) % 6].map((step) =>
      linear(channel(step)),
    );
    return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
  };
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light! + 0.05) / (dark! + 0.05);
}

describe('with --json', () => {
  interface Shown {
    encoding: string;
    files: { file: string; tokens: { id: number; text?: string; hex?: string; special?: boolean }[] }[];
  }

  it.each([['--show'], ['--show-ids']])('%s writes an object for each token', (flag) => {
    const text = 'Straße "quoted" \\ 東京\n👍🏽 𓂀\x1b<|endoftext|>';
    const reference = get_encoding('o200k_base');
    const expected = Array.from(reference.encode(text, 'all'), (id) => ({
      id,
      bytes: Buffer.from(reference.decode_single_token_bytes(id)),
    }));
    reference.free();
    const { status, stdout, stderr } = crayon(['encode', flag, '--json', '-s', 'allow', '-', 'hello.txt'], text);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const { encoding, files } = JSON.parse(stdout) as Shown;
    expect(encoding).toBe('o200k_base');
    expect(files.map(({ file }) => file)).toEqual(['-', 'hello.txt']);
    const tokens = files[0]!.tokens;
    expect(tokens.map(({ id, text, hex }) => ({ id, bytes: text === undefined ? Buffer.from(hex!, 'hex') : Buffer.from(text) }))).toEqual(
      expected,
    );
    expect(tokens.filter(({ hex }) => hex !== undefined)).not.toHaveLength(0);
    expect(tokens.filter(({ special }) => special).map(({ id }) => id)).toEqual([199999]);
    expect(files[1]!.tokens).toEqual([
      { id: 24912, text: 'hello' },
      { id: 2375, text: ' world' },
    ]);
    expect(crayon(['decode'], stdout).stdout).toBe(`${text}hello world`);
  });

  it('has no colours, and reports why a file has no tokens', () => {
    const { status, stdout } = crayon(['encode', '--show', '--json', '--color', 'missing.txt', 'hello.txt']);
    expect(status).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      files: [{ file: 'missing.txt', tokens: [], error: 'no such file' }, { file: 'hello.txt' }],
    });
    expect(stdout).not.toContain('\\u001b');
  });
});

it('--show and --show-ids are wrong usage', () => {
  expect(crayon(['encode', '--show', '--show-ids', 'hello.txt'])).toMatchObject({
    status: 2,
    stdout: '',
    stderr: expect.stringContaining("'--show-ids' cannot be used with option '--show'") as string,
  });
});
