// `crayon compile`: an input that cannot be compiled is reported with the file, its ids and lines, and the invalid option.

import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { byteCharacter } from './byte-character.js';
import { crayon as run } from './command.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'crayon-test-'));
  const write = (file: string, text: string) => writeFileSync(join(folder, file), text);
  write('empty.json', '[]');
  write('blank.json', '["", ""]');
  write('empty.txt', '');
  write('empty.tiktoken', '');
  write('twice.json', '["a", "b", "c", "a", "b"]');
  write('twice.txt', 'a\nb\né\nab\né\n');
  write('vocab.json', '{"vocab": {"x": 7, "y": 3, "": 9}}');
  write('twice.tiktoken', 'YQ== 0\nYg== 1\nYQ== 2\n');
  write('few.tiktoken', 'AA== 0\nAg== 1\n');
  write('long.json', JSON.stringify(['a', 'b', 'x'.repeat(65_536)]));
  write('longest.json', JSON.stringify(['a', 'b', 'x'.repeat(65_535)]));
  write('good.json', '["a", "b"]');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const compile = (args: string[]) => run(['compile', ...args, '-o', 'x.cray'], folder);

describe('crayon compile names what is wrong', () => {
  it.each([
    [['empty.json'], 'expected at least one token that is not empty for empty.json but received none'],
    [['blank.json'], 'expected at least one token that is not empty for blank.json but received 2 that are empty'],
    [['empty.txt'], 'expected at least one token that is not empty for empty.txt but received none'],
    [['empty.tiktoken', '-p', 'gpt2'], 'cannot read empty.tiktoken: it is empty: was it downloaded or written to its end?'],
    [['twice.json'], 'cannot compile twice.json: the ids 0 and 3 have the same token, "a"'],
    [['twice.txt'], 'cannot compile twice.txt: the ids 2 and 4 (lines 3 and 5) have the same token, "é"'],
    [['twice.tiktoken', '-p', 'gpt2'], 'cannot compile twice.tiktoken: the ids 0 and 2 have the same token, "a"'],
    [
      ['few.tiktoken', '-p', 'gpt2'],
      'cannot compile few.tiktoken: no token is the byte 0x01 alone, and BPE needs one for each of the 256 bytes',
    ],
    [['long.json'], 'expected at most 65535 bytes for token 2 of long.json but received 65536'],
    [['good.json', '-u', '2'], 'expected the id of a token (they have 0 to 1) for --unknown-id but received 2'],
    [['vocab.json', '-u', '4'], 'expected the id of a token (they have 0 to 9) for --unknown-id but received 4'],
    [
      ['good.json', '-t', '<s>=9', '-t', '<|x|>=1'],
      'expected an id without a token (1 is the id of "b") for --special-token "<|x|>" but received 1',
    ],
    [['good.json', '-t', '<s>=4294967280'], 'expected an id below 4294967280 for --special-token "<s>" but received 4294967280'],
    [
      ['good.json', '--pattern', 'a', '--pattern', 'a(?=bc)'],
      'expected a pattern that can be compiled for --pattern but received "a(?=bc)": a lookahead of more than one character, at position 1 of the pattern',
    ],
    [['missing.json'], expect.stringContaining('cannot read missing.json: ')],
  ] as [string[], string][])('%j', (args, message) => {
    const { status, stdout, stderr } = compile(args);
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr.replace(/^crayon: (.*)\n$/s, '$1')).toEqual(message);
  });

  it.each([
    [['good.json', '--model', 'bpe'], '--pretokenizer: expected one of gpt2, cl100k, o200k, qwen2, tekken, deepseek3, none '],
    [['few.tiktoken'], '--pretokenizer: expected one of gpt2, cl100k, o200k, qwen2, tekken, deepseek3, none '],
    [['few.tiktoken', '-p', 'gpt2', '-u', '1'], '--unknown-id is for longest match; few.tiktoken becomes BPE'],
    [['lite', '--name', 'x'], '--name is for a list of tokens or a rank file; lite is neither'],
    [['lite', '--model', 'bpe'], '--model is for a list of tokens or a rank file; lite is neither'],
    [['lite', '-p', 'gpt2'], '--pretokenizer is for a list of tokens or a rank file; lite is neither'],
    [['lite', '--pattern', 'a'], '--pattern is for a list of tokens or a rank file; lite is neither'],
    [['good.json', '-p', 'gpt2', '--pattern', 'a'], "option '--pattern <regex>' cannot be used with option '-p, --pretokenizer <name>'"],
    [['lite', '-t', '<s>=60000'], '--special-token is for a list of tokens or a rank file; lite is neither'],
    [['lite', '-u', '1'], '--unknown-id is for a list of tokens or a version 2 file; lite is neither'],
    [
      ['good.json', '-t', '<s>=9', '-t', '<s>=8'],
      `option '-t, --special-token <token=id>' argument '<s>=8' is invalid. "<s>" is given twice.`,
    ],
    [['good.json', '-n', ''], `option '-n, --name <name>' argument '' is invalid. It is empty.`],
    [['good.json', '-u', '4294967295'], `option '-u, --unknown-id <id>' argument '4294967295' is invalid. `],
    [['https://example.org/a.json'], 'command-argument value '],
  ])('%j, wrong usage', (args, message) => {
    const { status, stdout, stderr } = compile(args);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr.startsWith(`crayon: ${message}`), stderr).toBe(true);
  });

  it('and accepts values at the limit', () => {
    for (const args of [
      ['longest.json'],
      ['good.json', '-u', '1'],
      ['vocab.json', '-u', '3'],
      ['good.json', '-t', 'b=1', '-t', '<s>=4294967279'],
    ]) {
      expect(compile(args)).toMatchObject({ status: 0, stderr: '' });
    }
    rmSync(join(folder, 'x.cray'));
  });

  it('and leaves nothing behind', () => {
    expect(readdirSync(folder).filter((file) => /^x|tmp/.test(file))).toEqual([]);
  });
});

it('special tokens can be given one after the other, among the arguments', () => {
  const args = ['compile', '-t', '<|a|>=5', 'good.json', '-t', '<|b=c|>=6', '-o', 'special.cray'];
  expect(run(args, folder)).toMatchObject({ status: 0, stderr: '' });
  expect(run(['encode', '-e', './special.cray', '-s', 'allow'], folder, 'a<|b=c|>b<|a|>').stdout).toBe('0 6 1 5\n');
});

describe('the chat templates of a model', () => {
  const flags = { single_word: false, lstrip: false, rstrip: false, normalized: false, special: true };
  const vocab = Object.fromEntries(Array.from({ length: 256 }, (_, byte) => [byteCharacter(byte), byte]));
  const tokenizer = {
    added_tokens: [{ id: 256, content: '<s>', ...flags }],
    pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true },
    decoder: { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true },
    model: { type: 'BPE', vocab, merges: [] },
  };
  beforeAll(() => {
    writeFileSync(join(folder, 'tokenizer.json'), JSON.stringify(tokenizer));
    writeFileSync(join(folder, 'tokenizer_config.json'), JSON.stringify({ chat_template: 'beside', bos_token: '<s>' }));
    writeFileSync(join(folder, 'other.json'), JSON.stringify({ chat_template: [{ name: 'default', template: 'another' }] }));
    writeFileSync(join(folder, 'list.json'), '["a"]');
  });
  const chatOf = (...args: string[]) => {
    expect(run(['compile', 'tokenizer.json', '-o', 'model.cray', ...args], folder)).toMatchObject({ status: 0, stderr: '' });
    return JSON.parse(run(['inspect', '--json', './model.cray'], folder).stdout).metadata.chat;
  };

  it('come from the files beside it, from --config, or are missing', () => {
    expect(chatOf()).toEqual({ templates: { default: 'beside' }, variables: { bos_token: '<s>' } });
    expect(chatOf('--config', 'other.json')).toEqual({ templates: { default: 'another' }, variables: {} });
    expect(run(['inspect', './model.cray'], folder).stdout).toContain('default: 7 characters');
    expect(run(['info', './model.cray'], folder).stdout).toContain('default: 7 characters\n');
    expect(JSON.parse(run(['info', '--json', './model.cray'], folder).stdout).metadata.chat.templates).toEqual({ default: 'another' });
    expect(chatOf('--no-config')).toBeUndefined();
  });

  it.each([
    [['-p', 'cl100k'], '--pretokenizer or --pattern'],
    [['--pattern', 'a+'], '--pretokenizer or --pattern'],
    [['-t', '<s>=256'], '--special-token'],
    [['--model', 'bpe', '-p', 'gpt2'], '--model'],
    [['-u', '0'], '--unknown-id'],
  ])('leave no room for %j: that is wrong usage', (args, option) => {
    const { status, stderr } = run(['compile', 'tokenizer.json', '-o', 'wrong.cray', ...args], folder);
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: `crayon: ${option} is for a list of tokens or a rank file; tokenizer.json is the file of a model, which says it\n`,
    });
    expect(readdirSync(folder)).not.toContain('wrong.cray');
  });

  it('are not in other files', () => {
    expect(run(['compile', 'tokenizer.json', '-o', 'model.cray', '--config', 'list.json'], folder)).toMatchObject({
      status: 1,
      stderr: 'crayon: list.json is not a tokenizer_config.json: expected an object\n',
    });
    expect(run(['compile', 'lite', '-o', 'model.cray', '--config', 'other.json'], folder)).toMatchObject({ status: 2 });
  });

  it('and the file still compiles without them', () => {
    const env = { CRAYON_CACHE_DIR: '' };
    expect(JSON.parse(run(['info', '--json', 'tokenizer.json'], folder, '', env).stdout)).toMatchObject({
      model: 'bpe',
      vocabularySize: 257,
      specialTokens: { '<s>': 256 },
    });
    expect(run(['count', '-e', 'tokenizer.json'], folder, 'abc', env)).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^ *3\b/),
    });
    expect(JSON.parse(run(['bench', '-e', 'tokenizer.json', '--seconds', '0.1', '--json'], folder, '', env).stdout)).toMatchObject({
      encoding: expect.any(String),
    });
  });

  it('and its file can be inspected', () => {
    const { status, stdout } = run(['inspect', 'tokenizer.json'], folder);
    expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringContaining('ids below 257, added tokens: <s> 256') });
  });
});
